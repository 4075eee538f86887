//! A node at run time: its word, its neighbours, its body.
//!
//! Who may touch what:
//!
//! - `word`, `ctl`, `figures` and `beside`: anybody.
//! - `turn_ns`: written by the holder of RUN, read by anybody.
//! - `slot`: the holder of RUN alone; before the start the builder, after the end nobody.
//! - everything else is written before the start and read-only from then on.

use std::cell::Cell;
use std::ptr::NonNull;

use super::grow::Rewire;
use super::life::Net;
use super::pace::{Chance, Pace, QUICK_NS, Terms};
use super::wait::Waiting;
use super::word::Word;
use crate::channel::{Link, LinkRef};
use crate::node::bound::Fire;
use crate::stats::{Figures, Meter};
use crate::sync::{AtomicU8, AtomicU32, Instant, Ordering, PlainU16, Unparker, UnsafeCell};
use crate::tuning::Tuning;

/// Sources and inlets: give nothing more, end.
pub(crate) const STOP: u8 = 1;
/// Everybody: drop what you have, end.
pub(crate) const CANCEL: u8 = 2;

/// Where a node runs.
pub(crate) enum Home {
    /// On the pool of its network.
    Pool,
    /// On a thread of its own, which parks here.
    Own(Unparker),
}

/// Which wait word a node armed before it went idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Armed {
    Nothing,
    /// Input edge, and the tail that it waits for.
    Input(u32, usize),
    /// Output edge, and the head that it waits for.
    Output(u32, usize),
    /// The inputs in [`Extra::several`].
    Several,
}

/// What only the holder of RUN touches.
pub(crate) struct Slot {
    /// `None` once the node has ended.
    pub(crate) body: Option<Box<dyn Fire>>,
    pub(crate) edges: Edges,
    pub(crate) armed: Armed,
    /// What only few nodes have.
    pub(crate) extra: Option<Box<Extra>>,
    pub(crate) pace: Pace,
    pub(crate) meter: Meter,
}

/// What only few nodes have.
#[derive(Default)]
pub(crate) struct Extra {
    /// Input edges, and the tails one of which it waits for.
    pub(crate) several: Vec<(usize, usize)>,
    /// Sets the terms of its activations in the place of the clock.
    pub(crate) chance: Option<Chance>,
}

/// A node's edges, in the order of its ports.
#[derive(Default)]
pub(crate) struct Edges {
    /// The inputs, then the outputs.
    all: Box<[LinkRef]>,
    /// How many are inputs.
    split: u32,
    /// A bit for each of the first inputs that is on a cycle of tokens with the node.
    pub(crate) inner: u16,
    /// The node's wait is written down for those who search for stalls.
    pub(super) watched: Cell<bool>,
}

impl Edges {
    pub(super) fn new(inputs: Vec<LinkRef>, outputs: Vec<LinkRef>) -> Self {
        let split = u32::try_from(inputs.len()).expect("edges that fit in memory are fewer");
        Self { all: inputs.into_iter().chain(outputs).collect(), split, inner: 0, watched: Cell::new(false) }
    }

    #[inline]
    pub(crate) fn inputs(&self) -> &[LinkRef] {
        &self.all[..self.split as usize]
    }

    #[inline]
    pub(crate) fn outputs(&self) -> &[LinkRef] {
        &self.all[self.split as usize..]
    }

    /// A process has exchanged some of its edges, or got new ones.
    #[cold]
    pub(super) fn rewire(&mut self, changes: Vec<Rewire>) {
        fn put(edges: &mut Vec<LinkRef>, at: usize, link: LinkRef) {
            match edges.get_mut(at) {
                Some(edge) => *edge = link,
                None => edges.push(link),
            }
        }
        let (mut inputs, mut outputs) = (self.inputs().to_vec(), self.outputs().to_vec());
        for change in changes {
            match change {
                Rewire::Input(at, link) => put(&mut inputs, at, link),
                Rewire::Outputs(at, link) => at.for_each(|at| put(&mut outputs, at, link.clone())),
            }
        }
        *self = Self { inner: self.inner, watched: self.watched.clone(), ..Self::new(inputs, outputs) };
    }
}

