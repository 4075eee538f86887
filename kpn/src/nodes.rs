//! Ready-made nodes: `source`, `map`, `filter_map`, `sink`, `gather`.

use std::marker::PhantomData;

use crate::builder::Builder;
use crate::node::{Body, Fired, Firing, InPort, Maybe, Node, NodeInfo, One, OutPort, Ports, Token};

/// Ports of a node that has one output.
#[derive(Debug)]
pub struct SourcePorts<U> {
    /// The output.
    pub out: OutPort<U>,
}

/// Ports of a node that has one input and one output.
#[derive(Debug)]
pub struct StagePorts<T, U> {
    /// The input.
    pub input: InPort<T>,
    /// The output.
    pub out: OutPort<U>,
}

/// Ports of a node that has one input.
#[derive(Debug)]
pub struct SinkPorts<T> {
    /// The input.
    pub input: InPort<T>,
}

/// Ports of [`gather`].
#[derive(Debug)]
pub struct GatherPorts<T, const N: usize> {
    /// The inputs.
    pub inputs: [InPort<T>; N],
    /// The output.
    pub out: OutPort<[T; N]>,
}

impl<U> Ports for SourcePorts<U> {
    type Ins = ();
    type Outs = (OutPort<U>,);
    fn ins(&self) {}
    fn outs(&self) -> Self::Outs {
        (self.out.again(),)
    }
}

impl<T, U> Ports for StagePorts<T, U> {
    type Ins = (InPort<T>,);
    type Outs = (OutPort<U>,);
    fn ins(&self) -> Self::Ins {
        (self.input.again(),)
    }
    fn outs(&self) -> Self::Outs {
        (self.out.again(),)
    }
}

impl<T> Ports for SinkPorts<T> {
    type Ins = (InPort<T>,);
    type Outs = ();
    fn ins(&self) -> Self::Ins {
        (self.input.again(),)
    }
    fn outs(&self) {}
}

impl<T, const N: usize> Ports for GatherPorts<T, N> {
    type Ins = [InPort<T>; N];
    type Outs = (OutPort<[T; N]>,);
    fn ins(&self) -> Self::Ins {
        std::array::from_fn(|i| self.inputs[i].again())
    }
    fn outs(&self) -> Self::Outs {
        (self.out.again(),)
    }
}

/// A node that sends what an iterator yields; made by [`source`].
#[derive(Debug)]
pub struct Source<I>(I);

/// Sends what an iterator yields, and ends with it.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut seen = Vec::new();
/// network! { source(1..=3) -> sink(|x: i32| seen.push(x)) }?.run()?;
/// assert_eq!(seen, [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn source<I: IntoIterator>(tokens: I) -> Source<I::IntoIter> {
    Source(tokens.into_iter())
}

impl<I: Iterator<Item: Token> + Send> Firing for Source<I> {
    type In = ();
    type Out = (One<I::Item>,);

    #[inline]
    fn fire(&mut self, (): ()) -> Fired<(I::Item,)> {
        self.0.next().map_or(Fired::End, |token| Fired::Emit((token,)))
    }
}

impl<I: Iterator<Item: Token> + Send> Node for Source<I> {
    type Ports = SourcePorts<I::Item>;
}

impl<'env, I: Iterator<Item: Token> + Send + 'env> Body<'env> for Source<I> {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "source", inputs: &[], outputs: &["out"] };
        let ((), (out,)) = builder.firing(info, self);
        SourcePorts { out }
    }
}

/// What a sink's closure may return: nothing, or a `Result` whose error stops the network.
#[diagnostic::on_unimplemented(
    message = "a sink's closure returns nothing or a `Result<(), E>`, not `{Self}`",
    label = "ends in a closure that returns `{Self}`",
    note = "put a semicolon after its last expression"
)]
pub trait Outcome {
    #[doc(hidden)]
    fn outcome(self) -> Fired<()>;
}

impl Outcome for () {
    #[inline]
    fn outcome(self) -> Fired<()> {
        Fired::Emit(())
    }
}

impl<E: Into<crate::node::Failure>> Outcome for Result<(), E> {
    #[inline]
    fn outcome(self) -> Fired<()> {
        self.map_or_else(|error| Fired::Failed(error.into()), Fired::Emit)
    }
}

/// A node that ends a stream in a closure; made by [`sink`].
pub struct Sink<T, F> {
    take: F,
    token: PhantomData<fn(T)>,
}

/// Hands every token to a closure, which may return a `Result`; an `Err` stops the network.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut total = 0;
/// network! { source(0..10) -> sink(|x: i32| total += x) }?.run()?;
/// assert_eq!(total, 45);
///
/// let small = |x: i32| if x < 3 { Ok(()) } else { Err(format!("{x} is too large")) };
/// let error = network! { source(0..10) -> sink(small) }?.run().unwrap_err();
/// assert!(error.to_string().contains("3 is too large"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sink<T, R: Outcome, F: FnMut(T) -> R>(take: F) -> Sink<T, F> {
    Sink { take, token: PhantomData }
}

