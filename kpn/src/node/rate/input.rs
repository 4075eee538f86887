//! What one input takes a firing.

use std::collections::VecDeque;

use super::phases::{Turn, most};
use super::{Cyclic, Exactly, One, Phases, Rate, Window, checked};
use crate::channel::Consumer;
use crate::node::batch::Shelf;
use crate::node::{Batch, Token};
use crate::sync::{Arc, drop_quietly};

/// One input's rate.
#[doc(hidden)]
pub trait InRate: 'static {
    type Token: Send + 'static;
    type Item: Send;
    /// The port: its end of the edge, with what it keeps from one firing to the next.
    type Rx: Send;
    /// The most tokens that a firing needs.
    const NEED: usize;
    const RATE: Rate;
    fn bind(edge: Consumer<Self::Token>) -> Self::Rx;
    fn edge(rx: &mut Self::Rx) -> &mut Consumer<Self::Token>;
    /// Tokens that the next firing needs.
    #[inline]
    fn next(_: &Self::Rx) -> usize {
        Self::NEED
    }
    /// Firings that the tokens at hand allow, at least `want` of them if they allow as many.
    #[inline]
    fn ready(rx: &mut Self::Rx, want: usize) -> usize {
        Self::edge(rx).ready(want * Self::NEED) / Self::NEED
    }
    fn take(rx: &mut Self::Rx) -> Self::Item;
    /// Drops what was taken, token by token: one's panicking `Drop` doesn't keep the others.
    fn discard(item: Self::Item) {
        drop_quietly(item);
    }
}

impl<T: Token> InRate for One<T> {
    type Token = T;
    type Item = T;
    type Rx = Consumer<T>;
    const NEED: usize = 1;
    const RATE: Rate = Rate::Phases(&[1]);
    fn bind(edge: Consumer<T>) -> Consumer<T> {
        edge
    }
    #[inline]
    fn edge(rx: &mut Consumer<T>) -> &mut Consumer<T> {
        rx
    }
    #[inline]
    fn take(rx: &mut Consumer<T>) -> T {
        rx.take()
    }
}

impl<T: Token, const N: usize> InRate for Exactly<T, N> {
    type Token = T;
    type Item = [T; N];
    type Rx = Consumer<T>;
    const NEED: usize = checked::<T>(N);
    const RATE: Rate = Rate::Phases(&[N]);
    fn bind(edge: Consumer<T>) -> Consumer<T> {
        edge
    }
    #[inline]
    fn edge(rx: &mut Consumer<T>) -> &mut Consumer<T> {
        rx
    }
    #[inline]
    fn take(rx: &mut Consumer<T>) -> [T; N] {
        std::array::from_fn(|_| rx.take())
    }
    fn discard(item: [T; N]) {
        item.into_iter().for_each(drop_quietly);
    }
}

/// An edge, and the tokens that the last firing saw and the next one will see again.
#[doc(hidden)]
pub struct Sliding<T> {
    edge: Consumer<T>,
    kept: VecDeque<T>,
}

/// A token that a sliding window may show again.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a sliding window shows its tokens more than once, as clones, but `{Self}` is not `Clone`",
    label = "`{Self}` is not `Clone`",
    note = "derive `Clone` for it, or wrap what is costly to copy in an `Arc`"
)]
pub trait Shown: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> Shown for T {}

impl<T: Token + Shown, const PEEK: usize, const CONSUME: usize> InRate for Window<T, PEEK, CONSUME> {
    type Token = T;
    type Item = [T; PEEK];
    type Rx = Sliding<T>;
    const NEED: usize = {
        assert!(CONSUME > 0, "a sliding window takes at least one token a firing");
        assert!(CONSUME <= PEEK, "a sliding window sees the tokens that it takes: it can't take more than it sees");
        checked::<T>(PEEK)
    };
    const RATE: Rate = Rate::Window { peek: PEEK, consume: CONSUME };
    fn bind(edge: Consumer<T>) -> Sliding<T> {
        // Without an overlap nothing is ever kept.
        Sliding { edge, kept: VecDeque::with_capacity(if CONSUME < PEEK { PEEK } else { 0 }) }
    }
    #[inline]
    fn edge(rx: &mut Sliding<T>) -> &mut Consumer<T> {
        &mut rx.edge
    }
    #[inline]
    fn next(rx: &Sliding<T>) -> usize {
        PEEK - rx.kept.len()
    }
    #[inline]
    fn ready(rx: &mut Sliding<T>, want: usize) -> usize {
        let next = Self::next(rx);
        let tokens = rx.edge.ready(next + want.saturating_sub(1) * CONSUME);
        // The first window takes more than those after it.
        if tokens < next { 0 } else { 1 + (tokens - next) / CONSUME }
    }
    #[inline]
    fn take(rx: &mut Sliding<T>) -> [T; PEEK] {
        if CONSUME == PEEK {
            return std::array::from_fn(|_| rx.edge.take());
        }
        while rx.kept.len() < PEEK {
            rx.kept.push_back(rx.edge.take());
        }
        // The oldest leave the window with this firing; the others are shown as clones. Each has one owner at any
        // time, should a clone panic.
        std::array::from_fn(|i| match i.checked_sub(CONSUME) {
            None => rx.kept.pop_front().expect("a window is full before it is shown"),
            Some(i) => rx.kept[i].clone(),
        })
    }
    fn discard(item: [T; PEEK]) {
        item.into_iter().for_each(drop_quietly);
    }
}

/// An edge, where its reader is in its cycle, and memory for the next batch.
#[doc(hidden)]
pub struct Turning<T, P> {
    edge: Consumer<T>,
    turn: Turn<P>,
    shelf: Arc<Shelf<T>>,
}

impl<T: Token, P: Phases> InRate for Cyclic<T, P> {
    type Token = T;
    type Item = Batch<T>;
    type Rx = Turning<T, P>;
    const NEED: usize = most(P::RATES);
    const RATE: Rate = Rate::Phases(P::RATES);
    fn bind(edge: Consumer<T>) -> Turning<T, P> {
        Turning { edge, turn: Turn::new(), shelf: Shelf::new(Self::NEED) }
    }
    #[inline]
    fn edge(rx: &mut Turning<T, P>) -> &mut Consumer<T> {
        &mut rx.edge
    }
    #[inline]
    fn next(rx: &Turning<T, P>) -> usize {
        rx.turn.rate()
    }
    fn ready(rx: &mut Turning<T, P>, want: usize) -> usize {
        let tokens = rx.edge.ready(rx.turn.tokens(want));
        rx.turn.firings(tokens, want)
    }
    fn take(rx: &mut Turning<T, P>) -> Batch<T> {
        let tokens = rx.turn.rate();
        rx.turn.advance();
        if tokens == 0 {
            return Batch::default();
        }
        let mut batch = rx.shelf.batch(Self::NEED);
        rx.edge.take_many(tokens, batch.tokens());
        batch
    }
    fn discard(mut item: Batch<T>) {
        item.drain().for_each(drop_quietly);
    }
}
