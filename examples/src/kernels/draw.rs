//! Draws rectangles and numbers into a frame.

use super::components::Area;
use crate::frame::Frame;

/// Three columns by five rows a digit, a row in three bits.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 7, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 1, 2, 2],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];
/// Pixels a dot of a digit, across and down.
const DOT: u32 = 3;

/// Fills a rectangle, cut to the frame, with luma and chroma.
pub fn fill(frame: &mut Frame, area: Area, [luma, cb, cr]: [u8; 3]) {
    let (sx, sy) = frame.layout().chroma_shift();
    let (w, h) = frame.size();
    let (x0, y0) = ((area.x as usize).min(w), (area.y as usize).min(h));
    let (x1, y1) = ((area.x + area.w) as usize, (area.y + area.h) as usize);
    let (x1, y1) = (x1.min(w), y1.min(h));
    if x0 >= x1 || y0 >= y1 {
        return;
    }
    (y0..y1).for_each(|y| frame.row_mut(0, y)[x0..x1].fill(luma));
    if frame.layout().is_yuv() {
        for (i, value) in [(1, cb), (2, cr)] {
            for y in (y0 >> sy)..=((y1 - 1) >> sy) {
                frame.row_mut(i, y)[x0 >> sx..=(x1 - 1) >> sx].fill(value);
            }
        }
    }
}

/// Draws the outline of a rectangle, `line` pixels wide, inwards.
pub fn outline(frame: &mut Frame, area: Area, line: u32, colour: [u8; 3]) {
    let Area { x, y, w, h } = area;
    let line = line.min(w).min(h);
    fill(frame, Area { x, y, w, h: line }, colour);
    fill(frame, Area { x, y: y + h - line, w, h: line }, colour);
    fill(frame, Area { x, y, w: line, h }, colour);
    fill(frame, Area { x: x + w - line, y, w: line, h }, colour);
}

/// Writes a number with its upper left corner at `x`, `y`, in `colour` on black.
pub fn number(frame: &mut Frame, (x, y): (u32, u32), value: u64, colour: [u8; 3]) {
    let text = value.to_string();
    let width = text.len() as u32 * 4 * DOT + DOT;
    fill(frame, Area { x, y, w: width, h: 7 * DOT }, [frame.colour().range.black(), 128, 128]);
    for (i, digit) in text.bytes().enumerate() {
        for (row, bits) in DIGITS[usize::from(digit - b'0')].iter().enumerate() {
            for column in (0..3).filter(|column| bits >> (2 - column) & 1 == 1) {
                let left = x + DOT + (i as u32 * 4 + column) * DOT;
                fill(frame, Area { x: left, y: y + (row as u32 + 1) * DOT, w: DOT, h: DOT }, colour);
            }
        }
    }
}

/// Colours that tell neighbours apart: luma, Cb, Cr.
#[must_use]
pub fn palette(id: u64) -> [u8; 3] {
    const COLOURS: [[u8; 3]; 6] =
        [[210, 40, 150], [145, 60, 40], [170, 166, 40], [106, 202, 222], [150, 60, 200], [120, 200, 90]];
    COLOURS[(id % COLOURS.len() as u64) as usize]
}
