//! Networks that grow while they run (Kahn and MacQueen 1977): a process makes nodes, edges, whole networks, and wires
//! them to its own ports.
//!
//! New nodes are any node or composite that borrows nothing. They run where the process's network runs, are named
//! `process/node#n` in reports, and end by the rules that hold for all.
//!
//! ```
//! use kpn::prelude::*;
//!
//! #[node]
//! fn filter(x: u64, #[param] prime: u64) -> Option<u64> {
//!     (!x.is_multiple_of(prime)).then_some(x)
//! }
//!
//! /// The sieve of Eratosthenes: a filter more for every prime.
//! #[node]
//! async fn sift(numbers: &mut In<u64>, primes: &mut Out<u64>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     while let Some(prime) = numbers.recv().await {
//!         primes.send(prime).await?;
//!         numbers.through(filter(prime))?;
//!     }
//!     Ok(())
//! }
//!
//! let mut primes = Vec::new();
//! network! { source(2..30) -> sift() -> sink(|p| primes.push(p)) }?.run()?;
//! assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use crate::builder::Builder;
use crate::error::BuildError;
use crate::failure::StartError;
use crate::node::{Drain, InPort, OutPort, Ports, Stage, Supply, Token};
use crate::process::{Host, In, Out, host};
use crate::runtime::Addition;

/// Why a network could not grow.
#[derive(Debug)]
#[non_exhaustive]
pub enum GrowError {
    /// What was to be added is not a network.
    Build(BuildError),
    /// There is no memory for an edge, or no thread for a node that is to have one.
    Start(StartError),
    /// It was called outside of a process.
    Outside,
}

impl fmt::Display for GrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(error) => write!(f, "the network can't grow: {error}"),
            Self::Start(error) => write!(f, "the network can't grow: {error}"),
            Self::Outside => {
                f.write_str("a network grows from inside one of its processes: call this in an `async fn` node")
            }
        }
    }
}

impl std::error::Error for GrowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) => error.source(),
            _ => None,
        }
    }
}

/// New nodes before they are a network: the process's own ports stand for what they are wired to.
struct Sketch {
    builder: Builder<'static>,
    host: Host,
}

impl Sketch {
    fn new() -> Result<Self, GrowError> {
        Ok(Self { builder: Builder::new(), host: host().ok_or(GrowError::Outside)? })
    }

    /// `one_entry` where the process gives one edge away, so that only one of the new nodes can have it.
    fn finish<T: Token>(self, one_entry: bool) -> Result<(Addition, Host), GrowError> {
        let (process, number) = (self.host.name(), self.host.number());
        let plan = self.builder.addition::<T>(process, number, one_entry).map_err(GrowError::Build)?;
        Ok((Addition::new(plan).map_err(GrowError::Start)?, self.host))
    }
}

fn start(addition: Addition, host: &Host) -> Result<(), GrowError> {
    addition.start(host.task()).map_err(GrowError::Start)
}

/// Adds nodes that only give, and returns the input by which the process reads what they do.
///
/// # Errors
///
/// Where they are no network, there is no memory or no thread, or this is called outside of a process.
pub fn supply<U: Token>(node: impl Supply<U> + 'static) -> Result<In<U>, GrowError> {
    let mut sketch = Sketch::new()?;
    let ports = sketch.builder.add(node);
    let end: InPort<U> = sketch.builder.end("supply");
    sketch.builder.connect(ports.outs().0, end);
    let (mut addition, host) = sketch.finish::<U>(false)?;
    let input = host.new_input("supply", addition.take_input());
    start(addition, &host)?;
    Ok(input)
}

/// Adds nodes that only take, and returns the output by which the process feeds them.
///
/// # Errors
///
/// As [`supply`].
pub fn drain<T: Token>(node: impl Drain<T> + 'static) -> Result<Out<T>, GrowError> {
    let mut sketch = Sketch::new()?;
    let ports = sketch.builder.add(node);
    let begin: OutPort<T> = sketch.builder.begin("drain");
    sketch.builder.connect(begin, ports.ins().0);
    let (mut addition, host) = sketch.finish::<T>(false)?;
    let output = host.new_output("drain", addition.take_output());
    start(addition, &host)?;
    Ok(output)
}

/// Adds nodes that the process feeds by the output that is returned, and reads by the input.
///
/// # Errors
///
/// As [`supply`].
pub fn stage<T: Token, U: Token>(node: impl Stage<T, U> + 'static) -> Result<(Out<T>, In<U>), GrowError> {
    let mut sketch = Sketch::new()?;
    let ports = sketch.builder.add(node);
    let begin: OutPort<T> = sketch.builder.begin("feed");
    sketch.builder.connect(begin, ports.ins().0);
    let end: InPort<U> = sketch.builder.end("result");
    sketch.builder.connect(ports.outs().0, end);
    let (mut addition, host) = sketch.finish::<U>(false)?;
    addition.watch_all(true);
    let output = host.new_output("feed", addition.take_output());
    let input = host.new_input("result", addition.take_input());
    start(addition, &host)?;
    Ok((output, input))
}

impl<T: Token> In<T> {
    /// Puts a new node or composite in front of this input: what comes from now on, what is under way included, goes
    /// through it first.
    ///
    /// # Errors
    ///
    /// As [`supply`]; the input is as it was, save where a thread is missing: then its stream ends.
    pub fn through(&mut self, node: impl Stage<T, T> + 'static) -> Result<(), GrowError> {
        let mut sketch = Sketch::new()?;
        let ports = sketch.builder.add(node);
        let begin: OutPort<T> = sketch.builder.begin(self.name());
        sketch.builder.connect(begin, ports.ins().0);
        let end: InPort<T> = sketch.builder.end(self.name());
        sketch.builder.connect(ports.outs().0, end);
        let (mut addition, host) = sketch.finish::<T>(true)?;
        let (half, link) = self.exchange(&host, addition.take_input());
        addition.hand_input(half, link);
        start(addition, &host)
    }
}

impl<T: Token> Out<T> {
    /// Puts a new node or composite behind this output: what is sent from now on goes through it first.
    ///
    /// # Errors
    ///
    /// As [`supply`]; the output is as it was, save where a thread is missing: then nobody reads it.
    pub fn through(&mut self, node: impl Stage<T, T> + 'static) -> Result<(), GrowError> {
        let mut sketch = Sketch::new()?;
        let ports = sketch.builder.add(node);
        let begin: OutPort<T> = sketch.builder.begin(self.name());
        sketch.builder.connect(begin, ports.ins().0);
        let end: InPort<T> = sketch.builder.end(self.name());
        sketch.builder.connect(ports.outs().0, end);
        let (mut addition, host) = sketch.finish::<T>(true)?;
        let (fan, links) = self.exchange(&host, addition.take_output());
        addition.hand_output(fan, links);
        start(addition, &host)
    }
}
