//! Runs a network that small edges stall.

use std::process::ExitCode;

use clap::Parser;
use kpn::Growth;
use kpn::prelude::*;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Counts in two streams, the multiples of a number and all others, and merges them. Where an edge can't hold the others
/// between two multiples the network stalls, which the program tells, or grows with --grow.
#[derive(Parser)]
#[command(name = "parks", version, after_help = "Edges hold 1 token here unless --capacity says otherwise.")]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Numbers to count
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The multiples of this number go their own way
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    multiple: u64,
    /// Let edges grow where they stall the network
    #[arg(long)]
    grow: bool,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| parks(&arguments))
}

fn parks(Arguments { run, count, multiple, grow }: &Arguments) -> Result<ExitCode, Failure> {
    let mut numbers = Vec::new();
    let mut net = canon::parks(*count, *multiple, &mut numbers)?;
    if *grow {
        net = net.on_stall(Stall::Grow { max_bytes: 1 << 20 });
    }
    match canon::run(net, run) {
        Ok(report) => {
            for Growth { edge, from, to, .. } in &report.growths {
                cli::say(&format!("`{edge}` grew from {from} to {to}"))?;
            }
            cli::say(&canon::shown(&numbers))?;
        }
        Err(Failure::Run(RunError::Deadlock { first, .. })) => cli::say(&first.to_string())?,
        Err(error) => return Err(error),
    }
    Ok(ExitCode::SUCCESS)
}
