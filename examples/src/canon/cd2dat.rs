//! From the 44,100 samples a second of a compact disc to the 48,000 of a digital audio tape, in four steps at fixed rates:
//! the example by which synchronous dataflow is taught.

use std::array;
use std::f64::consts::TAU;

use kpn::prelude::*;

use super::polyphase::{self, TAPS};

/// A step: for every `DOWN` samples that it takes it sends `UP`.
pub struct Resample<const UP: usize, const DOWN: usize> {
    taps: Vec<f64>,
    /// The last `TAPS - 1` samples, then those that have come since.
    past: Vec<f64>,
}

impl<const UP: usize, const DOWN: usize> Default for Resample<UP, DOWN> {
    fn default() -> Self {
        Self { taps: polyphase::low_pass(UP, DOWN), past: vec![0.0; TAPS - 1] }
    }
}

#[node]
impl<const UP: usize, const DOWN: usize> Resample<UP, DOWN> {
    fn fire(&mut self, samples: [f64; DOWN]) -> [f64; UP] {
        self.past.extend(samples);
        // Of all the taps only each `UP`-th falls on a sample and not on a zero between two.
        let resampled = array::from_fn(|i| {
            let (newest, phase) = (TAPS - 1 + i * DOWN / UP, i * DOWN % UP);
            (0..TAPS).fold(0.0, |sum, k| sum + self.taps[phase + k * UP] * self.past[newest - k])
        });
        self.past.drain(..DOWN);
        resampled
    }
}

/// Converts `cd` to `dat`: 160 samples for every 147.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn cd2dat(cd: Vec<f64>, dat: &mut Vec<f64>) -> Result<Network<'_>, BuildError> {
    network! {
        cd       = source(cd);
        to_88200 = Resample::<2, 1>::default();
        to_58800 = Resample::<2, 3>::default();
        to_67200 = Resample::<8, 7>::default();
        to_48000 = Resample::<5, 7>::default();
        dat      = sink(|x| dat.push(x));

        cd -> to_88200 -> to_58800 -> to_67200 -> to_48000 -> dat;
    }
}

/// A sine that rises from 0 to a quarter of the rate.
#[must_use]
pub fn sweep(samples: usize) -> Vec<f64> {
    (0..samples).map(|i| (TAU * (i * i) as f64 / (8 * samples) as f64).sin()).collect()
}
