//! The three programs as networks: a node is a small wrapper over a kernel.

mod cellshade;
mod frames;
mod run;
mod scenes;

pub use cellshade::cellshade;
pub use frames::frames;
pub use run::run;
pub use scenes::{Found, scenes};

use kpn::prelude::*;

use crate::VideoError;
use crate::frame::Frame;
use crate::sink::{Output, Sink};
use crate::source::Source;

/// Frames that an edge holds unless the user says otherwise. More would only push frames out of the cache before they
/// are read: `bench_cellshade --capacity` shows it.
pub const CAPACITY: usize = 4;

/// A node that sends the frames of a film; made by [`read`].
pub struct Read(Source);

/// Sends the frames of a film, and ends with it.
#[must_use]
pub fn read(source: Source) -> Read {
    Read(source)
}

#[node]
impl Read {
    fn fire(&mut self) -> Result<Option<Frame>, VideoError> {
        self.0.next().transpose()
    }
}

/// A node that writes frames; made by [`write()`].
pub struct Write(Output);

/// Writes frames, and closes the output after the last.
#[must_use]
pub fn write(output: Output) -> Write {
    Write(output)
}

#[node]
impl Write {
    fn fire(&mut self, frame: &Frame) -> Result<(), VideoError> {
        self.0.write(frame)
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests;
