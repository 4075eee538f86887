//! Takes a step of Collatz for each number, by two branches.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Takes a step of Collatz for each of the numbers from 1: a switch sends even ones to one branch and odd ones to another,
/// and a select puts the results back in order.
#[derive(Parser)]
#[command(name = "switch_select", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Numbers to step from
    #[arg(long, default_value_t = 20)]
    count: u64,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| switch_select(&arguments))
}

fn switch_select(Arguments { run, count }: &Arguments) -> Result<ExitCode, Failure> {
    let mut steps = Vec::new();
    canon::run(canon::switch_select(1..=*count, &mut steps)?, run)?;
    cli::say(&canon::shown(&steps))?;
    Ok(ExitCode::SUCCESS)
}
