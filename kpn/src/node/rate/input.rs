//! What one input takes a firing.

use super::{One, Rate};
use crate::channel::Consumer;
use crate::node::Token;

/// One input's rate.
#[doc(hidden)]
pub trait InRate: 'static {
    type Token: Send + 'static;
    type Item;
    const NEED: usize;
    const RATE: Rate;
    fn take(rx: &mut Consumer<Self::Token>) -> Self::Item;
}

impl<T: Token> InRate for One<T> {
    type Token = T;
    type Item = T;
    const NEED: usize = 1;
    const RATE: Rate = Rate::Phases(&[1]);
    #[inline]
    fn take(rx: &mut Consumer<T>) -> T {
        rx.take()
    }
}
