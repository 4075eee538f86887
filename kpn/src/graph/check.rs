//! The rules over the graph, all of them, all at once.
//!
//! Everything here is linear in nodes and edges, up to sorting, and nothing recurses, since a graph may be
//! one chain of a hundred thousand nodes.

use std::collections::BTreeMap;

use super::{End, Graph, rates};
use crate::error::{BuildError, Problem};

/// The most tokens that an edge may hold. An edge's ring is allocated whole, so a larger figure is more
/// likely a slip than a wish.
pub(super) const MAX_CAPACITY: usize = 1 << 30;

/// Gives the nodes their names, then applies every rule.
pub(crate) fn check(graph: &mut Graph) -> Result<(), BuildError> {
    let mut problems = graph.assign_names();
    wiring(graph, &mut problems);
    capacities(graph, &mut problems);
    problems.extend(graph.cycles().into_iter().map(|cycle| (cycle[0], cycle_problem(graph, &cycle))));
    verdict(problems)
}

/// The rules that need the edges as they are after [`Graph::splice`], which joins some: of rates and capacities.
pub(crate) fn check_rates(graph: &Graph) -> Result<(), BuildError> {
    let mut problems = rates::problems(graph);
    capacities(graph, &mut problems);
    verdict(problems)
}

/// The rule for a capacity of all edges that were given none.
pub(crate) fn check_default(graph: &Graph, tokens: usize) -> Result<(), BuildError> {
    let mut problems = Vec::new();
    let unsaid = graph.edges.iter().enumerate().filter(|(_, edge)| edge.capacity.is_none());
    for (i, from) in unsaid.filter_map(|(i, edge)| Some((i, edge.from?))) {
        let (least, most) = (graph.least(i), graph.most(i));
        if tokens == 0 || tokens > most {
            problems.push((from.0, Problem::Capacity { edge: graph.edge_name(i), capacity: tokens, least, most }));
        }
    }
    verdict(problems)
}

fn verdict(mut problems: Vec<(usize, Problem)>) -> Result<(), BuildError> {
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort_by_key(|(node, _)| *node);
    Err(BuildError::new(problems.into_iter().map(|(_, problem)| problem).collect()))
}

/// Every input has one writer, every output one reader or a way to copy.
fn wiring(graph: &Graph, problems: &mut Vec<(usize, Problem)>) {
    let mut inputs: Vec<Vec<usize>> = graph.nodes.iter().map(|node| vec![0; node.inputs.len()]).collect();
    let mut outputs: Vec<Vec<usize>> = graph.nodes.iter().map(|node| vec![0; node.outputs.len()]).collect();
    for edge in &graph.edges {
        if let Some((node, port)) = edge.to {
            inputs[node][port] += 1;
        }
        if let Some((node, port)) = edge.from {
            outputs[node][port] += 1;
        }
        let (at, port) = match (edge.from, edge.to) {
            (Some(_), Some(_)) => continue,
            (Some(from), None) => (from.0, graph.output_name(from)),
            (None, Some(to)) => (to.0, graph.input_name(to)),
            (None, None) => (graph.nodes.len(), "?".to_owned()),
        };
        problems.push((at, Problem::ForeignPort { port }));
    }

    for (i, node) in graph.nodes.iter().enumerate() {
        for port in (0..node.inputs.len()).filter(|&port| inputs[i][port] == 0) {
            let token = node.inputs[port].token;
            problems.push((i, Problem::UnwiredInput { port: graph.input_name((i, port)), token }));
        }
        for port in (0..node.outputs.len()).filter(|&port| outputs[i][port] == 0) {
            let token = node.outputs[port].token;
            problems.push((i, Problem::UnwiredOutput { port: graph.output_name((i, port)), token }));
        }
    }
    wired_often(graph, &inputs, &outputs, problems);
}

/// Names the other ends of each port that is wired too often.
fn wired_often(graph: &Graph, inputs: &[Vec<usize>], outputs: &[Vec<usize>], problems: &mut Vec<(usize, Problem)>) {
    let mut by: BTreeMap<End, Vec<String>> = BTreeMap::new();
    let mut to: BTreeMap<End, Vec<String>> = BTreeMap::new();
    for edge in &graph.edges {
        if let Some(input) = edge.to.filter(|&(node, port)| inputs[node][port] > 1) {
            let name = edge.from.map_or_else(|| "?".to_owned(), |end| graph.output_name(end));
            by.entry(input).or_default().push(name);
        }
        let copied = |end: &End| outputs[end.0][end.1] > 1 && !graph.fanned.contains(end);
        if let Some(output) = edge.from.filter(copied) {
            let name = edge.to.map_or_else(|| "?".to_owned(), |end| graph.input_name(end));
            to.entry(output).or_default().push(name);
        }
    }
    let twice = |(input, by): (End, _)| (input.0, Problem::WiredTwice { port: graph.input_name(input), by });
    problems.extend(by.into_iter().map(twice));
    let fanned = |(output, to): (End, _)| (output.0, Problem::NotFannedOut { port: graph.output_name(output), to });
    problems.extend(to.into_iter().map(fanned));
}

fn capacities(graph: &Graph, problems: &mut Vec<(usize, Problem)>) {
    for (i, edge) in graph.edges.iter().enumerate() {
        let Some(from) = edge.from else { continue };
        // Where nothing was asked for it is as large as it takes.
        let least = if edge.capacity.is_some() { graph.least(i) } else { graph.ample(i) };
        let (capacity, most) = (edge.capacity.unwrap_or(least), graph.most(i));
        if !(least..=most).contains(&capacity) {
            problems.push((from.0, Problem::Capacity { edge: graph.edge_name(i), capacity, least, most }));
        }
    }
}

/// As many tokens of `size` bytes as one allocation may hold, where the ring rounds up to a power of two.
pub(super) fn most_tokens(size: usize) -> usize {
    let fit = isize::MAX as usize / size.max(1);
    MAX_CAPACITY.min(fit.checked_ilog2().map_or(1, |log| 1 << log))
}

fn cycle_problem(graph: &Graph, cycle: &[usize]) -> Problem {
    let named = |nodes: Vec<usize>| nodes.into_iter().map(|node| graph.nodes[node].name.clone()).collect();
    let nodes: Vec<usize> = cycle.iter().copied().filter(|&node| !graph.nodes[node].junction).collect();
    if !nodes.is_empty() {
        return Problem::Cycle { nodes: named(nodes) };
    }
    // Only open ports that lead to one another.
    Problem::Cycle { nodes: cycle.iter().map(|&node| graph.output_name((node, 0))).collect() }
}
