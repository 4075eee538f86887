//! Edges made, bodies bound, tasks filled: what starting a network and adding to a running one have in common.

use std::collections::HashMap;

use super::life::{Edge, Net};
use super::task::{Armed, Edges, Home, Task, TaskRef};
use super::wait::Side;
use crate::channel::{Link, LinkRef};
use crate::failure::StartError;
use crate::history::Recorder;
use crate::node::Initial;
use crate::node::bound::{Unbound, erase};
use crate::node::rate::{MakeEdge, Opaque, OpaqueFan};
use crate::plan;
use crate::sync::{Arc, Parker};

/// Ends of edges that exist already, which a process gives to new nodes.
#[derive(Default)]
pub(super) struct Handed {
    /// An edge of the plan, and what it is in fact: the process's old reading end is among the halves.
    pub(super) input: Option<(usize, LinkRef)>,
    /// An edge of the plan, and what takes its place at its writer.
    pub(super) output: Option<(usize, OpaqueFan, Vec<LinkRef>)>,
}

/// What outputs have beside their readers, by (node, output).
#[derive(Default)]
pub(super) struct Outfit {
    pub(super) clones: HashMap<(usize, usize), Opaque>,
    pub(super) taps: HashMap<(usize, usize), Vec<Opaque>>,
}

/// The edges of a plan, with the halves that nobody has taken yet.
pub(super) struct Edgework {
    pub(super) links: Vec<LinkRef>,
    pub(super) producers: Vec<Option<Opaque>>,
    pub(super) consumers: Vec<Option<Opaque>>,
}

impl Edgework {
    /// # Errors
    ///
    /// Where there is no memory for an edge.
    pub(super) fn make(
        edges: &[plan::Edge],
        makes: &[MakeEdge],
        mut initials: HashMap<usize, Initial>,
    ) -> Result<Self, StartError> {
        let mut made = Self { links: Vec::new(), producers: Vec::new(), consumers: Vec::new() };
        for (i, (make, edge)) in makes.iter().zip(edges).enumerate() {
            let link = LinkRef::new(Link::new(edge.capacity).watched(edge.watched).with_initial(edge.initial > 0));
            let initial = initials.remove(&i).map(|initial| initial.tokens);
            let no_memory = || StartError::Memory { edge: edge.name.clone(), capacity: edge.capacity };
            let (producer, consumer) = make(link.clone(), initial).ok_or_else(no_memory)?;
            made.links.push(link);
            made.producers.push(Some(producer));
            made.consumers.push(Some(consumer));
        }
        Ok(made)
    }

    /// As the network keeps them for its reports, save one that it has already.
    pub(super) fn reported(&self, edges: &[plan::Edge], handed: &Handed) -> Vec<Edge> {
        let known = handed.input.as_ref().map(|(edge, _)| *edge);
        let unused = handed.output.as_ref().map(|(edge, ..)| *edge);
        let new = (0..edges.len()).filter(|&i| Some(i) != known && Some(i) != unused);
        let named = new.map(|i| (&edges[i], &self.links[i]));
        named
            .map(|(edge, link)| Edge {
                name: edge.name.as_str().into(),
                link: link.clone(),
                token_size: edge.token_size,
            })
            .collect()
    }
}

/// A task for a node, empty as yet; with its thread's parker where it is to have one.
pub(super) fn task(net: *const Net, node: &plan::Node, own_thread: bool) -> (TaskRef, Option<Parker>) {
    let parker = own_thread.then(Parker::new);
    let home = parker.as_ref().map_or(Home::Pool, |parker| Home::Own(parker.unparker().clone()));
    let task = Task::new(net, node.name.as_str().into(), home, node.priority, node.component, node.inputs.is_empty());
    (TaskRef::place(task), parker)
}

