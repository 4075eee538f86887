//! Kahn process networks in Rust.

pub mod builder;
mod channel;
pub mod config;
mod dot;
mod error;
mod failure;
mod graph;
pub mod harness;
pub mod io;
#[cfg(all(test, loom))]
mod models;
mod net;
pub mod node;
pub mod nodes;
mod plan;
mod report;
mod runtime;
mod stats;
mod sync;

/// What the macros expand to. Not part of the public interface.
#[doc(hidden)]
pub mod __rt;

pub use builder::Builder;
pub use error::{BuildError, Problem};
pub use kpn_macros::{network, node};
pub use config::{Executor, Private, Shared, ThreadPool};
pub use io::{from_channel, inlet, inlet_with, outlet, outlet_with, to_channel};
pub use failure::{Cause, NodeFailure, Payload, RunError, StartError};
pub use net::{Network, Running, Stopper};
pub use plan::DEFAULT_CAPACITY;
pub use report::{EdgeReport, NodeReport, Report};

/// All that a program that declares and runs networks needs.
pub mod prelude {
    pub use crate::builder::Builder;
    pub use crate::config::{Executor, Private, Shared, ThreadPool, micros};
    pub use crate::error::{BuildError, Problem};
    pub use crate::failure::{Cause, NodeFailure, RunError, StartError};
    pub use crate::net::{Network, Running, Stopper};
    pub use crate::report::Report;
    pub use crate::node::{Drain, Many, Refine, Stage, Supply};
    pub use crate::nodes::{filter_map, gather, map, sink, source};
    pub use kpn_macros::{network, node};
}
