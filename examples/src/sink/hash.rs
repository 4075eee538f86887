//! A hash of frames, to compare two runs.

use std::fmt;

use crate::frame::Frame;

/// A running hash over the pixels, sizes, layouts and times of frames; padding does not count.
///
/// FNV-1a over 64-bit words, with a fold so that high bits reach low ones: it tells runs apart,
/// and is no defence against anyone who wants two films to look alike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameHash(u64);

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for FrameHash {
    fn default() -> Self {
        Self(OFFSET)
    }
}

impl FrameHash {
    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        self.word(frame.width() as u64);
        self.word(frame.height() as u64);
        self.word(frame.layout() as u64);
        self.word(frame.pts);
        self.word(u64::from(frame.duration));
        for plane in frame.planes() {
            for row in plane.rows() {
                let (words, rest) = row.as_chunks::<8>();
                words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
                rest.iter().for_each(|&byte| self.word(u64::from(byte)));
            }
        }
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(PRIME);
        self.0 = mixed ^ (mixed >> 32);
    }
}

impl fmt::Display for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameHash({self})")
    }
}
