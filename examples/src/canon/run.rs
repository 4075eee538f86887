//! Runs a network as the options say, and shows what it came to.

use std::fmt::Display;

use kpn::prelude::*;

use crate::Failure;
use crate::cli::{self, Run};

/// Runs `net` as the user asked for, and prints the report where that is asked for.
///
/// # Errors
///
/// Where the run fails or the graph can't be written.
pub fn run(net: Network<'_>, options: &Run) -> Result<Report, Failure> {
    let report = options.network(net, None)?;
    if options.report {
        cli::say(report.to_string().trim_end())?;
    }
    Ok(report)
}

/// The tokens in a line, where they are many the first ten, the last, and how many there are.
#[must_use]
pub fn shown<T: Display>(tokens: &[T]) -> String {
    const MOST: usize = 20;
    let joined = |tokens: &[T]| tokens.iter().map(T::to_string).collect::<Vec<_>>().join(" ");
    match tokens {
        [first @ .., last] if tokens.len() > MOST => {
            format!("{} … {last} ({} in all)", joined(&first[..MOST / 2]), tokens.len())
        }
        _ => joined(tokens),
    }
}

/// The same of samples, rounded to a millionth.
#[must_use]
pub fn shown_rounded(samples: &[f64]) -> String {
    const PARTS: f64 = 1e6;
    // What is added makes a negative zero a positive one.
    shown(&samples.iter().map(|x| (x * PARTS).round() / PARTS + 0.0).collect::<Vec<_>>())
}
