//! A node without state on two workers: claims, their results in order, stalls, the end, a failure.

use super::{explore, must_fail};
use crate::builder::Builder;
use crate::config::Shared;
use crate::node::{Fired, Firing, NodeInfo, One, Pure};
use crate::nodes::{sink, source};

/// Gives what it takes, but fails at one token.
struct Passes {
    fails_at: Option<u32>,
}

impl Firing for Passes {
    type In = (One<u32>,);
    type Out = (One<u32>,);
    fn fire(&mut self, items: (u32,)) -> Fired<(u32,)> {
        self.fire_shared(items)
    }
}

impl Pure for Passes {
    fn fire_shared(&self, (x,): (u32,)) -> Fired<(u32,)> {
        if Some(x) == self.fails_at { Fired::Failed("no".into()) } else { Fired::Emit((x,)) }
    }
}

/// `tokens` through it, over edges of these capacities, on two workers that claim one firing whenever they can.
fn run(tokens: u32, capacities: (usize, usize), fails_at: Option<u32>) -> impl Fn() + Sync + Send + 'static {
    move || {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source(0..tokens));
        let ((input,), (out,)) =
            b.pure(NodeInfo { name: "passes", inputs: &["x"], outputs: &["y"] }, Passes { fails_at });
        let end = b.add(sink(|x| seen.push(x)));
        b.connect(numbers.out, input).capacity(capacities.0);
        b.connect(out, end.input).capacity(capacities.1);
        let pool = Shared::new().workers(2).spin(std::time::Duration::ZERO).always_elastic();
        let result = b.build().expect("a chain is fine").run_on(pool);
        assert_eq!(result.is_err(), fails_at.is_some());
        assert_eq!(seen, (0..fails_at.unwrap_or(tokens)).collect::<Vec<_>>());
    }
}

#[test]
fn results_come_in_order() {
    explore(1, run(2, (2, 2), None));
}

#[test]
fn stalls_are_told() {
    explore(1, run(3, (2, 1), None));
}

#[test]
fn a_failure_ends_it_behind_what_came_before() {
    explore(1, run(3, (2, 2), Some(1)));
}

#[test]
fn the_node_waits_only_for_claims_that_are_open() {
    must_fail("wait for no claim", 2, run(2, (2, 2), None));
}

#[test]
fn commit_needs_its_second_look() {
    must_fail("commit without a second look", 2, run(2, (2, 2), None));
}

#[test]
fn want_is_taken_in_one_step() {
    must_fail("want by load and store", 2, run(2, (2, 2), None));
}

#[test]
fn want_needs_its_second_look() {
    must_fail("want without a second look", 2, run(2, (2, 2), None));
}

#[test]
fn a_stall_needs_its_notice() {
    must_fail("a stall without notice", 2, run(3, (2, 1), None));
}
