//! Feeding and draining a network from outside: threads, async code, channels.
//!
//! [`inlet`] and [`outlet`] make pairs of a handle and a node, in flow order. Between
//! handle and node lies a bounded queue: a full one makes the sender wait, or the network, so back-pressure goes
//! through the network from end to end.
//!
//! ```
//! use kpn::prelude::*;
//!
//! let (mut input, inlet) = kpn::inlet::<u32>();
//! let (outlet, output) = kpn::outlet::<u32>();
//!
//! let running = network! { inlet -> map(|x: u32| x * x) -> outlet }?.start()?;
//!
//! for x in 1..=3 {
//!     input.send(x)?;
//! }
//! drop(input); // ends the stream
//! assert_eq!(output.collect::<Vec<_>>(), [1, 4, 9]);
//! running.wait()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A network is determinate whatever its inlets are fed with: the same tokens in, the same tokens out. *When* a
//! handle finds room or a token is up to the schedule, so `try_send` and `try_recv` belong to the outside.
//!
//! # Control and events
//!
//! Commands to a running network and events from it are streams as well. Where a command has to take effect at a
//! certain place in the data, make it a token: [`from_channel`] or an inlet feeds it into an
//! input of the node. What a node wants to tell the outside goes through an output and
//! [`to_channel`] or an outlet; where it must never hold the network up, give the node a
//! `crossbeam_channel::Sender` and let it `try_send`, which has no effect on any stream.
//!
//! ```
//! use kpn::prelude::*;
//!
//! let (volume, knob) = crossbeam_channel::unbounded();
//! let (events, log) = crossbeam_channel::unbounded();
//!
//! let louder = map(move |[x, k]: [f32; 2]| {
//!     let _ = events.try_send(format!("{x} times {k}"));
//!     x * k
//! });
//! let running = network! {
//!     { source([1.0, 2.0]), kpn::from_channel(knob).named("knob") } -> gather() -> louder -> sink(|_| ())
//! }?.start()?;
//!
//! volume.send(0.5)?;
//! volume.send(2.0)?;
//! running.wait()?;
//! assert_eq!(log.iter().collect::<Vec<_>>(), ["1 times 0.5", "2 times 2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod handle;
mod node;
mod pump;
mod queue;
mod wait;

pub use error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
pub use handle::{Inlet, Outlet, RecvFuture, SendFuture};
pub use node::{InletNode, OutletNode};

use crossbeam_channel::{Receiver, Sender};

use crate::plan::DEFAULT_CAPACITY;
use pump::Pump;

/// An inlet: a handle to send tokens with, and the node that they come out of in the network. Up to
/// [`DEFAULT_CAPACITY`] of them wait between the two.
///
/// ```
/// use kpn::prelude::*;
///
/// let (mut input, inlet) = kpn::inlet();
/// input.try_send("before the start")?;
/// drop(input);
///
/// let mut seen = Vec::new();
/// network! { inlet -> sink(|x| seen.push(x)) }?.run()?;
/// assert_eq!(seen, ["before the start"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inlet<T: Send + 'static>() -> (Inlet<T>, InletNode<T>) {
    inlet_with(DEFAULT_CAPACITY)
}

/// As [`inlet`], with room for `capacity` tokens, at least one.
pub fn inlet_with<T: Send + 'static>(capacity: usize) -> (Inlet<T>, InletNode<T>) {
    let (writer, reader) = queue::queue(capacity);
    (Inlet::new(writer), InletNode::new("inlet", reader, None))
}

/// An outlet: the node that tokens go into in the network, and a handle to receive them with. Up to
/// [`DEFAULT_CAPACITY`] of them wait between the two; a network whose outlet nobody reads comes to a halt.
///
/// ```
/// use kpn::prelude::*;
///
/// let (outlet, mut output) = kpn::outlet();
/// let running = network! { source(0..10) -> outlet }?.start()?;
/// assert_eq!(output.recv(), Ok(0));
/// assert_eq!(output.by_ref().sum::<i32>(), 45);
/// assert!(output.recv().is_err());
/// running.wait()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn outlet<T: Send + 'static>() -> (OutletNode<T>, Outlet<T>) {
    outlet_with(DEFAULT_CAPACITY)
}

/// As [`outlet`], with room for `capacity` tokens, at least one.
pub fn outlet_with<T: Send + 'static>(capacity: usize) -> (OutletNode<T>, Outlet<T>) {
    let (writer, reader) = queue::queue(capacity);
    (OutletNode::new("outlet", writer, None), Outlet::new(reader))
}

/// A node that sends what a channel of crossbeam's receives, and ends when all the channel's senders are gone. A
/// thread of its own waits for the channel.
///
/// When its network ends first, the receiver is dropped. A token that was just being taken out of the channel
/// goes with it; whoever must know which tokens a stopped network took uses an [`inlet`].
///
/// ```
/// use kpn::prelude::*;
///
/// let (sender, receiver) = crossbeam_channel::bounded(2);
/// let net = network! { kpn::from_channel(receiver) -> sink(|x: u32| assert_eq!(x, 7)) }?;
/// let running = net.start()?;
/// sender.send(7)?;
/// drop(sender);
/// running.wait()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_channel<T: Send + 'static>(tokens: Receiver<T>) -> InletNode<T> {
    let (writer, reader) = queue::queue(DEFAULT_CAPACITY);
    let pump = Pump::into_network(tokens, Inlet::new(writer));
    InletNode::new("from_channel", reader, Some(pump))
}

/// A node that sends what it receives into a channel of crossbeam's, and waits while that is full. It drops the
/// sender when its input has ended and all is delivered. When all the channel's receivers are gone it ends, with
/// the network upstream of it, as soon as there is one more token to deliver. A thread of its own waits for the
/// channel.
///
/// ```
/// use kpn::prelude::*;
///
/// let (sender, receiver) = crossbeam_channel::unbounded();
/// network! { source(0..3) -> kpn::to_channel(sender) }?.run()?;
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_channel<T: Send + 'static>(tokens: Sender<T>) -> OutletNode<T> {
    let (writer, reader) = queue::queue(DEFAULT_CAPACITY);
    let pump = Pump::out_of_network(Outlet::new(reader), tokens);
    OutletNode::new("to_channel", writer, Some(pump))
}
