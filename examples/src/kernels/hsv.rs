//! Hue, saturation and value, and how far apart two pictures are in them.

use crate::frame::{Frame, Layout};

/// Hue from 0 to 179 (two degrees a code), saturation and value from 0 to 255: the eight-bit form
/// that most vision software uses.
#[must_use]
pub fn from_rgb([r, g, b]: [u8; 3]) -> [u8; 3] {
    let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
    let value = r.max(g).max(b);
    let spread = value - r.min(g).min(b);
    if spread == 0 {
        return [0, 0, value as u8];
    }
    // Sixths of a turn are 30 codes; twice the numerator plus the denominator rounds to nearest.
    let part = |a: i32, b: i32| (60 * (a - b) + spread).div_euclid(2 * spread);
    let hue = if value == r {
        part(g, b)
    } else if value == g {
        60 + part(b, r)
    } else {
        120 + part(r, g)
    };
    let saturation = (2 * 255 * spread + value) / (2 * value);
    [hue.rem_euclid(180) as u8, saturation as u8, value as u8]
}

/// A small picture in hue, saturation and value, three bytes a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hsv {
    width: usize,
    data: Vec<[u8; 3]>,
}

/// Width to which frames shrink before they are compared: grain averages out, and it is quick.
const WIDTH: usize = 256;

impl Hsv {
    /// Shrinks a frame by a whole factor, averaging, and converts it.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let frame = frame.to(Layout::Rgb8, frame.colour());
        let (w, h) = frame.size();
        let factor = (w / WIDTH).max(1);
        let (width, height) = ((w / factor).max(1), (h / factor).max(1));
        let mut data = Vec::with_capacity(width * height);
        let mut sums = vec![[0u32; 3]; width];
        for y in 0..height {
            sums.fill([0; 3]);
            for row in (y * factor..(y + 1) * factor).map(|y| frame.plane(0).row(y)) {
                for (sum, pixels) in sums.iter_mut().zip(row.chunks_exact(3 * factor)) {
                    for pixel in pixels.chunks_exact(3) {
                        (0..3).for_each(|i| sum[i] += u32::from(pixel[i]));
                    }
                }
            }
            let count = (factor * factor) as u32;
            data.extend(sums.iter().map(|sum| from_rgb(sum.map(|s| ((s + count / 2) / count) as u8))));
        }
        Self { width, data }
    }

    /// The mean absolute difference over pixels and the three components, in codes; `None` where
    /// the sizes differ.
    ///
    /// Hue is taken as a plain number, as scene detectors do: red may be far from red.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<f64> {
        if (self.width, self.data.len()) != (other.width, other.data.len()) {
            return None;
        }
        let pairs = self.data.iter().flatten().zip(other.data.iter().flatten());
        let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        Some(sum as f64 / (3 * self.data.len()) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours() {
        assert_eq!(from_rgb([255, 0, 0]), [0, 255, 255]);
        assert_eq!(from_rgb([0, 255, 0]), [60, 255, 255]);
        assert_eq!(from_rgb([0, 0, 255]), [120, 255, 255]);
        assert_eq!(from_rgb([255, 0, 1]), [0, 255, 255]);
        assert_eq!(from_rgb([255, 0, 255]), [150, 255, 255]);
        assert_eq!(from_rgb([128, 128, 128]), [0, 0, 128]);
        assert_eq!(from_rgb([100, 50, 50]), [0, 128, 100]);
    }
}
