//! Who waits for whom. The rules are in the README, "Stalls".
//!
//! A node parks on its first unmet need, so it waits for one peer, and from every node one way leads on. Before it goes idle
//! it writes down what it waits for, fences, and follows that way: whoever closes a cycle of waits last finds it.

use super::task::{Task, TaskRef};
use super::word::Standing;
use crate::channel::Link;
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, ModelPtr, Ordering};

/// How many steps a node goes by itself; longer ways are left to workers that have nothing better to do.
pub(super) const STEPS: usize = 8;

/// Which end of an edge waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The reader, for tokens.
    Input,
    /// The writer, for space.
    Output,
}

/// What a node waits for, for others to read. On the line of its word.
#[derive(Default)]
pub(crate) struct Waiting {
    /// The edge, if it may lie on a cycle of waits and nobody from outside may end the wait; the lowest bit says which side.
    on: ModelPtr<Link>,
    /// How often it has waited so.
    epoch: AtomicU32,
    /// The last search that came by.
    pub(super) mark: AtomicU64,
    /// It is on the list of suspects.
    pub(super) suspect: AtomicBool,
}

impl Waiting {
    /// The node, which holds RUN, is about to wait. Its driver fences afterwards.
    pub(super) fn on(&self, link: &Link, side: Side) {
        let link = std::ptr::from_ref(link).cast_mut();
        let bit = usize::from(side == Side::Output);
        self.epoch.store(self.epoch.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        // Release: partner of the acquire in `Wait::of`.
        self.on.store(link.map_addr(|addr| addr | bit), Ordering::Release);
    }

    /// The node, which holds RUN, waits no more.
    pub(super) fn over(&self) {
        self.on.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}

/// A wait, as somebody else saw it. Two that are equal mean that the node waited all the time between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) task: TaskRef,
    pub(super) side: Side,
    /// The index that ends it.
    pub(super) target: usize,
    link: *const Link,
    epoch: u32,
}

/// What a step found.
pub(super) enum Step {
    /// It waits and its need is not met.
    Waits(Wait),
    /// It is about to go idle, or to find that it need not.
    Parking,
    /// It waits though its need is met: its waker is about to see to it, if that still runs.
    Met(Wait),
    /// It runs, is scheduled, has ended, or waits for something else.
    Moves,
}

impl Wait {
    /// Looks at a node of a network that the caller keeps alive.
    pub(super) fn of(this: TaskRef) -> Step {
        // SAFETY: by the contract above.
        let task = unsafe { this.get() };
        let waiting = &task.waiting;
        let epoch = waiting.epoch.load(Ordering::Relaxed);
        let on = waiting.on.load(Ordering::Acquire);
        let parking = match task.word.standing() {
            _ if on.is_null() => return Step::Moves,
            Standing::Idle => false,
            Standing::Running => true,
            Standing::Noted | Standing::Done => return Step::Moves,
        };
        let side = if on.addr() & 1 == 0 { Side::Input } else { Side::Output };
        let link = on.map_addr(|addr| addr & !1).cast_const();
        // SAFETY: an edge of a network lives as long as it does.
        let words = unsafe { &*link };
        let target = match side {
            Side::Input => words.consumer_need(),
            Side::Output => words.producer_need(),
        };
        if target == 0 {
            // Somebody took the need to notify it.
            return Step::Moves;
        }
        let wait = Self { task: this, side, target, link, epoch };
        let met = match side {
            Side::Input => words.consumer_met(target),
            Side::Output => words.producer_met(target),
        };
        match (parking, met) {
            (true, _) => Step::Parking,
            (false, true) => Step::Met(wait),
            (false, false) => Step::Waits(wait),
        }
    }

    /// The edge.
    pub(super) fn link(&self) -> &Link {
        // SAFETY: whoever holds a wait keeps its network alive.
        unsafe { &*self.link }
    }

    /// Whom the node waits for.
    pub(super) fn peer(&self) -> TaskRef {
        peer(self.link(), self.side)
    }
}

fn peer(link: &Link, side: Side) -> TaskRef {
    match side {
        Side::Input => TaskRef::writer_of(link),
        Side::Output => TaskRef::reader_of(link),
    }
}

/// Where the way of a node that is about to wait leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To somebody who moves.
    Open,
    /// Back to itself, or to somebody who should have been woken.
    Stuck,
    /// Further than it looked.
    Long,
}

/// Follows the way of a node that has armed its wait, written it down and fenced, and that still holds RUN, so that the
/// network is alive. Members that are about to go idle count as idle: they look for themselves after their own fence, and
/// one of all of them is the last.
pub(super) fn way(task: &Task, link: &Link, side: Side) -> Way {
    let this = TaskRef::new(task);
    let mut next = peer(link, side);
    for _ in 0..STEPS {
        if next == this {
            return Way::Stuck;
        }
        match Wait::of(next) {
            Step::Waits(wait) => next = wait.peer(),
            Step::Met(wait) => return if rests(wait.peer()) { Way::Stuck } else { Way::Open },
            Step::Parking => {
                let Some(on) = parked_on(next) else { return Way::Open };
                next = on;
            }
            Step::Moves => return Way::Open,
        }
    }
    Way::Long
}

/// Whom a node that is about to go idle waits for.
fn parked_on(this: TaskRef) -> Option<TaskRef> {
    // SAFETY: as in `Wait::of`.
    let on = unsafe { this.get() }.waiting.on.load(Ordering::Acquire);
    if on.is_null() {
        return None;
    }
    let side = if on.addr() & 1 == 0 { Side::Input } else { Side::Output };
    // SAFETY: an edge of a network lives as long as it does.
    Some(peer(unsafe { &*on.map_addr(|addr| addr & !1) }, side))
}

/// Whether a node neither runs nor will: nothing is on its way from it, nor from a worker that works off a claim of its.
pub(super) fn rests(this: TaskRef) -> bool {
    // SAFETY: the caller keeps the network alive.
    let task = unsafe { this.get() };
    // The word first: a worker counts itself before the node can go idle, and leaves when it has told everybody.
    matches!(task.word.standing(), Standing::Idle | Standing::Done) && !task.has_help()
}
