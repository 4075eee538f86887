//! What can go wrong while a network starts or runs, as values. It imports nothing but what is said of stalls.

use std::any::Any;
use std::error::Error;
use std::fmt;

use crate::stall::Deadlock;

/// Why a network could not start.
#[non_exhaustive]
pub enum StartError {
    /// The system gave no thread.
    Thread(std::io::Error),
    /// A pool of no workers, or of more than can be told apart.
    Workers {
        /// What was asked for.
        asked: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// Too many workers of the pool wait for other networks already.
    TooManyBlocked {
        /// The most that may.
        most: usize,
    },
    /// There is no memory for an edge of this capacity.
    Memory {
        /// The edge.
        edge: String,
        /// Its capacity.
        capacity: usize,
    },
    /// The process was forked after the pool had started, so its workers don't exist here.
    Forked,
}

impl StartError {
    pub(crate) fn thread(error: std::io::Error) -> Self {
        Self::Thread(error)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(error) => write!(f, "the network can't start, since the system gave no thread: {error}"),
            Self::Workers { asked, most } => {
                write!(f, "a pool can't have {asked} workers: it has 1 to {most}")
            }
            Self::TooManyBlocked { most } => write!(
                f,
                "{most} workers of this pool wait for other networks already: wait outside of nodes, or mark the waiting nodes `.blocking()`"
            ),
            Self::Memory { edge, capacity } => {
                write!(f, "the edge `{edge}` can't be made: there is no memory for {capacity} of its tokens")
            }
            Self::Forked => f.write_str(
                "the pool's threads are in the parent process: start networks after the fork, on a pool made there",
            ),
        }
    }
}

impl Error for StartError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Thread(error) => Some(error),
            _ => None,
        }
    }
}

/// What a node panicked with. It may be shared between threads, so that an error that holds one goes through `?` into any
/// error type, and is looked at by value.
pub struct Payload(Box<dyn Any + Send>);

// SAFETY: nothing can be done with a shared reference to it: no method takes one, and `Debug` doesn't look inside.
unsafe impl Sync for Payload {}

impl Payload {
    /// The payload itself, for [`std::panic::resume_unwind`] or a downcast.
    pub fn into_inner(self) -> Box<dyn Any + Send> {
        self.0
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payload")
    }
}

/// Why a node failed.
#[non_exhaustive]
pub enum Cause {
    /// It returned this error.
    Error(Box<dyn Error + Send + Sync>),
    /// It panicked.
    Panic {
        /// The message, where the payload has one.
        message: String,
        /// What it panicked with.
        payload: Payload,
    },
    /// The `Drop` of its state panicked when it ended. Tokens that are left in an edge are dropped one by one, and
    /// a panic of one of them ends there.
    PanicInDrop {
        /// The message, where the payload has one.
        message: String,
        /// What it panicked with.
        payload: Payload,
    },
}

impl Cause {
    pub(crate) fn panic(payload: Box<dyn Any + Send>) -> Self {
        Self::Panic { message: message(&*payload), payload: Payload(payload) }
    }

    pub(crate) fn panic_in_drop(payload: Box<dyn Any + Send>) -> Self {
        Self::PanicInDrop { message: message(&*payload), payload: Payload(payload) }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => write!(f, "failed: {error}"),
            Self::Panic { message, .. } => write!(f, "panicked: {message}"),
            Self::PanicInDrop { message, .. } => write!(f, "panicked while it was dropped: {message}"),
        }
    }
}

/// One node's failure.
pub struct NodeFailure {
    /// The node's name.
    pub node: String,
    /// What happened.
    pub cause: Cause,
}

impl fmt::Display for NodeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the node `{}` {}", self.node, self.cause)
    }
}

impl Error for NodeFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Error(error) => Some(&**error),
            _ => None,
        }
    }
}

/// Why a run has no result.
#[non_exhaustive]
pub enum RunError {
    /// It never began.
    Start(StartError),
    /// A node failed or panicked. Its network's sources were stopped, and what could drain has drained.
    Failed {
        /// The failure that came first.
        first: NodeFailure,
        /// Further ones, in the order in which they came.
        others: Vec<NodeFailure>,
    },
    /// Some of its nodes waited for one another. They were ended, the sources were stopped, and what could drain has drained.
    Deadlock {
        /// What was found first.
        first: Deadlock,
        /// Further ones, in the order in which they were found.
        others: Vec<Deadlock>,
        /// Nodes that failed afterwards.
        failures: Vec<NodeFailure>,
    },
    /// It was aborted, by `abort` or because its pool went.
    Aborted,
    /// It had not ended when the time was over. It runs on, and can be waited for again.
    TimedOut {
        /// The nodes that were firing just then: those that a wait for the end waits for.
        firing: Vec<String>,
        /// The edges that were full just then. Where no node fires, look at these: their readers wait for something
        /// else, which perhaps can't come.
        full: Vec<String>,
    },
    /// One of the network's own nodes waited for its end, which can't come before that node ends.
    WaitInside,
}

impl RunError {
    /// All failures of nodes, the first one first.
    pub fn failures(&self) -> impl Iterator<Item = &NodeFailure> {
        let (first, others) = match self {
            Self::Failed { first, others } => (Some(first), &others[..]),
            Self::Deadlock { failures, .. } => (None, &failures[..]),
            _ => (None, &[][..]),
        };
        first.into_iter().chain(others)
    }

    /// The deadlocks that were found, the first one first.
    pub fn deadlocks(&self) -> impl Iterator<Item = &Deadlock> {
        let (first, others) = match self {
            Self::Deadlock { first, others, .. } => (Some(first), &others[..]),
            _ => (None, &[][..]),
        };
        first.into_iter().chain(others)
    }

    /// The name of the node that failed first.
    pub fn node(&self) -> Option<&str> {
        self.failures().next().map(|failure| &*failure.node)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Failed { first, others } => {
                first.fmt(f)?;
                others.iter().try_for_each(|other| write!(f, "; {other}"))
            }
            Self::Deadlock { first, others, failures } => {
                first.fmt(f)?;
                others.iter().try_for_each(|other| write!(f, "; {other}"))?;
                failures.iter().try_for_each(|failure| write!(f, "; {failure}"))
            }
            Self::Aborted => f.write_str("the network was aborted before its sources had ended"),
            Self::TimedOut { firing, full } => {
                f.write_str("the network has not ended in time; ")?;
                match &firing[..] {
                    [] => f.write_str("none of its nodes is firing just now")?,
                    firing => write!(f, "firing just now: {}", quoted(firing))?,
                }
                if full.is_empty() { Ok(()) } else { write!(f, "; full edges: {}", quoted(full)) }
            }
            Self::WaitInside => {
                f.write_str("a node waits for the end of its own network: wait outside, or call `stop` and return")
            }
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its own sentence is said already; what is behind it is not.
            Self::Start(error) => error.source(),
            Self::Failed { first, .. } => first.source(),
            _ => None,
        }
    }
}

impl From<StartError> for RunError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

/// `main` prints an error by `Debug`: that must be the sentence, too.
macro_rules! debug_as_display {
    ($($error:ty),*) => {$(
        impl fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}
debug_as_display!(StartError, NodeFailure, RunError);
