//! Against oracles that know nothing of balance equations: they try, or fire one node at a time.

mod absurd;
mod known;
mod oracle;
mod random;
mod text;

use super::balance::Ratio;
use super::*;

/// An edge to be.
#[derive(Clone, Debug, Default)]
struct Wire {
    from: usize,
    to: usize,
    gives: Vec<usize>,
    takes: Vec<usize>,
    /// Tokens that the reader keeps from one firing to the next, so that its first one takes more.
    keeps: usize,
    initial: usize,
    capacity: Option<usize>,
}

/// A network to be.
#[derive(Clone, Debug, Default)]
struct Net {
    nodes: usize,
    wires: Vec<Wire>,
}

impl Net {
    fn new(nodes: usize) -> Self {
        Self { nodes, wires: Vec::new() }
    }

    /// An edge of single rates.
    fn wire(self, from: usize, to: usize, gives: usize, takes: usize) -> Self {
        self.phases(from, to, &[gives], &[takes])
    }

    /// An edge of several phases, or with no phase at all on a side that is dynamic.
    fn phases(mut self, from: usize, to: usize, gives: &[usize], takes: &[usize]) -> Self {
        self.wires.push(Wire { from, to, gives: gives.to_vec(), takes: takes.to_vec(), ..Wire::default() });
        self
    }

    /// Initial tokens on the last edge.
    fn initial(mut self, tokens: usize) -> Self {
        self.wires.last_mut().expect("an edge").initial = tokens;
        self
    }

    /// The last edge's reader sees so many tokens.
    fn peek(mut self, tokens: usize) -> Self {
        let wire = self.wires.last_mut().expect("an edge");
        wire.keeps = tokens.saturating_sub(wire.takes.first().copied().unwrap_or(tokens));
        self
    }

    /// The last edge's capacity.
    fn capacity(mut self, tokens: usize) -> Self {
        self.wires.last_mut().expect("an edge").capacity = Some(tokens);
        self
    }

    fn model(&self) -> Model<'_> {
        let edges = self.wires.iter().map(|wire| Edge {
            from: wire.from,
            to: wire.to,
            gives: Flow::new(&wire.gives, 0),
            takes: Flow::new(&wire.takes, wire.keeps),
            initial: wire.initial,
            capacity: wire.capacity,
        });
        Model { nodes: self.nodes, edges: edges.collect() }
    }

    /// Nodes are called `a`, `b`, …, edges `a -> b`.
    fn labels(&self) -> Labels {
        let name = |node: usize| {
            let letter = char::from(b'a' + (node % 26) as u8);
            if node < 26 { letter.to_string() } else { format!("{letter}{}", node / 26) }
        };
        let rates = |phases: &[usize], keeps: usize| match phases {
            [] => Rates::Dynamic,
            &[consume] if keeps > 0 => Rates::Window { peek: consume.saturating_add(keeps), consume },
            phases => Rates::Phases(phases.to_vec()),
        };
        let edge = |wire: &Wire| EdgeLabel {
            name: format!("{} -> {}", name(wire.from), name(wire.to)),
            gives: rates(&wire.gives, 0),
            takes: rates(&wire.takes, wire.keeps),
            capacity: wire.capacity.unwrap_or(64),
            size: 4,
        };
        let mut kinds = vec![NodeKind::Fixed; self.nodes];
        for wire in &self.wires {
            for (node, phases) in [(wire.from, &wire.gives), (wire.to, &wire.takes)] {
                if phases.is_empty() {
                    kinds[node] = NodeKind::Dynamic;
                }
            }
        }
        Labels {
            nodes: kinds.into_iter().enumerate().map(|(node, kind)| NodeLabel { name: name(node), kind }).collect(),
            edges: self.wires.iter().map(edge).collect(),
            taps: Vec::new(),
        }
    }

    fn analysis(&self) -> Analysis {
        describe(&self.model(), self.labels())
    }

    fn repetitions(&self) -> Vec<u64> {
        balance(&self.model()).repetitions
    }
}

/// A network at one moment, fired node by node.
#[derive(Clone, Debug)]
struct Replay<'a> {
    net: &'a Net,
    capacities: Vec<usize>,
    tokens: Vec<usize>,
    /// What each reader keeps.
    kept: Vec<usize>,
    fired: Vec<usize>,
}

impl<'a> Replay<'a> {
    fn new(net: &'a Net, capacities: &[usize]) -> Self {
        let tokens = net.wires.iter().map(|wire| wire.initial).collect();
        Self { net, capacities: capacities.to_vec(), tokens, kept: vec![0; net.wires.len()], fired: vec![0; net.nodes] }
    }

    /// What a firing of the reader of edge `i` takes from it.
    fn takes(&self, i: usize) -> usize {
        let wire = &self.net.wires[i];
        let fired = self.fired[wire.to];
        wire.takes[fired % wire.takes.len()] + wire.keeps - self.kept[i]
    }

    fn gives(&self, i: usize) -> usize {
        let wire = &self.net.wires[i];
        wire.gives[self.fired[wire.from] % wire.gives.len()]
    }

    /// A firing finds all its tokens and all its room, then takes, then gives.
    fn can_fire(&self, node: usize) -> bool {
        self.net.wires.iter().enumerate().all(|(i, wire)| {
            let tokens = self.tokens[i];
            let fed = wire.to != node || tokens >= self.takes(i);
            fed && (wire.from != node || tokens + self.gives(i) <= self.capacities[i])
        })
    }

    fn fire(&mut self, node: usize) {
        for (i, wire) in self.net.wires.iter().enumerate() {
            if wire.to == node {
                self.tokens[i] -= self.takes(i);
                self.kept[i] = wire.keeps;
            }
            if wire.from == node {
                self.tokens[i] += self.gives(i);
            }
        }
        self.fired[node] += 1;
    }

    /// Fires whatever can in turn, until nothing can or everything is as it was once before, which is going on for
    /// ever.
    fn lives(&mut self) -> bool {
        let mut seen = std::collections::HashSet::new();
        loop {
            let before = self.fired.clone();
            for node in 0..self.net.nodes {
                if self.can_fire(node) {
                    self.fire(node);
                }
            }
            if self.fired == before {
                return false;
            }
            let phase = |node: usize| {
                let lens =
                    self.net.wires.iter().flat_map(|wire| [(wire.from, wire.gives.len()), (wire.to, wire.takes.len())]);
                self.fired[node] % lens.filter(|(at, _)| *at == node).map(|(_, len)| len).product::<usize>().max(1)
            };
            let phases: Vec<usize> = (0..self.net.nodes).map(phase).collect();
            if !seen.insert((self.tokens.clone(), self.kept.clone(), phases)) {
                return true;
            }
        }
    }
}

/// Whether a net goes on for ever with these capacities.
fn lives(net: &Net, capacities: &[usize]) -> bool {
    Replay::new(net, capacities).lives()
}

/// A sequence of numbers that depends on the seed alone (SplitMix64: Steele, Lea and Flood 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
