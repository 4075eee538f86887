//! Making random networks that bounded edges can't deadlock.

use super::{Histories, Kind, NodeSpec, Place, Spec};
use crate::Dice;

/// Sets that are only ever joined.
#[derive(Default)]
struct Sets(Vec<usize>);

impl Sets {
    fn add(&mut self) -> usize {
        self.0.push(self.0.len());
        self.0.len() - 1
    }

    fn root(&self, mut at: usize) -> usize {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
    }
}

/// An output under construction.
#[derive(Clone, Copy)]
struct Stream {
    node: usize,
    output: usize,
    /// Streams of one clock have one token a firing of everything between them.
    clock: usize,
    /// What is connected with it, whatever the direction.
    island: usize,
    readers: usize,
}

struct Maker<'a> {
    dice: &'a mut Dice,
    spec: Spec,
    histories: Histories,
    streams: Vec<Stream>,
    clocks: Sets,
    islands: Sets,
    mostly_shared: bool,
}

/// The longest history that is still made longer.
const LONG: usize = 200;

impl Spec {
    /// A network of about `most` nodes at most, deadlock-free with any capacities.
    ///
    /// Why: a node that gives and takes one token a firing on each port keeps its *clock*; one with another rate
    /// begins a new clock. A join takes streams of one clock, or of two islands that nothing connects yet, whose clocks it
    /// makes one. So the clocks, as vertices joined by the nodes that change rates, always form a forest, and every
    /// undirected cycle lies within one clock. There the network is a marked graph without directed cycles, in
    /// which each space of an edge is a token of its reverse edge, so no cycle is empty: it is live. And a cycle of
    /// nodes that wait for one another would be an undirected cycle.
    pub fn random(dice: &mut Dice, most: usize) -> Self {
        let mut maker = Maker {
            mostly_shared: dice.once_in(2),
            dice,
            spec: Spec::default(),
            histories: Histories::new(),
            streams: Vec::new(),
            clocks: Sets::default(),
            islands: Sets::default(),
        };
        let nodes = maker.dice.within(2..most.max(3));
        for _ in 0..maker.dice.within(1..4) {
            maker.source();
        }
        // Each sink closes one stream, so the rest of the room is theirs.
        while maker.spec.nodes.len() + maker.open().count() < nodes {
            maker.grow();
        }
        maker.close();
        maker.spec
    }
}

impl Maker<'_> {
    fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.streams.len()).filter(|&i| self.streams[i].readers == 0)
    }

    fn source(&mut self) {
        let n = if self.dice.once_in(8) { self.dice.within(0..4) } else { self.dice.within(20..LONG / 2) };
        let island = self.islands.add();
        let clock = self.clocks.add();
        self.push(Kind::Source(n), &[], island, [clock, clock]);
    }

    fn grow(&mut self) {
        let a = self.stream();
        let own = self.streams[a].clock;
        let island = self.streams[a].island;
        let short = self.tokens(a) < LONG;
        match self.dice.within(0..20) {
            0 if self.spec.nodes.len() < 20 => self.source(),
            0..=2 => self.changing(Kind::Filter, a),
            3 if short => self.changing(Kind::Spread, a),
            4 => self.changing(Kind::Last, a),
            5 => {
                let filtered = self.clocks.add();
                self.push(Kind::Twin, &[a], island, [own, filtered]);
            }
            6..=8 => self.joining(Kind::Join2, a),
            9..=10 => self.joining(Kind::Butterfly, a),
            11 => self.joining(Kind::Join3, a),
            _ => self.push(Kind::Map, &[a], island, [own, own]),
        }
    }

    /// A node that begins a new clock.
    fn changing(&mut self, kind: Kind, a: usize) {
        let clock = self.clocks.add();
        self.push(kind, &[a], self.streams[a].island, [clock, clock]);
    }

    fn joining(&mut self, kind: Kind, a: usize) {
        let mut inputs = vec![a];
        while inputs.len() < kind.inputs() {
            let Stream { clock, island, .. } = self.streams[a];
            let fits = |s: &Stream| self.clocks.same(s.clock, clock) || !self.islands.same(s.island, island);
            let fitting: Vec<usize> = (0..self.streams.len()).filter(|&i| fits(&self.streams[i])).collect();
            let b = *self.dice.pick(&fitting);
            self.clocks.join(clock, self.streams[b].clock);
            self.islands.join(island, self.streams[b].island);
            inputs.push(b);
        }
        let Stream { clock, island, .. } = self.streams[a];
        self.push(kind, &inputs, island, [clock, clock]);
    }

    /// Some stream, mostly one that nobody reads yet.
    fn stream(&mut self) -> usize {
        let open: Vec<usize> = self.open().collect();
        if open.is_empty() || self.dice.once_in(4) {
            return self.dice.within(0..self.streams.len());
        }
        *self.dice.pick(&open)
    }

    fn tokens(&self, stream: usize) -> usize {
        let Stream { node, output, .. } = self.streams[stream];
        self.histories[node][output].len()
    }

    fn push(&mut self, kind: Kind, inputs: &[usize], island: usize, clocks: [usize; 2]) {
        let capacities = [Some(1), Some(1), Some(2), Some(3), Some(7), Some(64), None];
        let feeds = inputs.iter().map(|&input| {
            let Stream { node, output, .. } = self.streams[input];
            (node, output, *self.dice.pick(&capacities))
        });
        let feeds = feeds.collect();
        let work = if self.dice.once_in(10) { self.dice.within(0..2_000) as u32 } else { 0 };
        let place = self.place();
        let node = self.spec.nodes.len();
        self.spec.nodes.push(NodeSpec { kind, place, salt: self.dice.roll() >> 1, work, feeds });
        self.histories.push(self.spec.history(node, None, &self.histories));
        for &input in inputs {
            self.streams[input].readers += 1;
        }
        for (output, &clock) in clocks.iter().enumerate().take(kind.outputs()) {
            self.streams.push(Stream { node, output, clock, island, readers: 0 });
        }
    }

    fn place(&mut self) -> Place {
        if self.mostly_shared || !self.dice.once_in(8) {
            return Place::Shared;
        }
        match self.dice.within(0..4) {
            0 => Place::Private,
            1 => Place::Blocking,
            2 => Place::Pinned,
            _ => Place::Priority(self.dice.within(0..9) as i32 - 4),
        }
    }

    /// A sink for every stream that nobody reads.
    fn close(&mut self) {
        for stream in self.open().collect::<Vec<_>>() {
            let Stream { island, clock, .. } = self.streams[stream];
            self.push(Kind::Sink, &[stream], island, [clock, clock]);
        }
    }
}
