//! The frozen network: dense ids, capacities, placement. What the runtime starts from.

use std::collections::HashMap;

use crate::graph::Graph;
use crate::history::Recorder;
use crate::node::bound::Unbound;
use crate::node::rate::{MakeEdge, Opaque};
use crate::node::{Initial, Placement};
use crate::stall::Stall;
use crate::sync::Arc;

pub use crate::graph::DEFAULT_CAPACITY;

pub(crate) struct Node {
    pub(crate) name: String,
    /// Edges by input port.
    pub(crate) inputs: Vec<usize>,
    /// Edges by output port; several where it was fanned out.
    pub(crate) outputs: Vec<Vec<usize>>,
    /// Tokens that the first input needs for the first firing.
    pub(crate) need: usize,
    pub(crate) own_thread: bool,
    pub(crate) core: Option<usize>,
    pub(crate) blocking: bool,
    pub(crate) priority: i32,
    /// The most firings at once, if its type allows more than one.
    pub(crate) replicas: usize,
    /// Nodes of one component lie on cycles with each other.
    pub(crate) component: usize,
}

pub(crate) struct Edge {
    pub(crate) name: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) capacity: usize,
    /// A capacity with which this edge alone never keeps both its ends from firing.
    pub(crate) ample: usize,
    /// It may lie on a cycle of waits.
    pub(crate) watched: bool,
    /// Bytes a token.
    pub(crate) token_size: usize,
    /// Tokens on it before the start.
    pub(crate) initial: usize,
}

/// What a graph's plain data can't hold: bodies and typed ways to make things, by index.
#[derive(Default)]
pub(crate) struct Parts<'env> {
    pub(crate) bodies: Vec<Option<Box<dyn Unbound + 'env>>>,
    pub(crate) makes: Vec<MakeEdge>,
    /// How an output clones its tokens, by (node, output); there where it was fanned out.
    pub(crate) clones: HashMap<(usize, usize), Opaque>,
    /// Initial tokens, by edge.
    pub(crate) initials: HashMap<usize, Initial>,
    /// Who watches an output, by (node, output).
    pub(crate) taps: HashMap<(usize, usize), Vec<Opaque>>,
    /// Who records what all outputs give.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// What the builder checked, by index.
pub(crate) struct Plan<'env> {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) parts: Parts<'env>,
    pub(crate) stall: Stall,
}

impl<'env> Plan<'env> {
    /// Freezes a graph that has passed its check.
    pub(crate) fn new(graph: &Graph, parts: Parts<'env>, stall: Stall) -> Self {
        let (depths, components, watched) = (depths(graph), graph.components(), graph.watched());
        let node = |(i, spec): (usize, &crate::graph::NodeSpec)| Node {
            name: spec.name.clone(),
            inputs: vec![usize::MAX; spec.inputs.len()],
            outputs: vec![Vec::new(); spec.outputs.len()],
            need: spec.inputs.first().map_or(0, |port| port.rate.first()),
            own_thread: spec.blocking || spec.placement != Placement::Shared,
            core: match spec.placement {
                Placement::Pinned(core) => Some(core),
                _ => None,
            },
            blocking: spec.blocking,
            priority: spec.priority.unwrap_or(depths[i]),
            component: components[i],
            // A sink's effects are all that it has, so their order counts.
            replicas: spec.replicas.unwrap_or(if spec.outputs.is_empty() { 1 } else { usize::MAX }),
        };
        let mut nodes: Vec<Node> = graph.nodes.iter().enumerate().map(node).collect();
        let mut edges = Vec::with_capacity(graph.edges.len());
        for (i, spec) in graph.edges.iter().enumerate() {
            let (Some((from, output)), Some((to, input))) = (spec.from, spec.to) else { continue };
            nodes[from].outputs[output].push(i);
            nodes[to].inputs[input] = i;
            let ample = graph.ample(i);
            let capacity = spec.holds;
            edges.push(Edge {
                name: graph.edge_name(i),
                from,
                to,
                capacity,
                ample,
                // Its two ends may wait for each other over this edge alone, a bridge as well.
                watched: watched[i] || capacity < ample,
                token_size: graph.nodes[from].outputs[output].size,
                initial: spec.initial.unwrap_or(0),
            });
        }
        Self { nodes, edges, parts, stall }
    }
}

/// The longest way from a source, so that sinks go first; nodes on a cycle count from where it is entered.
fn depths(graph: &Graph) -> Vec<i32> {
    let mut depths = vec![0i32; graph.nodes.len()];
    let mut missing: Vec<usize> = graph.nodes.iter().map(|node| node.inputs.len()).collect();
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        if let (Some((from, _)), Some((to, _))) = (edge.from, edge.to) {
            successors[from].push(to);
        }
    }
    let mut ready: Vec<usize> = (0..graph.nodes.len()).filter(|&i| missing[i] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in &successors[node] {
            depths[next] = depths[next].max(depths[node].saturating_add(1));
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(next);
            }
        }
    }
    depths
}
