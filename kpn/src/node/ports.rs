//! Ports: plain index pairs with the token's type.

use std::marker::PhantomData;

use super::rate::{MakeEdge, make_edge};

/// What may travel over an edge: any type that may change threads and borrows nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a token: tokens move between threads and own what they hold",
    label = "can't be a token",
    note = "a token is `Send` and `'static`: use `Arc` in place of `Rc`, `Mutex` in place of `RefCell` behind it, owned values in place of references"
)]
pub trait Token: Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> Token for T {}

/// Where a port is: which builder, which node in it, which port of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortId {
    pub(crate) builder: u64,
    pub(crate) node: usize,
    pub(crate) port: usize,
}

/// The end of an edge that takes tokens of type `T`. Move-only, so that it is wired once.
#[must_use = "an input that is not wired is an error of `build`"]
pub struct InPort<T> {
    pub(crate) id: PortId,
    /// Invariant: two types of token are never taken for one another.
    token: PhantomData<fn(T) -> T>,
}

/// The end of an edge that gives tokens of type `T`. Move-only; [`crate::Builder::fan_out`] makes several of it.
#[must_use = "an output that is not wired is an error of `build`"]
pub struct OutPort<T> {
    pub(crate) id: PortId,
    /// Makes an edge for its tokens. A port is made where they are known to be tokens, so that wiring needs not ask.
    pub(crate) make: MakeEdge,
    token: PhantomData<fn(T) -> T>,
}

impl<T> InPort<T> {
    pub(crate) fn new(id: PortId) -> Self {
        Self { id, token: PhantomData }
    }

    /// The same port once more, for the macro, which checks by itself that a port is wired once.
    #[doc(hidden)]
    pub fn again(&self) -> Self {
        Self::new(self.id)
    }
}

impl<T> OutPort<T> {
    pub(crate) fn new(id: PortId) -> Self
    where
        T: Token,
    {
        Self { id, make: make_edge::<T>, token: PhantomData }
    }

    /// As [`InPort::again`].
    #[doc(hidden)]
    pub fn again(&self) -> Self {
        Self { id: self.id, make: self.make, token: PhantomData }
    }
}

impl<T> std::fmt::Debug for InPort<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InPort({}.{})", self.id.node, self.id.port)
    }
}

impl<T> std::fmt::Debug for OutPort<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OutPort({}.{})", self.id.node, self.id.port)
    }
}

/// The ports of a node: a struct with a field a port, and all inputs or all outputs as a tuple or an array.
pub trait Ports {
    /// `()`, `(InPort<A>,)`, `(InPort<A>, InPort<B>)`, … or `[InPort<A>; N]`.
    type Ins;
    /// `()`, `(OutPort<A>,)`, `(OutPort<A>, OutPort<B>)`, … or `[OutPort<A>; N]`.
    type Outs;

    /// All inputs in order, once more.
    #[doc(hidden)]
    fn ins(&self) -> Self::Ins;

    /// All outputs in order, once more.
    #[doc(hidden)]
    fn outs(&self) -> Self::Outs;
}

/// What a node is called and how its ports are named, in order.
#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// The node's default name.
    pub name: &'static str,
    /// The inputs' names.
    pub inputs: &'static [&'static str],
    /// The outputs' names.
    pub outputs: &'static [&'static str],
}
