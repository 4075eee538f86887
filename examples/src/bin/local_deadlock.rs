//! Runs networks of which a part can't go on, and prints what is said of them.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use kpn::prelude::*;
use kpn_examples::Failure;
use kpn_examples::canon::{self, Case};
use kpn_examples::cli::{self, Run};

/// Runs networks of which a part can't go on, and prints what is said of them.
#[derive(Parser)]
#[command(name = "local_deadlock", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// The network [default: all, one after the other]
    #[arg(long, value_enum)]
    case: Option<Case>,
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| local_deadlock(&arguments))
}

fn local_deadlock(Arguments { run, case }: &Arguments) -> Result<ExitCode, Failure> {
    for case in case.as_ref().map_or(Case::value_variants(), std::slice::from_ref) {
        let mut rest = Vec::new();
        let net = canon::local_deadlock(*case, &mut rest)?;
        let verdict = match canon::run(net, run) {
            Ok(_) => format!("no deadlock, {}", canon::shown(&rest)),
            // How far the rest came before it was stopped depends on the schedule.
            Err(Failure::Run(RunError::Deadlock { first, .. })) => first.to_string(),
            Err(error) => return Err(error),
        };
        cli::say(&format!("{case}: {verdict}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
