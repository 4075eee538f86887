//! Kahn process networks in Rust.

pub mod builder;
mod channel;
mod dot;
mod error;
mod graph;
pub mod harness;
mod net;
pub mod node;
pub mod nodes;
mod sync;

/// What the macros expand to. Not part of the public interface.
#[doc(hidden)]
pub mod __rt;

pub use builder::Builder;
pub use error::{BuildError, Problem};
pub use kpn_macros::{network, node};
pub use net::Network;

/// All that a program that declares and runs networks needs.
pub mod prelude {
    pub use crate::builder::Builder;
    pub use crate::error::{BuildError, Problem};
    pub use crate::net::Network;
    pub use crate::node::{Drain, Many, Refine, Stage, Supply};
    pub use crate::nodes::{filter_map, gather, map, sink, source};
    pub use kpn_macros::{network, node};
}
