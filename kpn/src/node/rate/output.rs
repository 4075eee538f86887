//! What one output gives a firing.

use super::phases::{Turn, most};
use super::{Any, Counted, Exactly, Maybe, One, Phases, Rate, checked};
use crate::channel::Fan;
use crate::node::{Many, Token};
use crate::sync::drop_quietly;

/// One output's rate. `Tx` is its fan, with what did not fit where the rate has no bound.
#[doc(hidden)]
pub trait OutRate: 'static {
    type Token: Send + 'static;
    type Item: Send;
    type Tx: Send;
    /// The most spaces that a firing needs; those of a rate without a bound are had one by one.
    const NEED: usize;
    const RATE: Rate;
    /// No firing gives more than it needs spaces.
    const BOUNDED: bool = true;
    fn bind(fan: Fan<Self::Token>) -> Self::Tx;
    fn fan(tx: &mut Self::Tx) -> &mut Fan<Self::Token>;
    /// Spaces that the next firing needs.
    #[inline]
    fn next(_: &Self::Tx) -> usize {
        Self::NEED
    }
    /// Firings that the free spaces allow, at least `want` of them if they allow as many.
    #[inline]
    fn room(tx: &mut Self::Tx, want: usize) -> usize {
        Self::fan(tx).room(want * Self::NEED) / Self::NEED
    }
    /// The phase of the next firing.
    #[inline]
    fn phase(_: &Self::Tx) -> usize {
        0
    }
    /// Tokens that the firing of a number must give and those that it gives, where these are not as many.
    #[inline]
    fn miscount(_item: &Self::Item, _firing: usize) -> Option<(usize, usize)> {
        None
    }
    fn give(tx: &mut Self::Tx, item: Self::Item);
    fn drain(_: &mut Self::Tx) -> bool {
        true
    }
    fn left(_: &Self::Tx) -> usize {
        0
    }
    /// Drops what was to be given, token by token.
    fn discard(item: Self::Item) {
        drop_quietly(item);
    }
}

impl<T: Token> OutRate for One<T> {
    type Token = T;
    type Item = T;
    type Tx = Fan<T>;
    const NEED: usize = 1;
    const RATE: Rate = Rate::Phases(&[1]);
    fn bind(fan: Fan<T>) -> Fan<T> {
        fan
    }
    #[inline]
    fn fan(tx: &mut Fan<T>) -> &mut Fan<T> {
        tx
    }
    #[inline]
    fn give(tx: &mut Fan<T>, item: T) {
        tx.push(item);
    }
}

impl<T: Token, const N: usize> OutRate for Exactly<T, N> {
    type Token = T;
    type Item = [T; N];
    type Tx = Fan<T>;
    const NEED: usize = checked::<T>(N);
    const RATE: Rate = Rate::Phases(&[N]);
    fn bind(fan: Fan<T>) -> Fan<T> {
        fan
    }
    #[inline]
    fn fan(tx: &mut Fan<T>) -> &mut Fan<T> {
        tx
    }
    #[inline]
    fn give(tx: &mut Fan<T>, item: [T; N]) {
        item.into_iter().for_each(|token| tx.push(token));
    }
    fn discard(item: [T; N]) {
        item.into_iter().for_each(drop_quietly);
    }
}

impl<T: Token> OutRate for Maybe<T> {
    type Token = T;
    type Item = Option<T>;
    type Tx = Fan<T>;
    const NEED: usize = 1;
    const RATE: Rate = Rate::Dynamic;
    fn bind(fan: Fan<T>) -> Fan<T> {
        fan
    }
    #[inline]
    fn fan(tx: &mut Fan<T>) -> &mut Fan<T> {
        tx
    }
    #[inline]
    fn give(tx: &mut Fan<T>, item: Option<T>) {
        if let Some(token) = item {
            tx.push(token);
        }
    }
}

/// A fan and the rest of the last firing: memory is bounded by one firing's result.
#[doc(hidden)]
pub struct Draining<T> {
    fan: Fan<T>,
    pending: std::vec::IntoIter<T>,
}

impl<T: Token> OutRate for Any<T> {
    type Token = T;
    type Item = Many<T>;
    type Tx = Draining<T>;
    const NEED: usize = 1;
    const RATE: Rate = Rate::Dynamic;
    const BOUNDED: bool = false;
    fn bind(fan: Fan<T>) -> Draining<T> {
        Draining { fan, pending: Vec::new().into_iter() }
    }
    #[inline]
    fn fan(tx: &mut Draining<T>) -> &mut Fan<T> {
        &mut tx.fan
    }
    fn give(tx: &mut Draining<T>, item: Many<T>) {
        tx.pending = item.into_iter();
        Self::drain(tx);
    }
    fn discard(item: Many<T>) {
        item.into_iter().for_each(drop_quietly);
    }
    fn left(tx: &Draining<T>) -> usize {
        tx.pending.len()
    }
    fn drain(tx: &mut Draining<T>) -> bool {
        while tx.pending.len() > 0 {
            let room = tx.fan.room(tx.pending.len()).min(tx.pending.len());
            if room == 0 {
                return false;
            }
            tx.pending.by_ref().take(room).for_each(|token| tx.fan.push(token));
        }
        true
    }
}

/// A fan, and where its writer is in its cycle.
#[doc(hidden)]
pub struct Counting<T, P> {
    fan: Fan<T>,
    turn: Turn<P>,
}

impl<T: Token, P: Phases> OutRate for Counted<T, P> {
    type Token = T;
    type Item = Many<T>;
    type Tx = Counting<T, P>;
    const NEED: usize = most(P::RATES);
    const RATE: Rate = Rate::Phases(P::RATES);
    fn bind(fan: Fan<T>) -> Counting<T, P> {
        Counting { fan, turn: Turn::new() }
    }
    #[inline]
    fn fan(tx: &mut Counting<T, P>) -> &mut Fan<T> {
        &mut tx.fan
    }
    #[inline]
    fn next(tx: &Counting<T, P>) -> usize {
        tx.turn.rate()
    }
    fn room(tx: &mut Counting<T, P>, want: usize) -> usize {
        let spaces = tx.fan.room(tx.turn.tokens(want));
        tx.turn.firings(spaces, want)
    }
    #[inline]
    fn phase(tx: &Counting<T, P>) -> usize {
        tx.turn.phase()
    }
    #[inline]
    fn miscount(item: &Many<T>, firing: usize) -> Option<(usize, usize)> {
        let expected = P::RATES[firing % P::RATES.len()];
        (item.len() != expected).then_some((expected, item.len()))
    }
    fn give(tx: &mut Counting<T, P>, item: Many<T>) {
        tx.turn.advance();
        item.into_iter().for_each(|token| tx.fan.push(token));
    }
    fn discard(item: Many<T>) {
        item.into_iter().for_each(drop_quietly);
    }
}
