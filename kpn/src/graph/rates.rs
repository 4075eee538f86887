//! What the rates of a graph's ports say: what can't work, and the capacities where none were asked for.

use std::slice::from_ref;

use super::check::most_tokens;
use super::{End, Graph};
use crate::analysis::{
    self, Analysis, Balance, Edge, EdgeLabel, Flow, Labels, Model, NodeKind, NodeLabel, Rates, Unbalanced,
};
use crate::error::Problem;
use crate::node::rate::{PortShape, Rate};

/// The capacity of an edge where nothing is said: enough for a whole batch of firings, where each takes and gives one
/// token. Where they take or give more, it is as many firings' tokens, as long as these are less than a megabyte, and
/// twice what the edge needs.
pub const DEFAULT_CAPACITY: usize = 64;

/// The most bytes of tokens that an edge gets for the sake of batches.
const BATCH_BYTES: usize = 1 << 20;

fn flow(shape: &PortShape) -> Option<Flow<'_>> {
    match &shape.rate {
        Rate::Phases(phases) => Flow::new(phases, 0),
        // A window keeps its overlap, so that only its first firing takes more than it consumes.
        Rate::Window { peek, consume } => Flow::new(from_ref(consume), peek.saturating_sub(*consume)),
        Rate::Dynamic => None,
    }
}

fn rates(shape: &PortShape) -> Rates {
    match shape.rate {
        Rate::Phases(phases) => Rates::Phases(phases.to_vec()),
        Rate::Window { peek, consume } => Rates::Window { peek, consume },
        Rate::Dynamic => Rates::Dynamic,
    }
}

impl Graph {
    fn output(&self, (node, port): End) -> &PortShape {
        &self.nodes[node].outputs[port]
    }

    fn input(&self, (node, port): End) -> &PortShape {
        &self.nodes[node].inputs[port]
    }

    /// An edge with its rates, once both its ends are wired.
    fn rated(&self, edge: usize) -> Option<Edge<'_>> {
        let spec = &self.edges[edge];
        let (from, to) = spec.from.zip(spec.to)?;
        // A process and its stand-in move tokens as they please.
        let fires = |(node, _): End| !self.nodes[node].process && !self.nodes[node].stand_in;
        Some(Edge {
            from: from.0,
            to: to.0,
            gives: flow(self.output(from)).filter(|_| fires(from)),
            takes: flow(self.input(to)).filter(|_| fires(to)),
            initial: spec.initial.unwrap_or(0),
            capacity: spec.capacity,
        })
    }

    fn model(&self) -> Model<'_> {
        let edges = (0..self.edges.len()).filter_map(|edge| self.rated(edge));
        Model { nodes: self.nodes.len(), edges: edges.collect() }
    }

    /// The least capacity with which an edge alone never keeps both its ends from firing, as far as their rates tell.
    pub(crate) fn ample(&self, edge: usize) -> usize {
        self.rated(edge).map_or(1, |rated| analysis::bound(&rated)).max(self.least(edge))
    }

    /// The capacity of an edge that was given none, before its neighbours are asked.
    fn usual(&self, edge: usize) -> usize {
        let Some(rated) = self.rated(edge) else { return DEFAULT_CAPACITY };
        let rate = [rated.gives, rated.takes].into_iter().flatten().map(|flow| flow.most()).fold(1, usize::max);
        let size = self.edges[edge].from.map_or(0, |end| self.output(end).size);
        let fits = DEFAULT_CAPACITY.max(BATCH_BYTES / size.max(1));
        let batch = DEFAULT_CAPACITY.saturating_mul(rate).min(fits);
        batch.max(self.ample(edge).saturating_mul(2)).min(self.most(edge)).max(self.ample(edge))
    }

    /// The largest capacity that an edge may have.
    pub(super) fn most(&self, edge: usize) -> usize {
        most_tokens(self.edges[edge].from.map_or(1, |end| self.output(end).size))
    }

    /// Gives every edge a capacity: that which was asked for, or `tokens`, or a batch of firings' tokens. Those that
    /// were not asked for are as large as it takes.
    ///
    /// # Panics
    ///
    /// If the graph didn't pass [`super::check`].
    pub(crate) fn fit(&mut self, tokens: Option<usize>) {
        let of_edge = |edge: usize| match (self.edges[edge].capacity, tokens) {
            (Some(asked), _) => asked,
            (None, Some(tokens)) => tokens.max(self.ample(edge)),
            (None, None) => self.usual(edge),
        };
        let mut capacities: Vec<usize> = (0..self.edges.len()).map(of_edge).collect();
        let model = self.model();
        analysis::enlarge(&model, &analysis::balance(&model), &mut capacities);
        for (edge, capacity) in capacities.into_iter().enumerate() {
            self.edges[edge].holds = capacity.min(self.most(edge));
        }
    }

    /// What the analysis knows of a graph that has passed [`super::check`] and been spliced.
    pub(crate) fn analysis(&self) -> Analysis {
        let node = |node: &super::NodeSpec| {
            let is_dynamic = node.inputs.iter().chain(&node.outputs).any(|shape| shape.rate == Rate::Dynamic);
            let kind = match () {
                () if node.nondet => NodeKind::Nondeterminate,
                () if node.process => NodeKind::Process,
                () if is_dynamic => NodeKind::Dynamic,
                () => NodeKind::Fixed,
            };
            NodeLabel { name: node.name.clone(), kind }
        };
        let edge = |(i, edge): (usize, &super::EdgeSpec)| {
            let (from, to) = edge.from.zip(edge.to)?;
            Some(EdgeLabel {
                name: self.edge_name(i),
                gives: rates(self.output(from)),
                takes: rates(self.input(to)),
                capacity: edge.holds,
                size: self.output(from).size,
            })
        };
        let labels = Labels {
            nodes: self.nodes.iter().map(node).collect(),
            edges: self.edges.iter().enumerate().filter_map(edge).collect(),
            taps: self.tapped.iter().map(|&end| self.output_name(end)).collect(),
        };
        analysis::describe(&self.model(), labels)
    }
}

