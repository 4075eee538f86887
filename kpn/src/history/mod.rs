//! What a network's outputs gave in one run, token by token, so that runs can be compared.
//!
//! A token is known by its hash. The first run keeps the hashes of every output; each later run is compared with them while it
//! runs, and keeps nothing but where it differs first.

mod known;
mod probe;
mod tape;

pub use probe::{ByDebug, ByHash, Otherwise, Probed};
pub(crate) use probe::{Learning, Probe, Probes, hash_of, learning};
pub(crate) use tape::{Histories, History, Recorder, Recording};
