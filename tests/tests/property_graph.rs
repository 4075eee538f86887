//! Random networks on every executor: the history of every sink is the one that the theory gives.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use kpn::{Report, RunError};
use kpn_tests::dice::seeds;
use kpn_tests::graph::{Fault, Kind, Sights, Spec};
use kpn_tests::{Dice, Ledger, On, doing, watch};

/// Networks of up to 200 nodes, mostly small.
fn size(dice: &mut Dice) -> usize {
    match dice.within(0..10) {
        0 => 200,
        1..=3 => 60,
        _ => 16,
    }
}

/// Whether a single seed was asked for.
fn one_seed() -> bool {
    std::env::var_os("KPN_SEED").is_some()
}

/// Compares what the sinks saw with what they should have seen, in full or up to where they got.
fn compare(spec: &Spec, sights: &Sights, expected: &[[Vec<u64>; 2]], whole: bool) {
    for (node, seen) in sights.all() {
        let expected = &expected[node][0];
        let same = if whole { seen == *expected } else { expected.starts_with(&seen) };
        let at = seen.iter().zip(expected).take_while(|(a, b)| a == b).count();
        assert!(
            same,
            "sink {node} saw {} tokens of {}, the first difference at {at}, in {spec:#?}",
            seen.len(),
            expected.len(),
        );
    }
}

/// Compares what a report says of the sinks and their edges, and that no edge held more than it may.
fn reported(spec: &Spec, report: &Report, expected: &[[Vec<u64>; 2]]) {
    assert!(report.edges.iter().all(|edge| edge.high_water <= edge.capacity), "{report}");
    for sink in spec.sinks() {
        let (name, tokens) = (Spec::name(sink), expected[sink][0].len() as u64);
        let edge = report.edges.iter().find(|edge| edge.name.ends_with(&format!(" -> {name}.a")));
        let edge = edge.unwrap_or_else(|| panic!("no edge to {name} in {report}"));
        assert_eq!((edge.tokens, edge.len), (tokens, 0), "{}", edge.name);
        assert_eq!(report.node(&name).map(|node| node.firings), Some(tokens), "{name}");
    }
}

/// A pool of each size for all seeds, and where a network is small, or now and then, a fresh one or private threads.
struct Executors {
    pools: [On; 3],
}

impl Executors {
    fn new() -> Self {
        Self { pools: [On::pool(1), On::pool(2), On::pool(4)] }
    }

    fn each(&self, seed: u64, nodes: usize, test: impl Fn(&On)) {
        let (fresh, private) = (On::Fresh(3), On::Private);
        let fresh = seed.is_multiple_of(16).then_some(&fresh);
        let private = (nodes <= 16 || seed.is_multiple_of(32)).then_some(&private);
        for on in self.pools.iter().chain(fresh).chain(private) {
            doing(format!("seed {seed}, {nodes} nodes, on {on}"));
            test(on);
        }
    }
}

#[test]
fn the_generator_makes_what_it_promises() {
    let mut most = 0;
    let mut kinds = std::collections::HashSet::new();
    let mut joined = 0;
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let most_nodes = size(&mut dice);
        let spec = Spec::random(&mut dice, most_nodes);
        most = most.max(spec.nodes.len());
        kinds.extend(spec.nodes.iter().map(|node| std::mem::discriminant(&node.kind)));
        let histories = spec.histories();
        joined += spec.sinks().filter(|&sink| histories[sink][0].len() > 10).count();
    }
    assert!(most > 150, "at most {most} nodes");
    assert_eq!(kinds.len(), 10, "every kind of node occurs");
    assert!(joined > 1000, "only {joined} sinks see more than ten tokens");
}

#[test]
fn every_history_is_the_theorys() {
    watch(120, || {
        let executors = Executors::new();
        seeds(320, |seed, dice| {
            let most = size(dice);
            let spec = Spec::random(dice, most);
            let expected = spec.histories();
            executors.each(seed, spec.nodes.len(), |on| {
                let ledger = Ledger::new();
                let (net, sights) = spec.build(&ledger, None).parts();
                let report = on.run(net).unwrap_or_else(|error| panic!("on {on}: {error}"));
                reported(&spec, &report, &expected);
                compare(&spec, &sights, &expected, true);
                ledger.settle();
            });
        });
    });
}

