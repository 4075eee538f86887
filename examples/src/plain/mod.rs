//! The three programs as plain loops on one thread.
//!
//! They are the oracle for the networks, which must give the same frames, and the baseline for
//! their speed.

mod cellshade;
mod frames;
mod scenes;

pub use cellshade::cellshade;
pub use frames::frames;
pub use scenes::scenes;

use crate::VideoError;
use crate::sink::Sink;

/// Finishes `sink` whatever happened, and tells what happened first.
fn closing<T>(result: Result<T, VideoError>, sink: &mut dyn Sink) -> Result<T, VideoError> {
    let closed = sink.finish();
    let value = result?;
    closed.map(|()| value)
}

#[cfg(test)]
mod tests;
