//! The graph as plain data: nodes, ports, edges, names. It never names a token's type.
//!
//! A builder fills a [`Graph`]; [`check`] gives the nodes their names and applies every rule; [`Graph::splice`]
//! then takes the composites' open ports out, so that what is behind sees nodes and direct edges only.

mod bridges;
mod check;
mod cycles;
mod names;
mod rates;
mod splice;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};

pub(crate) use check::{check, check_default, check_rates};
pub use rates::DEFAULT_CAPACITY;

use crate::node::rate::PortShape;
use crate::node::{NodeInfo, Options, Placement};

/// A port of the graph: (node, port).
pub(crate) type End = (usize, usize);

#[derive(Clone, Debug)]
pub(crate) struct NodeSpec {
    /// The node's own name until [`check`], from then on the full one: `echo/mix#2`.
    pub(crate) name: String,
    /// Given by the user, so that no other of the same scope may have it.
    pub(crate) named: bool,
    pub(crate) info: NodeInfo,
    pub(crate) inputs: Vec<PortShape>,
    pub(crate) outputs: Vec<PortShape>,
    pub(crate) placement: Placement,
    pub(crate) blocking: bool,
    pub(crate) priority: Option<i32>,
    /// The most firings at once that were asked for.
    pub(crate) replicas: Option<usize>,
    /// A process: it reads and writes in an order of its own, so it may send before it has received.
    pub(crate) process: bool,
    /// What it gives depends on time or on the order of arrivals, and it says so.
    pub(crate) nondet: bool,
    /// It stands for a process that runs already, at one of its ports.
    pub(crate) stand_in: bool,
    /// The composite that it is part of.
    scope: usize,
    /// An open port of its composite, gone after [`Graph::splice`].
    junction: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct EdgeSpec {
    /// `None` for a port of a foreign builder.
    pub(crate) from: Option<End>,
    pub(crate) to: Option<End>,
    pub(crate) capacity: Option<usize>,
    /// Tokens that lie on it before the network starts. `Some(0)` says that a process on its cycle sends first.
    pub(crate) initial: Option<usize>,
    /// Its capacity: what was asked for, or what [`Graph::fit`] found.
    pub(crate) holds: usize,
    /// How many composites it lies inside of.
    depth: usize,
}

/// A composite, as far as names go. The first of a graph is the network itself; parents precede children.
#[derive(Clone, Debug, Default)]
struct Scope {
    parent: usize,
    name: Option<String>,
}

/// What a builder collected.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<NodeSpec>,
    pub(crate) edges: Vec<EdgeSpec>,
    /// Outputs that may have several readers.
    pub(crate) fanned: HashSet<End>,
    /// Outputs whose newest token can be seen from outside.
    pub(crate) tapped: BTreeSet<End>,
    scopes: Vec<Scope>,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            fanned: HashSet::new(),
            tapped: BTreeSet::new(),
            scopes: vec![Scope::default()],
        }
    }
}

impl Graph {
    /// The scope of the network itself.
    pub(crate) const ROOT: usize = 0;

    /// Opens the scope of a composite inside `parent`.
    pub(crate) fn scope(&mut self, parent: usize, name: Option<String>) -> usize {
        self.scopes.push(Scope { parent, name });
        self.scopes.len() - 1
    }

    /// Adds a node to a scope, refined as `said`.
    pub(crate) fn add(
        &mut self,
        info: NodeInfo,
        inputs: Vec<PortShape>,
        outputs: Vec<PortShape>,
        scope: usize,
        said: Options,
    ) -> usize {
        let named = said.name.is_some();
        self.nodes.push(NodeSpec {
            name: said.name.unwrap_or_else(|| info.name.to_owned()),
            named,
            info,
            inputs,
            outputs,
            placement: said.placement.unwrap_or_default(),
            blocking: said.blocking.unwrap_or_default(),
            priority: said.priority,
            replicas: said.replicas,
            process: false,
            nondet: false,
            stand_in: false,
            scope,
            junction: false,
        });
        self.nodes.len() - 1
    }

    /// Adds an open port, for tokens of this shape.
    pub(crate) fn add_junction(&mut self, name: &'static str, shape: PortShape) -> usize {
        let info = NodeInfo { name, inputs: &["in"], outputs: &["out"] };
        let node = self.add(info, vec![shape.clone()], vec![shape], Self::ROOT, Options::default());
        self.nodes[node].junction = true;
        node
    }

