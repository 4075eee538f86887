//! read → [band; N] → join → write

use super::closing;
use crate::VideoError;
use crate::kernels::{Filter, band, join_bands};
use crate::sink::Sink;
use crate::source::Source;

/// Puts `source` through a filter in `wide` bands and into `sink`; returns the number of frames.
///
/// # Errors
///
/// The first of reading or writing; what came before it was written and closed.
pub fn frames(source: Source, sink: &mut dyn Sink, filter: Filter, wide: usize) -> Result<u64, VideoError> {
    let mut count = 0;
    let run = || {
        for frame in source {
            let frame = frame?;
            let bands: Vec<_> = (0..wide.max(1)).map(|i| band(&frame, filter, i, wide.max(1))).collect();
            sink.write(&join_bands(&bands))?;
            count += 1;
        }
        Ok(())
    };
    let result = run();
    closing(result, sink)?;
    Ok(count)
}
