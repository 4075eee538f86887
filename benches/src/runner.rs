//! One row of a table: a topology with its work on an executor, sized by a time budget, checked and measured.

use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use kpn::{Network, Private, Report, Shared, ThreadPool};

use crate::allocations;
use crate::measure::{Samples, Usage};
use crate::topology::{Nodes, Seen, Topology};

/// Why a row has no figures.
pub type Error = Box<dyn std::error::Error>;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// No network: a loop on each thread, which share the items.
    Inline,
    /// A pool of workers, and nodes that fire once at a time.
    Shared,
    /// The same pool, and nodes without state, which may fire on several workers at once.
    Elastic,
    /// A thread a node.
    Private,
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Inline => "inline",
            Self::Shared => "shared",
            Self::Elastic => "elastic",
            Self::Private => "private",
        })
    }
}

/// What a row measures.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The shape.
    pub topology: Topology,
    /// Work a node, in µs.
    pub work: f64,
    /// Who does it.
    pub mode: Mode,
    /// Workers of the pool, or threads of the loop; of no meaning where each node has a thread.
    pub workers: usize,
    /// Tokens an edge.
    pub capacity: usize,
    /// So many networks at once, which know nothing of one another and share the pool.
    pub copies: usize,
}

impl Row {
    /// The name by which a command line can speak of it: `chain-4/10/shared-2`.
    pub fn name(&self) -> String {
        let Self { topology, work, mode, workers, .. } = self;
        match mode {
            Mode::Private => format!("{topology}/{work}/{mode}"),
            _ => format!("{topology}/{work}/{mode}-{workers}"),
        }
    }

    /// One thread without a network: what all is measured by.
    pub fn is_plain_loop(&self) -> bool {
        self.mode == Mode::Inline && self.workers == 1
    }

    /// Threads that compute, for a table.
    pub fn threads(&self) -> usize {
        if self.mode == Mode::Private { self.topology.firings() } else { self.workers }
    }
}

enum Executor {
    Loops,
    Pool(ThreadPool, Nodes),
    Private,
}

/// One run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Items of all copies together.
    pub items: u64,
    /// From the start to the end of the network.
    pub took: Duration,
    /// CPU time and switches.
    pub usage: Usage,
    /// How often a node got a worker.
    pub activations: u64,
    /// How often a submit woke a worker of the pool.
    pub wakes: u64,
    /// How often the heap was asked, with [`allocations::Counting`].
    pub allocations: u64,
}

impl Run {
    /// Items a second.
    pub fn rate(&self) -> f64 {
        self.items as f64 / self.took.as_secs_f64()
    }
}

/// A row that is ready to run.
pub struct Runner {
    /// What it runs.
    pub row: Row,
    iters: u64,
    executor: Executor,
}

impl Runner {
    /// Makes the row's pool; `per_us` is what [`iters_per_us`](crate::work::iters_per_us) found.
    ///
    /// # Errors
    ///
    /// Where the pool can't be started.
    pub fn new(row: Row, per_us: f64) -> Result<Self, Error> {
        let pool = |nodes| Shared::new().workers(row.workers).build().map(|pool| Executor::Pool(pool, nodes));
        let executor = match row.mode {
            Mode::Inline => Executor::Loops,
            Mode::Shared => pool(Nodes::Serial)?,
            Mode::Elastic => pool(Nodes::Elastic)?,
            Mode::Private => Executor::Private,
        };
        Ok(Self { row, iters: (row.work * per_us).round() as u64, executor })
    }

