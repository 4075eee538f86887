//! One activation of a node, from RUN taken to RUN given up. The steps are those of the README.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::core;
use super::court;
use super::cx::{Cx, Site, flush, hint};
use super::inside::Inside;
use super::life::Net;
use super::pace::Terms;
use super::task::{Armed, CANCEL, Edges, Home, Slot, Task, TaskRef};
use super::wait::{self, Side, Way};
use super::word::{Idle, Notified};
use crate::channel::Link;
use crate::failure::Cause;
use crate::node::Claimed;
use crate::node::bound::Status;
use crate::stats::Wait;
use crate::sync::{Arc, Duration, Instant, Ordering, fence, mutated};
use crate::tuning::Tuning;

/// Runs tasks on one thread; keeps what it needs from one to the next.
#[derive(Default)]
pub(crate) struct Driver {
    /// Whom a flush scheduled, until RUN is given up.
    woken: Vec<TaskRef>,
    tuning: Tuning,
}

impl Driver {
    /// For a worker of a pool.
    pub(crate) fn new(tuning: Tuning) -> Self {
        Self { woken: Vec::new(), tuning }
    }

    /// Runs a scheduled task until it waits, yields or ends.
    ///
    /// When RUN is given up, another worker may run the node, end it, and free its network. So references into
    /// the task live in `activate` alone, and never as an argument of the call that gives RUN up.
    pub(crate) fn drive(&mut self, task: TaskRef) {
        match self.activate(task) {
            After::Nothing => {}
            // SAFETY: the task has ended just now and has not been counted.
            After::Ended(net) => unsafe { Net::one_ended(net) },
            After::Claimed(claimed, net) => work_off(claimed, task, &net),
        }
    }

    fn activate(&mut self, this: TaskRef) -> After {
        // SAFETY: a scheduled task has not ended, so its network is alive as long as RUN is held.
        let task = unsafe { this.get() };
        task.word.begin();
        let _inside = Inside::enter(task.net());
        // SAFETY: `begin` took RUN, and on every path below the last use of the slot comes before RUN is given up.
        let slot = unsafe { task.slot() };
        let stats = self.tuning.stats;
        let began = if stats { task.figures.begin(&mut slot.meter) } else { None };
        let mut terms = slot.terms(began, &self.tuning);
        let mut fired = 0;
        loop {
            disarm(task, slot);
            let Some(body) = &mut slot.body else {
                debug_assert!(false, "a node that has ended was scheduled");
                return After::Nothing;
            };
            let mut cx = Cx {
                task,
                edges: &slot.edges,
                terms: &mut terms,
                fired,
                touched: false,
                foreign: false,
                helped: (0, 0),
                rewired: Vec::new(),
                several: Vec::new(),
            };
            let status = if task.asked(CANCEL) && body.is_at_rest() {
                Ok(Status::Done)
            } else {
                catch_unwind(AssertUnwindSafe(|| body.activate(&mut cx)))
            };
            let (foreign, rewired, several) =
                (cx.foreign, std::mem::take(&mut cx.rewired), std::mem::take(&mut cx.several));
            let (news, helped) = (cx.fired - fired, cx.helped);
            fired = cx.fired;
            if !rewired.is_empty() {
                slot.edges.rewire(rewired);
            }
            // What others do for it is no empty activation.
            let claims = matches!(status, Ok(Status::Claimed(_) | Status::Claims));
            let now =
                if news == 0 && (claims || helped.0 > 0) { None } else { book(task, slot, &mut terms, news, stats) };
            book_helped(task, slot, helped);
            // The wait that may be part of a cycle of waits.
            let mut watched = None;
            let cause = match status {
                Ok(Status::Yield) => return self.give_way(this),
                Ok(Status::Input(edge, target)) => {
                    let link = &slot.edges.inputs()[edge];
                    link.arm_consumer(target);
                    slot.armed = Armed::Input(edge as u32, target);
                    watched = (link.is_watched() && !foreign).then_some((link, Side::Input));
                    task.figures.block(&mut slot.meter, Wait::Input, now, terms.weight);
                    None
                }
                Ok(Status::Output(edge, target)) => {
                    let link = &slot.edges.outputs()[edge];
                    link.arm_producer(target);
                    slot.armed = Armed::Output(edge as u32, target);
                    watched = (link.is_watched() && !foreign).then_some((link, Side::Output));
                    task.figures.block(&mut slot.meter, Wait::Output, now, terms.weight);
                    None
                }
                Ok(Status::Several) => {
                    for &(edge, target) in &several {
                        slot.edges.inputs()[edge].arm_consumer(target);
                    }
                    // For those who search for stalls it waits for the outside: no one peer can tell whether it will go on.
                    slot.armed = Armed::Several;
                    slot.extra.get_or_insert_default().several = several;
                    task.figures.block(&mut slot.meter, Wait::Input, now, terms.weight);
                    None
                }
                Ok(Status::External) => {
                    task.figures.block(&mut slot.meter, Wait::Outside, now, terms.weight);
                    None
                }
                Ok(Status::Claimed(claimed)) => {
                    let net = task.net().handle();
                    task.help();
                    self.flush(&slot.edges);
                    task.word.yield_();
                    // User code follows, so nothing may stay in the slot.
                    core::enqueue(this);
                    self.release_all();
                    return After::Claimed(claimed, net);
                }
                Ok(Status::Claims) => None,
                Ok(Status::Done) => Some(None),
                Ok(Status::Failed(error)) => Some(Some(Cause::Error(error))),
                Err(payload) => Some(Some(Cause::panic(payload))),
            };
            if let Some(cause) = cause {
                let net = task.net_ptr();
                self.end(task, slot, cause);
                task.word.done();
                self.release();
                return After::Ended(net);
            }
            // The wait is armed: announce what was done, look again, and go idle where nothing has changed.
            if let Some((link, side)) = watched {
                task.waiting.on(link, side);
                slot.edges.watched.set(true);
            }
            self.flush(&slot.edges);
            // A node that waits for its claims to be dropped has been told already.
            if !met(slot) && (claims || !task.asked(CANCEL)) {
                // After the fence in the flush, and while RUN keeps the network alive.
                let stuck = watched.and_then(|(link, side)| suspect(task, link, side));
                if task.word.try_idle() == Idle::Gone {
                    self.release();
                    if let Some(net) = stuck {
                        court::examine(&net, &[this]);
                    }
                    return After::Nothing;
                }
            }
            task.figures.unblock(&mut slot.meter);
            if slot.armed == Armed::Nothing {
                // Woken from outside while it ran. That may be by its own doing, again and again: others get their turn.
                return self.give_way(this);
            }
            self.release_all();
        }
    }

