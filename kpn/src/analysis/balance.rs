//! The balance equations: how often each node fires so that every edge ends up as it began.
//!
//! By rational propagation over the edges both of whose ends have fixed rates (Lee and Messerschmitt 1987), with
//! several phases a port as Bilsen et al. (1996) have it: firings are counted in whole cycles of phases.

use super::model::{Edge, Model, gcd, lcm};

/// A reduced fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) over: u128,
    pub(crate) under: u128,
}

impl Ratio {
    const ONE: Self = Self { over: 1, under: 1 };

    fn new(over: u128, under: u128) -> Self {
        let g = gcd(over, under).max(1);
        Self { over: over / g, under: under / g }
    }

    /// `None` where it doesn't fit.
    fn times(self, other: Self) -> Option<Self> {
        let (left, right) = (Self::new(self.over, other.under), Self::new(other.over, self.under));
        Some(Self { over: left.over.checked_mul(right.over)?, under: left.under.checked_mul(right.under)? })
    }

    fn inverse(self) -> Self {
        Self { over: self.under, under: self.over }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.under {
            1 => write!(f, "{}", self.over),
            under => write!(f, "{}/{under}", self.over),
        }
    }
}

/// Why a part has no repetition vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unbalanced {
    /// Two ways from `nodes[0]` to `nodes[target]` give it different numbers of firings.
    Disagree {
        /// An undirected cycle.
        nodes: Vec<usize>,
        /// The edges between them, the last one back to the first node.
        edges: Vec<usize>,
        target: usize,
        /// Firings of the target for each firing of the first node, by the cycle's first half and by its second.
        ways: [Ratio; 2],
    },
    /// An edge that one side never moves a token of.
    OneSided { edge: usize },
    /// The numbers don't fit.
    TooLarge,
}

/// A weakly connected component of the edges with fixed rates.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) nodes: Vec<usize>,
    pub(crate) edges: Vec<usize>,
    /// Firings of all nodes in one iteration.
    pub(crate) firings: Result<u64, Unbalanced>,
}

#[derive(Clone, Debug)]
pub(crate) struct Balance {
    pub(crate) parts: Vec<Part>,
    /// The part of each node that is in one.
    pub(crate) part_of: Vec<Option<usize>>,
    /// Firings of each node in one iteration of its part, the least that work; 0 where there is no such number.
    pub(crate) repetitions: Vec<u64>,
    /// After how many firings all ports of a node are at their first phase again; `None` where that doesn't fit.
    cycles: Vec<Option<u128>>,
}

impl Balance {
    /// The repetitions of some nodes of a part by themselves: all divided by what they have in common.
    pub(super) fn repetitions_among(&self, nodes: &[usize]) -> Vec<u64> {
        let turns = |&node: &usize| u128::from(self.repetitions[node]) / self.cycles[node].unwrap_or(1);
        let common = nodes.iter().map(turns).fold(0, gcd).max(1);
        nodes.iter().map(|&node| (u128::from(self.repetitions[node]) / common) as u64).collect()
    }
}

/// How often the reader fires for each firing of the writer; `None` where one of them would never.
fn ratio(edge: &Edge<'_>) -> Option<Ratio> {
    let (gives, takes) = edge.fixed()?;
    let (given, taken) = (Ratio::new(gives.sum(), gives.len()), Ratio::new(takes.sum(), takes.len()));
    // A sum of phases is below 2^64 times their number, so these fit.
    (given.over > 0 && taken.over > 0).then(|| given.times(taken.inverse())).flatten()
}

/// Neighbours over edges with fixed rates, in either direction.
struct Neighbours {
    start: Vec<usize>,
    /// (edge, node).
    links: Vec<(usize, usize)>,
}

impl Neighbours {
    fn new(model: &Model<'_>) -> Self {
        let fixed = || model.edges.iter().enumerate().filter(|(_, edge)| edge.fixed().is_some());
        let mut start = vec![0; model.nodes + 1];
        for (_, edge) in fixed() {
            start[edge.from + 1] += 1;
            start[edge.to + 1] += 1;
        }
        for i in 0..model.nodes {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut links = vec![(0, 0); start[model.nodes]];
        for (i, edge) in fixed() {
            for (node, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
                links[next[node]] = (i, other);
                next[node] += 1;
            }
        }
        Self { start, links }
    }

    fn of(&self, node: usize) -> &[(usize, usize)] {
        &self.links[self.start[node]..self.start[node + 1]]
    }
}

/// A breadth first tree over all parts.
struct Tree {
    /// The edge and the node by which a node was found.
    above: Vec<Option<(usize, usize)>>,
    depth: Vec<usize>,
    /// Firings for each firing of the part's first node; `None` where the numbers don't fit.
    firings: Vec<Option<Ratio>>,
}

/// Solves the balance equations of every part.
pub(crate) fn balance(model: &Model<'_>) -> Balance {
    let neighbours = Neighbours::new(model);
    let mut tree =
        Tree { above: vec![None; model.nodes], depth: vec![0; model.nodes], firings: vec![None; model.nodes] };
    let mut part_of = vec![None; model.nodes];
    let mut parts = Vec::new();
    for root in 0..model.nodes {
        if part_of[root].is_some() || neighbours.of(root).is_empty() {
            continue;
        }
        let mut nodes = vec![root];
        part_of[root] = Some(parts.len());
        tree.firings[root] = Some(Ratio::ONE);
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            next += 1;
            for &(edge, other) in neighbours.of(node) {
                if part_of[other].is_some() {
                    continue;
                }
                part_of[other] = Some(parts.len());
                tree.above[other] = Some((edge, node));
                tree.depth[other] = tree.depth[node] + 1;
                tree.firings[other] = step(model, edge, node, tree.firings[node]);
                nodes.push(other);
            }
        }
        parts.push(Part { nodes, edges: Vec::new(), firings: Ok(0) });
    }
    for (i, edge) in model.edges.iter().enumerate().filter(|(_, edge)| edge.fixed().is_some()) {
        if let Some(part) = part_of[edge.from] {
            parts[part].edges.push(i);
        }
    }
    let cycles = phases(model);
    let mut repetitions = vec![0; model.nodes];
    for part in &mut parts {
        part.firings = unbalanced(model, &tree, part)
            .map_or_else(|| scale(&tree, &cycles, part, &mut repetitions).ok_or(Unbalanced::TooLarge), Err);
        if part.firings.is_err() {
            part.nodes.iter().for_each(|&node| repetitions[node] = 0);
        }
    }
    Balance { parts, part_of, repetitions, cycles }
}

