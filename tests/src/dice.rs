//! Seeded dice: a failing seed is printed and can be thrown again.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::watch::{doing, message};

/// A sequence of numbers that depends on the seed alone (SplitMix64: Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in the range, which is not empty.
    pub fn within(&mut self, range: Range<usize>) -> usize {
        range.start + (self.roll() % (range.end - range.start) as u64) as usize
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.roll().is_multiple_of(n)
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.within(0..of.len())]
    }
}

/// Calls `test` with the dice of the seeds `0..n`, or only with that of the seed in the variable `KPN_SEED`.
///
/// # Panics
///
/// With the first seed that fails and why.
pub fn seeds(n: u64, mut test: impl FnMut(u64, &mut Dice)) {
    let only = std::env::var("KPN_SEED").ok().and_then(|seed| seed.parse().ok());
    let range = only.map_or(0..n, |seed: u64| seed..seed + 1);
    for seed in range {
        doing(format!("seed {seed}"));
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| test(seed, &mut Dice::new(seed)))) {
            let why = message(&*payload).unwrap_or_else(|| "no message".to_owned());
            panic!("seed {seed}: {why}");
        }
    }
}
