//! Whichever of several inputs has a token: the one operation that looks whether one is there. `kpn::nondet` hands it out.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::In;
use super::desk::{self, Desk, Port};
use crate::node::Token;

/// A token of one of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Either<A, B> {
    /// The first one's.
    First(A),
    /// The second one's.
    Second(B),
}

/// What a select saw of one input.
enum Seen<R> {
    Token(R),
    Ended,
    Waits,
}

/// Looks at `count` inputs in turn, another one first each time, and waits where none has a token and some may get one.
fn choose<R>(
    desk: &mut Desk,
    port: Port,
    count: usize,
    mut look: impl FnMut(&mut Desk, usize) -> Seen<R>,
) -> Poll<Option<R>> {
    desk.several.clear();
    let first = desk.kept.selects as usize % count.max(1);
    for i in (first..count).chain(0..first) {
        if let Seen::Token(token) = look(desk, i) {
            desk.kept.selects = desk.kept.selects.wrapping_add(1);
            return Poll::Ready(Some(token));
        }
    }
    if desk.several.is_empty() {
        return Poll::Ready(None);
    }
    desk.wait_for_one(port);
    Poll::Pending
}

impl<R> Seen<R> {
    fn map<S>(self, f: impl FnOnce(R) -> S) -> Seen<S> {
        match self {
            Self::Token(token) => Seen::Token(f(token)),
            Self::Ended => Seen::Ended,
            Self::Waits => Seen::Waits,
        }
    }
}

fn look<T: Token>(input: &mut In<T>, desk: &mut Desk) -> Seen<T> {
    desk.must_own(input.process, input.port);
    match input.look() {
        Poll::Ready(true) => Seen::Token(input.take(desk)),
        Poll::Ready(false) => Seen::Ended,
        Poll::Pending => {
            desk.several.push(input.need());
            Seen::Waits
        }
    }
}

/// A token of whichever input has one; `None` once both have ended.
///
/// Where both have one they take turns. For more than two inputs see [`select_among`].
///
/// ```
/// use kpn::nondet::{Either, select};
/// use kpn::prelude::*;
///
/// #[node(nondet)]
/// async fn either(a: &mut In<u32>, b: &mut In<&'static str>, out: &mut Out<String>) -> Result<(), Closed> {
///     while let Some(token) = select(a, b).await {
///         let text = match token {
///             Either::First(number) => number.to_string(),
///             Either::Second(word) => word.to_owned(),
///         };
///         out.send(text).await?;
///     }
///     Ok(())
/// }
///
/// let mut seen = Vec::new();
/// let net = network! { { source(1..3), source(["x", "y"]) } -> either() -> sink(|text| seen.push(text)) }?;
/// let report = net.run()?;
/// seen.sort();
/// assert_eq!(seen, ["1", "2", "x", "y"]);
/// assert_eq!(report.not_determinate, ["either"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Outside of a process that is marked `#[node(nondet)]`. When it is awaited, where the inputs are another process's.
pub fn select<'a, A: Token, B: Token>(a: &'a mut In<A>, b: &'a mut In<B>) -> Select<'a, A, B> {
    desk::must_be_nondet("select");
    Select { a, b, waits: false }
}

/// The same for any number of inputs of one type: the input's number and its token.
///
/// ```
/// use kpn::nondet::select_among;
/// use kpn::node::NodeInfo;
/// use kpn::prelude::*;
///
/// let info = NodeInfo { name: "count", inputs: &["a", "b", "c"], outputs: &[] };
/// let mut counts = [0; 3];
/// let mut b = Builder::new();
/// let (inputs, ()) = b.nondet_process(info, |mut inputs: [In<u32>; 3], ()| async {
///     let mut inputs = inputs;
///     while let Some((i, _)) = select_among(&mut inputs).await {
///         counts[i] += 1;
///     }
/// });
/// for (input, tokens) in inputs.into_iter().zip([5, 0, 7]) {
///     let numbers = b.add(source(0..tokens));
///     b.connect(numbers.out, input);
/// }
/// b.build()?.run()?;
/// assert_eq!(counts, [5, 0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// As [`select`].
pub fn select_among<T: Token>(inputs: &mut [In<T>]) -> SelectAmong<'_, T> {
    desk::must_be_nondet("select_among");
    SelectAmong { inputs, waits: false }
}

/// The future of [`select`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Select<'a, A: Token, B: Token> {
    a: &'a mut In<A>,
    b: &'a mut In<B>,
    waits: bool,
}

impl<A: Token, B: Token> Future for Select<'_, A, B> {
    type Output = Option<Either<A, B>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { a, b, waits } = &mut *self;
        let polled = step(a.process, a.port, cx, |desk| {
            choose(desk, a.port, 2, |desk, i| match i {
                0 => look(a, desk).map(Either::First),
                _ => look(b, desk).map(Either::Second),
            })
        });
        *waits = polled.is_pending();
        polled
    }
}

/// The future of [`select_among`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SelectAmong<'a, T: Token> {
    inputs: &'a mut [In<T>],
    waits: bool,
}

impl<T: Token> Future for SelectAmong<'_, T> {
    type Output = Option<(usize, T)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { inputs, waits } = &mut *self;
        let Some((process, port)) = inputs.first().map(|first| (first.process, first.port)) else {
            return Poll::Ready(None);
        };
        let polled = step(process, port, cx, |desk| {
            choose(desk, port, inputs.len(), |desk, i| look(&mut inputs[i], desk).map(|token| (i, token)))
        });
        *waits = polled.is_pending();
        polled
    }
}

fn step<R>(process: u64, port: Port, cx: &Context<'_>, f: impl FnOnce(&mut Desk) -> Poll<R>) -> Poll<R> {
    let looks = |desk: &mut Desk| {
        desk.looks();
        f(desk)
    };
    desk::step(process, port, cx, looks).unwrap_or(Poll::Pending)
}

impl<A: Token, B: Token> Drop for Select<'_, A, B> {
    fn drop(&mut self) {
        if self.waits {
            desk::abandon(self.a.process, self.a.port);
        }
    }
}

impl<T: Token> Drop for SelectAmong<'_, T> {
    fn drop(&mut self) {
        if let Some(first) = self.inputs.first().filter(|_| self.waits) {
            desk::abandon(first.process, first.port);
        }
    }
}

impl<A: Token, B: Token> fmt::Debug for Select<'_, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Select").field("a", &self.a).field("b", &self.b).finish_non_exhaustive()
    }
}

impl<T: Token> fmt::Debug for SelectAmong<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectAmong").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
