//! Finds primes by a network that grows.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Finds primes by the sieve of Kahn and MacQueen, a network that grows by a filter for each prime.
#[derive(Parser)]
#[command(name = "sieve", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Primes to find
    #[arg(long, default_value_t = 2_000)]
    count: usize,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| sieve(&arguments))
}

fn sieve(Arguments { run, count }: &Arguments) -> Result<ExitCode, Failure> {
    let mut primes = Vec::new();
    let report = canon::run(canon::sieve(*count, &mut primes)?, run)?;
    cli::say(&canon::shown(&primes))?;
    cli::say(&format!("nodes {}", report.nodes.len()))?;
    Ok(ExitCode::SUCCESS)
}
