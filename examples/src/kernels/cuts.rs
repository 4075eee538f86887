//! Scene cuts, where the mean difference in hue, saturation and value jumps.

use super::hsv::Hsv;
use crate::frame::Frame;

/// Finds cuts in a film, frame by frame.
#[derive(Clone, Debug)]
pub struct Cuts {
    threshold: f64,
    shortest: u64,
    index: u64,
    last_jump: Option<u64>,
    before: Option<Hsv>,
}

/// What [`Cuts`] says of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Index of the frame in the film, from 0.
    pub index: u64,
    /// Mean difference from the frame before, in codes; 0 for the first.
    pub score: f64,
    /// Whether a scene starts here.
    pub cut: bool,
}

impl Default for Cuts {
    /// A jump of 27 codes, scenes of 15 frames at least.
    fn default() -> Self {
        Self::new(27.0, 15)
    }
}

impl Cuts {
    /// A detector that calls a cut where the difference reaches `threshold` codes, `shortest`
    /// frames or more after the last such jump.
    #[must_use]
    pub fn new(threshold: f64, shortest: u64) -> Self {
        Self { threshold, shortest, index: 0, last_jump: None, before: None }
    }

    /// The verdict on the next frame.
    pub fn next(&mut self, frame: &Frame) -> Verdict {
        let now = Hsv::of(frame);
        // A film that changes size starts a new scene.
        let score = self.before.as_ref().map_or(0.0, |before| before.difference(&now).unwrap_or(255.0));
        self.before = Some(now);
        let index = self.index;
        self.index += 1;
        let jump = score >= self.threshold;
        // A flash jumps twice within a few frames: the second is no cut.
        let cut = jump && index - self.last_jump.unwrap_or(0) >= self.shortest;
        if jump {
            self.last_jump = Some(index);
        }
        Verdict { index, score, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Colour, Layout};

    fn plain(value: u8) -> Frame {
        Frame::from_vec(Layout::Rgb8, 8, 8, Colour::SD, vec![value; 8 * 8 * 3])
    }

    #[test]
    fn a_jump_is_a_cut_but_not_twice_in_a_flash() {
        let mut cuts = Cuts::default();
        let values = (0..60).map(|i| if i == 30 || (20..22).contains(&i) { 255 } else { 0 });
        let found: Vec<u64> = values.map(|v| cuts.next(&plain(v))).filter(|v| v.cut).map(|v| v.index).collect();
        assert_eq!(found, [20]);
    }
}
