//! GIF animations.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;

use super::{Meta, Source};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

/// Browsers show frames of no duration for a tenth of a second.
const UNSAID: u32 = 100;

pub(super) fn open(path: &Path) -> Result<Source, VideoError> {
    let file = File::open(path).map_err(|cause| VideoError::read(path, cause))?;
    let decoder = GifDecoder::new(BufReader::new(file)).map_err(|error| broken(path, error))?;
    let name: PathBuf = path.into();
    let mut pts = 0;
    let mut frames = decoder.into_frames().map(move |frame| {
        let frame = frame.map_err(|error| broken(&name, error))?;
        let (num, den) = frame.delay().numer_denom_ms();
        let duration = if num == 0 { UNSAID } else { (num / den.max(1)).max(1) };
        let rgba = frame.into_buffer();
        let (w, h) = (rgba.width() as usize, rgba.height() as usize);
        let picture = Frame::from_vec(Layout::Rgba8, w, h, Colour::guess(h), rgba.into_raw());
        let picture = picture.at(pts, duration);
        pts += u64::from(duration);
        Ok(picture)
    });
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
    // The decoder is not `Send` by its own word, so the frames are decoded ahead: animations are small.
    let all: Vec<_> = std::iter::once(Ok(first)).chain(frames).collect();
    Ok(Source::new(meta, all.into_iter()))
}

fn broken(path: &Path, error: image::ImageError) -> VideoError {
    match error {
        image::ImageError::IoError(cause) => VideoError::read(path, cause),
        other => VideoError::malformed(path, other.to_string()),
    }
}
