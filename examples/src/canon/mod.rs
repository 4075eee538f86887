//! Programs that the theory of process networks is told with, each a network and, in [`plain`], what it must come to.

mod cd2dat;
mod complex;
mod fft;
mod hamming;
mod iir;
mod kahn1974;
mod local_deadlock;
mod merge;
mod merge_sorted;
mod parks;
pub mod plain;
mod polyphase;
mod run;
mod sieve;
mod switch_select;

pub use cd2dat::{Resample, cd2dat, sweep};
pub use complex::Complex;
pub use fft::fft;
pub use hamming::{MOST as HAMMING_MOST, hamming};
pub use iir::{Biquad, biquad, butterworth, iir};
pub use kahn1974::kahn1974;
pub use local_deadlock::{Case, local_deadlock};
pub use merge_sorted::{merge_sorted, streams};
pub use parks::parks;
pub use run::{run, shown, shown_rounded};
pub use sieve::sieve;
pub use switch_select::switch_select;

#[cfg(test)]
mod tests;
