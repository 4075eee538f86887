//! A filter over a frame in horizontal bands, so that several can work on one frame.

use super::plane::Floats;
use super::{Posterise, Smooth, posterise, smooth};
use crate::frame::Frame;

/// A filter whose result at a row depends on few rows around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Filter {
    /// Leaves the frame as it is.
    #[default]
    None,
    /// Edge-preserving smoothing.
    Smooth,
    /// A Gaussian blur.
    Blur,
    /// Few tones.
    Posterise,
    /// The negative.
    Invert,
}

/// Sigma of [`Filter::Blur`].
const BLUR: f32 = 3.0;

impl Filter {
    /// Rows above and below that a row's result depends on.
    #[must_use]
    pub fn reach(self) -> usize {
        match self {
            Self::Smooth => Smooth::default().reach(),
            // Chroma may be halved: each of its rows stands for two.
            Self::Blur => 2 * (BLUR * 2.5).ceil() as usize,
            Self::None | Self::Posterise | Self::Invert => 0,
        }
    }

    /// Filters a whole frame.
    #[must_use]
    pub fn apply(self, frame: &Frame) -> Frame {
        match self {
            Self::None => frame.to_planar(),
            Self::Smooth => smooth(frame, Smooth::default()),
            Self::Posterise => posterise(frame, Posterise::default()),
            Self::Blur => each_plane(frame, |floats| floats.blur(BLUR)),
            Self::Invert => each_plane(frame, |mut floats| {
                floats.data.iter_mut().for_each(|v| *v = 255.0 - *v);
                floats
            }),
        }
    }
}

fn each_plane(frame: &Frame, f: impl Fn(Floats) -> Floats) -> Frame {
    let frame = frame.to_planar();
    let mut data = Vec::with_capacity(frame.layout().tight_len(frame.width(), frame.height()));
    frame.planes().for_each(|plane| f(Floats::from_plane(plane)).append_bytes(&mut data));
    Frame::from_vec(frame.layout(), frame.width(), frame.height(), frame.colour(), data).at_time_of(&frame)
}

/// The rows of band `i` of `n` in a frame of `height` rows: they start at even rows, since chroma
/// may be halved, and may be none in a low frame.
#[must_use]
pub fn band_rows(height: usize, i: usize, n: usize) -> std::ops::Range<usize> {
    let start = |i: usize| {
        if i >= n { height } else { (height * i / n) & !1 }
    };
    start(i)..start(i + 1)
}

/// Band `i` of `n` of the filtered frame; `None` where the band has no row.
///
/// It looks at as many rows beyond its own as the filter needs, so that the joined bands are the
/// filtered frame.
#[must_use]
pub fn band(frame: &Frame, filter: Filter, i: usize, n: usize) -> Option<Frame> {
    let frame = frame.to_planar();
    let rows = band_rows(frame.height(), i, n);
    if rows.is_empty() {
        return None;
    }
    let reach = filter.reach().next_multiple_of(2);
    let from = rows.start.saturating_sub(reach);
    let to = (rows.end + reach).min(frame.height());
    let filtered = filter.apply(&frame.rows(from, to));
    Some(filtered.rows(rows.start - from, rows.end - from))
}

/// Puts bands together, top to bottom.
///
/// # Panics
///
/// Where there is none, or they differ in width or layout.
#[must_use]
pub fn join_bands(bands: &[Option<Frame>]) -> Frame {
    let parts: Vec<&Frame> = bands.iter().flatten().collect();
    assert!(!parts.is_empty(), "a frame has at least one band");
    let first = parts[0];
    assert!(
        parts.iter().all(|p| (p.width(), p.layout()) == (first.width(), first.layout())),
        "bands of one frame are of one width and layout"
    );
    let height = parts.iter().map(|p| p.height()).sum();
    let mut data = Vec::with_capacity(first.layout().tight_len(first.width(), height));
    for i in 0..first.layout().planes() {
        parts.iter().flat_map(|p| p.plane(i).rows()).for_each(|row| data.extend_from_slice(row));
    }
    Frame::from_vec(first.layout(), first.width(), height, first.colour(), data).at_time_of(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Pattern;

    #[test]
    fn joined_bands_are_the_filtered_frame() {
        for (width, height) in [(64, 131), (33, 48), (16, 3)] {
            let frame = Pattern { width, height, frames: 1 }.frame(0);
            let frame = frame.to(crate::frame::Layout::Yuv420, frame.colour());
            for filter in [Filter::None, Filter::Smooth, Filter::Blur, Filter::Posterise, Filter::Invert] {
                let whole = filter.apply(&frame);
                for n in [1, 2, 3, 8] {
                    let bands: Vec<_> = (0..n).map(|i| band(&frame, filter, i, n)).collect();
                    assert_eq!(join_bands(&bands), whole, "{filter:?}, {n} bands of {width}x{height}");
                }
            }
        }
    }
}
