//! Nodes and edges for a network that runs, added by one of its processes.
//!
//! The process holds RUN, so the network lives. New tasks are noted first, then filled, counted, listed, and last of all
//! enqueued. An end of an edge that the process hands to a new node goes over like this: the process announces what it has
//! published, makes the new node known to the edge, fences, and enqueues the new node. The other end publishes, or closes, and
//! looks afterwards whom to notify. So either it notifies the new node, or the new node sees what was published; and whoever
//! notifies it early finds it noted, so that nobody runs it before it is filled and counted.

use super::assemble::{self, Edgework, Handed, Outfit};
use super::core;
use super::drive::Driver;
use super::inside::Inside;
use super::private;
use super::shuffle::Shuffle;
use super::task::{CANCEL, Home, STOP, TaskRef};
use super::word::Notified;
use crate::channel::{Link, LinkRef};
use crate::failure::StartError;
use crate::node::rate::{Opaque, OpaqueFan};
use crate::plan::{self, Node, Parts, Plan};
use crate::sync::{Ordering, fence};

/// How a process's edges change, for its driver.
pub(crate) enum Rewire {
    /// This input, or a new one, reads from another edge.
    Input(usize, LinkRef),
    /// These outputs, or a new one, write to another edge.
    Outputs(std::ops::Range<usize>, LinkRef),
}

/// New nodes, made and not yet started. Nodes of the plan without a body stand for the process itself.
pub(crate) struct Addition {
    plan: Plan<'static>,
    work: Edgework,
    handed: Handed,
}

impl Addition {
    /// # Errors
    ///
    /// Where there is no memory for an edge.
    pub(crate) fn new(mut plan: Plan<'static>) -> Result<Self, StartError> {
        let initials = std::mem::take(&mut plan.parts.initials);
        let work = Edgework::make(&plan.edges, &plan.parts.makes, initials)?;
        Ok(Self { plan, work, handed: Handed::default() })
    }

    fn is_process(&self, node: usize) -> bool {
        self.plan.parts.bodies[node].is_none()
    }

    /// The edges by which the process feeds the new nodes.
    fn entering(&self) -> Vec<usize> {
        (0..self.plan.edges.len()).filter(|&edge| self.is_process(self.plan.edges[edge].from)).collect()
    }

    /// The edge from which the process reads what the new nodes give; they have one such output.
    fn leaving(&self) -> Option<usize> {
        self.plan.edges.iter().position(|edge| self.is_process(edge.to))
    }

    /// The process's new reading end.
    pub(crate) fn take_input(&mut self) -> (Opaque, LinkRef) {
        let edge = self.leaving().expect("the process reads what is new");
        (self.work.consumers[edge].take().expect("taken once"), self.work.links[edge].clone())
    }

    /// The process's new writing end.
    pub(crate) fn take_output(&mut self) -> (OpaqueFan, Vec<LinkRef>) {
        let edges = self.entering();
        let from = self.plan.edges[*edges.first().expect("the process feeds what is new")].from;
        let readers = edges.iter().filter_map(|&edge| self.work.producers[edge].take()).collect();
        let links = edges.iter().map(|&edge| self.work.links[edge].clone()).collect();
        let clone = self.plan.parts.clones.remove(&(from, 0));
        let name = &self.plan.edges[edges[0]].name;
        let recorder = Inside::here(|net| net.record(name)).flatten();
        (OpaqueFan { readers, clone, recorder, ..OpaqueFan::default() }, links)
    }

    /// The new nodes read from here on what the process has read: its own old end.
    pub(crate) fn hand_input(&mut self, half: Opaque, link: LinkRef) {
        let edge = *self.entering().first().expect("the process feeds what is new");
        self.watch_all(link.is_watched());
        self.work.consumers[edge] = Some(half);
        self.work.links[edge] = link.clone();
        self.handed.input = Some((edge, link));
    }

    /// The new nodes write from here on where the process has written: its own old end.
    pub(crate) fn hand_output(&mut self, fan: OpaqueFan, links: Vec<LinkRef>) {
        let edge = self.leaving().expect("the process reads what is new");
        self.watch_all(links.iter().any(|link| link.is_watched()));
        self.handed.output = Some((edge, fan, links));
    }

    /// All new edges may lie on a cycle of waits.
    pub(crate) fn watch_all(&mut self, watched: bool) {
        if watched {
            self.work.links.iter().for_each(|link| link.watch());
        }
    }

