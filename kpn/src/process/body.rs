//! A process as the engine sees it: one boxed future that is polled under RUN.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::desk::{Desk, Open, Side, Wait};
use super::{InEnds, OutEnds, Outcome};
use crate::node::bound::{Fire, Status, Unbound};
use crate::node::rate::{Opaque, OpaqueFan};
use crate::node::{Fired, NodeInfo};
use crate::runtime::{Cx, Notify};
use crate::sync::{Arc, next_id};

/// A process that has not begun.
struct Waiting<F, I, O> {
    info: NodeInfo,
    nondet: bool,
    start: F,
    ends: std::marker::PhantomData<fn() -> (I, O)>,
}

/// Makes a body of what starts a process, given its ports; `nondet` where that may use what is not determinate.
pub(crate) fn process<'env, I, O, F, R>(info: NodeInfo, nondet: bool, start: F) -> Box<dyn Unbound + 'env>
where
    I: InEnds + 'env,
    O: OutEnds + 'env,
    F: FnOnce(I, O) -> R + Send + 'env,
    R: Future<Output: Outcome> + Send + 'env,
{
    Box::new(Waiting { info, nondet, start, ends: std::marker::PhantomData })
}

impl<I, O, F, R> Unbound for Waiting<F, I, O>
where
    I: InEnds,
    O: OutEnds,
    F: FnOnce(I, O) -> R + Send,
    R: Future<Output: Outcome> + Send,
{
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        let id = next_id();
        let source = inputs.is_empty();
        let edges = (inputs.len(), outputs.iter().map(|fan| fan.readers.len()).sum());
        let (ins, outs) = (I::bind(inputs, id, self.info), O::bind(outputs, id, self.info));
        let start = self.start;
        // What starts it is the user's code, so it runs in the first activation.
        let future = Box::pin(async move { start(ins, outs).await.outcome() });
        Box::new(Process { future, desk: Desk::new(id, edges, self.nondet), notify: None, source })
    }

    /// It may send before it receives.
    fn begins(&self) -> bool {
        true
    }
}

/// A process that runs.
struct Process<'env> {
    /// Owns the ports. Dropped with the body, under RUN, before what it peeked at.
    future: Pin<Box<dyn Future<Output = Fired<()>> + Send + 'env>>,
    desk: Desk,
    /// Shared with whoever cloned the waker: futures that are not ours.
    notify: Option<Arc<Notify>>,
    /// Without inputs: `stop` ends it at its next port operation.
    source: bool,
}

impl Fire for Process<'_> {
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        let Self { future, desk, notify, source } = self;
        if cx.cancelled() {
            return Status::Done;
        }
        // Where nobody reads any more, or a source is stopped, it ends at its next port operation.
        let ends = cx.unwanted() || (*source && cx.stopping());
        if ends && desk.pending.is_some() {
            return Status::Done;
        }
        let notify = notify.get_or_insert_with(|| Arc::new(Notify::new(cx.wake_handle())));
        let waker = desk.waker(|| notify.clone().into()).clone();
        desk.left = if ends { 0 } else { cx.left() };
        desk.careful = cx.terms.careful;
        desk.moved = 0;
        desk.task = Some(cx.this());
        let polled = {
            let _open = Open::new(desk);
            future.as_mut().poll(&mut Context::from_waker(&waker))
        };
        cx.fired += desk.moved;
        cx.rewired = std::mem::take(&mut desk.rewired);
        if let Some(at) = desk.doubt.take() {
            cx.not_determinate(at.map(|port| port.name));
        }
        match (polled, desk.pending) {
            (Poll::Ready(Fired::Failed(error)), _) => Status::Failed(error),
            (Poll::Ready(_), _) => Status::Done,
            (Poll::Pending, Some(_)) if ends => Status::Done,
            (Poll::Pending, Some((_, Wait::Turn))) => Status::Yield,
            (Poll::Pending, Some((port, Wait::Edge(edge, target)))) => {
                // Beside the network's own wake somebody else has the waker, besides us, the desk and this call.
                cx.foreign = Arc::strong_count(notify) > 3;
                match port.side {
                    Side::Input => Status::Input(edge, target),
                    Side::Output => Status::Output(edge, target),
                }
            }
            (Poll::Pending, Some((_, Wait::Several))) => {
                std::mem::swap(cx.several, &mut desk.several);
                Status::Several
            }
            (Poll::Pending, None) => Status::External,
        }
    }
}
