//! Draws a film as a cartoon: flat colours and ink lines.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Files, Options};
use kpn_examples::sink::{self, Output, Tee};
use kpn_examples::{Failure, nets};

/// Draws a film as a cartoon.
#[derive(Parser)]
#[command(name = "cellshade", version, after_help = AFTER)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

/// Where the film goes unless the user says otherwise; its contact sheet goes beside it.
const FILM: &str = "cellshade.mp4";

const AFTER: &str = "\
    The film goes to cellshade.mp4 unless --output says otherwise. Beside FILE.mp4 goes a contact sheet, FILE.png.";

fn main() -> ExitCode {
    let Arguments { options } = cli::parse(|arguments: &Arguments| &arguments.options.run);
    cli::film(|| cellshade(&options))
}

fn cellshade(options: &Options) -> Result<ExitCode, Failure> {
    let files = Files::new(options, FILM, true, None)?;
    let source = options.source()?;
    let meta = source.meta();
    let mut sinks = vec![sink::open(files.film(), &meta)?];
    if let Some(sheet) = files.sheet() {
        sinks.push(sink::open(&sheet.display().to_string(), &meta)?);
    }
    let output = Output::new(Box::new(Tee(sinks)));
    let tally = output.tally();
    nets::run(nets::cellshade(source, output)?, options)?;
    Ok(options.close(tally.get(), &files)?)
}
