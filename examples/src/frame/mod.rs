//! Frames: pixels, their layout and their colour.
//!
//! A [`Frame`] owns one buffer behind an `Arc`: a clone is a counter, so that a frame can go to
//! several readers, and writing to a shared frame copies it first.

mod colour;
mod convert;

use std::sync::Arc;

pub use colour::{Colour, Matrix, Range};

/// How a frame's samples lie in memory; eight bits a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Y', Cb, Cr planes; chroma has half the width and half the height, rounded up.
    Yuv420,
    /// Y', Cb, Cr planes; chroma has half the width, rounded up.
    Yuv422,
    /// Y', Cb, Cr planes of equal size.
    Yuv444,
    /// One plane of luma.
    Gray,
    /// One plane of R, G, B bytes.
    Rgb8,
    /// One plane of R, G, B, A bytes.
    Rgba8,
}

impl Layout {
    /// Number of planes.
    #[must_use]
    pub fn planes(self) -> usize {
        if self.is_yuv() { 3 } else { 1 }
    }

    /// Whether luma and chroma lie in planes of their own.
    #[must_use]
    pub fn is_yuv(self) -> bool {
        matches!(self, Self::Yuv420 | Self::Yuv422 | Self::Yuv444)
    }

    /// Bytes from one pixel of plane 0 to the next.
    #[must_use]
    pub fn bytes_per_pixel(self) -> usize {
        match self {
            Self::Rgb8 => 3,
            Self::Rgba8 => 4,
            _ => 1,
        }
    }

    /// Chroma subsampling as powers of two: horizontal, vertical.
    #[must_use]
    pub fn chroma_shift(self) -> (u32, u32) {
        match self {
            Self::Yuv420 => (1, 1),
            Self::Yuv422 => (1, 0),
            _ => (0, 0),
        }
    }

    /// Bytes in a row and number of rows of plane `i`, for a frame of `width` by `height` pixels.
    /// Chroma of odd sizes rounds up, so that the last column and row have colour too.
    #[must_use]
    pub fn plane_size(self, i: usize, width: usize, height: usize) -> (usize, usize) {
        if i == 0 {
            return (width * self.bytes_per_pixel(), height);
        }
        let (sx, sy) = self.chroma_shift();
        (width.div_ceil(1 << sx), height.div_ceil(1 << sy))
    }

    /// Bytes of a frame without padding.
    #[must_use]
    pub fn tight_len(self, width: usize, height: usize) -> usize {
        (0..self.planes()).map(|i| self.plane_size(i, width, height)).map(|(w, h)| w * h).sum()
    }
}

/// A borrowed plane: rows of `width` bytes, `stride` bytes apart.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    /// The samples, from the first row on.
    pub data: &'a [u8],
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Bytes in a row that belong to the picture.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl<'a> Plane<'a> {
    /// Row `y`.
    ///
    /// # Panics
    ///
    /// Where `y` is not less than the height.
    #[must_use]
    pub fn row(&self, y: usize) -> &'a [u8] {
        &self.data[y * self.stride..][..self.width]
    }

    /// All rows, top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let this = *self;
        (0..this.height).map(move |y| this.row(y))
    }
}

/// A picture with a place in time.
#[derive(Clone, Debug)]
pub struct Frame {
    width: usize,
    height: usize,
    layout: Layout,
    colour: Colour,
    strides: [usize; 3],
    data: Arc<Vec<u8>>,
    /// When the frame is shown, in ticks of the film's timescale from its first frame.
    pub pts: u64,
    /// How long the frame is shown, in ticks of the film's timescale.
    pub duration: u32,
}

impl Frame {
    /// A black frame without padding.
    #[must_use]
    pub fn blank(layout: Layout, width: usize, height: usize, colour: Colour) -> Self {
        let mut data = vec![0; layout.tight_len(width, height)];
        let luma = width * height;
        if layout.is_yuv() {
            data[..luma].fill(colour.range.black());
            data[luma..].fill(128);
        } else if layout == Layout::Gray {
            data.fill(colour.range.black());
        } else if layout == Layout::Rgba8 {
            data.chunks_exact_mut(4).for_each(|p| p[3] = 255);
        }
        Self::from_vec(layout, width, height, colour, data)
    }

    /// A frame around `data`: the planes one after the other, without padding.
    ///
    /// # Panics
    ///
    /// Where `data` is not [`Layout::tight_len`] bytes long.
    #[must_use]
    pub fn from_vec(layout: Layout, width: usize, height: usize, colour: Colour, data: Vec<u8>) -> Self {
        assert_eq!(data.len(), layout.tight_len(width, height), "a {width}x{height} {layout:?} frame");
        let strides = std::array::from_fn(|i| layout.plane_size(i, width, height).0);
        Self { width, height, layout, colour, strides, data: Arc::new(data), pts: 0, duration: 0 }
    }

