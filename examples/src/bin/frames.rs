//! Takes any source to any sink, through a filter in bands that run side by side.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Files, Options};
use kpn_examples::kernels::Filter;
use kpn_examples::sink::Output;
use kpn_examples::{Failure, nets};

/// Takes any source to any sink, through a filter in bands that run side by side.
#[derive(Parser)]
#[command(name = "frames", version, after_help = AFTER)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Filter each frame in so many horizontal bands, a node each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    wide: u16,
    /// What to do to the frames
    #[arg(long, value_enum, default_value_t)]
    filter: Filter,
}

/// Where the film goes unless the user says otherwise.
const FILM: &str = "frames.mp4";

const AFTER: &str = "The film goes to frames.mp4 unless --output says otherwise.";

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.options.run);
    cli::film(|| frames(&arguments))
}

fn frames(Arguments { options, wide, filter }: &Arguments) -> Result<ExitCode, Failure> {
    let files = Files::new(options, FILM, false, None)?;
    let source = options.source()?;
    let output = Output::open(files.film(), &source.meta())?;
    let tally = output.tally();
    nets::run(nets::frames(source, output, *filter, usize::from(*wide))?, options)?;
    Ok(options.close(tally.get(), &files)?)
}
