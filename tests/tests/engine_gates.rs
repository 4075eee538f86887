//! How often nodes are activated for how much: figures of the scheduler that don't depend on the machine's speed.

use kpn::prelude::*;
use kpn::{Report, RunError};
use kpn_tests::{On, watch};

fn chain(on: &On, nodes: usize, tokens: u64) -> Result<Report, RunError> {
    let mut b = Builder::new();
    let mut tail = b.add(source(0..tokens)).out;
    for _ in 0..nodes {
        tail = b.pipe(tail, map(|x: u64| x.wrapping_mul(3)));
    }
    b.pipe(tail, sink(|_: u64| ()));
    on.run(b.build().expect("sound"))
}

/// Firings, activations, and how many of these did nothing.
fn totals(report: &Report) -> (u64, u64, u64) {
    let nodes = report.nodes.iter();
    nodes.fold((0, 0, 0), |(f, a, e), node| (f + node.firings, a + node.activations, e + node.empty_activations))
}

#[test]
fn a_chain_on_one_worker_fires_in_batches() {
    watch(60, || {
        for nodes in [2, 10, 50] {
            let (firings, activations, empty) = totals(&chain(&On::pool(1), nodes, 50_000).expect("no failure"));
            assert_eq!(firings, 50_000 * (nodes as u64 + 2), "every node fires for every token");
            let batch = firings / activations;
            assert!(batch >= 30, "{nodes} nodes: {batch} firings an activation ({firings}, {activations})");
            assert!(empty * 10 <= activations, "{nodes} nodes: {empty} of {activations} activations did nothing");
        }
    });
}

#[test]
fn a_full_chain_of_single_spaces_still_does_something_each_time() {
    watch(60, || {
        let mut b = Builder::new();
        let mut tail = b.add(source(0..5_000u64)).out;
        for _ in 0..10 {
            tail = b.pipe(tail, map(|x| x));
        }
        b.pipe(tail, sink(|_| ()));
        let net = b.build().expect("sound").with_capacity(1).expect("one is enough");
        let (firings, activations, empty) = totals(&On::pool(1).run(net).expect("no failure"));
        assert!(empty * 10 <= activations, "{empty} of {activations} activations for {firings} firings did nothing");
    });
}
