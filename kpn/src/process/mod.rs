//! Processes: nodes that read and write in whatever order the data asks for.
//!
//! A process is an `async fn` marked [`#[node]`](macro@crate::node); its ports are [`In`] and [`Out`]. It waits without holding
//! a worker, so ten thousand of them share two threads, and it runs on the same edges beside nodes that fire.
//!
//! There is no way to ask an input whether a token is there: every operation waits, so what a process gives depends on
//! the tokens alone (Kahn 1974). The ways round that are shut:
//!
//! - Polled outside of its process, a port's future panics.
//! - A second operation while one is pending panics: wait for both with [`join`], or choose by name with
//!   [`nondet::select`](crate::nondet::select).
//! - An operation that is dropped while it waits, as a timeout round it does, marks the network's report as not determinate.
//! - An output without a reader swallows its tokens. When all of a process's outputs have lost their readers it ends at
//!   its next port operation, so it never observes that one of several is gone.

mod body;
mod desk;
mod ends;
mod host;
mod input;
mod output;
mod select;

use std::future::Future;

pub(crate) use body::process;
pub(crate) use desk::{must_be_nondet, observes};
pub use ends::{InEnds, Input, OutEnds, Output};
pub(crate) use host::{Host, host};
pub use input::{In, Peek, Recv, RecvMany};
pub use output::{Out, Send, SendMany};
#[doc(hidden)]
pub use select::{Either, Select, SelectAmong, select, select_among};

use crate::node::{Failure, Fired};

/// Nobody reads any more. A process whose outputs have all lost their readers ends at its next port operation, so this
/// is for the signatures' sake: `out.send(x).await?`. Returned from a process it is a normal end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody reads any more")
    }
}

impl std::error::Error for Closed {}

/// Waits for `first`, then for `second`: which token comes first must not matter, so a process waits for several in sequence.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// async fn pairs(a: &mut In<u32>, b: &mut In<u32>, out: &mut Out<(u32, u32)>) -> Result<(), Closed> {
///     while let (Some(x), Some(y)) = kpn::join(a.recv(), b.recv()).await {
///         out.send((x, y)).await?;
///     }
///     Ok(())
/// }
///
/// let mut seen = Vec::new();
/// network! { { source(0..2u32), source(5..7u32) } -> pairs() -> sink(|pair| seen.push(pair)) }?.run()?;
/// assert_eq!(seen, [(0, 5), (1, 6)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn join<A: Future, B: Future>(first: A, second: B) -> (A::Output, B::Output) {
    (first.await, second.await)
}

/// What a process may return: nothing, or a `Result` whose error is the node's failure, save [`Closed`].
#[diagnostic::on_unimplemented(
    message = "a process returns nothing or a `Result<(), E>`, not `{Self}`",
    label = "returns `{Self}`",
    note = "a process sends by its `Out`s: `out.send(x).await?`"
)]
pub trait Outcome {
    #[doc(hidden)]
    fn outcome(self) -> Fired<()>;
}

impl Outcome for () {
    fn outcome(self) -> Fired<()> {
        Fired::Emit(())
    }
}

impl<E: Into<Failure>> Outcome for Result<(), E> {
    fn outcome(self) -> Fired<()> {
        match self.map_err(Into::into) {
            Ok(()) => Fired::Emit(()),
            Err(error) if error.is::<Closed>() => Fired::Emit(()),
            Err(error) => Fired::Failed(error),
        }
    }
}
