//! Judging stalls: is it one, of which kind, and what follows.

use std::collections::HashMap;
use std::panic::catch_unwind;

use super::core;
use super::life::Net;
use super::task::{CANCEL, TaskRef};
use super::wait::{Side, Step, Wait, rests};
use crate::channel::Link;
use crate::stall::{Blocked, Deadlock, DeadlockKind, Growth, Stall, Waits};
use crate::sync::{Arc, Ordering, drop_quietly, fence};

/// What a network keeps of its stalls. One search at a time.
#[derive(Default)]
pub(crate) struct Court {
    /// The number of the last search.
    searches: u64,
    /// What edges have grown by, in bytes.
    grown: usize,
    pub(super) growths: Vec<Growth>,
    pub(super) deadlocks: Vec<Deadlock>,
}

/// What a search came to.
enum Found {
    Nothing,
    /// Waits that lead from one to the next and back.
    Cycle(Vec<Wait>),
    /// Somebody waits for what is there.
    Lost(Wait),
}

/// Looks into what some nodes of a network wait for, and acts where it is for ever.
pub(super) fn examine(net: &Arc<Net>, starts: &[TaskRef]) {
    let mut court = net.court();
    let told = (court.growths.len(), court.deadlocks.len());
    let first = court.searches + 1;
    for &start in starts {
        court.searches += 1;
        match search(start, first, court.searches) {
            Found::Nothing => {}
            Found::Cycle(cycle) => {
                if all_still_wait(&cycle) {
                    court.judge(net, cycle);
                }
            }
            Found::Lost(wait) => {
                fence(Ordering::SeqCst);
                let same = matches!(Wait::of(wait.task), Step::Met(again) if again == wait);
                if same && rests(wait.peer()) {
                    court.lost(net, wait);
                }
            }
        }
    }
    let (growths, deadlocks) = (court.growths[told.0..].to_vec(), court.deadlocks[told.1..].to_vec());
    drop(court);
    tell(&growths, &deadlocks);
}

/// Says what has happened. A subscriber is somebody else's code, so nothing is locked, and what it throws ends here.
fn tell(growths: &[Growth], deadlocks: &[Deadlock]) {
    drop_quietly(catch_unwind(|| {
        for Growth { edge, from, to } in growths {
            tracing::warn!(edge, from, to, "bounded edges stalled the network: this one grows");
        }
        for deadlock in deadlocks {
            tracing::error!(%deadlock, "the network has stalled");
        }
    }));
}

/// Follows the way from a node. What an earlier search since `first` has seen leads to nothing new.
fn search(start: TaskRef, first: u64, this: u64) -> Found {
    let mut path: Vec<Wait> = Vec::new();
    let mut next = start;
    loop {
        // SAFETY: the caller keeps the network alive.
        let mark = &unsafe { next.get() }.waiting.mark;
        let before = mark.load(Ordering::Relaxed);
        if before == this {
            let entry = path.iter().position(|wait| wait.task == next).unwrap_or(0);
            return Found::Cycle(path.split_off(entry));
        }
        if before >= first {
            return Found::Nothing;
        }
        mark.store(this, Ordering::Relaxed);
        match Wait::of(next) {
            Step::Waits(wait) => {
                path.push(wait);
                next = wait.peer();
            }
            Step::Parking => {
                // It may have looked before the others waited, so that nobody would look again: it does, before it goes idle.
                core::notify(next);
                return Found::Nothing;
            }
            Step::Met(wait) if rests(wait.peer()) => return Found::Lost(wait),
            Step::Met(_) | Step::Moves => return Found::Nothing,
        }
    }
}

/// The second look. Where nobody has moved since the first one, all of them waited at one instant between the two, and
/// none could have been woken but by another.
fn all_still_wait(cycle: &[Wait]) -> bool {
    fence(Ordering::SeqCst);
    cycle.iter().all(|wait| match Wait::of(wait.task) {
        Step::Waits(again) => again == *wait,
        Step::Parking => {
            core::notify(wait.task);
            false
        }
        Step::Met(_) | Step::Moves => false,
    })
}

impl Court {
    fn judge(&mut self, net: &Arc<Net>, cycle: Vec<Wait>) {
        if net.is_aborting() {
            return;
        }
        let full = cycle.iter().filter(|wait| wait.side == Side::Output);
        if let Some(&full) = full.min_by_key(|wait| wait.link().capacity()) {
            return self.artificial(net, cycle, full);
        }
        let initial: Vec<Wait> = cycle.iter().copied().filter(|wait| wait.link().has_initial()).collect();
        if !initial.is_empty() && outside_has_ended(net, &cycle) {
            // All that went round has gone, and nothing comes any more: the loop has ended.
            for wait in initial {
                wait.link().close_tail();
                core::notify(wait.task);
            }
            return;
        }
        self.deadlock(net, DeadlockKind::True, cycle);
    }

