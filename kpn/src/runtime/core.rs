//! What a worker thread owns: its queue, its slot, its dice; and where a scheduled node goes.
//!
//! The core sits in a thread-local, so that user code that notifies a node (an inlet's `send`, a waker) finds
//! the queue of the worker that it runs on. It can be taken out and given to another thread while this one
//! blocks; whoever then schedules something from here goes by the network's lane.

use std::cell::{Cell, RefCell};

use super::dice::mix;
use super::near::Near;
use super::pace::QUICK_NS;
use super::pool::Workers;
use super::task::{Home, Task, TaskRef};
use super::word::Notified;
use crate::sync::deque::{Steal, Stealer, Worker};
use crate::sync::{Arc, Instant, Parker, per_thread};

/// The most slot successors in a row before the queue gets its turn.
const SLOT_RUN: u32 = 16;
/// The most estimated time that they may take together, quick ones left out.
const SLOT_NS: u64 = 100_000;
/// Every so many turns a worker looks beyond its own queue even if that isn't empty…
pub(super) const FAIRNESS: u32 = 61;
/// … and whenever it has spent this estimated time on its own: 61 turns of slow nodes are seconds.
const FAIRNESS_NS: u64 = 1_000_000;

pub(crate) struct Core {
    pub(crate) pool: Arc<Workers>,
    pub(crate) index: usize,
    pub(crate) parker: Parker,
    queue: Worker<TaskRef>,
    /// The node to run next; nobody can steal it. **Empty whenever user code runs**, since that code might wait for it.
    slot: Cell<Option<TaskRef>>,
    /// Quick nodes that come after it; nobody can steal them. **Empty whenever code of a node runs that isn't quick.**
    near: Near,
    /// Whether any do.
    keeps: bool,
    slot_run: Cell<u32>,
    slot_ns: Cell<u64>,
    turn: Cell<u32>,
    /// Time spent on the own queue since the last look beyond it.
    own_ns: Cell<u64>,
    /// The running node came from beyond: its time is not charged, or slow strangers would shut out the own queue.
    guest: Cell<bool>,
    dice: Cell<u64>,
    /// When suspects may be looked at next while there is other work.
    no_suspects_before: Cell<Option<Instant>>,
}

per_thread! {
    static CORE: RefCell<Option<Box<Core>>> = RefCell::new(None);
}

/// Runs `f` with this thread's core, if it is a worker that has one.
pub(crate) fn with<R>(f: impl FnOnce(Option<&Core>) -> R) -> R {
    let mut f = Some(f);
    let mut call = |core: Option<&Core>| f.take().map(|f| f(core));
    // While a thread ends, its locals may be gone already: then it is no worker.
    let called = CORE.try_with(|core| call(core.borrow().as_deref())).unwrap_or_else(|_| call(None));
    called.expect("called once, here or there")
}

/// Makes this thread the worker that owns `core`.
pub(crate) fn install(core: Box<Core>) {
    // Fails only while a thread ends, which then is no worker.
    let _ = CORE.try_with(|mine| *mine.borrow_mut() = Some(core));
}

/// Takes the core off this thread.
pub(crate) fn take() -> Option<Box<Core>> {
    CORE.try_with(|mine| mine.borrow_mut().take()).ok().flatten()
}

/// Notifies a task and enqueues it where it was idle.
#[inline]
pub(crate) fn notify(task: TaskRef) {
    // SAFETY: whoever has a reference to notify by keeps the network alive meanwhile (see `TaskRef`).
    if unsafe { task.get() }.word.notify() == Notified::Enqueue {
        enqueue(task);
    }
}

/// Puts a scheduled task where it will be run. From the push on it may run, end, and be gone.
pub(crate) fn enqueue(task: TaskRef) {
    // SAFETY: the task is scheduled and in no queue yet, so it has not ended.
    let target = unsafe { task.get() };
    target.figures.scheduled();
    if let Home::Own(unparker) = &target.home {
        // The thread may be gone, and the task with it, before `unpark` has returned: hold on to the parker.
        let unparker = unparker.clone();
        return unparker.unpark();
    }
    with(|core| match core {
        Some(core) if target.net().runs_on(&core.pool) => core.submit(task),
        _ => share(task),
    });
}

/// Into the lane of its network, for whoever comes first.
fn share(task: TaskRef) {
    // SAFETY: as for `enqueue`.
    if let Some((workers, lane)) = unsafe { task.get() }.net().way_in() {
        lane.push(task);
        workers.sleep.submitted(lane.len());
    }
}

