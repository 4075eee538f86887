//! The graph as plain data: nodes, ports, edges, names. It never names a token's type.

mod check;

pub(crate) use check::check;

use crate::node::rate::PortShape;
use crate::node::{NodeInfo, Options, Placement};

/// A port of the graph: (node, port).
pub(crate) type End = (usize, usize);

#[derive(Clone, Debug)]
pub(crate) struct NodeSpec {
    pub(crate) name: String,
    /// Given by the user, so that it must be unique as it stands.
    pub(crate) named: bool,
    pub(crate) info: NodeInfo,
    pub(crate) inputs: Vec<PortShape>,
    pub(crate) outputs: Vec<PortShape>,
    pub(crate) placement: Placement,
    pub(crate) blocking: bool,
    pub(crate) priority: Option<i32>,
}

#[derive(Clone, Debug)]
pub(crate) struct EdgeSpec {
    /// `None` for a port of a foreign builder.
    pub(crate) from: Option<End>,
    pub(crate) to: Option<End>,
    pub(crate) capacity: Option<usize>,
}

/// What a builder collected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<NodeSpec>,
    pub(crate) edges: Vec<EdgeSpec>,
    /// Outputs that may have several readers.
    pub(crate) fanned: std::collections::HashSet<End>,
}

impl Graph {
    /// Adds a node; `refining` holds the refinements in force, the outermost first.
    pub(crate) fn add(
        &mut self,
        info: NodeInfo,
        inputs: Vec<PortShape>,
        outputs: Vec<PortShape>,
        refining: &[Options],
    ) -> usize {
        let _ = refining;
        self.nodes.push(NodeSpec {
            name: info.name.to_owned(),
            named: false,
            info,
            inputs,
            outputs,
            placement: Placement::Shared,
            blocking: false,
            priority: None,
        });
        self.nodes.len() - 1
    }

    pub(crate) fn connect(&mut self, from: Option<End>, to: Option<End>) -> usize {
        self.edges.push(EdgeSpec { from, to, capacity: None });
        self.edges.len() - 1
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn set_capacity(&mut self, edge: usize, capacity: usize) {
        self.edges[edge].capacity = Some(capacity);
    }
}
