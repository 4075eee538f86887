//! The outside's ends: [`Inlet`] and [`Outlet`].

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use super::queue::{Dry, Reader, Unsent, Writer};
use super::wait::wait;
use crate::sync::{Duration, Instant};

/// Sends tokens into a network; made by [`inlet`](crate::inlet). It can't be cloned: a channel has one writer.
///
/// Dropped, it ends its stream: the network takes what was sent, and ends once all of its streams have ended.
/// A send fails, and hands its token back, once the network takes no more: after `stop` or `abort`, after its
/// end, or when nothing downstream reads any more.
pub struct Inlet<T> {
    queue: Writer<T>,
}

/// Receives what a network sends out; made by [`outlet`](crate::outlet). It can't be cloned: a channel has one
/// reader.
///
/// As an iterator it blocks for each token and stops where the stream ends. That it ended doesn't say how the
/// network fared; waiting for the network does. Dropped, it ends the network upstream of it.
pub struct Outlet<T> {
    queue: Reader<T>,
}

/// A future that sends one token; see [`Inlet::send_async`].
#[must_use = "a future does nothing until it is awaited"]
pub struct SendFuture<'a, T> {
    queue: &'a Writer<T>,
    token: Option<T>,
    waits: bool,
}

/// A future that receives one token; see [`Outlet::recv_async`].
#[must_use = "a future does nothing until it is awaited"]
pub struct RecvFuture<'a, T> {
    queue: &'a Reader<T>,
    waits: bool,
}

impl<T> Inlet<T> {
    pub(super) fn new(queue: Writer<T>) -> Self {
        Self { queue }
    }

    /// The most tokens that wait here for the network.
    pub fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    /// Sends a token; blocks while there is no room.
    ///
    /// # Errors
    ///
    /// Hands the token back where the network takes no more.
    pub fn send(&mut self, token: T) -> Result<(), SendError<T>> {
        self.send_until(token, None).map_err(|error| SendError(error.into_inner()))
    }

    /// Sends a token if there is room just now.
    ///
    /// # Errors
    ///
    /// Hands the token back where there is no room, or the network takes no more.
    pub fn try_send(&mut self, token: T) -> Result<(), TrySendError<T>> {
        let mut token = Some(token);
        match (self.queue.push(&mut token, None), token) {
            (Err(Unsent::Full), Some(token)) => Err(TrySendError::Full(token)),
            (Err(Unsent::Closed), Some(token)) => Err(TrySendError::Closed(token)),
            _ => Ok(()),
        }
    }

    /// Sends a token; blocks while there is no room, but no longer than `timeout`.
    ///
    /// # Errors
    ///
    /// Hands the token back where there was no room in time, or the network takes no more.
    pub fn send_timeout(&mut self, token: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        // A deadline beyond all time is none.
        self.send_until(token, Instant::now().checked_add(timeout))
    }

    fn send_until(&mut self, token: T, deadline: Option<Instant>) -> Result<(), SendTimeoutError<T>> {
        let mut token = Some(token);
        let mut result = self.queue.push(&mut token, None);
        if result == Err(Unsent::Full) {
            let sent = wait(deadline, |waker| match self.queue.push(&mut token, Some(waker)) {
                Err(Unsent::Full) => Poll::Pending,
                result => Poll::Ready(result),
            });
            result = sent.unwrap_or_else(|| {
                self.queue.forget();
                Err(Unsent::Full)
            });
        }
        match (result, token) {
            (Err(Unsent::Full), Some(token)) => Err(SendTimeoutError::Timeout(token)),
            (Err(Unsent::Closed), Some(token)) => Err(SendTimeoutError::Closed(token)),
            _ => Ok(()),
        }
    }

    /// Sends a token; waits for room without blocking the thread, on any async runtime.
    ///
    /// Dropped before it is ready, the future has sent nothing, and the token is dropped with it.
    ///
    /// # Errors
    ///
    /// Hands the token back where the network takes no more.
    ///
    /// # Panics
    ///
    /// Polled again after it was ready.
    pub fn send_async(&mut self, token: T) -> SendFuture<'_, T> {
        SendFuture { queue: &self.queue, token: Some(token), waits: false }
    }

    /// Waits for room without a token in hand; false where the network takes no more.
    pub(super) fn wait_for_room(&mut self) -> bool {
        let room = wait(None, |waker| match self.queue.room(Some(waker)) {
            Err(Unsent::Full) => Poll::Pending,
            result => Poll::Ready(result.is_ok()),
        });
        room.unwrap_or(false)
    }

    /// Ends the stream, as dropping the handle does. What was sent still goes into the network.
    pub fn close(&mut self) {
        self.queue.close();
    }

    /// Whether the network takes no more, or the handle was closed.
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }
}

