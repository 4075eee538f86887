//! What sharing costs on this machine: the operations that runtimes are made of, a hand-over between two threads, and the
//! words that kpn's own nodes, edges and lanes share.

mod calibration;
mod handover;
mod runtime;
mod threads;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::Parser;
use kpn_benches::host;
use kpn_benches::measure::Samples;
use kpn_benches::report::{Table, complain, figure};
use threads::Outcome;

/// Nanoseconds an operation at 1..N threads. All rows take turns.
#[derive(Parser)]
struct Options {
    /// Numbers of threads; 1 up to the cores, doubling, where nothing is said.
    #[arg(long, value_delimiter = ',', value_parser = kpn_benches::options::threads)]
    threads: Vec<usize>,
    /// Only operations whose names have this in them.
    #[arg(long, default_value = "")]
    only: String,
    /// Operations of a thread in a sample.
    #[arg(long, default_value_t = 200_000)]
    ops: usize,
    /// Samples a row, after one that is thrown away.
    #[arg(long, default_value_t = 21, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("bench_contention: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    let counts = match &options.threads[..] {
        [] => up_to(host::cores()),
        given => given.to_vec(),
    };
    if counts.contains(&0) || options.reps == 0 || options.ops < 1_000 {
        return Err("a row needs at least 1 thread, 1 repetition and 1,000 operations".into());
    }
    LazyLock::force(&threads::CORES);
    let mut rows = calibration::rows(&counts, options.ops);
    rows.extend(handover::rows());
    rows.extend(runtime::rows(&counts, options.ops));
    let known: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    let known = known.into_iter().collect::<Vec<_>>().join(", ");
    rows.retain(|row| row.name.contains(&options.only));
    if rows.is_empty() {
        return Err(format!("no operation has `{}` in its name: there are {known}", options.only).into());
    }
    // An operation's rows stand together, in the order in which the operations were named.
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    rows.sort_by_key(|row| names.iter().position(|name| *name == row.name));
    let mut facts = host::facts();
    facts.push(
        "ns: an operation, as the slowest thread sees it; where it takes all of them together, of them all".to_owned(),
    );
    facts.push("scaling: operations a second of all threads over those of one".to_owned());
    let columns = ["operation", "threads", "ns", "q1", "q3", "min", "scaling"];
    let table = Table::begin_wide(options.csv, &facts, 44, &columns);
    let mut samples = vec![Samples::default(); rows.len()];
    for round in 0..=options.reps {
        for turn in 0..rows.len() {
            let i = (turn + round) % rows.len();
            let ns = (rows[i].run)()?;
            if round > 0 {
                samples[i].push(ns);
            }
        }
    }
    for (row, ns) in rows.iter().zip(&samples) {
        let one = rows.iter().position(|other| other.name == row.name && other.threads == 1);
        let scaling = one.map_or(f64::NAN, |one| {
            samples[one].ratio(ns).median() * if row.together { 1.0 } else { row.threads as f64 }
        });
        table.row(&[
            &row.name,
            &row.threads,
            &figure(ns.median()),
            &figure(ns.quantile(0.25)),
            &figure(ns.quantile(0.75)),
            &figure(ns.quantile(0.0)),
            &figure(scaling),
        ]);
    }
    Ok(())
}

/// 1, 2, 4, … and `cores` itself.
fn up_to(cores: usize) -> Vec<usize> {
    let mut all: Vec<usize> = std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < cores).collect();
    all.push(cores);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cores_are_the_last() {
        assert_eq!(up_to(1), [1]);
        assert_eq!(up_to(2), [1, 2]);
        assert_eq!(up_to(6), [1, 2, 4, 6]);
        assert_eq!(up_to(8), [1, 2, 4, 8]);
    }
}