/// Notifies a neighbour of `running`, which runs on this thread. True where `running` is to give way: the neighbour is quick
/// and stays near, which it may only while no code of a node runs that isn't quick.
#[inline]
pub(crate) fn notify_from(running: &Task, task: TaskRef) -> bool {
    // SAFETY: as for `notify`.
    unsafe { task.get() }.word.notify() == Notified::Enqueue && enqueue_from(running, task)
}

/// The rest of that, out of the way of the bodies that it is part of.
#[inline(never)]
fn enqueue_from(running: &Task, task: TaskRef) -> bool {
    if running.is_quick() {
        enqueue_near(task);
        return false;
    }
    // Where everybody is busy, nobody is woken; where more waits here, whoever is woken has something to do. A source that is
    // served so would look as if it never waited.
    let alone = !running.is_source
        && with(|core| core.is_some_and(|core| core.queue_is_empty() && core.pool.sleep.is_anyone_idle()));
    if alone {
        return enqueue_near(task);
    }
    enqueue(task);
    false
}

/// Puts a scheduled task near this worker, if it is quick, or where it will be run otherwise. True if near.
pub(crate) fn enqueue_near(task: TaskRef) -> bool {
    // SAFETY: as for `enqueue`.
    let ns = unsafe { task.get() }.turn_ns();
    let near = ns <= QUICK_NS && with(|core| core.is_some_and(|core| core.keep(task, ns)));
    if !near {
        enqueue(task);
    }
    near
}

/// Puts a task that has given way where it will be run again: behind the quick ones that it gave way to, if that is all.
pub(crate) fn enqueue_behind(task: TaskRef) {
    if !with(|core| core.is_some_and(|core| core.keep_behind(task))) {
        enqueue_near(task);
    }
}

/// Before code runs that may take long, or wait: nothing stays where others can't find it.
pub(crate) fn show() {
    with(|core| {
        if let Some(core) = core {
            core.show();
        }
    });
}