/// How many tokens a source sent, by what its most eager reader got.
fn sent(report: &Report, node: usize) -> Option<usize> {
    let prefix = format!("{}.", Spec::name(node));
    let edges = report.edges.iter().filter(|edge| edge.name.starts_with(&prefix));
    edges.map(|edge| edge.tokens as usize).max()
}

#[test]
fn a_failure_cuts_histories_and_changes_none() {
    watch(120, || {
        let failed = Cell::new(0);
        let executors = Executors::new();
        seeds(120, |seed, dice| {
            let spec = Spec::random(dice, 30);
            let node = dice.within(0..spec.nodes.len());
            let fault = Fault { node, firing: dice.within(0..20), panics: dice.once_in(2) };
            executors.each(seed, spec.nodes.len(), |on| {
                let ledger = Ledger::new();
                let (net, sights) = spec.build(&ledger, Some(fault)).parts();
                let running = on.start(net).expect("threads");
                while !running.has_ended() {
                    thread::yield_now();
                }
                let report = running.snapshot();
                let error = running.wait().err();
                if let Some(error) = &error {
                    let nodes: Vec<_> = error.failures().map(|failure| &*failure.node).collect();
                    assert_eq!(nodes, [Spec::name(node)], "on {on}: {error}");
                    failed.set(failed.get() + 1);
                }
                // A node that nobody reads any more may end before it fails.
                let cut = |i: usize| match spec.nodes[i].kind {
                    _ if i == node && error.is_some() => Some(fault.firing),
                    Kind::Source(_) => sent(&report, i),
                    _ => None,
                };
                compare(&spec, &sights, &spec.histories_cut(&cut), true);
                ledger.settle();
            });
        });
        assert!(failed.get() > 100 || one_seed(), "only {} runs failed", failed.get());
    });
}

#[test]
fn a_stop_drains_all_that_was_sent() {
    watch(120, || {
        let cut = Cell::new(0);
        let executors = Executors::new();
        seeds(120, |seed, dice| {
            let spec = Spec::random(dice, 40);
            let after = Duration::from_micros(dice.within(0..400) as u64);
            executors.each(seed, spec.nodes.len(), |on| {
                let ledger = Ledger::new();
                let (net, sights) = spec.build(&ledger, None).parts();
                let running = on.start(net).expect("threads");
                thread::sleep(after);
                running.stop();
                let report = running.wait().unwrap_or_else(|error| panic!("on {on}: {error}"));
                let cut_at = |i: usize| match spec.nodes[i].kind {
                    Kind::Source(_) => sent(&report, i),
                    _ => None,
                };
                compare(&spec, &sights, &spec.histories_cut(&cut_at), true);
                let source = |(i, kind): (usize, &Kind)| matches!(kind, Kind::Source(n) if sent(&report, i) < Some(*n));
                let early = spec.nodes.iter().map(|node| &node.kind).enumerate().any(source);
                cut.set(cut.get() + usize::from(early));
                ledger.settle();
            });
        });
        assert!(cut.get() > 20 || one_seed(), "only {} stops came in time", cut.get());
    });
}

#[test]
fn an_abort_loses_no_token() {
    watch(120, || {
        let executors = Executors::new();
        seeds(120, |seed, dice| {
            let spec = Spec::random(dice, 40);
            let after = Duration::from_micros(dice.within(0..400) as u64);
            let expected = spec.histories();
            executors.each(seed, spec.nodes.len(), |on| {
                let ledger = Ledger::new();
                let (net, sights) = spec.build(&ledger, None).parts();
                let running = on.start(net).expect("threads");
                thread::sleep(after);
                running.abort();
                match running.wait() {
                    Ok(_) | Err(RunError::Aborted) => {}
                    Err(error) => panic!("on {on}: {error}"),
                }
                compare(&spec, &sights, &expected, false);
                ledger.settle();
            });
        });
    });
}
