//! How long a token takes from end to end, at rates below what the chain can do: throughput that is bought with latency is no win.
//!
//! Open loop: a token is due at a fixed time, whether or not the chain is ready for it, and its latency counts from that time to the
//! sink. A sender that is held up sends late, and the tokens that are late for it are charged (Tene, "How NOT to measure
//! latency", 2013, calls the mistake coordinated omission).

mod actors;
mod network;
mod pacing;
mod threads;
mod tokio;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use kpn::prelude::Shared;
use kpn_benches::histogram::Histogram;
use kpn_benches::host;
use kpn_benches::measure::{Samples, Usage};
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::work::iters_per_us;
use network::Kind;
use pacing::{Arrivals, Pacer, Run, Seen, begin};

/// Latency of a chain at shares of its own capacity, beside the rivals. Peers take turns. Exits non-zero where a token is lost, changed
/// or out of order.
#[derive(Parser)]
struct Options {
    /// Peers; all where nothing is said.
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Rates, in percent of the capacity.
    #[arg(long, value_delimiter = ',', default_value = "10,50,90")]
    loads: Vec<f64>,
    /// Loads are shares of the least capacity of all peers, so that all get the same rate.
    #[arg(long)]
    same_rate: bool,
    /// Nodes in the chain.
    #[arg(long, default_value_t = 8)]
    depth: usize,
    /// Work a node, in µs.
    #[arg(long, default_value_t = 10.0, value_parser = kpn_benches::options::not_negative)]
    work: f64,
    /// Tokens an edge.
    #[arg(long, default_value_t = 64, value_parser = kpn_benches::options::at_least_one::<usize>)]
    cap: usize,
    /// Workers of a pool; as many as there are cores where nothing is said.
    #[arg(long, value_parser = kpn_benches::options::threads)]
    workers: Option<usize>,
    /// About how long a sample takes.
    #[arg(long, default_value_t = 1_000, value_parser = kpn_benches::options::at_least_one::<u64>)]
    target_ms: u64,
    /// The least tokens of a sample, however long that takes.
    #[arg(long, default_value_t = 1_000)]
    min_items: u64,
    /// Samples a row.
    #[arg(long, default_value_t = 7, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

/// What a measurement gives, or a sentence.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The chain that every peer builds.
#[derive(Clone, Copy, Debug)]
struct Chain {
    depth: usize,
    iters: u64,
    capacity: usize,
}

/// A peer and its pool, which lives from run to run.
enum Peer {
    Threads,
    Tokio(::tokio::runtime::Runtime),
    Actors(rayon::ThreadPool),
    Network(Kind),
}

const PEERS: [&str; 6] =
    ["kpn_shared", "kpn_private", "kpn_elastic", "crossbeam_threads", "tokio_tasks", "rayon_actors"];

impl Peer {
    fn new(name: &str, workers: usize) -> Outcome<Self> {
        let pool = || Shared::new().workers(workers).build();
        Ok(match name {
            "kpn_shared" => Self::Network(Kind::Shared(pool()?)),
            "kpn_private" => Self::Network(Kind::Private),
            "kpn_elastic" => Self::Network(Kind::Elastic(pool()?)),
            "crossbeam_threads" => Self::Threads,
            "tokio_tasks" => {
                Self::Tokio(::tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build()?)
            }
            "rayon_actors" => Self::Actors(rayon::ThreadPoolBuilder::new().num_threads(workers).build()?),
            _ => return Err(format!("unknown peer `{name}`: {}", PEERS.join(", ")).into()),
        })
    }