    /// Gives up RUN and stays scheduled.
    fn give_way(&mut self, this: TaskRef) -> After {
        // SAFETY: the caller holds RUN, and the last use of the task comes before it is given up.
        let task = unsafe { this.get() };
        // SAFETY: as above.
        self.flush(&unsafe { task.slot() }.edges);
        let own_thread = matches!(task.home, Home::Own(_));
        task.word.yield_();
        // Scheduled and in no queue yet, it is still ours.
        self.release();
        if !own_thread {
            core::enqueue_behind(this);
        }
        After::Nothing
    }

    /// Announces what was published; whom it schedules waits in `woken` until RUN is given up.
    fn flush(&mut self, edges: &Edges) {
        let woken = &mut self.woken;
        if mutated("hints only") {
            return hint(edges, 16, core::notify);
        }
        flush(edges, |peer| note(woken, peer));
    }

    /// RUN is given up: the last one woken runs next here, the others stay near or go to the queue.
    fn release(&mut self) {
        if self.woken.len() > 1 {
            // SAFETY: they are scheduled and not yet queued, so they have not ended.
            self.woken.sort_by_key(|task| unsafe { task.get() }.priority);
        }
        let next = if self.tuning.slot { self.woken.pop() } else { None };
        for task in self.woken.drain(..) {
            core::enqueue_near(task);
        }
        if let Some(task) = next {
            core::with(|core| match core {
                // SAFETY: as above.
                Some(core) if unsafe { task.get() }.net().runs_on(&core.pool) => core.run_next(task),
                _ => core::enqueue(task),
            });
        }
    }

    /// RUN goes on: all go to the queue, since the slot must be empty while user code runs.
    fn release_all(&mut self) {
        for task in self.woken.drain(..) {
            core::enqueue(task);
        }
    }

    /// The node ends: its failure is recorded, its body goes, its neighbours learn of it.
    #[cold]
    fn end(&mut self, task: &Task, slot: &mut Slot, cause: Option<Cause>) {
        let net = task.net();
        // What was published last is announced before the body's `Drop`, which may wait for its effect.
        self.flush(&slot.edges);
        self.release_all();
        core::show();
        if let Some(cause) = cause {
            net.fail(task, cause);
        }
        // Dropping the body drops its ports, which publish what is finished and close.
        let body = slot.body.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(body))) {
            net.fail(task, Cause::panic_in_drop(payload));
        }
        if mutated("close by the need word") {
            self.flush(&slot.edges);
            return;
        }
        // A process may have given its ports away. They are of no use without it, and those at the other ends must not wait.
        let this = TaskRef::new(task);
        for input in slot.edges.inputs().iter().filter(|input| input.has_reader() && TaskRef::reader_of(input) == this)
        {
            input.close_head();
        }
        for output in
            slot.edges.outputs().iter().filter(|output| !output.has_ended() && TaskRef::writer_of(output) == this)
        {
            output.close_tail();
        }
        // An end may have been handed to another node since: it looks after it has made itself known, we close and then
        // look who it is, so one of the two sees the other.
        fence(Ordering::SeqCst);
        for input in slot.edges.inputs() {
            note(&mut self.woken, TaskRef::writer_of(input));
        }
        for output in slot.edges.outputs() {
            note(&mut self.woken, TaskRef::reader_of(output));
        }
    }
}

