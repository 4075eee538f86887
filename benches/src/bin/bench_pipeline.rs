//! Throughput and cost of topologies over work, mode and pool size.

use std::fmt::Display;
use std::process::ExitCode;

use clap::Parser;
use kpn_benches::allocations::Counting;
use kpn_benches::burner::{self, Burner};
use kpn_benches::measure::{Samples, peak_kib, reset_peak};
use kpn_benches::options::{Sampling, Selection};
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::runner::{Arm, Budget, Error, Mode, Row, Runner, Total, in_turn};
use kpn_benches::work::iters_per_us;

#[global_allocator]
static HEAP: Counting = Counting;

/// Items a second through chains, wide fans and diamonds of calibrated work, and what an item costs.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    sampling: Sampling,
    /// Also beside a process that burns a core, as a ratio.
    #[arg(long)]
    burner: bool,
    /// Instead of the table, for the networks that do no work: whether memory stays flat over so many items (ten million
    /// where nothing is said).
    #[arg(long, num_args = 0..=1, default_missing_value = "10000000", value_parser = kpn_benches::options::at_least_one::<u64>)]
    memory: Option<u64>,
    /// The most KiB by which `--memory` may find the peak to grow.
    #[arg(long, default_value_t = 1024)]
    limit_kib: u64,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

const COLUMNS: [&str; 20] = [
    "topology",
    "work_us",
    "mode",
    "workers",
    "items",
    "reps",
    "items_per_s",
    "q1",
    "q3",
    "over_inline",
    "over_one",
    "cpu_us",
    "cpu_over_inline",
    "visit_ns",
    "vcsw",
    "ivcsw",
    "wakes",
    "activations",
    "allocs",
    "peak_kib",
];

/// What the columns mean.
const LEGEND: [&str; 4] = [
    "over_inline: over one thread that does the same in a loop; over_one: over one worker of the same mode, with --pools 1,…",
    "an item's: cpu_us: CPU time; vcsw, ivcsw: sleeps and preemptions of all threads; wakes: a submit woke a worker of the pool;",
    "activations: a node got a worker; allocs: in steady state",
    "visit_ns: CPU time a firing, source and sink included; peak_kib: the most memory that the process had meanwhile",
];

fn main() -> ExitCode {
    burner::burn_if_asked();
    let options = Options::parse();
    let result = match options.memory {
        Some(items) => memory(&options, items),
        None => table(&options).map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("bench_pipeline: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn table(options: &Options) -> Result<(), Error> {
    let per_us = iters_per_us();
    let mut columns = COLUMNS.to_vec();
    if options.burner {
        columns.extend(["burned_items_per_s", "burned_ratio"]);
    }
    let mut facts = options.selection.facts(per_us, &options.sampling);
    facts.extend(LEGEND.map(str::to_owned));
    let table = Table::begin(options.csv, &facts, &columns);
    for rows in options.selection.groups() {
        group(options, &rows, per_us, &table)?;
    }
    Ok(())
}

/// Measures rows that do the same, in turn.
fn group(options: &Options, rows: &[Row], per_us: f64, table: &Table) -> Result<(), Error> {
    let budget = options.sampling.budget();
    let mut lines = rows.iter().map(|row| Line::new(*row, per_us, budget)).collect::<Result<Vec<_>, Error>>()?;
    in_turn(&mut lines, options.sampling.reps, |line| line.sample(options.burner))?;
    let total_of = |wanted: &dyn Fn(&Row) -> bool| {
        let line = lines.iter().find(|line| wanted(&line.arm.runner.row));
        line.map_or_else(Total::default, |line| line.arm.total.clone())
    };
    let inline = total_of(&Row::is_plain_loop);
    for line in &lines {
        let mode = line.arm.runner.row.mode;
        let one = total_of(&|row| row.mode == mode && row.workers == 1);
        line.print(options, &inline, &one, table)?;
    }
    Ok(())
}

/// A line of the table.
struct Line {
    arm: Arm,
    peak_kib: u64,
    /// Items a second beside a process that burns a core.
    burned: Samples,
}

impl Line {
    fn new(row: Row, per_us: f64, budget: Budget) -> Result<Self, Error> {
        Ok(Self { arm: Arm::new(row, per_us, budget)?, peak_kib: 0, burned: Samples::default() })
    }

    fn sample(&mut self, burner: bool) -> Result<(), Error> {
        reset_peak();
        self.arm.sample()?;
        self.peak_kib = self.peak_kib.max(peak_kib());
        if burner {
            let _burner = Burner::start()?;
            self.burned.push(self.arm.runner.run(self.arm.items)?.rate());
        }
        Ok(())
    }

    fn print(&self, options: &Options, inline: &Total, one: &Total, table: &Table) -> Result<(), Error> {
        let Self { arm: Arm { runner, items, total }, peak_kib, burned } = self;
        let allocations = runner.allocations_an_item(*items, total.allocations.unwrap_or(0))?;
        let an_item = |sum: u64| figure(total.an_item(sum));
        let wakes = if runner.counts_wakes() { an_item(total.wakes) } else { "-".to_owned() };
        let mut cells: Vec<String> = vec![
            runner.row.topology.to_string(),
            runner.row.work.to_string(),
            runner.row.mode.to_string(),
            runner.row.threads().to_string(),
            items.to_string(),
            options.sampling.reps.to_string(),
            figure(total.rates.median()),
            figure(total.rates.quantile(0.25)),
            figure(total.rates.quantile(0.75)),
            figure(total.rates.ratio(&inline.rates).median()),
            figure(total.rates.ratio(&one.rates).median()),
            figure(total.cpu_us()),
            figure(total.cpu_us() / inline.cpu_us()),
            figure(total.cpu_us() * 1e3 / runner.row.topology.firings() as f64),
            an_item(total.usage.voluntary),
            an_item(total.usage.involuntary),
            wakes,
            an_item(total.activations),
            figure(allocations),
            peak_kib.to_string(),
        ];
        if options.burner {
            cells.extend([figure(burned.median()), figure(burned.ratio(&total.rates).median())]);
        }
        table.row(&cells.iter().map(|cell| cell as &dyn Display).collect::<Vec<_>>());
        Ok(())
    }
}

/// Whether the peak of a run of `items` is that of a run of a tenth of them.
fn memory(options: &Options, items: u64) -> Result<bool, Error> {
    let per_us = iters_per_us();
    let mut facts = options.selection.facts(per_us, &options.sampling);
    facts.push(format!(
        "peak memory after a tenth of the items, and after all; it may grow by {} KiB",
        options.limit_kib
    ));
    let table = Table::begin(
        options.csv,
        &facts,
        &["topology", "work_us", "mode", "items", "tenth_kib", "all_kib", "grown_kib"],
    );
    let mut good = true;
    let networks = |row: &Row| row.work == 0.0 && row.mode != Mode::Inline;
    for row in options.selection.groups().into_iter().flatten().filter(networks) {
        let runner = Runner::new(row, per_us)?;
        reset_peak();
        runner.run(items / 10)?;
        let tenth = peak_kib();
        runner.run(items)?;
        let all = peak_kib();
        let grown = all.saturating_sub(tenth);
        good &= grown <= options.limit_kib;
        table.row(&[&row.topology, &row.work, &row.mode, &items, &tenth, &all, &grown]);
    }
    Ok(good)
}
