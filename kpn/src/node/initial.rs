//! The tokens that lie on an edge before the network starts.

use super::Token;
use super::rate::Opaque;
use crate::channel::CloneFn;

/// Initial tokens with their type erased, the first to be read first.
pub(crate) struct Initial {
    /// A `Vec<T>`.
    pub(crate) tokens: Opaque,
    append: fn(&mut Opaque, Opaque),
    copy: fn(&Opaque, &Opaque) -> Opaque,
}

fn tokens<T: 'static>(opaque: &Opaque) -> &Vec<T> {
    opaque.downcast_ref().expect("an edge's tokens are of its type")
}

impl Initial {
    pub(crate) fn new<T: Token>(tokens: Vec<T>) -> Self {
        Self { tokens: Box::new(tokens), append: append::<T>, copy: copy::<T> }
    }

    /// These, and behind them those of an edge further up.
    pub(crate) fn followed_by(mut self, behind: Self) -> Self {
        (self.append)(&mut self.tokens, behind.tokens);
        self
    }

    /// The same once more, given how a token is cloned.
    pub(crate) fn again(&self, clone: &Opaque) -> Self {
        Self { tokens: (self.copy)(&self.tokens, clone), append: self.append, copy: self.copy }
    }
}

fn append<T: Token>(tokens: &mut Opaque, behind: Opaque) {
    let tokens: &mut Vec<T> = tokens.downcast_mut().expect("an edge's tokens are of its type");
    tokens.append(&mut behind.downcast().expect("both are of one type"));
}

fn copy<T: Token>(original: &Opaque, clone: &Opaque) -> Opaque {
    let clone: &CloneFn<T> = clone.downcast_ref().expect("the way to clone is of the token's type");
    Box::new(tokens::<T>(original).iter().map(clone).collect::<Vec<T>>())
}
