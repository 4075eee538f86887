//! A node without state, which may fire on several workers at once without changing what it gives.
//!
//! Most of the time it fires alone, as any node does. Where its firings are worth it and a worker has nothing to do, the
//! holder of RUN takes some firings' tokens as a claim, gives up RUN, and works the claim off; meanwhile another worker
//! takes RUN and makes the next claim. The results go out in the order of the claims (see `crew`).

mod crew;
mod share;

pub(crate) use crew::Claimed;

use super::bound::{Bound, Fire, Stage, Status};
use super::rate::Unmet;
use super::{Inputs, Outputs, Pure};
use crate::channel::LinkRef;
use crate::runtime::Cx;
use crate::sync::{Arc, drop_quietly, mutated};
use crew::{Commit, Crew};
use share::{End, Payload};

/// The least estimated time of a firing, in ns, for which claims are made.
const WORTH_NS: u64 = 100;
/// The least estimated time of a claim.
const CLAIM_NS: u64 = 5_000;
/// About the most: others wait for it.
const LONGEST_NS: u64 = 50_000;
/// The most firings a claim.
const MOST: usize = 64;

pub(super) struct Elastic<F: Pure> {
    crew: Arc<Crew<F>>,
    /// How many claims were made.
    claimed: usize,
    /// Of how many firings.
    taken: usize,
    /// All of them are out, and the node fires alone.
    alone: bool,
    /// What taking a claim's tokens panicked with: raised when the claims before are out.
    doom: Option<Payload>,
    /// The inputs have ended.
    ended: bool,
}

/// On which terms a node may be helped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Help {
    /// How many workers there are.
    pub(crate) workers: usize,
    /// One of them has nothing to do.
    pub(crate) idle: bool,
    /// A claim is made whenever there is a token, of one firing: for tests.
    pub(crate) always: bool,
}

impl<F: Pure> Elastic<F> {
    /// For at most `claims` of them at once.
    pub(super) fn new(bound: Bound<F>, claims: usize) -> Self {
        Self { crew: Arc::new(Crew::new(bound, claims)), claimed: 0, taken: 0, alone: true, doom: None, ended: false }
    }

    /// How many firings to claim, of those whose tokens are there; 0 where the node had better fire alone.
    fn worth(&mut self, help: Help, cx: &Cx<'_>) -> usize {
        let cost_ns = cx.terms.cost_ns;
        // SAFETY: this node is alone, and RUN is the caller's.
        let bound = unsafe { self.crew.alone() };
        if bound.stage != Stage::Firing || bound.left {
            return 0;
        }
        if help.always {
            return F::In::ready(&mut bound.rx, 1).min(1).min(self.room(cx));
        }
        if !help.idle || cost_ns < WORTH_NS {
            return 0;
        }
        let available = F::In::ready(&mut bound.rx, 2 * help.workers * MOST);
        let firings = share(available, help, cost_ns).min(self.room(cx));
        let takes = cost_ns.saturating_mul(firings as u64);
        // The next claim's tokens should be there, or come while this one is worked off.
        let more = firings < available || takes >= LONGEST_NS;
        if takes >= CLAIM_NS && more { firings.min(available) } else { 0 }
    }

    /// For how many more firings' results there is room for certain.
    ///
    /// That matters where an output may lie on a cycle of waits: there a node that takes more than it can give may keep the
    /// network from a stall that it has on one worker. Elsewhere the readers take what is given sooner or later.
    fn room(&self, cx: &Cx<'_>) -> usize {
        let outputs = cx.edges.outputs();
        if !outputs.iter().any(|output| output.is_watched()) {
            return usize::MAX;
        }
        if !F::Out::BOUNDED {
            return 0;
        }
        // Before the edges' words, which then show at least as much: what is given in between counts twice, which is safe.
        let pending = self.taken - self.crew.handed();
        let free = |output: &LinkRef| output.capacity().saturating_sub(output.len()) / F::Out::MOST;
        let least = outputs.iter().filter(|output| output.has_reader()).map(free).min();
        least.unwrap_or(usize::MAX).saturating_sub(pending)
    }

    /// Makes a claim; the driver gives up RUN and works it off.
    fn claim(&mut self, firings: usize, cx: &mut Cx<'_>) -> Status {
        let ticket = self.claimed;
        // SAFETY: RUN is the caller's, who has counted tokens and claims.
        self.doom = unsafe { self.crew.claim(ticket, firings, cx.edges.outputs()) };
        self.claimed += 1;
        self.taken += firings;
        self.alone = false;
        cx.touched = true;
        Status::Claimed(Claimed::new(self.crew.clone(), ticket))
    }

