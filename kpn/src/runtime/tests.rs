//! Small networks through every path of the engine, few enough tokens for Miri.

use super::sleep::{Parked, Sleep};
use crate::builder::Builder;
use crate::config::{Deterministic, Private, Shared};
use crate::failure::RunError;
use crate::net::Network;
use crate::nodes::{map, sink, source};
use crate::report::Report;
use crate::sync::Parker;

const TOKENS: u64 = if cfg!(miri) { 40 } else { 2_000 };

/// source → +1 → {+0, ×2} → sum → sink, so that a token meets a clone and a join.
fn diamond(seen: &mut Vec<u64>, capacity: usize) -> Network<'_> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..TOKENS));
    let head = b.pipe(numbers.out, map(|x| Box::new(x + 1)));
    let join = b.add(crate::nodes::gather::<Box<u64>, 2>());
    for ((branch, input), times) in b.fan_out(head, 2).into_iter().zip(join.inputs).zip([1, 2]) {
        let branch = b.pipe(branch, map(move |x: Box<u64>| Box::new(*x * times)));
        b.connect(branch, input);
    }
    b.pipe(join.out, sink(|[x, y]: [Box<u64>; 2]| seen.push(*x + *y)));
    b.build().and_then(|net| net.with_capacity(capacity)).expect("a diamond is a valid network")
}

fn everywhere(check: impl Fn(&dyn Fn(Network<'_>) -> Result<Report, RunError>)) {
    for workers in [1, 2, 4] {
        check(&|net| net.run_on(Shared::new().workers(workers)));
    }
    check(&|net| net.run_on(Private::new()));
    check(&|net| net.run_on(Shared::new().workers(2).shuffled(1)));
    for seed in 0..3 {
        check(&|net| net.run_on(Deterministic::new(seed)));
    }
}

#[test]
fn a_diamond_gives_the_same_everywhere() {
    for capacity in [1, 3, 64] {
        everywhere(|run| {
            let mut seen = Vec::new();
            run(diamond(&mut seen, capacity)).expect("no node fails");
            assert_eq!(seen, (0..TOKENS).map(|x| 3 * (x + 1)).collect::<Vec<_>>());
        });
    }
}

#[test]
fn a_panic_leaves_nothing_behind() {
    everywhere(|run| {
        let mut b = Builder::new();
        let numbers = b.add(source((0..TOKENS).map(Box::new)));
        let at = TOKENS / 2;
        let tail = b.pipe(
            numbers.out,
            map(move |x: Box<u64>| {
                assert!(*x < at, "too far");
                x
            }),
        );
        let mut seen = 0;
        b.pipe(tail, sink(|_: Box<u64>| seen += 1));
        let error = run(b.build().expect("a chain is a valid network")).expect_err("a node panics");
        assert_eq!(error.node(), Some("map"));
        assert_eq!(seen, at, "all before the failing one arrive, and none after it");
    });
}

#[test]
fn an_abort_leaves_nothing_behind() {
    for workers in [1, 2] {
        let mut b = Builder::new();
        let numbers = b.add(source((0..).map(Box::new)));
        b.pipe(numbers.out, sink(|_: Box<u64>| ()));
        let running = b.build().expect("valid").start_on(Shared::new().workers(workers)).expect("threads");
        running.abort();
        assert!(matches!(running.wait(), Err(RunError::Aborted)));
    }
}

#[test]
fn a_wake_is_counted_once() {
    let parker = Parker::new();
    let sleep = Sleep::new(vec![parker.unparker().clone()], false);
    sleep.submitted(1);
    assert_eq!(sleep.wakes(), 0, "nobody sleeps");
    sleep.start_search();
    assert_eq!(sleep.park(0, || false), Parked::Park);
    sleep.submitted(1);
    sleep.submitted(1);
    assert!(sleep.is_awake(0));
    assert_eq!(sleep.wakes(), 1, "the second found nobody");
}
