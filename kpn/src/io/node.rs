//! The network's ends: a node that takes from a queue, and one that fills a queue.

use std::collections::VecDeque;
use std::fmt;
use std::task::Waker;

use super::pump::Pump;
use super::queue::{Dry, Reader, Unsent, Writer};
use crate::builder::Builder;
use crate::node::bound::{Fire, Status, Unbound};
use crate::node::rate::{Opaque, OpaqueFan, Unmet};
use crate::node::{Body, Inputs, Node, NodeInfo, One, Outputs};
use crate::nodes::{SinkPorts, SourcePorts};
use crate::runtime::{Cx, Notify};
use crate::sync::Arc;

/// The node that sends on what its [`Inlet`](super::Inlet) is given; made by [`inlet`](crate::inlet) or
/// [`from_channel`](crate::from_channel).
///
/// When its network is stopped it accepts nothing more, and what it has accepted goes through.
pub struct InletNode<T> {
    name: &'static str,
    queue: Reader<T>,
    pump: Option<Pump>,
}

/// The node that hands what it receives to its [`Outlet`](super::Outlet); made by [`outlet`](crate::outlet) or
/// [`to_channel`](crate::to_channel).
pub struct OutletNode<T> {
    name: &'static str,
    queue: Writer<T>,
    pump: Option<Pump>,
}

impl<T> InletNode<T> {
    pub(super) fn new(name: &'static str, queue: Reader<T>, pump: Option<Pump>) -> Self {
        Self { name, queue, pump }
    }
}

impl<T> OutletNode<T> {
    pub(super) fn new(name: &'static str, queue: Writer<T>, pump: Option<Pump>) -> Self {
        Self { name, queue, pump }
    }
}

impl<T> fmt::Debug for InletNode<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InletNode").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for OutletNode<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutletNode").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<T> Node for InletNode<T> {
    type Ports = SourcePorts<T>;
}

impl<T> Node for OutletNode<T> {
    type Ports = SinkPorts<T>;
}

type Give<T> = (One<T>,);
type Take<T> = (One<T>,);

impl<T: Send + 'static> Body<'_> for InletNode<T> {
    fn install(self, builder: &mut Builder<'_>) -> Self::Ports {
        let info = NodeInfo { name: self.name, inputs: &[], outputs: &["out"] };
        let ((), (out,)) = builder.unbound::<(), Give<T>>(info, Box::new(self));
        SourcePorts { out }
    }
}

impl<T: Send + 'static> Body<'_> for OutletNode<T> {
    fn install(self, builder: &mut Builder<'_>) -> Self::Ports {
        let info = NodeInfo { name: self.name, inputs: &["input"], outputs: &[] };
        let ((input,), ()) = builder.unbound::<Take<T>, ()>(info, Box::new(self));
        SinkPorts { input }
    }
}

impl<T: Send + 'static> Unbound for InletNode<T> {
    fn bind<'env>(self: Box<Self>, _: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        Box::new(Entering {
            queue: self.queue,
            tx: <Give<T> as Outputs>::bind(outputs),
            batch: VecDeque::new(),
            refused: false,
            waker: None,
            pump: self.pump,
        })
    }
}

impl<T: Send + 'static> Unbound for OutletNode<T> {
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, _: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        let rx = <Take<T> as Inputs>::bind(inputs);
        Box::new(Leaving { queue: self.queue, rx, ended: false, waker: None, pump: self.pump })
    }

    /// It leaves its waker in the queue, so that it learns of the reader's end.
    fn begins(&self) -> bool {
        true
    }
}

/// The node's waker, made once.
fn waker<'a>(waker: &'a mut Option<Waker>, cx: &Cx<'_>) -> &'a Waker {
    waker.get_or_insert_with(|| Waker::from(Arc::new(Notify::new(cx.wake_handle()))))
}

/// A bound [`InletNode`]. The queue goes before the pump, whose end its drop waits for: a pump that waits for the
/// queue learns from its going that it is to end.
struct Entering<T: Send + 'static> {
    queue: Reader<T>,
    tx: <Give<T> as Outputs>::Tx,
    /// On the way from the queue to the output, empty between activations. A fan-out clones tokens, which is
    /// user code, so that it can't happen under the queue's lock.
    batch: VecDeque<T>,
    refused: bool,
    waker: Option<Waker>,
    pump: Option<Pump>,
}

impl<T: Send + 'static> Fire for Entering<T> {
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        if let Some(Err(error)) = self.pump.as_mut().map(Pump::start) {
            return Status::Failed(Box::new(error));
        }
        if cx.stopping() && !self.refused {
            self.refused = true;
            self.queue.refuse();
        }
        loop {
            if cx.cancelled() || !<Give<T>>::wanted(&mut self.tx) {
                return Status::Done;
            }
            let want = if cx.before_firing() { cx.left() } else { 0 };
            if want == 0 {
                self.queue.settle();
                return Status::Yield;
            }
            let room = <Give<T>>::room(&mut self.tx, want).min(want);
            if room == 0 {
                match <Give<T>>::full(&mut self.tx) {
                    Some((edge, target)) => {
                        self.queue.settle();
                        return Status::Output(edge, target);
                    }
                    None => continue,
                }
            }
            match self.queue.take(room, &mut self.batch, waker(&mut self.waker, cx)) {
                Ok(()) => {}
                Err(Dry::Empty) => return Status::External,
                Err(Dry::Ended) => return Status::Done,
            }
            let taken = self.batch.len();
            while let Some(token) = self.batch.pop_front() {
                <Give<T>>::give(&mut self.tx, (token,));
            }
            <Give<T> as Outputs>::publish(&mut self.tx);
            cx.published(taken);
        }
    }
}

/// A bound [`OutletNode`].
struct Leaving<T: Send + 'static> {
    queue: Writer<T>,
    rx: <Take<T> as Inputs>::Rx,
    /// The input has ended; what remains is the pump's.
    ended: bool,
    waker: Option<Waker>,
    pump: Option<Pump>,
}

impl<T: Send + 'static> Fire for Leaving<T> {
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        if let Some(Err(error)) = self.pump.as_mut().map(Pump::start) {
            return Status::Failed(Box::new(error));
        }
        let waker = waker(&mut self.waker, cx);
        loop {
            if cx.cancelled() {
                return Status::Done;
            }
            if self.ended {
                let delivered = self.pump.is_none() || self.queue.reader_is_gone(waker);
                return if delivered { Status::Done } else { Status::External };
            }
            let want = cx.left();
            // Even where nothing is ready: the reader may have gone, or is owed a wake.
            let ready = <Take<T>>::ready(&mut self.rx, want).min(want);
            let rx = &mut self.rx;
            let moved = match self.queue.append(ready, waker, || <Take<T>>::take(rx).0) {
                Ok(moved) => moved,
                Err(Unsent::Full) => return Status::External,
                Err(Unsent::Closed) => return Status::Done,
            };
            <Take<T> as Inputs>::publish(&mut self.rx);
            cx.published(moved);
            if want == 0 {
                return Status::Yield;
            }
            if moved > 0 {
                continue;
            }
            match <Take<T>>::unmet(&mut self.rx, 0) {
                Unmet::Met => {}
                Unmet::Waits(edge, target) => return Status::Input(edge, target),
                Unmet::End => {
                    self.ended = true;
                    self.queue.close();
                }
            }
        }
    }
}
