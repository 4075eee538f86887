//! What large networks cost before they run, whether a very long chain runs at all, and what a silent one costs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use kpn::prelude::*;
use kpn_benches::host;
use kpn_benches::measure::{Samples, Usage};
use kpn_benches::report::{Table, complain, figure};
use kpn_benches::runner::{Error, check};
use kpn_benches::topology::{Seen, Topology};

/// Time to build a network and see its first token; a chain of ten thousand nodes at work; a network without tokens.
/// Exits non-zero above a limit.
#[derive(Parser)]
struct Options {
    /// Nodes of the network that is built.
    #[arg(long, default_value_t = 1_000)]
    nodes: usize,
    /// Nodes of the chain that works.
    #[arg(long, default_value_t = 10_000)]
    chain: usize,
    /// Items through that chain.
    #[arg(long, default_value_t = 10_000, value_parser = kpn_benches::options::at_least_one::<u64>)]
    items: u64,
    /// Workers.
    #[arg(long, default_value_t = 2, value_parser = kpn_benches::options::threads)]
    workers: usize,
    /// Repetitions, after one that is thrown away.
    #[arg(long, default_value_t = 15, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// The most ms until the first token.
    #[arg(long, default_value_t = 50.0)]
    limit_ms: f64,
    /// How long the silent network is watched, in ms.
    #[arg(long, default_value_t = 1_000)]
    silence_ms: u64,
    /// The most µs of CPU time that it may use meanwhile.
    #[arg(long, default_value_t = 1_000.0)]
    limit_idle_us: f64,
    /// Rows for programs.
    #[arg(long)]
    csv: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("bench_build: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    if options.nodes < 3 || options.chain < 3 {
        return Err("a chain has at least 3 nodes: a source, one that works, a sink".into());
    }
    let pool = Shared::new().workers(options.workers).build()?;
    let mut facts = host::facts();
    facts.push(format!("{} workers, which run before the clock does", options.workers));
    let columns = ["row", "nodes", "median", "q1", "q3", "unit", "limit", "verdict"];
    let table = Table::begin_wide(options.csv, &facts, "until the first token".len(), &columns);
    let mut good = true;
    let mut row = |name: &str, nodes: usize, samples: &Samples, unit: &str, limit: Option<f64>| {
        let verdict = limit.map_or("-", |limit| if samples.median() <= limit { "good" } else { "too much" });
        good &= verdict != "too much";
        let cells = [0.5, 0.25, 0.75].map(|q| figure(samples.quantile(q)));
        let limit = limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        table.row(&[&name, &nodes, &cells[0], &cells[1], &cells[2], &unit, &limit, &verdict]);
    };

    for (nodes, limit) in [(options.nodes, Some(options.limit_ms)), (options.chain, None)] {
        let (mut built, mut first) = (Samples::default(), Samples::default());
        for rep in 0..=options.reps.max(1) {
            let (build, token) = first_token(nodes, &pool)?;
            if rep > 0 {
                built.push(build.as_secs_f64() * 1e3);
                first.push(token.as_secs_f64() * 1e3);
            }
        }
        row("until built", nodes, &built, "ms", None);
        row("until the first token", nodes, &first, "ms", limit);
    }
    let (rate, visit) = long_chain(options, &pool)?;
    row("throughput", options.chain, &rate, "items/s", None);
    row("CPU time a visit", options.chain, &visit, "ns", None);
    let mut idle = Samples::default();
    idle.push(silence(options, &pool)?.as_secs_f64() * 1e6);
    row("silence", options.nodes, &idle, "µs CPU", Some(options.limit_idle_us));
    Ok(good)
}

/// How long it takes to build a chain, and, from the same start, until its first token has reached the sink.
fn first_token(nodes: usize, pool: &ThreadPool) -> Result<(Duration, Duration), Error> {
    let (mut arrived, mut token) = (None, None);
    let began = Instant::now();
    let mut b = Builder::new();
    let mut tail = b.add(source([0u64])).out;
    for _ in 2..nodes {
        tail = b.pipe(tail, map(|x: u64| x + 1));
    }
    b.pipe(
        tail,
        sink(|x: u64| {
            arrived = Some(began.elapsed());
            token = Some(x);
        }),
    );
    let network = b.build()?;
    let built = began.elapsed();
    network.run_on(pool)?;
    if token != Some(nodes as u64 - 2) {
        return Err(format!("the token reached the sink as {token:?}, not past {} nodes", nodes - 2).into());
    }
    Ok((built, arrived.ok_or("no token reached the sink")?))
}

/// Items a second, and ns of CPU time a node and item.
fn long_chain(options: &Options, pool: &ThreadPool) -> Result<(Samples, Samples), Error> {
    let chain = Topology::Chain(options.chain - 2);
    let (mut rate, mut visit) = (Samples::default(), Samples::default());
    for _ in 0..options.reps.clamp(1, 3) {
        let mut seen = Seen::default();
        let network = chain.network(options.items, 0, &mut seen)?;
        let (before, began) = (Usage::now(), Instant::now());
        network.run_on(pool)?;
        let (took, used) = (began.elapsed(), Usage::now().since(before));
        check(chain, options.items, seen)?;
        rate.push(options.items as f64 / took.as_secs_f64());
        visit.push(used.cpu.as_secs_f64() * 1e9 / (options.items as f64 * options.chain as f64));
    }
    Ok((rate, visit))
}

/// CPU time of a network that waits for its input, once what came before has been worked off.
fn silence(options: &Options, pool: &ThreadPool) -> Result<Duration, Error> {
    let (mut input, inlet) = kpn::inlet::<u64>();
    let (outlet, mut output) = kpn::outlet::<u64>();
    let mut b = Builder::new();
    let mut tail = b.add(inlet).out;
    for _ in 2..options.nodes {
        tail = b.pipe(tail, map(|x: u64| x + 1));
    }
    b.pipe(tail, outlet);
    let running = b.build()?.start_on(pool)?;
    input.send(0)?;
    if output.recv()? != options.nodes as u64 - 2 {
        return Err("the network that is to be silent changed a token".into());
    }
    // The last spin ends.
    std::thread::sleep(Duration::from_millis(50));
    let before = Usage::now();
    std::thread::sleep(Duration::from_millis(options.silence_ms));
    let used = Usage::now().since(before);
    drop(input);
    running.wait()?;
    Ok(used.cpu)
}