    /// The smallest full edge of the cycle grows, if it may (Parks 1995).
    fn artificial(&mut self, net: &Arc<Net>, cycle: Vec<Wait>, full: Wait) {
        let link = full.link();
        let from = link.capacity();
        let needed = full.target.saturating_add(from) - link.head();
        if let Stall::Grow { max_bytes } = net.stall
            && !link.growth_failed()
        {
            let to = needed.max(from.saturating_mul(2));
            let names = Names::of(net);
            let (edge, size) = names.edge(link);
            let bytes = (to - from).saturating_mul(size);
            if self.grown.saturating_add(bytes) <= max_bytes && link.ask_capacity(to) {
                self.grown += bytes;
                self.growths.push(Growth { edge, from, to });
                return core::notify(full.task);
            }
        }
        let edge = Names::of(net).edge(link).0;
        self.deadlock(net, DeadlockKind::Artificial { edge, needed }, cycle);
    }

    /// The nodes on the cycle end, and the network stops.
    fn deadlock(&mut self, net: &Arc<Net>, kind: DeadlockKind, mut cycle: Vec<Wait>) {
        let names = Names::of(net);
        // The same cycle is told in the same way, whoever found it.
        let first = cycle.iter().enumerate().min_by_key(|(_, wait)| names.order(wait.link())).map_or(0, |(i, _)| i);
        cycle.rotate_left(first);
        let deadlock = Deadlock { kind, cycle: cycle.iter().map(|wait| names.blocked(wait)).collect() };
        self.deadlocks.push(deadlock);
        net.deadlocked();
        for wait in &cycle {
            // SAFETY: the caller keeps the network alive.
            unsafe { wait.task.get() }.control(CANCEL);
        }
        cycle.iter().for_each(|wait| core::notify(wait.task));
    }

    /// A bug of ours. It is told, and then the node is woken, so that nothing hangs.
    fn lost(&mut self, net: &Arc<Net>, wait: Wait) {
        let blocked = Names::of(net).blocked(&wait);
        self.deadlocks.push(Deadlock { kind: DeadlockKind::LostWakeUp, cycle: vec![blocked] });
        net.deadlocked();
        core::notify(wait.task);
    }
}

/// Whether nothing can come into the component of a cycle any more, and nothing is left before it.
fn outside_has_ended(net: &Net, cycle: &[Wait]) -> bool {
    // SAFETY: the caller keeps the network alive.
    let component = |task: TaskRef| unsafe { task.get() }.component;
    let Some(own) = cycle.first().map(|wait| component(wait.task)) else { return false };
    let members = net.members();
    let enters = |link: &Link| component(TaskRef::reader_of(link)) == own && component(TaskRef::writer_of(link)) != own;
    members.edges.iter().map(|edge| &*edge.link).filter(|link| enters(link)).all(|link| link.is_drained())
}

/// The names of a network's edges.
struct Names<'a> {
    net: &'a Net,
    /// The place of each edge among all.
    order: HashMap<*const Link, usize>,
}

impl<'a> Names<'a> {
    fn of(net: &'a Net) -> Self {
        let members = net.members();
        let order = members.edges.iter().enumerate().map(|(i, edge)| (Arc::as_ptr(&edge.link), i)).collect();
        Self { net, order }
    }

    fn order(&self, link: &Link) -> usize {
        self.order.get(&std::ptr::from_ref(link)).copied().unwrap_or(usize::MAX)
    }

    /// Its name, and the size of its tokens.
    fn edge(&self, link: &Link) -> (String, usize) {
        let members = self.net.members();
        members
            .edges
            .get(self.order(link))
            .map_or_else(|| ("?".to_owned(), 0), |edge| (edge.name.clone(), edge.token_size))
    }

    fn blocked(&self, wait: &Wait) -> Blocked {
        let link = wait.link();
        let (len, capacity) = (link.len(), link.capacity());
        let (waits_for, need) = match wait.side {
            Side::Input => (Waits::Tokens, wait.target.saturating_sub(link.head())),
            Side::Output => (Waits::Space, (wait.target + capacity).saturating_sub(link.tail())),
        };
        // SAFETY: the caller keeps the network alive.
        let name = |task: TaskRef| unsafe { task.get() }.name.to_string();
        let (node, peer) = (name(wait.task), name(wait.peer()));
        Blocked { node, edge: self.edge(link).0, waits_for, need, len, capacity, peer }
    }
}
