//! Who sleeps, who searches, and whom a submit wakes.
//!
//! `idle` mirrors what happens under the lock: parked workers in its upper half, searching ones in its lower. A submit
//! reads it without the lock; the fences on both sides make that safe (see the README, "Sleeping and waking").
//! One function unparks a worker, and it moves the worker from parked to searching under the lock, so that two submits
//! never count on the same sleeper.

use crate::sync::{AtomicU32, ModelMutex, Ordering, Unparker, fence, mutated};

const SEARCH: u32 = 1;
const PARK: u32 = 1 << 16;

pub(crate) struct Sleep {
    idle: AtomicU32,
    sleepers: ModelMutex<Sleepers>,
    unparkers: Box<[Unparker]>,
    most: usize,
}

/// What the lock guards.
#[derive(Default)]
struct Sleepers {
    parked: Vec<u16>,
    /// How often a submit has woken one.
    wakes: u64,
}

/// What a worker about to park is told.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parked {
    /// Nothing to do: park until woken; the waker has counted this worker as searching again.
    Park,
    /// Work appeared: search on.
    Resume,
}

fn searching(idle: u32) -> usize {
    (idle % PARK) as usize
}

fn parked(idle: u32) -> usize {
    (idle / PARK) as usize
}

impl Sleep {
    /// With the most workers that may search at once where much waits: half of them, or one.
    pub(crate) fn new(unparkers: Vec<Unparker>, one_searcher: bool) -> Self {
        let most = if one_searcher { 1 } else { unparkers.len() / 2 };
        let sleepers = ModelMutex::new(Sleepers::default());
        Self { idle: AtomicU32::new(0), sleepers, unparkers: unparkers.into(), most }
    }

    /// How many workers may search while a queue of this length waits: one finds a single task, a burst is
    /// worth several, and half the pool is always enough, since whoever finds work wakes the next.
    fn limit(&self, queued: usize) -> usize {
        (queued / 2).min(self.most).max(1)
    }

    /// Whether some worker has nothing to do; a hint.
    pub(crate) fn is_anyone_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) != 0
    }

    /// To be called after every push; `queued` is the length of the queue that was pushed to.
    #[inline]
    pub(crate) fn submitted(&self, queued: usize) {
        // Partner of the fence in `park`: the sleeper counts itself, fences, looks at the queues; we push, fence,
        // read the count. One of the two sees the other.
        if !mutated("submit without a fence") {
            fence(Ordering::SeqCst);
        }
        let idle = self.idle.load(Ordering::Relaxed);
        if parked(idle) > 0 && searching(idle) < self.limit(queued) {
            self.wake_one(self.limit(queued));
        }
    }

    /// The only place where a worker is unparked, but for shutdown.
    #[cold]
    fn wake_one(&self, limit: usize) {
        let mut sleepers = self.sleepers.lock();
        if searching(self.idle.load(Ordering::Relaxed)) >= limit {
            return;
        }
        let Some(worker) = sleepers.parked.pop() else { return };
        sleepers.wakes += 1;
        // One addition moves a worker from parked to searching.
        self.idle.fetch_add(SEARCH.wrapping_sub(PARK), Ordering::AcqRel);
        drop(sleepers);
        self.unparkers[usize::from(worker)].unpark();
    }

    /// How often a submit has woken a worker.
    pub(crate) fn wakes(&self) -> u64 {
        self.sleepers.lock().wakes
    }

    /// A worker ran out of work and begins to search.
    pub(crate) fn start_search(&self) {
        self.idle.fetch_add(SEARCH, Ordering::AcqRel);
    }

    /// A searching worker found work. The last one to leave wakes a successor where work is left, since
    /// submits rely on a searcher to find it.
    pub(crate) fn stop_search(&self, own_queue_empty: bool, queues_empty: impl Fn() -> bool) {
        let last = searching(self.idle.fetch_sub(SEARCH, Ordering::AcqRel)) == 1;
        if (last || !own_queue_empty) && !mutated("the last searcher leaves without a look") {
            fence(Ordering::SeqCst);
            if !queues_empty() {
                self.submitted(1);
            }
        }
    }

    /// A searching worker found nothing. `anything` looks at every queue and at the shutdown flag.
    pub(crate) fn park(&self, worker: u16, anything: impl Fn() -> bool) -> Parked {
        {
            let mut sleepers = self.sleepers.lock();
            sleepers.parked.push(worker);
            self.idle.fetch_add(PARK.wrapping_sub(SEARCH), Ordering::AcqRel);
        }
        if !mutated("park without a fence") {
            fence(Ordering::SeqCst);
        }
        if !mutated("park without a second look") && anything() && self.withdraw(worker) {
            Parked::Resume
        } else {
            Parked::Park
        }
    }

    /// Whether a parked worker was really woken; a park may also return by itself.
    pub(crate) fn is_awake(&self, worker: u16) -> bool {
        !self.sleepers.lock().parked.contains(&worker)
    }

    /// Takes the worker off the list; false where a waker was quicker (its unpark is on the way).
    fn withdraw(&self, worker: u16) -> bool {
        let mut sleepers = self.sleepers.lock();
        let Some(at) = sleepers.parked.iter().position(|&w| w == worker) else { return false };
        sleepers.parked.swap_remove(at);
        self.idle.fetch_add(SEARCH.wrapping_sub(PARK), Ordering::AcqRel);
        true
    }

    /// Wakes everybody, for shutdown.
    pub(crate) fn wake_all(&self) {
        let mut sleepers = self.sleepers.lock();
        for worker in sleepers.parked.drain(..) {
            self.idle.fetch_add(SEARCH.wrapping_sub(PARK), Ordering::AcqRel);
            self.unparkers[usize::from(worker)].unpark();
        }
    }
}
