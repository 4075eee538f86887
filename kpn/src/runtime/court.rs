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
    verdicts: Vec<Verdict>,
}

/// A stall that was judged. Its words are made when somebody asks: ten thousand names take longer than the search.
struct Verdict {
    kind: Kind,
    cycle: Vec<Seen>,
}

/// As [`DeadlockKind`], without words.
enum Kind {
    Artificial { edge: *const Link, needed: usize },
    True,
    LostWakeUp,
}

/// A wait, with what was on its edge when it was judged.
struct Seen {
    wait: Wait,
    peer: TaskRef,
    need: usize,
    len: usize,
    capacity: usize,
}

// SAFETY: the pointers are to edges and nodes of the network that the verdict is kept in.
unsafe impl Send for Verdict {}

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
    let told = (court.growths.len(), court.verdicts.len());
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
    let growths = court.growths[told.0..].to_vec();
    let stalls: Vec<String> = court.verdicts[told.1..].iter().map(|verdict| verdict.in_short(net)).collect();
    drop(court);
    tell(&growths, &stalls);
}

/// Says what has happened. A subscriber is somebody else's code, so nothing is locked, and what it throws ends here.
fn tell(growths: &[Growth], stalls: &[String]) {
    drop_quietly(catch_unwind(|| {
        for Growth { edge, from, to } in growths {
            tracing::warn!(edge, from, to, "bounded edges stalled the network: this one grows");
        }
        for stall in stalls {
            tracing::error!("the network has stalled: {stall}");
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
        match outside(net, &cycle) {
            _ if initial.is_empty() => self.deadlock(net, Kind::True, cycle),
            Outside::Stuck => self.deadlock(net, Kind::True, cycle),
            // Its end wakes one of the cycle's component, and its own wait leads here: either way somebody looks again.
            Outside::Open => {}
            Outside::Ended => {
                // All that went round has gone, and nothing comes any more: the loop has ended.
                for wait in initial {
                    wait.link().close_tail();
                    core::notify(wait.task);
                }
            }
        }
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
            let (edge, size) = edge_of(net, link);
            // Rings are powers of two.
            let slots = |capacity: usize| capacity.checked_next_power_of_two().unwrap_or(usize::MAX);
            let bytes = (slots(to) - slots(from)).saturating_mul(size.max(1));
            if self.grown.saturating_add(bytes) <= max_bytes && link.ask_capacity(to) {
                self.grown += bytes;
                self.growths.push(Growth { edge, from, to });
                return core::notify(full.task);
            }
        }
        self.deadlock(net, Kind::Artificial { edge: link, needed }, cycle);
    }

    /// The nodes on the cycle end, and the network stops.
    fn deadlock(&mut self, net: &Arc<Net>, kind: Kind, cycle: Vec<Wait>) {
        self.verdicts.push(Verdict { kind, cycle: cycle.iter().map(Seen::of).collect() });
        net.deadlocked();
        for wait in &cycle {
            // SAFETY: the caller keeps the network alive.
            unsafe { wait.task.get() }.control(CANCEL);
        }
        cycle.iter().for_each(|wait| core::notify(wait.task));
    }

    /// A bug of ours. It is told, and then the node is woken, so that nothing hangs.
    fn lost(&mut self, net: &Arc<Net>, wait: Wait) {
        self.verdicts.push(Verdict { kind: Kind::LostWakeUp, cycle: vec![Seen::of(&wait)] });
        net.deadlocked();
        core::notify(wait.task);
    }

    /// The deadlocks that were found, in words.
    pub(super) fn deadlocks(&self, net: &Net) -> Vec<Deadlock> {
        if self.verdicts.is_empty() {
            return Vec::new();
        }
        let members = net.members();
        let order: HashMap<*const Link, usize> =
            members.edges.iter().enumerate().map(|(i, edge)| (edge.link.as_ptr(), i)).collect();
        let place = |link: *const Link| order.get(&link).copied().unwrap_or(usize::MAX);
        let edge = |link| members.edges.get(place(link)).map_or_else(|| "?".to_owned(), |edge| edge.name.to_string());
        let in_words = |verdict: &Verdict| {
            let mut cycle: Vec<&Seen> = verdict.cycle.iter().collect();
            // The same cycle is told in the same way, whoever found it.
            let first = (0..cycle.len()).min_by_key(|&i| place(cycle[i].wait.link())).unwrap_or(0);
            cycle.rotate_left(first);
            let max_bytes = match net.stall {
                Stall::Error => None,
                Stall::Grow { max_bytes } => Some(max_bytes),
            };
            let kind = match verdict.kind {
                Kind::Artificial { edge: full, needed } => {
                    DeadlockKind::Artificial { edge: edge(full), needed, max_bytes }
                }
                Kind::True => DeadlockKind::True,
                Kind::LostWakeUp => DeadlockKind::LostWakeUp,
            };
            Deadlock { kind, cycle: cycle.into_iter().map(|seen| seen.in_words(edge(seen.wait.link()))).collect() }
        };
        self.verdicts.iter().map(in_words).collect()
    }
}

impl Seen {
    fn of(wait: &Wait) -> Self {
        let link = wait.link();
        let (len, capacity) = (link.len(), link.capacity());
        let need = match wait.side {
            Side::Input => wait.target.saturating_sub(link.head()),
            Side::Output => (wait.target + capacity).saturating_sub(link.tail()),
        };
        Self { wait: *wait, peer: wait.peer(), need, len, capacity }
    }

    fn in_words(&self, edge: String) -> Blocked {
        let Self { wait, need, len, capacity, .. } = *self;
        let waits_for = match wait.side {
            Side::Input => Waits::Tokens,
            Side::Output => Waits::Space,
        };
        // SAFETY: the caller keeps the network alive.
        let name = |task: TaskRef| unsafe { task.get() }.name.to_string();
        Blocked { node: name(wait.task), edge, waits_for, need, len, capacity, peer: name(self.peer) }
    }
}

impl Verdict {
    /// In words where they are few, else the names of some of the nodes.
    fn in_short(&self, net: &Net) -> String {
        const FEW: usize = 8;
        if self.cycle.len() <= FEW {
            let short = |seen: &Seen| seen.in_words(edge_of(net, seen.wait.link()).0).to_string();
            return self.cycle.iter().map(short).collect::<Vec<_>>().join("; ");
        }
        // SAFETY: the caller keeps the network alive.
        let name = |seen: &Seen| format!("`{}`", unsafe { seen.wait.task.get() }.name);
        let some: Vec<String> = self.cycle.iter().take(FEW).map(name).collect();
        format!("{} nodes wait for one another, among them {}", self.cycle.len(), some.join(", "))
    }
}

/// An edge's name, and the size of its tokens.
fn edge_of(net: &Net, link: &Link) -> (String, usize) {
    let members = net.members();
    let edge = members.edges.iter().find(|edge| std::ptr::eq(edge.link.as_ptr(), link));
    edge.map_or_else(|| ("?".to_owned(), 0), |edge| (edge.name.to_string(), edge.token_size))
}

/// What there is outside of a loop that has run dry.
#[derive(PartialEq)]
enum Outside {
    /// Nothing comes any more, and nothing is left before the loop.
    Ended,
    /// Something may still come, or end.
    Open,
    /// There are tokens that nobody will take, or somebody outside waits for the loop himself.
    Stuck,
}

fn outside(net: &Net, cycle: &[Wait]) -> Outside {
    // SAFETY: the caller keeps the network alive.
    let component = |task: TaskRef| unsafe { task.get() }.component;
    let Some(own) = cycle.first().map(|wait| component(wait.task)) else { return Outside::Stuck };
    let members = net.members();
    let enters = |link: &Link| component(TaskRef::reader_of(link)) == own && component(TaskRef::writer_of(link)) != own;
    let mut outside = Outside::Ended;
    for link in members.edges.iter().map(|edge| &*edge.link).filter(|link| enters(link)) {
        if link.is_drained() {
            continue;
        }
        // Who is to move next at this edge: its reader where there is a token, else its writer.
        let next = if link.len() > 0 { TaskRef::reader_of(link) } else { TaskRef::writer_of(link) };
        if leads_to(next, cycle) {
            return Outside::Stuck;
        }
        outside = Outside::Open;
    }
    outside
}

/// Whether a node waits, over others that wait, for one on a cycle of waits, or on another such cycle.
fn leads_to(start: TaskRef, cycle: &[Wait]) -> bool {
    let mut path: Vec<Wait> = Vec::new();
    let mut next = start;
    loop {
        let arrived = |waits: &[Wait]| waits.iter().any(|wait| wait.task == next);
        if arrived(cycle) || arrived(&path) {
            return all_still_wait(&path);
        }
        match Wait::of(next) {
            Step::Waits(wait) => {
                path.push(wait);
                next = wait.peer();
            }
            Step::Parking => {
                core::notify(next);
                return false;
            }
            Step::Met(_) | Step::Moves => return false,
        }
    }
}
