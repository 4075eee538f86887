//! Feedback edges: what lies on them first, that a loop ends by itself, and that composites change nothing.

use kpn::Problem;
use kpn::prelude::*;
use kpn_tests::everywhere;

/// y[n] = x[n] + 2 y[n - 1], y[-1] = `start`, by a join whose second input is fed back.
fn recurrence(n: u64, start: u64) -> Vec<u64> {
    (0..n)
        .scan(start, |y, x| {
            *y = x.wrapping_add(y.wrapping_mul(2));
            Some(*y)
        })
        .collect()
}

#[node]
fn add(x: u64, y: u64) -> u64 {
    x.wrapping_add(y)
}

#[test]
fn a_loop_starts_with_its_initial_token_and_ends_by_itself() {
    for capacity in [1, 2, 64] {
        everywhere(20, move |on| {
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let numbers = b.add(source(0..100u64));
            let sum = b.add(add());
            b.connect(numbers.out, sum.x).capacity(capacity);
            let [back, out] = b.fan_out(sum.out, 2).try_into().expect("two readers");
            let back = b.pipe(back, map(|y: u64| y.wrapping_mul(2)));
            b.connect(back, sum.y).capacity(capacity).initial([14]);
            b.pipe(out, sink(|y| seen.push(y)));
            on.run(b.build().expect("a loop with a token can start")).expect("no node fails");
            assert_eq!(seen, recurrence(100, 7));
        });
    }
}

#[test]
fn initial_tokens_come_first_and_in_order() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source(0..3u64));
        let end = b.add(sink(|x: u64| seen.push(x)));
        b.connect(numbers.out, end.input).capacity(2).initial([8, 9]);
        on.run(b.build().expect("a chain")).expect("no node fails");
        assert_eq!(seen, [8, 9, 0, 1, 2]);
    });
}

#[test]
fn a_cycle_of_firing_nodes_needs_a_token() {
    let mut b = Builder::new();
    let one = b.add(map(|x: u32| x).named("one"));
    let two = b.add(map(|x: u32| x).named("two"));
    b.connect(one.out, two.input);
    b.connect(two.out, one.input).initial([]);
    let error = b.build().expect_err("no process sends first");
    assert!(matches!(error.problems(), [Problem::Cycle { .. }]), "{error}");
}

#[test]
fn an_edge_holds_its_initial_tokens() {
    let mut b = Builder::new();
    let numbers = b.add(source(0..3u64));
    let end = b.add(sink(|_: u64| ()));
    b.connect(numbers.out, end.input).capacity(2).initial([1, 2, 3]);
    let error = b.build().expect_err("three don't fit");
    assert!(matches!(error.problems(), [Problem::Capacity { capacity: 2, least: 3, .. }]), "{error}");
}