    /// Pushes items `0..items` through each copy and checks what reaches its sink: how many, their sum, and that each is the
    /// one whose turn it is.
    ///
    /// # Errors
    ///
    /// Where the network can't be built or run, or a token was lost, changed or overtaken.
    pub fn run(&self, items: u64) -> Result<Run, Error> {
        let Row { topology, capacity, copies, .. } = self.row;
        let (nodes, pool) = match &self.executor {
            Executor::Loops => return self.loops(items),
            Executor::Pool(pool, nodes) => (*nodes, Some(pool)),
            Executor::Private => (Nodes::Serial, None),
        };
        let mut seen = vec![Seen::default(); copies];
        let networks =
            seen.iter_mut().map(|seen| topology.network_of(nodes, items, self.iters, seen)?.with_capacity(capacity));
        let networks = networks.collect::<Result<Vec<_>, _>>()?;
        let run = |network: Network<'_>| match pool {
            Some(pool) => network.run_on(pool),
            None => network.run_on(Private::new()),
        };
        let before = self.wakes();
        let (results, costs) = measured(|| at_once(networks, run));
        let reports: Vec<Report> = results.into_iter().collect::<Result<_, _>>()?;
        seen.into_iter().try_for_each(|seen| check(topology, items, seen))?;
        let activations = reports.iter().flat_map(|report| &report.nodes).map(|node| node.activations).sum();
        Ok(Run { items: items * copies as u64, activations, wakes: self.wakes() - before, ..costs })
    }

    fn wakes(&self) -> u64 {
        if let Executor::Pool(pool, _) = &self.executor { pool.wakes() } else { 0 }
    }

    /// Whether [`Run::wakes`] is counted: threads without a pool only show their sleeps.
    pub fn counts_wakes(&self) -> bool {
        matches!(self.executor, Executor::Pool(..))
    }

    /// The same without a network: each thread has one part of the items.
    fn loops(&self, items: u64) -> Result<Run, Error> {
        let (topology, iters, threads) = (self.row.topology, self.iters, self.row.workers.max(1) as u64);
        let items = items * self.row.copies as u64;
        let part = |i: u64| {
            let (first, end) = (items * i / threads, items * (i + 1) / threads);
            let mut seen = Seen::default();
            (first..end).map(|item| topology.inline(item, iters)).for_each(topology.check(first, &mut seen));
            (seen.count, seen.misplaced) == (end - first, 0)
        };
        let (good, costs) = measured(|| at_once((0..threads).collect(), part));
        if good.contains(&false) {
            return Err(format!("{topology}: the loop doesn't compute what the network must").into());
        }
        Ok(Run { items, ..costs })
    }

    /// Runs until a run is long enough to tell how many items the budget is worth. This is the warm-up.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn size(&self, budget: Budget) -> Result<u64, Error> {
        let target = budget.target.as_secs_f64();
        let mut items = 256;
        loop {
            let took = self.run(items)?.took.as_secs_f64();
            let wanted = (items as f64 * target / took.max(1e-9)) as u64;
            // Nearly as long as asked for: a short run may have taken its time for other reasons.
            if took >= target / 2.0 {
                return Ok(wanted.max(budget.min_items).max(2));
            }
            items = wanted.clamp(items * 2, items * 16);
        }
    }

    /// Allocations an item once all is warm: what more items cost more, so that building and ending a network is left out.
    /// `allocations` is what runs of `items` needed at best.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn allocations_an_item(&self, items: u64, allocations: u64) -> Result<f64, Error> {
        let half = items / 2;
        let fewer = self.run(half)?.allocations.min(self.run(half)?.allocations);
        Ok(allocations.saturating_sub(fewer) as f64 / (items - half) as f64)
    }
}

/// How long a run is to be.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// About so long.
    pub target: Duration,
    /// At least so many items, however long that takes.
    pub min_items: u64,
}

/// Does all of it at the same time, each on a thread of its own; a single one on this thread.
fn at_once<T: Send, R: Send>(mut all: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
    let last = all.pop();
    std::thread::scope(|scope| {
        let each = &each;
        let others: Vec<_> = all.into_iter().map(|one| scope.spawn(move || each(one))).collect();
        let last = last.map(each);
        let join =
            |other: ScopedJoinHandle<'_, R>| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        others.into_iter().map(join).chain(last).collect()
    })
}

