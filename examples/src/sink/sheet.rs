//! Contact sheets: small pictures of a film, side by side.

use std::fs::File;
use std::path::{Path, PathBuf};

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{PixelType, Resizer};

use super::{Sink, stills};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

/// Pixels between pictures.
const GAP: usize = 8;
/// The sheet's colour between pictures.
const PAPER: [u8; 3] = [250, 248, 242];

/// Keeps evenly spaced pictures of a film whose length is not known beforehand: whenever it holds
/// twice as many as wanted, every second one goes.
struct Sampler {
    wanted: usize,
    width: usize,
    seen: u64,
    step: u64,
    kept: Vec<Frame>,
}

impl Sampler {
    fn new(wanted: usize, width: usize) -> Self {
        Self { wanted, width, seen: 0, step: 1, kept: Vec::new() }
    }

    fn add(&mut self, frame: &Frame) {
        if self.seen.is_multiple_of(self.step) {
            self.kept.push(thumbnail(frame, self.width));
            if self.kept.len() > 2 * self.wanted {
                let mut keep = [true, false].into_iter().cycle();
                self.kept.retain(|_| keep.next() == Some(true));
                self.step *= 2;
            }
        }
        self.seen += 1;
    }

    /// The wanted number of pictures out of those kept, from the middles of equal parts.
    fn pick(&self) -> Vec<&Frame> {
        let n = self.wanted.min(self.kept.len());
        (0..n).map(|i| &self.kept[(2 * i + 1) * self.kept.len() / (2 * n)]).collect()
    }
}

/// `frame` resized to `width` pixels, in RGB.
fn thumbnail(frame: &Frame, width: usize) -> Frame {
    let (w, h) = frame.size();
    let height = (h * width / w).max(1);
    let rgb = frame.to_rgb().to_vec();
    let resized = ImageRef::new(w as u32, h as u32, &rgb, PixelType::U8x3).ok().and_then(|from| {
        let mut to = Image::new(width as u32, height as u32, PixelType::U8x3);
        Resizer::new().resize(&from, &mut to, None).ok()?;
        Some(to.into_vec())
    });
    let data = resized.unwrap_or_else(|| vec![0; width * height * 3]);
    Frame::from_vec(Layout::Rgb8, width, height, frame.colour(), data)
}

/// Lays rows of pictures out on paper.
fn lay_out(rows: &[Vec<&Frame>]) -> Frame {
    let row_width = |row: &Vec<&Frame>| row.iter().map(|f| f.width() + GAP).sum::<usize>() + GAP;
    let row_height = |row: &Vec<&Frame>| row.iter().map(|f| f.height()).max().unwrap_or(0) + GAP;
    let width = rows.iter().map(row_width).max().unwrap_or(GAP);
    let height = rows.iter().map(row_height).sum::<usize>() + GAP;
    let data = PAPER.repeat(width * height);
    let mut sheet = Frame::from_vec(Layout::Rgb8, width, height, Colour::SD, data);
    let mut top = GAP;
    for row in rows {
        let mut left = GAP;
        for picture in row {
            for (y, line) in picture.plane(0).rows().enumerate() {
                sheet.row_mut(0, top + y)[left * 3..][..line.len()].copy_from_slice(line);
            }
            left += picture.width() + GAP;
        }
        top += row_height(row);
    }
    sheet
}

/// A sheet of evenly spaced pictures of the whole film.
pub struct Sheet {
    path: PathBuf,
    sampler: Sampler,
    done: bool,
}

impl Sheet {
    /// Pictures in a row.
    const COLUMNS: usize = 3;
    /// Pictures in all.
    const PICTURES: usize = 9;
    /// Width of a picture, in pixels.
    const WIDTH: usize = 480;

    /// Creates the file, which fills when the film ends.
    ///
    /// # Errors
    ///
    /// Where it can't be created.
    pub fn create(path: &Path) -> Result<Self, VideoError> {
        File::create(path).map_err(|cause| VideoError::write(path, cause))?;
        Ok(Self { path: path.into(), sampler: Sampler::new(Self::PICTURES, Self::WIDTH), done: false })
    }
}

impl Sink for Sheet {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        self.sampler.add(frame);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        if std::mem::replace(&mut self.done, true) || self.sampler.kept.is_empty() {
            return Ok(());
        }
        let rows: Vec<Vec<&Frame>> = self.sampler.pick().chunks(Self::COLUMNS).map(<[_]>::to_vec).collect();
        stills::save_png(&self.path, &lay_out(&rows))
    }
}

impl Drop for Sheet {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::warn!("{error}");
        }
    }
}

/// A sheet with one row for every scene.
pub struct RowSheet {
    path: PathBuf,
    rows: Vec<Sampler>,
}

impl RowSheet {
    /// Pictures in a row.
    const PICTURES: usize = 5;
    /// Width of a picture, in pixels.
    const WIDTH: usize = 256;

    /// Creates the file, which fills at [`finish`](RowSheet::finish).
    ///
    /// # Errors
    ///
    /// Where it can't be created.
    pub fn create(path: &Path) -> Result<Self, VideoError> {
        File::create(path).map_err(|cause| VideoError::write(path, cause))?;
        Ok(Self { path: path.into(), rows: Vec::new() })
    }

    /// Adds a frame to the last row, or to a new one.
    pub fn add(&mut self, frame: &Frame, new_row: bool) {
        if new_row || self.rows.is_empty() {
            self.rows.push(Sampler::new(Self::PICTURES, Self::WIDTH));
        }
        if let Some(row) = self.rows.last_mut() {
            row.add(frame);
        }
    }

    /// Writes the sheet.
    ///
    /// # Errors
    ///
    /// Where it can't be written.
    pub fn finish(&mut self) -> Result<(), VideoError> {
        let rows: Vec<_> = self.rows.iter().map(Sampler::pick).collect();
        if rows.is_empty() { Ok(()) } else { stills::save_png(&self.path, &lay_out(&rows)) }
    }
}