    fn run(&self, chain: Chain, run: Run) -> Outcome<Seen> {
        let (pacer, arrivals): (Pacer, Arrivals) = begin(run);
        let arrivals = match self {
            Self::Threads => threads::run(chain, pacer, arrivals)?,
            Self::Tokio(runtime) => tokio::run(runtime, chain, pacer, arrivals)?,
            Self::Actors(pool) => actors::run(pool, chain, pacer, arrivals)?,
            Self::Network(kind) => network::run(kind, chain, pacer, arrivals)?,
        };
        Ok(arrivals.finish()?)
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("latency: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    if options.depth == 0 || options.reps == 0 || options.min_items < 100 || options.cap == 0 {
        return Err("a chain has a node, an edge a place, a row a sample, and a sample 100 tokens".into());
    }
    if options.loads.iter().any(|load| !(0.1..=200.0).contains(load)) {
        return Err("a load is between 0.1 and 200 percent of the capacity".into());
    }
    let per_us = iters_per_us();
    let workers = options.workers.unwrap_or_else(host::cores);
    let chain = Chain { depth: options.depth, iters: (options.work * per_us).round() as u64, capacity: options.cap };
    let names: Vec<&str> =
        if options.peers.is_empty() { PEERS.to_vec() } else { options.peers.iter().map(String::as_str).collect() };
    let peers: Vec<Peer> = names.iter().map(|name| Peer::new(name, workers)).collect::<Outcome<_>>()?;

    let mut capacities = capacities(options, chain, &peers)?;
    let mut facts = host::facts();
    facts.push(format!(
        "chain-{}, {} µs a node, {per_us:.1} iterations a µs, capacity {}, {workers} workers, {} samples of about {} ms",
        options.depth, options.work, options.cap, options.reps, options.target_ms
    ));
    facts.push(
        "times in µs from when a token was due; per_s: asked for; kept: arrived of that; late: how late it was sent"
            .to_owned(),
    );
    let each = names.iter().zip(&capacities).map(|(name, capacity)| format!("{name} {capacity:.0}"));
    facts.push(format!("capacity, tokens a second: {}", each.collect::<Vec<_>>().join(", ")));
    let columns = [
        "peer", "load_pct", "per_s", "kept", "p50_us", "p50_q1", "p50_q3", "p99_us", "p99_q1", "p99_q3", "p999_us",
        "max_us", "late_p50", "late_p99", "cpu_us", "sleeps",
    ];
    let table = Table::begin_wide(options.csv, &facts, 17, &columns);
    if options.same_rate {
        let least = capacities.iter().copied().fold(f64::INFINITY, f64::min);
        capacities.fill(least);
    }
    for &load in &options.loads {
        let mut rows: Vec<Row> = peers.iter().map(|_| Row::default()).collect();
        for round in 0..options.reps {
            for turn in 0..peers.len() {
                let i = (turn + round) % peers.len();
                rows[i].sample(options, &peers[i], chain, capacities[i] * load / 100.0)?;
            }
        }
        for ((name, row), capacity) in names.iter().zip(&rows).zip(&capacities) {
            row.print(&table, name, load, capacity * load / 100.0);
        }
    }
    Ok(())
}

/// Tokens a second of each peer where they are sent as fast as they are taken: the median of three, after one that is thrown away.
fn capacities(options: &Options, chain: Chain, peers: &[Peer]) -> Outcome<Vec<f64>> {
    // What one core would do in that time; the pacing of a run that is too short would be all noise.
    let alone = 1e3 / (options.work * options.depth as f64).max(1.0);
    let tokens = options.min_items.max((options.target_ms as f64 * alone) as u64);
    let run = Run { tokens, period: Duration::ZERO, depth: chain.depth as u64 };
    let mut rates = vec![Samples::default(); peers.len()];
    for round in 0..4 {
        for (peer, rates) in peers.iter().zip(&mut rates) {
            let seen = peer.run(chain, run)?;
            if round > 0 {
                rates.push(seen.rate);
            }
        }
    }
    Ok(rates.iter().map(Samples::median).collect())
}

/// The samples of a peer at a load.
#[derive(Default)]
struct Row {
    p50: Samples,
    p99: Samples,
    rates: Samples,
    latency: Histogram,
    late: Histogram,
    usage: Usage,
    tokens: u64,
}

impl Row {
    fn sample(&mut self, options: &Options, peer: &Peer, chain: Chain, rate: f64) -> Outcome<()> {
        let tokens = options.min_items.max((rate * options.target_ms as f64 / 1e3) as u64);
        let run = Run { tokens, period: Duration::from_secs_f64(1.0 / rate), depth: chain.depth as u64 };
        let before = Usage::now();
        let seen = peer.run(chain, run)?;
        self.usage += Usage::now().since(before);
        let us = |q| seen.latency.quantile(q).map_or(f64::NAN, |ns| ns as f64 / 1e3);
        self.p50.push(us(0.5));
        self.p99.push(us(0.99));
        self.rates.push(seen.rate);
        self.latency.merge(&seen.latency);
        self.late.merge(&seen.late);
        self.tokens += tokens;
        Ok(())
    }

    fn print(&self, table: &Table, name: &str, load: f64, rate: f64) {
        let us = |all: &Histogram, q: f64| figure(all.quantile(q).map_or(f64::NAN, |ns| ns as f64 / 1e3));
        let quantile = |samples: &Samples, q| figure(samples.quantile(q));
        table.row(&[
            &name,
            &load,
            &figure(rate),
            &figure(self.rates.median() / rate),
            &quantile(&self.p50, 0.5),
            &quantile(&self.p50, 0.25),
            &quantile(&self.p50, 0.75),
            &quantile(&self.p99, 0.5),
            &quantile(&self.p99, 0.25),
            &quantile(&self.p99, 0.75),
            &us(&self.latency, 0.999),
            &us(&self.latency, 1.0),
            &us(&self.late, 0.5),
            &us(&self.late, 0.99),
            &figure(self.usage.cpu.as_secs_f64() * 1e6 / self.tokens as f64),
            &figure(self.usage.voluntary as f64 / self.tokens as f64),
        ]);
    }
}
