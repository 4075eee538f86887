//! Lays lines over colours.

use crate::frame::Frame;

/// `colours` darkened to ink where `lines`, a gray frame of the same size, says so.
///
/// # Panics
///
/// Where the two differ in size.
#[must_use]
pub fn ink(lines: &Frame, colours: &Frame) -> Frame {
    assert_eq!(lines.size(), colours.size(), "lines and colours are of one size");
    let frame = colours.to_planar();
    let (sx, sy) = frame.layout().chroma_shift();
    let ink = lines.plane(0);
    let mut data = Vec::with_capacity(frame.layout().tight_len(frame.width(), frame.height()));
    for (i, plane) in frame.planes().enumerate() {
        let rest = i32::from(if i == 0 { frame.colour().range.black() } else { 128 });
        let fade = |v: u8, paper: i32| (rest + (i32::from(v) - rest) * paper / 255) as u8;
        for (y, row) in plane.rows().enumerate() {
            if i == 0 {
                data.extend(row.iter().zip(ink.row(y)).map(|(&v, &ink)| fade(v, 255 - i32::from(ink))));
            } else {
                // The corner sample stands for the group: lines are wider than a pixel.
                let ink = ink.row(y << sy);
                data.extend(row.iter().enumerate().map(|(x, &v)| fade(v, 255 - i32::from(ink[x << sx]))));
            }
        }
    }
    Frame::from_vec(frame.layout(), frame.width(), frame.height(), frame.colour(), data).at_time_of(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Colour, Layout};

    #[test]
    fn ink_is_black_and_paper_untouched() {
        let colours = Frame::from_vec(Layout::Yuv444, 2, 1, Colour::SD, vec![200, 200, 90, 90, 160, 160]);
        let lines = Frame::from_vec(Layout::Gray, 2, 1, Colour::SD, vec![255, 0]);
        assert_eq!(ink(&lines, &colours).to_vec(), [16, 200, 128, 90, 128, 160]);
    }
}
