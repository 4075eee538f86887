//! What a node is: a body that fires, with typed ports.
//!
//! `#[node]` writes the impls of this module; [`crate::nodes`] has the ready-made nodes. Types are erased once,
//! at the port (in `bound`), so that the engine is not generic and users' builds stay quick.

mod batch;
pub(crate) mod bound;
mod elastic;
mod fault;
mod initial;
mod many;
mod ports;
pub(crate) mod rate;
mod refine;

pub use batch::Batch;
pub(crate) use elastic::{Claimed, Help};
pub(crate) use fault::Miscount;
pub use fault::{PartialFiring, WrongCount};
pub(crate) use initial::Initial;
pub use many::Many;
pub(crate) use ports::PortId;
pub use ports::{InPort, NodeInfo, OutPort, Ports, Token};
pub use rate::{Any, Counted, Cyclic, Exactly, Inputs, Maybe, One, Outputs, Phases, Window};
pub use refine::{Refine, Refined, Stateless};

pub(crate) use refine::{Options, Placement};

use crate::builder::Builder;

/// Why a node failed: whatever error it returned.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What one firing came to.
#[derive(Debug)]
pub enum Fired<O> {
    /// The tokens to send, one item an output.
    Emit(O),
    /// The stream ends here: a source has no more, or a `finish` has nothing to add.
    End,
    /// The firing failed; the network stops with this error, which names the node.
    Failed(Failure),
}

/// A node that fires: it takes what its inputs' rates say, computes, and gives what its outputs' rates say.
///
/// It fires once every input has the tokens for it and every reader of every output has the space: for a rate that is
/// fixed, all of the firing's tokens; for [`Any`], a first one. When an input has ended and has fewer tokens left than the
/// next firing takes, the node ends.
///
/// `#[node]` implements this. Write it by hand only where the macro can't say what you need.
///
/// A node that shares the pool must not wait inside `fire` for another node's effect: mark it
/// [`Refine::blocking`], so that it gets a thread of its own.
pub trait Firing: Send {
    /// The inputs' rates: a tuple of [`One`], [`Exactly`], [`Window`] and [`Cyclic`].
    type In: Inputs;
    /// The outputs' rates: a tuple of [`One`], [`Maybe`], [`Any`], [`Exactly`] and [`Counted`].
    type Out: Outputs;

    /// Fires once.
    fn fire(&mut self, items: <Self::In as Inputs>::Items) -> Fired<<Self::Out as Outputs>::Items>;

    /// Whether [`Firing::finish`] is to be called.
    const FINISHES: bool = false;

    /// Whether it is a failure, a [`PartialFiring`], that the inputs end with fewer tokens than a firing needs. Otherwise
    /// those tokens are dropped; the report counts them, edge by edge, as what was left.
    ///
    /// Where one of several inputs has ended, such a node first waits until each other one holds a firing's tokens or has
    /// ended as well, so that the failure doesn't depend on who was quicker. After `stop`, and after a failure upstream,
    /// streams end anywhere, and nothing of this applies.
    const PARTIAL_FAILS: bool = false;

    /// Called once when the inputs have ended, so that an aggregate can emit its result. They also end early: after
    /// `stop`, and after a failure upstream, which the run then returns.
    fn finish(&mut self) -> Fired<<Self::Out as Outputs>::Items> {
        Fired::End
    }
}

/// A node without state: what a firing gives depends on its own tokens alone, and on parameters that nobody changes.
///
/// On a shared pool such a node may fire on several workers at once. What it gives goes out in the order of its inputs, as if
/// it had fired alone; only what its code does beside that happens in any order, and a few firings after one that fails may
/// have been done in vain. [`Refine::serial`] turns that off, [`Refine::replicas`] bounds it.
///
/// `#[node]` implements this for functions, and where `fire` takes `&self`, unless the node can't be shared between threads or
/// has a parameter that can be changed from within, as an `Arc<Mutex<..>>`. One written by hand enters a network by
/// [`Builder::pure`](crate::Builder::pure).
pub trait Pure: Firing + Sync {
    /// Fires once; as [`Firing::fire`], which does the same.
    fn fire_shared(&self, items: <Self::In as Inputs>::Items) -> Fired<<Self::Out as Outputs>::Items>;
}

/// Something that can stand in a network: a node, a refined node, or a composite.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "this can't stand in a network",
    note = "a node is made by calling a function that is marked `#[node]`, by a struct with a `#[node] impl`, or by `source(..)`, `map(|x| ..)`, `sink(|x| ..)`; what returns a `Result` needs a `?`"
)]
pub trait Node {
    /// Its ports, by name.
    type Ports: Ports;
}

/// How a [`Node`] enters a network that lives as long as `'env`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "this can't stand in a network",
    note = "a node is made by calling a function that is marked `#[node]`, by a struct with a `#[node] impl`, or by `source(..)`, `map(|x| ..)`, `sink(|x| ..)`; what returns a `Result` needs a `?`"
)]
pub trait Body<'env>: Node {
    /// Adds itself and returns its ports.
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports;
}

/// A node or composite with one input and one output, for signatures: `impl Stage<f32, f32>`.
pub trait Stage<T, U>: Node<Ports: Ports<Ins = (InPort<T>,), Outs = (OutPort<U>,)>> + for<'env> Body<'env> {}
impl<T, U, N> Stage<T, U> for N where
    N: Node<Ports: Ports<Ins = (InPort<T>,), Outs = (OutPort<U>,)>> + for<'env> Body<'env>
{
}

/// A node or composite with one output and no input, for signatures: `impl Supply<Frame>`.
pub trait Supply<U>: Node<Ports: Ports<Ins = (), Outs = (OutPort<U>,)>> + for<'env> Body<'env> {}
impl<U, N> Supply<U> for N where N: Node<Ports: Ports<Ins = (), Outs = (OutPort<U>,)>> + for<'env> Body<'env> {}

/// A node or composite with one input and no output, for signatures: `impl Drain<Frame>`.
pub trait Drain<T>: Node<Ports: Ports<Ins = (InPort<T>,), Outs = ()>> + for<'env> Body<'env> {}
impl<T, N> Drain<T> for N where N: Node<Ports: Ports<Ins = (InPort<T>,), Outs = ()>> + for<'env> Body<'env> {}

/// A borrowed node fires as itself, so that it can be looked at afterwards.
impl<F: Firing> Firing for &mut F {
    type In = F::In;
    type Out = F::Out;
    const FINISHES: bool = F::FINISHES;
    const PARTIAL_FAILS: bool = F::PARTIAL_FAILS;

    fn fire(&mut self, items: <Self::In as Inputs>::Items) -> Fired<<Self::Out as Outputs>::Items> {
        (**self).fire(items)
    }

    fn finish(&mut self) -> Fired<<Self::Out as Outputs>::Items> {
        (**self).finish()
    }
}
