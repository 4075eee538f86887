//! Converts a signal from the rate of a compact disc to that of a digital audio tape.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Converts a sweep from 44,100 to 48,000 samples a second, in four steps at fixed rates, and prints how often each node fires until
/// all edges hold what they held before.
#[derive(Parser)]
#[command(name = "cd2dat", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Tenths of a second to convert
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    tenths: u16,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| cd2dat(&arguments))
}

fn cd2dat(Arguments { run, tenths }: &Arguments) -> Result<ExitCode, Failure> {
    let cd = canon::sweep(usize::from(*tenths) * 4_410);
    let mut dat = Vec::new();
    let net = canon::cd2dat(cd, &mut dat)?;
    let repetitions: Vec<u64> = net.analysis().nodes.iter().filter_map(|node| node.firings).collect();
    cli::say(&format!("repetitions {}", canon::shown(&repetitions)))?;
    canon::run(net, run)?;
    // It begins with the delay of the filters, so its end says more.
    let end = &dat[dat.len().saturating_sub(10)..];
    cli::say(&format!("{} samples, the last of them {}", dat.len(), canon::shown_rounded(end)))?;
    Ok(ExitCode::SUCCESS)
}
