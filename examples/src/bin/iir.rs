//! Filters a signal by feedback.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Run};
use kpn_examples::{Failure, canon};

/// Puts a step, a signal of ones, through Butterworth's low-pass of fourth order, whose delays are tokens on feedback edges.
#[derive(Parser)]
#[command(name = "iir", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Samples to filter
    #[arg(long, default_value_t = 1_000)]
    samples: usize,
    /// Where the filter halves the power, in cycles a sample, above 0 and below 0.5
    #[arg(long, default_value_t = 0.1, value_parser = below_half)]
    cutoff: f64,
}

fn below_half(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cutoff) if 0.0 < cutoff && cutoff < 0.5 => Ok(cutoff),
        _ => Err("it must be a number above 0 and below 0.5".into()),
    }
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| iir(&arguments))
}

fn iir(Arguments { run, samples, cutoff }: &Arguments) -> Result<ExitCode, Failure> {
    let (signal, mut filtered) = (vec![1.0; *samples], Vec::new());
    canon::run(canon::iir(&signal, &canon::butterworth(*cutoff), &mut filtered)?, run)?;
    cli::say(&canon::shown_rounded(&filtered))?;
    Ok(ExitCode::SUCCESS)
}
