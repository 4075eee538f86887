//! What is not determinate, by name: ways for a process to look at more than its tokens.
//!
//! A Kahn network's result depends on its tokens alone (Kahn 1974). Where that is not wanted, a process says so,
//! `#[node(nondet)]`, and may then choose the input that has a token ([`select`]), give up a wait ([`timeout`]) and ask for the time
//! ([`now`]). [`merge`] is such a process, ready made. What comes from one may differ from run to run, and so may
//! all that follows it; the report names the processes that did look. [`sleep`] only waits: the tokens stay the same.
//!
//! To the search for deadlocks a process in a `select` waits for the outside, so it is never part of one.

mod clock;
mod merge;
mod time;

pub use merge::{Merge, MergePorts, merge};
pub use time::{Elapsed, Instant, Sleep, now, sleep, timeout};

#[doc(inline)]
pub use crate::process::{Either, Select, SelectAmong, select, select_among};
