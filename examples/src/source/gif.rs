//! GIF animations.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;

use super::{Meta, Source};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

/// Browsers show frames of no duration for a tenth of a second.
const UNSAID: u32 = 100;

/// Frames that are decoded before they are asked for.
const AHEAD: usize = 2;

pub(super) fn open(path: &Path) -> Result<Source, VideoError> {
    let fail = |cause| VideoError::read(path, cause);
    let file = File::open(path).map_err(fail)?;
    let decoder = GifDecoder::new(BufReader::new(file)).map_err(|error| broken(path, error))?;
    let (send, frames) = mpsc::sync_channel(AHEAD);
    let name: PathBuf = path.into();
    // The iterator of frames can't move between threads, so it has one of its own.
    let decode = move || {
        let mut pts = 0;
        for frame in decoder.into_frames() {
            let frame = frame.map(|frame| picture(frame, &mut pts)).map_err(|error| broken(&name, error));
            // The decoder would repeat its error without end.
            let last = frame.is_err();
            if send.send(frame).is_err() || last {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("gif".into()).spawn(decode).map_err(fail)?;
    let mut frames = Frames { path: path.into(), frames, thread: Some(thread) };
    let first = frames
        .next()
        .unwrap_or_else(|| Err(VideoError::Truncated { path: path.into(), found: "it has no frame".into() }))?;
    let meta = Meta {
        width: first.width(),
        height: first.height(),
        timescale: 1000,
        frame_duration: first.duration,
        frames: None,
        layout: Layout::Rgba8,
        colour: first.colour(),
    };
    Ok(Source::new(meta, std::iter::once(Ok(first)).chain(frames)))
}

/// A decoded frame, shown at `pts`, which moves on to its end.
fn picture(frame: image::Frame, pts: &mut u64) -> Frame {
    let (num, den) = frame.delay().numer_denom_ms();
    let duration = if num == 0 { UNSAID } else { (num / den.max(1)).max(1) };
    let rgba = frame.into_buffer();
    let (w, h) = (rgba.width() as usize, rgba.height() as usize);
    let picture = Frame::from_vec(Layout::Rgba8, w, h, Colour::guess(h), rgba.into_raw());
    let picture = picture.at(*pts, duration);
    *pts += u64::from(duration);
    picture
}

/// What the decoding thread sends. Dropped, it leaves that thread nobody to send to, which ends it.
struct Frames {
    path: PathBuf,
    frames: Receiver<Result<Frame, VideoError>>,
    thread: Option<JoinHandle<()>>,
}

impl Iterator for Frames {
    type Item = Result<Frame, VideoError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(frame) = self.frames.recv() {
            return Some(frame);
        }
        let panicked = self.thread.take().is_some_and(|thread| thread.join().is_err());
        panicked.then(|| Err(VideoError::malformed(&self.path, "it breaks the decoder")))
    }
}

fn broken(path: &Path, error: image::ImageError) -> VideoError {
    match error {
        image::ImageError::IoError(cause) => VideoError::read(path, cause),
        other => VideoError::malformed(path, other.to_string()),
    }
}