impl Slot {
    /// Input edges, and the tails one of which it waits for; as last said.
    pub(super) fn several(&self) -> &[(usize, usize)] {
        self.extra.as_ref().map_or(&[], |extra| &extra.several)
    }

    /// The terms of an activation that begins; `now` where the clock has been read anyway.
    #[inline]
    pub(super) fn terms(&mut self, now: Option<Instant>, tuning: &Tuning) -> Terms {
        match self.extra.as_mut().and_then(|extra| extra.chance.as_mut()) {
            Some(chance) => chance.terms(self.pace.eager),
            None => self.pace.begin(now, tuning),
        }
    }
}

/// What neighbours touch, alone on its line.
#[repr(align(64))]
pub(crate) struct Front {
    pub(crate) word: Word,
    pub(crate) waiting: Waiting,
    pub(crate) home: Home,
    net: *const Net,
    /// Nodes of one component lie on cycles with each other.
    pub(crate) component: u32,
    pub(crate) priority: i32,
    pub(crate) ctl: AtomicU8,
    /// How many workers fire it without RUN.
    pub(super) beside: AtomicU32,
    /// Without inputs: it ends when it is stopped.
    pub(crate) is_source: bool,
    /// About how long its turns take, in nanoseconds; the most there is while that isn't known. Written by the holder of RUN, read
    /// by whoever schedules it; only where it runs depends on it.
    turn_ns: PlainU16,
}

// Ten thousand of them are to be cheap. Loom's words are larger.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Front>() == 64 && size_of::<Task>() <= 256);

/// So that these are reached like a task's other parts.
impl std::ops::Deref for Task {
    type Target = Front;
    #[inline]
    fn deref(&self) -> &Front {
        &self.front
    }
}

/// See the module.
#[repr(C)]
pub(crate) struct Task {
    front: Front,
    pub(crate) name: Box<str>,
    pub(crate) figures: Figures,
    slot: UnsafeCell<Slot>,
}

// SAFETY: `slot` is guarded by RUN (see the module): the word's acquire and release orderings hand it from one
// holder to the next, and a body is `Send`. `net` outlives the task, which it owns.
unsafe impl Sync for Task {}
// SAFETY: as above; nothing in a task is bound to a thread.
unsafe impl Send for Task {}

impl Task {
    pub(crate) fn new(
        net: *const Net,
        name: Box<str>,
        home: Home,
        priority: i32,
        component: usize,
        is_source: bool,
    ) -> Self {
        let front = Front {
            word: Word::idle(),
            waiting: Waiting::default(),
            home,
            net,
            component: u32::try_from(component).unwrap_or(u32::MAX),
            priority,
            ctl: AtomicU8::new(0),
            beside: AtomicU32::new(0),
            is_source,
            turn_ns: PlainU16::new(u16::MAX),
        };
        Self {
            front,
            name,
            figures: Figures::default(),
            slot: UnsafeCell::new(Slot {
                body: None,
                edges: Edges::default(),
                armed: Armed::Nothing,
                extra: None,
                pace: Pace::default(),
                meter: Meter::default(),
            }),
        }
    }

    /// Hands out what RUN guards.
    ///
    /// # Safety
    ///
    /// The caller holds RUN, or the network has not started and is the caller's alone; and it lets go of the
    /// reference before it gives that up.
    #[allow(clippy::mut_from_ref, reason = "RUN is the lock")]
    pub(crate) unsafe fn slot(&self) -> &mut Slot {
        // SAFETY: by the contract nobody else has a reference.
        self.slot.with_mut(|slot| unsafe { &mut *slot })
    }

    /// The network that this is a node of.
    pub(crate) fn net(&self) -> &Net {
        // SAFETY: the network owns the task, so while `self` is borrowed it is alive.
        unsafe { &*self.net }
    }

