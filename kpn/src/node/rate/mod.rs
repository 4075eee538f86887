//! Rates: how many tokens a port takes or gives a firing, as types.
//!
//! The macro chooses the marker from the type as written; there is no blanket impl, so an alias or a
//! newtype is always one token. [`Inputs`] and [`Outputs`] are tuples of rates. Everything here asks for `need`
//! tokens or spaces, never for one.

mod array;
mod edge;
mod input;
mod output;
mod tuples;

use std::marker::PhantomData;

pub(crate) use edge::{MakeEdge, Opaque, OpaqueFan, make_edge, open, open_fan};
pub use input::InRate;
pub use output::OutRate;

use super::ports::PortId;

/// One token a firing.
#[derive(Debug)]
pub struct One<T>(PhantomData<fn() -> T>);

/// One token a firing, or none.
#[derive(Debug)]
pub struct Maybe<T>(PhantomData<fn() -> T>);

/// Any number of tokens a firing.
#[derive(Debug)]
pub struct Any<T>(PhantomData<fn() -> T>);

/// What a port is, for the graph's check: counts and names, never a type.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PortShape {
    /// The token's type, for messages.
    pub(crate) token: &'static str,
    /// The least capacity that lets the port fire.
    pub(crate) need: usize,
    /// A token's size in bytes.
    pub(crate) size: usize,
    /// How many tokens a firing takes or gives.
    #[allow(dead_code, reason = "for the analysis of the graph")]
    pub(crate) rate: Rate,
}

/// How many tokens a port takes or gives a firing, as the graph's analysis sees it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// So many, in turn: one phase is a fixed rate, several are a cyclo-static one.
    Phases(&'static [usize]),
    /// It sees `peek` tokens, of which it takes `consume`.
    Window {
        /// Tokens seen.
        peek: usize,
        /// Tokens taken.
        consume: usize,
    },
    /// It depends on the tokens.
    Dynamic,
}

/// Why an input side can't fire.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// Nothing is in the way any more.
    Met,
    /// Some input has ended.
    End,
    /// Input `.0` waits for the tail `.1`.
    Waits(usize, usize),
}

/// The inputs of a node: `()`, a tuple of [`One`], or `[One<T>; N]`. Sealed: the engine's own.
pub trait Inputs: sealed::Sealed + 'static {
    /// What one firing takes.
    type Items;
    /// The ports, in order.
    type Ports;

    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    type Rx: Send;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(halves: Vec<Opaque>) -> Self::Rx;
    /// Firings that the tokens at hand allow, up to `want`.
    #[doc(hidden)]
    fn ready(rx: &mut Self::Rx, want: usize) -> usize;
    /// All inputs are tested for their end before the first unmet one is reported.
    #[doc(hidden)]
    fn unmet(rx: &mut Self::Rx) -> Unmet;
    #[doc(hidden)]
    fn take(rx: &mut Self::Rx) -> Self::Items;
    #[doc(hidden)]
    fn publish(rx: &mut Self::Rx);
}

/// The outputs of a node: `()`, or a tuple of [`One`], [`Maybe`] and [`Any`]. Sealed: the engine's own.
pub trait Outputs: sealed::Sealed + 'static {
    /// What one firing gives.
    type Items;
    /// The ports, in order.
    type Ports;

    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    type Tx: Send;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(fans: Vec<OpaqueFan>) -> Self::Tx;
    /// Firings that the free spaces allow, up to `want`.
    #[doc(hidden)]
    fn room(tx: &mut Self::Tx, want: usize) -> usize;
    /// The first edge without room for a firing, counted over all outputs' edges, and the head that it needs.
    #[doc(hidden)]
    fn full(tx: &mut Self::Tx) -> Option<(usize, usize)>;
    /// The first edge without room for what the last firing left over.
    #[doc(hidden)]
    fn blocked(tx: &mut Self::Tx) -> Option<(usize, usize)>;
    /// False once every output (there being at least one) has lost every reader.
    #[doc(hidden)]
    fn wanted(tx: &mut Self::Tx) -> bool;
    #[doc(hidden)]
    fn give(tx: &mut Self::Tx, items: Self::Items);
    /// Moves tokens that did not fit into edges that have room again; false while some are left.
    #[doc(hidden)]
    fn drain(tx: &mut Self::Tx) -> bool;
    #[doc(hidden)]
    fn publish(tx: &mut Self::Tx);
}

mod sealed {
    pub trait Sealed {}
}

pub(crate) fn port(builder: u64, node: usize, port: usize) -> PortId {
    PortId { builder, node, port }
}

pub(crate) fn shape<T>(need: usize, rate: Rate) -> PortShape {
    PortShape { token: std::any::type_name::<T>(), need, size: size_of::<T>(), rate }
}
