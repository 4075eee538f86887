//! Fixed rates and sliding windows, against chunks and windows of a plain list: any two rates over any edge that can hold
//! them, what is left at the end, how often a token is copied.

use kpn::node::{Any, Exactly, Fired, NodeInfo, One, Window};
use kpn::prelude::*;
use kpn::{DeadlockKind, Problem, RunError, Waits};
use kpn_tests::step::step;
use kpn_tests::{Counted, Ledger, On, doing, everywhere};

/// Numbers from 0 on, `P` a firing, from so many firings.
fn numbers<'env, const P: usize>(
    b: &mut Builder<'env>,
    ledger: &Ledger,
    firings: usize,
) -> kpn::node::OutPort<Counted> {
    let made = ledger.clone();
    let firings = b.add(source(0..firings as u64));
    let expand = step::<(One<u64>,), (Exactly<Counted, P>,), _>(move |(n,)| {
        Fired::Emit((std::array::from_fn(|i| made.token(n * P as u64 + i as u64)),))
    });
    let expand = b.add(expand.named("expand"));
    b.connect(firings.out, expand.ins.0);
    expand.outs.0
}

fn values(tokens: &[Counted]) -> Vec<u64> {
    tokens.iter().map(|token| token.value).collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `P` tokens a firing into `C` a firing, over edges from the smallest that can't stall.
fn chunks<const P: usize, const C: usize>(on: &On) {
    let least = P + C - gcd(P, C);
    for (capacity, firings) in [(least, 40), (least + 1, 37), (least + C, 6), (64, 101), (2, 0)] {
        let capacity = capacity.max(P.max(C));
        doing(format!("{P} into {C} over {capacity} on {on}"));
        let ledger = Ledger::new();
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let out = numbers::<P>(&mut b, &ledger, firings);
        let take = b.add(step::<(Exactly<Counted, C>,), (), _>(|(chunk,)| {
            seen.push(values(&chunk));
            Fired::Emit(())
        }));
        b.connect(out, take.ins.0).capacity(capacity);
        let report = on.run(b.build().expect("sound")).expect("no failure");

        let all: Vec<u64> = (0..(firings * P) as u64).collect();
        let whole = all.chunks_exact(C);
        let edge = report.edge("expand.x -> step.a").expect("the edge is reported");
        assert_eq!((edge.len, edge.tokens), (whole.remainder().len(), all.len() as u64));
        assert!(edge.high_water <= capacity);
        assert_eq!(seen, whole.map(<[u64]>::to_vec).collect::<Vec<_>>());
        ledger.settle();
    }
}

/// `P` tokens a firing into any number up to 7.
fn into_any<const P: usize>(on: &On) {
    chunks::<P, 1>(on);
    chunks::<P, 2>(on);
    chunks::<P, 3>(on);
    chunks::<P, 4>(on);
    chunks::<P, 5>(on);
    chunks::<P, 6>(on);
    chunks::<P, 7>(on);
}

#[test]
fn any_two_rates_cut_the_stream_into_chunks() {
    everywhere(60, |on| {
        into_any::<1>(on);
        into_any::<2>(on);
        into_any::<3>(on);
        into_any::<4>(on);
        into_any::<5>(on);
        into_any::<6>(on);
        into_any::<7>(on);
    });
}

/// A source of one token a firing into windows of `PEEK` tokens that move by `CONSUME`.
fn windows<const PEEK: usize, const CONSUME: usize>(on: &On) {
    for (capacity, tokens) in [(PEEK, 30), (PEEK, PEEK), (PEEK + 1, PEEK - 1), (64, 500), (64, 0)] {
        doing(format!("windows of {PEEK} that move by {CONSUME} over {tokens} tokens and {capacity} on {on}"));
        let ledger = Ledger::new();
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let out = numbers::<1>(&mut b, &ledger, tokens);
        let look = b.add(step::<(Window<Counted, PEEK, CONSUME>,), (), _>(|(window,)| {
            seen.push(values(&window));
            Fired::Emit(())
        }));
        b.connect(out, look.ins.0).capacity(capacity);
        let report = on.run(b.build().expect("sound")).expect("no failure");

        let all: Vec<u64> = (0..tokens as u64).collect();
        let expected: Vec<Vec<u64>> = all.windows(PEEK).step_by(CONSUME).map(<[u64]>::to_vec).collect();
        let taken = expected.len().checked_sub(1).map_or(0, |moves| PEEK + moves * CONSUME);
        assert_eq!(report.edge("expand.x -> step.a").expect("it is there").len, tokens - taken);
        assert_eq!(ledger.cloned(), (expected.len() * (PEEK - CONSUME)) as u64, "only what is seen again is copied");
        assert_eq!(seen, expected);
        ledger.settle();
    }
}

#[test]
fn windows_slide_over_the_stream() {
    everywhere(60, |on| {
        windows::<1, 1>(on);
        windows::<2, 1>(on);
        windows::<2, 2>(on);
        windows::<3, 1>(on);
        windows::<3, 2>(on);
        windows::<3, 3>(on);
        windows::<5, 1>(on);
        windows::<5, 2>(on);
        windows::<5, 3>(on);
        windows::<5, 4>(on);
        windows::<5, 5>(on);
        windows::<7, 3>(on);
        windows::<16, 1>(on);
    });
}

#[test]
fn an_edge_of_which_nothing_is_said_never_stalls() {
    everywhere(30, |on| {
        // With 64 tokens of capacity the writer would lack space at 62, and the reader, at a quarter, tokens.
        doing(format!("61 into 63 on {on}"));
        let ledger = Ledger::new();
        let mut seen = 0;
        let mut b = Builder::new();
        let out = numbers::<61>(&mut b, &ledger, 630);
        let take = step::<(Exactly<Counted, 63>,), (Any<u64>,), _>(|(chunk,)| Fired::Emit((values(&chunk).into(),)));
        let sums = b.pipe(out, take);
        b.pipe(
            sums,
            sink(|x: u64| {
                assert_eq!(x, seen);
                seen += 1;
            }),
        );
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(seen, 61 * 630);
        ledger.settle();
    });
}

#[test]
fn a_capacity_below_a_firings_need_is_refused() {
    let mut b = Builder::new();
    let ledger = Ledger::new();
    let out = numbers::<5>(&mut b, &ledger, 1);
    let [x, y, z]: [_; 3] = b.fan_out(out, 3).try_into().expect("three");
    let take = b.add(step::<(Exactly<Counted, 3>,), (), _>(|_| Fired::Emit(())).named("take"));
    b.connect(x, take.ins.0).capacity(4);
    let look = b.add(step::<(Window<Counted, 9, 2>,), (), _>(|_| Fired::Emit(())).named("look"));
    b.connect(y, look.ins.0).capacity(8);
    let fits = b.add(step::<(Window<Counted, 2, 1>,), (), _>(|_| Fired::Emit(())).named("fits"));
    b.connect(z, fits.ins.0).capacity(5);
    let error = b.build().expect_err("two edges are too small");
    let least = |problem: &Problem| match problem {
        Problem::Capacity { edge, least, .. } => (edge.clone(), *least),
        other => panic!("{other}"),
    };
    let found: Vec<_> = error.problems().iter().map(least).collect();
    assert_eq!(found, [("expand.x -> take.a".to_owned(), 5), ("expand.x -> look.a".to_owned(), 9)]);
}

#[test]
fn every_reader_has_room_before_a_firing() {
    everywhere(30, |on| {
        for slow in [6, 7, 11] {
            doing(format!("6 tokens into edges of {slow} and 64 on {on}"));
            let ledger = Ledger::new();
            let (mut ones, mut pairs) = (Vec::new(), Vec::new());
            let mut b = Builder::new();
            let out = numbers::<6>(&mut b, &ledger, 50);
            let [x, y]: [_; 2] = b.fan_out(out, 2).try_into().expect("two");
            let one = b.add(sink(|x: Counted| ones.push(x.value)));
            b.connect(x, one.input).capacity(slow);
            let two = b.add(step::<(Exactly<Counted, 2>,), (), _>(|(pair,)| {
                pairs.extend(values(&pair));
                Fired::Emit(())
            }));
            b.connect(y, two.ins.0).capacity(if slow == 7 { 7 } else { 64 });
            on.run(b.build().expect("sound")).expect("no failure");
            assert!(ones.iter().copied().eq(0..300) && ones == pairs);
            assert_eq!((ledger.made(), ledger.cloned()), (300, 300));
            ledger.settle();
        }
    });
}

#[test]
fn a_loop_of_fixed_rates_starts_with_its_initial_tokens() {
    everywhere(30, |on| {
        for capacity in [4, 5, 64] {
            doing(format!("a loop over {capacity} on {on}"));
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let inputs = b.add(source(0..99u64));
            // Two tokens of the stream and two of the loop: running sums of the odd and of the even ones.
            let sums = b.add(step::<(Exactly<u64, 2>, Exactly<u64, 2>), (Exactly<u64, 2>, Exactly<u64, 2>), _>(
                |(new, old)| {
                    let sums = std::array::from_fn(|i| new[i] + old[i]);
                    Fired::Emit((sums, sums))
                },
            ));
            b.connect(inputs.out, sums.ins.0).capacity(2);
            b.connect(sums.outs.1, sums.ins.1).capacity(capacity).initial([0, 1000]);
            b.pipe(sums.outs.0, sink(|x: u64| seen.push(x)));
            on.run(b.build().expect("sound")).expect("no failure");
            let sum = |n: u64| (0..=n).filter(|x| x % 2 == n % 2).sum::<u64>() + 1000 * (n % 2);
            assert_eq!(seen, (0..98).map(sum).collect::<Vec<_>>());
        }
    });
}

#[test]
fn the_shortest_stream_decides() {
    everywhere(30, |on| {
        // Three pairs and seven triples: the pairs end first, whoever is quicker, and one of them is left.
        for (pairs, triples) in [(7, 21), (7, 3000), (2000, 11)] {
            doing(format!("{pairs} in pairs and {triples} in triples on {on}"));
            let ledger = Ledger::new();
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let mut stream = |n: usize| {
                let made = ledger.clone();
                b.add(source((0..n as u64).map(move |i| made.token(i)))).out
            };
            let (x, y) = (stream(pairs), stream(triples));
            let join = b.add(step::<(Exactly<Counted, 2>, Exactly<Counted, 3>), (), _>(|(pair, triple)| {
                seen.push((values(&pair), values(&triple)));
                Fired::Emit(())
            }));
            b.connect(x, join.ins.0).capacity(2);
            b.connect(y, join.ins.1).capacity(5);
            let report = on.run(b.build().expect("sound")).expect("no failure");
            let chunks = |n: usize, of: usize| {
                let all: Vec<u64> = (0..n as u64).collect();
                all.chunks_exact(of).map(<[u64]>::to_vec).collect::<Vec<_>>()
            };
            assert_eq!(seen, chunks(pairs, 2).into_iter().zip(chunks(triples, 3)).collect::<Vec<_>>());
            let (ended, left) = if pairs == 7 { (0, 1) } else { (1, 2) };
            assert_eq!(report.edges[ended].len, left, "what is left where the stream has ended is known");
            ledger.settle();
        }
    });
}

/// Triples out of pairs over an edge of 3: where two tokens lie there, neither end can fire.
fn tight<'env>(ledger: &Ledger, seen: &'env mut Vec<u64>) -> Network<'env> {
    let mut b = Builder::new();
    let out = numbers::<2>(&mut b, ledger, 60);
    let take = b.add(step::<(Exactly<Counted, 3>,), (), _>(|(chunk,)| {
        seen.extend(values(&chunk));
        Fired::Emit(())
    }));
    b.connect(out, take.ins.0).capacity(3);
    b.build().expect("each end alone can fire")
}

