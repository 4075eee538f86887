//! What a firing costs where nodes do nothing: a chain of four at full batches, and tokens one at a time.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use kpn::{Network, Shared, ThreadPool};
use kpn_benches::measure::{interleaved, timed};
use kpn_benches::topology::{Seen, Topology};

/// Nanoseconds a firing on one worker. Exits non-zero above a limit.
#[derive(Parser)]
struct Options {
    /// Items a sample.
    #[arg(long, default_value_t = 500_000, value_parser = kpn_benches::options::at_least_one::<u64>)]
    items: u64,
    /// Samples a row, taken in turn.
    #[arg(long, default_value_t = 15, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// The most nanoseconds a firing in batches.
    #[arg(long, default_value_t = 50.0)]
    limit: f64,
    /// The most nanoseconds a firing where one token is handed on at a time.
    #[arg(long, default_value_t = 150.0)]
    limit_single: f64,
}

const CHAIN: Topology = Topology::Chain(4);

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report(&format!("bench_firing: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let one = Shared::new().workers(1).build()?;
    let two = Shared::new().workers(2).build()?;
    let mut rows =
        [("batches of 64", &one, 64), ("one token", &one, 1), ("batches of 64", &two, 64), ("one token", &two, 1)]
            .map(|(name, pool, capacity)| (name, pool.workers(), move || sample(options.items, pool, capacity)));
    let mut arms: Vec<&mut dyn FnMut() -> Duration> = Vec::new();
    for (_, _, arm) in &mut rows {
        arms.push(arm);
    }
    let samples = interleaved(options.reps, &mut arms);
    let ns = 1e9 / (options.items as f64 * CHAIN.firings() as f64);
    report("chain-4, 0 µs a node          workers  ns a firing: median [quartiles]");
    for ((name, workers, _), samples) in rows.iter().zip(&samples) {
        let quantile = |q| samples.quantile(q) * ns;
        report(&format!(
            "{name:<28}  {workers:>7}  {:.1} [{:.1}, {:.1}]",
            quantile(0.5),
            quantile(0.25),
            quantile(0.75)
        ));
    }
    let (batch, single) = (samples[0].median() * ns, samples[1].median() * ns);
    report(&format!("on one worker at most {} and {} are allowed", options.limit, options.limit_single));
    Ok(batch <= options.limit && single <= options.limit_single)
}

fn sample(items: u64, pool: &ThreadPool, capacity: usize) -> Duration {
    let mut seen = Seen::default();
    let net: Network<'_> = CHAIN
        .network(items, 0, &mut seen)
        .and_then(|net| net.with_capacity(capacity))
        .expect("a chain is a valid network");
    let took = timed(|| {
        net.run_on(pool).expect("no node fails");
    });
    assert_eq!(seen, CHAIN.expected(items), "a token was lost or changed");
    took
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn report(line: &str) {
    println!("{line}");
}