impl<T> Outlet<T> {
    pub(super) fn new(queue: Reader<T>) -> Self {
        Self { queue }
    }

    /// The most tokens that wait here to be received.
    pub fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    /// Receives a token; blocks until there is one.
    ///
    /// # Errors
    ///
    /// Where the stream has ended.
    pub fn recv(&mut self) -> Result<T, RecvError> {
        self.recv_until(None).map_err(|_| RecvError)
    }

    /// Receives a token if there is one just now.
    ///
    /// # Errors
    ///
    /// Where there is none, or the stream has ended.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.queue.pop(None).map_err(|dry| match dry {
            Dry::Empty => TryRecvError::Empty,
            Dry::Ended => TryRecvError::Ended,
        })
    }

    /// Receives a token; blocks until there is one, but no longer than `timeout`.
    ///
    /// # Errors
    ///
    /// Where none came in time, or the stream has ended.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout))
    }

    fn recv_until(&mut self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        let mut result = self.queue.pop(None);
        if matches!(result, Err(Dry::Empty)) {
            let received = wait(deadline, |waker| match self.queue.pop(Some(waker)) {
                Err(Dry::Empty) => Poll::Pending,
                result => Poll::Ready(result),
            });
            result = received.unwrap_or_else(|| {
                self.queue.forget();
                Err(Dry::Empty)
            });
        }
        result.map_err(|dry| match dry {
            Dry::Empty => RecvTimeoutError::Timeout,
            Dry::Ended => RecvTimeoutError::Ended,
        })
    }

    /// Receives a token; waits without blocking the thread, on any async runtime.
    ///
    /// Dropped before it is ready, the future has received nothing, and no token is lost.
    ///
    /// # Errors
    ///
    /// Where the stream has ended.
    pub fn recv_async(&mut self) -> RecvFuture<'_, T> {
        RecvFuture { queue: &self.queue, waits: false }
    }

    /// The next token for a hand-written `Stream`: `None` where the stream has ended; while there is none, the
    /// context's waker will be woken.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        poll_pop(&self.queue, cx.waker()).map(Result::ok)
    }
}

fn poll_pop<T>(queue: &Reader<T>, waker: &Waker) -> Poll<Result<T, RecvError>> {
    let mut result = queue.pop(None);
    if matches!(result, Err(Dry::Empty)) {
        result = queue.pop(Some(waker.clone()));
    }
    match result {
        Ok(token) => Poll::Ready(Ok(token)),
        Err(Dry::Empty) => Poll::Pending,
        Err(Dry::Ended) => Poll::Ready(Err(RecvError)),
    }
}

impl<T> Iterator for Outlet<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.recv().ok()
    }
}

// A token is moved, never pinned.
impl<T> Unpin for SendFuture<'_, T> {}

impl<T> Future for SendFuture<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        assert!(this.token.is_some(), "a send was polled after it was ready");
        let mut result = this.queue.push(&mut this.token, None);
        if result == Err(Unsent::Full) {
            result = this.queue.push(&mut this.token, Some(cx.waker().clone()));
        }
        this.waits = result == Err(Unsent::Full);
        match (result, this.waits) {
            (_, true) => Poll::Pending,
            (Ok(()), _) => Poll::Ready(Ok(())),
            (Err(_), _) => Poll::Ready(this.token.take().map_or(Ok(()), |token| Err(SendError(token)))),
        }
    }
}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let result = poll_pop(this.queue, cx.waker());
        this.waits = result.is_pending();
        result
    }
}

impl<T> Drop for SendFuture<'_, T> {
    fn drop(&mut self) {
        if self.waits {
            self.queue.forget();
        }
    }
}

impl<T> Drop for RecvFuture<'_, T> {
    fn drop(&mut self) {
        if self.waits {
            self.queue.forget();
        }
    }
}

macro_rules! opaque_debug {
    ($($name:ident)*) => {$(
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("capacity", &self.capacity()).finish_non_exhaustive()
            }
        }
    )*};
}
opaque_debug! { Inlet Outlet }

impl<T> fmt::Debug for SendFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").field("waits", &self.waits).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for RecvFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").field("waits", &self.waits).finish_non_exhaustive()
    }
}
