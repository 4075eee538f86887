//! The engine's constants, held a pool, so that a benchmark can show what each of them buys.
//!
//! They are read once an activation or a wake, never a token. Nothing here is part of the public interface.

/// The most firings an activation: amortises one virtual call and one dispatch to well under a nanosecond each.
pub(crate) const BATCH: usize = if cfg!(loom) { 2 } else { 64 };

/// See the module.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Figures of nodes and edges are booked.
    pub stats: bool,
    /// The most firings an activation.
    pub batch: usize,
    /// The node woken last runs next on the worker that woke it.
    pub slot: bool,
    /// Quick nodes stay with the worker that woke them.
    pub near: bool,
    /// Workers schedule into one queue that they share, in the place of their own.
    pub shared_queue: bool,
    /// One worker searches at a time, however much there is to do.
    pub one_searcher: bool,
    /// The most tokens beyond its need until a waiting reader is woken by a hint.
    pub slack: usize,
    /// From this cost of a firing on, in nanoseconds, a node hands on every token at once.
    pub slow_ns: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            stats: true,
            batch: BATCH,
            slot: true,
            near: true,
            shared_queue: false,
            one_searcher: false,
            slack: 16,
            slow_ns: 4_000,
        }
    }
}
