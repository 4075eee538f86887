//! Nodes without state on several workers, against user code that panics where it can, and networks that stall.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use kpn::prelude::*;
use kpn::{Network, Shared, ThreadPool};

fn always(workers: usize) -> ThreadPool {
    Shared::new().workers(workers).always_elastic().build().expect("threads")
}

/// An error that can't even be dropped.
#[derive(Debug)]
struct Undroppable;

impl std::fmt::Display for Undroppable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("undroppable")
    }
}

impl std::error::Error for Undroppable {}

impl Drop for Undroppable {
    fn drop(&mut self) {
        panic!("an error is dropped");
    }
}

static FAILED: AtomicBool = AtomicBool::new(false);

#[node]
fn fails(x: u64, #[param] at: u64) -> Result<u64, Undroppable> {
    if x == at {
        FAILED.store(true, Ordering::SeqCst);
        return Err(Undroppable);
    }
    Ok(x)
}

/// Passes only if so many workers of the pool live: each waits for the others in its node's code.
fn all_live(pool: &ThreadPool) {
    let barrier = Arc::new(Barrier::new(pool.workers()));
    let mut b = Builder::new();
    for _ in 0..pool.workers() {
        let (one, barrier) = (b.add(source([()])), barrier.clone());
        b.pipe(one.out, sink(move |()| _ = barrier.wait()));
    }
    let mut running = b.build().expect("sound").start_on(pool).expect("started");
    running.wait_timeout(Duration::from_secs(20)).expect("all workers live");
}

#[test]
fn a_failure_that_nobody_asks_for_does_no_harm() {
    let pool = always(4);
    for round in 0..3000u64 {
        FAILED.store(false, Ordering::SeqCst);
        let net = network! { source(0u64..) -> fails(round % 20) -> sink(|_: u64| ()) }.expect("sound");
        let running = net.start_on(&pool).expect("started");
        while !FAILED.load(Ordering::SeqCst) {
            std::hint::spin_loop();
        }
        for i in 0..round * 37 % 4000 {
            std::hint::black_box(i);
        }
        running.abort();
        // Its error can't be dropped, whichever it is.
        std::mem::forget(running.wait());
    }
    all_live(&pool);
}

/// A token whose `Drop` panics.
struct Bad(u64);

impl Drop for Bad {
    fn drop(&mut self) {
        panic!("a token is dropped");
    }
}

#[node]
fn takes_two(x: [Bad; 2], #[param] at: u64) -> Result<u64, String> {
    let first = x[0].0;
    std::mem::forget(x);
    std::thread::sleep(Duration::from_micros(5));
    if first >= at { Err("no".into()) } else { Ok(first) }
}

#[node]
fn gives_many(x: u64, #[param] at: u64) -> Result<Many<Bad>, String> {
    std::thread::sleep(Duration::from_micros(5));
    if x >= at { Err("no".into()) } else { Ok((0..3).map(Bad).collect()) }
}

#[test]
fn tokens_that_cannot_be_dropped_are_dropped_one_by_one() {
    for pool in [always(2), always(4), Shared::new().workers(4).build().expect("threads")] {
        for round in 0..20u64 {
            let two = takes_two(100 + round);
            let net = network! { source((0..2000).map(Bad)) -> two -> sink(|_: u64| ()) }.expect("sound");
            net.with_capacity(128).expect("enough").run_on(&pool).expect_err("it fails");
            let many = gives_many(50 + round);
            let net = network! { source(0..2000u64) -> many -> sink(std::mem::forget::<Bad>) }.expect("sound");
            net.run_on(&pool).expect_err("it fails");
        }
    }
}

#[node]
fn pass(x: u64, #[param] us: u64) -> u64 {
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(us) {}
    x
}

#[node]
fn bursts(x: u64, #[param] every: u64) -> Many<u64> {
    if x % every == every - 1 { (0..every).collect() } else { Many::default() }
}

#[node]
fn join(a: u64, b: u64) -> u64 {
    a + b
}

/// One branch of a diamond gives nothing until the other one holds more than its edges.
fn stalls(capacity: usize, every: u64, us: u64) -> Network<'static> {
    let net = network! { source(0..255u64) -> { pass(us), bursts(every) } -> join() -> sink(|_: u64| ()) };
    net.expect("sound").with_capacity(capacity).expect("enough")
}

#[test]
fn what_stalls_on_one_worker_stalls_on_several() {
    let pools = [always(1), always(2), always(4), Shared::new().workers(4).build().expect("threads")];
    for (capacity, every, us) in [(64, 129, 20), (1, 3, 0), (1, 3, 50), (2, 5, 50), (8, 17, 20)] {
        for pool in &pools {
            for _ in 0..5 {
                let result = stalls(capacity, every, us).run_on(pool);
                assert!(matches!(result, Err(RunError::Deadlock { .. })), "{capacity} {every} {us}: {result:?}");
            }
        }
        for seed in 0..4 {
            let result = stalls(capacity, every, us).run_on(Deterministic::new(seed));
            assert!(matches!(result, Err(RunError::Deadlock { .. })), "seed {seed}: {result:?}");
        }
        // With room enough none of them does.
        for pool in &pools {
            stalls(capacity + every as usize, every, us).run_on(pool).expect("room enough");
        }
    }
}
