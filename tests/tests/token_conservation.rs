//! Conservation: whatever the shape, the capacity and the end, each token is dropped exactly once, and a sink sees them
//! in order without a gap.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kpn::node::{Fired, One, OutPort};
use kpn::prelude::*;
use kpn::{Network, RunError};
use kpn_tests::step::step;
use kpn_tests::{Counted, Dice, Ledger, On, doing, everywhere};

#[derive(Clone, Copy, Debug)]
enum Shape {
    Chain,
    Wide,
    Diamond,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    ByItself,
    Stop,
    Abort,
    Drop,
    Error,
    Panic,
}

const CAPACITIES: [usize; 4] = [1, 2, 3, 64];
const ENDS: [End; 6] = [End::ByItself, End::Stop, End::Abort, End::Drop, End::Error, End::Panic];

/// A stage that passes tokens on, until its token `when`, at which it fails as `end` says.
fn stage(b: &mut Builder<'static>, from: OutPort<Counted>, end: End, when: u64) -> OutPort<Counted> {
    let pass = move |(x,): (Counted,)| match end {
        End::Panic if x.value == when => resume_unwind(Box::new("boom")),
        End::Error if x.value == when => Fired::Failed("boom".into()),
        _ => Fired::Emit((x,)),
    };
    b.pipe(from, step::<(One<Counted>,), (One<Counted>,), _>(pass))
}

/// The network, in which the node that fails is any but the source.
fn network(
    shape: Shape,
    ledger: &Ledger,
    capacity: usize,
    end: End,
    dice: &mut Dice,
    mut see: impl FnMut(u64) + Send + 'static,
) -> Network<'static> {
    const TOKENS: u64 = 300;
    let when = dice.within(0..TOKENS as usize) as u64;
    let made = ledger.clone();
    let mut b = Builder::new();
    let mut tail = b.add(source((0..TOKENS).map(move |i| made.token(i)))).out;
    match shape {
        Shape::Chain => {
            let bad = dice.within(0..5);
            for i in 0..5 {
                tail = stage(&mut b, tail, if i == bad { end } else { End::ByItself }, when);
            }
            b.pipe(tail, sink(move |x: Counted| see(x.value)));
        }
        Shape::Wide => {
            let bad = dice.within(0..4);
            let join = b.add(gather::<Counted, 4>());
            for (i, (out, input)) in b.fan_out(tail, 4).into_iter().zip(join.inputs).enumerate() {
                let out = stage(&mut b, out, if i == bad { end } else { End::ByItself }, when);
                b.connect(out, input);
            }
            b.pipe(
                join.out,
                sink(move |all: [Counted; 4]| {
                    assert!(all.iter().all(|x| x.value == all[0].value), "{all:?}");
                    see(all[0].value);
                }),
            );
        }
        Shape::Diamond => {
            let head = stage(&mut b, tail, End::ByItself, when);
            let [left, right] = <[_; 2]>::try_from(b.fan_out(head, 2)).expect("two");
            let left = stage(&mut b, left, End::ByItself, when);
            let right = stage(&mut b, right, end, when);
            let join = b.add(gather::<Counted, 2>());
            let [x, y] = join.inputs;
            b.connect(left, x);
            b.connect(right, y);
            b.pipe(
                join.out,
                sink(move |[x, y]: [Counted; 2]| {
                    assert_eq!(x.value, y.value);
                    see(x.value);
                }),
            );
        }
    }
    b.build().expect("sound").with_capacity(capacity).expect("it holds one")
}

fn check(on: &On, shape: Shape, capacity: usize, end: End, dice: &mut Dice) {
    let ledger = Ledger::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sights = seen.clone();
    let net = network(shape, &ledger, capacity, end, dice, move |x| sights.lock().expect("unpoisoned").push(x));
    let running = on.start(net).expect("threads");
    let pause = Duration::from_micros(dice.within(0..300) as u64);
    let result = match end {
        End::ByItself => running.wait(),
        End::Stop => {
            thread::sleep(pause);
            running.stop();
            running.wait()
        }
        End::Abort => {
            thread::sleep(pause);
            running.abort();
            running.wait()
        }
        End::Drop => {
            thread::sleep(pause);
            let stopper = running.stopper();
            drop(running);
            // The stopper outlives all and keeps no token.
            while !ledger.is_alone() {
                thread::yield_now();
            }
            stopper.abort();
            Err(RunError::Aborted)
        }
        // A stop may come before the failure does.
        End::Error | End::Panic => running.wait(),
    };
    let seen = seen.lock().expect("unpoisoned");
    let n = seen.len() as u64;
    assert!(seen.iter().copied().eq(0..n), "in order and without a gap: {seen:?}");
    match (end, result) {
        (End::ByItself, Ok(_)) => assert_eq!(n, 300),
        (End::Stop, Ok(_)) => assert_eq!(n, ledger.made(), "a stop drains"),
        (End::Abort | End::Drop, Ok(_) | Err(RunError::Aborted)) => {}
        (End::Error | End::Panic, Err(RunError::Failed { others, .. })) if others.is_empty() => {}
        (end, result) => panic!("{end:?} came to {result:?}"),
    }
    ledger.settle();
}

#[test]
fn every_token_is_dropped_once_whatever_happens() {
    everywhere(60, |on| {
        let mut dice = Dice::new(7);
        for round in 0..4 {
            for shape in [Shape::Chain, Shape::Wide, Shape::Diamond] {
                for capacity in CAPACITIES {
                    for end in ENDS {
                        doing(format!("round {round}, {shape:?}, capacity {capacity}, {end:?}, on {on}"));
                        check(on, shape, capacity, end, &mut dice);
                    }
                }
            }
        }
    });
}
