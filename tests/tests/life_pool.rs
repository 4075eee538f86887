//! Pools: networks within networks, several at once, and how a pool ends.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use kpn::prelude::*;
use kpn::{Network, RunError, StartError, ThreadPool};
use kpn_tests::dice::seeds;
use kpn_tests::graph::Spec;
use kpn_tests::{Ledger, On, doing, watch};

fn pool(workers: usize) -> ThreadPool {
    Shared::new().workers(workers).build().expect("threads for a pool")
}

/// Sums up `0..n` on a pool, and runs the same within each firing, `depth` deep.
fn nested(pool: &ThreadPool, n: u64, depth: u64) -> Result<u64, RunError> {
    let mut sum = 0;
    let mut b = Builder::new();
    let numbers = b.add(source(0..n));
    let inner =
        b.pipe(numbers.out, map(|x| if depth == 0 { Ok(x) } else { nested(pool, n, depth - 1).map(|sum| sum + x) }));
    b.pipe(inner, sink(|x: Result<u64, RunError>| x.map(|x| sum += x)));
    b.build().expect("sound").run_on(pool)?;
    Ok(sum)
}

/// What [`nested`] comes to.
fn nested_sum(n: u64, depth: u64) -> u64 {
    let inner = if depth == 0 { 0 } else { nested_sum(n, depth - 1) };
    (0..n).map(|x| inner + x).sum()
}

