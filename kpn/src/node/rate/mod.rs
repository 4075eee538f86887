//! Rates: how many tokens a port takes or gives a firing, as types.
//!
//! The macro chooses the marker from the type as written; there is no blanket impl, so an alias or a
//! newtype is always one token. [`Inputs`] and [`Outputs`] are tuples of rates. The engine asks them for firings; what
//! a firing needs, in this phase or that, they know alone.

mod array;
mod edge;
mod input;
mod output;
mod phases;
mod tuples;

use std::marker::PhantomData;

pub(crate) use edge::{MakeEdge, Opaque, OpaqueFan, carries, close_fan, make_edge, open, open_fan};
pub use input::InRate;
pub use output::OutRate;
pub use phases::Phases;

use super::fault::Miscount;
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

/// `N` tokens a firing, as an array: 1 to 65,536, and at most 256 KiB of them, since an array lies on the stack.
/// [`Cyclic`] and [`Counted`] with a single phase are the same rate without that limit.
///
/// No rate is 0, which the compiler says at once:
///
/// ```compile_fail,E0080
/// use kpn::node::{Exactly, Fired, Firing, One};
///
/// struct Never;
/// impl Firing for Never {
///     type In = (Exactly<u8, 0>,);
///     type Out = ();
///     fn fire(&mut self, _: ([u8; 0],)) -> Fired<()> {
///         Fired::Emit(())
///     }
/// }
/// let info = kpn::node::NodeInfo { name: "never", inputs: &["a"], outputs: &[] };
/// let _ = kpn::Builder::new().firing(info, Never);
/// ```
#[derive(Debug)]
pub struct Exactly<T, const N: usize>(PhantomData<fn() -> T>);

/// A sliding window: an input's firing sees `PEEK` tokens as an array and takes the first `CONSUME` of them; the others
/// are seen again, as clones. The limits are those of [`Exactly`].
///
/// The first firing needs `PEEK` tokens, each further one `CONSUME` more. Tokens that were seen and stay in the window
/// are no leftovers at the end of the stream.
#[derive(Debug)]
pub struct Window<T, const PEEK: usize, const CONSUME: usize>(PhantomData<fn() -> T>);

/// An input that takes as many tokens a firing as `P` says for its phase, as a [`Batch`](super::Batch).
///
/// A firing whose phase has no token waits for none, so it comes even after the stream's end.
#[derive(Debug)]
pub struct Cyclic<T, P>(PhantomData<fn() -> (T, P)>);

/// An output that gives as many tokens a firing as `P` says for its phase, as a [`Many`](super::Many).
///
/// Another number of tokens is the node's failure, a [`WrongCount`](super::WrongCount); none of the firing's tokens is
/// sent then.
#[derive(Debug)]
pub struct Counted<T, P>(PhantomData<fn() -> (T, P)>);

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

impl Rate {
    /// Tokens that the first firing needs.
    pub(crate) fn first(self) -> usize {
        match self {
            Self::Phases(rates) => rates.first().copied().unwrap_or_default(),
            Self::Window { peek, .. } => peek,
            Self::Dynamic => 1,
        }
    }
}

/// The most tokens that a firing takes or gives as an array.
const MOST: usize = 1 << 16;
/// The most bytes of such an array, which is moved from frame to frame on a thread's stack.
const MOST_BYTES: usize = 1 << 18;

/// A rate of arrays of `T`, which is sound.
const fn checked<T>(n: usize) -> usize {
    assert!(n > 0, "a port takes or gives at least one token a firing: leave out a port without tokens");
    assert!(n <= MOST, "an array of more than 65,536 tokens a firing: give it a single phase in place of an array");
    assert!(
        n * size_of::<T>() <= MOST_BYTES,
        "an array of more than 256 KiB a firing would overflow a stack: give it a single phase in place of an array"
    );
    n
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

/// Whether an input's stream ended within a firing.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// No input's did.
    None,
    /// This one's did.
    Some(Miscount),
    /// It is not known yet: input `.0` waits for the tail `.1`.
    Waits(usize, usize),
}

/// The inputs of a node: `()`, a tuple of [`One`], [`Exactly`], [`Window`] and [`Cyclic`], or `[One<T>; N]`. Sealed: the
/// engine's own.
pub trait Inputs: sealed::Sealed + 'static {
    /// What one firing takes.
    type Items: Send;
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
    /// All inputs are tested for their end before one that is unmet is reported. Of several that is one from outside of the
    /// node's own cycles, where there is one: the end of that one would end the node. `inner` has a bit for each input that
    /// is on a cycle.
    #[doc(hidden)]
    fn unmet(rx: &mut Self::Rx, inner: u16) -> Unmet;
    /// Once an input has ended: whether one has left tokens for less than a firing. That an input has not is certain
    /// only once it holds a firing's tokens or has ended as well.
    #[doc(hidden)]
    fn leftover(rx: &mut Self::Rx) -> Leftover;
    #[doc(hidden)]
    fn take(rx: &mut Self::Rx) -> Self::Items;
    /// Drops a firing's tokens, one by one.
    #[doc(hidden)]
    fn discard(items: Self::Items);
    #[doc(hidden)]
    fn publish(rx: &mut Self::Rx);
}

/// The outputs of a node: `()`, or a tuple of [`One`], [`Maybe`], [`Any`], [`Exactly`] and [`Counted`]. Sealed: the
/// engine's own.
pub trait Outputs: sealed::Sealed + 'static {
    /// What one firing gives.
    type Items: Send;
    /// The ports, in order.
    type Ports;

    #[doc(hidden)]
    const COUNT: usize;
    /// No firing gives more tokens than it needs spaces.
    #[doc(hidden)]
    const BOUNDED: bool;
    /// The most spaces that a firing needs at an output.
    #[doc(hidden)]
    const MOST: usize;
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
    /// The first output that is not to be given as many tokens as its rate says.
    #[doc(hidden)]
    fn miscount(tx: &Self::Tx, items: &Self::Items) -> Option<Miscount>;
    /// The same for the firing of this number, counted from 0.
    #[doc(hidden)]
    fn miscount_at(firing: usize, items: &Self::Items) -> Option<Miscount>;
    #[doc(hidden)]
    fn give(tx: &mut Self::Tx, items: Self::Items);
    /// Drops a firing's tokens, one by one.
    #[doc(hidden)]
    fn discard(items: Self::Items);
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