/// What is wrong with the rates of a graph that has been spliced, by node.
pub(super) fn problems(graph: &Graph) -> Vec<(usize, Problem)> {
    let model = graph.model();
    let balance = analysis::balance(&model);
    let parts = balance.parts.iter().filter_map(|part| unbalanced(graph, &model, part.firings.as_ref().err()?));
    parts.chain(starved(graph, &model, &balance)).collect()
}

fn names(graph: &Graph, nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|&node| graph.nodes[node].name.clone()).collect()
}

fn unbalanced(graph: &Graph, model: &Model<'_>, why: &Unbalanced) -> Option<(usize, Problem)> {
    match why {
        Unbalanced::Disagree { nodes, edges, target: 0, ways: [_, once_round] } => {
            let problem = Problem::UnequalRates {
                edge: graph.edge_name(edges[0]),
                given: once_round.over,
                taken: once_round.under,
            };
            Some((nodes[0], problem))
        }
        Unbalanced::Disagree { nodes, edges, target, ways } => {
            let problem = Problem::InconsistentRates {
                nodes: names(graph, nodes),
                edges: edges.iter().map(|&edge| graph.edge_name(edge)).collect(),
                target: *target,
                firings: ways.map(|ratio| [ratio.over, ratio.under]),
            };
            Some((nodes[0], problem))
        }
        Unbalanced::OneSided { edge } => {
            let sum = |flow: Option<Flow<'_>>| u128::from(flow.is_some_and(|flow| flow.most() > 0));
            let Edge { from, gives, takes, .. } = model.edges[*edge];
            let problem = Problem::UnequalRates { edge: graph.edge_name(*edge), given: sum(gives), taken: sum(takes) };
            Some((from, problem))
        }
        // It may still run for as long as anybody waits.
        Unbalanced::TooLarge => None,
    }
}

fn starved(graph: &Graph, model: &Model<'_>, balance: &Balance) -> Vec<(usize, Problem)> {
    let problem = |shortage: analysis::Starved| {
        let problem = Problem::TooFewTokens {
            nodes: names(graph, &shortage.nodes),
            edge: graph.edge_name(shortage.edge),
            tokens: shortage.tokens,
            needed: shortage.needed,
        };
        (shortage.nodes[0], problem)
    };
    analysis::starved(model, balance).into_iter().map(problem).collect()
}
