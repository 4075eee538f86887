//! Runs a network as the options say.

use kpn::prelude::*;

use super::CAPACITY;
use crate::Failure;
use crate::cli::Options;

/// Runs `net` as the user asked for; writes the graph before and prints the report after where that is asked for.
///
/// # Errors
///
/// Where a node fails or the graph can't be written.
pub fn run(net: Network<'_>, options: &Options) -> Result<(), Failure> {
    let report = options.run.network(net, Some(CAPACITY))?;
    if options.run.report {
        options.say(report.to_string().trim_end())?;
    }
    Ok(())
}