    /// A frame around `data` whose rows are `strides` bytes apart.
    ///
    /// Plane `i` starts where plane `i - 1` has used up its stride times its rows.
    ///
    /// # Panics
    ///
    /// Where a stride is shorter than its row, or `data` too short for the planes.
    #[must_use]
    pub fn with_strides(
        layout: Layout,
        (width, height): (usize, usize),
        colour: Colour,
        strides: [usize; 3],
        data: Vec<u8>,
    ) -> Self {
        let mut need = 0;
        for (i, stride) in strides.iter().enumerate().take(layout.planes()) {
            let (w, h) = layout.plane_size(i, width, height);
            assert!(*stride >= w, "plane {i}: stride {stride} is shorter than a row of {w} bytes");
            need += stride * h;
        }
        assert!(data.len() >= need, "{} bytes can't hold planes of {need} bytes", data.len());
        Self { width, height, layout, colour, strides, data: Arc::new(data), pts: 0, duration: 0 }
    }

    /// The same picture shown at `pts` for `duration` ticks.
    #[must_use]
    pub fn at(mut self, pts: u64, duration: u32) -> Self {
        (self.pts, self.duration) = (pts, duration);
        self
    }

    /// The same picture shown when `other` is.
    #[must_use]
    pub fn at_time_of(self, other: &Frame) -> Self {
        self.at(other.pts, other.duration)
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// How the samples lie in memory.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// What the samples mean.
    #[must_use]
    pub fn colour(&self) -> Colour {
        self.colour
    }

    /// Plane `i`: of YUV layouts 0 is Y', 1 is Cb, 2 is Cr.
    ///
    /// # Panics
    ///
    /// Where the layout has no such plane.
    #[must_use]
    pub fn plane(&self, i: usize) -> Plane<'_> {
        let (start, stride) = self.place(i);
        let (width, height) = self.layout.plane_size(i, self.width, self.height);
        Plane { data: &self.data[start..start + stride * height], stride, width, height }
    }

    /// All planes.
    pub fn planes(&self) -> impl Iterator<Item = Plane<'_>> {
        (0..self.layout.planes()).map(|i| self.plane(i))
    }

    /// Row `y` of plane `i`, to be written; copies the pixels first where others read them.
    ///
    /// # Panics
    ///
    /// Where the layout has no such plane, or the plane no such row.
    #[must_use]
    pub fn row_mut(&mut self, i: usize, y: usize) -> &mut [u8] {
        let (start, stride) = self.place(i);
        let (width, height) = self.layout.plane_size(i, self.width, self.height);
        assert!(y < height, "row {y} of {height}");
        &mut Arc::make_mut(&mut self.data)[start + y * stride..][..width]
    }

    /// The samples of plane `i` without padding.
    ///
    /// # Panics
    ///
    /// Where the layout has no such plane.
    #[must_use]
    pub fn plane_to_vec(&self, i: usize) -> Vec<u8> {
        let plane = self.plane(i);
        let mut out = Vec::with_capacity(plane.width * plane.height);
        plane.rows().for_each(|row| out.extend_from_slice(row));
        out
    }

    /// All samples without padding, plane after plane.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.layout.tight_len(self.width, self.height));
        self.planes().for_each(|plane| plane.rows().for_each(|row| out.extend_from_slice(row)));
        out
    }

    /// Rows `from..to` as a frame of their own, at the same time.
    ///
    /// # Panics
    ///
    /// Where the rows are none or lie outside, or `from` is odd and chroma is halved vertically.
    #[must_use]
    pub fn rows(&self, from: usize, to: usize) -> Frame {
        assert!(from < to && to <= self.height, "rows {from}..{to} of {}", self.height);
        let (_, sy) = self.layout.chroma_shift();
        assert!(from.is_multiple_of(1 << sy), "chroma has no row at luma row {from}");
        let mut data = Vec::with_capacity(self.layout.tight_len(self.width, to - from));
        for (i, plane) in self.planes().enumerate() {
            let (first, count) = if i == 0 { (from, to - from) } else { (from >> sy, (to - from).div_ceil(1 << sy)) };
            (first..first + count).for_each(|y| data.extend_from_slice(plane.row(y)));
        }
        Self::from_vec(self.layout, self.width, to - from, self.colour, data).at_time_of(self)
    }

    fn place(&self, i: usize) -> (usize, usize) {
        assert!(i < self.layout.planes(), "{:?} has no plane {i}", self.layout);
        let start = (0..i).map(|j| self.strides[j] * self.layout.plane_size(j, self.width, self.height).1).sum();
        (start, self.strides[i])
    }
}

/// Frames are equal where their pixels, time and meaning are; padding does not count.
impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        (self.size(), self.layout, self.colour, self.pts, self.duration)
            == (other.size(), other.layout, other.colour, other.pts, other.duration)
            && self.planes().zip(other.planes()).all(|(a, b)| a.rows().eq(b.rows()))
    }
}

#[cfg(test)]
mod tests;
