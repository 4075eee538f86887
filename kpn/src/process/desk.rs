//! The place where a process's ports and its driver meet: one for each process, reachable while it is being polled.

use std::cell::Cell;
use std::task::{Context, Waker};

use crate::channel::{Link, LinkRef};
use crate::runtime::{Rewire, TaskRef, notify};
use crate::sync::{Ordering, fence, per_thread};

/// Which side of an edge an operation is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

/// A port of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) side: Side,
    /// Among the ports of its side.
    pub(super) index: u32,
    pub(super) name: &'static str,
}

/// What a pending operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Its turn: the activation has used up its budget.
    Turn,
    /// The edge with this number on the port's side must reach this index.
    Edge(u32, usize),
    /// One of the inputs in [`Desk::several`].
    Several,
}

/// What a process keeps from one activation to the next.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Tells one process from another.
    id: u64,
    /// The operation that was left pending by the last poll.
    pub(super) pending: Option<(Port, Wait)>,
    /// How many edges it has on either side.
    pub(super) edges: (u32, u32),
    /// How often it has added to its network.
    pub(super) additions: u32,
    /// Selects so far: each looks at another input first.
    pub(super) selects: u32,
    /// It may use what is not determinate.
    nondet: bool,
    /// That the process looks has been said.
    looked: bool,
}

/// See the module. The future polls its ports, so this is touched by one thread at a time, under RUN.
pub(super) struct Desk {
    pub(super) kept: Kept,
    /// The process's own, for this poll.
    waker: *const Waker,
    /// Port operations until the process gives up its turn.
    pub(super) left: usize,
    /// Tokens moved in this activation.
    pub(super) moved: usize,
    /// Whether each token is to be announced at once.
    pub(super) careful: bool,
    /// The process.
    task: TaskRef,
    /// How its edges have changed in this activation.
    pub(super) rewired: Vec<Rewire>,
    /// Inputs, by their edges' numbers, and the tails one of which it waits for.
    pub(super) several: Vec<(usize, usize)>,
    /// Edges whose end the process has let go, each with its side.
    pub(super) let_go: Vec<(Side, LinkRef)>,
    /// An operation has been polled in this activation.
    fresh: bool,
    /// What makes the network's result depend on time: an operation on this port was dropped while it waited, or the
    /// process looked by a way that it is marked for.
    pub(super) doubt: Option<Option<Port>>,
}

per_thread! {
    static DESK: Cell<*mut Desk> = Cell::new(std::ptr::null_mut());
}

/// While it lives, the ports of a process find its desk.
pub(super) struct Open(*mut Desk);

impl Open {
    pub(super) fn new(desk: &mut Desk) -> Self {
        Self(DESK.with(|here| here.replace(desk)))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = DESK.try_with(|here| here.set(self.0));
    }
}

/// The process that this thread polls just now, and its id.
pub(super) fn here() -> Option<(TaskRef, u64)> {
    at_any(|desk| (desk.task, desk.kept.id))
}

/// Runs `f` at the desk of the process that is being polled on this thread.
fn at_any<R>(f: impl FnOnce(&mut Desk) -> R) -> Option<R> {
    let desk = DESK.try_with(Cell::get).ok()?;
    // SAFETY: `Open` put it there for the time of a poll on this thread and takes it away afterwards; meanwhile it is
    // touched through this pointer alone. No reference outlives `f`, and no `f` runs user code or another `at_any`.
    unsafe { desk.as_mut() }.map(f)
}

/// The same, if that is the process with this id.
#[inline]
pub(super) fn at<R>(id: u64, f: impl FnOnce(&mut Desk) -> R) -> Option<R> {
    at_any(|desk| (desk.kept.id == id).then(|| f(desk)))?
}

impl Kept {
    pub(super) fn new(id: u64, edges: (usize, usize), nondet: bool) -> Self {
        // A graph of more edges than fit in 32 bits has no memory.
        let count = |edges: usize| u32::try_from(edges).unwrap_or(u32::MAX);
        let edges = (count(edges.0), count(edges.1));
        Self { id, pending: None, edges, additions: 0, selects: 0, nondet, looked: false }
    }
}

impl Desk {
    /// For one poll with this waker, which outlives it.
    pub(super) fn new(kept: &Kept, waker: &Waker, left: usize, careful: bool, task: TaskRef) -> Self {
        Self {
            kept: *kept,
            waker,
            left,
            moved: 0,
            careful,
            task,
            rewired: Vec::new(),
            several: Vec::new(),
            let_go: Vec::new(),
            fresh: false,
            doubt: None,
        }
    }

    /// An operation begins or is looked at again. False where the process has had its turn: the operation then waits for
    /// the next one.
    ///
    /// # Panics
    ///
    /// Where another operation is pending.
    #[inline]
    fn begin(&mut self, port: Port) -> bool {
        if let Some((other, _)) = self.kept.pending.take() {
            if other != port {
                self.kept.pending = Some((other, Wait::Turn));
                second_operation(other, port);
            }
            if self.fresh {
                // It went on in between, so it has seen that no token was there.
                self.doubts(port);
            }
        }
        self.fresh = true;
        if self.left == 0 {
            self.kept.pending = Some((port, Wait::Turn));
            return false;
        }
        true
    }