    /// All claims are out: what comes of them. `None` where the node goes on, alone.
    fn settle(&mut self, cx: &Cx<'_>) -> Option<Status> {
        self.alone = true;
        // The inputs' end is found once more, by the node that fires alone.
        self.ended = false;
        if cx.cancelled() {
            return Some(Status::Done);
        }
        // SAFETY: RUN is the caller's, and all claims are out.
        let end = unsafe { self.crew.take_end() };
        if end.is_some() {
            // What came after it counts no more.
            drop_quietly(self.doom.take());
        }
        match end {
            Some(End::Failed(error)) => return Some(Status::Failed(error)),
            Some(End::Panicked(payload)) => std::panic::resume_unwind(payload),
            // SAFETY: as above.
            Some(End::Ended) => unsafe { self.crew.alone() }.stage = Stage::Ended,
            None => {}
        }
        if let Some(payload) = self.doom.take() {
            std::panic::resume_unwind(payload);
        }
        None
    }
}

/// How many of the firings at hand make a claim: a share for every worker twice over, but not for too long.
fn share(available: usize, help: Help, cost_ns: u64) -> usize {
    if help.always {
        return 1;
    }
    let longest = usize::try_from(LONGEST_NS / cost_ns.max(1)).unwrap_or(MOST).max(1);
    (available / (2 * help.workers)).clamp(1, MOST).min(longest)
}

impl<F: Pure> Fire for Elastic<F> {
    fn activate(&mut self, cx: &mut Cx<'_>) -> Status {
        let help = cx.help();
        loop {
            let (firings, ns) = self.crew.reap();
            cx.helped = (cx.helped.0 + firings, cx.helped.1 + ns);
            if self.alone || self.crew.committed() == self.claimed {
                if !self.alone
                    && let Some(status) = self.settle(cx)
                {
                    return status;
                }
                let firings = help.map_or(0, |help| self.worth(help, cx));
                if firings > 0 && !self.crew.is_over() {
                    return self.claim(firings, cx);
                }
                // SAFETY: RUN is the caller's, and all claims are out.
                return unsafe { self.crew.alone() }.activate(cx);
            }
            if cx.cancelled() {
                self.crew.call_off();
            }
            let mut busy = false;
            if self.crew.is_stalled() {
                let commit = self.crew.commit(true, &cx.site());
                // What it handed over is announced before the next firing, or before the node waits.
                cx.touched = true;
                match commit {
                    Commit::Clear => continue,
                    Commit::Stalled(edge, target) => return Status::Output(edge, target),
                    Commit::Busy => busy = true,
                }
            }
            let seen = self.crew.committed();
            if seen == self.claimed && !mutated("wait for no claim") {
                continue;
            }
            let open = self.claimed - seen;
            let no_more = busy || self.ended || self.doom.is_some() || cx.cancelled() || self.crew.is_over();
            if let Some(help) = help.filter(|_| !no_more && open < self.crew.most_claims()) {
                // SAFETY: RUN is the caller's.
                let rx = unsafe { self.crew.inputs() };
                let available = F::In::ready(rx, 2 * help.workers * MOST);
                let room = self.room(cx);
                if available > 0 && room > 0 {
                    return self.claim(share(available, help, cx.terms.cost_ns).min(available).min(room), cx);
                }
                if available > 0 {
                    // It fires on when the claims are out, and can be no more help till then.
                    if self.crew.wait(seen, false) {
                        return Status::Claims;
                    }
                    continue;
                }
                match F::In::unmet(rx, cx.edges.inner) {
                    Unmet::Met => continue,
                    Unmet::End => {
                        self.ended = true;
                        continue;
                    }
                    Unmet::Waits(edge, target) => {
                        // The claims in flight may give what brings the next token, so this is no wait that a search for
                        // stalls may count on; when one is out the node looks again, also for readers that have gone.
                        cx.foreign = true;
                        if self.crew.wait(seen, false) {
                            return Status::Input(edge, target);
                        }
                        continue;
                    }
                }
            }
            if self.crew.wait(seen, busy) {
                return Status::Claims;
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        self.alone || self.crew.committed() == self.claimed
    }
}

impl<F: Pure> Drop for Elastic<F> {
    fn drop(&mut self) {
        debug_assert!(self.is_at_rest(), "a node goes after its claims");
        // SAFETY: only the holder of RUN drops a node, when all claims are out, and none asks for it afterwards.
        unsafe { self.crew.retire() };
    }
}
