//! Runs the example of Kahn's paper of 1974.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Runs the example of Kahn's paper of 1974: two loops in which a 0 and a 1 go round.
#[derive(Parser)]
#[command(name = "kahn1974", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Tokens to take
    #[arg(long, default_value_t = 20)]
    count: u64,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| kahn1974(&arguments))
}

fn kahn1974(Arguments { run, count }: &Arguments) -> Result<ExitCode, Failure> {
    let mut history = Vec::new();
    canon::run(canon::kahn1974(*count, &mut history)?, run)?;
    cli::say(&canon::shown(&history))?;
    Ok(ExitCode::SUCCESS)
}
