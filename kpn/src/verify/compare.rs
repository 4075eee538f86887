//! The first edge, in the order of the graph, that differs between two runs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::difference::What;
use crate::graph::{Graph, NodeSpec};
use crate::history::{Histories, History};

/// The outputs of a graph, by the names of their first edges.
pub(super) struct Map {
    /// Each output's node.
    writers: BTreeMap<String, usize>,
    nodes: Vec<Place>,
}

/// Where a node stands in the graph.
struct Place {
    name: String,
    /// Components in the order of the graph.
    component: Reverse<usize>,
    /// The outputs that it reads.
    reads: Vec<String>,
}

/// What differs first.
pub(super) struct First {
    pub(super) what: What,
    pub(super) also: Vec<String>,
    pub(super) node: Option<String>,
}

impl Map {
    pub(super) fn new(graph: &Graph) -> Self {
        let place = |(node, component): (&NodeSpec, usize)| Place {
            name: node.name.clone(),
            component: Reverse(component),
            reads: Vec::new(),
        };
        let mut nodes: Vec<Place> = graph.nodes.iter().zip(graph.components()).map(place).collect();
        let mut firsts = BTreeMap::new();
        for (i, edge) in graph.edges.iter().enumerate() {
            if let (Some(from), Some(to)) = (edge.from, edge.to) {
                let first = firsts.entry(from).or_insert_with(|| graph.edge_name(i));
                nodes[to.0].reads.push(first.clone());
            }
        }
        let writers = firsts.into_iter().map(|((node, _), first)| (first, node)).collect();
        Self { writers, nodes }
    }

    /// The outputs that a run records from its start.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &String> {
        self.writers.keys()
    }

    /// The component and the node of an edge; one that was added during the run counts where its process stands.
    fn order(&self, edge: &str) -> (Reverse<usize>, usize) {
        let host = || {
            let is_host =
                |place: &Place| edge.strip_prefix(&*place.name).is_some_and(|rest| rest.starts_with(['/', '.']));
            let hosts = (0..self.nodes.len()).filter(|i| is_host(&self.nodes[*i]));
            hosts.max_by_key(|i| self.nodes[*i].name.len())
        };
        let node = self.writers.get(edge).copied().or_else(host);
        node.map_or((Reverse(0), usize::MAX), |node| (self.nodes[node].component, node))
    }

    /// Compares a run with the first one. `cut` where either failed, so that any history may have been cut.
    pub(super) fn first_difference(&self, expected: &Histories, found: &Histories, cut: bool) -> Option<First> {
        let none = History::default();
        let mut differing: Vec<(&String, usize, What)> = Vec::new();
        let names = expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name)));
        for name in names {
            let (a, b) = (expected.get(name).unwrap_or(&none), found.get(name).unwrap_or(&none));
            if let Some((index, what)) = difference(name, a, b, cut) {
                differing.push((name, index, what));
            }
        }
        // Round a cycle a difference travels on, so there the earliest token tells where it began.
        differing.sort_by_key(|(name, index, _)| {
            let (component, node) = self.order(name);
            (component, *index, node)
        });
        let also = differing.iter().skip(1).map(|(name, ..)| (*name).clone()).collect();
        let (name, _, what) = differing.into_iter().next()?;
        let place = self.writers.get(name).map(|node| &self.nodes[*node]).filter(|place| {
            let same = |read: &String| {
                let pair = expected.get(read).zip(found.get(read));
                pair.is_some_and(|(a, b)| difference(read, a, b, cut).is_none())
            };
            place.reads.iter().all(same)
        });
        Some(First { what, also, node: place.map(|place| place.name.clone()) })
    }
}

/// How two histories of an output differ, and from which token on.
fn difference(name: &str, expected: &History, found: &History, cut: bool) -> Option<(usize, What)> {
    if let Some(index) = found.differs {
        let found = found.text.clone();
        return Some((index, What::Differs { edge: name.to_owned(), index, expected: None, found }));
    }
    // Where all readers leave early, how much their writer still gives depends on time; nobody reads it.
    let shorter_was_cut = if expected.count < found.count { expected.cut } else { found.cut };
    if expected.count == found.count || shorter_was_cut || cut {
        return None;
    }
    let token = found.text.clone().filter(|_| found.count > expected.count);
    let (expected, found) = (expected.count, found.count);
    Some((expected.min(found), What::Count { edge: name.to_owned(), expected, found, token }))
}
