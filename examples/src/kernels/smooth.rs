//! Edge-preserving smoothing: flat areas become flat, edges stay where they are.
//!
//! An iterated, separable bilateral filter (Tomasi and Manduchi, "Bilateral filtering for gray and
//! color images", 1998; iterated as in Winnemöller, Olsen and Gooch, "Real-time video
//! abstraction", 2006), with Tukey's biweight in place of a Gaussian over differences: it needs no
//! exponential, and what differs too much counts for nothing.

use super::plane::Floats;
use crate::frame::Frame;

/// How to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Times that the filter runs over luma; chroma takes half as many.
    pub passes: usize,
    /// Reach of the filter in pixels, as the sigma of a Gaussian.
    pub sigma: f32,
    /// Difference in luma codes from which on a neighbour does not count.
    pub tolerance: f32,
}

impl Default for Smooth {
    fn default() -> Self {
        Self {
            passes: 4,
            sigma: 2.0,
            tolerance: 45.0,
        }
    }
}

impl Smooth {
    /// Rows above and below that a row's result depends on.
    #[must_use]
    pub fn reach(&self) -> usize {
        // Chroma may be halved: each of its rows stands for two.
        self.passes * (self.sigma * 2.5).ceil() as usize * 2
    }
}

/// Smooths luma and chroma.
#[must_use]
pub fn smooth(frame: &Frame, how: Smooth) -> Frame {
    let frame = frame.to_planar();
    let mut data = Vec::with_capacity(frame.layout().tight_len(frame.width(), frame.height()));
    for (i, plane) in frame.planes().enumerate() {
        let mut floats = Floats::from_plane(plane);
        let (passes, tolerance) = if i == 0 {
            (how.passes, how.tolerance)
        } else {
            (how.passes.div_ceil(2), how.tolerance * 0.7)
        };
        for _ in 0..passes {
            floats = floats.bilateral(how.sigma, tolerance);
        }
        floats.append_bytes(&mut data);
    }
    Frame::from_vec(
        frame.layout(),
        frame.width(),
        frame.height(),
        frame.colour(),
        data,
    )
    .at_time_of(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Colour, Layout};

    #[test]
    fn noise_goes_and_edges_stay() {
        let (w, h) = (33, 17);
        let noisy = |x: usize, y: usize| {
            let base = if x < 16 { 60 } else { 180 };
            base + ((x * 7 + y * 13) % 9) as u8
        };
        let mut data: Vec<u8> = (0..w * h).map(|i| noisy(i % w, i / w)).collect();
        data.resize(Layout::Yuv420.tight_len(w, h), 128);
        let frame = Frame::from_vec(Layout::Yuv420, w, h, Colour::SD, data);
        let out = smooth(&frame, Smooth::default());
        let row = out.plane(0).row(8);
        let spread = |values: &[u8]| values.iter().max().unwrap() - values.iter().min().unwrap();
        assert!(
            spread(&row[..16]) <= 3 && spread(&row[16..]) <= 3,
            "{row:?}"
        );
        assert!(row[16] - row[15] > 110, "{row:?}");
        assert!(out.plane(1).rows().flatten().all(|&c| c == 128));
    }
}