#[test]
fn an_edge_on_which_two_rates_stall_is_named_or_grows() {
    everywhere(30, |on| {
        let ledger = Ledger::new();
        let mut seen = Vec::new();
        let error = on.run(tight(&ledger, &mut seen)).expect_err("the edge is too small for both rates");
        let RunError::Deadlock { first, .. } = &error else { panic!("{error}") };
        let edge = "expand.x -> step.a".to_owned();
        assert_eq!(first.kind, DeadlockKind::Artificial { edge: edge.clone(), needed: 4, max_bytes: None });
        let mut waits: Vec<_> = first.cycle.iter().map(|b| (&*b.node, b.waits_for, b.need, b.len)).collect();
        waits.sort_by_key(|wait| wait.0);
        assert_eq!(waits, [("expand", Waits::Space, 2, 2), ("step", Waits::Tokens, 3, 2)]);
        assert_eq!(seen, []);
        ledger.settle();

        let report = on.run(tight(&ledger, &mut seen).on_stall(Stall::Grow { max_bytes: 1 << 20 })).expect("it grows");
        assert_eq!(report.growths.iter().map(|growth| (&growth.edge, growth.from)).collect::<Vec<_>>(), [(&edge, 3)]);
        assert!(seen.into_iter().eq(0..120));
        ledger.settle();
    });
}

