//! Small errors, one an operation; a failed send hands the token back.

use std::error::Error;
use std::fmt;

/// The network takes no more tokens: it has ended, or is stopping, or nothing downstream reads any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(
    /// The token that was not sent.
    pub T,
);

/// Why a token was not sent at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// There is no room just now.
    Full(T),
    /// As [`SendError`].
    Closed(T),
}

/// Why a token was not sent in time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// There was no room in time.
    Timeout(T),
    /// As [`SendError`].
    Closed(T),
}

/// The stream has ended: there is no token, and none will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvError;

/// Why no token was received at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryRecvError {
    /// There is none just now.
    Empty,
    /// As [`RecvError`].
    Ended,
}

/// Why no token was received in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvTimeoutError {
    /// None came in time.
    Timeout,
    /// As [`RecvError`].
    Ended,
}

const CLOSED: &str = "the network takes no more tokens at this inlet";
const FULL: &str = "there is no room at this inlet";
const ENDED: &str = "the stream at this outlet has ended";
const EMPTY: &str = "there is no token at this outlet";

impl<T> SendError<T> {
    /// The token that was not sent.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// The token that was not sent.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(token) | Self::Closed(token) => token,
        }
    }
}

impl<T> SendTimeoutError<T> {
    /// The token that was not sent.
    pub fn into_inner(self) -> T {
        match self {
            Self::Timeout(token) | Self::Closed(token) => token,
        }
    }
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout(_) => "Timeout(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CLOSED)
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => FULL,
            Self::Closed(_) => CLOSED,
        })
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(_) => write!(f, "{FULL}, and the time is over"),
            Self::Closed(_) => f.write_str(CLOSED),
        }
    }
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ENDED)
    }
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => EMPTY,
            Self::Ended => ENDED,
        })
    }
}

impl fmt::Display for RecvTimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => write!(f, "{EMPTY}, and the time is over"),
            Self::Ended => f.write_str(ENDED),
        }
    }
}

impl<T> Error for SendError<T> {}
impl<T> Error for TrySendError<T> {}
impl<T> Error for SendTimeoutError<T> {}
impl Error for RecvError {}
impl Error for TryRecvError {}
impl Error for RecvTimeoutError {}
