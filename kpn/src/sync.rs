//! The one home of primitives: atomics, cells, locks, threads, parking, spinning, clock, core count.
//!
//! Nothing else in the crate names `std::sync::atomic`, `std::thread` or a lock, so the protocols
//! run unchanged under loom (`--cfg loom`), where each of these is replaced by its modelled twin.

pub(crate) use std::sync::{Arc, OnceLock, Weak};
pub(crate) use std::time::Duration;

/// Locks that no model checks; protocols that one checks use `ModelMutex`.
pub(crate) use parking_lot::Mutex;
/// A mark that is set before anybody depends on it; no model follows it.
pub(crate) use std::sync::atomic::AtomicBool as PlainBool;
/// A pointer that changes rarely and under protocols of its own; no model follows it.
pub(crate) use std::sync::atomic::AtomicPtr;
/// An estimate that nothing but speed depends on; no model follows it.
pub(crate) use std::sync::atomic::AtomicU16 as PlainU16;
/// A count whose protocol is that of an `Arc`; no model follows it.
pub(crate) use std::sync::atomic::AtomicUsize as PlainUsize;

#[cfg(not(loom))]
mod imp {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    pub(crate) use std::thread::{self, JoinHandle};

    pub(crate) use crossbeam_utils::sync::{Parker, Unparker};
    /// A pointer of a protocol that is model checked.
    pub(crate) use std::sync::atomic::AtomicPtr as ModelPtr;

    pub(crate) use crossbeam_deque as deque;
    /// The locks of protocols that are model checked.
    pub(crate) use parking_lot::{Condvar as ModelCondvar, Mutex as ModelMutex, RwLock as ModelRwLock};
    pub(crate) use std::time::Instant;

    /// A thread-local that needs no check for its first use.
    macro_rules! per_thread {
        (static $name:ident: $t:ty = $init:expr;) => {
            std::thread_local! {
                static $name: $t = const { $init };
            }
        };
    }
    pub(crate) use per_thread;

    pub(crate) fn spin_hint() {
        std::hint::spin_loop();
    }

    /// Lets go of the threads that have ended.
    pub(crate) fn forget_finished(threads: &mut Vec<JoinHandle<()>>) {
        threads.retain(|thread| !thread.is_finished());
    }

    /// Models break the shipped code on purpose, one site at a time, to show that they would notice.
    #[inline(always)]
    pub(crate) const fn mutated(_site: &str) -> bool {
        false
    }

    /// A cell whose accesses loom can see; here it costs nothing.
    #[repr(transparent)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Hands an exclusive pointer to the contents to `f`.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }

        /// Hands a pointer to contents that nobody changes meanwhile to `f`.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }
    }

    /// Moves what is in the cells to `to`, all at once.
    ///
    /// # Safety
    ///
    /// The cells hold values, and are the caller's alone, who uses none of them again; `to` has room for all.
    #[inline]
    pub(crate) unsafe fn move_out<T>(cells: &[UnsafeCell<std::mem::MaybeUninit<T>>], to: *mut T) {
        // SAFETY: by the contract; a cell is laid out as what is in it.
        unsafe { std::ptr::copy_nonoverlapping(cells.as_ptr().cast(), to, cells.len()) };
    }
}

#[cfg(loom)]
#[path = "sync_loom.rs"]
mod imp;

pub(crate) use imp::*;

/// The number of cores this process may use, cgroup quotas and affinity respected.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A number that no other caller in this process gets.
pub(crate) fn next_id() -> u64 {
    // Never part of a model, so std's atomic serves under loom too.
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// Drops what a user made. A panic of its `Drop` ends here, and so does one of what that panicked with.
pub(crate) fn drop_quietly<T>(value: T) {
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(value)));
    // A payload that panics as well is not worth a third try.
    std::mem::forget(dropped);
}

/// Whether this thread unwinds just now.
pub(crate) fn panicking() -> bool {
    std::thread::panicking()
}
