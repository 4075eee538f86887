//! What the interpreter finds wrong with a plan, and how it is mended.

use super::super::oracle::{Oracle, Order, Verdict, Wait};
use super::super::{Kind, Plan};

/// How often a plan is mended before it is given up.
const ATTEMPTS: usize = 12;

/// The capacity of an edge where nothing is said; at least. A larger one stops nothing.
const DEFAULT: usize = 64;

impl Plan {
    /// The plan with more initial tokens on loops that would starve; nothing where that does not help, or it never ends.
    pub(super) fn fed(mut self) -> Option<Self> {
        for _ in 0..ATTEMPTS {
            let wiring = self.wiring();
            let mut oracle = Oracle::new(&self, &wiring, None);
            match oracle.run(Order::Queue) {
                Verdict::Ended => return Some(self),
                Verdict::True => {}
                Verdict::Artificial | Verdict::Endless => return None,
            }
            // The ways round on which somebody waits get twice as many tokens.
            let hungry = oracle.on_cycles();
            let mut mended = false;
            for edge in hungry {
                let edge = &mut self.edges[edge];
                let Some(initial) = edge.initial.as_mut().filter(|initial| !initial.is_empty()) else { continue };
                let more: Vec<u64> = initial.iter().map(|token| token.rotate_left(17) ^ 0x5EED).collect();
                initial.extend(&more);
                edge.capacity = edge.capacity.map(|capacity| capacity + more.len());
                mended = true;
            }
            if !mended {
                return None;
            }
        }
        None
    }

    /// The capacity of each edge where nothing is left to be said.
    pub fn bounds(&self) -> Vec<usize> {
        let bound = |edge: &super::super::Edge| edge.capacity.unwrap_or_else(|| DEFAULT.max(self.least(edge)));
        self.edges.iter().map(bound).collect()
    }

    /// The least legal capacity of an edge.
    fn least(&self, edge: &super::super::Edge) -> usize {
        let gives = match &self.nodes[edge.from.node].kind {
            Kind::Firing(firing) => firing.gives[edge.from.port].most(),
            _ => 1,
        };
        let takes = match &self.nodes[edge.to.node].kind {
            Kind::Firing(firing) => firing.takes[edge.to.port].most(),
            _ => 1,
        };
        gives.max(takes) + edge.initial.as_ref().map_or(0, Vec::len)
    }

    /// The plan with a capacity for every edge, such that no nodes ever wait for one another in a circle, whatever the schedule;
    /// see [`Oracle::stubborn`]. Nothing where no capacities do that.
    pub fn bounded(mut self) -> Option<Self> {
        let mut bounds = self.bounds();
        let wiring = self.wiring();
        loop {
            let mut oracle = Oracle::new(&self, &wiring, Some(&bounds)).stubborn();
            match oracle.run(Order::Queue) {
                Verdict::Ended => break,
                Verdict::Artificial => {}
                Verdict::True | Verdict::Endless => return None,
            }
            let space = |wait: &Wait| if let Wait::Space(edge) = *wait { Some(edge) } else { None };
            let full: Vec<usize> = oracle.waits().iter().flatten().filter_map(space).collect();
            full.into_iter().for_each(|edge| bounds[edge] *= 2);
        }
        self.edges.iter_mut().zip(bounds).for_each(|(edge, bound)| edge.capacity = Some(bound));
        Some(self)
    }
}
