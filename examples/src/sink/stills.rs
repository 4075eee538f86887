//! A PNG for every frame.

use std::fs;
use std::path::{Path, PathBuf};

use image::{ExtendedColorType, ImageError, ImageFormat};

use super::Sink;
use crate::VideoError;
use crate::frame::Frame;

/// A folder of `frame-00000.png` and so on; sizes may change from frame to frame.
pub struct Stills {
    folder: PathBuf,
    next: u64,
}

impl Stills {
    /// Creates the folder where it is missing.
    ///
    /// # Errors
    ///
    /// Where it can't be created.
    pub fn create(folder: &Path) -> Result<Self, VideoError> {
        fs::create_dir_all(folder).map_err(|cause| VideoError::write(folder, cause))?;
        Ok(Self { folder: folder.into(), next: 0 })
    }
}

impl Sink for Stills {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        save_png(&self.folder.join(format!("frame-{:05}.png", self.next)), frame)?;
        self.next += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        Ok(())
    }
}

/// Writes one frame as a PNG.
pub(super) fn save_png(path: &Path, frame: &Frame) -> Result<(), VideoError> {
    let rgb = frame.to_rgb().to_vec();
    let (w, h) = (frame.width() as u32, frame.height() as u32);
    image::save_buffer_with_format(path, &rgb, w, h, ExtendedColorType::Rgb8, ImageFormat::Png)
        .map_err(|error| fault(path, error))
}

pub(super) fn fault(path: &Path, error: ImageError) -> VideoError {
    match error {
        ImageError::IoError(cause) => VideoError::write(path, cause),
        other => VideoError::Encode { path: path.into(), found: other.to_string() },
    }
}
