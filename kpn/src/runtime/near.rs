//! Quick nodes stay with the worker that woke them.
//!
//! A turn of a node that does next to nothing takes less time than another worker's wake, and its tokens are warm here. So
//! such nodes wait in a list of the worker's own, where nobody can steal them and which nobody is woken for, as long as
//! all of them together take less time than a wake. **The list is empty whenever code of a node runs that isn't known to be
//! quick**: that code may take long, or wait for what those nodes do.

use std::cell::Cell;

use super::task::TaskRef;

/// So long a turn of all of them may take: until another worker is awake and has got there.
const NEAR_NS: u16 = 9_000;
/// The most nodes in the list.
const ROOM: usize = 64;

/// The list: first in, first out.
pub(super) struct Near {
    /// The nodes, and the time that each is expected to take.
    tasks: [Cell<Option<(TaskRef, u16)>>; ROOM],
    first: Cell<usize>,
    len: Cell<usize>,
    ns: Cell<u16>,
}

impl Default for Near {
    fn default() -> Self {
        let tasks = [const { Cell::new(None) }; ROOM];
        Self { tasks, first: Cell::new(0), len: Cell::new(0), ns: Cell::new(0) }
    }
}

impl Near {
    /// Adds a node whose turns take so long, where there is room for it.
    pub(super) fn push(&self, task: TaskRef, ns: u16) -> bool {
        let room = self.len.get() < ROOM && self.ns.get().saturating_add(ns) <= NEAR_NS;
        if room {
            self.tasks[(self.first.get() + self.len.get()) % ROOM].set(Some((task, ns)));
            self.len.set(self.len.get() + 1);
            self.ns.set(self.ns.get() + ns);
        }
        room
    }

    /// Takes the oldest.
    pub(super) fn pop(&self) -> Option<TaskRef> {
        let (task, ns) = self.tasks[self.first.get()].take()?;
        self.first.set((self.first.get() + 1) % ROOM);
        self.len.set(self.len.get() - 1);
        self.ns.set(self.ns.get() - ns);
        Some(task)
    }
    pub(super) fn is_empty(&self) -> bool {
        self.len.get() == 0
    }
}
