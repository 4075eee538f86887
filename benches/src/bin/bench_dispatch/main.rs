//! What it costs to have a null task run elsewhere: kpn beside the pools that programs use for that.
//!
//! A pool's task is a closure. A network has no such thing: what its workers run is an activation of a node, and what it is
//! asked to run is a token. So kpn stands here twice, both by its public interface:
//!
//! - `kpn_task` is the bare activation: a process whose own future waits for a bell. Ringing it wakes the process's waker,
//!   which schedules the node. Nothing is sent.
//! - `kpn_token` is what a program sees: a token sent into an inlet, until the sink behind it fires; or a token that goes
//!   round in a loop of two nodes, where each firing makes the other node ready.

mod arm;
mod network;
mod pools;

use std::process::ExitCode;
use std::time::Duration;

use arm::{Arm, Outcome};
use clap::{Parser, ValueEnum};
use kpn_benches::host;
use kpn_benches::measure::{Samples, Usage};
use kpn_benches::report::{Table, complain, figure};

/// Nanoseconds and sleeps of a null task: rows of a peer, a pool size and a mode. Peers take turns.
#[derive(Parser)]
struct Options {
    /// What is measured.
    #[arg(long, value_delimiter = ',', default_value = "latency,wake,batch,steady1,steady64")]
    modes: Vec<Mode>,
    /// Pool sizes.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8", value_parser = kpn_benches::options::at_least_one::<usize>)]
    pools: Vec<usize>,
    /// Peers; all where nothing is said.
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Tasks a sample of latency.
    #[arg(long, default_value_t = 2_000)]
    latency: usize,
    /// Tasks a sample of wake.
    #[arg(long, default_value_t = 100)]
    wake: usize,
    /// Tasks a sample of batch.
    #[arg(long, default_value_t = 10_000)]
    batch: usize,
    /// Tasks a sample of steady.
    #[arg(long, default_value_t = 64_000)]
    steady: usize,
    /// Samples a row, after one that is thrown away.
    #[arg(long, default_value_t = 7, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// One task at a time, back to back: from its submission to its first instruction.
    Latency,
    /// The same after 300 µs of silence, so that the pool sleeps.
    Wake,
    /// Submits all, then waits for the last one's end.
    Batch,
    /// One task is live and submits its successor.
    Steady1,
    /// 64 tasks are live; each submits its successor.
    Steady64,
}

/// Long enough for every pool to go to sleep.
const SILENCE: Duration = Duration::from_micros(300);

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("bench_dispatch: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    for (name, &size) in ["--latency", "--wake", "--batch", "--reps"].iter().zip([
        &options.latency,
        &options.wake,
        &options.batch,
        &options.reps,
    ]) {
        if size == 0 {
            return Err(format!("{name} is to be at least 1").into());
        }
    }
    if options.steady < 128 {
        return Err("--steady is to be at least 128, two for each of 64 live tasks".into());
    }
    let columns = ["peer", "workers", "mode", "tasks", "ns", "q1", "q3", "sleeps", "preemptions", "cpu_ns"];
    let mut facts = host::facts();
    facts.push(
        "ns, sleeps, preemptions and cpu_ns are a task's; the submitter's own sleeps and CPU time count too".to_owned(),
    );
    let table = Table::begin_wide(options.csv, &facts, 12, &columns);
    for &workers in &options.pools {
        let mut arms = arms(options, workers)?;
        for &mode in &options.modes {
            rows(options, &table, workers, mode, &mut arms)?;
        }
    }
    Ok(())
}

fn arms(options: &Options, workers: usize) -> Outcome<Vec<(&'static str, Box<dyn Arm>)>> {
    let known = ["kpn_task", "kpn_token", "rayon_spawn", "tokio_spawn", "channel_pool"];
    if let Some(peer) = options.peers.iter().find(|peer| !known.contains(&&***peer)) {
        return Err(format!("unknown peer `{peer}`: {}", known.join(", ")).into());
    }
    let asked = |name: &&&str| options.peers.is_empty() || options.peers.iter().any(|peer| peer == **name);
    let arm = |name: &&'static str| -> Outcome<(&'static str, Box<dyn Arm>)> {
        let arm: Box<dyn Arm> = match *name {
            "kpn_task" => Box::new(network::Activations::new(workers, options.batch)?),
            "kpn_token" => Box::new(network::Tokens::new(workers, options.batch)?),
            "rayon_spawn" => Box::new(pools::rayon(workers)?),
            "tokio_spawn" => Box::new(pools::tokio(workers)?),
            _ => Box::new(pools::channel(workers)?),
        };
        Ok((*name, arm))
    };
    known.iter().filter(asked).map(arm).collect()
}

/// Measures one mode, the arms in turn, and prints a row for each.
fn rows(
    options: &Options,
    table: &Table,
    workers: usize,
    mode: Mode,
    arms: &mut [(&'static str, Box<dyn Arm>)],
) -> Outcome<()> {
    let tasks = match mode {
        Mode::Latency => options.latency,
        Mode::Wake => options.wake,
        Mode::Batch => options.batch,
        // A whole number of pairs for each live task.
        Mode::Steady1 | Mode::Steady64 => options.steady / 128 * 128,
    };
    let sample = |arm: &mut dyn Arm| match mode {
        Mode::Latency => arm.latency(tasks, Duration::ZERO),
        Mode::Wake => arm.latency(tasks, SILENCE),
        Mode::Batch => arm.batch(tasks).map(|ns| vec![ns]),
        Mode::Steady1 => arm.steady(1, tasks).map(|ns| vec![ns]),
        Mode::Steady64 => arm.steady(64, tasks).map(|ns| vec![ns]),
    };
    for (_, arm) in &mut *arms {
        sample(&mut **arm)?;
    }
    let mut taken = vec![(Samples::default(), Usage::default()); arms.len()];
    for round in 0..options.reps {
        for turn in 0..arms.len() {
            let i = (turn + round) % arms.len();
            let before = Usage::now();
            let ns = sample(&mut *arms[i].1)?;
            taken[i].1 += Usage::now().since(before);
            ns.into_iter().for_each(|ns| taken[i].0.push(ns));
        }
    }
    let name = format!("{mode:?}").to_lowercase();
    for ((peer, _), (ns, usage)) in arms.iter().zip(&taken) {
        let all = (tasks * options.reps) as f64;
        table.row(&[
            peer,
            &workers,
            &name,
            &tasks,
            &figure(ns.median()),
            &figure(ns.quantile(0.25)),
            &figure(ns.quantile(0.75)),
            &figure(usage.voluntary as f64 / all),
            &figure(usage.involuntary as f64 / all),
            &figure(usage.cpu.as_secs_f64() * 1e9 / all),
        ]);
    }
    Ok(())
}
