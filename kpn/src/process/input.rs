//! A process's inputs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::desk::{self, Desk, Port, Side};
use crate::channel::{Consumer, Input};
use crate::node::Token;

/// The reading end of an edge, inside a process. There is one for each edge, it can't be cloned, and every operation waits for
/// its token: nothing tells whether one is there.
#[must_use = "a process that lets an input go ends that edge"]
pub struct In<T> {
    pub(super) rx: Consumer<T>,
    pub(super) process: u64,
    pub(super) port: Port,
    pub(super) ended: bool,
}

impl<T> Drop for In<T> {
    fn drop(&mut self) {
        desk::at(self.process, |desk| desk.let_go.push((Side::Input, self.rx.link().clone())));
    }
}

impl<T> fmt::Debug for In<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("In").field(&self.port.name).finish()
    }
}

impl<T: Token> In<T> {
    pub(super) fn new(rx: Consumer<T>, process: u64, port: Port) -> Self {
        Self { rx, process, port, ended: false }
    }

    /// The next token; `None` once its writer has ended and all tokens are taken.
    pub fn recv(&mut self) -> Recv<'_, T> {
        Recv { input: self, waits: false }
    }

    /// The next token, which stays where it is; `None` as for [`In::recv`]. A process that holds two of these at once
    /// needs tokens that are `Sync`.
    pub fn peek(&mut self) -> Peek<'_, T> {
        Peek { input: Some(self), waits: false }
    }

    /// Appends the next `count` tokens to `into` and gives their number, which is less only at the end of the stream. `count` may
    /// be larger than the edge.
    pub fn recv_many<'a>(&'a mut self, into: &'a mut Vec<T>, count: usize) -> RecvMany<'a, T> {
        RecvMany { input: self, into, count, got: 0, waits: false }
    }

    /// Whether a token is there (true), or none will come (false).
    #[inline]
    fn ready(&mut self, desk: &mut Desk) -> Poll<bool> {
        let looked = self.look();
        if looked.is_pending() {
            desk.wait(self.port, self.port.index, self.rx.target(1));
        }
        looked
    }

    /// The same, without a wait.
    #[inline]
    pub(super) fn look(&mut self) -> Poll<bool> {
        if self.ended {
            return Poll::Ready(false);
        }
        if self.rx.ready(1) > 0 {
            return Poll::Ready(true);
        }
        match self.rx.input(1) {
            Input::Ready => {
                self.rx.ready(1);
                Poll::Ready(true)
            }
            Input::End => {
                self.ended = true;
                Poll::Ready(false)
            }
            Input::Unmet => Poll::Pending,
        }
    }

    /// The token that is there.
    #[inline]
    pub(super) fn take(&mut self, desk: &mut Desk) -> T {
        let token = self.rx.take();
        self.rx.publish();
        desk.took(1, self.rx.link());
        token
    }

    /// Its edge's number, and the tail that it waits for.
    pub(super) fn need(&self) -> (usize, usize) {
        (self.port.index as usize, self.rx.target(1))
    }

    fn step<R>(&mut self, cx: &Context<'_>, f: impl FnOnce(&mut Self, &mut Desk) -> Poll<R>) -> Poll<R> {
        desk::step(self.process, self.port, cx, |desk| f(self, desk)).unwrap_or(Poll::Pending)
    }
}

/// The future of [`In::recv`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Recv<'a, T: Token> {
    input: &'a mut In<T>,
    waits: bool,
}

impl<T: Token> Future for Recv<'_, T> {
    type Output = Option<T>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let polled = self.input.step(cx, |input, desk| input.ready(desk).map(|there| there.then(|| input.take(desk))));
        self.waits = polled.is_pending();
        polled
    }
}

/// The future of [`In::peek`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Peek<'a, T: Token> {
    input: Option<&'a mut In<T>>,
    waits: bool,
}

impl<'a, T: Token> Future for Peek<'a, T> {
    type Output = Option<&'a T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<&'a T>> {
        let Some(input) = self.input.take() else { panic!("a `peek` was polled after it had given its token") };
        let polled = input.step(cx, |input, desk| {
            let ready = input.ready(desk);
            if ready.is_ready() {
                desk.count(0);
            }
            ready
        });
        self.waits = polled.is_pending();
        match polled {
            Poll::Ready(there) => Poll::Ready(there.then(|| input.rx.peek())),
            Poll::Pending => {
                self.input = Some(input);
                Poll::Pending
            }
        }
    }
}

/// The future of [`In::recv_many`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvMany<'a, T: Token> {
    input: &'a mut In<T>,
    into: &'a mut Vec<T>,
    count: usize,
    got: usize,
    waits: bool,
}

impl<T: Token> Future for RecvMany<'_, T> {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<usize> {
        let Self { input, into, count, got, waits } = &mut *self;
        while got < count {
            let polled = input.step(cx, |input, desk| {
                let ready = input.ready(desk);
                if ready != Poll::Ready(true) {
                    return ready.map(|_| 0);
                }
                let want = (*count - *got).min(desk.left);
                let ready = input.rx.ready(want).min(want);
                input.rx.take_many(ready, into);
                input.rx.publish();
                desk.took(ready, input.rx.link());
                Poll::Ready(ready)
            });
            *waits = polled.is_pending();
            match polled {
                Poll::Ready(0) => break,
                Poll::Ready(more) => *got += more,
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(*got)
    }
}

macro_rules! abandoned {
    ($($future:ident |$this:ident| $input:expr;)*) => {$(
        impl<T: Token> Drop for $future<'_, T> {
            fn drop(&mut self) {
                let $this = self;
                if $this.waits {
                    let input: Option<&In<T>> = $input;
                    input.into_iter().for_each(|input| desk::abandon(input.process, input.port));
                }
            }
        }

        impl<T: Token> fmt::Debug for $future<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($future)).field("waits", &self.waits).finish_non_exhaustive()
            }
        }
    )*};
}
abandoned! {
    Recv |this| Some(&*this.input);
    Peek |this| this.input.as_deref();
    RecvMany |this| Some(&*this.input);
}