    /// Starts the new nodes in the network of a process that this thread runs.
    ///
    /// # Errors
    ///
    /// Where a node is to have a thread and there is none; then all new nodes have ended.
    pub(crate) fn start(self, process: TaskRef) -> Result<(), StartError> {
        let Self { plan, mut work, handed } = self;
        // SAFETY: the process holds RUN.
        let own = unsafe { process.get() };
        let net = own.net();
        let Plan { nodes, edges, parts, .. } = plan;
        let Parts { bodies, clones, .. } = parts;
        let alone = net.shuffle().is_some_and(Shuffle::is_alone);
        let threaded = |node: &Node| net.own_threads || node.own_thread && !alone;
        let nodes: Vec<Node> = nodes
            .into_iter()
            .map(|node| Node { priority: own.priority, component: own.component as usize, ..node })
            .collect();
        let made = nodes.iter().zip(&bodies).map(|(node, body)| match body {
            None => (process, None),
            Some(_) => assemble::task(own.net_ptr(), node, threaded(node)),
        });
        let (tasks, parkers): (Vec<TaskRef>, Vec<_>) = made.unzip();
        let new: Vec<TaskRef> = tasks.iter().copied().filter(|&task| task != process).collect();
        for task in &new {
            // SAFETY: the network lives.
            let noted = unsafe { task.get() }.word.notify();
            debug_assert_eq!(noted, Notified::Enqueue, "a new task is idle");
        }
        if let Some((edge, link)) = &handed.input {
            let wider = widen(link, &edges[*edge]);
            // What the process has taken is announced by the one who took it.
            fence(Ordering::SeqCst);
            if link.producer_due(0) || wider {
                core::notify(TaskRef::writer_of(link));
            }
        }
        if let Some((edge, _, links)) = &handed.output {
            // The writer is a new node, which will see it.
            links.iter().for_each(|link| _ = widen(link, &edges[*edge]));
            fence(Ordering::SeqCst);
            links.iter().filter(|link| link.consumer_due(0)).for_each(|link| core::notify(TaskRef::reader_of(link)));
        }
        let reported = work.reported(&edges, &handed);
        let renamed = handed.input.as_ref().map(|(edge, link)| (link.clone(), edges[*edge].name.clone()));
        // SAFETY: nobody has seen the new tasks, and their bodies borrow nothing.
        unsafe {
            assemble::fill(&nodes, &edges, bodies, Outfit { clones, ..Outfit::default() }, &mut work, handed, &tasks)
        };
        net.add(&new, reported, renamed);
        let mut without = None;
        for ((&task, node), parker) in tasks.iter().zip(&nodes).zip(parkers) {
            let Some(parker) = parker else { continue };
            match private::spawn(&net.handle(), task, private::Terms { parker, spin: net.spin, core: node.core }) {
                Ok(thread) => net.add_thread(thread),
                Err(error) => {
                    without.get_or_insert((error, Vec::new())).1.push(task);
                }
            }
        }
        // SAFETY: the network lives.
        let asked = |what: u8| new.iter().for_each(|task| unsafe { task.get() }.control(what));
        if net.is_aborting() || without.is_some() {
            asked(CANCEL);
        } else if net.is_stopping() {
            asked(STOP);
        }
        fence(Ordering::SeqCst);
        let Some((error, threadless)) = without else {
            new.into_iter().for_each(enqueue);
            return Ok(());
        };
        new.into_iter().filter(|task| !threadless.contains(task)).for_each(enqueue);
        for task in threadless {
            // It is noted, and nobody else can run it.
            Driver::default().drive(task);
        }
        Err(StartError::thread(error))
    }
}

/// Lets a new task run, which is noted. One with a thread may run already, and is to look again at what was asked of it.
fn enqueue(task: TaskRef) {
    // SAFETY: a task that is noted and in no queue has not ended, and the process keeps the network alive.
    match unsafe { task.get() }.home {
        Home::Pool => core::enqueue(task),
        Home::Own(_) => core::notify(task),
    }
}

/// A node that takes or gives several tokens a firing takes over an end of an edge that was made for a process, which needs
/// one: asks for so much more capacity. True where the writer is to be notified.
fn widen(link: &Link, planned: &plan::Edge) -> bool {
    let capacity = link.capacity().max(link.cap_target());
    planned.ample > 1 && link.ask_capacity(capacity + planned.ample - 1)
}
