//! Finds scene cuts and moving actors in a film.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use kpn_examples::cli::{self, Options};
use kpn_examples::nets::{self, Failure, Found};
use kpn_examples::sink::{Output, RowSheet};

/// Finds scene cuts and moving actors in a film, draws them into it, and makes a contact sheet with a
/// row for each scene.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Write cuts and tracks as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Where the film goes unless the user says otherwise; its contact sheet goes beside it.
const FILM: &str = "scenes.mp4";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    cli::main(|| scenes(&arguments))
}

fn scenes(Arguments { options, json }: &Arguments) -> Result<ExitCode, Failure> {
    let source = options.source()?;
    let film = options.output.as_deref().unwrap_or(FILM);
    let output = Output::open(film, &source.meta())?;
    let tally = output.tally();
    let sheet = Path::new(film).with_extension("png");
    let sheet = if film.ends_with(".mp4") { Some(RowSheet::create(&sheet)?) } else { None };
    let mut found = Found::default();
    nets::run(nets::scenes(source, output, sheet, &mut found)?, options)?;
    let findings = found.into_findings();
    let cuts: Vec<_> = findings.cuts.iter().map(u64::to_string).collect();
    options.say(&format!("cuts {}", cuts.join(" ")))?;
    options.say(&format!("tracks {}", findings.tracks.len()))?;
    if let Some(path) = json {
        findings.save(path)?;
    }
    Ok(options.close(tally.get())?)
}
