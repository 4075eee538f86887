//! The time that processes may ask for: virtual on an executor that has its own, else the machine's.
//!
//! The machine's time has one thread for the process, started with the first wait. It serves `sleep` and `timeout` alone: no
//! wake-up of the engine's own depends on it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use crate::runtime::timeline::{Alarm, Timeline, VirtualClock};
use crate::runtime::virtual_clock;
use crate::sync::{Arc, Duration, Instant, ModelCondvar, ModelMutex, OnceLock, drop_quietly, thread};

/// The clock of the place where this thread runs a node.
#[derive(Clone)]
pub(super) enum Clock {
    Virtual(Arc<VirtualClock>),
    Real(&'static Timer),
}

impl Clock {
    pub(super) fn here() -> Self {
        virtual_clock().map_or_else(|| Self::Real(Timer::of_the_process()), Self::Virtual)
    }

    /// Time since the clock's zero.
    pub(super) fn now(&self) -> Duration {
        match self {
            Self::Virtual(clock) => clock.now(),
            Self::Real(timer) => timer.zero.elapsed(),
        }
    }

    /// Wakes at that time, by this waker from now on; `alarm` is the wait so far.
    pub(super) fn set(&self, alarm: Option<Alarm>, at: Duration, waker: &Waker) -> Alarm {
        match self {
            Self::Virtual(clock) => clock.set(alarm, at, waker),
            Self::Real(timer) => timer.set(alarm, at, waker),
        }
    }

    pub(super) fn remove(&self, alarm: Alarm) {
        // What the waker holds is dropped here, outside of the locks.
        drop(match self {
            Self::Virtual(clock) => clock.remove(alarm),
            Self::Real(timer) => timer.line.lock().waits.remove(alarm),
        });
    }
}

/// The process's own.
pub(super) struct Timer {
    zero: Instant,
    line: ModelMutex<Line>,
    changed: ModelCondvar,
}

struct Line {
    waits: Timeline,
    /// The process whose thread serves it: a fork has a copy of this, but no thread.
    served_in: Option<u32>,
}

impl Timer {
    fn of_the_process() -> &'static Self {
        static TIMER: OnceLock<Timer> = OnceLock::new();
        TIMER.get_or_init(|| Self {
            zero: Instant::now(),
            line: ModelMutex::new(Line { waits: Timeline::default(), served_in: None }),
            changed: ModelCondvar::new(),
        })
    }

    /// # Panics
    ///
    /// Where the system gives no thread.
    fn set(&'static self, alarm: Option<Alarm>, at: Duration, waker: &Waker) -> Alarm {
        let mut line = self.line.lock();
        let process = std::process::id();
        if line.served_in != Some(process) {
            let served = thread::Builder::new().name("kpn-timer".to_owned()).spawn(|| self.serve());
            assert!(served.is_ok(), "`kpn::nondet` can't tell the time, since the system gave no thread for it");
            line.served_in = Some(process);
        }
        let first = line.waits.first();
        let (alarm, old) = line.waits.set(alarm, at, waker);
        let sooner = line.waits.first() < first || first.is_none();
        drop(line);
        drop(old);
        if sooner {
            self.changed.notify_one();
        }
        alarm
    }

    /// The life of the timer's thread.
    fn serve(&self) {
        let mut line = self.line.lock();
        loop {
            let due = line.waits.due(self.zero.elapsed());
            if !due.is_empty() {
                drop(line);
                for waker in due {
                    // It may be somebody else's code.
                    drop_quietly(catch_unwind(AssertUnwindSafe(|| waker.wake())));
                }
                line = self.line.lock();
                continue;
            }
            match line.waits.first().and_then(|first| self.zero.checked_add(first)) {
                Some(moment) => {
                    self.changed.wait_until(&mut line, moment);
                }
                None => self.changed.wait(&mut line),
            }
        }
    }
}
