//! Free functions for generated code: they keep a user's error at the user's token.

pub use crate::builder::{Builder, Composite, FedBy, InEnd, Junction, OutEnd, SplitInto, SpreadOver, Wire};
pub use crate::node::{
    Any, Body, Failure, Fired, Firing, InPort, Inputs, Many, Maybe, Node, NodeInfo, One, OutPort, Outputs, Ports, Token,
};

/// A parameter that a node's function takes by value.
#[diagnostic::on_unimplemented(
    message = "a parameter taken by value is cloned for each firing, but `{Self}` is not `Clone`",
    label = "`{Self}` is not `Clone`",
    note = "take it by reference: `#[param] name: &{Self}`"
)]
pub trait Param: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> Param for T {}

/// The parameter for one firing.
#[inline]
pub fn param<T: Param>(kept: &T) -> T {
    kept.clone()
}

/// An error that a node may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a node's failure",
    label = "is no error that may change threads",
    note = "a failure is a `String`, or implements `std::error::Error` and is `Send`, `Sync` and `'static`"
)]
pub trait Fails: Into<Failure> {}

#[diagnostic::do_not_recommend]
impl<E: Into<Failure>> Fails for E {}

/// A node's error as the network keeps it.
pub fn failure<E: Fails>(error: E) -> Failure {
    error.into()
}

/// Any number of tokens, from what had fewer choices.
#[inline]
pub fn many<T>(tokens: Option<T>) -> Many<T> {
    tokens.into_iter().collect()
}

/// Adds a node.
pub fn add<'env, B: Body<'env>>(builder: &mut Builder<'env>, node: B) -> B::Ports {
    builder.add(node)
}

/// All inputs of a node.
pub fn ins<P: Ports>(ports: &P) -> P::Ins {
    ports.ins()
}

/// All outputs of a node.
pub fn outs<P: Ports>(ports: &P) -> P::Outs {
    ports.outs()
}

/// One input, as the end of an arrow.
pub fn in_end<E: InEnd>(port: &E) -> E::Ins {
    port.in_end()
}

/// One output, as the start of an arrow.
pub fn out_end<E: OutEnd>(port: &E) -> E::Outs {
    port.out_end()
}

/// One arrow.
pub fn arrow<'b, O, I: FedBy<O>>(builder: &'b mut Builder<'_>, outs: O, ins: I) -> Wire<'b> {
    ins.feed(outs, builder)
}

/// Outputs before a block `{ a, b, .. }`.
pub fn split<const N: usize, O: SplitInto<N>>(builder: &mut Builder<'_>, outs: O) -> O::Parts {
    outs.split(builder)
}

/// Outputs before a block `[ node; N ]`.
pub fn spread<const N: usize, O: SpreadOver<N>>(builder: &mut Builder<'_>, outs: O) -> [(OutPort<O::Token>,); N] {
    outs.spread(builder)
}
