//! Draws a film as a cartoon: flat colours and ink lines.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Options};
use kpn_examples::nets::{self, Failure};
use kpn_examples::sink::{self, Output, Tee};

/// Draws a film as a cartoon.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

/// Where the film goes unless the user says otherwise; its contact sheet goes beside it.
const FILM: &str = "cellshade.mp4";

fn main() -> ExitCode {
    let Arguments { options } = Arguments::parse();
    cli::main(|| cellshade(&options))
}

fn cellshade(options: &Options) -> Result<ExitCode, Failure> {
    let source = options.source()?;
    let meta = source.meta();
    let film = options.output.as_deref().unwrap_or(FILM);
    let mut sinks = vec![sink::open(film, &meta)?];
    let sheet = Path::new(film).with_extension("png");
    if film.ends_with(".mp4") {
        sinks.push(sink::open(&sheet.display().to_string(), &meta)?);
    }
    let output = Output::new(Box::new(Tee(sinks)));
    let tally = output.tally();
    nets::run(nets::cellshade(source, output)?, options)?;
    Ok(options.close(tally.get())?)
}
