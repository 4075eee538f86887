//! Throughput of topologies over work, mode and pool size.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use kpn::{Private, Shared, ThreadPool};
use kpn_benches::measure::{Samples, Usage, peak_kib, timed};
use kpn_benches::topology::{Seen, Topology};
use kpn_benches::work::iters_per_us;

/// Items a second through chains, wide fans and diamonds of calibrated work.
#[derive(Parser)]
struct Options {
    /// Topologies: chain-N, wide-N, diamond-4.
    #[arg(long, value_delimiter = ',', default_value = "chain-1,chain-4,chain-16,wide-4,diamond-4")]
    topos: Vec<Topology>,
    /// Further chains, by their depth.
    #[arg(long, value_delimiter = ',')]
    depths: Vec<usize>,
    /// Work a node, in µs.
    #[arg(long, value_delimiter = ',', default_value = "0,1,10")]
    work: Vec<f64>,
    /// Where the nodes run.
    #[arg(long, value_delimiter = ',', default_value = "shared,private")]
    modes: Vec<Mode>,
    /// Pool sizes for the shared mode; as many as there are cores where nothing is said.
    #[arg(long, value_delimiter = ',')]
    pools: Vec<usize>,
    /// Tokens an edge.
    #[arg(long, default_value_t = 64)]
    cap: usize,
    /// Repetitions a row, after one that is thrown away.
    #[arg(long, default_value_t = 5)]
    reps: usize,
    /// About how long a repetition takes.
    #[arg(long, default_value_t = 300)]
    target_ms: u64,
    /// The least items of a repetition, however long that takes.
    #[arg(long, default_value_t = 2_000)]
    min_items: u64,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    Shared,
    Private,
}

enum Executor {
    Pool(ThreadPool),
    Private,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            line(&format!("bench_pipeline: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let per_us = iters_per_us();
    let cores = std::thread::available_parallelism()?.get();
    line(&format!("# cores {cores}, {per_us:.1} iterations a µs, {}", processor()));
    line(&format!("# capacity {}, {} repetitions of about {} ms", options.cap, options.reps, options.target_ms));
    if options.csv {
        line(
            "topo,work_us,mode,workers,items,reps,items_per_s,q1,q3,cpu_us_per_item,sleeps_per_item,activations_per_item,peak_kib",
        );
    } else {
        line(
            "topology    work µs  mode     workers      items    items/s  [IQR %]  CPU µs/item  sleeps/item  activations/item",
        );
    }
    let chains = options.depths.iter().map(|&depth| Topology::Chain(depth));
    let topos: Vec<Topology> = options.topos.iter().copied().chain(chains).collect();
    let pools = if options.pools.is_empty() { vec![cores] } else { options.pools.clone() };
    for &topo in &topos {
        for &work in &options.work {
            for &mode in &options.modes {
                let sizes = if matches!(mode, Mode::Shared) { pools.clone() } else { vec![0] };
                for size in sizes {
                    row(options, topo, work, (work * per_us).round() as u64, mode, size)?;
                }
            }
        }
    }
    Ok(())
}

fn row(
    options: &Options,
    topo: Topology,
    work: f64,
    iters: u64,
    mode: Mode,
    size: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let executor = match mode {
        Mode::Shared => Executor::Pool(Shared::new().workers(size).build()?),
        Mode::Private => Executor::Private,
    };
    let mut activations = 0;
    let mut sample = |items: u64| -> Result<Duration, Box<dyn std::error::Error>> {
        let mut seen = Seen::default();
        let net = topo.network(items, iters, &mut seen)?.with_capacity(options.cap)?;
        let mut result = None;
        let took = timed(|| {
            result = Some(match &executor {
                Executor::Pool(pool) => net.run_on(pool),
                Executor::Private => net.run_on(Private::new()),
            });
        });
        let report = result.ok_or("the run has a result")??;
        activations += report.nodes.iter().map(|node| node.activations).sum::<u64>();
        if seen != topo.expected(items) {
            return Err(format!("{topo} lost or changed a token: {seen:?}").into());
        }
        Ok(took)
    };

    // Doubles until a run is long enough to size the others by; that one is the warm-up.
    let target = options.target_ms as f64 / 1e3;
    let mut items = 256;
    let items = loop {
        let took = sample(items)?.as_secs_f64();
        let wanted = (items as f64 * target / took.max(1e-9)) as u64;
        if took >= target / 10.0 {
            break wanted.max(options.min_items).max(1);
        }
        items = wanted.clamp(items * 2, items * 16);
    };
    let mut rates = Samples::default();
    let before = Usage::now();
    let mut cost = 0;
    for _ in 0..options.reps.max(1) {
        rates.push(items as f64 / sample(items)?.as_secs_f64());
        cost += items;
    }
    let after = Usage::now();
    let cost = cost as f64;
    let cpu = (after.cpu - before.cpu).as_secs_f64() * 1e6 / cost;
    let sleeps = after.voluntary.saturating_sub(before.voluntary) as f64 / cost;
    let activations = activations as f64 / cost;
    let mode = format!("{mode:?}").to_lowercase();
    if options.csv {
        line(&format!(
            "{topo},{work},{mode},{size},{items},{},{:.1},{:.1},{:.1},{cpu:.4},{sleeps:.5},{activations:.5},{}",
            options.reps,
            rates.median(),
            rates.quantile(0.25),
            rates.quantile(0.75),
            peak_kib(),
        ));
    } else {
        line(&format!(
            "{:<10}  {work:>7}  {mode:<7}  {size:>7}  {items:>9}  {:>9.0}  {:>6.1}  {cpu:>11.4}  {sleeps:>11.5}  {activations:>16.4}",
            topo.to_string(),
            rates.median(),
            rates.iqr_percent(),
        ));
    }
    Ok(())
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.map_or_else(|| "unknown processor".to_owned(), |model| model.trim().to_owned())
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn line(text: &str) {
    println!("{text}");
}
