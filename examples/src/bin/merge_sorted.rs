//! Merges sorted streams.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Merges sorted streams of different lengths by a tree of processes that each merge two.
#[derive(Parser)]
#[command(name = "merge_sorted", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Streams to merge
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    streams: u16,
    /// Tokens of the longest stream
    #[arg(long, default_value_t = 1_000)]
    longest: u32,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| merge_sorted(&arguments))
}

fn merge_sorted(Arguments { run, streams, longest }: &Arguments) -> Result<ExitCode, Failure> {
    let mut merged = Vec::new();
    let streams = canon::streams((*streams).into(), *longest as usize);
    canon::run(canon::merge_sorted(streams, &mut merged)?, run)?;
    cli::say(&canon::shown(&merged))?;
    Ok(ExitCode::SUCCESS)
}
