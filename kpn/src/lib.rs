//! Kahn process networks: typed nodes, bounded edges, one result whatever the schedule.
//!
//! | to | see |
//! |---|---|
//! | make a node | [`macro@node`], [`mod@nodes`] for the ready-made ones |
//! | read and write in an order of its own | [`mod@process`]: `async fn` nodes with [`In`] and [`Out`] |
//! | add nodes while it runs | [`mod@grow`] |
//! | wire nodes | [`network!`], [`Builder`] |
//! | run a network | [`Network`], [`Shared`], which makes a [`ThreadPool`], [`Private`], [`Deterministic`] |
//! | say what follows where it stalls | [`Network::on_stall`], [`Deadlock`] |
//! | know its rates before, prove it determinate | [`Network::analysis`], [`mod@verify`], [`Deterministic`] |
//! | feed and drain it from outside | [`inlet`], [`outlet`] |
//! | know a network before it runs | [`Network::analysis`], [`mod@analysis`] |
//! | test one node | [`harness`] |
//! | choose by time | [`nondet`] |
//! | prove that no schedule changes the result | [`verify`] |
//!
//! ```
//! use kpn::prelude::*;
//!
//! #[node]
//! fn gain(x: f32, #[param] k: f32) -> f32 {
//!     k * x
//! }
//!
//! let mut total = 0.0;
//! network! { source([1.0, 2.0, 3.0]) -> gain(0.5) -> sink(|x: f32| total += x) }?.run()?;
//! assert_eq!(total, 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(not(target_pointer_width = "64"))]
compile_error!("kpn counts the tokens of an edge in 64 bits and needs a 64-bit target");

pub mod analysis;
pub mod builder;
mod channel;
pub mod config;
mod digraph;
mod dot;
mod error;
mod failure;
mod graph;
pub mod grow;
pub mod harness;
mod history;
pub mod io;
#[cfg(all(test, loom))]
mod models;
mod net;
pub mod node;
pub mod nodes;
pub mod nondet;
mod plan;
pub mod process;
mod report;
mod runtime;
mod stall;
mod stats;
mod sync;
mod table;
mod tap;
mod tuning;
pub mod verify;

/// What the benchmarks reach into. Not part of the public interface.
#[doc(hidden)]
pub mod __bench;
/// What the macros expand to. Not part of the public interface.
#[doc(hidden)]
pub mod __rt;

#[doc(inline)]
pub use analysis::Analysis;
#[doc(inline)]
pub use builder::Builder;
#[doc(inline)]
pub use config::{Deterministic, Executor, Private, Shared, ThreadPool};
#[doc(inline)]
pub use error::{BuildError, Problem};
#[doc(inline)]
pub use failure::{Cause, NodeFailure, Payload, RunError, StartError};
#[doc(inline)]
pub use io::{from_channel, inlet, inlet_with, outlet, outlet_with, to_channel};
pub use kpn_macros::{network, node};
#[doc(inline)]
pub use net::{Network, Running, Stopper};
#[doc(inline)]
pub use plan::DEFAULT_CAPACITY;
#[doc(inline)]
pub use process::{Closed, In, Out, join};
#[doc(inline)]
pub use report::{EdgeReport, NodeReport, Report};
#[doc(inline)]
pub use stall::{Blocked, Deadlock, DeadlockKind, Growth, Stall, Waits};
#[doc(inline)]
pub use tap::{Latest, TapError};

/// All that a program that declares and runs networks needs.
pub mod prelude {
    pub use crate::builder::Builder;
    pub use crate::config::{Deterministic, Executor, Private, Shared, ThreadPool, micros};
    pub use crate::error::{BuildError, Problem};
    pub use crate::failure::{Cause, NodeFailure, RunError, StartError};
    pub use crate::net::{Network, Running, Stopper};
    pub use crate::node::{Drain, Many, Refine, Stage, Supply};
    pub use crate::nodes::{filter_map, gather, map, sink, source};
    pub use crate::process::{Closed, In, Out};
    pub use crate::report::Report;
    pub use crate::stall::{Deadlock, Stall};
    pub use kpn_macros::{network, node};
}

/// The README's programs, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