    /// The operation waits for an edge.
    pub(super) fn wait(&mut self, port: Port, edge: u32, target: usize) {
        self.kept.pending = Some((port, Wait::Edge(edge, target)));
    }

    /// The operation on these inputs waits for one of them.
    pub(super) fn wait_for_one(&mut self, port: Port) {
        self.kept.pending = Some((port, Wait::Several));
    }

    /// # Panics
    ///
    /// Where the port is another process's.
    pub(super) fn must_own(&self, process: u64, port: Port) {
        if process != self.kept.id {
            foreign(port);
        }
    }

    /// The process looks at more than its tokens, as it is marked for.
    pub(super) fn looks(&mut self) {
        if !self.kept.looked {
            self.kept.looked = true;
            self.doubt = Some(None);
        }
    }

    /// Tokens were taken and their slots given back.
    #[inline]
    pub(super) fn took(&mut self, tokens: usize, link: &Link) {
        self.count(tokens);
        if self.due(|slack| link.producer_due(slack), link.capacity() / 2) {
            notify(TaskRef::writer_of(link));
        }
    }

    /// Tokens were put on an edge and published.
    #[inline]
    pub(super) fn gave(&mut self, link: &Link) {
        if self.due(|slack| link.consumer_due(slack), (link.capacity() / 2).min(16)) {
            notify(TaskRef::reader_of(link));
        }
    }

    /// Counts what was moved against the turn.
    #[inline]
    pub(super) fn count(&mut self, tokens: usize) {
        self.moved += tokens;
        self.left = self.left.saturating_sub(tokens.max(1));
    }

    /// Whether the other side is to be woken. A careful process hands on what it has at once, with the fence that makes the
    /// look certain, since its own code may wait for the effect; another one only hints, and its driver makes sure
    /// before it waits.
    #[inline]
    fn due(&self, due: impl Fn(usize) -> bool, slack: usize) -> bool {
        if self.careful {
            fence(Ordering::SeqCst);
            due(0)
        } else {
            due(slack)
        }
    }
}

/// Runs a step of a port's future. `None` where the process has had its turn, so that the future is pending.
///
/// # Panics
///
/// Where it is polled outside of its process, with a waker that isn't the process's, or beside another operation.
#[inline]
pub(super) fn step<R>(id: u64, port: Port, cx: &Context<'_>, f: impl FnOnce(&mut Desk) -> R) -> Option<R> {
    let stepped = at(id, |desk| {
        // SAFETY: the desk stands only while the process is polled with that waker.
        let own = unsafe { &*desk.waker }.will_wake(cx.waker());
        own.then(|| desk.begin(port).then(|| f(desk)))
    });
    stepped.flatten().unwrap_or_else(|| foreign(port))
}

impl Desk {
    /// The process has seen more than the tokens of this port.
    #[cold]
    fn doubts(&mut self, port: Port) {
        if self.kept.nondet {
            self.looks();
        } else {
            self.doubt = Some(Some(port));
        }
    }

    /// The poll is over. An operation that was pending before it and was not looked at has told the process that no token
    /// was there.
    pub(super) fn leave(&mut self) {
        if let Some((port, _)) = self.kept.pending
            && !self.fresh
        {
            self.doubts(port);
        }
    }
}

/// A port's future was dropped while it waited. Where that is not the end of its process, the process has seen that no token
/// was there.
pub(super) fn abandon(id: u64, port: Port) {
    at(id, |desk| {
        desk.kept.pending = None;
        desk.doubts(port);
    });
}

/// The process that is being polled looks at more than its tokens.
pub(crate) fn observes() {
    at_any(Desk::looks);
}

/// # Panics
///
/// Outside of a process that is marked as not determinate.
pub(crate) fn must_be_nondet(what: &str) {
    let inside = at_any(|desk| desk.kept.nondet);
    assert!(
        inside == Some(true),
        "`kpn::nondet::{what}` looks at more than a process's tokens, so it stands only in one that says so: mark the \
         process `#[node(nondet)]`, or add it by `Builder::nondet_process`{}",
        if inside.is_none() { "; here no process is running" } else { "" }
    );
}

#[cold]
fn foreign(port: Port) -> ! {
    panic!(
        "the port `{}` was polled outside of its process, or with another waker than the process's: that could tell whether \
         a token is there. Await it in the process itself; to choose among several inputs use `kpn::nondet::select`",
        port.name
    )
}

#[cold]
fn second_operation(pending: Port, port: Port) -> ! {
    panic!(
        "an operation on the port `{}` began while one on `{}` is pending, so which comes first would depend on time: \
         wait for both with `kpn::join`, or choose by name with `kpn::nondet::select`",
        port.name, pending.name
    )
}
