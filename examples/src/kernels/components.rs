//! Connected components of a mask.

use crate::frame::Frame;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Area {
    /// Leftmost column.
    pub x: u32,
    /// Topmost row.
    pub y: u32,
    /// Columns.
    pub w: u32,
    /// Rows.
    pub h: u32,
}

impl Area {
    /// Intersection over union: 1 for the same rectangle, 0 for two that don't touch.
    #[must_use]
    pub fn iou(&self, other: &Self) -> f64 {
        let side = |a: u32, al: u32, b: u32, bl: u32| u64::from((a + al).min(b + bl).saturating_sub(a.max(b)));
        let both = side(self.x, self.w, other.x, other.w) * side(self.y, self.h, other.y, other.h);
        let size = |area: &Self| u64::from(area.w) * u64::from(area.h);
        let either = size(self) + size(other) - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// The rectangle times `factor`, cut to a picture of `width` by `height`.
    #[must_use]
    pub fn scaled(&self, factor: u32, width: usize, height: usize) -> Self {
        let (x, y) = (self.x * factor, self.y * factor);
        let w = (self.w * factor).min((width as u32).saturating_sub(x));
        let h = (self.h * factor).min((height as u32).saturating_sub(y));
        Self { x, y, w, h }
    }
}

/// The bounding rectangles of groups of touching set pixels, corners included, that have at least
/// `least` pixels; in the order in which their first pixels are read.
#[must_use]
pub fn components(mask: &Frame, least: usize) -> Vec<Area> {
    let (w, h) = mask.size();
    let mut left: Vec<bool> = mask.plane(0).rows().flatten().map(|&v| v > 0).collect();
    let mut found = Vec::new();
    let mut open = Vec::new();
    for start in 0..left.len() {
        if !std::mem::take(&mut left[start]) {
            continue;
        }
        open.push(start);
        let (mut count, mut x0, mut y0, mut x1, mut y1) = (0, w, h, 0, 0);
        while let Some(at) = open.pop() {
            let (x, y) = (at % w, at / w);
            (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
            count += 1;
            for ny in y.saturating_sub(1)..=(y + 1).min(h - 1) {
                for nx in x.saturating_sub(1)..=(x + 1).min(w - 1) {
                    if std::mem::take(&mut left[ny * w + nx]) {
                        open.push(ny * w + nx);
                    }
                }
            }
        }
        if count >= least {
            let side = |a: usize, b: usize| (b - a + 1) as u32;
            found.push(Area { x: x0 as u32, y: y0 as u32, w: side(x0, x1), h: side(y0, y1) });
        }
    }
    found
}

/// Moving groups of fewer pixels than this part of the mask are specks.
const SPECK: usize = 600;

/// The moving areas of a mask at half the size of a frame of `width` by `height`, in its pixels.
#[must_use]
pub fn moving_areas(mask: &Frame, width: usize, height: usize) -> Vec<Area> {
    let least = (mask.width() * mask.height() / SPECK).max(9);
    components(mask, least).iter().map(|area| area.scaled(2, width, height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Colour, Layout};

    #[test]
    fn corners_touch_and_specks_go() {
        #[rustfmt::skip]
        let mask = vec![
            1, 0, 0, 0, 0,
            0, 1, 1, 0, 0,
            0, 0, 0, 0, 1,
        ];
        let mask = Frame::from_vec(Layout::Gray, 5, 3, Colour::SD, mask);
        assert_eq!(components(&mask, 2), [Area { x: 0, y: 0, w: 3, h: 2 }]);
        assert_eq!(components(&mask, 1).len(), 2);
    }

    #[test]
    fn iou_of_known_rectangles() {
        let a = Area { x: 0, y: 0, w: 4, h: 4 };
        assert_eq!(a.iou(&a), 1.0);
        assert_eq!(a.iou(&Area { x: 2, y: 0, w: 4, h: 4 }), 8.0 / 24.0);
        assert_eq!(a.iou(&Area { x: 4, y: 0, w: 4, h: 4 }), 0.0);
    }
}
