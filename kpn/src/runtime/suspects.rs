//! Nodes whose way of waits was too long to follow at once. Workers that have nothing better to do follow it.

use super::court::examine;
use super::life::Net;
use super::task::TaskRef;
use crate::sync::{Arc, AtomicUsize, ModelMutex, Ordering};

/// The list of a pool.
#[derive(Default)]
pub(crate) struct Suspects {
    count: AtomicUsize,
    list: ModelMutex<Vec<(Arc<Net>, TaskRef)>>,
}

impl Suspects {
    /// Adds a node that holds RUN, once.
    pub(super) fn add(&self, this: TaskRef) {
        // SAFETY: the caller holds RUN.
        let task = unsafe { this.get() };
        if !task.waiting.suspect.swap(true, Ordering::AcqRel) {
            self.list.lock().push((task.net().handle(), this));
            self.count.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether there is any; the worker that added one sees it.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Follows all of them.
    #[cold]
    pub(crate) fn examine(&self) {
        let mut suspects = {
            let mut list = self.list.lock();
            self.count.store(0, Ordering::Relaxed);
            std::mem::take(&mut *list)
        };
        // From here on a node that waits anew is added anew: what it waits for then is what will be looked at.
        for (_, this) in &suspects {
            // SAFETY: the list keeps the network.
            unsafe { this.get() }.waiting.suspect.swap(false, Ordering::AcqRel);
        }
        suspects.sort_by_key(|(net, _)| Arc::as_ptr(net));
        for of_one in suspects.chunk_by(|(one, _), (other, _)| Arc::ptr_eq(one, other)) {
            let starts: Vec<TaskRef> = of_one.iter().map(|(_, this)| *this).collect();
            examine(&of_one[0].0, &starts);
        }
    }
}
