//! Planes of numbers that filters work on.

use crate::frame::Plane;

/// A plane without padding.
#[derive(Clone)]
pub(super) struct Samples<T> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) data: Vec<T>,
}

/// What most filters work on.
pub(super) type Floats = Samples<f32>;

impl<T: Copy + Default + From<u8>> Samples<T> {
    pub(super) fn from_plane(plane: Plane<'_>) -> Self {
        let mut data = Vec::with_capacity(plane.width * plane.height);
        plane.rows().for_each(|row| data.extend(row.iter().map(|&v| T::from(v))));
        Self { width: plane.width, height: plane.height, data }
    }

    pub(super) fn row(&self, y: usize) -> &[T] {
        &self.data[y * self.width..][..self.width]
    }

    /// Runs a separable filter of `2 r + 1` taps: `sum` gets a row, the rows that lie under the
    /// taps, and where the result goes. Outside the plane its border is repeated.
    pub(super) fn separable(&self, r: usize, sum: impl Fn(&[T], &[&[T]], &mut [T])) -> Self {
        let (w, h) = (self.width, self.height);
        let mut across = self.clone();
        let mut padded = vec![T::default(); w + 2 * r];
        for y in 0..h {
            let row = self.row(y);
            padded[..r].fill(row[0]);
            padded[r..r + w].copy_from_slice(row);
            padded[r + w..].fill(row[w - 1]);
            let taps: Vec<&[T]> = (0..=2 * r).map(|k| &padded[k..k + w]).collect();
            sum(row, &taps, &mut across.data[y * w..][..w]);
        }
        let mut down = across.clone();
        for y in 0..h {
            let taps: Vec<&[T]> = (0..=2 * r).map(|k| across.row((y + k).saturating_sub(r).min(h - 1))).collect();
            sum(across.row(y), &taps, &mut down.data[y * w..][..w]);
        }
        down
    }
}

impl Floats {
    pub(super) fn append_bytes(&self, out: &mut Vec<u8>) {
        // Values are averages of bytes, so rounding cannot leave the range; `as` saturates anyway.
        out.extend(self.data.iter().map(|&v| (v + 0.5) as u8));
    }

    /// A Gaussian blur.
    pub(super) fn blur(&self, sigma: f32) -> Self {
        let weights = gaussian(sigma);
        self.separable(weights.len() / 2, |_, taps, out| {
            out.fill(0.0);
            for (&weight, tap) in weights.iter().zip(taps) {
                out.iter_mut().zip(*tap).for_each(|(o, &t)| *o += weight * t);
            }
        })
    }
}

/// Weights of a Gaussian out to two and a half sigma, which sum to one.
pub(super) fn gaussian(sigma: f32) -> Vec<f32> {
    let r = (sigma * 2.5).ceil() as i32;
    let raw: Vec<f64> = (-r..=r).map(|x| (-f64::from(x * x) / (2.0 * f64::from(sigma * sigma))).exp()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|w| (w / sum) as f32).collect()
}
