//! Where and how a network runs: options that every program has.

use std::fs;
use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;
use kpn::prelude::*;

use crate::{Failure, VideoError};

/// Which threads run the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Executor {
    /// A pool that all nodes share.
    #[default]
    Shared,
    /// A thread for each node.
    Private,
    /// One thread that makes seeded choices.
    Deterministic,
}

/// Options alike in all programs.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Run {
    /// Which threads run the nodes
    #[arg(long, value_enum, default_value_t)]
    pub executor: Executor,
    /// Threads of the shared pool, so with `--executor shared` alone [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub workers: Option<u16>,
    /// Which choices `--executor deterministic` makes, so with that alone [default: 0]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Tokens that an edge holds at most, where the network says nothing [default: 64, of frames 4]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub capacity: Option<u32>,
    /// Write the network as a Graphviz file
    #[arg(long, value_name = "FILE.dot")]
    pub graph: Option<PathBuf>,
    /// Print what each node and edge did
    #[arg(long)]
    pub report: bool,
}

impl Run {
    /// Runs `net` on the executor and with the workers that the user asked for. An edge that the network gives no
    /// capacity holds as many tokens as the user says, or else `capacity`, or else what is usual. Writes the graph
    /// before where that is asked for.
    ///
    /// # Errors
    ///
    /// Where the run fails or the graph can't be written.
    pub fn network(&self, mut net: Network<'_>, capacity: Option<usize>) -> Result<Report, Failure> {
        if let Some(capacity) = self.capacity.map(|n| n as usize).or(capacity) {
            net = net.with_capacity(capacity)?;
        }
        if let Some(path) = &self.graph {
            fs::write(path, net.dot()).map_err(|cause| VideoError::write(path, cause))?;
        }
        Ok(match self.executor {
            Executor::Private => net.run_on(Private::new())?,
            Executor::Deterministic => net.run_on(Deterministic::new(self.seed.unwrap_or_default()))?,
            Executor::Shared => match self.workers {
                Some(workers) => net.run_on(Shared::new().workers(workers.into()))?,
                None => net.run()?,
            },
        })
    }
}

/// Reads the arguments; `run` finds those that are alike in all programs. Ends the process where they are wrong, or help
/// is asked for.
#[must_use]
pub fn parse<A: Parser>(run: impl Fn(&A) -> &Run) -> A {
    check(A::parse(), run).unwrap_or_else(|error| error.exit())
}

/// What the parser can't tell: an option that another one's value makes useless.
pub(super) fn check<A: Parser>(arguments: A, run: impl Fn(&A) -> &Run) -> Result<A, clap::Error> {
    let Run { executor, workers, seed, .. } = run(&arguments);
    let why = match (executor, workers, seed) {
        (Executor::Private, Some(_), _) => {
            "'--workers' can't be used with '--executor private', which has a thread for each node"
        }
        (Executor::Deterministic, Some(_), _) => {
            "'--workers' can't be used with '--executor deterministic', which has one thread"
        }
        (Executor::Shared | Executor::Private, _, Some(_)) => {
            "'--seed' can't be used without '--executor deterministic', since nothing else makes seeded choices"
        }
        _ => return Ok(arguments),
    };
    Err(A::command().error(ErrorKind::ArgumentConflict, why))
}
