//! read → smooth → {edges, posterise} → ink → write

use super::closing;
use crate::VideoError;
use crate::kernels::{Edges, Posterise, Smooth, Steady, edges, ink, posterise, smooth};
use crate::sink::Sink;
use crate::source::Source;

/// Draws `source` as a cartoon into `sink`; returns the number of frames.
///
/// # Errors
///
/// The first of reading or writing; what came before it was written and closed.
pub fn cellshade(source: Source, sink: &mut dyn Sink) -> Result<u64, VideoError> {
    let mut count = 0;
    let mut steady = Steady::default();
    let run = || {
        for frame in source {
            let frame = smooth(&steady.next(&frame?), Smooth::default());
            let lines = edges(&frame, Edges::default());
            let colours = posterise(&frame, Posterise::default());
            sink.write(&ink(&lines, &colours))?;
            count += 1;
        }
        Ok(())
    };
    let result = run();
    closing(result, sink)?;
    Ok(count)
}