    /// The same, for the one who will count this task's end.
    pub(crate) fn net_ptr(&self) -> *const Net {
        self.net
    }

    /// Whether somebody fires it now; a reading for reports.
    pub(crate) fn is_firing(&self) -> bool {
        self.word.is_running() || self.has_help()
    }

    /// Whether a worker works off a claim of its. Acquire: partner of the release in [`Task::helped`].
    pub(super) fn has_help(&self) -> bool {
        self.beside.load(Ordering::Acquire) > 0
    }

    /// A worker is about to work off a claim. The caller holds RUN, and gives it up afterwards, which publishes this.
    pub(super) fn help(&self) {
        self.beside.fetch_add(1, Ordering::Relaxed);
    }

    /// It has told everybody what came of it.
    pub(super) fn helped(&self) {
        self.beside.fetch_sub(1, Ordering::Release);
    }

    /// What was asked of the node from outside. Acquire: partner of the release in [`Task::control`].
    #[inline]
    pub(crate) fn asked(&self, what: u8) -> bool {
        self.ctl.load(Ordering::Acquire) & what != 0
    }

    /// About how long its next turn will take.
    #[inline]
    pub(super) fn turn_ns(&self) -> u16 {
        self.turn_ns.load(Ordering::Relaxed)
    }

    /// Holder of RUN: its turns take about so long.
    #[inline]
    pub(super) fn set_turn_ns(&self, ns: u16) {
        self.turn_ns.store(ns, Ordering::Relaxed);
    }

    /// Whether its next turn takes less time than another worker's wake, as far as is known.
    #[inline]
    pub(super) fn is_quick(&self) -> bool {
        self.turn_ns() <= QUICK_NS
    }

    /// Asks something of the node; the caller notifies it.
    pub(crate) fn control(&self, what: u8) {
        self.ctl.fetch_or(what, Ordering::Release);
    }
}

/// A pointer to a task, for queues and neighbours.
///
/// It is valid for whoever can have one: a queue holds only tasks that have not ended, a neighbour that looks through it
/// has not ended itself, and a network frees its tasks only after all of them have ended and every handle is gone
/// (`Net` keeps itself alive until then).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TaskRef(NonNull<Task>);

// SAFETY: a task is `Sync`, and the pointer gives only shared access.
unsafe impl Send for TaskRef {}
// SAFETY: as above.
unsafe impl Sync for TaskRef {}

impl TaskRef {
    pub(crate) fn new(task: &Task) -> Self {
        Self(NonNull::from(task))
    }

    /// Moves a task to where it stays until its network is freed.
    pub(crate) fn place(task: Task) -> Self {
        Self(NonNull::from(Box::leak(Box::new(task))))
    }

    /// Frees a task that was [placed](TaskRef::place).
    ///
    /// # Safety
    ///
    /// The caller owns it, and nobody uses a pointer to it any more.
    pub(crate) unsafe fn free(self) {
        // SAFETY: it was leaked by `place`, and by the contract this is its end.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }

    /// As an edge keeps it.
    pub(crate) fn as_end(self) -> *mut () {
        self.0.as_ptr().cast()
    }

    /// Who writes to an edge of a network that has started.
    #[inline]
    pub(crate) fn writer_of(link: &Link) -> Self {
        Self::of_end(link.writer())
    }

    /// Who reads from an edge of a network that has started.
    #[inline]
    pub(crate) fn reader_of(link: &Link) -> Self {
        Self::of_end(link.reader())
    }

    fn of_end(end: *mut ()) -> Self {
        Self(NonNull::new(end.cast()).expect("both ends of an edge are known before its network starts"))
    }

    /// The task.
    ///
    /// # Safety
    ///
    /// Some task of the network has not ended, or the caller holds an `Arc` of the network, for as long as the
    /// reference lives.
    #[inline]
    pub(crate) unsafe fn get<'a>(self) -> &'a Task {
        // SAFETY: by the contract the network, which owns the task, is alive.
        unsafe { self.0.as_ref() }
    }
}