/// A network that runs until it is stopped, and reports each token.
fn endless(take: impl FnMut(u64) + Send + 'static) -> Network<'static> {
    let mut b = Builder::new();
    let numbers = b.add(source(0u64..));
    let same = b.pipe(numbers.out, map(|x| x));
    b.pipe(same, sink(take).named("sink"));
    b.build().expect("sound")
}

#[test]
fn networks_run_within_nodes_of_the_same_pool() {
    for workers in [1, 2, 4] {
        watch(30, move || {
            let pool = pool(workers);
            for (n, depth) in [(5, 1), (3, 4), (1, 20)] {
                doing(format!("{depth} deep on {workers}"));
                assert_eq!(nested(&pool, n, depth).expect("no failure"), nested_sum(n, depth));
            }
        });
    }
}

#[test]
fn networks_run_within_nodes_of_the_default_pool() {
    watch(30, || {
        fn deep(depth: u64) -> u64 {
            let mut sum = 0;
            let mut b = Builder::new();
            let numbers = b.add(source(0..3u64));
            let inner = b.pipe(numbers.out, map(|x| if depth == 0 { x } else { deep(depth - 1) + x }));
            b.pipe(inner, sink(|x| sum += x));
            b.build().expect("sound").run().expect("no failure");
            sum
        }
        assert_eq!(deep(4), nested_sum(3, 4));
    });
}

#[test]
fn too_many_waiting_workers_are_an_error_and_not_a_standstill() {
    watch(60, || {
        let pool = pool(1);
        // One thread more than the pool may add.
        let error = nested(&pool, 1, 300).expect_err("a pool doesn't grow for ever");
        // Each level fails with the level below; the lowest says why.
        let mut cause: &dyn std::error::Error = &error;
        while let Some(below) = cause.source() {
            cause = below;
        }
        let lowest = cause.downcast_ref::<RunError>();
        assert!(matches!(lowest, Some(RunError::Start(StartError::TooManyBlocked { .. }))), "{error}");
        assert_eq!(nested(&pool, 3, 2).expect("the pool lives on"), nested_sum(3, 2));
    });
}

#[test]
fn waiting_in_a_node_for_another_network_works() {
    for workers in [1, 2] {
        watch(30, move || {
            let pool = Arc::new(pool(workers));
            let theirs = pool.clone();
            let mut b = Builder::new();
            let numbers = b.add(source(0..20u64));
            let wait = move |n: u64| {
                let mut b = Builder::new();
                let numbers = b.add(source(0..n));
                b.pipe(numbers.out, sink(|_| ()));
                let running = b.build().expect("sound").start_on(&*theirs)?;
                running.wait().map(|_| ())
            };
            b.pipe(numbers.out, sink(wait));
            b.build().expect("sound").run_on(&*pool).expect("no failure");
        });
    }
}

#[test]
fn a_pool_that_goes_aborts_its_networks_and_waits_for_them() {
    for workers in [1, 2, 4] {
        watch(30, move || {
            let ledger = Ledger::new();
            let pool = pool(workers);
            let running: Vec<_> = (0..5)
                .map(|_| {
                    let ledger = ledger.clone();
                    endless(move |x| drop(ledger.token(x))).start_on(&pool).expect("threads")
                })
                .collect();
            thread::sleep(Duration::from_millis(2));
            drop(pool);
            for running in running {
                assert!(running.has_ended(), "the pool has waited");
                assert!(matches!(running.wait(), Err(RunError::Aborted)));
            }
            ledger.settle();
        });
    }
}

/// A pool that a node is to drop.
type Held = Arc<Mutex<Option<ThreadPool>>>;

/// Runs an endless network on a pool, which its sink drops after `before`; asserts that this ends it.
fn dropped_within(workers: usize, own_thread: bool, before: fn(&ThreadPool)) {
    let held: Held = Held::default();
    let theirs = held.clone();
    let mut b = Builder::new();
    let numbers = b.add(source(0u64..));
    let drops = sink(move |_| {
        let pool = theirs.lock().expect("unpoisoned").take();
        if let Some(pool) = pool {
            before(&pool);
            drop(pool);
        }
    });
    if own_thread {
        b.pipe(numbers.out, drops.blocking());
    } else {
        b.pipe(numbers.out, drops);
    }
    let pool = pool(workers);
    let running = b.build().expect("sound").start_on(&pool).expect("threads");
    *held.lock().expect("unpoisoned") = Some(pool);
    assert!(matches!(running.wait(), Err(RunError::Aborted)));
}

#[test]
fn a_pool_may_be_dropped_on_its_own_worker() {
    for workers in [1, 2] {
        watch(20, move || {
            doing(format!("a drop on one of {workers}"));
            dropped_within(workers, false, |_| ());
        });
    }
}

#[test]
fn a_pool_may_be_dropped_on_its_own_worker_after_that_has_waited() {
    for workers in [1, 2] {
        watch(20, move || {
            doing(format!("a drop on one of {workers}, which another thread has taken over from"));
            dropped_within(workers, false, |pool| {
                nested(pool, 3, 1).expect("no failure");
            });
        });
    }
}

#[test]
fn a_pool_may_be_dropped_by_a_node_with_a_thread_of_its_own() {
    watch(20, || {
        doing("a drop on a private thread of a network of that pool");
        dropped_within(2, true, |_| ());
    });
}

#[test]
fn a_node_may_own_the_last_handle_of_its_pool() {
    watch(20, || {
        let pool = Arc::new(pool(2));
        let theirs = pool.clone();
        let running = endless(move |_| assert!(theirs.workers() > 0)).start_on(&*pool).expect("threads");
        drop(pool);
        running.stop();
        // The pool goes with its last node, when its network has not quite ended.
        assert!(matches!(running.wait(), Ok(_) | Err(RunError::Aborted)));
    });
}

#[test]
fn several_networks_on_one_pool_do_not_starve_each_other() {
    for workers in [1, 2, 4] {
        watch(30, move || {
            let pool = pool(workers);
            let (sender, news) = mpsc::channel();
            let networks = 8;
            let running: Vec<_> = (0..networks)
                .map(|i| {
                    let sender = sender.clone();
                    let take = move |x: u64| {
                        if x == 5_000 {
                            let _ = sender.send(i);
                        }
                    };
                    endless(take).start_on(&pool).expect("threads")
                })
                .collect();
            doing(format!("all of them get on with {workers} workers"));
            let mut arrived: Vec<i32> = (0..networks).map(|_| news.recv().expect("it runs")).collect();
            arrived.sort_unstable();
            assert_eq!(arrived, (0..networks).collect::<Vec<_>>());
            running.iter().for_each(kpn::Running::stop);
            running.into_iter().for_each(|running| drop(running.wait().expect("no failure")));
        });
    }
}

#[test]
fn networks_of_slow_nodes_let_others_in() {
    watch(60, || {
        let pool = pool(1);
        let nap = || thread::sleep(Duration::from_millis(5));
        let slow: Vec<_> = (0..4)
            .map(|_| {
                let mut b = Builder::new();
                let numbers = b.add(source(0u64..));
                let late = b.pipe(numbers.out, map(move |x| (nap(), x).1));
                b.pipe(late, sink(move |_| nap()));
                b.build().expect("sound").start_on(&pool).expect("threads")
            })
            .collect();
        // At first nobody knows that they are slow, then it is known; a stranger gets in between either way.
        for _ in 0..2 {
            let began = Instant::now();
            assert_eq!(nested(&pool, 10, 0).expect("no failure"), 45);
            let took = began.elapsed();
            assert!(took < Duration::from_millis(800), "a stranger waited for {took:?}");
            thread::sleep(Duration::from_millis(200));
        }
        slow.iter().for_each(kpn::Running::abort);
    });
}

#[test]
fn many_users_share_a_pool() {
    for workers in [1, 3] {
        watch(30, move || {
            let pool = pool(workers);
            thread::scope(|scope| {
                for n in 0..8 {
                    let pool = &pool;
                    scope.spawn(move || {
                        for round in 0..30 {
                            assert_eq!(nested(pool, n + round, 0).expect("no failure"), nested_sum(n + round, 0));
                        }
                    });
                }
            });
        });
    }
}

#[test]
fn pools_that_go_with_their_networks_leave_nothing() {
    watch(120, || {
        let ledger = Ledger::new();
        seeds(60, |_, dice| {
            let on = On::pool(dice.within(1..4));
            let running: Vec<_> = (0..dice.within(1..4))
                .map(|_| on.start(Spec::random(dice, 15).build(&ledger, None).net).expect("threads"))
                .collect();
            thread::sleep(Duration::from_micros(dice.within(0..300) as u64));
            if dice.once_in(2) {
                drop(on);
                for running in running {
                    assert!(running.has_ended(), "the pool has waited");
                    assert!(matches!(running.wait(), Ok(_) | Err(RunError::Aborted)));
                }
            } else {
                drop(running);
                drop(on);
            }
            ledger.settle();
        });
    });
}

#[test]
fn a_pool_is_as_asked_for_or_an_error() {
    watch(30, || {
        for asked in [0, 65_536] {
            let error = Shared::new().workers(asked).build().expect_err("out of range");
            assert!(matches!(error, StartError::Workers { asked: a, most: 65_535 } if a == asked), "{error}");
            let net = endless(|_| ());
            assert!(matches!(net.run_on(Shared::new().workers(asked)), Err(RunError::Start(_))));
        }
        for shared in [Shared::new().workers(3).pin_cores(true), Shared::new().workers(3).spin(micros(200))] {
            let pool = shared.build().expect("threads for a pool");
            assert_eq!(pool.workers(), 3);
            assert_eq!(nested(&pool, 10, 1).expect("no failure"), nested_sum(10, 1));
        }
    });
}
