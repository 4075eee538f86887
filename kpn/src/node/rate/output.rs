//! What one output gives a firing.

use super::{Any, Maybe, One, Rate};
use crate::channel::Fan;
use crate::node::{Many, Token};

/// One output's rate. `Tx` is its fan, with what did not fit where the rate has no bound.
#[doc(hidden)]
pub trait OutRate: 'static {
    type Token: Send + 'static;
    type Item;
    type Tx: Send;
    const NEED: usize;
    const RATE: Rate;
    fn bind(fan: Fan<Self::Token>) -> Self::Tx;
    fn fan(tx: &mut Self::Tx) -> &mut Fan<Self::Token>;
    fn give(tx: &mut Self::Tx, item: Self::Item);
    fn drain(_: &mut Self::Tx) -> bool {
        true
    }
    fn left(_: &Self::Tx) -> usize {
        0
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