/// Fills the tasks of a plan, each with its body and its ends of the edges; says which have something to do at once. A node
/// without a body is somebody who runs already, and takes its halves itself.
///
/// # Safety
///
/// The tasks of nodes with a body are the caller's alone: nothing is scheduled yet. What the bodies borrow lives until the last
/// of them has been dropped.
pub(super) unsafe fn fill(
    nodes: &[plan::Node],
    edges: &[plan::Edge],
    bodies: Vec<Option<Box<dyn Unbound + '_>>>,
    mut outfit: Outfit,
    work: &mut Edgework,
    handed: Handed,
    tasks: &[TaskRef],
) -> Vec<bool> {
    let given = handed.input.map(|(edge, _)| edge);
    for (i, (edge, link)) in edges.iter().zip(&work.links).enumerate() {
        link.set_reader(tasks[edge.to].as_end());
        if given != Some(i) {
            link.set_writer(tasks[edge.from].as_end());
        }
    }
    let mut taken_over = handed.output;
    let mut begins = vec![false; nodes.len()];
    for (i, (node, body)) in nodes.iter().zip(bodies).enumerate() {
        let Some(mut body) = body else { continue };
        // SAFETY: the network owns it and is the caller's.
        let task = unsafe { tasks[i].get() };
        let consumer = |&edge: &usize| work.consumers[edge].take().expect("an edge has one reader");
        let inputs = node.inputs.iter().map(consumer).collect();
        let mut outputs = Vec::new();
        let mut links_out = Vec::new();
        for (port, readers) in node.outputs.iter().enumerate() {
            let watches = outfit.taps.remove(&(i, port)).unwrap_or_default();
            let mut fan = OpaqueFan { clone: outfit.clones.remove(&(i, port)), watches, ..OpaqueFan::default() };
            for &edge in readers {
                if let Some((_, old, links)) = taken_over.take_if(|(taken, ..)| *taken == edge) {
                    links.iter().for_each(|link| link.set_writer(tasks[i].as_end()));
                    fan.readers.extend(old.readers);
                    fan.clone = fan.clone.or(old.clone);
                    // Who watches the edges goes with them.
                    fan.watches.extend(old.watches);
                    links_out.extend(links);
                } else {
                    fan.readers.push(work.producers[edge].take().expect("an edge has one writer"));
                    links_out.push(work.links[edge].clone());
                }
            }
            fan.recorder = readers.first().and_then(|&edge| task.net().record(&edges[edge].name));
            outputs.push(fan);
        }
        // SAFETY: by the contract the task is ours alone.
        let slot = unsafe { task.slot() };
        let begins_itself = body.begins();
        let claims = task.net().most_claims(task).min(node.replicas);
        body.replicate(claims);
        // SAFETY: only the lifetime changes, as the contract allows.
        slot.body = Some(unsafe { erase(body.bind(inputs, outputs)) });
        let link = |&edge: &usize| work.links[edge].clone();
        slot.edges = Edges::new(node.inputs.iter().map(link).collect(), links_out);
        let on_cycle = |edge: usize| nodes[edges[edge].from].component == node.component;
        slot.edges.inner =
            (0..16).zip(&node.inputs).filter(|&(_, &edge)| on_cycle(edge)).fold(0, |all, (i, _)| all | 1 << i);
        // What needs no token for its first firing begins: a source, or an input whose first phase takes none.
        // One with a choice of what to wait for chooses for itself.
        let chooses = slot.edges.inner != 0 && node.inputs.len() > 1;
        begins[i] =
            chooses || node.need == 0 || begins_itself || node.inputs.iter().any(|&edge| edges[edge].initial > 0);
        if let Some(shuffle) = task.net().shuffle() {
            slot.extra.get_or_insert_default().chance = Some(shuffle.chance());
        }
        slot.pace.eager = node.blocking || node.inputs.is_empty();
        // A node with inputs starts as if it had gone idle on its first one: no activation is spent on that.
        if let Some(&edge) = node.inputs.first()
            && !begins[i]
        {
            let link = &work.links[edge];
            link.arm_consumer(node.need);
            slot.armed = Armed::Input(0, node.need);
            // Nothing may ever wake it from this wait either.
            if link.is_watched() {
                // SAFETY: the network lives.
                unsafe { tasks[i].get() }.waiting.on(link, Side::Input);
                slot.edges.watched.set(true);
            }
        }
    }
    begins
}

impl Net {
    /// How many claims of one of its nodes may be open at once.
    fn most_claims(&self, task: &Task) -> usize {
        match (&task.home, &self.seat) {
            (Home::Pool, Some(seat)) => seat.workers.most_claims(),
            _ => 1,
        }
    }

    /// Who records an output, under the name of its first edge.
    pub(super) fn record(&self, edge: &str) -> Option<(Arc<Recorder>, String)> {
        self.recorder.get().map(|recorder| (recorder.clone(), edge.to_owned()))
    }
}
