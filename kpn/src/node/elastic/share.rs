//! A claim's tokens: those that were taken for it, and those that come of them.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::node::{Failure, Fired, Firing, Inputs, Miscount, Outputs, Pure};
use crate::sync::drop_quietly;

/// What a panic was raised with.
pub(super) type Payload = Box<dyn Any + Send>;

/// Why a node fires no more.
pub(super) enum End {
    /// A firing said so.
    Ended,
    Failed(Failure),
    Panicked(Payload),
}

/// Some firings' tokens. Its memory serves one claim after the other.
pub(super) struct Share<F: Firing> {
    taken: VecDeque<<F::In as Inputs>::Items>,
    given: VecDeque<<F::Out as Outputs>::Items>,
    /// What stopped its worker before the last token.
    end: Option<End>,
    /// How many firings it is for.
    pub(super) firings: usize,
}

/// What came of handing over a share.
pub(super) enum Given {
    /// All is out, and the node goes on, or ends for this reason.
    All(Option<End>),
    /// Output edge `.0` must reach the head `.1` first.
    Full(usize, usize),
    /// A firing gave another number of tokens than its rate says.
    Miscount(Miscount),
}

impl<F: Pure> Share<F> {
    pub(super) fn new() -> Self {
        Self { taken: VecDeque::new(), given: VecDeque::new(), end: None, firings: 0 }
    }

    /// Takes the tokens of so many firings; returns what a `take` panicked with, after those that it took.
    pub(super) fn fill(&mut self, rx: &mut <F::In as Inputs>::Rx, firings: usize) -> Option<Payload> {
        let take = || (0..firings).for_each(|_| self.taken.push_back(F::In::take(rx)));
        let panic = catch_unwind(AssertUnwindSafe(take)).err();
        self.firings = firings;
        panic
    }

    /// Fires for each until one says that it was the last, or `stop` does. Returns how often.
    pub(super) fn work(&mut self, body: &F, stop: impl Fn() -> bool) -> usize {
        let Self { taken, given, end, .. } = self;
        let before = given.len();
        let fire = || {
            while let Some(items) = taken.pop_front() {
                if stop() {
                    F::In::discard(items);
                    return None;
                }
                match body.fire_shared(items) {
                    Fired::Emit(items) => given.push_back(items),
                    Fired::End => return Some(End::Ended),
                    Fired::Failed(error) => return Some(End::Failed(error)),
                }
            }
            None
        };
        *end = catch_unwind(AssertUnwindSafe(fire)).unwrap_or_else(|payload| Some(End::Panicked(payload)));
        taken.drain(..).for_each(F::In::discard);
        given.len() - before
    }

    /// Gives firing by firing, as a node does that fires alone. `left` says that the last firing's tokens have not all found
    /// room.
    pub(super) fn give(&mut self, tx: &mut <F::Out as Outputs>::Tx, left: &mut bool) -> Given {
        let given = catch_unwind(AssertUnwindSafe(|| self.give_all(tx, left)));
        given.unwrap_or_else(|payload| Given::All(Some(End::Panicked(payload))))
    }

    fn give_all(&mut self, tx: &mut <F::Out as Outputs>::Tx, left: &mut bool) -> Given {
        loop {
            if *left {
                *left = !F::Out::drain(tx);
                F::Out::publish(tx);
                if let Some((edge, target)) = F::Out::blocked(tx) {
                    return Given::Full(edge, target);
                }
                continue;
            }
            let Some(items) = self.given.front() else { return Given::All(self.end.take()) };
            if F::Out::room(tx, 1) == 0 {
                match F::Out::full(tx) {
                    Some((edge, target)) => return Given::Full(edge, target),
                    None => continue,
                }
            }
            if let Some(miscount) = F::Out::miscount(tx, items) {
                return Given::Miscount(miscount);
            }
            if let Some(items) = self.given.pop_front() {
                F::Out::give(tx, items);
                *left = !F::Out::drain(tx);
            }
        }
    }

    /// Drops what is left.
    pub(super) fn clear(&mut self) {
        self.taken.drain(..).for_each(F::In::discard);
        self.given.drain(..).for_each(F::Out::discard);
        drop_quietly(self.end.take());
    }
}
