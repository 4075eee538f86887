//! The bounded queue between a network and the outside.
//!
//! It has one writer and one reader, one of which is a node and the other a thread or an async task; the queue
//! doesn't know which is which. A side that has to wait leaves a [`Waker`] and looks again when it is woken: a
//! node's waker notifies the node, a thread's unparks the thread.
//!
//! A node that moves many tokens wakes the other side for many at once. It owes it the rest before it waits itself:
//! else each could wait for the other, with room and tokens there.
//!
//! Every decision falls under the one lock, so that a wake can't be lost: a side finds the queue full or empty and
//! leaves its waker in one step, and the other side changes the queue and takes the waker in one step. No user
//! code runs under the lock. Wakers are cloned before it and called after it; tokens, and wakers that are out of
//! date, are dropped after it.

use std::collections::VecDeque;
use std::mem;
use std::task::Waker;

use crate::sync::{Arc, ModelMutex, mutated};

/// What is allocated at once; a larger queue grows when it fills.
const ALLOCATED: usize = 1024;

/// A thread that is woken for each token, or each space, does little else than sleep and wake.
const WORTH: usize = 16;

struct Queue<T> {
    state: ModelMutex<State<T>>,
    capacity: usize,
}

struct State<T> {
    tokens: VecDeque<T>,
    /// The reader takes what is here, and then nothing more.
    refusing: bool,
    writer: Side,
    reader: Side,
}

/// One end of the queue, as the other one sees it.
#[derive(Default)]
struct Side {
    gone: bool,
    /// It waits for tokens or for room.
    waits: bool,
    waker: Option<Waker>,
}

impl Side {
    /// Whom to wake now that there is what this side may wait for.
    fn due(&mut self) -> Option<Waker> {
        if mem::take(&mut self.waits) { self.waker.take() } else { None }
    }

    /// Notes that this side waits; returns the waker it had.
    fn wait(&mut self, waker: Option<Waker>) -> Option<Waker> {
        self.waits = waker.is_some();
        mem::replace(&mut self.waker, waker)
    }

    /// Keeps a node's waker, for news that come while it waits for something else.
    fn attach(&mut self, waker: &Waker) {
        self.waits = false;
        self.waker.get_or_insert_with(|| waker.clone());
    }
}

impl<T> State<T> {
    fn is_closed(&self) -> bool {
        self.refusing || self.reader.gone || self.writer.gone
    }

    fn has_ended(&self) -> bool {
        self.refusing || self.writer.gone
    }
}

/// Makes a queue of `capacity` tokens, at least one.
pub(super) fn queue<T>(capacity: usize) -> (Writer<T>, Reader<T>) {
    let capacity = capacity.max(1);
    let state = State {
        tokens: VecDeque::with_capacity(capacity.min(ALLOCATED)),
        refusing: false,
        writer: Side::default(),
        reader: Side::default(),
    };
    let queue = Arc::new(Queue { state: ModelMutex::new(state), capacity });
    (Writer(queue.clone()), Reader(queue))
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Why a push did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// There is no room; the waker, if one was given, is in place.
    Full,
    /// Nothing is accepted any more.
    Closed,
}

/// Why a pop gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dry {
    /// There is no token; the waker, if one was given, is in place.
    Empty,
    /// There is no token, and none will come.
    Ended,
}

/// The writing end. Dropped, it ends the stream.
pub(super) struct Writer<T>(Arc<Queue<T>>);

impl<T> Writer<T> {
    pub(super) fn capacity(&self) -> usize {
        self.0.capacity
    }

    /// Moves the token out of `token` and into the queue, or leaves `waker` behind.
    pub(super) fn push(&self, token: &mut Option<T>, mut waker: Option<Waker>) -> Result<(), Unsent> {
        // Like `waker`, declared before the guard, so dropped after it.
        let (_stale, due);
        {
            let mut state = self.0.state.lock();
            let verdict = self.verdict(&state);
            _stale = state.writer.wait(if verdict == Err(Unsent::Full) { waker.take() } else { None });
            verdict?;
            state.tokens.extend(token.take());
            due = state.reader.due();
        }
        wake(due);
        Ok(())
    }

    /// Whether a push would succeed; the answer `Ok` holds until there is one or the queue is closed.
    pub(super) fn room(&self, mut waker: Option<Waker>) -> Result<(), Unsent> {
        let _stale;
        let mut state = self.0.state.lock();
        let verdict = self.verdict(&state);
        _stale = state.writer.wait(if verdict == Err(Unsent::Full) { waker.take() } else { None });
        verdict
    }

    fn verdict(&self, state: &State<T>) -> Result<(), Unsent> {
        if state.is_closed() {
            Err(Unsent::Closed)
        } else if state.tokens.len() >= self.0.capacity {
            Err(Unsent::Full)
        } else {
            Ok(())
        }
    }

