//! A process's outputs.

use std::fmt;
use std::future::Future;
use std::iter::Fuse;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::Closed;
use super::desk::{self, Desk, Port, Side};
use crate::channel::Fan;
use crate::node::Token;

/// The writing end of an output, inside a process. It waits where one of its readers' edges is full, and swallows what nobody
/// reads any more.
#[must_use = "a process that lets an output go ends that stream"]
pub struct Out<T> {
    pub(super) tx: Fan<T>,
    pub(super) process: u64,
    pub(super) port: Port,
    /// The number of its first reader's edge among all of the process's.
    pub(super) first: u32,
}

impl<T> Drop for Out<T> {
    fn drop(&mut self) {
        desk::at(self.process, |desk| desk.let_go.extend(self.tx.links().map(|link| (Side::Output, link.clone()))));
    }
}

impl<T> fmt::Debug for Out<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Out").field(&self.port.name).finish()
    }
}

impl<T: Token> Out<T> {
    pub(super) fn new(tx: Fan<T>, process: u64, port: Port, first: usize) -> Self {
        Self { tx, process, port, first: first as u32 }
    }

    /// Sends a token to every reader.
    ///
    /// # Errors
    ///
    /// None in practice, see [`Closed`].
    pub fn send(&mut self, token: T) -> Send<'_, T> {
        Send { out: self, token: Some(token), waits: false }
    }

    /// Sends all tokens of an iterator, in as few steps as there is room for.
    ///
    /// # Errors
    ///
    /// As [`Out::send`].
    pub fn send_many<I: IntoIterator<Item = T>>(&mut self, tokens: I) -> SendMany<'_, T, I::IntoIter> {
        SendMany { out: self, tokens: tokens.into_iter().fuse(), next: None, waits: false }
    }

    /// How many tokens have room, up to `want`, which is not 0.
    #[inline]
    fn ready(&mut self, want: usize, desk: &mut Desk) -> Poll<usize> {
        let room = self.tx.room(want).min(want);
        if room > 0 {
            return Poll::Ready(room);
        }
        match self.tx.full(1) {
            Some((reader, target)) => {
                desk.wait(self.port, self.first + reader as u32, target);
                Poll::Pending
            }
            None => Poll::Ready(1),
        }
    }

    #[inline]
    fn publish(&mut self, desk: &mut Desk, tokens: usize) {
        self.tx.publish();
        desk.count(tokens);
        self.tx.links().for_each(|link| desk.gave(link));
    }

    fn step<R>(&mut self, cx: &Context<'_>, f: impl FnOnce(&mut Self, &mut Desk) -> Poll<R>) -> Poll<R> {
        desk::step(self.process, self.port, cx, |desk| f(self, desk)).unwrap_or(Poll::Pending)
    }
}

/// The future of [`Out::send`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Send<'a, T: Token> {
    out: &'a mut Out<T>,
    token: Option<T>,
    waits: bool,
}

impl<T: Token> Unpin for Send<'_, T> {}

impl<T: Token> Future for Send<'_, T> {
    type Output = Result<(), Closed>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let polled = self.out.step(cx, |out, desk| out.ready(1, desk).map(|_| ()));
        self.waits = polled.is_pending();
        if polled.is_pending() {
            return Poll::Pending;
        }
        if let Some(token) = self.token.take() {
            // A fan-out clones, which is user code: not at the desk.
            self.out.tx.push(token);
            let _ = self.out.step(cx, |out, desk| {
                out.publish(desk, 1);
                Poll::Ready(())
            });
        }
        Poll::Ready(Ok(()))
    }
}

/// The future of [`Out::send_many`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendMany<'a, T: Token, I: Iterator<Item = T>> {
    out: &'a mut Out<T>,
    tokens: Fuse<I>,
    /// Waits for room. An edge that is full is no reason to wait where no token follows.
    next: Option<T>,
    waits: bool,
}

impl<T: Token, I: Iterator<Item = T>> Unpin for SendMany<'_, T, I> {}

impl<T: Token, I: Iterator<Item = T>> Future for SendMany<'_, T, I> {
    type Output = Result<(), Closed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        loop {
            let Some(token) = self.next.take().or_else(|| self.tokens.next()) else { return Poll::Ready(Ok(())) };
            let polled = self.out.step(cx, |out, desk| out.ready(if desk.careful { 1 } else { desk.left }, desk));
            self.waits = polled.is_pending();
            let Poll::Ready(room) = polled else {
                self.next = Some(token);
                return Poll::Pending;
            };
            self.out.tx.push(token);
            let mut sent = 1;
            while sent < room {
                let Some(token) = self.tokens.next() else { break };
                self.out.tx.push(token);
                sent += 1;
            }
            let _ = self.out.step(cx, |out, desk| {
                out.publish(desk, sent);
                Poll::Ready(())
            });
        }
    }
}

impl<T: Token> Drop for Send<'_, T> {
    fn drop(&mut self) {
        if self.waits {
            desk::abandon(self.out.process, self.out.port);
        }
    }
}

impl<T: Token, I: Iterator<Item = T>> Drop for SendMany<'_, T, I> {
    fn drop(&mut self) {
        if self.waits {
            desk::abandon(self.out.process, self.out.port);
        }
    }
}

impl<T: Token> fmt::Debug for Send<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Send").field("waits", &self.waits).finish_non_exhaustive()
    }
}

impl<T: Token, I: Iterator<Item = T>> fmt::Debug for SendMany<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendMany").field("waits", &self.waits).finish_non_exhaustive()
    }
}
