//! Whether figures can be had again: the same configuration several times, and how far each row strays.

use std::process::ExitCode;

use clap::Parser;
use kpn_benches::measure::Samples;
use kpn_benches::options::{Sampling, Selection};
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::runner::{Arm, Error, Mode, Row, in_turn};
use kpn_benches::work::iters_per_us;

/// Measures a configuration several times. Exits non-zero if a row strays further from its median than it may.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    sampling: Sampling,
    /// How often the configuration is measured.
    #[arg(long, default_value_t = 7, value_parser = kpn_benches::options::at_least_one::<usize>)]
    runs: usize,
    /// The furthest that a run of a row may be from the median of its runs, in percent.
    #[arg(long, default_value_t = 5.0, value_parser = kpn_benches::options::not_negative)]
    tolerance: f64,
    /// Rows that may stray, as the table names them, `chain-4/0/private` say, or all whose names begin so.
    #[arg(long, value_delimiter = ',')]
    unsteady: Vec<String>,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("repro: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What is to be thought of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Within the tolerance.
    Holds,
    /// Outside, but no further than loops without a network, which do the same on the same machine meanwhile.
    Machine,
    /// Outside, as it was said to be.
    Unsteady,
    /// Outside.
    Strays,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Machine => "machine",
            Self::Unsteady => "unsteady",
            Self::Strays => "strays",
        }
    }
}

/// A row, and the median rate of each run.
struct Repeated {
    arm: Arm,
    rates: Samples,
}

impl Repeated {
    /// The distance of the run that is furthest from the median, in percent of it.
    fn stray(&self) -> f64 {
        let median = self.rates.median();
        let off = |q| 100.0 * (self.rates.quantile(q) / median - 1.0).abs();
        off(0.0).max(off(1.0))
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    let rows: Vec<String> = options.selection.groups().iter().flatten().map(Row::name).collect();
    let matches = |known: &&String| !known.is_empty() && rows.iter().any(|row| row.starts_with(known.as_str()));
    if let Some(unknown) = options.unsteady.iter().find(|known| !matches(known)) {
        return Err(format!("no row's name begins with `{unknown}`: there are {}", rows.join(", ")).into());
    }
    let per_us = iters_per_us();
    let mut facts = options.selection.facts(per_us, &options.sampling);
    facts.push(format!(
        "{} runs, each the median of its repetitions; ±{} % are allowed",
        options.runs, options.tolerance
    ));
    facts.push("machine: no further off than the loops without a network; unsteady: known to be".to_owned());
    let table = Table::begin_wide(
        options.csv,
        &facts,
        "chain-32/100/elastic-2".len(),
        &["row", "items", "items_per_s", "lowest", "highest", "stray_pct", "loops_pct", "verdict"],
    );
    let mut all: Vec<(String, f64, Verdict)> = Vec::new();
    for rows in options.selection.groups() {
        group(options, rows, per_us, &table, &mut all)?;
    }
    for verdict in [Verdict::Machine, Verdict::Unsteady, Verdict::Strays] {
        let rows = all.iter().filter(|(_, _, of)| *of == verdict);
        let rows: Vec<String> = rows.map(|(name, stray, _)| format!("{name} ±{stray:.1} %")).collect();
        if !rows.is_empty() {
            table.note(&format!("{}: {}", verdict.name(), rows.join(", ")));
        }
    }
    let held = all.iter().filter(|(_, _, verdict)| *verdict == Verdict::Holds).count();
    table.note(&format!("{held} of {} rows hold ±{} %", all.len(), options.tolerance));
    Ok(all.iter().all(|(_, _, verdict)| *verdict != Verdict::Strays))
}

/// Measures rows that do the same, with the loops among them.
fn group(
    options: &Options,
    mut rows: Vec<Row>,
    per_us: f64,
    table: &Table,
    all: &mut Vec<(String, f64, Verdict)>,
) -> Result<(), Error> {
    if let Some(plain) = rows.first().filter(|_| !rows.iter().any(Row::is_plain_loop)) {
        rows.insert(0, Row { mode: Mode::Inline, workers: 1, ..*plain });
    }
    let budget = options.sampling.budget();
    let ready = |row| Ok(Repeated { arm: Arm::new(row, per_us, budget)?, rates: Samples::default() });
    let mut rows = rows.into_iter().map(ready).collect::<Result<Vec<_>, Error>>()?;
    for _ in 0..options.runs.max(1) {
        in_turn(&mut rows, options.sampling.reps, |row| row.arm.sample())?;
        for row in &mut rows {
            row.rates.push(std::mem::take(&mut row.arm.total).rates.median());
        }
    }
    let loops = rows.iter().filter(|row| row.arm.runner.row.mode == Mode::Inline);
    let floor = loops.map(Repeated::stray).fold(0.0, f64::max);
    for row in &rows {
        let (name, stray) = (row.arm.runner.row.name(), row.stray());
        let verdict = match () {
            () if stray <= options.tolerance => Verdict::Holds,
            () if options.unsteady.iter().any(|known| name.starts_with(known.as_str())) => Verdict::Unsteady,
            () if stray <= floor => Verdict::Machine,
            () => Verdict::Strays,
        };
        table.row(&[
            &name,
            &row.arm.items,
            &figure(row.rates.median()),
            &figure(row.rates.quantile(0.0)),
            &figure(row.rates.quantile(1.0)),
            &figure(stray),
            &figure(floor),
            &verdict.name(),
        ]);
        all.push((name, stray, verdict));
    }
    Ok(())
}
