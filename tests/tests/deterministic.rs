//! The executor that makes seeded choices: the same seed, the same schedule.

use std::collections::HashSet;
use std::sync::Mutex;

use kpn::prelude::*;
use kpn_tests::watch::watch;

/// Runs a diamond whose nodes say when they fire; returns the order in which they did, and the schedule's hash.
fn run(seed: u64, capacity: usize) -> (Vec<(char, u32)>, u64) {
    let fired = Mutex::new(Vec::new());
    let says = |name: char| {
        let fired = &fired;
        move |x: u32| {
            fired.lock().expect("no panic").push((name, x));
            x
        }
    };
    let mut seen = Vec::new();
    let net = network! {
        source(0..50u32) -> map(says('a')) -> { map(says('b')), map(says('c')) } -> gather()
            -> sink(|pair: [u32; 2]| seen.push(pair))
    };
    let net = net.and_then(|net| net.with_capacity(capacity)).expect("a diamond is a valid network");
    let report = net.run_on(Deterministic::new(seed)).expect("no node fails");
    assert_eq!(seen, (0..50).map(|x| [x, x]).collect::<Vec<_>>());
    (fired.into_inner().expect("no panic"), report.schedule.expect("it can be repeated"))
}

#[test]
fn the_same_seed_is_the_same_schedule() {
    watch(60, || {
        for seed in 0..20 {
            for capacity in [1, 64] {
                assert_eq!(run(seed, capacity), run(seed, capacity), "seed {seed}, capacity {capacity}");
            }
        }
    });
}

#[test]
fn other_seeds_are_other_schedules() {
    watch(60, || {
        let runs: Vec<_> = (0..20).map(|seed| run(seed, 8)).collect();
        let orders: HashSet<_> = runs.iter().map(|(order, _)| order).collect();
        let hashes: HashSet<_> = runs.iter().map(|(_, hash)| hash).collect();
        assert!(orders.len() >= 19, "only {} orders in 20 seeds", orders.len());
        assert_eq!(hashes.len(), orders.len());
    });
}

/// Each seed prefers something else, so that some leave a node behind as far as the edges allow.
#[test]
fn some_schedules_are_far_from_fair() {
    watch(60, || {
        let lag = |order: &[(char, u32)]| {
            let (mut b, mut c, mut lag) = (0i32, 0i32, 0);
            for (name, _) in order {
                b += i32::from(*name == 'b');
                c += i32::from(*name == 'c');
                lag = lag.max((b - c).abs());
            }
            lag
        };
        let lags: Vec<_> = (0..20).map(|seed| lag(&run(seed, 64).0)).collect();
        assert!(lags.iter().any(|lag| *lag >= 40), "{lags:?}");
        assert!(lags.iter().any(|lag| *lag <= 12), "{lags:?}");
    });
}

/// Nodes that ask for a thread get turns on the one that there is.
#[test]
fn all_nodes_share_the_thread() {
    watch(60, || {
        let threads = Mutex::new(HashSet::new());
        let here = |x: u32| {
            threads.lock().expect("no panic").insert(std::thread::current().id());
            x
        };
        let net = network! {
            source(0..10u32) -> map(here).private() -> map(here).blocking() -> map(here) -> sink(|_: u32| ())
        };
        net.expect("a chain").run_on(Deterministic::new(0)).expect("no node fails");
        assert_eq!(threads.lock().expect("no panic").len(), 1);
    });
}

/// A node that runs another network waits for it on the only thread; that must not bring in a second one.
#[test]
fn a_network_in_a_node_keeps_the_schedule() {
    let run = || {
        let fired = Mutex::new(Vec::new());
        let inner = |x: u32| {
            let mut sum = 0;
            let net = network! { source(0..=x) -> sink(|x| sum += x) }.expect("a chain");
            net.run_on(Deterministic::new(x.into())).expect("no node fails");
            sum
        };
        let says = |x: u32| fired.lock().expect("no panic").push(x);
        let net = network! { source(0..20u32) -> { map(inner), map(|x: u32| x + 1000) } -> [ sink(says); 2 ] };
        let report = net.expect("a tree").run_on(Deterministic::new(3)).expect("no node fails");
        (fired.into_inner().expect("no panic"), report.schedule)
    };
    watch(60, move || assert_eq!(run(), run()));
}

#[test]
fn an_empty_network_ends() {
    watch(60, || {
        let report = Builder::new().build().expect("empty").run_on(Deterministic::new(1)).expect("nothing fails");
        assert_eq!(report.items(), 0);
    });
}
