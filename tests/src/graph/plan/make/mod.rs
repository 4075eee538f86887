//! Making random plans.

mod clocks;
mod firings;
mod loops;
mod mend;
mod programs;

pub(super) use firings::{GIVES, PAIR_GIVES, PAIRS, TAKES, TWIN_TAKES, TWINS, WIDE};

use super::{Edge, Firing, Give, Kind, Node, Place, Plan, Port, Program, Take};
use crate::Dice;
use clocks::{Clocks, Ratio};

/// What kind of plans to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taste {
    /// About how many nodes.
    pub nodes: usize,
    /// Loops that end with their outside.
    pub loops: bool,
    /// Loops that end when they have drained.
    pub drains: bool,
    /// Nodes that end before their inputs do.
    pub early: bool,
    /// Capacities that are small, down to the least that is legal.
    pub tight: bool,
    /// Nodes with threads and priorities of their own.
    pub placed: bool,
}

impl Taste {
    /// Everything.
    pub fn all(nodes: usize) -> Self {
        Self { nodes, loops: true, drains: true, early: true, tight: true, placed: true }
    }
}

/// An output under construction.
#[derive(Clone, Copy)]
struct Stream {
    from: Port,
    /// About how many tokens.
    len: usize,
    /// Tokens a firing, where that is fixed.
    rate: Option<Ratio>,
    ascending: bool,
    readers: usize,
}

/// Streams longer than this are not made longer.
const LONG: usize = 300;

struct Maker<'a> {
    dice: &'a mut Dice,
    taste: Taste,
    plan: Plan,
    streams: Vec<Stream>,
    clocks: Clocks,
    /// Loops that are not closed yet.
    depth: usize,
}

impl Plan {
    /// A plan of about as many nodes as that at most. By construction no loop starves, so that with edges that grow it runs to
    /// its end; see also [`Plan::bounded`].
    pub fn random(dice: &mut Dice, taste: Taste) -> Self {
        loop {
            let plan = Maker::new(dice, taste).make();
            if let Some(plan) = plan.fed() {
                return plan;
            }
        }
    }
}

impl<'a> Maker<'a> {
    fn new(dice: &'a mut Dice, taste: Taste) -> Self {
        Self { dice, taste, plan: Plan::default(), streams: Vec::new(), clocks: Clocks::default(), depth: 0 }
    }

    fn make(mut self) -> Plan {
        let nodes = self.dice.within(2..self.taste.nodes.max(3));
        for _ in 0..self.dice.within(1..4) {
            self.source();
        }
        // Each sink closes a stream, so the rest of the room is theirs.
        while self.plan.nodes.len() + self.open().len() < nodes {
            self.grow();
        }
        self.close();
        self.plan
    }

    fn open(&self) -> Vec<usize> {
        (0..self.streams.len()).filter(|&i| self.streams[i].readers == 0).collect()
    }

    fn add(&mut self, kind: Kind) -> usize {
        let place = if !self.taste.placed || !self.dice.once_in(12) {
            Place::Shared
        } else {
            match self.dice.within(0..3) {
                0 => Place::Private,
                1 => Place::Blocking,
                _ => Place::Priority(self.dice.within(0..9) as i32 - 4),
            }
        };
        let work = if self.dice.once_in(12) { self.dice.within(0..2_000) as u32 } else { 0 };
        self.clocks.add();
        self.plan.nodes.push(Node { kind, salt: self.dice.roll() >> 1, place, work });
        self.plan.nodes.len() - 1
    }

    fn connect(&mut self, stream: usize, to: Port, initial: Option<Vec<u64>>) {
        let from = self.streams[stream].from;
        let held = initial.as_ref().map_or(0, Vec::len);
        let capacity = self.capacity(stream, to, held);
        self.streams[stream].readers += 1;
        self.plan.edges.push(Edge { from, to, capacity, initial });
    }

    /// A capacity that is legal: a firing's tokens fit, and those that lie there at the start.
    fn capacity(&mut self, stream: usize, to: Port, held: usize) -> Option<usize> {
        let Stream { from, rate, .. } = self.streams[stream];
        let gives = match &self.plan.nodes[from.node].kind {
            Kind::Firing(firing) => firing.gives[from.port].most(),
            _ => 1,
        };
        let takes = match &self.plan.nodes[to.node].kind {
            Kind::Firing(firing) => Some(firing.takes[to.port].most()),
            _ => None,
        };
        let least = match takes {
            // Between two fixed rates less than this could stop the pair of them for ever.
            Some(takes) if rate.is_some() => gives + takes + held,
            takes if from.node == to.node => gives.max(takes.unwrap_or(1)) + held,
            takes => gives.max(takes.unwrap_or(1)).max(held),
        };
        if !self.taste.tight && self.dice.once_in(2) {
            return None;
        }
        self.dice.pick(&[Some(0), Some(0), Some(1), Some(2), Some(6), Some(63), None]).map(|more| least + more)
    }

