//! Threads that wait for a queue.

use std::task::{Poll, Wake, Waker};

use crate::runtime::blocking;
use crate::sync::{Arc, Instant, ModelCondvar, ModelMutex};

/// Wakes a thread that waits in [`wait`].
#[derive(Default)]
struct Thread {
    woken: ModelMutex<bool>,
    wake: ModelCondvar,
}

impl Thread {
    /// False once the deadline has passed.
    fn park(&self, deadline: Option<Instant>) -> bool {
        let mut woken = self.woken.lock();
        while !*woken {
            match deadline {
                None => self.wake.wait(&mut woken),
                Some(deadline) if self.wake.wait_until(&mut woken, deadline).timed_out() => return *woken,
                Some(_) => {}
            }
        }
        *woken = false;
        true
    }
}

impl Wake for Thread {
    fn wake(self: Arc<Self>) {
        *self.woken.lock() = true;
        self.wake.notify_one();
    }
}

/// Blocks until `poll` is ready; it leaves the waker that it gets where it will be found. `None` once the
/// deadline has passed.
///
/// In a node on a pool, another thread takes over the worker's core for the time.
pub(super) fn wait<R>(deadline: Option<Instant>, mut poll: impl FnMut(Waker) -> Poll<R>) -> Option<R> {
    let thread = Arc::new(Thread::default());
    let mut wait = || loop {
        if let Poll::Ready(result) = poll(Waker::from(thread.clone())) {
            return Some(result);
        }
        if !thread.park(deadline) {
            return None;
        }
    };
    // Where no thread can take over, this worker's node fails rather than hold up all that the pool runs.
    blocking(&mut wait).unwrap_or_else(|error| panic!("{error}"))
}