/// Firings of the node at the other end of an edge.
fn step(model: &Model<'_>, edge: usize, from: usize, firings: Option<Ratio>) -> Option<Ratio> {
    let edge = &model.edges[edge];
    let ratio = ratio(edge)?;
    firings?.times(if edge.from == from { ratio } else { ratio.inverse() })
}

/// After how many firings all ports of each node are at their first phase again.
fn phases(model: &Model<'_>) -> Vec<Option<u128>> {
    let mut cycles = vec![Some(1); model.nodes];
    for edge in &model.edges {
        for (node, flow) in [(edge.from, edge.gives), (edge.to, edge.takes)] {
            let len = flow.map_or(1, |flow| flow.len());
            cycles[node] = cycles[node].and_then(|cycle| lcm(cycle, len));
        }
    }
    cycles
}

/// What contradicts the firings that the tree gives, the shortest cycle of what was found.
fn unbalanced(model: &Model<'_>, tree: &Tree, part: &Part) -> Option<Unbalanced> {
    let one_sided = |&&edge: &&usize| ratio(&model.edges[edge]).is_none();
    if let Some(&edge) = part.edges.iter().find(one_sided) {
        return Some(Unbalanced::OneSided { edge });
    }
    let disagrees = |&&edge: &&usize| {
        let Edge { from, to, .. } = model.edges[edge];
        let firings = step(model, edge, from, tree.firings[from]);
        firings.is_some() && tree.firings[to].is_some() && firings != tree.firings[to]
    };
    let length = |&&edge: &&usize| tree.depth[model.edges[edge].from] + tree.depth[model.edges[edge].to];
    let &edge = part.edges.iter().filter(disagrees).min_by_key(length)?;
    Some(disagreement(model, tree, edge).unwrap_or(Unbalanced::TooLarge))
}

/// The cycle that `edge` closes in the tree.
fn disagreement(model: &Model<'_>, tree: &Tree, edge: usize) -> Option<Unbalanced> {
    let Edge { from, to, .. } = model.edges[edge];
    // From both ends upwards until the two ways meet.
    let (mut left, mut right) = (vec![from], vec![to]);
    let (mut left_edges, mut right_edges) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (from, to);
    while a != b {
        let (way, edges, at) = if tree.depth[a] >= tree.depth[b] {
            (&mut left, &mut left_edges, &mut a)
        } else {
            (&mut right, &mut right_edges, &mut b)
        };
        let (edge, above) = tree.above[*at]?;
        *at = above;
        way.push(above);
        edges.push(edge);
    }
    // Down on the left side, over the edge, up on the right side.
    left.reverse();
    left_edges.reverse();
    right.pop();
    let down = left.len();
    left_edges.push(edge);
    let nodes: Vec<usize> = left.into_iter().chain(right).collect();
    let edges: Vec<usize> = left_edges.into_iter().chain(right_edges).collect();

    // Where the edge leads back to the first node, the node before it is the one to compare.
    let target = if down < nodes.len() { down } else { down - 1 };
    let along = |edges: &mut dyn Iterator<Item = usize>| {
        let mut at = nodes[0];
        let mut firings = Some(Ratio::ONE);
        for edge in edges {
            firings = step(model, edge, at, firings);
            let Edge { from, to, .. } = model.edges[edge];
            at = if from == at { to } else { from };
        }
        firings
    };
    let first = along(&mut edges[..target].iter().copied());
    let second = along(&mut edges[target..].iter().rev().copied());
    Some(Unbalanced::Disagree { ways: [first?, second?], nodes, edges, target })
}

/// Scales the tree's fractions to the least whole numbers of whole phase cycles; returns their sum. `None` where
/// something doesn't fit.
fn scale(tree: &Tree, cycles: &[Option<u128>], part: &Part, repetitions: &mut [u64]) -> Option<u64> {
    let mut unit = 1u128;
    for &node in &part.nodes {
        let (firings, cycle) = (tree.firings[node]?, cycles[node]?);
        // The least k with k · over / under a multiple of the cycle.
        let least = firings.under.checked_mul(cycle / gcd(firings.over, cycle))?;
        unit = lcm(unit, least)?;
    }
    let mut sum = 0u64;
    for &node in &part.nodes {
        let firings = tree.firings[node]?;
        let times = (unit / firings.under).checked_mul(firings.over)?;
        repetitions[node] = u64::try_from(times).ok()?;
        sum = sum.checked_add(repetitions[node])?;
    }
    Some(sum)
}
