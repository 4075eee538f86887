//! Finds scene cuts and moving actors in a film.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use kpn_examples::Failure;
use kpn_examples::cli::{self, Files, Options};
use kpn_examples::nets::{self, Found};
use kpn_examples::sink::{Output, RowSheet};

/// Finds scene cuts and moving actors in a film, draws them into it, and makes a contact sheet with a
/// row for each scene.
#[derive(Parser)]
#[command(name = "scenes", version, after_help = AFTER)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Write cuts and tracks as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Where the film goes unless the user says otherwise; its contact sheet goes beside it.
const FILM: &str = "scenes.mp4";

const AFTER: &str = "\
    The film goes to scenes.mp4 unless --output says otherwise. Beside FILE.mp4 goes a contact sheet, FILE.png.";

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.options.run);
    cli::film(|| scenes(&arguments))
}

fn scenes(Arguments { options, json }: &Arguments) -> Result<ExitCode, Failure> {
    let files = Files::new(options, FILM, true, json.as_deref())?;
    let source = options.source()?;
    let output = Output::open(files.film(), &source.meta())?;
    let tally = output.tally();
    let sheet = files.sheet().map(RowSheet::create).transpose()?;
    let mut found = Found::default();
    nets::run(nets::scenes(source, output, sheet, &mut found)?, options)?;
    let findings = found.into_findings();
    options.say(&findings.cuts_line())?;
    options.say(&format!("tracks {}", findings.tracks.len()))?;
    if let Some(path) = json {
        findings.save(path)?;
    }
    Ok(options.close(tally.get(), &files)?)
}