fn measured<T>(f: impl FnOnce() -> T) -> (T, Run) {
    let (allocations, usage, began) = (allocations::count(), Usage::now(), Instant::now());
    let result = f();
    let took = began.elapsed();
    let usage = Usage::now().since(usage);
    (result, Run { took, usage, allocations: allocations::count() - allocations, ..Run::default() })
}

/// # Errors
///
/// Where the sink saw anything else than it must.
pub fn check(topology: Topology, items: u64, seen: Seen) -> Result<(), Error> {
    let expected = topology.expected(items);
    if seen == expected {
        return Ok(());
    }
    Err(format!("{topology}: the sink saw {seen:?}, but it must see {expected:?}").into())
}

/// All runs of a row.
#[derive(Clone, Debug, Default)]
pub struct Total {
    /// Items a second.
    pub rates: Samples,
    /// Items of all runs together.
    pub items: u64,
    /// What all runs cost together.
    pub usage: Usage,
    /// Activations of all runs together.
    pub activations: u64,
    /// Wakes of all runs together.
    pub wakes: u64,
    /// Allocations of the run that had the fewest.
    pub allocations: Option<u64>,
}

impl Total {
    /// Adds a run.
    pub fn add(&mut self, run: Run) {
        self.rates.push(run.rate());
        self.items += run.items;
        self.usage += run.usage;
        self.activations += run.activations;
        self.wakes += run.wakes;
        self.allocations = Some(self.allocations.map_or(run.allocations, |least| least.min(run.allocations)));
    }

    /// So much an item.
    pub fn an_item(&self, total: u64) -> f64 {
        total as f64 / self.items as f64
    }

    /// CPU time an item, in µs.
    pub fn cpu_us(&self) -> f64 {
        self.usage.cpu.as_secs_f64() * 1e6 / self.items as f64
    }
}

/// A row that has its size, and what its runs came to.
pub struct Arm {
    /// The row.
    pub runner: Runner,
    /// Items of each run.
    pub items: u64,
    /// Its runs so far.
    pub total: Total,
}

impl Arm {
    /// Makes the row ready and finds how many items the budget is worth.
    ///
    /// # Errors
    ///
    /// As [`Runner::new`] and [`Runner::run`].
    pub fn new(row: Row, per_us: f64, budget: Budget) -> Result<Self, Error> {
        let runner = Runner::new(row, per_us)?;
        let items = runner.size(budget)?;
        Ok(Self { runner, items, total: Total::default() })
    }

    /// Runs it once more.
    ///
    /// # Errors
    ///
    /// As [`Runner::run`].
    pub fn sample(&mut self) -> Result<(), Error> {
        self.total.add(self.runner.run(self.items)?);
        Ok(())
    }
}

/// Lets each have `reps` turns, another one first each time, so that what disturbs the machine disturbs all of them.
///
/// # Errors
///
/// The first of `turn`.
pub fn in_turn<A>(arms: &mut [A], reps: usize, mut turn: impl FnMut(&mut A) -> Result<(), Error>) -> Result<(), Error> {
    let count = arms.len();
    for rep in 0..reps.max(1) {
        for i in (0..count).map(|i| (i + rep) % count) {
            turn(&mut arms[i])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_run_at_once_and_are_all_counted() {
        for mode in [Mode::Inline, Mode::Shared, Mode::Elastic, Mode::Private] {
            let row = Row { topology: Topology::Chain(2), work: 0.0, mode, workers: 2, capacity: 4, copies: 3 };
            let run = Runner::new(row, 1.0).and_then(|runner| runner.run(100)).expect("no failure");
            assert_eq!(run.items, 300, "{mode}");
            assert!(mode == Mode::Inline || run.activations >= 3, "{mode}: {run:?}");
        }
    }

    #[test]
    fn everyone_has_as_many_turns_and_goes_first() {
        let (mut arms, mut order) = (['a', 'b', 'c'], String::new());
        in_turn(&mut arms, 3, |arm| {
            order.push(*arm);
            Ok(())
        })
        .expect("no failure");
        assert_eq!(order, "abcbcacab");
    }
}
