//! Who waits for which moment; and a clock that stands still while there is something to do.

use std::collections::BTreeMap;
use std::task::Waker;

use crate::sync::{Duration, Mutex};

/// A wait for a moment: the moment, and a number that tells it from others for the same one.
pub(crate) type Alarm = (Duration, u64);

/// Moments, as times since a clock's zero, and who is to be woken then.
#[derive(Default)]
pub(crate) struct Timeline {
    next: u64,
    waiting: BTreeMap<Alarm, Waker>,
}

impl Timeline {
    /// Waits for that time, by this waker from now on; `alarm` is the wait so far. A waker that is of no use any more is the
    /// caller's, to be dropped outside of locks.
    pub(crate) fn set(&mut self, alarm: Option<Alarm>, at: Duration, waker: &Waker) -> (Alarm, Option<Waker>) {
        let alarm = alarm.unwrap_or_else(|| {
            self.next += 1;
            (at, self.next)
        });
        match self.waiting.get_mut(&alarm) {
            Some(known) if known.will_wake(waker) => (alarm, None),
            _ => (alarm, self.waiting.insert(alarm, waker.clone())),
        }
    }

    /// Forgets a wait; its waker as above.
    pub(crate) fn remove(&mut self, alarm: Alarm) -> Option<Waker> {
        self.waiting.remove(&alarm)
    }

    /// The first moment that somebody waits for; the end of time never comes.
    pub(crate) fn first(&self) -> Option<Duration> {
        self.waiting.first_key_value().map(|(alarm, _)| alarm.0).filter(|first| *first < Duration::MAX)
    }

    /// Takes everybody whose moment has come, in order.
    pub(crate) fn due(&mut self, now: Duration) -> Vec<Waker> {
        let later = self.waiting.split_off(&(now.saturating_add(Duration::from_nanos(1)), 0));
        std::mem::replace(&mut self.waiting, later).into_values().collect()
    }
}

/// The time of a deterministic executor: it passes only when nothing else can happen.
#[derive(Default)]
pub(crate) struct VirtualClock(Mutex<(Duration, Timeline)>);

impl VirtualClock {
    pub(crate) fn now(&self) -> Duration {
        self.0.lock().0
    }

    pub(crate) fn set(&self, alarm: Option<Alarm>, at: Duration, waker: &Waker) -> Alarm {
        let (alarm, old) = self.0.lock().1.set(alarm, at, waker);
        drop(old);
        alarm
    }

    pub(crate) fn remove(&self, alarm: Alarm) -> Option<Waker> {
        self.0.lock().1.remove(alarm)
    }

    /// Goes on to the first moment that somebody waits for and wakes them; false where nobody waits.
    pub(crate) fn advance(&self) -> bool {
        let mut inner = self.0.lock();
        let Some(moment) = inner.1.first() else { return false };
        inner.0 = inner.0.max(moment);
        let due = inner.1.due(moment);
        drop(inner);
        due.into_iter().for_each(Waker::wake);
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_passes_from_one_wait_to_the_next() {
        let clock = VirtualClock::default();
        let late = clock.set(None, 3 * SECOND, Waker::noop());
        clock.set(None, 2 * SECOND, Waker::noop());
        clock.set(None, 2 * SECOND, Waker::noop());
        assert_eq!(clock.now(), Duration::ZERO);
        assert!(clock.advance());
        assert_eq!(clock.now(), 2 * SECOND, "both of this moment at once");
        assert!(clock.remove(late).is_some());
        assert!(!clock.advance(), "nobody waits any more");
        assert_eq!(clock.now(), 2 * SECOND);
    }

    #[test]
    fn the_end_of_time_never_comes() {
        let clock = VirtualClock::default();
        clock.set(None, Duration::MAX, Waker::noop());
        assert!(!clock.advance());
        assert_eq!(clock.now(), Duration::ZERO);
    }
}
