//! Edge-preserving smoothing: flat areas become flat, edges stay where they are.
//!
//! An iterated, separable bilateral filter (Tomasi and Manduchi, "Bilateral filtering for gray and
//! color images", 1998; iterated as in Winnemöller, Olsen and Gooch, "Real-time video
//! abstraction", 2006), with a tent in place of the Gaussian over differences: it needs no
//! exponential, whole numbers do, and what differs too much counts for nothing.

use super::plane::{Samples, gaussian};
use crate::frame::Frame;

/// How to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Times that the filter runs over luma; chroma takes half as many.
    pub passes: usize,
    /// Reach of the filter in pixels, as the sigma of a Gaussian.
    pub sigma: f32,
    /// Difference in codes from which on a neighbour does not count; at most [`Smooth::MOST`].
    pub tolerance: u8,
}

impl Default for Smooth {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Sum of the weights by place. A tap adds at most a quarter of the squared tolerance times its
/// weight, so that 16 bits hold every sum: 45² / 4 · 64 is less than 2¹⁵.
const WHOLE: f32 = 64.0;
/// Pixels that are summed together: few enough to stay in the nearest cache, and plain loops over
/// them, which the compiler turns into vectors.
const BLOCK: usize = 256;

impl Smooth {
    /// What [`Smooth::default`] gives.
    pub const DEFAULT: Self = Self { passes: 4, sigma: 2.0, tolerance: 45 };
    /// The highest tolerance.
    pub const MOST: u8 = 45;

    /// Rows above and below that a row's result depends on.
    #[must_use]
    pub fn reach(&self) -> usize {
        // Chroma may be halved: each of its rows stands for two, and it takes half the passes, rounded up.
        (self.passes + 1) * (self.weights().len() / 2)
    }

    /// Weights by place, in whole numbers that sum to at most [`WHOLE`].
    fn weights(&self) -> Vec<i16> {
        gaussian(self.sigma).iter().map(|w| (w * WHOLE) as i16).filter(|&w| w > 0).collect()
    }
}

/// Smooths luma and chroma.
#[must_use]
pub fn smooth(frame: &Frame, how: Smooth) -> Frame {
    let frame = frame.to_planar();
    let weights = how.weights();
    let luma = i16::from(how.tolerance.clamp(1, Smooth::MOST));
    let mut data = Vec::with_capacity(frame.layout().tight_len(frame.width(), frame.height()));
    for (i, plane) in frame.planes().enumerate() {
        let mut samples = Samples::<i16>::from_plane(plane);
        // Colours differ by less than tones do.
        let (passes, tolerance) =
            if i == 0 { (how.passes, luma) } else { (how.passes.div_ceil(2), (luma * 2 / 3).max(1)) };
        for _ in 0..passes {
            samples = samples.separable(weights.len() / 2, |centre, taps, out| {
                weigh(centre, taps, &weights, tolerance, out);
            });
        }
        data.extend(samples.data.iter().map(|&v| v as u8));
    }
    Frame::from_vec(frame.layout(), frame.width(), frame.height(), frame.colour(), data).at_time_of(&frame)
}

/// Averages `taps`, each weighted by place and by how near it comes to `centre`.
fn weigh(centre: &[i16], taps: &[&[i16]], weights: &[i16], tolerance: i16, out: &mut [i16]) {
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let here = block * BLOCK..block * BLOCK + out.len();
        let centre = &centre[here.clone()];
        let (mut sums, mut totals) = ([0i16; BLOCK], [0i16; BLOCK]);
        for (&weight, tap) in weights.iter().zip(taps) {
            let sums = sums.iter_mut().zip(&mut totals);
            for ((sum, total), (&c, &t)) in sums.zip(centre.iter().zip(&tap[here.clone()])) {
                // Nothing here wraps, as `WHOLE` says; spelt so that checked builds make vectors of it too.
                let off = t.wrapping_sub(c);
                let w = weight.wrapping_mul(tolerance.wrapping_sub(off.wrapping_abs()).max(0));
                *sum = sum.wrapping_add(w.wrapping_mul(off));
                *total = total.wrapping_add(w);
            }
        }
        for (o, (&c, (&sum, &total))) in out.iter_mut().zip(centre.iter().zip(sums.iter().zip(&totals))) {
            // The centre itself always counts, so `total` is not zero. Positive before it is cut off, so
            // that this rounds to nearest.
            let step = f32::from(sum) / f32::from(total);
            *o = (f32::from(c) + step + 0.5) as i16;
        }
    }
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
        assert!(spread(&row[..16]) <= 3 && spread(&row[16..]) <= 3, "{row:?}");
        assert!(row[16] - row[15] > 110, "{row:?}");
        assert!(out.plane(1).rows().flatten().all(|&c| c == 128));
    }
}
