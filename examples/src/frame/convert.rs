//! From one layout and colour to another.
//!
//! Chroma is averaged over the pixels that share it when it is halved, and repeated when it is
//! doubled: no siting is modelled, so going up and down again gives the same samples.

use super::colour::{ToRgb, ToYuv};
use super::{Colour, Frame, Layout};

impl Frame {
    /// The same picture in another layout and colour. RGB layouts keep `colour` as a note of what
    /// their luma and chroma are to be.
    #[must_use]
    pub fn to(&self, layout: Layout, colour: Colour) -> Frame {
        let same_meaning = self.colour() == colour;
        let out = match (self.layout(), layout) {
            (from, to) if from == to && (same_meaning || !(to.is_yuv() || to == Layout::Gray)) => {
                let mut same = self.clone();
                same.colour = colour;
                same
            }
            (from, Layout::Gray) if same_meaning && from.is_yuv() => {
                Frame::from_vec(Layout::Gray, self.width(), self.height(), colour, self.plane_to_vec(0))
            }
            (from, to) if same_meaning && from.is_yuv() && to.is_yuv() => self.resample(to),
            (Layout::Gray, to) if same_meaning && to.is_yuv() => {
                let mut data = self.plane_to_vec(0);
                data.resize(to.tight_len(self.width(), self.height()), 128);
                Frame::from_vec(to, self.width(), self.height(), colour, data)
            }
            (_, Layout::Rgb8) => self.unpack(colour),
            (_, Layout::Rgba8) => {
                let rgb = self.unpack(colour).to_vec();
                let data = rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
                Frame::from_vec(Layout::Rgba8, self.width(), self.height(), colour, data)
            }
            (_, to) => self.unpack(colour).pack(to, colour),
        };
        out.at_time_of(self)
    }

    /// The same picture as R, G, B bytes.
    #[must_use]
    pub fn to_rgb(&self) -> Frame {
        self.to(Layout::Rgb8, self.colour())
    }

    /// The same picture with luma and chroma in planes: RGB becomes 4:4:4, gray 4:2:0, and what
    /// is in planes already stays as it is. The kernels work on this.
    #[must_use]
    pub fn to_planar(&self) -> Frame {
        match self.layout() {
            Layout::Rgb8 | Layout::Rgba8 => self.to(Layout::Yuv444, self.colour()),
            Layout::Gray => self.to(Layout::Yuv420, self.colour()),
            _ => self.clone(),
        }
    }

    /// A copy of `ew` by `eh` pixels, which repeats the last column and row where it is larger.
    ///
    /// # Panics
    ///
    /// Where the new size is smaller than the old.
    #[must_use]
    pub fn padded_to(&self, ew: usize, eh: usize) -> Frame {
        let (w, h) = self.size();
        assert!(ew >= w && eh >= h, "{ew}x{eh} can't hold {w}x{h}");
        if (w, h) == (ew, eh) {
            return self.clone();
        }
        let bpp = self.layout().bytes_per_pixel();
        let mut data = Vec::with_capacity(self.layout().tight_len(ew, eh));
        for (i, plane) in self.planes().enumerate() {
            let (want_w, want_h) = self.layout().plane_size(i, ew, eh);
            for y in 0..want_h {
                let row = plane.row(y.min(plane.height - 1));
                data.extend_from_slice(row);
                for x in row.len()..want_w {
                    data.push(row[row.len() - bpp + (x - row.len()) % bpp]);
                }
            }
        }
        Frame::from_vec(self.layout(), ew, eh, self.colour(), data).at_time_of(self)
    }

    /// Any layout to RGB.
    fn unpack(&self, note: Colour) -> Frame {
        let (w, h) = self.size();
        let mut data = Vec::with_capacity(w * h * 3);
        let to_rgb = ToRgb::new(self.colour());
        let (sx, sy) = self.layout().chroma_shift();
        for y in 0..h {
            let row = self.plane(0).row(y);
            match self.layout() {
                Layout::Rgb8 => data.extend_from_slice(row),
                Layout::Rgba8 => data.extend(row.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]])),
                Layout::Gray => data.extend(row.iter().flat_map(|&l| to_rgb.rgb(l, 128, 128))),
                _ => {
                    let (cb, cr) = (self.plane(1).row(y >> sy), self.plane(2).row(y >> sy));
                    let pixel = |(x, &l): (usize, &u8)| to_rgb.rgb(l, cb[x >> sx], cr[x >> sx]);
                    data.extend(row.iter().enumerate().flat_map(pixel));
                }
            }
        }
        Frame::from_vec(Layout::Rgb8, w, h, note, data)
    }

    /// RGB to a YUV layout or gray.
    fn pack(&self, layout: Layout, colour: Colour) -> Frame {
        let (w, h) = self.size();
        let to_yuv = ToYuv::new(colour);
        let rgb = self.plane(0);
        let mut data = Vec::with_capacity(layout.tight_len(w, h));
        for row in rgb.rows() {
            data.extend(row.chunks_exact(3).map(|p| to_yuv.luma([p[0], p[1], p[2]])));
        }
        if !layout.is_yuv() {
            return Frame::from_vec(layout, w, h, colour, data);
        }
        let (cw, ch) = layout.plane_size(1, w, h);
        let (sx, sy) = layout.chroma_shift();
        let mut cr_plane = Vec::with_capacity(cw * ch);
        for cy in 0..ch {
            for cx in 0..cw {
                let mut sum = [0u32; 3];
                let mut count = 0;
                for y in (cy << sy)..((cy + 1) << sy).min(h) {
                    for x in (cx << sx)..((cx + 1) << sx).min(w) {
                        let pixel = &rgb.row(y)[x * 3..x * 3 + 3];
                        sum.iter_mut().zip(pixel).for_each(|(s, &p)| *s += u32::from(p));
                        count += 1;
                    }
                }
                let (cb, cr) = to_yuv.chroma(sum.map(|s| ((s + count / 2) / count) as u8));
                data.push(cb);
                cr_plane.push(cr);
            }
        }
        data.extend_from_slice(&cr_plane);
        Frame::from_vec(layout, w, h, colour, data)
    }

    /// Between YUV layouts of the same colour.
    fn resample(&self, layout: Layout) -> Frame {
        let (w, h) = self.size();
        let mut data = Vec::with_capacity(layout.tight_len(w, h));
        self.plane(0).rows().for_each(|row| data.extend_from_slice(row));
        let (from_sx, from_sy) = self.layout().chroma_shift();
        let (to_sx, to_sy) = layout.chroma_shift();
        let (cw, ch) = layout.plane_size(1, w, h);
        for i in 1..3 {
            let plane = self.plane(i);
            for cy in 0..ch {
                // The rows and columns of the old plane that the new sample covers.
                let rows = ((cy << to_sy) >> from_sy)..((((cy + 1) << to_sy).min(h) - 1) >> from_sy) + 1;
                for cx in 0..cw {
                    let cols = ((cx << to_sx) >> from_sx)..((((cx + 1) << to_sx).min(w) - 1) >> from_sx) + 1;
                    let count = (rows.len() * cols.len()) as u32;
                    let sum: u32 = rows.clone().flat_map(|y| &plane.row(y)[cols.clone()]).map(|&c| u32::from(c)).sum();
                    data.push(((sum + count / 2) / count) as u8);
                }
            }
        }
        Frame::from_vec(layout, w, h, self.colour(), data)
    }
}
