//! A network's life: who still lives, who failed, when it has ended.
//!
//! `phase` only rises. `live` counts the bodies not yet dropped; whoever brings it to 0 ends the network. Until then the
//! network holds a reference to itself, so that tasks may point at each other freely. None of the locks here is
//! taken while tokens flow.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::panic::catch_unwind;

use super::core;
use super::court::Court;
use super::lanes::Lane;
use super::pool::Workers;
use super::task::{CANCEL, STOP, Task, TaskRef};
use crate::channel::LinkRef;
use crate::failure::{Cause, NodeFailure, RunError};
use crate::history::Recorder;
use crate::stall::{Growth, Stall};
use crate::sync::{
    Arc, AtomicU8, AtomicUsize, Duration, Instant, JoinHandle, ModelCondvar, ModelMutex, ModelRwLock, Mutex, OnceLock,
    Ordering, Weak, drop_quietly,
};

const RUNNING: u8 = 0;
const STOPPING: u8 = 1;
const ABORTING: u8 = 2;

/// An edge, for reports.
pub(crate) struct Edge {
    pub(crate) name: Box<str>,
    pub(crate) link: LinkRef,
    /// Bytes a token.
    pub(crate) token_size: usize,
}

/// The pool that a network's tasks run on.
pub(crate) struct Seat {
    pub(crate) workers: Arc<Workers>,
    pub(crate) lane: Lane,
    /// The pool ends with the network.
    pub(crate) owned: bool,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Seat {
    /// Closes the lane, and the pool where it was for this network alone. A second time does nothing.
    fn leave(&self) {
        self.workers.lanes.close(&self.lane);
        if self.owned {
            self.workers.close();
        }
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        // Errors and payloads that nobody has asked for: they are the users', and this may be a worker's thread.
        std::mem::take(&mut *self.failures.lock()).into_iter().for_each(drop_quietly);
    }
}

/// What a network consists of. It grows while it runs, and nothing leaves it before its end: reports speak of all.
pub(crate) struct Members {
    tasks: Vec<TaskRef>,
    pub(crate) edges: Vec<Edge>,
}

impl Members {
    pub(crate) fn new(tasks: Vec<TaskRef>, edges: Vec<Edge>) -> Self {
        Self { tasks, edges }
    }

    /// All nodes.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        // SAFETY: they are freed with the members, which are borrowed.
        self.tasks.iter().map(|task| unsafe { task.get() })
    }

    pub(crate) fn count(&self) -> usize {
        self.tasks.len()
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        // SAFETY: the network is gone, and with it everybody who may have had a pointer to one of its tasks.
        self.tasks.drain(..).for_each(|task| unsafe { task.free() });
    }
}

/// A network that was started.
pub(crate) struct Net {
    pub(crate) id: u64,
    /// The networks whose nodes wait for this one's end.
    pub(crate) lineage: Vec<u64>,
    members: ModelRwLock<Members>,
    pub(super) seat: Option<Seat>,
    this: Weak<Net>,
    phase: AtomicU8,
    live: AtomicUsize,
    failures: Mutex<Vec<NodeFailure>>,
    /// Ports at which time was observed, so that the result may depend on the schedule.
    not_determinate: Mutex<BTreeSet<String>>,
    court: ModelMutex<Court>,
    /// Whether the first deadlock came before any failure; empty where there is none.
    deadlock_first: OnceLock<bool>,
    pub(crate) stall: Stall,
    /// Who records what its outputs give.
    pub(super) recorder: OnceLock<Arc<Recorder>>,
    /// Each node has a thread of its own.
    pub(super) own_threads: bool,
    /// How long such a thread looks round before it parks.
    pub(super) spin: Duration,
    threads: Mutex<Vec<JoinHandle<()>>>,
    began: Instant,
    took: OnceLock<Duration>,
    ended: ModelMutex<bool>,
    end: ModelCondvar,
}