    pub(crate) fn connect(&mut self, from: Option<End>, to: Option<End>) -> usize {
        self.edges.push(EdgeSpec { from, to, capacity: None, initial: None, holds: 0, depth: 0 });
        self.edges.len() - 1
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn set_capacity(&mut self, edge: usize, capacity: usize) {
        (self.edges[edge].capacity, self.edges[edge].holds) = (Some(capacity), capacity);
    }

    /// Takes in the graph of a composite that stands in the scope `parent`; returns where its nodes begin.
    ///
    /// What is `said` of the composite holds for each node inside that doesn't say otherwise itself.
    pub(crate) fn merge(&mut self, inner: Graph, parent: usize, said: Options) -> usize {
        let node_offset = self.nodes.len();
        let scope_offset = self.scopes.len();
        let moved = |end: End| (end.0 + node_offset, end.1);

        let mut scopes = inner.scopes.into_iter();
        scopes.next(); // the inner network's own scope, which is the composite's from here on
        self.scope(parent, said.name);
        self.scopes.extend(scopes.map(|s| Scope { parent: s.parent + scope_offset, name: s.name }));

        self.nodes.extend(inner.nodes.into_iter().map(|mut node| {
            node.scope += scope_offset;
            if node.placement == Placement::Shared {
                node.placement = said.placement.unwrap_or_default();
            }
            node.blocking |= said.blocking.unwrap_or_default();
            node.priority = node.priority.or(said.priority);
            node.replicas = node.replicas.or(said.replicas);
            node
        }));
        self.edges.extend(inner.edges.into_iter().map(|edge| EdgeSpec {
            from: edge.from.map(moved),
            to: edge.to.map(moved),
            depth: edge.depth + 1,
            ..edge
        }));
        self.fanned.extend(inner.fanned.into_iter().map(moved));
        node_offset
    }

    /// An input as users know it: `node.port`.
    pub(crate) fn input_name(&self, (node, port): End) -> String {
        let node = &self.nodes[node];
        port_name(node, node.info.inputs, "inputs", port)
    }

    /// An output as users know it: `node.port`.
    pub(crate) fn output_name(&self, (node, port): End) -> String {
        let node = &self.nodes[node];
        port_name(node, node.info.outputs, "outputs", port)
    }

    /// All outputs, as users know them.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (End, String)> {
        let ports = |(i, node): (usize, &NodeSpec)| (0..node.outputs.len()).map(move |port| (i, port));
        self.nodes.iter().enumerate().flat_map(ports).map(|end| (end, self.output_name(end)))
    }

    pub(crate) fn set_initial(&mut self, edge: usize, tokens: usize) {
        self.edges[edge].initial = Some(tokens);
    }

    /// The least capacity with which both ends of an edge can fire, and that holds its initial tokens.
    pub(crate) fn least(&self, edge: usize) -> usize {
        let EdgeSpec { from, to, initial, .. } = &self.edges[edge];
        let initial = initial.unwrap_or(0);
        // A firing finds room before it takes, so what lies on an edge from a node to itself needs room beside it.
        let loops = from.zip(*to).is_some_and(|(from, to)| from.0 == to.0);
        if loops { self.need(edge).saturating_add(initial) } else { self.need(edge).max(initial) }
    }

    /// The least capacity with which both ends of an edge can fire.
    fn need(&self, edge: usize) -> usize {
        let edge = &self.edges[edge];
        let from = edge.from.map_or(1, |(node, port)| self.nodes[node].outputs[port].need);
        let to = edge.to.map_or(1, |(node, port)| self.nodes[node].inputs[port].need);
        from.max(to).max(1)
    }

    /// An edge as users know it: `a.out -> b.in`.
    pub(crate) fn edge_name(&self, edge: usize) -> String {
        let EdgeSpec { from, to, .. } = &self.edges[edge];
        let from = from.map_or_else(|| "?".to_owned(), |end| self.output_name(end));
        let to = to.map_or_else(|| "?".to_owned(), |end| self.input_name(end));
        format!("{from} -> {to}")
    }
}

fn port_name(node: &NodeSpec, names: &[&str], all: &str, port: usize) -> String {
    let path = &node.name;
    match names.get(port) {
        // An open port is a port of its composite, whose path is the junction's name.
        _ if node.junction && path.is_empty() => node.info.name.to_owned(),
        _ if node.junction || node.stand_in => format!("{path}.{}", node.info.name),
        Some(name) => format!("{path}.{name}"),
        // Ports that are an array have no names of their own.
        None => format!("{path}.{all}[{port}]"),
    }
}
