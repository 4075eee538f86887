//! Which network's node a thread runs.

use super::life::Net;
use crate::sync::per_thread;

/// While it lives, this thread runs a node of a network.
pub(crate) struct Inside(*const Net);

per_thread! {
    static INSIDE: std::cell::Cell<*const Net> = std::cell::Cell::new(std::ptr::null());
}

impl Inside {
    pub(super) fn enter(net: &Net) -> Self {
        Self(INSIDE.try_with(|inside| inside.replace(net)).unwrap_or(std::ptr::null()))
    }

    /// The networks that can't end before the node that this thread runs has returned: its own, and those whose nodes
    /// wait for that one in `run`. Empty outside of nodes.
    pub(crate) fn lineage() -> Vec<u64> {
        Self::here(|net| net.lineage.iter().copied().chain([net.id]).collect()).unwrap_or_default()
    }

    /// The network whose node this thread runs.
    pub(crate) fn here<R>(f: impl FnOnce(&Net) -> R) -> Option<R> {
        let net = INSIDE.try_with(std::cell::Cell::get).unwrap_or(std::ptr::null());
        // SAFETY: it is called from user code in a firing; the node that fires keeps its network alive, and `drop` below
        // takes the pointer back before the driver lets go of that.
        unsafe { net.as_ref() }.map(f)
    }

    /// Whether a wait for the end of the network `id` would wait for itself.
    pub(crate) fn is(id: u64) -> bool {
        Self::lineage().contains(&id)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = INSIDE.try_with(|inside| inside.set(self.0));
    }
}
