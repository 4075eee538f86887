//! Random networks, and the histories that they must have by the theory alone.
//!
//! [`Spec`] is plain data; [`Spec::histories`] computes every history with unbounded queues, node by node, without the
//! runtime; [`Spec::build`] makes the network. Both use the same [`Behaviour`] for what a firing does.

mod build;
pub mod plan;
mod random;

pub use build::{Built, Fault, Sights};

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gives so many tokens.
    Source(usize),
    /// One in, one out, with a running sum as state.
    Map,
    /// Lets some tokens through.
    Filter,
    /// Gives 0 to 7 tokens for each.
    Spread,
    /// Gives the sum of all, at the end.
    Last,
    /// One output as [`Kind::Map`], one as [`Kind::Filter`].
    Twin,
    /// Two in, one out.
    Join2,
    /// Three in, one out.
    Join3,
    /// Two in, two out.
    Butterfly,
    /// Records what it gets.
    Sink,
}

impl Kind {
    fn inputs(self) -> usize {
        match self {
            Self::Source(_) => 0,
            Self::Join2 | Self::Butterfly => 2,
            Self::Join3 => 3,
            _ => 1,
        }
    }

    fn outputs(self) -> usize {
        match self {
            Self::Sink => 0,
            Self::Twin | Self::Butterfly => 2,
            _ => 1,
        }
    }
}

/// Where a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the network does.
    Shared,
    /// `.private()`
    Private,
    /// `.blocking()`
    Blocking,
    /// `.pinned(0)`
    Pinned,
    /// `.priority(..)`
    Priority(i32),
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodeSpec {
    /// What it does.
    pub kind: Kind,
    /// Where it runs.
    pub place: Place,
    /// What distinguishes it from its like.
    pub salt: u64,
    /// Rounds of busy work a firing.
    pub work: u32,
    /// By input: node and output that feed it, and the capacity.
    pub feeds: Vec<(usize, usize, Option<usize>)>,
}

/// A network without cycles, its nodes in an order in which each comes after those that feed it. Its shape is such that
/// bounded edges can't deadlock it; see [`Spec::random`].
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The nodes.
    pub nodes: Vec<NodeSpec>,
}

/// What the firings of one node do.
#[derive(Clone, Debug)]
pub struct Behaviour {
    kind: Kind,
    salt: u64,
    state: u64,
}

impl Behaviour {
    fn new(node: &NodeSpec) -> Self {
        Self { kind: node.kind, salt: node.salt, state: node.salt }
    }

    fn mix(&self, x: u64) -> u64 {
        (x ^ self.salt).wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(23)
    }

    /// A value that depends on all that the node has seen.
    fn learn(&mut self, x: u64) -> u64 {
        self.state = self.mix(self.state ^ x);
        self.state
    }

    fn passes(&self, x: u64) -> bool {
        !self.mix(x).is_multiple_of(3)
    }

    /// The tokens of one firing by output; `None` where a source ends. `inputs` has one token an input.
    fn fire(&mut self, inputs: &[u64]) -> Option<[Vec<u64>; 2]> {
        let none = Vec::new;
        Some(match (self.kind, inputs) {
            (Kind::Source(n), _) => {
                let sent = self.state - self.salt;
                if sent == n as u64 {
                    return None;
                }
                self.state += 1;
                [vec![self.mix(sent)], none()]
            }
            (Kind::Map, &[x]) => [vec![self.learn(x)], none()],
            (Kind::Filter, &[x]) => [if self.passes(x) { vec![x] } else { none() }, none()],
            (Kind::Spread, &[x]) => [(0..self.mix(x) % 8).map(|i| x.wrapping_add(i)).collect(), none()],
            (Kind::Last, &[x]) => {
                self.learn(x);
                [none(), none()]
            }
            (Kind::Twin, &[x]) => [vec![self.learn(x)], if self.passes(x) { vec![x] } else { none() }],
            (Kind::Join2, &[x, y]) => [vec![self.learn(x ^ y.rotate_left(7))], none()],
            (Kind::Join3, &[x, y, z]) => [vec![self.learn(x ^ y.rotate_left(7) ^ z.rotate_left(19))], none()],
            (Kind::Butterfly, &[x, y]) => [vec![x.wrapping_add(y)], vec![self.learn(x.wrapping_sub(y))]],
            (kind, inputs) => unreachable!("{kind:?} with {} inputs", inputs.len()),
        })
    }

    /// The last word.
    fn finish(&self) -> Option<u64> {
        (self.kind == Kind::Last).then_some(self.state)
    }
}

/// The tokens of every output, by node and output; of a sink what it got, as its output 0.
pub type Histories = Vec<[Vec<u64>; 2]>;

impl Spec {
    /// Every history where the nodes for which `cut` says so fire that often and no more, without a last word: sources that
    /// were stopped, and a node that failed.
    pub fn histories_cut(&self, cut: &dyn Fn(usize) -> Option<usize>) -> Histories {
        let mut histories = Histories::new();
        for i in 0..self.nodes.len() {
            let history = self.history(i, cut(i), &histories);
            histories.push(history);
        }
        histories
    }

    /// Every history.
    pub fn histories(&self) -> Histories {
        self.histories_cut(&|_| None)
    }

    /// The history of the node `i`, given those before it.
    fn history(&self, i: usize, cut: Option<usize>, before: &Histories) -> [Vec<u64>; 2] {
        let node = &self.nodes[i];
        let input = |feed: usize, firing: usize| {
            let (from, output, _) = node.feeds[feed];
            before[from][output][firing]
        };
        let tokens = node.feeds.iter().map(|&(from, output, _)| before[from][output].len());
        let firings = match node.kind {
            Kind::Source(n) => n,
            _ => tokens.min().unwrap_or(0),
        };
        let firings = firings.min(cut.unwrap_or(firings));
        let mut history = [Vec::new(), Vec::new()];
        let mut behaviour = Behaviour::new(node);
        for firing in 0..firings {
            let inputs: Vec<u64> = (0..node.feeds.len()).map(|feed| input(feed, firing)).collect();
            if node.kind == Kind::Sink {
                history[0].extend(inputs);
                continue;
            }
            let outputs = behaviour.fire(&inputs).into_iter().flatten();
            history.iter_mut().zip(outputs).for_each(|(history, tokens)| history.extend(tokens));
        }
        if cut.is_none() {
            history[0].extend(behaviour.finish());
        }
        history
    }

    /// The sinks' nodes.
    pub fn sinks(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|&i| self.nodes[i].kind == Kind::Sink)
    }

    /// The name of a node.
    pub fn name(i: usize) -> String {
        format!("n{i}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(kind: Kind, feeds: &[(usize, usize)]) -> NodeSpec {
        let feeds = feeds.iter().map(|&(node, output)| (node, output, None)).collect();
        NodeSpec { kind, place: Place::Shared, salt: 1, work: 0, feeds }
    }

    #[test]
    fn the_interpreter_knows_a_join_by_heart() {
        let nodes = vec![
            node(Kind::Source(5), &[]),
            node(Kind::Source(3), &[]),
            node(Kind::Butterfly, &[(0, 0), (1, 0)]),
            node(Kind::Sink, &[(2, 0)]),
        ];
        let histories = Spec { nodes }.histories();
        let sums = (0..3).map(|i| histories[0][0][i].wrapping_add(histories[1][0][i]));
        assert_eq!(histories[3][0], sums.collect::<Vec<_>>());
        assert_eq!(histories[0][0].len(), 5);
    }
}