impl Core {
    pub(crate) fn new(pool: Arc<Workers>, index: usize, parker: Parker, queue: Worker<TaskRef>) -> Self {
        // Any odd number will do, and a different one for each worker.
        let keeps = pool.shuffle.is_none() && pool.tuning.near;
        let seed = pool.shuffle.as_ref().map_or(0, |shuffle| shuffle.seed);
        let dice = mix(seed ^ (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1;
        Self {
            pool,
            index,
            parker,
            queue,
            slot: Cell::new(None),
            near: Near::default(),
            keeps,
            slot_run: Cell::new(0),
            slot_ns: Cell::new(0),
            turn: Cell::new(0),
            own_ns: Cell::new(0),
            guest: Cell::new(false),
            dice: Cell::new(dice),
            no_suspects_before: Cell::new(None),
        }
    }

    /// To the tail of the own queue; others are woken to steal where that helps.
    pub(crate) fn submit(&self, task: TaskRef) {
        self.spread();
        if self.pool.tuning.shared_queue {
            return share(task);
        }
        self.queue.push(task);
        self.pool.sleep.submitted(self.queue.len());
    }

    /// What is near goes to the queue, which it is the end of.
    fn spread(&self) {
        while let Some(task) = self.near.pop() {
            self.queue.push(task);
        }
    }

    /// To the slot, so that it runs next on this worker, its tokens still warm.
    pub(crate) fn run_next(&self, task: TaskRef) {
        if let Some(before) = self.slot.replace(Some(task)) {
            self.submit(before);
        }
    }

    /// Keeps a task whose turn takes so long near, where there is room. Where lots are drawn they are drawn for all.
    fn keep(&self, task: TaskRef, ns: u16) -> bool {
        // SAFETY: it is scheduled and in no queue yet, so it has not ended.
        let target = unsafe { task.get() };
        let near = self.keeps && target.net().runs_on(&self.pool) && self.near.push(task, ns);
        if near {
            target.figures.scheduled();
        }
        near
    }

    /// Keeps a task near that has given way, if at most quick ones come before it.
    fn keep_behind(&self, task: TaskRef) -> bool {
        // SAFETY: what is in the slot is scheduled and this thread's alone.
        let quick = self.slot.get().is_none_or(|next| unsafe { next.get() }.is_quick());
        quick && self.keep(task, 0)
    }

    /// What is near goes where others find it, and they are woken for it.
    fn show(&self) {
        if !self.near.is_empty() {
            self.spread();
            self.pool.sleep.submitted(self.queue.len());
        }
    }

    /// Charges the slot's budget, and that of the own queue.
    pub(crate) fn charge(&self, ns: u64) {
        self.slot_ns.set(self.slot_ns.get().saturating_add(ns));
        if !self.guest.get() {
            self.own_ns.set(self.own_ns.get().saturating_add(ns));
        }
    }

    /// The next task of this worker. If it may take long, nothing stays where others can't find it.
    pub(crate) fn next(&self) -> Option<TaskRef> {
        if let Some(shuffle) = &self.pool.shuffle {
            return shuffle.next(self);
        }
        let next = self.choose()?;
        // SAFETY: a scheduled task has not ended.
        if !unsafe { next.get() }.is_quick() {
            self.show();
        }
        Some(next)
    }

    /// In order: the slot within its budget, the own queue, what is near, the lanes.
    fn choose(&self) -> Option<TaskRef> {
        let turn = self.turn.get().wrapping_add(1);
        self.turn.set(turn);
        if let Some(task) = self.slot.get()
            && self.slot_run.get() < SLOT_RUN
            // SAFETY: a scheduled task has not ended.
            && (self.slot_ns.get() < SLOT_NS || unsafe { task.get() }.is_quick())
        {
            self.slot.set(None);
            self.slot_run.set(self.slot_run.get() + 1);
            return Some(task);
        }
        self.slot_run.set(0);
        self.slot_ns.set(0);
        self.guest.set(false);
        if turn.is_multiple_of(FAIRNESS) || self.own_ns.get() >= FAIRNESS_NS {
            if self.pool.suspects.any() {
                self.examine_suspects();
            }
            // A busy worker too must serve strangers, or a lane could wait for ever.
            self.own_ns.set(0);
            if let Some(task) = self.take_from_lanes().or_else(|| self.steal()) {
                self.guest.set(true);
                self.slot.take().into_iter().for_each(|next| self.submit(next));
                return Some(task);
            }
        }
        // The slot has had its share.
        if let Some(task) = self.slot.take() {
            // SAFETY: a scheduled task has not ended.
            let ns = unsafe { task.get() }.turn_ns();
            if ns > QUICK_NS || !self.keeps || !self.near.push(task, ns) {
                self.submit(task);
            }
        }
        self.queue.pop().or_else(|| self.near.pop()).or_else(|| self.take_from_lanes())
    }

    /// Follows the suspects' ways, but spends no more than a twentieth of the time on that.
    #[cold]
    fn examine_suspects(&self) {
        let began = Instant::now();
        if self.no_suspects_before.get().is_none_or(|then| began >= then) {
            self.pool.suspects.examine();
            self.no_suspects_before.set(began.checked_add(began.elapsed() * 20));
        }
    }

    /// The oldest of the own queue, else one of the lanes.
    pub(crate) fn pop(&self) -> Option<TaskRef> {
        if let Some(task) = self.slot.take() {
            self.queue.push(task);
        }
        self.queue.pop().or_else(|| self.take_from_lanes())
    }

    /// One of the oldest, by chance: some of them go to the queue's end first.
    pub(crate) fn any(&self) -> Option<TaskRef> {
        if self.pool.suspects.any() && self.roll().is_multiple_of(u64::from(FAIRNESS)) {
            self.examine_suspects();
        }
        let strangers_first = self.roll().is_multiple_of(2);
        for _ in 0..self.roll() % 8 {
            self.submit(self.pop()?);
        }
        let stranger = if strangers_first { self.take_from_lanes() } else { None };
        stranger.or_else(|| self.pop())
    }

    /// Looks everywhere but in the own queue: for a searching worker.
    pub(crate) fn search(&self) -> Option<TaskRef> {
        if let Some(shuffle) = self.pool.shuffle.as_ref().filter(|shuffle| shuffle.is_alone()) {
            return shuffle.next(self);
        }
        self.take_from_lanes().or_else(|| self.steal())
    }

    fn take_from_lanes(&self) -> Option<TaskRef> {
        self.pool.lanes.take(&self.queue)
    }

    /// One round over all others, from a random one on. `Retry` is never "empty".
    fn steal(&self) -> Option<TaskRef> {
        let stealers: &[Stealer<TaskRef>] = &self.pool.stealers;
        let first = self.roll() as usize % stealers.len();
        loop {
            let mut again = false;
            for i in (first..stealers.len()).chain(0..first).filter(|&i| i != self.index) {
                match stealers[i].steal_batch_and_pop(&self.queue) {
                    Steal::Success(task) => return Some(task),
                    Steal::Retry => again = true,
                    Steal::Empty => {}
                }
            }
            if !again {
                return None;
            }
        }
    }

    /// Xorshift (Marsaglia 2003): any spread is good enough to choose a victim.
    fn roll(&self) -> u64 {
        let mut x = self.dice.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.dice.set(x);
        x
    }

    pub(crate) fn queue_is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}
