//! Where frames go.
//!
//! [`open`] looks at the name: `FILE.mp4`, `FILE.y4m` or `-` for Y4M on standard output,
//! `FILE.gif`, `FILE.png` for a contact sheet, `FOLDER/` for a PNG sequence, `hash` and `none` for
//! nothing but the count and the hash that [`Output`] keeps anyway.

mod gif;
mod hash;
mod mp4;
mod mux;
mod sheet;
mod stills;
mod y4m;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::VideoError;
use crate::frame::Frame;
use crate::source::Meta;

pub use gif::Gif;
pub use hash::FrameHash;
pub use mp4::Mp4;
pub use sheet::{RowSheet, Sheet};
pub use stills::Stills;
pub use y4m::Y4m;

/// Takes the frames of a film, in order.
///
/// A sink that is dropped without [`finish`](Sink::finish), or that met an error, still leaves a
/// playable file of what it got before, as far as its format allows.
pub trait Sink: Send {
    /// Takes the next frame.
    ///
    /// # Errors
    ///
    /// Where it can't be encoded or written.
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError>;

    /// Writes what remains and closes the output.
    ///
    /// # Errors
    ///
    /// Where that can't be written.
    fn finish(&mut self) -> Result<(), VideoError>;
}

/// Opens what `spec` names for a film like `meta`; see the module's head.
///
/// # Errors
///
/// Where no rule knows `spec`, or the output can't be created.
pub fn open(spec: &str, meta: &Meta) -> Result<Box<dyn Sink>, VideoError> {
    let path = Path::new(spec);
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    Ok(match (spec, extension.as_deref()) {
        ("hash" | "none", _) => Box::new(Nothing),
        ("-", _) => Box::new(Y4m::new("standard output", std::io::stdout(), meta)),
        (_, _) if spec.ends_with('/') || path.is_dir() => Box::new(Stills::create(path)?),
        (_, Some("mp4" | "m4v" | "mov")) => Box::new(Mp4::create(path, meta)?),
        (_, Some("y4m")) => Box::new(Y4m::create(path, meta)?),
        (_, Some("gif")) => Box::new(Gif::create(path, meta)?),
        (_, Some("png")) => Box::new(Sheet::create(path)?),
        _ => return Err(VideoError::UnknownOutput { spec: spec.into() }),
    })
}

/// Takes frames and keeps none.
pub struct Nothing;

impl Sink for Nothing {
    fn write(&mut self, _: &Frame) -> Result<(), VideoError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        Ok(())
    }
}

/// Gives every frame to all of its sinks.
pub struct Tee(pub Vec<Box<dyn Sink>>);

impl Sink for Tee {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        self.0.iter_mut().try_for_each(|sink| sink.write(frame))
    }

    /// Finishes all of them, and tells the first error.
    fn finish(&mut self) -> Result<(), VideoError> {
        self.0.iter_mut().map(|sink| sink.finish()).fold(Ok(()), Result::and)
    }
}

/// How many frames reached an output, and their hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames written.
    pub frames: u64,
    /// Hash of their pixels, sizes and times.
    pub hash: FrameHash,
}

/// A sink that counts and hashes what it passes on.
///
/// The tally is read through a handle, so that it can be had after a network took the output.
pub struct Output {
    sink: Box<dyn Sink>,
    tally: TallyHandle,
}

/// Reads an output's tally from elsewhere.
#[derive(Clone, Default)]
pub struct TallyHandle(Arc<Mutex<Tally>>);

impl TallyHandle {
    /// The tally so far.
    #[must_use]
    pub fn get(&self) -> Tally {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Counts and hashes what `sink` gets.
    #[must_use]
    pub fn new(sink: Box<dyn Sink>) -> Self {
        Self { sink, tally: TallyHandle::default() }
    }

    /// [`open`], counted and hashed.
    ///
    /// # Errors
    ///
    /// As [`open`].
    pub fn open(spec: &str, meta: &Meta) -> Result<Self, VideoError> {
        open(spec, meta).map(Self::new)
    }

    /// A handle to the tally.
    #[must_use]
    pub fn tally(&self) -> TallyHandle {
        self.tally.clone()
    }
}

impl Sink for Output {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        self.sink.write(frame)?;
        // Hashed outside the lock: a reader is never kept waiting.
        let mut tally = self.tally.get();
        tally.frames += 1;
        tally.hash.add(frame);
        *self.tally.0.lock().unwrap_or_else(PoisonError::into_inner) = tally;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        self.sink.finish()
    }
}

#[cfg(test)]
mod tests;
