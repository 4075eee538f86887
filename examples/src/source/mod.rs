//! Where frames come from.
//!
//! [`Source::open`] looks at what it is given: an MP4 film, a Y4M file or `-` for Y4M on standard
//! input, a folder or pattern of pictures, a GIF, `pattern:WIDTHxHEIGHT[xFRAMES]`, and anything else through the
//! `ffmpeg` program where there is one.

mod ffmpeg;
mod gif;
mod index;
mod mp4;
mod pattern;
mod sps;
mod stills;
mod y4m;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

pub use pattern::Pattern;
pub use y4m::read as y4m;

/// What is known of a film before its first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Ticks a second; frames count their time in ticks.
    pub timescale: u32,
    /// Ticks that the first frame is shown; the others mostly as long.
    pub frame_duration: u32,
    /// Number of frames, where the container says.
    pub frames: Option<u64>,
    /// Layout of the frames.
    pub layout: Layout,
    /// Colour of the frames.
    pub colour: Colour,
}

impl Meta {
    /// Frames a second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        f64::from(self.timescale) / f64::from(self.frame_duration.max(1))
    }
}

/// Set once the user asks to stop; every source then ends before its next frame.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Makes all sources of the process end before their next frame, so that what is under way is
/// finished and outputs are closed as usual.
pub fn stop_all() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether [`stop_all`] was called.
#[must_use]
pub fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// A film: an iterator of frames, with what is known of it beforehand.
///
/// After an error it ends.
pub struct Source {
    meta: Meta,
    left: u64,
    frames: Box<dyn Iterator<Item = Result<Frame, VideoError>> + Send>,
}

impl Source {
    /// Opens what `spec` names; see the module's head.
    ///
    /// # Errors
    ///
    /// Where it can't be read, is broken, or nothing here can decode it.
    pub fn open(spec: &str) -> Result<Self, VideoError> {
        if spec == "-" {
            return y4m::read("standard input", std::io::stdin()).map_err(y4m_only);
        }
        if let Some(size) = spec.strip_prefix("pattern:") {
            return Pattern::parse(size).map(Pattern::into_source).map_err(|found| VideoError::malformed(spec, found));
        }
        let path = Path::new(spec);
        if is_several(spec) {
            return stills::open(spec);
        }
        let mut head = Vec::with_capacity(16);
        File::open(path)
            .and_then(|file| file.take(16).read_to_end(&mut head))
            .map_err(|cause| VideoError::read(path, cause))?;
        match head.as_slice() {
            [] => Err(VideoError::Truncated { path: path.into(), found: "the file is empty".into() }),
            head if head.starts_with(y4m::SIGNATURE) => y4m::open(path),
            [b'G', b'I', b'F', b'8', ..] => gif::open(path),
            [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => stills::open_one(path),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => match mp4::open(path) {
                Err(VideoError::Unsupported { found, .. }) => ffmpeg::open(path, &found),
                other => other,
            },
            _ => ffmpeg::open(path, "it is neither MP4, Y4M, GIF, PNG nor JPEG"),
        }
    }

    /// A source of any iterator.
    pub fn new(meta: Meta, frames: impl Iterator<Item = Result<Frame, VideoError>> + Send + 'static) -> Self {
        Self { meta, left: u64::MAX, frames: Box::new(frames) }
    }

    /// The same film, of which a frame was read to see that there is one.
    ///
    /// # Errors
    ///
    /// Where there is none, or it can't be read; `name` stands for the film then.
    pub fn not_empty(mut self, name: &str) -> Result<Self, VideoError> {
        let first = if self.left == 0 { None } else { self.frames.next() };
        let first = first.unwrap_or_else(|| Err(VideoError::NoFrames { input: name.into() }))?;
        self.frames = Box::new(std::iter::once(Ok(first)).chain(self.frames));
        Ok(self)
    }

    /// What is known beforehand.
    #[must_use]
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// The same film, ended after `n` frames where it is longer.
    #[must_use]
    pub fn first(mut self, n: u64) -> Self {
        self.left = self.left.min(n);
        self.meta.frames = self.meta.frames.map(|all| all.min(n));
        self
    }
}

impl Iterator for Source {
    type Item = Result<Frame, VideoError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 || stopped() {
            return None;
        }
        let item = self.frames.next();
        match item {
            Some(Ok(_)) => self.left -= 1,
            _ => self.left = 0,
        }
        item
    }
}

/// The files that [`Source::open`] reads for `spec`: none where it is standard input or the pattern.
#[must_use]
pub fn files(spec: &str) -> Vec<PathBuf> {
    if spec == "-" || spec.starts_with("pattern:") {
        return Vec::new();
    }
    // What can't be listed can't be opened, and is told then.
    if is_several(spec) { stills::list(spec).unwrap_or_default() } else { vec![spec.into()] }
}

/// Whether `spec` is a folder or pattern of pictures.
fn is_several(spec: &str) -> bool {
    let path = Path::new(spec);
    path.is_dir() || (!path.exists() && spec.contains(['*', '?', '[']))
}

/// Adds to an error what standard input may be.
fn y4m_only(error: VideoError) -> VideoError {
    let more = |found| format!("{found}; standard input takes Y4M only");
    match error {
        VideoError::Malformed { path, found } => VideoError::Malformed { path, found: more(found) },
        VideoError::Truncated { path, found } => VideoError::Truncated { path, found: more(found) },
        other => other,
    }
}

#[cfg(test)]
mod tests;
