//! Seeded choices in the place of the queues' order and of the clock: to replay a run, and to shake schedules.
//!
//! On one worker all that happens follows from the seed: which of the ready nodes runs next, how many firings it gets,
//! when it publishes, and what time it is. The worker waits until the network is complete, since a node that is notified a
//! moment later would make it choose from another set. Several workers cannot be repeated, but they get the same variety.

use std::collections::VecDeque;

use super::core::{Core, FAIRNESS};
use super::dice::{Dice, mix};
use super::inside::Inside;
use super::life::Net;
use super::pace::Chance;
use super::task::TaskRef;
use super::timeline::VirtualClock;
use crate::sync::{Arc, AtomicU64, ModelCondvar, ModelMutex, Mutex, Ordering};

/// The seeded choices of one pool.
pub(crate) struct Shuffle {
    pub(crate) seed: u64,
    /// Nodes that have been given their dice.
    nodes: AtomicU64,
    alone: Option<Alone>,
}

/// What a worker has that is the only one of its pool.
struct Alone {
    order: Mutex<Order>,
    clock: Arc<VirtualClock>,
    begun: ModelMutex<bool>,
    begins: ModelCondvar,
}

struct Order {
    dice: Dice,
    habit: Habit,
    ready: VecDeque<TaskRef>,
    turn: u32,
    /// What the choices so far come to.
    trace: u64,
}

/// Which ready node is preferred. Errors differ in what finds them: some want a node left behind for long.
#[derive(Clone, Copy)]
enum Habit {
    None,
    Newest,
    Oldest,
}

impl Shuffle {
    /// For one worker, which waits for [`Shuffle::begin`].
    pub(crate) fn alone(seed: u64) -> Self {
        let mut dice = Dice::of(seed, 0);
        let habit = [Habit::None, Habit::Newest, Habit::Oldest][dice.below(3)];
        let order = Order { dice, habit, ready: VecDeque::new(), turn: 0, trace: 0 };
        let (begun, begins) = (ModelMutex::new(false), ModelCondvar::new());
        Self {
            alone: Some(Alone { order: Mutex::new(order), clock: Arc::default(), begun, begins }),
            ..Self::many(seed)
        }
    }

    /// For any number of workers.
    pub(crate) fn many(seed: u64) -> Self {
        Self { seed, nodes: AtomicU64::new(1), alone: None }
    }

    /// Whether all that happens follows from the seed.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.is_some()
    }

    /// What the order of activations so far hashes to, where it can be repeated.
    pub(crate) fn trace(&self) -> Option<u64> {
        self.alone.as_ref().map(|alone| alone.order.lock().trace)
    }

    /// What sets the terms of one more node.
    pub(crate) fn chance(&self) -> Chance {
        let dice = Dice::of(self.seed, self.nodes.fetch_add(1, Ordering::Relaxed));
        Chance::new(dice, mix(!self.seed))
    }

    /// Lets the worker begin.
    pub(crate) fn begin(&self) {
        if let Some(alone) = &self.alone {
            *alone.begun.lock() = true;
            alone.begins.notify_all();
        }
    }

    /// The worker waits until the network is complete.
    pub(crate) fn wait_to_begin(&self) {
        if let Some(alone) = &self.alone {
            let mut begun = alone.begun.lock();
            while !*begun {
                alone.begins.wait(&mut begun);
            }
        }
    }

    /// The next task of a worker. A worker on its own lets time pass where there is none.
    pub(crate) fn next(&self, core: &Core) -> Option<TaskRef> {
        let Some(alone) = &self.alone else { return core.any() };
        loop {
            let (next, turn) = {
                let mut order = alone.order.lock();
                (order.next(core), order.turn)
            };
            // Before time passes: a stall is known at once.
            let looks = core.pool.suspects.any() && (next.is_none() || turn.is_multiple_of(FAIRNESS));
            if looks {
                core.pool.suspects.examine();
            }
            if next.is_some() || !looks && !alone.clock.advance() {
                return next;
            }
        }
    }
}

impl Order {
    fn next(&mut self, core: &Core) -> Option<TaskRef> {
        while let Some(task) = core.pop() {
            self.ready.push_back(task);
        }
        let last = self.ready.len().checked_sub(1)?;
        let habit = if self.dice.below(8) == 0 { Habit::None } else { self.habit };
        let task = match habit {
            Habit::None => {
                let any = self.dice.below(last + 1);
                self.ready.swap_remove_back(any)
            }
            Habit::Newest => self.ready.pop_back(),
            Habit::Oldest => self.ready.pop_front(),
        }?;
        // SAFETY: a scheduled task has not ended.
        let name = unsafe { task.get() }.name.as_bytes();
        let step = name.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| mix(hash ^ u64::from(*byte)));
        self.trace = mix(self.trace ^ step);
        self.turn = self.turn.wrapping_add(1);
        Some(task)
    }
}

impl Net {
    /// The seeded choices of its pool, where that makes any.
    pub(crate) fn shuffle(&self) -> Option<&Shuffle> {
        self.seat.as_ref().and_then(|seat| seat.workers.shuffle.as_ref())
    }
}

/// The clock of the executor that runs this thread's node, where that has one of its own.
pub(crate) fn virtual_clock() -> Option<Arc<VirtualClock>> {
    Inside::here(|net| net.shuffle()?.alone.as_ref().map(|alone| alone.clock.clone()))?
}
