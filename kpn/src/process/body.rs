//! A process as the engine sees it: one future in a box, which is polled under RUN.

use std::future::Future;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::desk::{Desk, Kept, Open, Side, Wait};
use super::{InEnds, OutEnds, Outcome};
use crate::node::bound::{Fire, Status, Unbound};
use crate::node::rate::{Opaque, OpaqueFan};
use crate::node::{Fired, NodeInfo};
use crate::runtime::{Cx, Notify, TaskRef, notify as notify_task};
use crate::sync::{Arc, Ordering, fence, next_id};

/// A process that has not begun.
struct Waiting<F, I, O, R> {
    info: NodeInfo,
    nondet: bool,
    start: F,
    ends: PhantomData<fn() -> I>,
    gives: PhantomData<fn() -> (O, R)>,
}

/// Makes a body of what starts a process, given its ports; `nondet` where that may use what is not determinate.
pub(crate) fn process<'env, I, O, F, R>(info: NodeInfo, nondet: bool, start: F) -> Box<dyn Unbound + 'env>
where
    I: InEnds + 'env,
    O: OutEnds + 'env,
    F: FnOnce(I, O) -> R + Send + 'env,
    R: Future<Output: Outcome> + Send + 'env,
{
    Box::new(Waiting { info, nondet, start, ends: PhantomData, gives: PhantomData })
}

impl<I, O, F, R> Unbound for Waiting<F, I, O, R>
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
        let kept = Kept::new(id, edges, self.nondet);
        Box::new(Process { course: Course::Ahead(self.start, ins, outs), kept, notify: None, source })
    }

    /// It may send before it receives.
    fn begins(&self) -> bool {
        true
    }
}

/// How far a process is.
enum Course<F, I, O, R> {
    /// It has not begun. What starts it is the user's code, so it runs in the first activation.
    Ahead(F, I, O),
    /// Its future, which owns the ports.
    On(R),
    /// It is being started, or that has panicked.
    Gone,
}

/// A process that runs. It is boxed, and nobody moves what is in the box: that pins the future. Dropped with the body, under
/// RUN, before what it peeked at.
struct Process<F, I, O, R> {
    course: Course<F, I, O, R>,
    kept: Kept,
    /// Shared with whoever cloned the waker: futures that are not ours.
    notify: Option<Arc<Notify>>,
    /// Without inputs: `stop` ends it at its next port operation.
    source: bool,
}

impl<F, I, O, R> Course<F, I, O, R>
where
    F: FnOnce(I, O) -> R,
    R: Future<Output: Outcome>,
{
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Fired<()>> {
        if let Self::Ahead(..) = self
            && let Self::Ahead(start, ins, outs) = std::mem::replace(self, Self::Gone)
        {
            *self = Self::On(start(ins, outs));
        }
        let Self::On(future) = self else { return Poll::Ready(Fired::End) };
        // SAFETY: the future was put here just now or before, and stays here until it is dropped: the process is boxed, the box
        // is never opened, and the course changes no more.
        unsafe { Pin::new_unchecked(future) }.poll(cx).map(Outcome::outcome)
    }
}

impl<F, I, O, R> Fire for Process<F, I, O, R>
where
    I: InEnds,
    O: OutEnds,
    F: FnOnce(I, O) -> R + Send,
    R: Future<Output: Outcome> + Send,
{
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        let Self { course, kept, notify, source } = self;
        if cx.cancelled() {
            return Status::Done;
        }
        // Where nobody reads any more, or a source is stopped, it ends at its next port operation.
        let ends = cx.unwanted() || (*source && cx.stopping());
        if ends && kept.pending.is_some() {
            return Status::Done;
        }
        let notify = notify.get_or_insert_with(|| Arc::new(Notify::new(cx.wake_handle())));
        let waker = Waker::from(notify.clone());
        let left = if ends { 0 } else { cx.left() };
        let mut desk = Desk::new(kept, &waker, left, cx.terms.careful, cx.this());
        let polled = {
            let _open = Open::new(&mut desk);
            // A panic goes on below, once the driver knows the edges that came before it.
            catch_unwind(AssertUnwindSafe(|| course.poll(&mut Context::from_waker(&waker))))
        };
        desk.leave();
        *kept = desk.kept;
        // Whoever is at the other end of what was let go learns of it now; of what goes with the process, its driver tells.
        for (side, link) in desk.let_go {
            fence(Ordering::SeqCst);
            notify_task(match side {
                Side::Input => TaskRef::writer_of(&link),
                Side::Output => TaskRef::reader_of(&link),
            });
        }
        cx.fired += desk.moved;
        cx.rewired = desk.rewired;
        if let Some(at) = desk.doubt {
            cx.not_determinate(at.map(|port| port.name));
        }
        let polled = polled.unwrap_or_else(|payload| resume_unwind(payload));
        match (polled, kept.pending) {
            (Poll::Ready(Fired::Failed(error)), _) => Status::Failed(error),
            (Poll::Ready(_), _) => Status::Done,
            (Poll::Pending, Some(_)) if ends => Status::Done,
            (Poll::Pending, Some((_, Wait::Turn))) => Status::Yield,
            (Poll::Pending, Some((port, Wait::Edge(edge, target)))) => {
                // Beside the network's own wake somebody else has the waker, besides us and this call.
                cx.foreign = Arc::strong_count(notify) > 2;
                match port.side {
                    Side::Input => Status::Input(edge as usize, target),
                    Side::Output => Status::Output(edge as usize, target),
                }
            }
            (Poll::Pending, Some((_, Wait::Several))) => {
                cx.several = desk.several;
                Status::Several
            }
            (Poll::Pending, None) => Status::External,
        }
    }
}
