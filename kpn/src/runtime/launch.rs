//! From a checked plan to a running network.

use super::assemble::{self, Edgework, Handed, Outfit};
use super::core;
use super::drive::Driver;
use super::life::{Members, Net, Seat};
use super::private;
use super::task::{CANCEL, Home, TaskRef};
use super::word::Notified;
use crate::config::{Place, spin_for};
use crate::failure::StartError;
use crate::plan::{Parts, Plan};
use crate::sync::{Arc, cores, next_id, panicking};

/// Starts a network.
///
/// The bodies' lifetime is erased here: the caller of a network that borrows waits for its end, panics included, as
/// a scoped thread's spawner does. That is `Network::run_on`'s duty; `start` takes only `'static` ones.
/// `lineage` are the networks whose nodes wait for this one's end.
pub(crate) fn launch(plan: Plan<'_>, place: Place, lineage: Vec<u64>) -> Result<Arc<Net>, StartError> {
    let Plan { nodes, edges, parts, stall } = plan;
    let Parts { bodies, makes, clones, initials, taps, recorder } = parts;
    let (seat, own_spin) = match place {
        Place::Pool { workers, owned } => {
            workers.check_process()?;
            let lane = workers.lanes.open();
            (Some(Seat { workers, lane, owned }), None)
        }
        Place::Private { spin } => (None, spin),
    };
    let own_threads = seat.is_none();
    let alone = seat.as_ref().is_some_and(|seat| seat.workers.is_alone());
    let own: Vec<bool> = nodes.iter().map(|node| seat.is_none() || node.own_thread && !alone).collect();
    let threads = own.iter().filter(|own| **own).count();
    let busy = threads + seat.as_ref().map_or(0, |seat| seat.workers.size.min(nodes.len() - threads));
    warn_of_too_many(busy);
    let spin = spin_for(own_spin, busy);

    let mut work = Edgework::make(&edges, &makes, initials)?;
    let (mut tasks, mut parkers) = (Vec::new(), Vec::new());
    let net = Net::new(next_id(), seat, lineage, stall, (own_threads, spin), |net| {
        (tasks, parkers) = nodes.iter().zip(&own).map(|(node, own)| assemble::task(net, node, *own)).unzip();
        Members::new(tasks.clone(), work.reported(&edges, &Handed::default()))
    });
    if let Some(recorder) = recorder {
        let _ = net.recorder.set(recorder);
    }
    // SAFETY: nothing is scheduled yet. The bodies are dropped before `live` falls to 0, and whoever holds what they borrow
    // waits for that (see above).
    let begins = unsafe {
        assemble::fill(&nodes, &edges, bodies, Outfit { clones, taps }, &mut work, Handed::default(), &tasks)
    };

    net.hold();
    let _launching = Launching(net.clone());
    net.adopt();
    let mut without = Vec::new();
    for ((&task, node), parker) in tasks.iter().zip(&nodes).zip(parkers) {
        let Some(parker) = parker else { continue };
        match private::spawn(&net, task, private::Terms { parker, spin, core: node.core }) {
            Ok(thread) => net.add_thread(thread),
            Err(error) => without.push((task, error)),
        }
    }
    if !without.is_empty() {
        return Err(call_off(&net, &tasks, without));
    }
    for (&task, _) in tasks.iter().zip(begins).filter(|(_, begins)| *begins) {
        core::notify(task);
    }
    if let Some(shuffle) = net.shuffle() {
        shuffle.begin();
    }
    Ok(net)
}

/// From the moment that a network holds itself: whatever throws, its bodies are gone before the caller is.
struct Launching(Arc<Net>);

impl Drop for Launching {
    fn drop(&mut self) {
        if panicking() {
            self.0.abort();
            self.0.wait_until_ended();
        }
    }
}

/// Ends a network some of whose nodes got no thread. Nothing has been enqueued yet: what has no thread of its own is
/// taken here, all at once and before any of it can be notified, since the pool's only worker may be this thread.
fn call_off(net: &Arc<Net>, tasks: &[TaskRef], without: Vec<(TaskRef, std::io::Error)>) -> StartError {
    // SAFETY: the caller has the network, which owns the tasks.
    let get = |task: TaskRef| unsafe { task.get() };
    tasks.iter().for_each(|&task| get(task).control(CANCEL));
    let has_thread = |task: &TaskRef| {
        matches!(get(*task).home, Home::Own(_)) && !without.iter().any(|(threadless, _)| threadless == task)
    };
    let (theirs, ours): (Vec<TaskRef>, Vec<TaskRef>) = tasks.iter().partition(|task| has_thread(task));
    let ours: Vec<_> = ours.into_iter().filter(|&task| get(task).word.notify() == Notified::Enqueue).collect();
    theirs.into_iter().for_each(core::notify);
    let mut driver = Driver::default();
    ours.into_iter().for_each(|task| driver.drive(task));
    net.wait_until_ended();
    net.join();
    StartError::thread(without.into_iter().next().map_or_else(|| std::io::Error::other("no thread"), |(_, e)| e))
}

fn warn_of_too_many(threads: usize) {
    let cores = cores();
    if threads > cores {
        tracing::warn!(
            threads,
            cores,
            "{threads} threads for {cores} cores: they take turns by preemption, and each hand-over costs a wake. \
             On two cores, nodes of 1 µs ran 3 to 31 % slower than on the pool from 3 threads on, nodes of 10 µs 6 to 7 % \
             slower from 18 on. Ask for fewer workers, or run on `Shared`, which is sized to the machine, and keep `.private()` and \
             `.blocking()` for the nodes that need it."
        );
    }
}