impl<T: Token, R: Outcome, F: FnMut(T) -> R + Send> Firing for Sink<T, F> {
    type In = (One<T>,);
    type Out = ();

    #[inline]
    fn fire(&mut self, (token,): (T,)) -> Fired<()> {
        (self.take)(token).outcome()
    }
}

impl<T: Token, R: Outcome, F: FnMut(T) -> R + Send> Node for Sink<T, F> {
    type Ports = SinkPorts<T>;
}

impl<'env, T: Token, R: Outcome, F: FnMut(T) -> R + Send + 'env> Body<'env> for Sink<T, F> {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "sink", inputs: &["input"], outputs: &[] };
        let ((input,), ()) = builder.firing(info, self);
        SinkPorts { input }
    }
}

/// A node that applies a closure; made by [`map`] or [`filter_map`].
pub struct Map<T, F, R> {
    apply: F,
    name: &'static str,
    token: PhantomData<fn(T) -> R>,
}

/// Applies a closure to every token.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut seen = Vec::new();
/// network! { source(["a", "bc"]) -> map(|s: &str| s.len()) -> sink(|n| seen.push(n)) }?.run()?;
/// assert_eq!(seen, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map<T, U: Token, F: FnMut(T) -> U>(apply: F) -> Map<T, F, One<U>> {
    Map { apply, name: "map", token: PhantomData }
}

/// Applies a closure to every token and sends on what is `Some`.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut seen = Vec::new();
/// network! { source(["1", "x", "3"]) -> filter_map(|s: &str| s.parse::<u8>().ok()) -> sink(|n| seen.push(n)) }?.run()?;
/// assert_eq!(seen, [1, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn filter_map<T, U: Token, F: FnMut(T) -> Option<U>>(apply: F) -> Map<T, F, Maybe<U>> {
    Map { apply, name: "filter_map", token: PhantomData }
}

impl<T: Token, I, R, F> Firing for Map<T, F, R>
where
    F: FnMut(T) -> I + Send,
    R: crate::node::rate::OutRate<Item = I>,
{
    type In = (One<T>,);
    type Out = (R,);

    #[inline]
    fn fire(&mut self, (token,): (T,)) -> Fired<(I,)> {
        Fired::Emit(((self.apply)(token),))
    }
}

impl<T: Token, I, R, F> Node for Map<T, F, R>
where
    F: FnMut(T) -> I + Send,
    R: crate::node::rate::OutRate<Item = I>,
{
    type Ports = StagePorts<T, R::Token>;
}

impl<'env, T: Token, I, R, F> Body<'env> for Map<T, F, R>
where
    F: FnMut(T) -> I + Send + 'env,
    R: crate::node::rate::OutRate<Item = I>,
{
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: self.name, inputs: &["input"], outputs: &["out"] };
        let ((input,), (out,)) = builder.firing(info, self);
        StagePorts { input, out }
    }
}

/// A node that joins `N` inputs into arrays; made by [`gather`].
#[derive(Debug)]
pub struct Gather<T, const N: usize>(PhantomData<fn(T)>);

/// Takes one token of each input and sends them on as an array. Type and width come from the arrow.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut sums = Vec::new();
/// let net = network! {
///     source(0..3u32) -> [ map(|x| x + 1); 4 ] -> gather() -> sink(|all: [u32; 4]| sums.push(all.iter().sum::<u32>()))
/// }?;
/// net.run()?;
/// assert_eq!(sums, [4, 8, 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gather<T, const N: usize>() -> Gather<T, N> {
    const { assert!(N > 0, "`gather()` joins at least one output") };
    Gather(PhantomData)
}

impl<T: Token, const N: usize> Firing for Gather<T, N> {
    type In = [One<T>; N];
    type Out = (One<[T; N]>,);

    fn fire(&mut self, tokens: [T; N]) -> Fired<([T; N],)> {
        Fired::Emit((tokens,))
    }
}

impl<T: Token, const N: usize> Node for Gather<T, N> {
    type Ports = GatherPorts<T, N>;
}

impl<'env, T: Token, const N: usize> Body<'env> for Gather<T, N> {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "gather", inputs: &[], outputs: &["out"] };
        let (inputs, (out,)) = builder.firing(info, self);
        GatherPorts { inputs, out }
    }
}

macro_rules! opaque_debug {
    ($($node:ident<$($p:ident),*>)*) => {$(
        impl<$($p),*> std::fmt::Debug for $node<$($p),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($node))
            }
        }
    )*};
}
opaque_debug! { Sink<T, F> Map<T, F, R> }
