//! What an activation lets a body know and do.

use std::task::Wake;

use super::core;
use super::grow::Rewire;
use super::life::Net;
use super::pace::Terms;
use super::task::{CANCEL, Edges, Home, STOP, Task, TaskRef};
use crate::channel::Link;
use crate::node::Help;
use crate::sync::{Arc, Ordering, fence, mutated};

/// The context of one activation.
pub(crate) struct Cx<'a> {
    pub(crate) task: &'a Task,
    pub(crate) edges: &'a Edges,
    pub(crate) terms: &'a mut Terms,
    /// Firings since the activation began.
    pub(crate) fired: usize,
    /// Something was published since the last flush.
    pub(crate) touched: bool,
    /// Somebody outside of the network may wake this node, whatever else it waits for.
    pub(crate) foreign: bool,
    /// Firings that others did in the node's name, and how long they took; see [`Status::Claimed`](crate::node::bound::Status).
    pub(crate) helped: (usize, u64),
    /// How the node's edges have changed.
    pub(crate) rewired: Vec<Rewire>,
    /// With [`Status::Several`](crate::node::bound::Status::Several): input edges, and the tails one of which it waits for.
    pub(crate) several: Vec<(usize, usize)>,
}

impl Cx<'_> {
    /// Firings until the next publication; 0 when it is time to yield.
    #[inline]
    pub(crate) fn chunk(&self) -> usize {
        self.terms.chunk.min(self.left())
    }

    /// Firings until it is time to yield, for a body that runs no user code from one to the next.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.terms.budget - self.fired.min(self.terms.budget)
    }

    /// To be called before user code runs: a careful node hands on what it has first, since that code may
    /// wait for its effect. False where it must yield before that.
    #[inline]
    #[must_use]
    pub(crate) fn before_firing(&mut self) -> bool {
        if self.terms.careful && self.touched {
            flush(self.edges, wakes(self.task, self.terms));
            self.touched = false;
            return !self.gives_way();
        }
        true
    }

    /// Whether it must yield before user code runs.
    #[inline]
    pub(crate) fn gives_way(&self) -> bool {
        self.terms.budget == 0
    }

    /// To be called after a chunk of firings has been published.
    #[inline]
    pub(crate) fn published(&mut self, firings: usize) {
        self.fired += firings;
        self.touched = true;
        if !self.terms.careful {
            hint(self.edges, self.terms.slack, wakes(self.task, self.terms));
        }
    }

    /// Sources and inlets: give nothing more.
    #[inline]
    pub(crate) fn stopping(&self) -> bool {
        self.task.asked(STOP | CANCEL)
    }

    /// It has outputs that it has not let go, and nobody reads any of them.
    pub(crate) fn unwanted(&self) -> bool {
        let mut held = self.edges.outputs().iter().filter(|output| !output.has_ended()).peekable();
        held.peek().is_some() && held.all(|output| !output.has_reader())
    }

    /// The node has seen more than its tokens, at this port or by itself: the network's result may depend on time.
    #[cold]
    pub(crate) fn not_determinate(&self, port: Option<&str>) {
        let node = &self.task.name;
        self.task.net().not_determinate(port.map_or_else(|| node.to_string(), |port| format!("{node}.{port}")));
    }

    /// Drop everything and end.
    #[inline]
    pub(crate) fn cancelled(&self) -> bool {
        self.task.asked(CANCEL)
    }

    /// Whether streams end because the network was stopped or has failed, and not by themselves.
    pub(crate) fn called_off(&self) -> bool {
        self.task.net().is_called_off()
    }

    /// The node's full name.
    pub(crate) fn name(&self) -> &str {
        &self.task.name
    }

    /// The node itself.
    pub(crate) fn this(&self) -> TaskRef {
        TaskRef::new(self.task)
    }

    /// What it takes to hand over what another worker of this node has done.
    pub(crate) fn site(&self) -> Site<'_> {
        Site { task: self.task }
    }

    /// On which terms other workers may help; `None` where they can't.
    pub(crate) fn help(&self) -> Option<Help> {
        if matches!(self.task.home, Home::Own(_)) {
            return None;
        }
        core::with(|core| core.and_then(|core| core.pool.help()))
    }

    /// A handle by which the outside wakes this node.
    pub(crate) fn wake_handle(&self) -> WakeHandle {
        WakeHandle { _net: self.task.net().handle(), task: TaskRef::new(self.task) }
    }
}

