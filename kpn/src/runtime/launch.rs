//! From a checked plan to a running network.

use super::core;
use super::drive::Driver;
use super::life::{Edge, Net, Seat};
use super::private;
use super::task::{Armed, CANCEL, Edges, Home, Neighbour, Task, TaskRef};
use super::word::Notified;
use crate::channel::Link;
use crate::config::{Place, spin_for};
use crate::failure::StartError;
use crate::node::bound::Unbound;
use crate::node::rate::OpaqueFan;
use crate::plan::{Parts, Plan};
use crate::sync::{Arc, Parker, cores, next_id, panicking};

/// Starts a network.
///
/// The bodies' lifetime is erased here: the caller of a network that borrows waits for its end, panics included, as
/// a scoped thread's spawner does. That is `Network::run_on`'s duty; `start` takes only `'static` ones.
/// `lineage` are the networks whose nodes wait for this one's end.
pub(crate) fn launch(plan: Plan<'_>, place: Place, lineage: Vec<u64>) -> Result<Arc<Net>, StartError> {
    let Plan { nodes, edges, parts } = plan;
    let Parts { mut bodies, makes, mut clones, mut initials } = parts;
    let (seat, own_spin) = match place {
        Place::Pool { workers, owned } => {
            workers.check_process()?;
            let lane = workers.lanes.open();
            (Some(Seat { workers, lane, owned }), None)
        }
        Place::Private { spin } => (None, spin),
    };
    let own: Vec<bool> = nodes.iter().map(|node| seat.is_none() || node.own_thread).collect();
    let threads = own.iter().filter(|own| **own).count();
    let busy = threads + seat.as_ref().map_or(0, |seat| seat.workers.size.min(nodes.len() - threads));
    warn_of_too_many(busy);
    let spin = spin_for(own_spin, busy);

    let parkers: Vec<Parker> = nodes.iter().map(|_| Parker::new()).collect();
    let links: Vec<Arc<Link>> = edges.iter().map(|edge| Arc::new(Link::new(edge.capacity))).collect();
    let mut producers: Vec<_> = Vec::with_capacity(edges.len());
    let mut consumers: Vec<_> = Vec::with_capacity(edges.len());
    for (i, ((make, link), edge)) in makes.iter().zip(&links).zip(&edges).enumerate() {
        let no_memory = || StartError::Memory { edge: edge.name.clone(), capacity: edge.capacity };
        let initial = initials.remove(&i).map(|initial| initial.tokens);
        let (producer, consumer) = make(link.clone(), initial).ok_or_else(no_memory)?;
        producers.push(Some(producer));
        consumers.push(Some(consumer));
    }
    let reported = edges.iter().zip(&links).map(|(edge, link)| Edge { name: edge.name.clone(), link: link.clone() });
    let names = nodes.iter().map(|node| node.name.clone()).collect();
    let net = Net::new(next_id(), names, reported.collect(), seat, lineage, |net| {
        let task = |(i, node): (usize, &crate::plan::Node)| {
            let home = if own[i] { Home::Own(parkers[i].unparker().clone()) } else { Home::Pool };
            Task::new(net, i, home, node.priority, node.inputs.is_empty())
        };
        nodes.iter().enumerate().map(task).collect()
    });

    let mut begins = vec![false; nodes.len()];
    let peer =
        |edge: usize, node: usize| Neighbour { link: links[edge].clone(), peer: TaskRef::new(&net.tasks()[node]) };
    for (i, node) in nodes.iter().enumerate() {
        let inputs = node.inputs.iter().map(|&edge| consumers[edge].take().expect("an edge has one reader")).collect();
        let outputs = node.outputs.iter().enumerate().map(|(port, readers)| OpaqueFan {
            readers: readers.iter().map(|&edge| producers[edge].take().expect("an edge has one writer")).collect(),
            clone: clones.remove(&(i, port)),
        });
        let outputs = outputs.collect();
        let body: Box<dyn Unbound + '_> = bodies[i].take().expect("every node of a plan has a body");
        begins[i] = node.inputs.is_empty() || body.begins() || node.inputs.iter().any(|&edge| edges[edge].initial > 0);
        // SAFETY: nothing is scheduled yet, so the task is ours alone.
        let slot = unsafe { net.tasks()[i].slot() };
        // SAFETY: only the lifetime changes. The body is dropped before `live` falls to 0, and whoever holds what it
        // borrows waits for that (see above).
        slot.body = Some(unsafe { crate::node::bound::erase(body.bind(inputs, outputs)) });
        slot.edges = Edges {
            inputs: node.inputs.iter().map(|&edge| peer(edge, edges[edge].from)).collect(),
            outputs: node.outputs.iter().flatten().map(|&edge| peer(edge, edges[edge].to)).collect(),
        };
        slot.pace.eager = node.blocking || node.inputs.is_empty();
        // A node with inputs starts as if it had gone idle on its first one: no activation is spent on that.
        if let Some(&edge) = node.inputs.first() {
            links[edge].arm_consumer(node.need);
            slot.armed = Armed::Input(0, node.need);
        }
    }

    net.hold();
    let _launching = Launching(net.clone());
    net.adopt();
    let mut without: Vec<(usize, std::io::Error)> = Vec::new();
    for (i, parker) in parkers.into_iter().enumerate().filter(|(i, _)| own[*i]) {
        match private::spawn(&net, i, private::Terms { parker, spin, core: nodes[i].core }) {
            Ok(thread) => net.add_thread(thread),
            Err(error) => without.push((i, error)),
        }
    }
    if !without.is_empty() {
        return Err(call_off(&net, without));
    }
    for task in net.tasks().iter().filter(|task| begins[task.index]) {
        core::notify(TaskRef::new(task));
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
fn call_off(net: &Arc<Net>, without: Vec<(usize, std::io::Error)>) -> StartError {
    net.tasks().iter().for_each(|task| task.control(CANCEL));
    let has_thread = |task: &&Task| matches!(task.home, Home::Own(_)) && !without.iter().any(|(i, _)| *i == task.index);
    let (theirs, ours): (Vec<&Task>, Vec<&Task>) = net.tasks().iter().partition(has_thread);
    let ours: Vec<_> = ours.into_iter().filter(|task| task.word.notify() == Notified::Enqueue).collect();
    theirs.into_iter().for_each(|task| core::notify(TaskRef::new(task)));
    let mut driver = Driver::default();
    ours.into_iter().for_each(|task| driver.drive(TaskRef::new(task)));
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
             Ask for fewer workers, or run on `Shared`, which is sized to the machine, and keep `.private()` and \
             `.blocking()` for the nodes that need it."
        );
    }
}
