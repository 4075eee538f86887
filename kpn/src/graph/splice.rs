//! Taking the composites' open ports out: `s → junction → {t, u}` becomes `s → t`, `s → u`.

use super::{End, Graph};

/// What a splice did, for those who hold data by node or by edge.
pub(crate) struct Spliced {
    /// Where each node is now; `None` for a junction.
    pub(crate) nodes: Vec<Option<usize>>,
    /// The edges that are left, by their old index, in their new order.
    pub(crate) edges: Vec<usize>,
    /// The edges that each of these replaces besides and that have initial tokens, the nearest one first.
    pub(crate) merged: Vec<Vec<usize>>,
    /// Outputs that took over the right to be copied: (the junction's output, by its old index; the output
    /// that feeds it, by its new index).
    pub(crate) fanned: Vec<(End, End)>,
}

/// What feeds a junction in the end.
#[derive(Clone)]
struct Origin {
    output: End,
    /// The capacity that was asked for on the way, and how deep.
    capacity: Option<(usize, usize)>,
    /// The edges on the way that have initial tokens, the nearest one first.
    initial: Vec<usize>,
}

impl Graph {
    /// Replaces each junction by direct edges, and closes the gaps in the node indices.
    ///
    /// On the way through several composites, the innermost edge that asks for a capacity is obeyed; among
    /// equally deep ones the larger figure, which suits both.
    ///
    /// # Panics
    ///
    /// If the graph didn't pass [`super::check`].
    pub(crate) fn splice(&mut self) -> Spliced {
        let origins = self.origins();
        let mut kept = 0;
        let number = |junction: bool| {
            (!junction).then(|| {
                kept += 1;
                kept - 1
            })
        };
        let nodes: Vec<Option<usize>> = self.nodes.iter().map(|node| node.junction).map(number).collect();
        let moved = |(node, port): End| (nodes[node].expect("an origin is no junction"), port);

        let (mut edges, mut merged) = (Vec::new(), Vec::new());
        let counts: Vec<usize> = self.edges.iter().map(|edge| edge.initial.unwrap_or(0)).collect();
        for (i, edge) in self.edges.iter_mut().enumerate() {
            let (from, to) = (edge.from.expect("checked"), edge.to.expect("checked"));
            let Some(target) = nodes[to.0] else { continue };
            edges.push(i);
            let mut output = from;
            let mut above = Vec::new();
            if let Some(origin) = &origins[from.0] {
                output = origin.output;
                above.clone_from(&origin.initial);
                if !above.is_empty() {
                    let more: usize = above.iter().map(|&edge| counts[edge]).sum();
                    edge.initial = Some(counts[i] + more);
                }
                let own = edge.capacity.map(|capacity| (edge.depth, capacity));
                edge.capacity = own.max(origin.capacity).map(|(_, capacity)| capacity);
            }
            edge.from = Some(moved(output));
            edge.to = Some((target, to.1));
            merged.push(above);
        }
        let mut keep = edges.iter().copied().peekable();
        let mut i = 0..;
        self.edges.retain(|_| keep.next_if_eq(&i.next().unwrap_or_default()).is_some());

        let mut fanned = Vec::new();
        self.fanned = std::mem::take(&mut self.fanned)
            .into_iter()
            .map(|end| match &origins[end.0] {
                Some(origin) => {
                    let new = moved(origin.output);
                    fanned.push((end, new));
                    new
                }
                None => moved(end),
            })
            .collect();
        self.nodes.retain(|node| !node.junction);
        Spliced { nodes, edges, merged, fanned }
    }

    /// The origin of each junction; `None` for other nodes.
    fn origins(&self) -> Vec<Option<Origin>> {
        let mut fed_by = vec![None; self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            if let Some((node, _)) = edge.to.filter(|&(node, _)| self.nodes[node].junction) {
                fed_by[node] = Some(i);
            }
        }
        let mut origins: Vec<Option<Origin>> = vec![None; self.nodes.len()];
        let mut chain = Vec::new();
        for junction in (0..self.nodes.len()).filter(|&node| self.nodes[node].junction) {
            // Up to what is known or no junction, then down again; a checked graph has no cycle.
            let mut node = junction;
            while let (Some(edge), None) = (fed_by[node], &origins[node]) {
                chain.push((node, edge));
                node = self.edges[edge].from.expect("checked").0;
            }
            while let Some((node, index)) = chain.pop() {
                let edge = &self.edges[index];
                let from = edge.from.expect("checked");
                let above = origins[from.0].clone();
                let mut origin = above.unwrap_or(Origin { output: from, capacity: None, initial: Vec::new() });
                let own = edge.capacity.map(|capacity| (edge.depth, capacity));
                origin.capacity = own.max(origin.capacity);
                if edge.initial.is_some() {
                    origin.initial.insert(0, index);
                }
                origins[node] = Some(origin);
            }
        }
        origins
    }
}
