//! The erasure of types: a body with its ports bound is one `dyn Fire`.

use super::elastic::Elastic;
use super::rate::{Leftover, Opaque, OpaqueFan, Unmet};
use super::{Claimed, Failure, Fired, Firing, Inputs, Miscount, NodeInfo, Outputs, PartialFiring, Pure, WrongCount};
use crate::runtime::Cx;

/// Why an activation ended.
pub(crate) enum Status {
    /// Its budget is used up.
    Yield,
    /// Input edge `.0` must reach the tail `.1`.
    Input(usize, usize),
    /// Output edge `.0`, counted over all outputs' readers, must reach the head `.1`.
    Output(usize, usize),
    /// One of the inputs in the context's `several` must reach its tail.
    Several,
    /// It waits for the outside, which has a [`crate::runtime::WakeHandle`].
    External,
    /// It gives up RUN and stays scheduled, and this worker works off a claim of its.
    Claimed(Claimed),
    /// Some of its claims must be out first.
    Claims,
    /// It has ended.
    Done,
    /// It has failed.
    Failed(Failure),
}

/// What the engine sees of a node: one virtual call an activation.
pub(crate) trait Fire: Send {
    /// Fires as often as the terms and the tokens allow.
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status;

    /// Whether nothing of it runs but by the holder of RUN, so that it may be dropped.
    fn is_at_rest(&self) -> bool {
        true
    }
}

/// A body whose ports are not bound yet.
pub(crate) trait Unbound: Send {
    /// Binds the ports.
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env;

    /// At most so many of its firings may run at once, if its type allows more than one.
    fn replicate(&mut self, _most: usize) {}

    /// Whether it has something to do at the start, before any token has come.
    fn begins(&self) -> bool {
        false
    }
}

/// Forgets what a body borrows.
///
/// # Safety
///
/// The body is dropped before anything that it borrows.
pub(crate) unsafe fn erase<'env>(body: Box<dyn Fire + 'env>) -> Box<dyn Fire> {
    // SAFETY: the two types differ in the lifetime alone; the contract is the caller's.
    unsafe { std::mem::transmute::<Box<dyn Fire + 'env>, Box<dyn Fire>>(body) }
}

/// A node's body; `info` has the names for its failures.
pub(crate) fn unbound<'env, F: Firing + 'env>(info: NodeInfo, body: F) -> Box<dyn Unbound + 'env> {
    Box::new(Bare(info, body))
}

struct Bare<F>(NodeInfo, F);

impl<F: Firing> Unbound for Bare<F> {
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        Box::new(Bound::new(*self, inputs, outputs))
    }
}

/// The body of a node without state.
pub(crate) fn unbound_pure<'env, F: Pure + 'env>(info: NodeInfo, body: F) -> Box<dyn Unbound + 'env> {
    Box::new(Replicable { bare: Bare(info, body), most: 1 })
}

struct Replicable<F> {
    bare: Bare<F>,
    most: usize,
}

impl<F: Pure> Unbound for Replicable<F> {
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        let bound = Bound::new(self.bare, inputs, outputs);
        if self.most > 1 { Box::new(Elastic::new(bound, self.most)) } else { Box::new(bound) }
    }

    fn replicate(&mut self, most: usize) {
        // A source has nothing to claim.
        self.most = if F::In::COUNT == 0 { 1 } else { most };
    }
}

/// Where a node is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Firing,
    /// The inputs have ended, or the source has; `finish` is still to come.
    Ended,
    /// `finish` has been called; its tokens may still have to go out.
    Finished,
}

pub(super) struct Bound<F: Firing> {
    pub(super) body: F,
    pub(super) info: NodeInfo,
    pub(super) rx: <F::In as Inputs>::Rx,
    pub(super) tx: <F::Out as Outputs>::Tx,
    pub(super) stage: Stage,
    /// Something that was given may not be published, or not even placed yet.
    pub(super) left: bool,
}

