//! Free functions for generated code: they keep a user's error at the user's token.

pub use crate::builder::{
    Arrow, Builder, Composite, Copier, Copies, FedBy, InEnd, Junction, OnePair, OutEnd, Single, SplitInto, SpreadOver,
    Wire,
};
pub use crate::error::BuildError;
pub use crate::history::Probed;
pub use crate::node::rate::{InRate, OutRate};
pub use crate::node::{
    Any, Batch, Body, Counted, Cyclic, Exactly, Failure, Fired, Firing, InPort, Inputs, Many, Maybe, Node, NodeInfo,
    One, OutPort, Outputs, Phases, Ports, Pure, Token, Window,
};
pub use crate::process::{Closed, In, InEnds, Input, Out, OutEnds, Outcome, Output};

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
    label = "can't be kept as an error",
    note = "a failure is a `String`, or implements `std::error::Error` and is `Send`, `Sync` and `'static`"
)]
pub trait Fails: Into<Failure> {}

#[diagnostic::do_not_recommend]
impl<E: Into<Failure>> Fails for E {}

/// A node's error as the network keeps it.
pub fn failure<E: Fails>(error: E) -> Failure {
    error.into()
}

/// The result of a process, which may be [`Closed`].
pub fn ended<E: Fails>(result: Result<(), E>) -> Result<(), Failure> {
    result.map_err(failure)
}

/// Any number of tokens, from what had fewer choices.
#[inline]
pub fn many<T>(tokens: impl IntoIterator<Item = T>) -> Many<T> {
    tokens.into_iter().collect()
}

/// Adds a node.
pub fn add<'env, B: Body<'env>>(builder: &mut Builder<'env>, node: B) -> B::Ports {
    builder.add(node)
}

/// Adds a declared node, which has its name unless it was given another one.
pub fn add_named<'env, B: Body<'env>>(builder: &mut Builder<'env>, node: B, name: &'static str) -> B::Ports {
    builder.add_named(node, name)
}

/// What finds out whether a node can be shared between workers, at a place that knows its type.
pub mod sharing {
    use std::marker::PhantomData;

    use super::{Builder, Firing, Inputs, NodeInfo, Outputs, Pure};

    /// Asks of a node's type.
    pub struct Shareable<F>(PhantomData<fn() -> F>);

    impl<F> Shareable<F> {
        /// Asks.
        #[allow(clippy::new_without_default)]
        pub fn new() -> Self {
            Self(PhantomData)
        }
    }

    /// It can be.
    pub struct Together;

    /// It can't be.
    pub struct OneByOne;

    /// Chosen where the bound holds.
    pub trait Shares {
        /// It can be.
        fn choose(&self) -> Together;
    }

    impl<F: Pure> Shares for Shareable<F> {
        fn choose(&self) -> Together {
            Together
        }
    }

    /// Chosen else, since it takes one reference more.
    pub trait Keeps {
        /// It can't be.
        fn choose(&self) -> OneByOne;
    }

    impl<F> Keeps for &Shareable<F> {
        fn choose(&self) -> OneByOne {
            OneByOne
        }
    }

    type Ends<F> = (<<F as Firing>::In as Inputs>::Ports, <<F as Firing>::Out as Outputs>::Ports);

    impl Together {
        /// Adds the node.
        pub fn add<'env, F: Pure + 'env>(self, builder: &mut Builder<'env>, info: NodeInfo, node: F) -> Ends<F> {
            builder.pure(info, node)
        }
    }

    impl OneByOne {
        /// Adds the node.
        pub fn add<'env, F: Firing + 'env>(self, builder: &mut Builder<'env>, info: NodeInfo, node: F) -> Ends<F> {
            builder.firing(info, node)
        }
    }
}

/// What finds out whether tokens can be hashed or shown, at a place that knows their type.
pub mod probing {
    pub use crate::history::{ByDebug, ByHash, Otherwise};
}

/// The type of an input's tokens.
pub fn probed_in<T>(_: &InPort<T>) -> Probed<T> {
    Probed::new()
}