    /// What fixed rates tie a node to that takes these streams so.
    fn ties(&self, inputs: &[usize], takes: &[Take]) -> Vec<(usize, Ratio)> {
        let pairs = inputs.iter().zip(takes);
        let tie = |(&stream, take): (&usize, &Take)| {
            let Stream { from, rate, .. } = self.streams[stream];
            rate.map(|rate| (from.node, rate.times(take.mean().inverse())))
        };
        pairs.filter_map(tie).collect()
    }

    fn lengths(&self, inputs: &[usize]) -> Vec<usize> {
        inputs.iter().map(|&stream| self.streams[stream].len).collect()
    }

    /// Adds a node that fires, with its first inputs fed by these streams, and returns its own streams; or nothing, where the
    /// rates contradict one another.
    fn firing(&mut self, mut firing: Firing, inputs: &[usize]) -> Option<Vec<usize>> {
        let ties = self.ties(inputs, &firing.takes);
        if !self.clocks.fits(&ties) {
            return None;
        }
        if self.taste.early && self.depth == 0 && !inputs.is_empty() && self.dice.once_in(25) {
            firing.limit = Some(self.dice.within(0..40));
        }
        firing.finishes = self.depth == 0 && firing.may_finish() && self.dice.once_in(4);
        let lengths = firing.lengths(&self.lengths(inputs));
        let rates: Vec<Option<Ratio>> = firing.gives.iter().map(|give| give.mean()).collect();
        let ascending = firing.ascending;
        let node = self.add(Kind::Firing(firing));
        self.clocks.tie(node, &ties);
        Some(self.wire(node, inputs, &lengths, &rates, ascending))
    }

    /// Adds a process.
    fn process(&mut self, program: Program, inputs: &[usize]) -> Vec<usize> {
        let lengths = program.lengths(&self.lengths(inputs));
        let rates = vec![None; lengths.len()];
        let node = self.add(Kind::Process(program));
        self.wire(node, inputs, &lengths, &rates, false)
    }

    /// Connects a new node, and opens its streams.
    fn wire(
        &mut self,
        node: usize,
        inputs: &[usize],
        lengths: &[usize],
        rates: &[Option<Ratio>],
        ascending: bool,
    ) -> Vec<usize> {
        for (port, &stream) in inputs.iter().enumerate() {
            self.connect(stream, Port { node, port }, None);
        }
        let first = self.streams.len();
        for (port, (&len, &rate)) in lengths.iter().zip(rates).enumerate() {
            self.streams.push(Stream { from: Port { node, port }, len, rate, ascending, readers: 0 });
        }
        (first..self.streams.len()).collect()
    }

    fn source(&mut self) {
        let n = if self.dice.once_in(8) { self.dice.within(0..4) } else { self.dice.within(20..100) };
        if self.dice.once_in(4) {
            let outputs = self.dice.within(1..3);
            let program = Program::source(self.dice, outputs, n);
            self.process(program, &[]);
            return;
        }
        let gives = match self.dice.within(0..4) {
            0 => vec![*self.dice.pick(&GIVES)],
            1 => vec![*self.dice.pick(&[Give::Maybe, Give::Any])],
            2 => vec![Give::One, Give::Maybe],
            _ => vec![Give::One],
        };
        let mut firing = Firing::new(&[], &gives, self.dice);
        firing.limit = Some(n);
        firing.ascending = self.dice.once_in(3);
        self.firing(firing, &[]).expect("a source contradicts nothing");
    }

    /// Some stream, mostly one that nobody reads yet.
    fn stream(&mut self) -> usize {
        let open = self.open();
        if open.is_empty() || self.dice.once_in(4) {
            return self.dice.within(0..self.streams.len());
        }
        *self.dice.pick(&open)
    }

    /// Adds something.
    fn grow(&mut self) {
        let a = self.stream();
        let room = self.taste.nodes.saturating_sub(self.plan.nodes.len());
        match self.dice.within(0..24) {
            0 if self.plan.nodes.len() < 20 => self.source(),
            0..=2 if self.taste.loops && room > 8 && self.depth < 3 => self.a_loop(a),
            3..=7 => self.join(a),
            8..=9 => self.twin(a),
            10..=11 => {
                let mut inputs = vec![a];
                let others = self.dice.within(0..4);
                inputs.extend((0..others).map(|_| self.stream()));
                let outputs = self.dice.within(1..4);
                let program = Program::any(self.dice, inputs.len(), outputs);
                self.process(program, &inputs);
            }
            12 if room > 8 => self.gather(a),
            _ => _ = self.stage(a),
        }
    }

