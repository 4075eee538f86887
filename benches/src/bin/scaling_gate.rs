//! Whether more workers do more: throughput at one worker and at many, for several graphs and for a single wide one.

use std::process::ExitCode;

use clap::Parser;
use kpn_benches::host;
use kpn_benches::options::Sampling;
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::runner::{Arm, Error, Mode, Row, in_turn};
use kpn_benches::topology::Topology;
use kpn_benches::work::iters_per_us;

/// Throughput at many workers over that at one. Exits non-zero if a ratio is under the floor.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    sampling: Sampling,
    /// How many workers are many; as many as there are cores where nothing is said.
    #[arg(long, value_parser = kpn_benches::options::threads)]
    workers: Option<usize>,
    /// How many graphs run at once, each a chain of four.
    #[arg(long, default_value_t = 4, value_parser = kpn_benches::options::at_least_one::<usize>)]
    graphs: usize,
    /// Branches of the wide graph, at most 16.
    #[arg(long, default_value_t = 8)]
    width: usize,
    /// Work a node, in µs.
    #[arg(long, default_value_t = 10.0, value_parser = kpn_benches::options::not_negative)]
    work: f64,
    /// Tokens an edge.
    #[arg(long, default_value_t = 64, value_parser = kpn_benches::options::at_least_one::<usize>)]
    cap: usize,
    /// Also one chain of a single node without state, which scales only if it fires on several workers at once.
    #[arg(long)]
    elastic: bool,
    /// The least ratio; three quarters of the workers where nothing is said.
    #[arg(long, value_parser = kpn_benches::options::not_negative)]
    floor: Option<f64>,
    /// Where the machine itself can't reach the floor: the least share of what loops without a network reach on as many
    /// threads.
    #[arg(long, default_value_t = 0.8, value_parser = kpn_benches::options::not_negative)]
    of_ceiling: f64,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("scaling_gate: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    let many = options.workers.unwrap_or_else(host::cores);
    let per_us = iters_per_us();
    if many < 2 {
        return Err("one worker can't scale: give `--workers` at least 2".into());
    }
    // The same check as for a name on the command line.
    let wide: Topology = format!("wide-{}", options.width).parse()?;
    let row = |topology, mode, copies| {
        let (work, capacity) = (options.work, options.cap);
        move |workers| Row { topology, work, mode, workers, capacity, copies }
    };
    let mut pairs = vec![
        ("loops, no network".to_owned(), row(Topology::Chain(4), Mode::Inline, 1)),
        (format!("{} graphs", options.graphs), row(Topology::Chain(4), Mode::Shared, options.graphs.max(1))),
        ("one wide graph".to_owned(), row(wide, Mode::Shared, 1)),
    ];
    if options.elastic {
        pairs.push(("one elastic node".to_owned(), row(Topology::Chain(1), Mode::Elastic, 1)));
    }
    let mut arms = Vec::new();
    for (_, row) in &pairs {
        for workers in [1, many] {
            arms.push(Arm::new(row(workers), per_us, options.sampling.budget())?);
        }
    }
    in_turn(&mut arms, options.sampling.reps, Arm::sample)?;
    let floor = options.floor.unwrap_or(0.75 * many as f64);
    table(options, &pairs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), &arms, floor, per_us)
}

/// A row for each pair of arms, of which the first are the loops.
fn table(options: &Options, names: &[&str], arms: &[Arm], floor: f64, per_us: f64) -> Result<bool, Error> {
    let ratio = |pair: &[Arm]| pair[1].total.rates.median() / pair[0].total.rates.median();
    let ceiling = ratio(&arms[..2]);
    let bar = floor.min(options.of_ceiling * ceiling);
    let mut facts = host::facts();
    facts.push(format!("{per_us:.1} iterations a µs; {} µs a node; capacity {}", options.work, options.cap));
    facts.push(format!("{} repetitions of about {} ms, in turn", options.sampling.reps, options.sampling.target_ms));
    facts.push(format!(
        "floor {floor}, or {} of the machine's own {ceiling:.3} where that is less: {bar:.3}",
        options.of_ceiling
    ));
    let columns =
        ["row", "workers", "one_per_s", "one_iqr_pct", "many_per_s", "many_iqr_pct", "ratio", "of_ceiling", "verdict"];
    let table = Table::begin_wide(options.csv, &facts, "loops, no network".len(), &columns);
    let mut good = true;
    for (i, (name, pair)) in names.iter().zip(arms.chunks(2)).enumerate() {
        let ratio = ratio(pair);
        let verdict = match i {
            0 => "ceiling",
            _ if ratio >= bar => "scales",
            _ => "under the floor",
        };
        good &= i == 0 || ratio >= bar;
        table.row(&[
            name,
            &pair[1].runner.row.workers,
            &figure(pair[0].total.rates.median()),
            &figure(pair[0].total.rates.iqr_percent()),
            &figure(pair[1].total.rates.median()),
            &figure(pair[1].total.rates.iqr_percent()),
            &figure(ratio),
            &figure(ratio / ceiling),
            &verdict,
        ]);
    }
    Ok(good)
}