/// The type of an output's tokens.
pub fn probed_out<T>(_: &OutPort<T>) -> Probed<T> {
    Probed::new()
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

/// The one output of a block's member.
pub fn single<O: Single>(outs: O) -> OutPort<O::Token> {
    outs.single()
}

/// An open port.
pub fn open<T: Token>(builder: &mut Builder<'_>, name: &'static str) -> Junction<T> {
    builder.open(name)
}

/// An `in` port as seen from inside: the start of an arrow.
pub fn enter<T>(open: &Junction<T>) -> (OutPort<T>,) {
    (open.output.again(),)
}

/// An `out` port as seen from inside: the end of an arrow.
pub fn leave<T>(open: &Junction<T>) -> (InPort<T>,) {
    (open.input.again(),)
}

/// A network with open ports.
///
/// # Errors
///
/// None yet; problems inside are found with those of the network around it.
pub fn composite<P: Ports>(builder: Builder<'_>, ports: P) -> Result<Composite<'_, P>, BuildError> {
    Ok(Composite::new(builder, ports))
}

/// Adds a process; `nondet` where it says that its result depends on more than its tokens.
pub fn process<'env, I, O, F, R>(
    builder: &mut Builder<'env>,
    info: NodeInfo,
    nondet: bool,
    start: F,
) -> (I::Ports, O::Ports)
where
    I: InEnds + 'env,
    O: OutEnds + 'env,
    F: FnOnce(I, O) -> R + Send + 'env,
    R: Future<Output: Outcome> + Send + 'env,
{
    builder.any_process(info, nondet, start)
}

/// The outputs before an arrow and the inputs after it, in pairs.
pub fn pair<O, I: FedBy<O>>(outs: O, ins: I) -> I::Pairs {
    ins.pair(outs)
}

/// One arrow.
pub fn connect<'b, P: Arrow>(builder: &'b mut Builder<'_>, pairs: P) -> Wire<'b, P::Token> {
    pairs.draw(builder)
}

/// One arrow that is to have initial tokens.
pub fn connect_one<'b, P: Arrow + OnePair>(builder: &'b mut Builder<'_>, pairs: P) -> Wire<'b, P::One> {
    pairs.draw(builder)
}

/// A list of initial tokens for an arrow that carries `T`.
#[diagnostic::on_unimplemented(
    message = "this arrow carries `{T}`, but its initial tokens are `{Self}`",
    label = "expects a list of `{T}`",
    note = "write the tokens in brackets, the first to be read first: `-[initial: [x, y]]->`"
)]
pub trait Tokens<T> {
    /// All of them.
    fn tokens(self) -> impl Iterator<Item = T>;
}

#[diagnostic::do_not_recommend]
impl<T, I: IntoIterator<Item = T>> Tokens<T> for I {
    fn tokens(self) -> impl Iterator<Item = T> {
        self.into_iter()
    }
}

/// The option `initial` of an arrow.
pub fn initial<T: Token>(wire: Wire<'_, T>, tokens: impl Tokens<T>) -> Wire<'_, T> {
    wire.initial(tokens.tokens())
}

/// The same, underlined as another place.
pub fn same<O>(outs: O) -> O {
    outs
}

/// Outputs before a block `{ a, b, .. }` of `N` members.
pub fn split<const N: usize, O: SplitInto<N>>(builder: &mut Builder<'_>, _members: [(); N], outs: O) -> O::Parts
where
    Copier: Copies<O::Copied>,
{
    if let Some(port) = outs.copied() {
        Copier::copies(builder, port);
    }
    outs.split()
}

/// Outputs before a block `[ node; N ]`, whose members' inputs are `heads`.
pub fn spread<const N: usize, I, O: SpreadOver<N>>(
    builder: &mut Builder<'_>,
    _heads: &[I; N],
    outs: O,
) -> [(OutPort<O::Token>,); N]
where
    Copier: Copies<O::Copied>,
{
    if let Some(port) = outs.copied() {
        Copier::copies(builder, port);
    }
    outs.spread()
}

/// The inputs and outputs of `[ node; N ]` while its nodes are being made.
pub struct Row<I, O, const N: usize> {
    heads: Vec<I>,
    tails: Vec<O>,
}

impl<I, O, const N: usize> Row<I, O, N> {
    /// No node yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { heads: Vec::with_capacity(N), tails: Vec::with_capacity(N) }
    }

    /// Whether a node is still missing.
    pub fn is_open(&self) -> bool {
        self.heads.len() < N
    }

    /// One node more.
    pub fn push(&mut self, head: I, tail: O) {
        self.heads.push(head);
        self.tails.push(tail);
    }

    /// All of them.
    ///
    /// # Panics
    ///
    /// Where the row is still open.
    pub fn close(self) -> ([I; N], [O; N]) {
        match (self.heads.try_into(), self.tails.try_into()) {
            (Ok(heads), Ok(tails)) => (heads, tails),
            _ => panic!("a row of {N} nodes is closed before they are made"),
        }
    }
}
