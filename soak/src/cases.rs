//! The cases.

use std::fmt;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use kpn::{Report, RunError, Running};
use kpn_tests::graph::{Fault, Kind, Sights, Spec};
use kpn_tests::{Dice, Ledger, On, threads};

use crate::watchdog::Watchdog;

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// Random networks on shared pools.
    Pool,
    /// Random networks on private threads.
    Private,
    /// Networks that are stopped, aborted and dropped at random moments; several at once.
    Churn,
    /// Everything at random: executor, failures, the way it ends.
    Random,
}

/// What lasts through all iterations.
pub(crate) struct Bench {
    pools: Vec<On>,
    threads: usize,
    tokens: u64,
    failures: u64,
    cut: u64,
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens, {} runs failed as they should, {} were cut short", self.tokens, self.failures, self.cut)
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let pools = (1..=2 * cores.max(2)).map(On::pool).collect();
        Self { pools, threads: threads::names().len(), tokens: 0, failures: 0, cut: 0 }
    }
}

impl Case {
    /// One iteration.
    ///
    /// # Panics
    ///
    /// Where something is not as it must be.
    pub(crate) fn run(self, bench: &mut Bench, dice: &mut Dice, watchdog: &Watchdog) {
        match self {
            Self::Pool => {
                let pool = dice.within(0..bench.pools.len());
                let trial = Trial::new(dice, 200);
                with_pool(bench, pool, |bench, on| trial.whole(bench, on, watchdog));
            }
            Self::Private => Trial::new(dice, 40).whole(bench, &On::Private, watchdog),
            Self::Churn => churn(bench, dice, watchdog),
            Self::Random => {
                let mut trial = Trial::new(dice, 60);
                trial.fault = dice.once_in(2).then(|| Fault {
                    node: dice.within(0..trial.spec.nodes.len()),
                    firing: dice.within(0..40),
                    panics: dice.once_in(2),
                });
                let stop = dice.once_in(2).then(|| Duration::from_micros(dice.within(0..500) as u64));
                match dice.within(0..4) {
                    0 => trial.cut(bench, &On::Private, stop, watchdog),
                    1 => trial.cut(bench, &On::Fresh(dice.within(1..6)), stop, watchdog),
                    _ => {
                        let pool = dice.within(0..bench.pools.len());
                        with_pool(bench, pool, |bench, on| trial.cut(bench, on, stop, watchdog));
                    }
                }
            }
        }
    }
}

fn with_pool(bench: &mut Bench, pool: usize, act: impl FnOnce(&mut Bench, &On)) {
    let pools = std::mem::take(&mut bench.pools);
    act(bench, &pools[pool]);
    bench.pools = pools;
}

/// One network and what it should come to.
struct Trial {
    spec: Spec,
    fault: Option<Fault>,
    ledger: Ledger,
}

impl Trial {
    fn new(dice: &mut Dice, most: usize) -> Self {
        let most = dice.within(3..most);
        Self { spec: Spec::random(dice, most), fault: None, ledger: Ledger::new() }
    }

    /// Runs it to its end and compares all.
    fn whole(&self, bench: &mut Bench, on: &On, watchdog: &Watchdog) {
        watchdog.phase(format!("{} nodes on {on}", self.spec.nodes.len()));
        let (net, sights) = self.spec.build(&self.ledger, None).parts();
        if let Err(error) = on.run(net) {
            panic!("on {on}: {error}");
        }
        self.compare(&sights, &|_| None);
        self.settle(bench);
    }

    /// Runs it, perhaps stops it, and compares with what its sources sent and its bad node did.
    fn cut(&self, bench: &mut Bench, on: &On, stop: Option<Duration>, watchdog: &Watchdog) {
        watchdog.phase(format!("{} nodes on {on}, {:?}, stop {stop:?}", self.spec.nodes.len(), self.fault));
        let (net, sights) = self.spec.build(&self.ledger, self.fault).parts();
        let running = on.start(net).unwrap_or_else(|error| panic!("on {on}: {error}"));
        if let Some(after) = stop {
            thread::sleep(after);
            running.stop();
        }
        while !running.has_ended() {
            thread::yield_now();
        }
        let report = running.snapshot();
        let failed = match (running.wait(), self.fault) {
            (Ok(_), _) => None,
            (Err(RunError::Failed { first, others }), Some(fault)) => {
                assert!(first.node == Spec::name(fault.node) && others.is_empty(), "{first} {others:?}");
                Some(fault)
            }
            (Err(error), _) => panic!("on {on}: {error}"),
        };
        bench.failures += u64::from(failed.is_some());
        bench.cut += u64::from(stop.is_some());
        self.compare(&sights, &|i| match (self.spec.nodes[i].kind, failed) {
            (_, Some(fault)) if fault.node == i => Some(fault.firing),
            (Kind::Source(_), _) => sent(&report, i),
            _ => None,
        });
        self.settle(bench);
    }

    fn compare(&self, sights: &Sights, cut: &dyn Fn(usize) -> Option<usize>) {
        let expected = self.spec.histories_cut(cut);
        for (node, seen) in sights.all() {
            let expected = &expected[node][0];
            let same = seen.iter().zip(expected).take_while(|(a, b)| a == b).count();
            let (saw, should) = (seen.len(), expected.len());
            assert!(seen == *expected, "sink {node} saw {saw} tokens, not {should}; the first {same} are right");
        }
    }

    fn settle(&self, bench: &mut Bench) {
        self.ledger.settle();
        bench.tokens += self.ledger.made() + self.ledger.cloned();
    }
}

/// How many tokens a source sent, by what its most eager reader got.
fn sent(report: &Report, node: usize) -> Option<usize> {
    let prefix = format!("{}.", Spec::name(node));
    let edges = report.edges.iter().filter(|edge| edge.name.starts_with(&prefix));
    edges.map(|edge| edge.tokens as usize).max()
}

/// A few networks at once that come and go.
fn churn(bench: &mut Bench, dice: &mut Dice, watchdog: &Watchdog) {
    let ledger = Ledger::new();
    let count = dice.within(1..5);
    let mut running: Vec<Running> = Vec::new();
    for i in 0..count {
        let spec = Spec::random(dice, 25);
        let (net, _) = spec.build(&ledger, None).parts();
        let (fresh, private) = (On::Fresh(dice.within(1..4)), On::Private);
        let on = match dice.within(0..4) {
            0 => &fresh,
            1 => &private,
            _ => dice.pick(&bench.pools),
        };
        watchdog.phase(format!("start {i} of {count}: {} nodes on {on}", spec.nodes.len()));
        running.push(on.start(net).unwrap_or_else(|error| panic!("on {on}: {error}")));
    }
    thread::sleep(Duration::from_micros(dice.within(0..500) as u64));
    while !running.is_empty() {
        let net = running.swap_remove(dice.within(0..running.len()));
        let choice = dice.within(0..4);
        watchdog.phase(format!("end {choice}, {} to go", running.len()));
        match choice {
            0 => drop(net),
            1 => net.stop(),
            2 => net.abort(),
            _ => {
                let result = net.wait();
                assert!(result.is_ok(), "{result:?}");
            }
        }
    }
    watchdog.phase("no token and no thread is left");
    while !ledger.is_alone() {
        thread::yield_now();
    }
    ledger.settle();
    assert!(threads::settle("", bench.threads), "threads are left: {:?}", threads::names());
    bench.tokens += ledger.made() + ledger.cloned();
    bench.cut += count as u64;
}
