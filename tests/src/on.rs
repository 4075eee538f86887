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
    /// A pool that fires nodes without state on several workers whenever there is a token.
    Elastic(ThreadPool),
    /// A thread a node.
    Private,
    /// One thread, with the choices of this seed.
    Deterministic(u64),
}

impl On {
    /// A pool of so many workers.
    pub fn pool(workers: usize) -> Self {
        Self::Pool(Shared::new().workers(workers).build().expect("threads for a pool"))
    }

    /// A pool of so many workers that share every node without state.
    pub fn elastic(workers: usize) -> Self {
        Self::Elastic(Shared::new().workers(workers).always_elastic().build().expect("threads for a pool"))
    }

    /// Runs a network.
    ///
    /// # Errors
    ///
    /// Those of the run.
    pub fn run(&self, net: Network<'_>) -> Result<Report, RunError> {
        match self {
            Self::Pool(pool) | Self::Elastic(pool) => net.run_on(pool),
            Self::Fresh(workers) => net.run_on(Shared::new().workers(*workers)),
            Self::Private => net.run_on(Private::new()),
            Self::Deterministic(seed) => net.run_on(Deterministic::new(*seed)),
        }
    }

    /// Starts a network.
    ///
    /// # Errors
    ///
    /// Those of the start.
    pub fn start(&self, net: Network<'static>) -> Result<Running, StartError> {
        match self {
            Self::Pool(pool) | Self::Elastic(pool) => net.start_on(pool),
            Self::Fresh(workers) => net.start_on(Shared::new().workers(*workers)),
            Self::Private => net.start_on(Private::new()),
            Self::Deterministic(seed) => net.start_on(Deterministic::new(*seed)),
        }
    }

    /// Whether a node that asks for a thread of its own gets one.
    pub fn gives_threads(&self) -> bool {
        !matches!(self, Self::Deterministic(_))
    }

    /// Whether a node that blocks in its own code holds up the others.
    pub fn has_one_worker(&self) -> bool {
        match self {
            Self::Pool(pool) | Self::Elastic(pool) => pool.workers() == 1,
            Self::Fresh(workers) => *workers == 1,
            Self::Private => false,
            Self::Deterministic(_) => true,
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(pool) => write!(f, "a pool of {}", pool.workers()),
            Self::Elastic(pool) => write!(f, "an elastic pool of {}", pool.workers()),
            Self::Fresh(workers) => write!(f, "a fresh pool of {workers}"),
            Self::Private => f.write_str("private threads"),
            Self::Deterministic(seed) => write!(f, "one thread with the choices of seed {seed}"),
        }
    }
}

/// Runs a test on pools of 1, 2 and 4 workers, on one that shares nodes without state, on private threads, and on one thread with the choices of some seeds, each within
/// `seconds`. A pool must serve a further network after the test, whatever that did to it.
///
/// # Panics
///
/// Where the test does, or hangs.
pub fn everywhere(seconds: u64, test: impl Fn(&On) + Clone + Send + 'static) {
    let pools = [1, 2, 4].map(|workers| Box::new(move || On::pool(workers)) as Box<dyn Fn() -> On + Send>);
    let seeds = (0..3).map(|seed| Box::new(move || On::Deterministic(seed)) as Box<dyn Fn() -> On + Send>);
    let elastic = Box::new(|| On::elastic(2)) as Box<dyn Fn() -> On + Send>;
    let private = Box::new(|| On::Private) as Box<dyn Fn() -> On + Send>;
    for place in pools.into_iter().chain([elastic, private]).chain(seeds) {
        let test = test.clone();
        watch(seconds, move || {
            let on = place();
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
