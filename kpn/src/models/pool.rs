//! The whole pool: workers, queues, slot, lanes, sleep, and a network that runs on it.

use super::explore;
use crate::builder::Builder;
use crate::config::Shared;
use crate::nodes::{sink, source};

/// `tokens` through one edge of capacity 1, on a pool of this many workers, which ends with the run.
fn run(workers: usize, tokens: u32) -> impl Fn() + Sync + Send + 'static {
    move || {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source(0..tokens));
        let end = b.add(sink(|x| seen.push(x)));
        b.connect(numbers.out, end.input).capacity(1);
        let pool = Shared::new().workers(workers).spin(std::time::Duration::ZERO);
        b.build().expect("a chain is fine").run_on(pool).expect("nothing fails");
        assert_eq!(seen, (0..tokens).collect::<Vec<_>>());
    }
}

#[test]
fn one_worker() {
    explore(2, run(1, 2));
}

#[test]
fn two_workers() {
    explore(1, run(2, 1));
}
