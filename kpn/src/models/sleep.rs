//! Sleep and wake alone, over a queue as plain as can be: no task waits while all workers sleep.

use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};

use super::{explore, must_fail};
use crate::runtime::sleep::{Parked, Sleep};
use crate::sync::{Parker, Unparker, thread};

struct Shared {
    sleep: Sleep,
    tasks: AtomicUsize,
    taken: AtomicUsize,
    done: AtomicUsize,
    /// The first task waits in its code until the second is done, and is told so here.
    waits: Option<Unparker>,
}

impl Shared {
    fn take(&self) -> bool {
        let less = |n: usize| n.checked_sub(1);
        // Relaxed: the fences of `Sleep` alone must carry it.
        self.tasks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    fn empty(&self) -> bool {
        self.tasks.load(Ordering::Relaxed) == 0
    }

    fn submit(&self) {
        let before = self.tasks.fetch_add(1, Ordering::Relaxed);
        self.sleep.submitted(before + 1);
    }

    /// What a task does.
    fn run(&self, effect: &Parker) {
        let Some(told) = &self.waits else { return };
        match self.taken.fetch_add(1, Ordering::Relaxed) {
            0 => effect.park(),
            _ => told.unpark(),
        }
    }

    /// Works until `total` tasks are done: the loop of `pool::work` without what is around it.
    fn work(&self, me: u16, parker: &Parker, effect: &Parker, total: usize) {
        while self.done.load(Ordering::Relaxed) < total {
            self.sleep.start_search();
            loop {
                if self.take() {
                    self.sleep.stop_search(true, || self.empty());
                    self.run(effect);
                    if self.done.fetch_add(1, Ordering::Relaxed) + 1 == total {
                        self.sleep.wake_all();
                    }
                    break;
                }
                let over = || self.done.load(Ordering::Relaxed) >= total;
                if over() {
                    self.sleep.stop_search(true, || true);
                    return;
                }
                if self.sleep.park(me, || !self.empty() || over()) == Parked::Park {
                    while !self.sleep.is_awake(me) {
                        parker.park();
                    }
                }
            }
        }
    }
}

/// `workers` of them, and `tasks` submitted from outside one by one; the first of which `waits` for the second.
fn outside(workers: u16, tasks: usize, waits: bool) -> impl Fn() + Sync + Send + 'static {
    move || {
        let effect = Arc::new(Parker::new());
        let parkers: Vec<Parker> = (0..workers).map(|_| Parker::new()).collect();
        let unparkers = parkers.iter().map(|parker| parker.unparker().clone()).collect();
        let shared = Arc::new(Shared {
            sleep: Sleep::new(unparkers, false),
            tasks: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            waits: waits.then(|| effect.unparker().clone()),
        });
        let threads: Vec<_> = parkers
            .into_iter()
            .enumerate()
            .map(|(me, parker)| {
                let (shared, effect) = (shared.clone(), effect.clone());
                thread::spawn(move || shared.work(me as u16, &parker, &effect, tasks))
            })
            .collect();
        (0..tasks).for_each(|_| shared.submit());
        for thread in threads {
            thread.join().expect("a worker ends");
        }
        assert_eq!(shared.done.load(Ordering::Relaxed), tasks);
    }
}

#[test]
fn one_worker_never_sleeps_over_a_task() {
    explore(3, outside(1, 2, false));
}

#[test]
fn two_workers_never_sleep_over_a_task() {
    explore(2, outside(2, 2, false));
}

#[test]
fn a_task_that_waits_for_another_gets_it_done() {
    explore(2, outside(2, 2, true));
}

#[test]
fn the_last_searcher_needs_its_look() {
    must_fail("the last searcher leaves without a look", 2, outside(2, 2, true));
}

#[test]
fn submit_needs_its_fence() {
    must_fail("submit without a fence", 3, outside(1, 1, false));
}

#[test]
fn park_needs_its_fence() {
    must_fail("park without a fence", 3, outside(1, 1, false));
}

#[test]
fn park_needs_its_second_look() {
    must_fail("park without a second look", 3, outside(1, 1, false));
}
