//! What is booked of each node while it runs.
//!
//! Counters have one writer, the holder of RUN, and any reader: a booking is a relaxed load and store, never a
//! read-modify-write, once an activation. Time is sampled (see `runtime::pace`), so a token costs no clock read.
//! Without the feature `stats` the twin in `off` has the same signatures and does nothing.

#[cfg(not(feature = "stats"))]
mod off;
#[cfg(feature = "stats")]
mod on;

#[cfg(not(feature = "stats"))]
pub(crate) use off::{Figures, Meter};
#[cfg(feature = "stats")]
pub(crate) use on::{Figures, Meter};

use crate::sync::Duration;

/// What a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Input,
    Output,
    Outside,
}

/// A reading of one node's figures.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) firings: u64,
    pub(crate) activations: u64,
    pub(crate) empty: u64,
    pub(crate) busy: Duration,
    pub(crate) on_input: Duration,
    pub(crate) on_output: Duration,
    pub(crate) on_outside: Duration,
    pub(crate) for_worker: Duration,
}
