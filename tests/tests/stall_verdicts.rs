//! Stalls are named at once, and only they: cycles of waits of every kind, alone and beside what still runs.

use kpn::node::{Exactly, Fired, Maybe, NodeInfo, One};
use kpn::prelude::*;
use kpn::{DeadlockKind, RunError, Waits};
use kpn_tests::everywhere;
use kpn_tests::step::step;

fn info(name: &'static str, inputs: &'static [&'static str], outputs: &'static [&'static str]) -> NodeInfo {
    NodeInfo { name, inputs, outputs }
}

/// Sends two tokens to `y` before the one to `x`; its reader wants `x` first.
fn put_two_get_two(capacity: usize) -> Network<'static> {
    let mut b = Builder::new();
    let puts = info("puts", &[], &["x", "y"]);
    let ((), (x, y)) = b.process(puts, |(), (mut x, mut y): (Out<u32>, Out<u32>)| async move {
        for i in 0..100 {
            y.send_many([2 * i, 2 * i + 1]).await?;
            x.send(i).await?;
        }
        Ok::<(), Closed>(())
    });
    let gets = info("gets", &["x", "y"], &[]);
    let ((x_in, y_in), ()) = b.process(gets, |(mut x, mut y): (In<u32>, In<u32>), ()| async move {
        for i in 0..100 {
            assert_eq!((x.recv().await, y.recv().await, y.recv().await), (Some(i), Some(2 * i), Some(2 * i + 1)));
        }
    });
    b.connect(x, x_in).capacity(1);
    b.connect(y, y_in).capacity(capacity);
    b.build().expect("valid")
}

#[test]
fn an_artificial_deadlock_names_the_edge_and_what_it_needs() {
    everywhere(20, |on| {
        let error = on.run(put_two_get_two(1)).expect_err("`y` is too small");
        let RunError::Deadlock { first, others, .. } = error else { panic!("{error}") };
        assert_eq!(others, []);
        assert_eq!(
            first.kind,
            DeadlockKind::Artificial { edge: "puts.y -> gets.y".into(), needed: 2, max_bytes: None }
        );
        let waits: Vec<_> =
            first.cycle.iter().map(|b| (&*b.node, &*b.edge, b.waits_for, b.need, b.len, &*b.peer)).collect();
        let expected = [
            ("gets", "puts.x -> gets.x", Waits::Tokens, 1, 0, "puts"),
            ("puts", "puts.y -> gets.y", Waits::Space, 1, 1, "gets"),
        ];
        assert_eq!(waits, expected);
        on.run(put_two_get_two(2)).expect("two are enough");
    });
}

#[test]
fn an_artificial_deadlock_is_resolved_by_growing() {
    everywhere(20, |on| {
        let report = on.run(put_two_get_two(1).on_stall(Stall::Grow { max_bytes: 4 })).expect("it grows");
        let growths: Vec<_> = report.growths.iter().map(|g| (&*g.edge, g.from, g.to)).collect();
        assert_eq!(growths, [("puts.y -> gets.y", 1, 2)]);
        let error = on.run(put_two_get_two(1).on_stall(Stall::Grow { max_bytes: 3 })).expect_err("4 bytes are needed");
        assert!(matches!(error, RunError::Deadlock { .. }), "{error}");
        assert!(error.to_string().contains("within the 3 bytes by which edges may grow"), "{error}");
    });
}

/// Each tenth number for a join's first input, the nine before it for the second one: the join takes none of these before it
/// has the tenth.
fn nine_before_the_tenth(capacity: usize) -> Network<'static> {
    let mut b = Builder::new();
    let numbers = b.add(source(1..=100u64));
    let split = step::<(One<u64>,), (Maybe<u64>, Maybe<u64>), _>(|(x,)| {
        Fired::Emit(if x.is_multiple_of(10) { (Some(x), None) } else { (None, Some(x)) })
    });
    let (tens, others) = b.pipe(numbers.out, split.named("split"));
    let join = step::<(One<u64>, Exactly<u64, 9>), (), _>(|(ten, others)| {
        assert!(others.into_iter().eq(ten - 9..ten));
        Fired::Emit(())
    });
    let join = b.add(join.named("join"));
    b.connect(tens, join.ins.0).capacity(1);
    b.connect(others, join.ins.1).capacity(capacity);
    b.build().expect("valid")
}

