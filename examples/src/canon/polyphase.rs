//! Low-passes for a change of rate by a ratio of small numbers.

use std::f64::consts::{PI, TAU};

/// Taps that each new sample is a sum over.
pub(super) const TAPS: usize = 24;

/// The low-pass between zeros put in and samples left out: `up * TAPS` taps, so that the samples stay as loud.
/// It is a sinc under Blackman's window, and halves the amplitude where the slower of the two rates folds.
pub(super) fn low_pass(up: usize, down: usize) -> Vec<f64> {
    let taps = up * TAPS;
    let middle = (taps - 1) as f64 / 2.0;
    // In cycles a sample of the rate between.
    let cutoff = 0.5 / up.max(down) as f64;
    let tap = |i: usize| {
        let x = i as f64 - middle;
        let sinc = if x == 0.0 { 2.0 * cutoff } else { (TAU * cutoff * x).sin() / (PI * x) };
        let turn = TAU * (i as f64 + 0.5) / taps as f64;
        let window = 0.42 - 0.5 * turn.cos() + 0.08 * (2.0 * turn).cos();
        up as f64 * sinc * window
    };
    (0..taps).map(tap).collect()
}
