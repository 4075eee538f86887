//! One row of a table: a topology with its work on an executor, sized by a time budget, checked and measured.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use kpn::{Private, Report, Shared, ThreadPool};

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

    /// Pushes items `0..items` through and checks what reaches the sink: how many, their sum, and that each is the one
    /// whose turn it is.
    ///
    /// # Errors
    ///
    /// Where the network can't be built or run, or a token was lost, changed or overtaken.
    pub fn run(&self, items: u64) -> Result<Run, Error> {
        let topology = self.row.topology;
        if matches!(self.executor, Executor::Loops) {
            return Ok(self.loops(items));
        }
        let mut seen = Seen::default();
        let nodes = if let Executor::Pool(_, nodes) = &self.executor { *nodes } else { Nodes::Serial };
        let network = topology.network_of(nodes, items, self.iters, &mut seen)?.with_capacity(self.row.capacity)?;
        let before = self.wakes();
        let (result, run) = measured(|| match &self.executor {
            Executor::Pool(pool, _) => network.run_on(pool),
            Executor::Private | Executor::Loops => network.run_on(Private::new()),
        });
        let report: Report = result?;
        check(topology, items, seen)?;
        let activations = report.nodes.iter().map(|node| node.activations).sum();
        Ok(Run { activations, wakes: self.wakes() - before, ..run })
    }

    fn wakes(&self) -> u64 {
        if let Executor::Pool(pool, _) = &self.executor { pool.wakes() } else { 0 }
    }

    /// Whether [`Run::wakes`] is counted: threads without a pool only show their sleeps.
    pub fn counts_wakes(&self) -> bool {
        matches!(self.executor, Executor::Pool(..))
    }

    /// The same without a network: each thread has one part of the items.
    fn loops(&self, items: u64) -> Run {
        let (topology, iters, threads) = (self.row.topology, self.iters, self.row.workers.max(1) as u64);
        let part = |i: u64| {
            let (first, end) = (items * i / threads, items * (i + 1) / threads);
            let mut seen = Seen::default();
            (first..end).map(|item| topology.inline(item, iters)).for_each(topology.check(first, &mut seen));
            assert_eq!((seen.count, seen.misplaced), (end - first, 0), "the loop computes what the network must");
        };
        let ((), run) = measured(|| {
            if threads == 1 {
                return part(0);
            }
            std::thread::scope(|scope| {
                (0..threads).for_each(|i| {
                    scope.spawn(move || part(i));
                });
            });
        });
        run
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
    /// Adds a run of so many items.
    pub fn add(&mut self, items: u64, run: Run) {
        self.rates.push(items as f64 / run.took.as_secs_f64());
        self.items += items;
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

/// Runs the rows in turn, `reps` times, another one first each time, so that what disturbs the machine disturbs all of them.
///
/// # Errors
///
/// As [`Runner::run`].
pub fn in_turn(runners: &[Runner], items: &[u64], reps: usize) -> Result<Vec<Total>, Error> {
    let mut totals = vec![Total::default(); runners.len()];
    for rep in 0..reps.max(1) {
        for i in (0..runners.len()).map(|i| (i + rep) % runners.len()) {
            totals[i].add(items[i], runners[i].run(items[i])?);
        }
    }
    Ok(totals)
}
