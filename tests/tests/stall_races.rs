//! The verdict on a stall is the same in every schedule: what one schedule resolves is no deadlock in another one. Found by random
//! networks.

use std::thread::sleep;
use std::time::Duration;

use kpn::node::{Fired, InPort, Maybe, NodeInfo, One, OutPort};
use kpn::prelude::*;
use kpn_tests::step::step;
use kpn_tests::{On, everywhere};

const fn info(name: &'static str, inputs: &'static [&'static str], outputs: &'static [&'static str]) -> NodeInfo {
    NodeInfo { name, inputs, outputs }
}

fn ends(on: &On, times: usize, net: impl Fn() -> Network<'static>) {
    for i in 0..times {
        let mut running = on.start(net()).expect("threads");
        if let Err(error) = running.wait_timeout(Duration::from_secs(5)) {
            panic!("run {i} on {on}: {error}");
        }
    }
}

/// A process that hands tokens on.
fn copy(b: &mut Builder<'static>) -> (InPort<u64>, OutPort<u64>) {
    let ((a,), (last,)) =
        b.process(info("copy", &["a"], &["b"]), |(mut a,): (In<u64>,), (mut b,): (Out<u64>,)| async move {
            while let Some(x) = a.recv().await {
                b.send(x).await?;
            }
            Ok::<(), Closed>(())
        });
    (a, last)
}

/// A process that lets its outputs go at once, before what reads them has ever been activated.
#[test]
fn an_output_that_is_let_go_at_once_ends_its_stream() {
    let net = || {
        let mut b = Builder::new();
        let ((x,), (y,)) = b.process(info("deaf", &["x"], &["y"]), |(mut x,): (In<u64>,), _: (Out<u64>,)| async move {
            while x.recv().await.is_some() {}
        });
        let slow = b.add(source(0..100u64));
        b.connect(slow.out, x);
        let (a, z) = copy(&mut b);
        let next = b.pipe(y, map(|x: u64| x));
        b.connect(next, a);
        b.pipe(z, sink(|_: u64| ()));
        b.build().expect("sound")
    };
    everywhere(30, move |on| ends(on, 20, net));
}

/// The same in a loop.
#[test]
fn a_loop_ends_whose_head_lets_its_output_go() {
    let net = || {
        let mut b = Builder::new();
        let head = info("head", &["x", "back"], &["loop"]);
        let ((x, back), (around,)) = b.process(head, |(_, mut back): (In<u64>, In<u64>), _: (Out<u64>,)| async move {
            while back.recv().await.is_some() {}
        });
        let nothing = b.add(source([0u64; 0]));
        b.connect(nothing.out, x);
        let next = b.pipe(around, map(|x: u64| x));
        b.connect(next, back).initial([1]);
        b.build().expect("sound")
    };
    everywhere(30, move |on| ends(on, 20, net));
}

/// A loop that loses its only token before the node that fires on it has ever been activated. That node waits like any other.
#[test]
fn a_loop_drains_round_a_node_that_never_fired() {
    let net = || {
        let mut b = Builder::new();
        let head = info("head", &["x", "back"], &["loop", "y"]);
        let ((x, back), (around, y)) =
            b.process(head, |(x, mut back): (In<u64>, In<u64>), (around, y): (Out<u64>, Out<u64>)| async move {
                let _ends = (x, around, y);
                while back.recv().await.is_some() {}
            });
        let nothing = b.add(source([0u64; 0]));
        b.connect(nothing.out, x);
        let next = b.pipe(around, map(|x: u64| x));
        let (a, last) = copy(&mut b);
        b.connect(next, a);
        b.connect(last, back).initial([1]);
        b.pipe(y, sink(|_: u64| ()));
        b.build().expect("sound")
    };
    everywhere(30, move |on| ends(on, 20, net));
}

/// A loop without a token ends when its outside does, and may be empty before that.
#[test]
fn a_loop_may_drain_before_its_outside_has_ended() {
    let net = || {
        let mut b = Builder::new();
        let head = info("head", &["x", "back"], &["loop"]);
        let ((x, back), (around,)) =
            b.process(head, |(x, mut back): (In<u64>, In<u64>), (around,): (Out<u64>,)| async move {
                let _ends = (x, around);
                while back.recv().await.is_some() {}
            });
        let slow = b.add(source(std::iter::from_fn(|| {
            sleep(Duration::from_millis(5));
            None::<u64>
        })));
        b.connect(slow.out, x);
        let (a, next) = copy(&mut b);
        b.connect(around, a);
        b.connect(next, back).initial([1]);
        b.build().expect("sound")
    };
    everywhere(30, move |on| ends(on, 20, net));
}

/// A join ends when any of its inputs does, so it does not wait for its feedback alone as long as its other input is open and
/// empty.
#[test]
fn a_join_is_not_stuck_while_another_input_may_end() {
    let net = || {
        let mut b = Builder::new();
        let join = b.add(step::<(One<u64>, One<u64>), (One<u64>,), _>(|(x, y)| Fired::Emit((x + y,))));
        let mut sent = 0;
        let slow = b.add(source(std::iter::from_fn(move || {
            sent += 1;
            sleep(Duration::from_millis(sent * 2));
            (sent == 1).then_some(1u64)
        })));
        let (back, x) = join.ins;
        b.connect(slow.out, x);
        let next = b.add(step::<(One<u64>,), (Maybe<u64>,), _>(|(_,)| Fired::Emit((None,))));
        b.connect(join.outs.0, next.ins.0);
        b.connect(next.outs.0, back).initial([1]);
        b.build().expect("sound")
    };
    everywhere(30, move |on| ends(on, 20, net));
}
