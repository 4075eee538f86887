//! Ink lines: a difference of Gaussians, and of what it finds only lines that are somewhere strong
//! and long enough.
//!
//! The operator is that of Winnemöller, Olsen and Gooch, "Real-time video abstraction" (2006);
//! strong parts vouch for weak ones that touch them, as in Canny's detector (1986).

use super::plane::Floats;
use crate::frame::{Frame, Layout};

/// How to draw lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// Width of the lines, as the sigma of the inner Gaussian; 0 picks it by the frame's height.
    pub sigma: f32,
    /// Darkness in codes below its surroundings from which on a pixel is ink if a stronger one vouches.
    pub weak: f32,
    /// Darkness from which on a pixel vouches for those that touch it.
    pub strong: f32,
    /// Lines of fewer pixels than this are specks; 0 picks a tenth of the frame's height.
    pub least: usize,
}

impl Default for Edges {
    fn default() -> Self {
        Self { sigma: 0.0, weak: 1.6, strong: 5.0, least: 24 }
    }
}

/// The outer Gaussian is as much wider than the inner one; then their difference comes close to a
/// Laplacian.
const RATIO: f32 = 1.6;

/// The lines of a frame, best a smooth one: a gray frame, 255 where there is ink, 0 on paper.
#[must_use]
pub fn edges(frame: &Frame, how: Edges) -> Frame {
    let (w, h) = frame.size();
    let sigma = if how.sigma > 0.0 { how.sigma } else { (h as f32 / 480.0).clamp(0.7, 3.0) };
    let luma = Floats::from_plane(frame.to_planar().plane(0));
    // Positive on the dark side of an edge.
    let mut dark = luma.blur(sigma * RATIO).data;
    dark.iter_mut().zip(&luma.blur(sigma).data).for_each(|(outer, inner)| *outer -= inner);
    let least = if how.least > 0 { how.least } else { (h / 10).max(8) };
    let lines = vouched(&dark, w, Edges { least, ..how });
    let scale = 255.0 / (how.strong - how.weak);
    let ink = |(&d, &kept): (&f32, &bool)| {
        if kept { ((d - how.weak) * scale).clamp(0.0, 255.0) as u8 } else { 0 }
    };
    let data = dark.iter().zip(&lines).map(ink).collect();
    Frame::from_vec(Layout::Gray, w, h, frame.colour(), data).at_time_of(frame)
}

/// Marks the pixels that are weak or more and reach a strong one, in groups of a least size.
fn vouched(dark: &[f32], w: usize, how: Edges) -> Vec<bool> {
    let mut seen = vec![false; dark.len()];
    let mut kept = vec![false; dark.len()];
    let mut group = Vec::new();
    for start in 0..dark.len() {
        if seen[start] || dark[start] < how.strong {
            continue;
        }
        group.clear();
        group.push(start);
        seen[start] = true;
        let mut next = 0;
        while let Some(&at) = group.get(next) {
            next += 1;
            let (x, y) = (at % w, at / w);
            for ny in y.saturating_sub(1)..=(y + 1).min(dark.len() / w - 1) {
                for nx in x.saturating_sub(1)..=(x + 1).min(w - 1) {
                    let to = ny * w + nx;
                    if !seen[to] && dark[to] >= how.weak {
                        seen[to] = true;
                        group.push(to);
                    }
                }
            }
        }
        if group.len() >= how.least {
            group.iter().for_each(|&at| kept[at] = true);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Colour;

    fn picture(dark: impl Fn(usize, usize) -> bool) -> Frame {
        let data = (0..64 * 64).map(|i| if dark(i % 64, i / 64) { 40 } else { 200 }).collect();
        Frame::from_vec(Layout::Gray, 64, 64, Colour::SD, data)
    }

    #[test]
    fn an_edge_is_a_line_and_a_speck_is_not() {
        let line = edges(&picture(|x, _| x >= 32), Edges::default());
        assert!(line.plane(0).rows().all(|row| row[32] == 255 && row[10] == 0 && row[50] == 0));
        let speck = edges(&picture(|x, y| x == 20 && y == 20), Edges::default());
        assert!(speck.to_vec().iter().all(|&v| v == 0));
    }
}