/// A node as seen by a worker that does a part of its work without RUN. The network is kept alive by the caller.
pub(crate) struct Site<'a> {
    pub(super) task: &'a Task,
}

impl Site<'_> {
    /// Drop everything and end.
    #[inline]
    pub(crate) fn cancelled(&self) -> bool {
        self.task.asked(CANCEL)
    }

    /// The node's full name.
    pub(crate) fn name(&self) -> &str {
        &self.task.name
    }

    /// Something has changed for the node.
    pub(crate) fn notify(&self) {
        core::notify(TaskRef::new(self.task));
    }

    /// What an edge's reader needs is there.
    pub(crate) fn wake_reader(&self, link: &Link) {
        core::notify(TaskRef::reader_of(link));
    }
}

/// Wakes one node from any thread; harmless after the node has ended.
#[derive(Clone)]
pub(crate) struct WakeHandle {
    /// Keeps the task.
    _net: Arc<Net>,
    task: TaskRef,
}

impl WakeHandle {
    /// Notifies the node.
    pub(crate) fn wake(&self) {
        core::notify(self.task);
    }
}

/// A waker's inside: it notifies a node. Wakers may outlive networks, and it holds no user data.
pub(crate) struct Notify(WakeHandle);

impl Notify {
    pub(crate) fn new(handle: WakeHandle) -> Self {
        Self(handle)
    }
}

impl Wake for Notify {
    fn wake(self: Arc<Self>) {
        let handle = self.0.clone();
        // Before the number of those who may wake it falls, or the node could go idle in the belief that nobody from outside
        // will; and afterwards, since it may have counted this one, and gone idle in the belief that somebody will.
        handle.wake();
        drop(self);
        handle.wake();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.wake();
    }
}

/// Wakes a neighbour of a node that runs. Where the node is to give way to it, its activation is over.
#[inline]
fn wakes(task: &Task, terms: &mut Terms) -> impl FnMut(TaskRef) {
    move |peer| {
        if core::notify_from(task, peer) {
            terms.budget = 0;
        }
    }
}

/// Wakes every neighbour whose need is met: nothing that this node published is left unannounced.
///
/// The fence is the waker's half of the Dekker pair; without it a need armed meanwhile could be missed. A load of
/// any strength would not do instead.
#[inline]
pub(crate) fn flush(edges: &Edges, mut wake: impl FnMut(TaskRef)) {
    if !mutated("flush without a fence") {
        fence(Ordering::SeqCst);
    }
    for input in edges.inputs() {
        if input.producer_due(0) {
            wake(TaskRef::writer_of(input));
        }
    }
    for output in edges.outputs() {
        if output.consumer_due(0) {
            wake(TaskRef::reader_of(output));
        }
    }
}

/// The same without the fence and with slack: wakes early where it is worth it, and may miss.
///
/// Waking a producer at its first free slot makes two workers slower than one; it waits for half the ring.
#[inline]
pub(crate) fn hint(edges: &Edges, slack: usize, mut wake: impl FnMut(TaskRef)) {
    for input in edges.inputs() {
        if input.producer_due(input.capacity() / 2) {
            wake(TaskRef::writer_of(input));
        }
    }
    for output in edges.outputs() {
        if output.consumer_due((output.capacity() / 2).min(slack)) {
            wake(TaskRef::reader_of(output));
        }
    }
}
