//! A moving test pattern: no file needed, and every pixel known.

use super::{Meta, Source};
use crate::frame::{Colour, Frame, Layout};

/// Colour bars over a ramp, with a square that crosses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Number of frames.
    pub frames: u64,
}

/// The eight bars of full and no intensity, as R, G, B.
const BARS: [[u8; 3]; 8] =
    [[255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0], [0, 0, 255], [0, 0, 0]];

impl Pattern {
    /// Frames unless said.
    const FRAMES: u64 = 250;
    /// Pixels that a side has at most.
    const LARGEST: u64 = 1 << 14;

    /// Reads `WIDTHxHEIGHT` or `WIDTHxHEIGHTxFRAMES`; 250 frames unless said.
    ///
    /// # Errors
    ///
    /// What is wrong with `text`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u64>> = text.split('x').map(number).collect();
        let (width, height, frames) = match numbers.as_deref() {
            Some(&[width, height]) => (width, height, Self::FRAMES),
            Some(&[width, height, frames]) => (width, height, frames),
            _ => {
                let default = Self::FRAMES;
                return Err(format!("expected pattern:WIDTHxHEIGHT[xFRAMES], of {default} frames unless said"));
            }
        };
        if width == 0 || height == 0 {
            return Err("its size is zero".into());
        }
        if width.max(height) > Self::LARGEST {
            return Err(format!("its size is too large: at most {0}x{0} pixels", Self::LARGEST));
        }
        Ok(Self { width: width as usize, height: height as usize, frames })
    }

    /// Frame `index`, in RGB.
    #[must_use]
    pub fn frame(&self, index: u64) -> Frame {
        let (w, h) = (self.width, self.height);
        let side = (w.min(h) / 4).max(1);
        let left = (index as usize * 3) % w;
        let top = (index as usize * 2) % h;
        let mut data = Vec::with_capacity(w * h * 3);
        for y in 0..h {
            for x in 0..w {
                let inside = (x + w - left) % w < side && (y + h - top) % h < side;
                let pixel = if inside {
                    [240, 120, 20]
                } else if y < h * 3 / 4 {
                    BARS[x * BARS.len() / w]
                } else {
                    [(x * 255 / w) as u8; 3]
                };
                data.extend_from_slice(&pixel);
            }
        }
        Frame::from_vec(Layout::Rgb8, w, h, Colour::guess(h), data).at(index * 1001, 1001)
    }

    /// The pattern as a film at 30000/1001 frames a second.
    #[must_use]
    pub fn into_source(self) -> Source {
        let meta = Meta {
            width: self.width,
            height: self.height,
            timescale: 30_000,
            frame_duration: 1001,
            frames: Some(self.frames),
            layout: Layout::Rgb8,
            colour: Colour::guess(self.height),
        };
        Source::new(meta, (0..self.frames).map(move |index| Ok(self.frame(index))))
    }
}

/// A number in digits; one that is too large to count is the largest.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn sizes_and_what_is_wrong_with_them() {
        assert_eq!(Pattern::parse("64x48"), Ok(Pattern { width: 64, height: 48, frames: 250 }));
        assert_eq!(Pattern::parse("64x48x3"), Ok(Pattern { width: 64, height: 48, frames: 3 }));
        for text in ["", "64", "64x", "64x48x", "64x48x1x1", "+64x48", "wide"] {
            assert!(Pattern::parse(text).unwrap_err().contains("250 frames unless said"), "{text}");
        }
        for text in ["20000x48", "64x20000", "99999999999999999999999x48"] {
            assert!(Pattern::parse(text).unwrap_err().contains("too large"), "{text}");
        }
        assert!(Pattern::parse("0x48").unwrap_err().contains("zero"));
    }
}
