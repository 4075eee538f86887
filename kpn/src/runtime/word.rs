//! The one atomic word that drives a node, pooled or private.
//!
//! ```text
//! bit 0 RUN · a count of notes above it · bit 63 DONE
//! 0 idle | ≥ 2 without RUN: scheduled | 1 running | odd > 1: running and notified
//! ```
//!
//! Whoever turns 0 into 2 enqueues the node, so it is in one queue at most; whoever dequeues it sets RUN and is
//! then the only one who may touch its body. RUN is given up by [`Word::try_idle`], [`Word::yield_`] or
//! [`Word::done`]; from then on the former holder must not touch the node.

use crate::sync::{AtomicU64, Ordering, mutated};

const RUN: u64 = 1;
const NOTE: u64 = 2;
const DONE: u64 = 1 << 63;

/// See the module.
pub(crate) struct Word(AtomicU64);

/// What a note came to.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notified {
    /// The node was idle: the caller enqueues it.
    Enqueue,
    /// Somebody else enqueued it, or runs it and will look again, or it has ended.
    Known,
}

/// What trying to go idle came to.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// RUN is given up.
    Gone,
    /// A note came: RUN is kept, the notes are taken, and the caller looks again.
    Again,
}

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Idle,
    /// Running, with no note since it began.
    Running,
    /// Scheduled, or running and noted: it will look again.
    Noted,
    Done,
}

impl Word {
    /// Idle: for a node whose wait is armed already.
    pub(crate) fn idle() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Says that something may have changed for the node.
    ///
    /// Always a read-modify-write: a short-cut load could read a stale "scheduled" and lose the note. Release so
    /// that what was written before is seen by the node's next [`Word::begin`] or [`Word::try_idle`].
    #[inline]
    pub(crate) fn notify(&self) -> Notified {
        if mutated("notify by load") && self.0.load(Ordering::Acquire) != 0 {
            return Notified::Known;
        }
        if self.0.fetch_add(NOTE, Ordering::AcqRel) == 0 { Notified::Enqueue } else { Notified::Known }
    }

    /// Takes RUN; for the one who dequeued the node. Acquire: partner of the notes' release.
    #[inline]
    pub(crate) fn begin(&self) {
        let before = self.0.swap(RUN, Ordering::AcqRel);
        debug_assert!(before >= NOTE && before & (RUN | DONE) == 0, "begin on {before:#x}");
    }

    /// Gives up RUN unless a note has come meanwhile.
    #[inline]
    pub(crate) fn try_idle(&self) -> Idle {
        if mutated("idle by load and store") {
            if self.0.load(Ordering::Acquire) != RUN {
                self.0.swap(RUN, Ordering::AcqRel);
                return Idle::Again;
            }
            self.0.store(0, Ordering::Release);
            return Idle::Gone;
        }
        match self.0.compare_exchange(RUN, 0, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Idle::Gone,
            Err(_) => {
                self.0.swap(RUN, Ordering::AcqRel);
                Idle::Again
            }
        }
    }

    /// Gives up RUN and stays scheduled: the caller enqueues the node. Notes are merged into the schedule.
    #[inline]
    pub(crate) fn yield_(&self) {
        self.0.swap(NOTE, Ordering::AcqRel);
    }

    /// Gives up RUN for ever. Later notes are ignored.
    pub(crate) fn done(&self) {
        self.0.swap(DONE, Ordering::AcqRel);
    }

    /// How the node stands, for whoever follows its waits. Acquire: what a node wrote before it gave up RUN is seen.
    pub(crate) fn standing(&self) -> Standing {
        match self.0.load(Ordering::Acquire) {
            0 => Standing::Idle,
            RUN => Standing::Running,
            word if word & DONE != 0 => Standing::Done,
            _ => Standing::Noted,
        }
    }

    /// Whether somebody runs the node now; a reading for reports.
    pub(crate) fn is_running(&self) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        word & DONE == 0 && word & RUN != 0
    }

    /// Whether the node is scheduled and not yet running: what a private thread waits for. Acquire: the
    /// following [`Word::begin`] orders more, this only lets the thread leave its spin.
    pub(crate) fn is_scheduled(&self) -> bool {
        let word = self.0.load(Ordering::Acquire);
        word >= NOTE && word & (RUN | DONE) == 0
    }

    /// Whether the node has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.0.load(Ordering::Acquire) & DONE != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_first_note_enqueues_and_the_others_are_known() {
        let word = Word::idle();
        assert_eq!(word.notify(), Notified::Enqueue);
        assert_eq!(word.notify(), Notified::Known);
        assert!(word.is_scheduled());
        word.begin();
        assert!(word.is_running());
        assert_eq!(word.try_idle(), Idle::Gone);
        assert_eq!(word.notify(), Notified::Enqueue);
    }

    #[test]
    fn a_note_while_running_is_not_lost() {
        let word = Word::idle();
        assert_eq!(word.notify(), Notified::Enqueue);
        word.begin();
        assert_eq!(word.notify(), Notified::Known);
        assert_eq!(word.try_idle(), Idle::Again);
        assert_eq!(word.try_idle(), Idle::Gone);
    }

    #[test]
    fn notes_after_the_end_are_ignored() {
        let word = Word::idle();
        assert_eq!(word.notify(), Notified::Enqueue);
        word.begin();
        word.done();
        assert_eq!(word.notify(), Notified::Known);
        assert!(word.is_done() && !word.is_running() && !word.is_scheduled());
    }
}
