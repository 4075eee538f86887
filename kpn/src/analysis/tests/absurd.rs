//! Figures that nobody means, and networks larger than anybody draws.

use std::time::{Duration, Instant};

use super::*;

const HUGE: usize = usize::MAX;

#[test]
fn nothing_is_analysed() {
    let analysis = Net::new(0).analysis();
    assert!(analysis.nodes.is_empty() && analysis.parts.is_empty());
    assert_eq!((analysis.is_live(), analysis.is_determinate(), analysis.bytes()), (Some(true), true, 0));
    assert!(starved(&Model::default(), &balance(&Model::default())).is_empty());
    let lone = Net::new(3).analysis();
    assert!(lone.nodes.iter().all(|node| node.firings.is_none() && node.part.is_none()));
}

#[test]
fn no_figure_is_too_large() {
    let rates: [&[usize]; 7] = [&[HUGE], &[HUGE, HUGE - 1], &[1], &[0], &[0, 0, HUGE], &[], &[HUGE - 2, 1]];
    for gives in rates {
        for takes in rates {
            for initial in [0, 1, HUGE] {
                for peek in [0, HUGE] {
                    for (from, to) in [(0, 1), (0, 0)] {
                        let net = Net::new(2).phases(from, to, gives, takes).initial(initial).peek(peek);
                        let analysis = net.analysis();
                        assert!(analysis.edges[0].bound >= initial);
                        assert!(!analysis.to_string().is_empty());
                        let model = net.model();
                        let balance = balance(&model);
                        starved(&model, &balance);
                        let mut capacities = vec![bound(&model.edges[0])];
                        enlarge(&model, &balance, &mut capacities);
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_that_do_not_fit_are_said_to_be_too_large() {
    // 3 to the power of 99 firings.
    let mut net = Net::new(100);
    for node in 1..100 {
        net = net.wire(node - 1, node, 3, 1);
    }
    let analysis = net.analysis();
    assert_eq!(analysis.parts[0].firings, None);
    assert_eq!(analysis.parts[0].liveness, Liveness::Unknown);
    assert_eq!(analysis.is_live(), None);
    assert!(analysis.to_string().contains("too many firings to try an iteration out"), "{analysis}");
    assert_eq!(balance(&net.model()).parts[0].firings, Err(Unbalanced::TooLarge));
    // Every edge is still known by itself.
    assert!(analysis.edges.iter().all(|edge| edge.bound == 3));
}

#[test]
fn long_iterations_are_not_tried_out_for_ever() {
    let begin = Instant::now();
    // Two rates without a common divisor and phases, so that every firing is a step: 8 · 10^9 of them.
    let net = Net::new(2).phases(0, 1, &[2_000_000_000, 2_000_000_011], &[1, 0]).wire(1, 0, 1, 1_000_000_003);
    assert!(net.analysis().parts[0].firings.is_none());
    let net = Net::new(2).phases(0, 1, &[2_000_000_000, 2_000_000_011], &[1, 0]);
    let analysis = net.analysis();
    assert_eq!((analysis.parts[0].firings, analysis.is_live()), (Some(8_000_000_024), None));
    // Single rates fire many times at once.
    let analysis = Net::new(2).wire(0, 1, 1_000_000_007, 1_000_000_009).analysis();
    assert!(matches!(analysis.parts[0].liveness, Liveness::Live { .. }));
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn a_hundred_thousand_nodes_are_quick() {
    const NODES: usize = 100_000;
    let begin = Instant::now();
    let mut chain = Net::new(NODES);
    for node in 1..NODES {
        chain = chain.wire(node - 1, node, 1, 1);
    }
    let ring = chain.clone().wire(NODES - 1, 0, 1, 1).initial(1);
    for net in [&chain, &ring] {
        let model = net.model();
        let balance = balance(&model);
        assert!(starved(&model, &balance).is_empty());
        let mut capacities = vec![1; model.edges.len()];
        enlarge(&model, &balance, &mut capacities);
        assert!(capacities.iter().all(|&capacity| capacity == 1));
    }
    let analysis = chain.analysis();
    assert_eq!(analysis.is_live(), Some(true));
    assert!(analysis.edges.iter().all(|edge| edge.least == Some(1)));
    // Wide: one node feeds all others, which feed one.
    let mut wide = Net::new(NODES);
    for node in 1..NODES - 1 {
        wide = wide.wire(0, node, 2, 1).wire(node, NODES - 1, 1, 2);
    }
    assert_eq!(wide.analysis().is_live(), Some(true));
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}
