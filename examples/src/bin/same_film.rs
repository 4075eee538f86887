//! Shows that a film does not depend on where and how its network runs: every program on every clip, as a plain
//! loop, on private threads and on pools of 1, 2 and 4, with edges of 1, 2 and 64 frames.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use kpn::prelude::*;
use kpn_examples::findings::Findings;
use kpn_examples::kernels::Filter;
use kpn_examples::nets::{self, Found};
use kpn_examples::sink::{Nothing, Output, Tally};
use kpn_examples::source::Source;
use kpn_examples::{cli, plain};

/// Compares the frame hashes of all programs in all ways; exits non-zero where two differ.
#[derive(Parser)]
struct Arguments {
    /// Frames of each clip; all of them where nothing is said
    #[arg(long)]
    frames: Option<u64>,
    /// Folder of the clips
    #[arg(long)]
    clips: Option<PathBuf>,
}

/// The clips, and where their scenes are cut.
const CLIPS: [(&str, &[u64]); 3] =
    [("bbb-cuts.mp4", &[44, 148, 190, 227, 261, 327, 379]), ("city-cc0.mp4", &[116]), ("cup.mp4", &[])];
/// Bands of `frames`.
const WIDE: usize = 4;

/// What a run came to.
#[derive(Clone, PartialEq)]
struct Run {
    tally: Tally,
    found: Option<Findings>,
}

type Outcome = Result<Run, Box<dyn std::error::Error>>;

#[derive(Clone, Copy)]
enum Program {
    Cellshade,
    Scenes,
    Frames,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cellshade => "cellshade",
            Self::Scenes => "scenes",
            Self::Frames => "frames",
        })
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match compare(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            line(&format!("same_film: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    let default = || cli::default_clip().parent().map(Path::to_path_buf).unwrap_or_default();
    let clips = arguments.clips.clone().unwrap_or_else(default);
    let mut same = true;
    for (clip, cuts) in CLIPS {
        for program in [Program::Cellshade, Program::Scenes, Program::Frames] {
            let open = || -> Result<Source, Box<dyn std::error::Error>> {
                let source = Source::open(&clips.join(clip).display().to_string())?;
                Ok(match arguments.frames {
                    Some(n) => source.first(n),
                    None => source,
                })
            };
            let truth = as_loop(program, open()?)?;
            let mut ways = 0;
            for capacity in [1, 2, 64] {
                for workers in [0, 1, 2, 4] {
                    ways += 1;
                    if as_network(program, open()?, capacity, workers)? != truth {
                        line(&format!("{program} {clip}: capacity {capacity}, {workers} workers (0: private) differs"));
                        same = false;
                    }
                }
            }
            line(&format!(
                "{program:<9} {clip:<12} {:>3} frames, hash {}, {ways} ways and the plain loop",
                truth.tally.frames, truth.tally.hash
            ));
            same &= cuts_hold(clip, truth.found.as_ref(), cuts, truth.tally.frames);
        }
    }
    line(if same { "all the same" } else { "not the same" });
    Ok(same)
}

/// Each cut found within a frame of where it is, and none where there is none.
fn cuts_hold(clip: &str, found: Option<&Findings>, cuts: &[u64], frames: u64) -> bool {
    let Some(found) = found else { return true };
    let expected: Vec<u64> = cuts.iter().copied().filter(|cut| *cut < frames).collect();
    let near = found.cuts.len() == expected.len()
        && found.cuts.iter().zip(&expected).all(|(found, cut)| found.abs_diff(*cut) <= 1);
    line(&format!("          {clip:<12} cuts {:?}, expected {expected:?}", found.cuts));
    near
}

fn as_loop(program: Program, source: Source) -> Outcome {
    let mut output = Output::new(Box::new(Nothing));
    let mut found = None;
    match program {
        Program::Cellshade => {
            plain::cellshade(source, &mut output)?;
        }
        Program::Scenes => found = Some(plain::scenes(source, &mut output, None)?),
        Program::Frames => {
            plain::frames(source, &mut output, Filter::Smooth, WIDE)?;
        }
    }
    Ok(Run { tally: output.tally().get(), found })
}

fn as_network(program: Program, source: Source, capacity: usize, workers: usize) -> Outcome {
    let output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    let mut found = Found::default();
    let net = match program {
        Program::Cellshade => nets::cellshade(source, output)?,
        Program::Scenes => nets::scenes(source, output, None, &mut found)?,
        Program::Frames => nets::frames(source, output, Filter::Smooth, WIDE)?,
    };
    let net = net.with_capacity(capacity)?;
    match workers {
        0 => net.run_on(Private::new())?,
        n => net.run_on(Shared::new().workers(n))?,
    };
    let found = matches!(program, Program::Scenes).then(|| found.into_findings());
    Ok(Run { tally: tally.get(), found })
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn line(text: &str) {
    println!("{text}");
}
