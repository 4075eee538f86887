//! kpn beside its rivals: builds the peers' programs, runs them row by row, each in a process of its own, and compares.

mod aims;
mod cell;
mod programs;
mod record;
mod roster;
mod tables;

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use cell::Cell;
use clap::Parser;
use kpn_benches::report::complain;
use kpn_benches::topology::Topology::{self, Chain, Diamond, Wide};
use kpn_benches::{host, work};
use programs::Programs;
use record::Record;
use roster::{PEERS, Peer};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Items a second, CPU time and sleeps of kpn and its rivals. Nothing is installed: what oneTBB runs is left out without it.
#[derive(Parser)]
struct Options {
    /// Topologies: chain-N, wide-4, diamond-4 [chains 1 to 32 by doubling, wide-4, diamond-4].
    #[arg(long, value_delimiter = ',')]
    topos: Vec<Topology>,
    /// Work a node, in µs [0, 1, 10, 100].
    #[arg(long, value_delimiter = ',', value_parser = kpn_benches::options::not_negative)]
    work: Vec<f64>,
    /// Rows [all but timely].
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Repetitions of a process, after one that is thrown away.
    #[arg(long, default_value_t = 2, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// About how long a repetition takes; 130 where nothing is said.
    #[arg(long, value_parser = kpn_benches::options::at_least_one::<u64>)]
    target_ms: Option<u64>,
    /// The least items of a repetition, however long that takes.
    #[arg(long, default_value_t = 200)]
    min_items: u64,
    /// Processes a row; peers take turns; 3 where nothing is said.
    #[arg(long, value_parser = kpn_benches::options::at_least_one::<usize>)]
    rounds: Option<usize>,
    /// Threads, for peers that have a pool.
    #[arg(long, default_value_t = 2, value_parser = kpn_benches::options::threads)]
    threads: usize,
    /// Tokens an edge, or in a network whose peer bounds these.
    #[arg(long, default_value_t = 64, value_parser = kpn_benches::options::at_least_one::<usize>)]
    cap: usize,
    /// Fewer rows and less of each, for a look in two minutes.
    #[arg(long)]
    quick: bool,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
    /// Where every process's line goes [rivals.csv in the peers' build folder].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Measures nothing, and prints the tables of that file again.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Fails where an aim is missed.
    #[arg(long)]
    strict: bool,
}

/// What is run.
struct Plan {
    topos: Vec<Topology>,
    work: Vec<f64>,
    peers: Vec<&'static Peer>,
    reps: usize,
    target_ms: u64,
    min_items: u64,
    rounds: usize,
    threads: usize,
    cap: usize,
    /// The same for all peers.
    iters_per_us: f64,
}

impl Plan {
    fn new(options: &Options) -> Outcome<Self> {
        let (topos, work): (&[Topology], &[f64]) = if options.quick {
            (&[Chain(1), Chain(4), Chain(16), Wide(4), Diamond], &[0.0, 1.0, 10.0])
        } else {
            let topos = &[Chain(1), Chain(2), Chain(4), Chain(8), Chain(16), Chain(32), Wide(4), Diamond];
            (topos, &[0.0, 1.0, 10.0, 100.0])
        };
        let (rounds, target_ms) = if options.quick { (2, 60) } else { (3, 130) };
        let peers = if options.peers.is_empty() {
            PEERS.iter().filter(|peer| peer.usual).collect()
        } else {
            options.peers.iter().map(|name| Peer::named(name)).collect::<Result<_, _>>()?
        };
        // The quickest of several, since preemption and low clocks only ever slow it down.
        let iters_per_us = (0..5).map(|_| work::iters_per_us()).fold(0.0, f64::max);
        Ok(Self {
            topos: given_or(&options.topos, topos),
            work: given_or(&options.work, work),
            peers,
            reps: options.reps.max(1),
            target_ms: options.target_ms.unwrap_or(target_ms),
            min_items: options.min_items.max(1),
            rounds: options.rounds.unwrap_or(rounds).max(1),
            threads: options.threads,
            cap: options.cap,
            iters_per_us,
        })
    }

    fn facts(&self, programs: &Programs) -> Vec<String> {
        let mut facts = host::facts();
        facts.push(format!("oneTBB: {}; iterations a µs: {:.1}", programs.tbb(), self.iters_per_us));
        let Self { rounds, reps, target_ms, min_items, threads, cap, .. } = self;
        facts.push(format!(
            "processes a row: {rounds}, in turn, each of {reps} repetitions of about {target_ms} ms and at least {min_items} items"
        ));
        facts.push(format!("threads: {threads}; capacity: {cap}"));
        facts
    }
}

fn given_or<T: Clone>(given: &[T], usual: &[T]) -> Vec<T> {
    if given.is_empty() { usual.to_vec() } else { given.to_vec() }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("rivals: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn run(options: &Options) -> Outcome<bool> {
    let cells = match &options.summary {
        Some(file) => summarise(file, options.csv)?,
        None => measure(options)?,
    };
    if !options.csv {
        tables::print_standings(&cells);
    }
    Ok(tables::print_aims(&cells) || !options.strict)
}

/// Measures cell by cell, and prints each one's rows.
fn measure(options: &Options) -> Outcome<Vec<Cell>> {
    let plan = Plan::new(options)?;
    let programs = Programs::build(&plan.peers)?;
    let facts = plan.facts(&programs);
    let path = options.out.clone().map_or_else(|| Programs::folder().map(|folder| folder.join("rivals.csv")), Ok)?;
    let mut out = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    facts.iter().try_for_each(|fact| writeln!(out, "# {fact}"))?;
    writeln!(out, "{}", record::HEADER)?;

    let table = tables::Rows::begin(options.csv, &facts);
    let peers: Vec<&Peer> = plan.peers.iter().copied().filter(|peer| programs.has(peer)).collect();
    let mut cells = Vec::new();
    for &topo in &plan.topos {
        for &work in &plan.work {
            let mut records = Vec::new();
            for round in 0..plan.rounds {
                // Another one goes first each time, so that none always follows the same neighbour.
                for peer in (0..peers.len()).map(|i| peers[(i + round) % peers.len()]) {
                    let Some(line) = programs.run(peer, topo, work, &plan)? else { continue };
                    writeln!(out, "{line}")?;
                    records.push(Record::parse(&line)?);
                }
            }
            let cell = Cell::new(topo, work, &records);
            table.print(&cell);
            cells.push(cell);
        }
    }
    Ok(cells)
}

/// Reads an earlier run, and prints its rows.
fn summarise(path: &PathBuf, csv: bool) -> Outcome<Vec<Cell>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let facts: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("# ")).map(str::to_owned).collect();
    let lines = text.lines().filter(|line| !line.starts_with('#') && *line != record::HEADER);
    let cells = cell::cells(&lines.map(Record::parse).collect::<Outcome<Vec<_>>>()?);
    let table = tables::Rows::begin(csv, &facts);
    cells.iter().for_each(|cell| table.print(cell));
    Ok(cells)
}