    /// One input, one output.
    fn stage(&mut self, a: usize) -> usize {
        if self.dice.once_in(2) {
            let mut program = Program::any(self.dice, 1, 1);
            if self.streams[a].len > LONG {
                program = Program::change(3, 1);
            }
            return self.process(program, &[a])[0];
        }
        for _ in 0..4 {
            let (mut take, mut give) = (Take::One, *self.dice.pick(&[Give::One, Give::Maybe, Give::Any]));
            if self.dice.once_in(2) {
                (take, give) = (*self.dice.pick(&TAKES), *self.dice.pick(&GIVES));
            }
            if self.streams[a].len > LONG {
                give = Give::One;
            }
            let firing = Firing::new(&[take], &[give], self.dice);
            if let Some(streams) = self.firing(firing, &[a]) {
                return streams[0];
            }
        }
        self.even_firing(&[a], &[Give::Maybe])[0]
    }

    /// A node that takes one token of each, whatever that contradicts: where the rates don't fit, a process.
    fn even_firing(&mut self, inputs: &[usize], gives: &[Give]) -> Vec<usize> {
        let firing = Firing::new(&vec![Take::One; inputs.len()], gives, self.dice);
        match self.firing(firing, inputs) {
            Some(streams) => streams,
            None => {
                let program = Program::even(self.dice, inputs.len(), gives.len());
                self.process(program, inputs)
            }
        }
    }

    /// One input, two outputs.
    fn twin(&mut self, a: usize) {
        if self.dice.once_in(2) {
            let program = Program::any(self.dice, 1, 2);
            self.process(program, &[a]);
            return;
        }
        let (take, gives) = (*self.dice.pick(&TWIN_TAKES), *self.dice.pick(&TWINS));
        let firing = Firing::new(&[take], &gives, self.dice);
        if self.firing(firing, &[a]).is_none() {
            self.even_firing(&[a], &[Give::One, Give::Maybe]);
        }
    }

    /// Two or three inputs.
    fn join(&mut self, a: usize) {
        for _ in 0..6 {
            let b = self.dice.within(0..self.streams.len());
            if self.dice.once_in(3) {
                let both_ascend = self.streams[a].ascending && self.streams[b].ascending;
                let mut program = Program::any(self.dice, 2, 1);
                if both_ascend {
                    program.phases[0].ops = vec![super::Op::Least(0, 1), super::Op::Send(0, super::Value::Last)];
                }
                self.process(program, &[a, b]);
                return;
            }
            let takes = *self.dice.pick(&PAIRS);
            let give = self.dice.within(1..PAIR_GIVES.len());
            let firing = Firing::new(&takes, PAIR_GIVES[give], self.dice);
            if self.firing(firing, &[a, b]).is_some() {
                return;
            }
        }
        let (b, c) = (self.stream(), self.stream());
        self.even_firing(&[a, b, c], &[Give::One]);
    }

    /// Many inputs of one type.
    fn gather(&mut self, a: usize) {
        let mut inputs = vec![a];
        inputs.extend((1..WIDE).map(|_| self.stream()));
        let firing = Firing::new(&[Take::One; WIDE], &[Give::One], self.dice);
        if self.firing(firing, &inputs).is_none() {
            self.even_firing(&inputs[..3], &[Give::One]);
        }
    }

    /// A sink for every stream that nobody reads.
    fn close(&mut self) {
        let mut open = self.open();
        while let Some(a) = open.pop() {
            let early = self.taste.early && self.dice.once_in(8);
            let rounds = early.then(|| self.dice.within(1..30));
            if self.dice.once_in(3) {
                let mut inputs = vec![a];
                if self.dice.once_in(2) {
                    inputs.extend(open.pop());
                }
                let program = Program::sink(self.dice, inputs.len(), rounds);
                self.process(program, &inputs);
                continue;
            }
            let takes = *self.dice.pick(&TAKES);
            let mut firing = Firing::new(&[takes], &[], self.dice);
            firing.limit = rounds;
            if self.firing(firing, &[a]).is_none() {
                let node = self.add(Kind::Drain);
                // One a firing: of a stream with a rate that is tied already, that fits always or the numbers are too large.
                let ties = self.ties(&[a], &[Take::One]);
                self.clocks.tie(node, &ties);
                self.wire(node, &[a], &[], &[], false);
            }
        }
    }
}