    /// For a node: moves up to `most` tokens from `take`, which runs no user code, into the queue, and leaves
    /// `waker` there for what happens next, be it room or the reader's end. Returns how many fitted in.
    ///
    /// A waiting reader is woken for a good many tokens; for fewer by a call with 0, which the node owes before
    /// it does anything but come back at once.
    pub(super) fn append(&self, most: usize, waker: &Waker, take: impl FnMut() -> T) -> Result<usize, Unsent> {
        let due;
        let moved;
        {
            let mut state = self.0.state.lock();
            if state.is_closed() {
                return Err(Unsent::Closed);
            }
            state.writer.attach(waker);
            moved = most.min(self.0.capacity - state.tokens.len());
            if most > 0 && moved == 0 {
                state.writer.waits = true;
                return Err(Unsent::Full);
            }
            state.tokens.extend(std::iter::repeat_with(take).take(moved));
            let tokens = state.tokens.len();
            let worth = tokens >= WORTH.min(self.0.capacity.div_ceil(2)) || (most == 0 && tokens > 0);
            due = if worth { state.reader.due() } else { None };
        }
        wake(due);
        Ok(moved)
    }

    /// Takes back the waker of a wait that was given up.
    pub(super) fn forget(&self) {
        let _stale = self.0.state.lock().writer.wait(None);
    }

    /// Ends the stream.
    pub(super) fn close(&self) {
        let (_stale, waker);
        {
            let mut state = self.0.state.lock();
            if mem::replace(&mut state.writer.gone, true) {
                return;
            }
            _stale = state.writer.wait(None);
            state.reader.waits = false;
            waker = state.reader.waker.take();
        }
        wake(waker);
    }

    /// For a node that has closed, but stays until the reader is gone.
    pub(super) fn reader_is_gone(&self, waker: &Waker) -> bool {
        let mut state = self.0.state.lock();
        state.writer.attach(waker);
        state.reader.gone
    }

    /// Whether nothing is accepted any more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.state.lock().is_closed()
    }
}

impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        self.close();
    }
}

/// The reading end. Dropped, it drops the tokens in the queue and closes it.
pub(super) struct Reader<T>(Arc<Queue<T>>);

impl<T> Reader<T> {
    pub(super) fn capacity(&self) -> usize {
        self.0.capacity
    }

    /// Takes the oldest token, or leaves `waker` behind.
    pub(super) fn pop(&self, mut waker: Option<Waker>) -> Result<T, Dry> {
        let (_stale, due);
        let token;
        {
            let mut state = self.0.state.lock();
            let ended = state.has_ended();
            token = state.tokens.pop_front().ok_or(if ended { Dry::Ended } else { Dry::Empty });
            _stale = state.reader.wait(if matches!(token, Err(Dry::Empty)) { waker.take() } else { None });
            due = if token.is_ok() { state.writer.due() } else { None };
        }
        wake(due);
        token
    }

    /// For a node: moves up to `most` tokens, at least one, into `batch`, or leaves `waker` behind.
    ///
    /// A waiting writer is woken for half the queue; for less by [`Reader::settle`], which the node owes before it
    /// does anything but come back at once.
    pub(super) fn take(&self, most: usize, batch: &mut VecDeque<T>, waker: &Waker) -> Result<(), Dry> {
        let due;
        {
            let mut state = self.0.state.lock();
            let ended = state.has_ended();
            let count = most.min(state.tokens.len());
            if count == 0 && mutated("look, then leave the waker") {
                drop(state);
                state = self.0.state.lock();
            }
            state.reader.attach(waker);
            if count == 0 {
                state.reader.waits = true;
                return Err(if ended { Dry::Ended } else { Dry::Empty });
            }
            batch.extend(state.tokens.drain(..count));
            let worth = state.tokens.len() <= self.0.capacity / 2;
            due = if worth { state.writer.due() } else { None };
        }
        wake(due);
        Ok(())
    }

    /// Wakes a waiting writer if there is any room at all.
    pub(super) fn settle(&self) {
        let due;
        {
            let mut state = self.0.state.lock();
            let room = state.tokens.len() < self.0.capacity;
            due = if room { state.writer.due() } else { None };
        }
        wake(due);
    }

    /// Accepts nothing more; what is in the queue can still be taken.
    pub(super) fn refuse(&self) {
        let waker;
        {
            let mut state = self.0.state.lock();
            state.refusing = true;
            state.writer.waits = false;
            waker = state.writer.waker.take();
        }
        wake(waker);
    }

    /// Takes back the waker of a wait that was given up.
    pub(super) fn forget(&self) {
        let _stale = self.0.state.lock().reader.wait(None);
    }
}

impl<T> Drop for Reader<T> {
    fn drop(&mut self) {
        let (_stale, _tokens, waker);
        {
            let mut state = self.0.state.lock();
            state.reader.gone = true;
            _stale = state.reader.wait(None);
            _tokens = mem::take(&mut state.tokens);
            state.writer.waits = false;
            waker = state.writer.waker.take();
        }
        // Before the tokens go, since that may take a while or panic.
        wake(waker);
    }
}
