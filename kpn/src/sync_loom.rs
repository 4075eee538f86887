//! The modelled twins of the primitives in `sync`.

use std::cell::Cell;
use std::time::Duration;

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::sync::atomic::AtomicPtr as ModelPtr;
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use loom::thread::{self, JoinHandle};

/// A thread-local of the modelled threads.
macro_rules! per_thread {
    (static $name:ident: $t:ty = $init:expr;) => {
        loom::thread_local! {
            static $name: $t = $init;
        }
    };
}
pub(crate) use per_thread;

pub(crate) fn spin_hint() {
    loom::hint::spin_loop();
}

/// Loom's threads don't tell; all are joined in the end.
pub(crate) fn forget_finished(_: &mut Vec<JoinHandle<()>>) {}

/// As in the shipped twin, cell by cell.
///
/// # Safety
///
/// As there.
pub(crate) unsafe fn move_out<T>(cells: &[UnsafeCell<std::mem::MaybeUninit<T>>], to: *mut T) {
    for (i, cell) in cells.iter().enumerate() {
        // SAFETY: by the contract.
        cell.with_mut(|cell| unsafe { to.add(i).write((*cell).assume_init_read()) });
    }
}

/// The shape of `parking_lot::Mutex` over loom's.
pub(crate) struct ModelMutex<T>(loom::sync::Mutex<T>);

/// A guard that a wait can take and give back.
pub(crate) struct ModelGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

const HELD: &str = "no model panics while it holds a lock";

impl<T> ModelMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> ModelGuard<'_, T> {
        ModelGuard(Some(self.0.lock().expect(HELD)))
    }
}

impl<T> std::ops::Deref for ModelGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_ref().expect(HELD)
    }
}

impl<T> std::ops::DerefMut for ModelGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect(HELD)
    }
}

/// The shape of `parking_lot::Condvar` over loom's.
pub(crate) struct ModelCondvar(loom::sync::Condvar);

/// The shape of `parking_lot::RwLock` over loom's.
#[derive(Default)]
pub(crate) struct ModelRwLock<T>(loom::sync::RwLock<T>);

impl<T> ModelRwLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::RwLock::new(value))
    }

    pub(crate) fn read(&self) -> loom::sync::RwLockReadGuard<'_, T> {
        self.0.read().expect(HELD)
    }

    pub(crate) fn write(&self) -> loom::sync::RwLockWriteGuard<'_, T> {
        self.0.write().expect(HELD)
    }
}

/// What `wait_until` answers.
pub(crate) struct TimedOut;

impl TimedOut {
    pub(crate) fn timed_out(&self) -> bool {
        false
    }
}

impl ModelCondvar {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    pub(crate) fn wait<T>(&self, guard: &mut ModelGuard<'_, T>) {
        guard.0 = guard.0.take().map(|guard| self.0.wait(guard).expect(HELD));
    }

    /// No time passes in a model.
    pub(crate) fn wait_until<T>(&self, guard: &mut ModelGuard<'_, T>, _: Instant) -> TimedOut {
        self.wait(guard);
        TimedOut
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }
}

impl<T: Default> Default for ModelMutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl Default for ModelCondvar {
    fn default() -> Self {
        Self::new()
    }
}

/// The shape of crossbeam's parker: a token that one unpark leaves and one park takes.
pub(crate) struct Parker(Unparker);

#[derive(Clone)]
pub(crate) struct Unparker(std::sync::Arc<(ModelMutex<bool>, ModelCondvar)>);

impl Parker {
    pub(crate) fn new() -> Self {
        Self(Unparker(std::sync::Arc::new((ModelMutex::new(false), ModelCondvar::new()))))
    }

    pub(crate) fn unparker(&self) -> &Unparker {
        &self.0
    }

    pub(crate) fn park(&self) {
        let (token, there) = &*self.0.0;
        let mut token = token.lock();
        while !*token {
            there.wait(&mut token);
        }
        *token = false;
    }
}

impl Unparker {
    pub(crate) fn unpark(&self) {
        let (token, there) = &*self.0;
        *token.lock() = true;
        there.notify_all();
    }
}

/// A clock that stands still, so that a model takes the same way each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    pub(crate) fn elapsed(&self) -> Duration {
        // Longer than any spin, so that spins end at once.
        Duration::from_secs(1)
    }

    pub(crate) fn checked_add(self, _: Duration) -> Option<Self> {
        Some(self)
    }

    #[cfg(feature = "stats")]
    pub(crate) fn saturating_duration_since(self, _: Self) -> Duration {
        Duration::ZERO
    }
}

impl std::ops::Sub for Instant {
    type Output = Duration;
    fn sub(self, _: Self) -> Duration {
        Duration::ZERO
    }
}

std::thread_local! {
    static MUTANT: Cell<&'static str> = const { Cell::new("") };
}

/// Whether the model that runs on this thread breaks the code at `site`.
pub(crate) fn mutated(site: &str) -> bool {
    MUTANT.get() == site
}

/// Breaks one site for the model that follows on this thread.
#[cfg(test)]
pub(crate) fn mutate(site: &'static str) {
    MUTANT.set(site);
}

/// crossbeam-deque's interface over one modelled lock: what it promises, without how.
pub(crate) mod deque {
    use std::collections::VecDeque;
    use std::sync::Arc;

    use super::ModelMutex;

    pub(crate) enum Steal<T> {
        Empty,
        Success(T),
        #[expect(dead_code, reason = "a lock never asks for another try")]
        Retry,
    }

    type Queue<T> = Arc<ModelMutex<VecDeque<T>>>;

    pub(crate) struct Worker<T>(Queue<T>);

    pub(crate) struct Stealer<T>(Queue<T>);

    pub(crate) struct Injector<T>(Queue<T>);

    fn pop<T>(queue: &Queue<T>) -> Steal<T> {
        queue.lock().pop_front().map_or(Steal::Empty, Steal::Success)
    }

    impl<T> Worker<T> {
        pub(crate) fn new_fifo() -> Self {
            Self(Arc::new(ModelMutex::new(VecDeque::new())))
        }

        pub(crate) fn stealer(&self) -> Stealer<T> {
            Stealer(self.0.clone())
        }

        pub(crate) fn push(&self, value: T) {
            self.0.lock().push_back(value);
        }

        pub(crate) fn pop(&self) -> Option<T> {
            self.0.lock().pop_front()
        }

        pub(crate) fn len(&self) -> usize {
            self.0.lock().len()
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.lock().is_empty()
        }
    }

    impl<T> Stealer<T> {
        pub(crate) fn steal_batch_and_pop(&self, _: &Worker<T>) -> Steal<T> {
            pop(&self.0)
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.lock().is_empty()
        }
    }

    impl<T> Default for Injector<T> {
        fn default() -> Self {
            Self(Arc::new(ModelMutex::new(VecDeque::new())))
        }
    }

    impl<T> Injector<T> {
        pub(crate) fn push(&self, value: T) {
            self.0.lock().push_back(value);
        }

        pub(crate) fn steal_batch_and_pop(&self, _: &Worker<T>) -> Steal<T> {
            pop(&self.0)
        }

        pub(crate) fn len(&self) -> usize {
            self.0.lock().len()
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.lock().is_empty()
        }
    }
}
