//! What the watch for stalls costs where nothing stalls, and how soon a stall is named where something does.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser;
use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn::{RunError, ThreadPool};
use kpn_benches::measure::{Samples, interleaved, timed};
use kpn_benches::topology::{Seen, Topology};

/// The watch's cost on edges that don't stall, and the time from a stall to its verdict. Exits non-zero above a limit.
#[derive(Parser)]
struct Options {
    /// Items a sample.
    #[arg(long, default_value_t = 400_000, value_parser = kpn_benches::options::at_least_one::<u64>)]
    items: u64,
    /// Samples a row, taken in turn.
    #[arg(long, default_value_t = 15, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// The most microseconds until a cycle of up to 8 nodes is named.
    #[arg(long, default_value_t = 1_000.0)]
    limit_short: f64,
    /// The most microseconds until a cycle of 10,000 nodes is named on an idle pool.
    #[arg(long, default_value_t = 1_000.0)]
    limit_long: f64,
    /// The most microseconds until a cycle is named on a pool that is busy with another network.
    #[arg(long, default_value_t = 20_000.0)]
    limit_busy: f64,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report(&format!("bench_stall: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    tracing::subscriber::set_global_default(Verdicts)?;
    cost(options)?;
    report("");
    report("verdict, from the stall: µs, median [quartiles]");
    let mut good = true;
    for (workers, busy) in [(1, false), (2, false), (1, true), (2, true)] {
        let pool = Shared::new().workers(workers).build()?;
        let other = busy.then(|| endless(&pool)).transpose()?;
        for nodes in [2, 3, 8, 100, 1_000, 10_000] {
            let reps = if nodes > 100 { options.reps.min(7) } else { options.reps };
            let mut samples = Samples::default();
            for _ in 0..reps {
                samples.push(verdict(&pool, nodes)?.as_secs_f64() * 1e6);
            }
            let limit = match (busy, nodes) {
                (true, _) => options.limit_busy,
                (false, ..=8) => options.limit_short,
                _ => options.limit_long,
            };
            good &= samples.median() <= limit;
            let state = if busy { "busy" } else { "idle" };
            report(&format!("{nodes:>6} nodes, {workers} workers, {state}:  {samples}  (at most {limit})"));
        }
        if let Some(other) = other {
            other.stop();
            other.wait()?;
        }
    }
    Ok(good)
}

/// The same topology as it is, with no edge watched, and with all of them watched.
fn cost(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    report("0 µs a node                 ns a firing: median [quartiles]    over no watch");
    for (name, topology, capacity) in [
        ("chain-4", Topology::Chain(4), 64),
        ("diamond-4", Topology::Diamond, 64),
        ("diamond-4, one token", Topology::Diamond, 1),
    ] {
        for workers in [1, 2] {
            let pool = Shared::new().workers(workers).build()?;
            let items = if capacity == 1 { options.items / 8 } else { options.items };
            let ns = 1e9 / (items as f64 * topology.firings() as f64);
            let sample = |watch: Option<bool>| sample(topology, items, &pool, capacity, watch);
            let (mut as_is, mut none, mut all) = (|| sample(None), || sample(Some(false)), || sample(Some(true)));
            let samples = interleaved(options.reps, &mut [&mut none, &mut as_is, &mut all]);
            for (arm, samples_of) in ["not watched", "as it is", "all watched"].iter().zip(&samples) {
                let quantile = |q| samples_of.quantile(q) * ns;
                let (median, low, high) = (quantile(0.5), quantile(0.25), quantile(0.75));
                let ratio = samples_of.ratio(&samples[0]);
                report(&format!("{name:<22} {workers} w  {arm:<12} {median:>7.2} [{low:.2}, {high:.2}]  {ratio}"));
            }
        }
    }
    Ok(())
}

fn sample(topology: Topology, items: u64, pool: &ThreadPool, capacity: usize, watch: Option<bool>) -> Duration {
    let mut seen = Seen::default();
    let mut net: Network<'_> = topology
        .network(items, 0, &mut seen)
        .and_then(|net| net.with_capacity(capacity))
        .expect("a topology is a valid network");
    if let Some(all) = watch {
        net = net.watched(all);
    }
    let took = timed(|| {
        net.run_on(pool).expect("no node fails");
    });
    assert_eq!(seen, topology.expected(items), "a token was lost or changed");
    took
}

/// When the last verdict was told.
static TOLD: Mutex<Option<Instant>> = Mutex::new(None);

/// Notes when the library tells of a stall, as any subscriber learns of it.
struct Verdicts;

impl tracing::Subscriber for Verdicts {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        *TOLD.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now());
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// One token goes round a ring of processes and is dropped in the third round: from then on all wait.
fn verdict(pool: &ThreadPool, nodes: usize) -> Result<Duration, Box<dyn std::error::Error>> {
    let stalled = Arc::new(Mutex::new(None));
    let mut b = Builder::new();
    let info = NodeInfo { name: "ring", inputs: &["x"], outputs: &["y"] };
    let mut ports = Vec::new();
    for i in 0..nodes {
        let stalled = stalled.clone();
        let ((x,), (y,)) = b.process(info, move |(mut x,): (In<u64>,), (mut y,): (Out<u64>,)| async move {
            if i == 0 {
                y.send(0).await?;
            }
            while let Some(round) = x.recv().await {
                if i > 0 {
                    y.send(round).await?;
                } else if round < 2 {
                    y.send(round + 1).await?;
                } else {
                    *stalled.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now());
                }
            }
            Ok::<(), Closed>(())
        });
        ports.push((Some(x), Some(y)));
    }
    for i in 0..nodes {
        let (y, x) = (ports[i].1.take(), ports[(i + 1) % nodes].0.take());
        if let (Some(y), Some(x)) = (y, x) {
            b.connect(y, x).capacity(1).initial([]);
        }
    }
    let error = b.build()?.run_on(pool).expect_err("the ring stalls");
    let RunError::Deadlock { first, .. } = error else { return Err(error.into()) };
    assert_eq!(first.cycle.len(), nodes, "the whole ring is named");
    let told = TOLD.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    let stalled = stalled.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    Ok(told.ok_or("no verdict was told")?.duration_since(stalled.ok_or("nothing stalled")?))
}

/// A network that keeps a pool busy.
fn endless(pool: &ThreadPool) -> Result<kpn::Running, Box<dyn std::error::Error>> {
    let mut b = Builder::new();
    let mut tail = b.add(source(0u64..)).out;
    for _ in 0..4 {
        tail = b.pipe(tail, map(|x: u64| x.wrapping_mul(3)));
    }
    b.pipe(tail, sink(|_| ()));
    Ok(b.build()?.start_on(pool)?)
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn report(line: &str) {
    println!("{line}");
}
