//! Every executor that a test is to hold on.

use std::fmt;

use kpn::prelude::*;
use kpn::{Network, Report, RunError, Running, StartError, ThreadPool};

use crate::watch::{doing, watch};

/// An executor.
#[derive(Debug)]
pub enum On {
    /// A pool that lives through several runs.
    Pool(ThreadPool),
    /// A pool of so many workers, made for each run.
    Fresh(usize),
    /// A thread a node.
    Private,
}

impl On {
    /// A pool of so many workers.
    pub fn pool(workers: usize) -> Self {
        Self::Pool(Shared::new().workers(workers).build().expect("threads for a pool"))
    }

    /// Runs a network.
    ///
    /// # Errors
    ///
    /// Those of the run.
    pub fn run(&self, net: Network<'_>) -> Result<Report, RunError> {
        match self {
            Self::Pool(pool) => net.run_on(pool),
            Self::Fresh(workers) => net.run_on(Shared::new().workers(*workers)),
            Self::Private => net.run_on(Private::new()),
        }
    }

    /// Starts a network.
    ///
    /// # Errors
    ///
    /// Those of the start.
    pub fn start(&self, net: Network<'static>) -> Result<Running, StartError> {
        match self {
            Self::Pool(pool) => net.start_on(pool),
            Self::Fresh(workers) => net.start_on(Shared::new().workers(*workers)),
            Self::Private => net.start_on(Private::new()),
        }
    }

    /// Whether a node that blocks in its own code holds up the others.
    pub fn has_one_worker(&self) -> bool {
        match self {
            Self::Pool(pool) => pool.workers() == 1,
            Self::Fresh(workers) => *workers == 1,
            Self::Private => false,
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(pool) => write!(f, "a pool of {}", pool.workers()),
            Self::Fresh(workers) => write!(f, "a fresh pool of {workers}"),
            Self::Private => f.write_str("private threads"),
        }
    }
}

/// Runs a test on pools of 1, 2 and 4 workers and on private threads, each within `seconds`. A pool must serve a further
/// network after the test, whatever that did to it.
///
/// # Panics
///
/// Where the test does, or hangs.
pub fn everywhere(seconds: u64, test: impl Fn(&On) + Clone + Send + 'static) {
    for workers in [Some(1), Some(2), Some(4), None] {
        let test = test.clone();
        watch(seconds, move || {
            let on = workers.map_or(On::Private, On::pool);
            doing(format!("begin on {on}"));
            test(&on);
            doing(format!("one more network on {on}"));
            lives(&on);
            doing(format!("the end of {on}"));
        });
    }
}

/// Asserts that an executor still serves.
fn lives(on: &On) {
    let mut sum = 0;
    let mut b = Builder::new();
    let numbers = b.add(source(0..100u64));
    let doubled = b.pipe(numbers.out, map(|x| 2 * x));
    b.pipe(doubled, sink(|x| sum += x));
    on.run(b.build().expect("a sound network")).expect("no node fails");
    assert_eq!(sum, 9900, "{on} serves no more");
}