#[test]
fn a_node_that_has_never_fired_is_part_of_a_stall() {
    everywhere(20, |on| {
        // A firing needs space on each of its outputs.
        let error = on.run(nine_before_the_tenth(9)).expect_err("the tenth firing has no space");
        let RunError::Deadlock { first, .. } = error else { panic!("{error}") };
        assert_eq!(
            first.kind,
            DeadlockKind::Artificial { edge: "split.y -> join.b".into(), needed: 10, max_bytes: None }
        );
        on.run(nine_before_the_tenth(10)).expect("ten are enough");
        let report = on.run(nine_before_the_tenth(9).on_stall(Stall::Grow { max_bytes: 1000 })).expect("it grows");
        assert_eq!(report.growths.len(), 1);
    });
}

/// A ring of processes each of which waits for the one before it.
fn ring(n: usize) -> Network<'static> {
    let mut b = Builder::new();
    add_ring(&mut b, n);
    b.build().expect("a process could start it")
}

fn add_ring(b: &mut Builder<'_>, n: usize) {
    let mut ports: Vec<_> = (0..n)
        .map(|_| {
            b.process(info("waits", &["x"], &["y"]), |(mut x,): (In<u32>,), (mut y,): (Out<u32>,)| async move {
                while let Some(token) = x.recv().await {
                    y.send(token).await?;
                }
                Ok::<(), Closed>(())
            })
        })
        .map(|((x,), (y,))| (Some(x), Some(y)))
        .collect();
    for i in 0..n {
        let y = ports[i].1.take().expect("wired once");
        let x = ports[(i + 1) % n].0.take().expect("wired once");
        b.connect(y, x).initial([]);
    }
}

#[test]
fn a_true_deadlock_is_named_whatever_its_length() {
    for n in [1, 2, 3, 8, 9, 10, 30, 500] {
        everywhere(60, move |on| {
            if n > 30 && matches!(on, kpn_tests::On::Private) {
                return;
            }
            let error = on.run(ring(n)).expect_err("nobody sends first");
            let RunError::Deadlock { first, others, .. } = error else { panic!("{error}") };
            assert_eq!((first.kind, first.cycle.len(), others.len()), (DeadlockKind::True, n, 0));
            assert!(
                first
                    .cycle
                    .iter()
                    .all(|blocked| (blocked.waits_for, blocked.need, blocked.len) == (Waits::Tokens, 1, 0))
            );
        });
    }
}

#[test]
fn a_dead_part_is_found_while_another_runs_on() {
    everywhere(60, |on| {
        let mut b = Builder::new();
        // Endless: only the verdict ends it.
        let numbers = b.add(source(0u64..));
        b.pipe(numbers.out, sink(|_: u64| ()));
        add_ring(&mut b, 3);
        let error = on.run(b.build().expect("valid")).expect_err("three nodes wait for each other");
        let RunError::Deadlock { first, .. } = error else { panic!("{error}") };
        assert_eq!(first.cycle.len(), 3);
    });
}

#[test]
fn a_loop_that_has_run_dry_ends_by_itself() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        // Halves what goes round until it is odd, which drops it: then nothing is left on the loop.
        let halve = b.add(filter_map(|x: u64| x.is_multiple_of(2).then_some(x / 2)).named("halve"));
        let [back, out] = b.fan_out(halve.out, 2).try_into().expect("two readers");
        b.connect(back, halve.input).initial([40, 16]).capacity(8);
        b.pipe(out, sink(|x| seen.push(x)));
        on.run(b.build().expect("valid")).expect("it ends by itself");
        assert_eq!(seen, [20, 8, 10, 4, 5, 2, 1]);
    });
}
