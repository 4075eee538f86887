//! What each of the engine's choices buys: one variant a suspected cost, in turn with the engine as it is.

mod edges;
mod variants;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use kpn::ThreadPool;
use kpn_benches::measure::Samples;
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::runner::{Error, check, in_turn};
use kpn_benches::topology::{Seen, Topology};
use kpn_benches::work::iters_per_us;
use kpn_benches::{host, topology};

use variants::Variant;

/// Speed of the engine with one choice undone, over its speed as it is: below 1 the choice pays.
#[derive(Parser)]
struct Options {
    /// Variants, by their names; all where nothing is said.
    #[arg(long, value_delimiter = ',')]
    variants: Vec<String>,
    /// Topologies and work in µs, as chain-4:1.
    #[arg(long, value_delimiter = ',', default_value = "chain-4:0,chain-4:1,wide-4:0,chain-32:0")]
    rows: Vec<String>,
    /// Workers of the pool.
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = kpn_benches::options::at_least_one::<usize>)]
    pools: Vec<usize>,
    /// Tokens an edge.
    #[arg(long, default_value_t = 64, value_parser = kpn_benches::options::at_least_one::<usize>)]
    cap: usize,
    /// Rounds; each takes a sample of every variant.
    #[arg(long, default_value_t = 9, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// About how long a sample takes.
    #[arg(long, default_value_t = 50, value_parser = kpn_benches::options::at_least_one::<u64>)]
    target_ms: u64,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

/// A pool with its constants, and what it has done.
struct Arm {
    variant: Variant,
    pool: ThreadPool,
    seconds: Samples,
}

/// What is run on every arm.
#[derive(Clone, Copy)]
struct Load {
    topology: Topology,
    iters: u64,
    items: u64,
    capacity: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("ablation: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    let per_us = iters_per_us();
    let mut facts = host::facts();
    facts.push(format!(
        "{per_us:.1} iterations a µs; capacity {}; {} rounds of about {} ms",
        options.cap, options.reps, options.target_ms
    ));
    facts.push("ratio: speed over that of the engine as it is, sample by sample; median and quartiles".to_owned());
    let columns = ["variant", "row", "workers", "items_per_s", "ratio", "q1", "q3"];
    let table = Table::begin_wide(options.csv, &facts, 28, &columns);
    let variants = variants::chosen(&options.variants)?;
    for row in &options.rows {
        let (topology, work) = parse(row)?;
        for &workers in &options.pools {
            let iters = (work * per_us).round() as u64;
            compare(
                options,
                &table,
                &variants,
                Load { topology, iters, items: 1_000, capacity: options.cap },
                (row, workers),
            )?;
        }
    }
    edges::compare(&table, options.reps, options.target_ms)
}

fn parse(row: &str) -> Result<(topology::Topology, f64), Error> {
    let (topology, work) = row.split_once(':').ok_or_else(|| format!("a row is written as chain-4:1, not `{row}`"))?;
    Ok((topology.parse()?, work.parse().map_err(|_| format!("`{work}` is no work in µs"))?))
}

fn compare(
    options: &Options,
    table: &Table,
    variants: &[Variant],
    mut load: Load,
    (row, workers): (&str, usize),
) -> Result<(), Error> {
    let arm = |variant: &Variant| -> Result<Arm, Error> {
        let pool = variant.pool(workers).build()?;
        Ok(Arm { variant: *variant, pool, seconds: Samples::default() })
    };
    let mut arms = variants.iter().map(arm).collect::<Result<Vec<_>, _>>()?;
    // The engine as it is says how many items fill a sample.
    let target = options.target_ms as f64 / 1e3;
    loop {
        let took = sample(&arms[0].pool, load)?;
        let wanted = (load.items as f64 * target / took.max(1e-9)) as u64;
        if took >= target / 10.0 {
            load.items = wanted.max(1);
            break;
        }
        load.items = wanted.clamp(load.items * 2, load.items * 16);
    }
    // Each has been warmed up before its first sample counts.
    for arm in &arms {
        sample(&arm.pool, load)?;
    }
    in_turn(&mut arms, options.reps.max(1), |arm| {
        let took = sample(&arm.pool, load)?;
        arm.seconds.push(took);
        Ok(())
    })?;
    let base = arms[0].seconds.clone();
    for arm in &arms {
        // Speeds, so the other way round than times.
        let ratio = base.ratio(&arm.seconds);
        let rate = load.items as f64 / arm.seconds.median();
        print(table, arm.variant.name, row, workers, rate, &ratio);
    }
    Ok(())
}

/// Prints a row of the table.
fn print(table: &Table, variant: &str, row: &str, workers: usize, rate: f64, ratio: &Samples) {
    let [median, q1, q3] = [0.5, 0.25, 0.75].map(|q| figure(ratio.quantile(q)));
    table.row(&[&variant, &row, &workers, &figure(rate), &median, &q1, &q3]);
}

/// Seconds for a load, whose answer is checked.
fn sample(pool: &ThreadPool, load: Load) -> Result<f64, Error> {
    let mut seen = Seen::default();
    let net = load.topology.network(load.items, load.iters, &mut seen)?.with_capacity(load.capacity)?;
    let began = Instant::now();
    net.run_on(pool)?;
    let took = began.elapsed();
    check(load.topology, load.items, seen)?;
    Ok(took.as_secs_f64())
}
