//! The two ends of an arrow: a port of the wrong kind gets its own sentence.

use crate::node::{InPort, OutPort};

/// The end of an arrow that gives tokens.
#[diagnostic::on_unimplemented(
    message = "an arrow starts at an output, but this port is an input",
    label = "this is the wrong end: `{Self}`",
    note = "turn the arrow round, or name one of the node's outputs"
)]
pub trait OutEnd {
    /// The port in a tuple.
    type Outs;
    #[doc(hidden)]
    fn out_end(&self) -> Self::Outs;
}

#[diagnostic::do_not_recommend]
impl<T> OutEnd for OutPort<T> {
    type Outs = (OutPort<T>,);
    fn out_end(&self) -> Self::Outs {
        (self.again(),)
    }
}

/// The end of an arrow that takes tokens.
#[diagnostic::on_unimplemented(
    message = "an arrow leads to an input, but this port is an output",
    label = "this is the wrong end: `{Self}`",
    note = "turn the arrow round, or name one of the node's inputs"
)]
pub trait InEnd {
    /// The port in a tuple.
    type Ins;
    #[doc(hidden)]
    fn in_end(&self) -> Self::Ins;
}

#[diagnostic::do_not_recommend]
impl<T> InEnd for InPort<T> {
    type Ins = (InPort<T>,);
    fn in_end(&self) -> Self::Ins {
        (self.again(),)
    }
}

/// A block's member, as the start of an arrow, has one output.
#[diagnostic::on_unimplemented(
    message = "each member of a block has one output here, but this one has another number of them",
    label = "its outputs are `{Self}`",
    note = "name its ports instead: `node.port -> ..`"
)]
pub trait Single {
    /// The token's type.
    type Token;
    #[doc(hidden)]
    fn single(self) -> OutPort<Self::Token>;
}

#[diagnostic::do_not_recommend]
impl<T> Single for (OutPort<T>,) {
    type Token = T;
    fn single(self) -> OutPort<T> {
        self.0
    }
}
