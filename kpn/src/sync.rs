//! The one home of primitives: atomics, cells, locks, threads, parking, spinning, clock, core count.
//!
//! Nothing else in the crate names `std::sync::atomic`, `std::thread` or a lock, so the protocols
//! run unchanged under loom (`--cfg loom`), where each of these is replaced by its modelled twin.

pub(crate) use std::sync::{Arc, OnceLock, Weak};
pub(crate) use std::time::{Duration, Instant};

pub(crate) use crossbeam_utils::CachePadded;
/// Locks that no model checks; protocols that one checks use `ModelMutex`.
pub(crate) use parking_lot::{Condvar, Mutex, RwLock};

#[cfg(not(loom))]
mod imp {
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(crate) use std::thread::{self, JoinHandle};

    pub(crate) use crossbeam_utils::sync::{Parker, Unparker};
    /// The lock of a protocol that is model checked.
    pub(crate) use parking_lot::Mutex as ModelMutex;

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
    /// Threads of the whole engine, which no model runs; models spawn loom's.
    pub(crate) use std::thread::{self, JoinHandle};

    /// The shape of `parking_lot::Mutex` over loom's.
    pub(crate) struct ModelMutex<T>(loom::sync::Mutex<T>);

    impl<T> ModelMutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().expect("no model panics while it holds a lock")
        }
    }

    /// The shape of crossbeam's parker: a token that one unpark leaves and one park takes.
    pub(crate) struct Parker(Unparker);

    #[derive(Clone)]
    pub(crate) struct Unparker(super::Arc<(loom::sync::Mutex<bool>, loom::sync::Condvar)>);

    impl Parker {
        pub(crate) fn new() -> Self {
            Self(Unparker(super::Arc::new((loom::sync::Mutex::new(false), loom::sync::Condvar::new()))))
        }

        pub(crate) fn unparker(&self) -> &Unparker {
            &self.0
        }

        pub(crate) fn park(&self) {
            let (token, there) = &*self.0.0;
            let mut token = token.lock().expect("no model panics while it holds a lock");
            while !*token {
                token = there.wait(token).expect("no model panics while it holds a lock");
            }
            *token = false;
        }
    }

    impl Unparker {
        pub(crate) fn unpark(&self) {
            let (token, there) = &*self.0;
            *token.lock().expect("no model panics while it holds a lock") = true;
            there.notify_one();
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
