//! Options and manners that all programs share.

mod files;
mod run;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, span};

use crate::VideoError;
use crate::sink::Tally;
use crate::source::{self, Source};

pub use files::Files;
pub use run::{Executor, Run, parse};

/// The clip that is read where none is named.
const CLIP: &str = "clips/city-cc0.mp4";
/// Exit status of a program that was interrupted, as shells give it.
const INTERRUPTED: u8 = 130;

/// Options alike in all video programs.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// A film (.mp4, .y4m, .gif), `-` for Y4M on standard input, a folder or pattern of pictures,
    /// or pattern:WIDTHxHEIGHT or pattern:WIDTHxHEIGHTxFRAMES, a test pattern of 250 frames unless said [default: the clip of a city]
    #[arg(short, long)]
    pub input: Option<String>,
    /// FILE.mp4, FILE.y4m, FILE.gif, FILE.png (contact sheet), FOLDER/ (PNG sequence), `-` for Y4M on
    /// standard output, `hash` or `none` [default: see below]
    #[arg(short, long)]
    pub output: Option<String>,
    /// Stop after so many frames
    #[arg(long)]
    pub frames: Option<u64>,
    /// Print a hash of the frames that reach the output
    #[arg(long)]
    pub hash: bool,
    /// Where and how the network runs.
    #[command(flatten)]
    pub run: Run,
}

impl Options {
    /// What is read.
    fn input(&self) -> String {
        self.input.clone().unwrap_or_else(|| default_clip().display().to_string())
    }

    /// Opens the input, cut to the frames asked for.
    ///
    /// # Errors
    ///
    /// As [`Source::open`], and where it has no frame.
    pub fn source(&self) -> Result<Source, VideoError> {
        let input = self.input();
        let source = Source::open(&input)?;
        match self.frames {
            Some(n) => source.first(n).not_empty(&format!("the first {n} of {input}")),
            None => source.not_empty(&input),
        }
    }

    /// Prints the hash where it is asked for, to standard error where standard output is the film,
    /// and names the files written, or says so where the user cut the film short.
    ///
    /// # Errors
    ///
    /// Where standard output is closed.
    pub fn close(&self, tally: Tally, files: &Files) -> Result<ExitCode, VideoError> {
        if self.hash || self.output.as_deref() == Some("hash") {
            self.say(&format!("hash {}", tally.hash))?;
        }
        if source::stopped() {
            note(&format!("interrupted: {} frames are written", tally.frames));
            files.remove_empty();
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if self.output.as_deref() != Some("-")
            && let Some(names) = files.names()
        {
            note(&format!("wrote {names}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints a line to standard output, or to standard error where standard output is the film.
    ///
    /// # Errors
    ///
    /// Where it is closed.
    pub fn say(&self, line: &str) -> Result<(), VideoError> {
        if self.output.as_deref() == Some("-") { written(writeln!(io::stderr(), "{line}")) } else { say(line) }
    }
}

/// Prints a line, or several, to standard output.
///
/// # Errors
///
/// Where it is closed.
pub fn say(line: &str) -> Result<(), VideoError> {
    written(writeln!(io::stdout(), "{line}"))
}

fn written(result: io::Result<()>) -> Result<(), VideoError> {
    result.map_err(|cause| VideoError::write("standard output", cause))
}

/// The clip of a city: below the current folder, or where this package was built from.
#[must_use]
pub fn default_clip() -> PathBuf {
    let here = [Path::new("examples").join(CLIP), PathBuf::from(CLIP)];
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join(CLIP);
    here.into_iter().find(|path| path.exists()).unwrap_or(built)
}

/// Runs a program: warnings go to standard error, an error is told and is the exit status.
pub fn main<E: std::fmt::Display>(program: impl FnOnce() -> Result<ExitCode, E>) -> ExitCode {
    // It fails only where one was set before, and then there is nothing to do.
    let _ = tracing::subscriber::set_global_default(Warnings(AtomicU64::new(1)));
    program().unwrap_or_else(|error| {
        note(&format!("error: {error}"));
        ExitCode::FAILURE
    })
}

/// The same for a film: Ctrl-C and SIGTERM end its sources so that outputs are closed as usual, and a second one
/// ends the process.
pub fn film<E: std::fmt::Display>(program: impl FnOnce() -> Result<ExitCode, E>) -> ExitCode {
    // As above.
    let _ = ctrlc::set_handler(|| {
        if source::stopped() {
            std::process::exit(i32::from(INTERRUPTED));
        }
        source::stop_all();
    });
    main(program)
}

/// Prints a line to standard error; a closed one is nobody's concern.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints warnings of libraries.
struct Warnings(AtomicU64);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Errors are returned too, and told once.
        *metadata.level() == Level::WARN && metadata.is_event()
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        note(&format!("warning: {}", line.0));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The message and fields of an event in one line.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
    }
}

#[cfg(test)]
mod tests;
