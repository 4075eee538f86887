//! Shared ownership of an edge's words.
//!
//! What `Arc` does, with the count among the words: in front of a block that is aligned to a cache line, the two counts of an
//! `Arc` would take a line of their own, a fifth of what a small edge costs.

use std::ops::Deref;
use std::ptr::NonNull;

use super::link::Link;
use crate::sync::{Ordering, fence};

/// One owner of an edge's words.
pub(crate) struct LinkRef(NonNull<Link>);

// SAFETY: as an `Arc`: the words may be used by several threads, and the last owner frees them.
unsafe impl Send for LinkRef {}
// SAFETY: as above.
unsafe impl Sync for LinkRef {}

impl LinkRef {
    /// The first owner.
    pub(crate) fn new(link: Link) -> Self {
        Self(NonNull::from(Box::leak(Box::new(link))))
    }

    /// Whether both own the same words.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    pub(crate) fn as_ptr(&self) -> *const Link {
        self.0.as_ptr()
    }
}

impl Deref for LinkRef {
    type Target = Link;
    #[inline]
    fn deref(&self) -> &Link {
        // SAFETY: this owner keeps them.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for LinkRef {
    fn clone(&self) -> Self {
        // Relaxed: whoever clones has an owner, so the count can't fall to 0 meanwhile.
        let before = Link::owners(self).fetch_add(1, Ordering::Relaxed);
        // Owners that are forgotten by the billion must not bring the count round to 0.
        assert!(before < usize::MAX / 2, "an edge has too many owners");
        Self(self.0)
    }
}

impl Drop for LinkRef {
    fn drop(&mut self) {
        // Release: what this owner did comes before the end; the fence is the last one's partner to all of them.
        if Link::owners(self).fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: it was leaked by `new`, and nobody else is left.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}
