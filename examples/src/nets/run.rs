//! Runs a network as the options say.

use std::{fmt, fs};

use kpn::prelude::*;

use super::CAPACITY;
use crate::VideoError;
use crate::cli::{self, Options};

/// Why a program failed.
#[derive(Debug)]
pub enum Failure {
    /// The input or output.
    Video(VideoError),
    /// The network's description.
    Build(BuildError),
    /// The network's run.
    Run(RunError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Video(error) => error.fmt(f),
            Self::Build(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<VideoError> for Failure {
    fn from(error: VideoError) -> Self {
        Self::Video(error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

/// Runs `net` on the executor, with the workers and the capacity that the user asked for; writes
/// the graph before and prints the report after where that is asked for.
///
/// # Errors
///
/// Where a node fails or the graph can't be written.
pub fn run(net: Network<'_>, options: &Options) -> Result<(), Failure> {
    let net = net.with_capacity(options.capacity.map_or(CAPACITY, |n| n as usize))?;
    if let Some(path) = &options.graph {
        fs::write(path, net.dot()).map_err(|cause| VideoError::write(path, cause))?;
    }
    let report = match options.executor {
        cli::Executor::Private => net.run_on(Private::new())?,
        cli::Executor::Shared => match options.workers {
            Some(workers) => net.run_on(Shared::new().workers(workers.into()))?,
            None => net.run()?,
        },
    };
    if options.report {
        options.say(report.to_string().trim_end())?;
    }
    Ok(())
}
