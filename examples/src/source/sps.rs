//! The sequence parameter set of H.264: what a film says of its chroma, depth and colour.
//!
//! Syntax of ITU-T H.264 sections 7.3.2.1.1 and E.1.1.

use crate::frame::{Colour, Matrix, Range};

/// What matters here of a sequence parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sps {
    pub(super) profile: u8,
    /// 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4, 0 has no chroma.
    pub(super) chroma_format: u32,
    /// Bits a luma sample.
    pub(super) depth: u32,
    pub(super) interlaced: bool,
    /// `None` for what the film does not say.
    pub(super) range: Option<Range>,
    pub(super) matrix: Option<Matrix>,
}

impl Sps {
    pub(super) fn colour(&self, height: usize) -> Colour {
        let guess = Colour::guess(height);
        Colour { matrix: self.matrix.unwrap_or(guess.matrix), range: self.range.unwrap_or(guess.range) }
    }

    /// Parses a NAL unit, header byte included; `None` where it ends too early.
    pub(super) fn parse(nal: &[u8]) -> Option<Self> {
        let payload = unescape(nal.get(1..)?);
        let mut bits = Bits { data: &payload, at: 0 };
        let profile = bits.read(8)? as u8;
        bits.read(16)?; // constraint flags, level
        bits.ue()?; // id
        let (mut chroma_format, mut depth) = (1, 8);
        if matches!(profile, 44 | 83 | 86 | 100 | 110 | 118 | 122 | 128 | 134 | 135 | 138 | 139 | 244) {
            chroma_format = bits.ue()?;
            if chroma_format == 3 {
                bits.read(1)?;
            }
            depth = 8 + bits.ue()?;
            bits.ue()?; // chroma depth
            bits.read(1)?;
            if bits.flag()? {
                for i in 0..if chroma_format == 3 { 12 } else { 8 } {
                    if bits.flag()? {
                        bits.skip_scaling_list(if i < 6 { 16 } else { 64 })?;
                    }
                }
            }
        }
        bits.ue()?; // log2_max_frame_num
        match bits.ue()? {
            0 => {
                bits.ue()?;
            }
            1 => {
                bits.read(1)?;
                bits.ue()?;
                bits.ue()?;
                for _ in 0..bits.ue()?.min(255) {
                    bits.ue()?;
                }
            }
            _ => {}
        }
        bits.ue()?; // max_num_ref_frames
        bits.read(1)?;
        bits.ue()?; // width
        bits.ue()?; // height
        let interlaced = !bits.flag()?;
        if interlaced {
            bits.read(1)?;
        }
        bits.read(1)?;
        if bits.flag()? {
            for _ in 0..4 {
                bits.ue()?; // cropping
            }
        }
        let (range, matrix) = if bits.flag()? { bits.colour()? } else { (None, None) };
        Some(Self { profile, chroma_format, depth, interlaced, range, matrix })
    }
}

/// Takes out the bytes that keep start codes from appearing in the payload.
fn unescape(nal: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(nal.len());
    let mut zeros = 0;
    for &byte in nal {
        if byte == 3 && zeros >= 2 {
            zeros = 0;
            continue;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        out.push(byte);
    }
    out
}

struct Bits<'a> {
    data: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn read(&mut self, n: u32) -> Option<u32> {
        let mut value = 0;
        for _ in 0..n {
            let byte = *self.data.get(self.at / 8)?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    fn flag(&mut self) -> Option<bool> {
        self.read(1).map(|bit| bit == 1)
    }

    /// An unsigned Exp-Golomb code.
    fn ue(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.flag()? {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        Some((1 << zeros) - 1 + self.read(zeros)?)
    }

    /// A signed Exp-Golomb code.
    fn se(&mut self) -> Option<i32> {
        let code = self.ue()? as i32;
        Some(if code % 2 == 0 { -(code / 2) } else { code / 2 + 1 })
    }

    fn skip_scaling_list(&mut self, size: usize) -> Option<()> {
        let (mut last, mut next) = (8, 8);
        for _ in 0..size {
            if next != 0 {
                next = (last + self.se()?).rem_euclid(256);
            }
            if next != 0 {
                last = next;
            }
        }
        Some(())
    }

    /// The colour part of the video usability information.
    fn colour(&mut self) -> Option<(Option<Range>, Option<Matrix>)> {
        if self.flag()? && self.read(8)? == 255 {
            self.read(32)?; // sample aspect ratio
        }
        if self.flag()? {
            self.read(1)?; // overscan
        }
        if !self.flag()? {
            return Some((None, None));
        }
        self.read(3)?;
        let range = if self.flag()? { Range::Full } else { Range::Limited };
        let mut matrix = None;
        if self.flag()? {
            self.read(16)?;
            matrix = match self.read(8)? {
                1 => Some(Matrix::Bt709),
                5 | 6 => Some(Matrix::Bt601),
                _ => None,
            };
        }
        Some((Some(range), matrix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_golomb() {
        // 1 | 010 | 011 | 00100 | padding: 0, 1, 2, 3
        let mut bits = Bits { data: &[0b1010_0110, 0b0100_0000], at: 0 };
        assert_eq!([bits.ue(), bits.ue(), bits.ue(), bits.ue()], [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(Bits { data: &[0], at: 0 }.ue(), None);
    }

    #[test]
    fn escapes_go() {
        assert_eq!(unescape(&[1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3]), [1, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn a_short_set_is_none() {
        assert_eq!(Sps::parse(&[0x67, 0x64, 0x00]), None);
        assert_eq!(Sps::parse(&[]), None);
    }
}