/// What is left to do once RUN is given up.
enum After {
    Nothing,
    /// The network of a task that has ended is still to be told.
    Ended(*const Net),
    /// A claim is to be worked off, in the name of a node of this network.
    Claimed(Claimed, Arc<Net>),
}

/// Works off a claim, without RUN. The network is kept, since the node may end and be gone before this worker has let go of it.
fn work_off(claimed: Claimed, task: TaskRef, net: &Arc<Net>) {
    let _inside = Inside::enter(net);
    // SAFETY: the network is kept.
    let site = Site { task: unsafe { task.get() } };
    let took = claimed.work(&site);
    site.task.helped();
    core::with(|core| {
        if let Some(core) = core {
            core.charge(took);
        }
    });
}

/// Whether a node that is about to go idle may be the last of some that wait for one another. Then it keeps the network,
/// so that it can look into it once it is idle itself. A way that is too long is left to the pool's workers.
fn suspect(task: &Task, link: &Link, side: Side) -> Option<Arc<Net>> {
    match wait::way(task, link, side) {
        Way::Open => None,
        Way::Stuck => Some(task.net().handle()),
        Way::Long => match task.home {
            Home::Own(_) => Some(task.net().handle()),
            Home::Pool => core::with(|core| match core {
                Some(core) => {
                    core.pool.suspects.add(TaskRef::new(task));
                    None
                }
                // This thread has given its core away, so that it is no worker any more.
                None => Some(task.net().handle()),
            }),
        },
    }
}

/// The second look of a node about to go idle: is what it armed for there?
fn met(slot: &Slot) -> bool {
    if mutated("block without a second look") {
        return false;
    }
    match slot.armed {
        Armed::Nothing => false,
        Armed::Input(edge, target) => slot.edges.inputs()[edge as usize].consumer_met(target),
        Armed::Output(edge, target) => slot.edges.outputs()[edge as usize].producer_met(target),
        Armed::Several => slot.several().iter().any(|&(edge, target)| slot.edges.inputs()[edge].consumer_met(target)),
    }
}

/// Notifies a task; one that goes to the pool waits in `woken`.
fn note(woken: &mut Vec<TaskRef>, peer: TaskRef) {
    // SAFETY: the caller is a task that has not ended, so the network is alive.
    let target = unsafe { peer.get() };
    if target.word.notify() == Notified::Enqueue {
        match target.home {
            Home::Own(_) => core::enqueue(peer),
            Home::Pool => woken.push(peer),
        }
    }
}

/// Takes back the wait word that the node went idle on.
fn disarm(task: &Task, slot: &mut Slot) {
    if slot.edges.watched.take() {
        task.waiting.over();
    }
    match std::mem::replace(&mut slot.armed, Armed::Nothing) {
        Armed::Nothing => {}
        Armed::Input(edge, _) => slot.edges.inputs()[edge as usize].disarm_consumer(),
        Armed::Output(edge, _) => slot.edges.outputs()[edge as usize].disarm_producer(),
        Armed::Several => {
            slot.several().iter().for_each(|&(edge, _)| slot.edges.inputs()[edge].disarm_consumer());
        }
    }
}

/// Books some firings and returns the time where the activation is timed.
fn book(task: &Task, slot: &mut Slot, terms: &mut Terms, firings: usize, stats: bool) -> Option<Instant> {
    let now = terms.began.map(|_| Instant::now());
    let busy = match terms.began.zip(now) {
        Some((began, now)) => {
            let took = now - began;
            slot.pace.learn(took, firings);
            if matches!(task.home, Home::Pool) {
                task.set_turn_ns(slot.pace.turn_ns(task.turn_ns(), took));
            }
            terms.began = Some(now);
            took.as_nanos() as u64
        }
        None => slot.pace.estimate(firings),
    };
    core::with(|core| {
        if let Some(core) = core {
            core.charge(busy);
        }
    });
    if !stats {
        return None;
    }
    task.figures.book(firings, busy);
    if cfg!(feature = "stats") {
        slot.edges.outputs().iter().for_each(|output| output.gauge());
    }
    now
}

/// Books what others did in the node's name.
fn book_helped(task: &Task, slot: &mut Slot, (firings, ns): (usize, u64)) {
    if firings > 0 {
        slot.pace.learn(Duration::from_nanos(ns), firings);
        task.figures.book(firings, ns);
    }
}