#[test]
fn a_stage_that_a_process_adds_has_room_for_its_rates() {
    everywhere(30, |on| {
        for capacity in [1, 3, 64] {
            doing(format!("over {capacity} on {on}"));
            let reverse = || {
                step::<(Exactly<u64, 4>,), (Exactly<u64, 4>,), _>(|(mut four,)| {
                    four.reverse();
                    Fired::Emit((four,))
                })
            };
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let numbers = b.add(source(0..80u64));
            let info = NodeInfo { name: "host", inputs: &["a"], outputs: &["x"] };
            let ((a,), (x,)) = b.process(info, move |(mut a,): (In<u64>,), (mut x,): (Out<u64>,)| async move {
                for i in 0..16 {
                    x.send(a.recv().await.expect("there are more")).await.map_err(Box::new)?;
                    if i == 7 {
                        a.through(reverse()).map_err(Box::new)?;
                    }
                }
                x.through(reverse())?;
                while let Some(token) = a.recv().await {
                    x.send(token).await?;
                }
                Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
            });
            b.connect(numbers.out, a).capacity(capacity);
            let end = b.add(sink(|x: u64| seen.push(x)));
            b.connect(x, end.input).capacity(capacity);
            on.run(b.build().expect("sound")).expect("no failure");
            let reversed = (8..16).collect::<Vec<u64>>();
            let reversed = reversed.chunks(4).flat_map(|four| four.iter().rev().copied());
            assert!(seen.iter().copied().eq((0..8).chain(reversed).chain(16..80)), "{seen:?}");
        }
    });
}
