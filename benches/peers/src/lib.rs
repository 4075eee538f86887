//! What the peers share: calibrated work, topologies, and the measuring that prints one line.
//!
//! `cpp/harness.hpp` is its twin: the same arithmetic, sizing and columns.

mod config;
mod measure;
mod topology;
mod work;

pub use config::{Config, fail, unsupported};
pub use measure::measure;
pub use topology::{Sink, Topology};
pub use work::node;
