//! What moves: the difference from a slowly learnt background.

use super::plane::Floats;
use crate::frame::{Frame, Layout};

/// A running average of luma and its spread, as in Wren et al., "Pfinder" (1997), for one Gaussian
/// a pixel.
#[derive(Clone, Debug, Default)]
pub struct Background {
    size: (usize, usize),
    mean: Vec<f32>,
    spread: Vec<f32>,
    age: u32,
}

/// The model takes in this part of each new frame, once it is settled.
const LEARN: f32 = 0.02;
/// Frames until it is settled; before, all frames count alike.
const SETTLE: u32 = 12;
/// A pixel moves where it is off by as many times its spread ...
const SIGMAS: f32 = 3.0;
/// ... and by as many codes.
const LEAST: f32 = 14.0;
/// Radius of the blur against grain.
const BLUR: f32 = 1.5;
/// More of the picture than this is a moving camera or light, not an actor.
const MOST: f32 = 0.6;

impl Background {
    /// The next frame's moving pixels: a gray frame at half the size, rounded up, 255 where
    /// something moves. `fresh` starts the model anew, as after a cut.
    pub fn next(&mut self, frame: &Frame, fresh: bool) -> Frame {
        let luma = half(frame);
        let size = (luma.width, luma.height);
        if fresh || self.size != size {
            self.size = size;
            self.mean = luma.data.clone();
            self.spread = vec![8.0; luma.data.len()];
            self.age = 0;
        }
        self.age += 1;
        let learn = if self.age < SETTLE { 1.0 / (self.age + 1) as f32 } else { LEARN };
        let mut moving = 0;
        let mut mask = Vec::with_capacity(luma.data.len());
        for ((&now, mean), spread) in luma.data.iter().zip(&mut self.mean).zip(&mut self.spread) {
            let off = (now - *mean).abs();
            let moves = off > LEAST && off > SIGMAS * *spread;
            // What moves is learnt too, but more slowly: a parked car becomes background in time.
            let rate = if moves { learn * 0.25 } else { learn };
            *mean += rate * (now - *mean);
            *spread += rate * (off - *spread);
            moving += usize::from(moves);
            mask.push(if moves { 255 } else { 0 });
        }
        if self.age < SETTLE || moving as f32 > MOST * mask.len() as f32 {
            mask.fill(0);
        }
        let mask = close(&mask, size.0);
        Frame::from_vec(Layout::Gray, size.0, size.1, frame.colour(), mask).at_time_of(frame)
    }
}

/// Luma at half the size, slightly blurred.
fn half(frame: &Frame) -> Floats {
    let frame = frame.to(Layout::Gray, frame.colour());
    let plane = frame.plane(0);
    let (width, height) = (plane.width.div_ceil(2), plane.height.div_ceil(2));
    let mut data = Vec::with_capacity(width * height);
    for y in 0..height {
        let (upper, lower) = (plane.row(2 * y), plane.row((2 * y + 1).min(plane.height - 1)));
        let mean = |pair: (&[u8], &[u8])| {
            let sum: u32 = pair.0.iter().chain(pair.1).map(|&v| u32::from(v)).sum();
            sum as f32 / (pair.0.len() + pair.1.len()) as f32
        };
        data.extend(upper.chunks(2).zip(lower.chunks(2)).map(mean));
    }
    Floats { width, height, data }.blur(BLUR)
}

/// Closes gaps and takes out specks: a pixel is set where most of those around it are.
fn close(mask: &[u8], w: usize) -> Vec<u8> {
    let h = mask.len() / w;
    let r = 2;
    (0..mask.len())
        .map(|i| {
            let (x, y) = (i % w, i / w);
            let rows = y.saturating_sub(r)..=(y + r).min(h - 1);
            let cols = x.saturating_sub(r)..=(x + r).min(w - 1);
            let set: usize = rows.map(|y| mask[y * w..][cols.clone()].iter().filter(|&&v| v > 0).count()).sum();
            if set >= 10 { 255 } else { 0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Colour;

    #[test]
    fn a_square_moves_and_the_wall_does_not() {
        let mut model = Background::default();
        let mut last = None;
        for t in 0..30 {
            let left = t * 2;
            let inside = |i: usize| (left..left + 16).contains(&(i % 96)) && (20..36).contains(&(i / 96));
            let data = (0..96 * 64).map(|i| if inside(i) && t > 15 { 220 } else { 60 }).collect();
            last = Some(model.next(&Frame::from_vec(Layout::Gray, 96, 64, Colour::SD, data), false));
        }
        let mask = last.unwrap();
        assert_eq!(mask.size(), (48, 32));
        assert_eq!(mask.plane(0).row(14)[29 + 4], 255);
        assert!(mask.plane(0).row(2).iter().all(|&v| v == 0));
    }
}
