//! Few tones: luma in soft steps, chroma stronger and in fine ones.
//!
//! Soft steps as in Winnemöller, Olsen and Gooch, "Real-time video abstraction" (2006): a value
//! between two tones turns over gradually, so that grain makes no flicker there.

use crate::frame::Frame;

/// How to posterise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posterise {
    /// Tones from black to white.
    pub tones: u32,
    /// How steeply one tone turns into the next; 1 is hardly a step, 10 almost a jump.
    pub steepness: f32,
    /// Factor on chroma.
    pub saturation: f32,
    /// Chroma codes from one step to the next.
    pub chroma_step: f32,
}

impl Default for Posterise {
    fn default() -> Self {
        Self { tones: 7, steepness: 8.0, saturation: 1.35, chroma_step: 10.0 }
    }
}

/// The frame in few tones.
#[must_use]
pub fn posterise(frame: &Frame, how: Posterise) -> Frame {
    let frame = frame.to_planar();
    let (luma, chroma) = (luma_table(&frame, how), chroma_table(how));
    let mut data = Vec::with_capacity(frame.layout().tight_len(frame.width(), frame.height()));
    for (i, plane) in frame.planes().enumerate() {
        let table = if i == 0 { &luma } else { &chroma };
        plane.rows().for_each(|row| data.extend(row.iter().map(|&v| table[usize::from(v)])));
    }
    Frame::from_vec(frame.layout(), frame.width(), frame.height(), frame.colour(), data).at_time_of(&frame)
}

/// `x` in steps of `step`, which are as steep as `steepness` says.
fn soft_steps(x: f32, step: f32, steepness: f32) -> f32 {
    let nearest = (x / step).round() * step;
    let from_middle = (x - nearest) / step;
    // The curve meets itself where two steps do: at half a step from the middle, on either side.
    let edge = (steepness * 0.5).tanh();
    let bend = |t: f32| {
        // Flat in the middle of a tone, steep between tones.
        let to_border = 0.5 - t.abs();
        t.signum() * 0.5 * (1.0 - (steepness * to_border).tanh() / edge)
    };
    nearest + step * bend(from_middle)
}

fn luma_table(frame: &Frame, how: Posterise) -> [u8; 256] {
    let range = frame.colour().range;
    let (black, white) = (f32::from(range.black()), f32::from(range.white()));
    let step = (white - black) / (how.tones.max(2) - 1) as f32;
    std::array::from_fn(|code| {
        let x = (code as f32 - black).clamp(0.0, white - black);
        (black + soft_steps(x, step, how.steepness) + 0.5) as u8
    })
}

fn chroma_table(how: Posterise) -> [u8; 256] {
    std::array::from_fn(|code| {
        let x = (code as f32 - 128.0) * how.saturation;
        let limit = 112.0;
        (128.5 + soft_steps(x, how.chroma_step, how.steepness).clamp(-limit, limit)) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Colour, Layout};

    #[test]
    fn steps_are_flat_and_never_fall() {
        let frame = Frame::from_vec(Layout::Yuv444, 256, 1, Colour::JPEG, {
            let mut data: Vec<u8> = (0..=255).collect();
            data.resize(768, 128);
            data
        });
        let out = posterise(&frame, Posterise { tones: 6, steepness: 12.0, ..Posterise::default() });
        let luma = out.plane(0).row(0);
        assert!(luma.is_sorted(), "{luma:?}");
        assert_eq!((luma[0], luma[51], luma[255]), (0, 51, 255));
        assert!(luma[45].abs_diff(luma[57]) <= 2, "flat around a tone: {luma:?}");
        assert!(out.plane(1).rows().flatten().all(|&c| c == 128), "gray stays gray");
    }
}
