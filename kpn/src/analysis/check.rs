//! What is known before a network runs: which cycles can't go on, and which capacities its edges need.

use super::balance::Balance;
use super::live::{Fit, Settled, Starved, grow, settle, shortages};
use super::model::Model;
use super::sim::{Budget, Sim, Spent};
use crate::digraph::Successors;

/// Steps that each of these may take over a whole network: a fraction of a second. What isn't known by then stays so.
const MOST_STEPS: u64 = 1 << 20;

/// The cycles of fixed rates that stop for want of tokens, however large their edges are.
///
/// An edge without bounds never stops its writer, so what is between cycles doesn't matter: each strongly connected
/// component is looked at by itself.
pub(crate) fn starved(model: &Model<'_>, balance: &Balance) -> Vec<Starved> {
    let component = components(model);
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut place = vec![None; model.nodes];
    for (i, edge) in model.edges.iter().enumerate() {
        let inside = edge.fixed().is_some() && component[edge.from] == component[edge.to];
        if inside && balance.repetitions[edge.from] > 0 {
            let at = *place[component[edge.from]].get_or_insert_with(|| {
                edges.push(Vec::new());
                edges.len() - 1
            });
            edges[at].push(i);
        }
    }
    let mut budget = Budget::new(MOST_STEPS);
    let mut number = vec![0; model.nodes];
    let mut found = Vec::new();
    // Where every firing moves one token, it is enough that no cycle is empty, which is checked elsewhere.
    let uneven = |edges: &&Vec<usize>| edges.iter().any(|&edge| !model.edges[edge].is_even());
    for edges in edges.iter().filter(uneven) {
        let mut nodes: Vec<usize> = edges.iter().flat_map(|&i| [model.edges[i].from, model.edges[i].to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut sim = Sim::new(model, &nodes, edges, &balance.repetitions_among(&nodes), &mut number);
        match settle(&mut sim, 0, &mut budget) {
            Ok(Settled::Live { .. }) => {}
            Ok(Settled::Stuck(cycle)) => found.extend(shortages(&mut sim, model, cycle, &mut budget)),
            Err(Spent) => break,
        }
    }
    found
}

/// Of the edges with fixed rates.
fn components(model: &Model<'_>) -> Vec<usize> {
    let fixed = || model.edges.iter().filter(|edge| edge.fixed().is_some()).map(|edge| (edge.from, edge.to));
    Successors::new(model.nodes, fixed).components()
}

/// Makes the `capacities`, one an edge, as large as it takes that no part gets stuck between full and empty edges.
/// Those that were asked for stay as they are.
pub(crate) fn enlarge(model: &Model<'_>, balance: &Balance, capacities: &mut [usize]) {
    let mut budget = Budget::new(MOST_STEPS);
    let mut number = vec![0; model.nodes];
    for part in balance.parts.iter().filter(|part| part.firings.is_ok()) {
        // A part without a cycle, whichever way its edges point, needs of each edge only what its two ends do.
        let is_tree = part.edges.len() < part.nodes.len();
        if is_tree || part.edges.iter().all(|&edge| model.edges[edge].is_plain()) {
            continue;
        }
        let repetitions: Vec<u64> = part.nodes.iter().map(|&node| balance.repetitions[node]).collect();
        let mut sim = Sim::new(model, &part.nodes, &part.edges, &repetitions, &mut number);
        for edge in &mut sim.edges {
            edge.capacity = capacities[edge.index] as u128;
        }
        let may_grow: Vec<bool> = sim.edges.iter().map(|edge| model.edges[edge.index].capacity.is_none()).collect();
        if let Ok(Fit::Live) = grow(&mut sim, &may_grow, 0, &mut budget) {
            for edge in &sim.edges {
                capacities[edge.index] = usize::try_from(edge.capacity).unwrap_or(usize::MAX);
            }
        }
    }
}
