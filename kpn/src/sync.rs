//! The one home of primitives: atomics, cells, locks, threads, parking, spinning, clock, core count.
//!
//! Nothing else in the crate names `std::sync::atomic`, `std::thread` or a lock, so the protocols
//! run unchanged under loom (`--cfg loom`), where each of these is replaced by its modelled twin.

pub(crate) use std::sync::{Arc, OnceLock, Weak};
pub(crate) use std::time::{Duration, Instant};

pub(crate) use crossbeam_utils::CachePadded;

#[cfg(not(loom))]
mod imp {
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(crate) use std::thread::{self, JoinHandle, ThreadId};

    pub(crate) use crossbeam_utils::sync::{Parker, Unparker};
    pub(crate) use parking_lot::{Condvar, Mutex, RwLock};

    pub(crate) fn spin_hint() {
        std::hint::spin_loop();
    }

    /// A cell whose accesses loom can see; here it costs nothing.
    #[repr(transparent)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Hands a shared pointer to the contents to `f`.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Hands an exclusive pointer to the contents to `f`.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(loom)]
mod imp {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(crate) use loom::thread::JoinHandle;
    /// Threads are loom's where a model runs them; naming and counting cores stay with std.
    pub(crate) mod thread {
        pub(crate) use loom::thread::{Builder, spawn, yield_now};
        pub(crate) use std::thread::{ThreadId, available_parallelism, current, panicking};
    }
    pub(crate) use std::thread::ThreadId;

    /// The shape of `parking_lot::Mutex` over loom's.
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().expect("no model panics while it holds a lock")
        }

        pub(crate) fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Self {
            Self::new(T::default())
        }
    }

    /// Not part of any model, so std's lock in `parking_lot`'s shape serves.
    pub(crate) use parking_lot::RwLock;

    pub(crate) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(crate) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    pub(crate) fn spin_hint() {
        loom::hint::spin_loop();
    }
}

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
