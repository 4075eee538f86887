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
    /// Reads `WIDTHxHEIGHT` or `WIDTHxHEIGHTxFRAMES`; 250 frames unless said.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('x').map(|n| n.parse::<usize>().ok());
        let (width, height) = (numbers.next()??, numbers.next()??);
        let frames = numbers.next().unwrap_or(Some(250))? as u64;
        let sensible = 1..=1 << 14;
        (numbers.next().is_none() && sensible.contains(&width) && sensible.contains(&height)).then_some(Self {
            width,
            height,
            frames,
        })
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
