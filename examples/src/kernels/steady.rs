//! Takes the flicker of grain and compression out of a film, pixel by pixel over time.

use crate::frame::{Frame, Layout};

/// Where a sample changes by little, it follows slowly; where it changes by more, at once.
///
/// The memory is in sixteenths of a code. It starts anew when the size changes.
#[derive(Clone, Debug, Default)]
pub struct Steady {
    layout: Option<(Layout, (usize, usize))>,
    memory: Vec<u16>,
}

/// Fraction bits of the memory.
const BITS: u32 = 4;
/// Changes up to this many codes are taken for grain.
const GRAIN: i32 = 5;
/// A change in the grain moves the memory by this part of it, as a power of two.
const FOLLOW: u32 = 2;

impl Steady {
    /// The next frame, steadied.
    pub fn next(&mut self, frame: &Frame) -> Frame {
        let frame = frame.to_planar();
        let mut data = frame.to_vec();
        let kind = Some((frame.layout(), frame.size()));
        if self.layout != kind {
            self.layout = kind;
            self.memory = data.iter().map(|&v| u16::from(v) << BITS).collect();
            return frame;
        }
        for (old, new) in self.memory.iter_mut().zip(&mut data) {
            let (was, now) = (i32::from(*old), i32::from(*new) << BITS);
            let change = now - was;
            let step = if change.abs() <= GRAIN << BITS { change >> FOLLOW } else { change };
            let value = was + step;
            *old = value as u16;
            *new = ((value + (1 << (BITS - 1))) >> BITS) as u8;
        }
        Frame::from_vec(frame.layout(), frame.width(), frame.height(), frame.colour(), data).at_time_of(&frame)
    }
}
