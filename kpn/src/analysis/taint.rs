//! What depends on more than the tokens.

use super::model::Model;

/// The nodes that lie behind one of the `named` ones, in flow order, but are not named themselves.
pub(super) fn downstream(model: &Model<'_>, named: &[bool]) -> Vec<usize> {
    let pairs = || model.edges.iter().map(|edge| (edge.from, edge.to));
    let successors = crate::digraph::Successors::new(model.nodes, pairs);
    let mut reached = named.to_vec();
    let mut open: Vec<usize> = (0..model.nodes).filter(|&node| named[node]).collect();
    while let Some(node) = open.pop() {
        for &to in successors.of(node) {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    (0..model.nodes).filter(|&node| reached[node] && !named[node]).collect()
}