impl Net {
    /// A network whose tasks wait to be filled; `tasks` makes them, given where the network will be.
    pub(crate) fn new(
        id: u64,
        seat: Option<Seat>,
        lineage: Vec<u64>,
        stall: Stall,
        (own_threads, spin): (bool, Duration),
        members: impl FnOnce(*const Net) -> Members,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| {
            let members = members(this.as_ptr());
            Self {
                id,
                lineage,
                seat,
                this: this.clone(),
                phase: AtomicU8::new(RUNNING),
                live: AtomicUsize::new(members.count()),
                failures: Mutex::new(Vec::new()),
                not_determinate: Mutex::new(BTreeSet::new()),
                court: ModelMutex::default(),
                deadlock_first: OnceLock::new(),
                stall,
                recorder: OnceLock::new(),
                own_threads,
                spin,
                threads: Mutex::new(Vec::new()),
                began: Instant::now(),
                took: OnceLock::new(),
                ended: ModelMutex::new(members.count() == 0),
                end: ModelCondvar::new(),
                members: ModelRwLock::new(members),
            }
        })
    }

    /// Takes in what one of its processes adds: tasks that are ready to run, edges, and a new name for an edge whose reading
    /// end went from the process to one of them.
    pub(super) fn add(&self, tasks: &[TaskRef], edges: Vec<Edge>, renamed: Option<(LinkRef, String)>) {
        // The process itself has not ended, so the count is not 0 meanwhile.
        self.live.fetch_add(tasks.len(), Ordering::AcqRel);
        let mut members = self.members.write();
        members.tasks.extend_from_slice(tasks);
        if let Some((link, name)) = renamed
            && let Some(edge) = members.edges.iter_mut().rev().find(|edge| edge.link.same(&link))
            && let (Some((from, _)), Some((_, to))) = (edge.name.split_once(" -> "), name.split_once(" -> "))
        {
            edge.name = format!("{from} -> {to}").into();
        }
        members.edges.extend(edges);
    }

    /// What it consists of by now. Not to be held while something is added.
    pub(crate) fn members(&self) -> impl Deref<Target = Members> {
        self.members.read()
    }

    /// One more reference; for a caller to whom the network is alive.
    pub(crate) fn handle(&self) -> Arc<Self> {
        self.this.upgrade().expect("a network that is borrowed is alive")
    }

    pub(crate) fn runs_on(&self, workers: &Arc<Workers>) -> bool {
        self.seat.as_ref().is_some_and(|seat| Arc::ptr_eq(&seat.workers, workers))
    }

    /// What it takes to enqueue a task from a thread that is none of the pool's workers; by value, since the network
    /// may be gone right after.
    pub(crate) fn way_in(&self) -> Option<(Arc<Workers>, Lane)> {
        self.seat.as_ref().map(|seat| (seat.workers.clone(), seat.lane.clone()))
    }

    /// Lets the pool know, so that its end is this network's end.
    pub(crate) fn adopt(self: &Arc<Self>) {
        if let Some(seat) = &self.seat {
            seat.workers.adopt(self);
        }
    }

    pub(crate) fn add_thread(&self, thread: JoinHandle<()>) {
        self.threads.lock().push(thread);
    }

    /// Keeps the network alive until its last task has ended. Called once, before any task is scheduled.
    pub(crate) fn hold(self: &Arc<Self>) {
        if self.members().count() == 0 {
            // Nobody is there to end it.
            self.close();
        } else {
            let _ = Arc::into_raw(self.clone());
        }
    }

    /// Counts a task that has ended; the last one ends the network.
    ///
    /// # Safety
    ///
    /// `this` is the network of a task that has ended and was not counted yet; nobody uses a reference into
    /// the network afterwards on the strength of that task.
    pub(crate) unsafe fn one_ended(this: *const Self) {
        // AcqRel: whoever sees 0 sees all that every task did.
        // SAFETY: until the task is counted, the network holds itself.
        if unsafe { &(*this).live }.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: takes over the reference that `hold` leaked; only one call sees the last task end, and the
            // pointer is the one that the `Arc` itself gave.
            unsafe { Arc::from_raw(this) }.close();
        }
    }

    fn close(&self) {
        let _ = self.took.set(self.began.elapsed());
        if let Some(seat) = &self.seat {
            seat.leave();
        }
        *self.ended.lock() = true;
        self.end.notify_all();
    }

    /// Stops the sources and inlets; the rest drains. Legal anywhere, in a node too.
    pub(crate) fn stop(&self) {
        self.phase.fetch_max(STOPPING, Ordering::AcqRel);
        for task in self.members().tasks().filter(|task| task.is_source) {
            task.control(STOP);
            core::notify(TaskRef::new(task));
        }
    }

    /// Whether it was stopped, aborted, or has failed. Whoever sees a stream's end that comes of it sees this too.
    pub(crate) fn is_called_off(&self) -> bool {
        self.phase.load(Ordering::Acquire) >= STOPPING
    }

    /// Makes every node drop what it has. Legal anywhere; does not wait.
    pub(crate) fn abort(&self) {
        if self.has_ended() {
            return;
        }
        self.phase.fetch_max(ABORTING, Ordering::AcqRel);
        // All are asked before the first one can act on it.
        let members = self.members();
        members.tasks().for_each(|task| task.control(CANCEL));
        members.tasks().for_each(|task| core::notify(TaskRef::new(task)));
    }

    /// Records a node's failure and stops the sources.
    pub(crate) fn fail(&self, task: &Task, cause: Cause) {
        let node = &*task.name;
        self.failures.lock().push(NodeFailure { node: node.to_owned(), cause });
        self.stop();
        // After all that must be done: a subscriber is somebody else's code. What happened is in the run's result.
        drop_quietly(catch_unwind(|| tracing::error!(node, "a node failed; its network stops")));
    }

    /// What is known of its stalls; whoever holds it judges.
    pub(super) fn court(&self) -> impl DerefMut<Target = Court> {
        self.court.lock()
    }

    /// The edges that grew.
    pub(crate) fn growths(&self) -> Vec<Growth> {
        self.court.lock().growths.clone()
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.phase.load(Ordering::Acquire) >= STOPPING
    }

    pub(super) fn is_aborting(&self) -> bool {
        self.phase.load(Ordering::Acquire) >= ABORTING
    }

    /// Some nodes wait for one another for ever: the sources stop, and the rest drains.
    pub(super) fn deadlocked(&self) {
        // Whether it comes before any failure.
        let _ = self.deadlock_first.set(self.failures.lock().is_empty());
        self.stop();
    }

    /// A node has seen more than its tokens at this port.
    pub(crate) fn not_determinate(&self, port: String) {
        self.not_determinate.lock().insert(port);
    }

    /// Where nodes have seen more than their tokens.
    pub(crate) fn doubts(&self) -> Vec<String> {
        self.not_determinate.lock().iter().cloned().collect()
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.ended.lock()
    }

    pub(crate) fn wait_until_ended(&self) {
        let mut ended = self.ended.lock();
        while !*ended {
            self.end.wait(&mut ended);
        }
    }

    /// False where the time was over first. The user's deadline: no wake-up depends on it.
    pub(crate) fn wait_until(&self, deadline: Instant) -> bool {
        let mut ended = self.ended.lock();
        while !*ended {
            if self.end.wait_until(&mut ended, deadline).timed_out() {
                return *ended;
            }
        }
        true
    }

    /// Joins all threads that ran only for this network, which has ended.
    pub(crate) fn join(&self) {
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // It catches what user code throws, so a panic here is one of ours; it was printed.
            let _ = thread.join();
        }
        if let Some(seat) = self.seat.as_ref().filter(|seat| seat.owned) {
            seat.workers.join_threads();
        }
    }

    /// How it ended.
    pub(crate) fn verdict(&self) -> Result<(), RunError> {
        let mut failures = std::mem::take(&mut *self.failures.lock()).into_iter();
        if self.deadlock_first.get() == Some(&true) {
            let mut deadlocks = self.court.lock().deadlocks(self).into_iter();
            if let Some(first) = deadlocks.next() {
                return Err(RunError::Deadlock { first, others: deadlocks.collect(), failures: failures.collect() });
            }
        }
        if let Some(first) = failures.next() {
            return Err(RunError::Failed { first, others: failures.collect() });
        }
        if self.phase.load(Ordering::Acquire) >= ABORTING { Err(RunError::Aborted) } else { Ok(()) }
    }

    /// The edges that are full just now.
    pub(crate) fn full(&self) -> Vec<String> {
        let members = self.members();
        let full = members.edges.iter().filter(|edge| edge.link.len() >= edge.link.capacity());
        full.map(|edge| edge.name.to_string()).collect()
    }

    /// The nodes that are firing just now.
    pub(crate) fn firing(&self) -> Vec<String> {
        let members = self.members();
        members.tasks().filter(|task| task.is_firing()).map(|task| task.name.to_string()).collect()
    }

    /// How long it ran, or has run so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.took.get().copied().unwrap_or_else(|| self.began.elapsed())
    }
}
