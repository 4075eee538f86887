//! The way into a pool from outside: one lane a network, served round-robin, so that no network starves another.

use super::task::TaskRef;
use crate::sync::deque::{Injector, Steal, Worker};
use crate::sync::{Arc, AtomicUsize, ModelRwLock, Ordering};

pub(crate) type Lane = Arc<Injector<TaskRef>>;

#[derive(Default)]
pub(crate) struct Lanes {
    all: ModelRwLock<Vec<Lane>>,
    turn: AtomicUsize,
}

impl Lanes {
    /// Opens a lane for a network.
    pub(crate) fn open(&self) -> Lane {
        let lane = Lane::default();
        self.all.write().push(lane.clone());
        lane
    }

    /// Closes it; its network has ended, so it is empty.
    pub(crate) fn close(&self, lane: &Lane) {
        self.all.write().retain(|other| !Arc::ptr_eq(other, lane));
    }

    /// One task for now, and perhaps more of the same lane into `queue`.
    pub(crate) fn take(&self, queue: &Worker<TaskRef>) -> Option<TaskRef> {
        let all = self.all.read();
        // A look without a write: spinning workers come by often and mostly in vain.
        if all.iter().all(|lane| lane.is_empty()) {
            return None;
        }
        let first = self.turn.fetch_add(1, Ordering::Relaxed) % all.len();
        (first..all.len()).chain(0..first).find_map(|i| take_from(&all[i], queue))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.read().iter().all(|lane| lane.is_empty())
    }
}

fn take_from(lane: &Injector<TaskRef>, queue: &Worker<TaskRef>) -> Option<TaskRef> {
    loop {
        match lane.steal_batch_and_pop(queue) {
            Steal::Success(task) => return Some(task),
            Steal::Empty => return None,
            Steal::Retry => {}
        }
    }
}