impl<F: Firing> Fire for Bound<F> {
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        loop {
            // What the last firing could not place comes first; until it is out nothing is consumed. It is published
            // before anything else can make the node wait: its reader may be what the node then waits for.
            if self.left {
                if cx.gives_way() {
                    return Status::Yield;
                }
                self.left = !F::Out::drain(&mut self.tx);
                self.publish(cx, 0);
                match F::Out::blocked(&mut self.tx) {
                    Some((edge, target)) => return Status::Output(edge, target),
                    None if self.left => continue,
                    None => {}
                }
            }
            if self.stage == Stage::Finished {
                return Status::Done;
            }
            if cx.cancelled() || !F::Out::wanted(&mut self.tx) {
                return Status::Done;
            }
            if F::In::COUNT == 0 && self.stage == Stage::Firing && cx.stopping() {
                self.stage = Stage::Ended;
            }
            let want = cx.chunk();
            if want == 0 {
                return Status::Yield;
            }
            let mut firings = 1;
            if self.stage == Stage::Firing {
                firings = F::In::ready(&mut self.rx, want);
                if firings == 0 {
                    match F::In::unmet(&mut self.rx, cx.edges.inner) {
                        Unmet::Met => continue,
                        Unmet::Waits(edge, target) => return Status::Input(edge, target),
                        Unmet::End if F::PARTIAL_FAILS && !cx.called_off() => match F::In::leftover(&mut self.rx) {
                            Leftover::Waits(edge, target) => return Status::Input(edge, target),
                            Leftover::Some(left) => return Status::Failed(self.partial_firing(left, cx)),
                            Leftover::None => self.stage = Stage::Ended,
                        },
                        Unmet::End => self.stage = Stage::Ended,
                    }
                }
            }
            if self.stage == Stage::Ended && !F::FINISHES {
                self.stage = Stage::Finished;
                continue;
            }
            let firings = F::Out::room(&mut self.tx, firings.max(1)).min(firings.max(1));
            if firings == 0 {
                match F::Out::full(&mut self.tx) {
                    Some((edge, target)) => return Status::Output(edge, target),
                    None => continue,
                }
            }
            if !cx.before_firing() {
                return Status::Yield;
            }
            if self.stage == Stage::Ended {
                self.stage = Stage::Finished;
                match self.body.finish() {
                    Fired::Emit(items) => {
                        if let Some(miscount) = F::Out::miscount(&self.tx, &items) {
                            return Status::Failed(self.wrong_count(miscount, cx));
                        }
                        F::Out::give(&mut self.tx, items);
                        self.left = true;
                    }
                    Fired::End => {}
                    Fired::Failed(error) => return Status::Failed(error),
                }
                continue;
            }
            if let Err(error) = self.fire(firings, cx) {
                return Status::Failed(error);
            }
        }
    }
}

impl<F: Firing> Bound<F> {
    fn new(Bare(info, body): Bare<F>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Self {
        let (rx, tx) = (F::In::bind(inputs), F::Out::bind(outputs));
        Self { body, info, rx, tx, stage: Stage::Firing, left: false }
    }

    /// Fires up to `firings` times, for which tokens and room are there, and publishes.
    #[inline]
    fn fire(&mut self, firings: usize, cx: &mut Cx<'_>) -> Result<(), Failure> {
        let mut fired = 0;
        let mut result = Ok(());
        while fired < firings {
            match self.body.fire(F::In::take(&mut self.rx)) {
                Fired::Emit(items) => {
                    // Of a firing that gives too much or too little on one output nothing goes out on any.
                    if let Some(miscount) = F::Out::miscount(&self.tx, &items) {
                        result = Err(self.wrong_count(miscount, cx));
                        break;
                    }
                    F::Out::give(&mut self.tx, items);
                }
                Fired::End => {
                    self.stage = Stage::Ended;
                    break;
                }
                Fired::Failed(error) => {
                    result = Err(error);
                    break;
                }
            }
            fired += 1;
            if !F::Out::drain(&mut self.tx) {
                self.left = true;
                break;
            }
        }
        self.publish(cx, fired);
        result
    }

    #[cold]
    fn wrong_count(&self, miscount: Miscount, cx: &Cx<'_>) -> Failure {
        Box::new(WrongCount::new(cx.name(), self.info.outputs, miscount))
    }

    #[cold]
    fn partial_firing(&self, left: Miscount, cx: &Cx<'_>) -> Failure {
        Box::new(PartialFiring::new(cx.name(), self.info.inputs, left))
    }

    #[inline]
    fn publish(&mut self, cx: &mut Cx<'_>, fired: usize) {
        F::In::publish(&mut self.rx);
        F::Out::publish(&mut self.tx);
        cx.published(fired);
    }
}
