//! Lists the numbers that no prime but 2, 3 and 5 divides.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Lists the numbers that no prime but 2, 3 and 5 divides, in order, by a loop whose edges grow as it needs more room.
#[derive(Parser)]
#[command(name = "hamming", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Numbers to find, 100,000 at most, since the next ones outgrow 128 bits
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(..=canon::HAMMING_MOST as i64))]
    count: u32,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| hamming(&arguments))
}

fn hamming(Arguments { run, count }: &Arguments) -> Result<ExitCode, Failure> {
    let mut numbers = Vec::new();
    canon::run(canon::hamming(*count as usize, &mut numbers)?, run)?;
    cli::say(&canon::shown(&numbers))?;
    Ok(ExitCode::SUCCESS)
}
