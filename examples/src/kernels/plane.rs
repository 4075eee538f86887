//! Planes of floats and the weighted sums that filters are made of.

use crate::frame::Plane;

/// Pixels that are summed together; the compiler turns them into vectors.
const LANES: usize = 8;

/// A plane of floats without padding.
#[derive(Clone)]
pub(super) struct Floats {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) data: Vec<f32>,
}

impl Floats {
    pub(super) fn from_plane(plane: Plane<'_>) -> Self {
        let mut data = Vec::with_capacity(plane.width * plane.height);
        plane
            .rows()
            .for_each(|row| data.extend(row.iter().map(|&v| f32::from(v))));
        Self {
            width: plane.width,
            height: plane.height,
            data,
        }
    }

    pub(super) fn row(&self, y: usize) -> &[f32] {
        &self.data[y * self.width..][..self.width]
    }

    pub(super) fn append_bytes(&self, out: &mut Vec<u8>) {
        // Values are averages of bytes, so rounding cannot leave the range; `as` saturates anyway.
        out.extend(self.data.iter().map(|&v| (v + 0.5) as u8));
    }

    /// Runs a separable filter of `2 r + 1` taps: `sum` gets a row, the rows that lie under the
    /// taps, and where the result goes. Outside the plane its border is repeated.
    pub(super) fn separable(&self, r: usize, sum: impl Fn(&[f32], &[&[f32]], &mut [f32])) -> Self {
        let (w, h) = (self.width, self.height);
        let mut across = self.clone();
        let mut padded = vec![0.0; w + 2 * r];
        for y in 0..h {
            let row = self.row(y);
            padded[..r].fill(row[0]);
            padded[r..r + w].copy_from_slice(row);
            padded[r + w..].fill(row[w - 1]);
            let taps: Vec<&[f32]> = (0..=2 * r).map(|k| &padded[k..k + w]).collect();
            sum(row, &taps, &mut across.data[y * w..][..w]);
        }
        let mut down = across.clone();
        for y in 0..h {
            let taps: Vec<&[f32]> = (0..=2 * r)
                .map(|k| across.row((y + k).saturating_sub(r).min(h - 1)))
                .collect();
            sum(across.row(y), &taps, &mut down.data[y * w..][..w]);
        }
        down
    }

    /// A Gaussian blur.
    pub(super) fn blur(&self, sigma: f32) -> Self {
        let weights = gaussian(sigma);
        self.separable(weights.len() / 2, |_, taps, out| {
            out.fill(0.0);
            for (&weight, tap) in weights.iter().zip(taps) {
                out.iter_mut()
                    .zip(*tap)
                    .for_each(|(o, &t)| *o += weight * t);
            }
        })
    }

    /// One pass of a bilateral filter: taps count by nearness in space, and not at all where they
    /// differ from the centre by `tolerance` or more.
    pub(super) fn bilateral(&self, sigma: f32, tolerance: f32) -> Self {
        let weights = gaussian(sigma);
        let scale = 1.0 / (tolerance * tolerance);
        self.separable(weights.len() / 2, |centre, taps, out| {
            weigh(centre, taps, &weights, scale, out)
        })
    }
}

/// Weights of a Gaussian out to two and a half sigma, which sum to one.
fn gaussian(sigma: f32) -> Vec<f32> {
    let r = (sigma * 2.5).ceil() as i32;
    let raw: Vec<f64> = (-r..=r)
        .map(|x| (-f64::from(x * x) / (2.0 * f64::from(sigma * sigma))).exp())
        .collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|w| (w / sum) as f32).collect()
}

/// Sums `taps`, each weighted by place and by Tukey's biweight of its distance from `centre`.
fn weigh(centre: &[f32], taps: &[&[f32]], weights: &[f32], scale: f32, out: &mut [f32]) {
    let mut x = 0;
    while x + LANES <= out.len() {
        let c: &[f32; LANES] = centre[x..].first_chunk().unwrap_or(&[0.0; LANES]);
        let (mut sum, mut total) = ([0.0; LANES], [0.0; LANES]);
        for (&weight, tap) in weights.iter().zip(taps) {
            let t: &[f32; LANES] = tap[x..].first_chunk().unwrap_or(&[0.0; LANES]);
            for i in 0..LANES {
                let d = t[i] - c[i];
                let near = (1.0 - d * d * scale).max(0.0);
                let w = near * near * weight;
                sum[i] += w * t[i];
                total[i] += w;
            }
        }
        for i in 0..LANES {
            out[x + i] = sum[i] / total[i];
        }
        x += LANES;
    }
    for x in x..out.len() {
        let (mut sum, mut total) = (0.0, 0.0);
        for (&weight, tap) in weights.iter().zip(taps) {
            let d = tap[x] - centre[x];
            let near = (1.0 - d * d * scale).max(0.0);
            let w = near * near * weight;
            sum += w * tap[x];
            total += w;
        }
        out[x] = sum / total;
    }
}
