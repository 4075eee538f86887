//! GIF animations.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, RgbaImage};

use super::{Sink, stills};
use crate::VideoError;
use crate::frame::{Frame, Layout};
use crate::source::Meta;

/// From 1, slow and fine, to 30: colours are picked for each frame.
const SPEED: i32 = 10;

/// An endless GIF. GIF counts in hundredths of a second: what a frame's time is rounded by is made
/// up for by the next, so that the whole keeps its length.
pub struct Gif {
    path: PathBuf,
    encoder: Option<GifEncoder<BufWriter<File>>>,
    timescale: u64,
    shown: u64,
}

impl Gif {
    /// Creates the file.
    ///
    /// # Errors
    ///
    /// Where it can't be created.
    pub fn create(path: &Path, meta: &Meta) -> Result<Self, VideoError> {
        let file = File::create(path).map_err(|cause| VideoError::write(path, cause))?;
        let mut encoder = GifEncoder::new_with_speed(BufWriter::new(file), SPEED);
        encoder.set_repeat(Repeat::Infinite).map_err(|error| stills::fault(path, error))?;
        Ok(Self { path: path.into(), encoder: Some(encoder), timescale: u64::from(meta.timescale), shown: 0 })
    }
}

impl Sink for Gif {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        let end = (frame.pts + u64::from(frame.duration)) * 100 / self.timescale;
        let hundredths = end.saturating_sub(self.shown).max(1);
        self.shown += hundredths;
        let (w, h) = (frame.width() as u32, frame.height() as u32);
        let data = frame.to(Layout::Rgba8, frame.colour()).to_vec();
        let (Some(picture), Some(encoder)) = (RgbaImage::from_raw(w, h, data), &mut self.encoder) else {
            return Err(VideoError::Encode { path: self.path.clone(), found: "it is closed".into() });
        };
        let delay = Delay::from_numer_denom_ms(hundredths as u32 * 10, 1);
        encoder
            .encode_frame(image::Frame::from_parts(picture, 0, 0, delay))
            .map_err(|error| stills::fault(&self.path, error))
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        // The encoder writes its trailer as it is dropped.
        self.encoder = None;
        Ok(())
    }
}
