//! What samples mean: the matrix between R'G'B' and Y'CbCr, and the range of the codes.

/// The luma weights of R, G and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Matrix {
    /// ITU-R BT.601, standard definition and JPEG.
    #[default]
    Bt601,
    /// ITU-R BT.709, high definition.
    Bt709,
}

impl Matrix {
    fn weights(self) -> (f64, f64) {
        match self {
            Self::Bt601 => (0.299, 0.114),
            Self::Bt709 => (0.2126, 0.0722),
        }
    }
}

/// Which codes black and white have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Range {
    /// Luma from 16 to 235, chroma from 16 to 240.
    #[default]
    Limited,
    /// All codes from 0 to 255.
    Full,
}

impl Range {
    /// The luma code of black.
    #[must_use]
    pub fn black(self) -> u8 {
        match self {
            Self::Limited => 16,
            Self::Full => 0,
        }
    }

    /// The luma code of white.
    #[must_use]
    pub fn white(self) -> u8 {
        match self {
            Self::Limited => 235,
            Self::Full => 255,
        }
    }

    fn spans(self) -> (f64, f64) {
        match self {
            Self::Limited => (219.0, 224.0),
            Self::Full => (255.0, 255.0),
        }
    }
}

/// What the samples of a frame mean. For RGB layouts, what its luma and chroma would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Colour {
    /// The luma weights.
    pub matrix: Matrix,
    /// The codes of black and white.
    pub range: Range,
}

impl Colour {
    /// BT.601, limited range: standard definition film.
    pub const SD: Self = Self { matrix: Matrix::Bt601, range: Range::Limited };
    /// BT.709, limited range: high definition film.
    pub const HD: Self = Self { matrix: Matrix::Bt709, range: Range::Limited };
    /// BT.601, full range: JPEG.
    pub const JPEG: Self = Self { matrix: Matrix::Bt601, range: Range::Full };

    /// What players assume of a film that doesn't say: BT.709 from 720 lines on.
    #[must_use]
    pub fn guess(height: usize) -> Self {
        if height >= 720 { Self::HD } else { Self::SD }
    }
}

/// Fraction bits of the integer coefficients.
const BITS: u32 = 16;
const HALF: i32 = 1 << (BITS - 1);

fn fixed(x: f64) -> i32 {
    (x * f64::from(1 << BITS)).round() as i32
}

fn clamp(x: i32) -> u8 {
    x.clamp(0, 255) as u8
}

/// R'G'B' to Y'CbCr, as in ITU-R BT.601-7 section 2.5 and BT.709-6 section 3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToYuv {
    y: [i32; 3],
    cb: [i32; 3],
    cr: [i32; 3],
    black: i32,
}

impl ToYuv {
    pub(crate) fn new(colour: Colour) -> Self {
        let (kr, kb) = colour.matrix.weights();
        let kg = 1.0 - kr - kb;
        let (luma, chroma) = colour.range.spans();
        let (l, c) = (luma / 255.0, chroma / 255.0);
        let (b, r) = (c / (2.0 * (1.0 - kb)), c / (2.0 * (1.0 - kr)));
        Self {
            y: [fixed(kr * l), fixed(kg * l), fixed(kb * l)],
            cb: [fixed(-kr * b), fixed(-kg * b), fixed((1.0 - kb) * b)],
            cr: [fixed((1.0 - kr) * r), fixed(-kg * r), fixed(-kb * r)],
            black: i32::from(colour.range.black()),
        }
    }

    pub(crate) fn luma(&self, rgb: [u8; 3]) -> u8 {
        clamp(self.black + Self::dot(&self.y, rgb))
    }

    pub(crate) fn chroma(&self, rgb: [u8; 3]) -> (u8, u8) {
        (clamp(128 + Self::dot(&self.cb, rgb)), clamp(128 + Self::dot(&self.cr, rgb)))
    }

    fn dot(k: &[i32; 3], [r, g, b]: [u8; 3]) -> i32 {
        (k[0] * i32::from(r) + k[1] * i32::from(g) + k[2] * i32::from(b) + HALF) >> BITS
    }
}

/// Y'CbCr to R'G'B', the inverse of [`ToYuv`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToRgb {
    y: i32,
    r_cr: i32,
    g_cb: i32,
    g_cr: i32,
    b_cb: i32,
    black: i32,
}

impl ToRgb {
    pub(crate) fn new(colour: Colour) -> Self {
        let (kr, kb) = colour.matrix.weights();
        let kg = 1.0 - kr - kb;
        let (luma, chroma) = colour.range.spans();
        let (l, c) = (255.0 / luma, 255.0 / chroma);
        Self {
            y: fixed(l),
            r_cr: fixed(2.0 * (1.0 - kr) * c),
            g_cb: fixed(-2.0 * (1.0 - kb) * kb / kg * c),
            g_cr: fixed(-2.0 * (1.0 - kr) * kr / kg * c),
            b_cb: fixed(2.0 * (1.0 - kb) * c),
            black: i32::from(colour.range.black()),
        }
    }

    #[inline]
    pub(crate) fn rgb(&self, y: u8, cb: u8, cr: u8) -> [u8; 3] {
        let y = self.y * (i32::from(y) - self.black) + HALF;
        let (cb, cr) = (i32::from(cb) - 128, i32::from(cr) - 128);
        [
            clamp((y + self.r_cr * cr) >> BITS),
            clamp((y + self.g_cb * cb + self.g_cr * cr) >> BITS),
            clamp((y + self.b_cb * cb) >> BITS),
        ]
    }
}
