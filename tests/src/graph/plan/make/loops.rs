//! Loops.

use super::super::program::{Count, Op, Phase, Until, Value};
use super::super::{Firing, Give, Kind, Port, Program, Take};
use super::clocks::Ratio;
use super::{Maker, Stream};

impl Maker<'_> {
    /// Something that `a` flows into and that feeds itself.
    pub(super) fn a_loop(&mut self, a: usize) {
        self.depth += 1;
        match self.dice.within(0..6) {
            0 | 1 => self.iteration(a),
            2 if self.taste.drains && self.depth == 1 => self.work(a),
            3 => self.first_send(a),
            _ => self.feedback(a),
        }
        self.depth -= 1;
    }

    fn tokens(&mut self, n: usize) -> Vec<u64> {
        (0..n).map(|_| self.dice.roll()).collect()
    }

    /// A node that joins what comes from outside with what it has given before, through some others.
    fn feedback(&mut self, a: usize) {
        if self.dice.once_in(3) {
            let program = Program::head(self.dice);
            let (head, start) = self.head(program, a, 1);
            self.return_to(start, head, 1, false);
            return;
        }
        let takes: [[Take; 2]; 5] = [
            [Take::One, Take::One],
            [Take::One, Take::Exactly(2)],
            [Take::Exactly(2), Take::One],
            [Take::Exactly(2), Take::Exactly(3)],
            [Take::Window { peek: 3, consume: 1 }, Take::One],
        ];
        let gives: [&[Give]; 3] = [&[Give::One], &[Give::Exactly(2)], &[Give::One, Give::Maybe]];
        for _ in 0..4 {
            let takes = takes[self.dice.within(0..takes.len())];
            let gives = gives[self.dice.within(0..gives.len())];
            // The feedback is not there yet, so that only the outside ties.
            let mut firing = Firing::new(&takes[..1], gives, self.dice);
            let ties = self.ties(&[a], &takes[..1]);
            if !self.clocks.fits(&ties) {
                continue;
            }
            let lengths = firing.lengths(&[self.streams[a].len]);
            firing.takes = takes.to_vec();
            let head = self.add(Kind::Firing(firing));
            self.clocks.tie(head, &ties);
            let rates: Vec<Option<Ratio>> = gives.iter().map(|give| give.mean()).collect();
            let streams = self.wire(head, &[a], &lengths, &rates, false);
            self.return_to(streams[0], Port { node: head, port: 1 }, takes[1].most(), false);
            return;
        }
        self.stage(a);
    }

    /// A process with two inputs and two outputs, the second input of which is still open; its first and second stream
    /// are as long as what feeds it, times `factor`.
    fn head(&mut self, program: Program, a: usize, factor: usize) -> (Port, usize) {
        let node = self.add(Kind::Process(program));
        self.connect(a, Port { node, port: 0 }, None);
        let len = factor * self.streams[a].len;
        let start = self.streams.len();
        for port in 0..2 {
            let from = Port { node, port };
            self.streams.push(Stream { from, len, rate: None, ascending: false, readers: 0 });
        }
        (Port { node, port: 1 }, start)
    }

    /// Each token from outside goes round until it has had enough.
    fn iteration(&mut self, a: usize) {
        let program = Program::iterate(self.dice);
        let (head, start) = self.head(program, a, 2);
        self.return_to(start, head, 0, true);
    }

    /// Everything from outside first goes in, then round until nothing is left.
    fn work(&mut self, a: usize) {
        let program = Program::work_off(self.dice);
        let (head, start) = self.head(program, a, 2);
        self.return_to(start, head, 1, true);
    }

    /// A process that sends before it receives.
    fn first_send(&mut self, a: usize) {
        let mut program = Program::even(self.dice, 2, 2);
        let rounds = self.dice.within(1..4);
        let ops = vec![Op::Send(0, Value::Digest)];
        program.phases.insert(0, Phase { until: Until::Rounds(rounds), ops });
        let (head, start) = self.head(program, a, 1);
        self.return_to(start, head, 0, true);
    }

    /// Leads a stream back through some nodes that keep their number of tokens, or, where `strict` is not set, change it
    /// and change it back.
    fn return_to(&mut self, start: usize, head: Port, need: usize, strict: bool) {
        let mut stream = start;
        for _ in 0..self.dice.within(0..5) {
            stream = self.loop_stage(stream, strict);
        }
        if !strict {
            stream = self.balance(start, stream, head);
        }
        let n = match need {
            0 => 0,
            _ if strict => need,
            _ => (need..).find(|&n| self.goes_on(start, stream, head, n)).expect("enough tokens go on for ever"),
        };
        let n = if n > 0 { n + self.dice.within(0..4) } else { 0 };
        let initial = self.tokens(n);
        self.connect(stream, head, Some(initial));
    }

    fn loop_stage(&mut self, a: usize, strict: bool) -> usize {
        let small = self.plan.nodes.len() + 8 < self.taste.nodes;
        match self.dice.within(0..8) {
            0 if small && self.depth < 3 && strict => {
                // A loop in the loop.
                self.depth += 1;
                self.iteration(a);
                self.depth -= 1;
                let head = self.plan.edges.last().expect("it was closed by an edge").to.node;
                let out = |stream: &Stream| stream.from == Port { node: head, port: 1 };
                self.streams.iter().position(out).expect("it has a second output")
            }
            1..=3 => {
                let program = Program::even(self.dice, 1, 1);
                self.process(program, &[a])[0]
            }
            4 if !strict => {
                let changes = [
                    (Take::One, Give::Exactly(2)),
                    (Take::Exactly(2), Give::One),
                    (Take::Cyclic(0), Give::Exactly(3)),
                    (Take::One, Give::Counted(2)),
                    (Take::Exactly(2), Give::Counted(1)),
                ];
                let (take, give) = *self.dice.pick(&changes);
                let firing = Firing::new(&[take], &[give], self.dice);
                self.firing(firing, &[a]).map_or(a, |streams| streams[0])
            }
            5 => self.even_firing(&[a], &[Give::One, Give::Maybe])[0],
            _ => self.even_firing(&[a], &[Give::One])[0],
        }
    }

    /// A process at the end of a loop that makes of what arrives as many tokens as the head takes.
    fn balance(&mut self, start: usize, end: usize, head: Port) -> usize {
        let gain = self.gain(start, end);
        let rate = self.streams[start].rate.unwrap_or(Ratio::ONE);
        let need = match &self.plan.nodes[head.node].kind {
            Kind::Firing(firing) => firing.takes[head.port].mean(),
            _ => Ratio::ONE,
        };
        // For each firing of the head `gain × rate` tokens arrive.
        let missing = need.times(gain.times(rate).inverse());
        if missing != Ratio::ONE {
            let (give, take) = missing.parts();
            return self.process(Program::change(take, give), &[end])[0];
        }
        let Stream { from, rate, .. } = self.streams[end];
        let fixed = matches!(self.plan.nodes[head.node].kind, Kind::Firing(_));
        let tie = rate.filter(|_| fixed).map(|rate| rate.times(need.inverse()));
        match tie {
            Some(tie) if !self.clocks.link(head.node, from.node, tie) => self.process(Program::copy(), &[end])[0],
            _ => end,
        }
    }

    /// Tokens at the end of a way for each one at its beginning.
    fn gain(&self, start: usize, end: usize) -> Ratio {
        let mean = |step: &Step| match *step {
            Step::Firing(take, give) => give.mean().map(|give| give.times(take.mean().inverse())),
            Step::Process(take, give) => Some(Ratio::new(give, take)),
        };
        let means = self.way(start, end).into_iter().map(|step| mean(&step).expect("a way round has fixed rates"));
        means.fold(Ratio::ONE, Ratio::times)
    }

    /// The nodes on a way from one stream to another.
    fn way(&self, start: usize, end: usize) -> Vec<Step> {
        let mut way = Vec::new();
        let mut at = end;
        while at != start {
            let Port { node, port } = self.streams[at].from;
            way.push(match &self.plan.nodes[node].kind {
                Kind::Firing(firing) => Step::Firing(firing.takes[0], firing.gives[port]),
                Kind::Process(program) => match *program.phases[0].ops {
                    [Op::RecvMany(_, Count::Fixed(take)), Op::SendMany(_, Count::Fixed(give))] => {
                        Step::Process(take, give)
                    }
                    _ => Step::Process(1, 1),
                },
                kind => unreachable!("{kind:?} is not on a way"),
            });
            let edge = self.plan.edges.iter().find(|edge| edge.to == Port { node, port: 0 });
            let from = edge.expect("a node on the way is fed").from;
            at = self.streams.iter().position(|stream| stream.from == from).expect("an edge begins at a stream");
        }
        way.reverse();
        way
    }

    /// Whether a loop with so many initial tokens never lacks any, as long as enough comes from outside.
    fn goes_on(&self, start: usize, end: usize, head: Port, n: usize) -> bool {
        let (take, give) = match &self.plan.nodes[head.node].kind {
            Kind::Firing(firing) => (firing.takes[head.port], firing.gives[self.streams[start].from.port]),
            _ => (Take::One, Give::One),
        };
        let mut steps = self.way(start, end);
        steps.insert(0, Step::Firing(take, give));
        // What lies before each node.
        let mut there = vec![0; steps.len()];
        there[0] = n;
        let mut fired = vec![0; steps.len()];
        while fired[0] < ROUNDS {
            let can = |&at: &usize| there[at] >= steps[at].need(fired[at]);
            let Some(at) = (0..steps.len()).rev().find(can) else { return false };
            let (taken, given) = steps[at].moves(fired[at]);
            fired[at] += 1;
            there[at] -= taken;
            there[(at + 1) % steps.len()] += given;
        }
        true
    }
}

/// Firings of a loop's head after which it has been in every state that it will ever be in.
const ROUNDS: usize = 200;

/// A node on the way round a loop.
enum Step {
    Firing(Take, Give),
    /// Tokens in and out, a round.
    Process(usize, usize),
}

impl Step {
    fn need(&self, firing: usize) -> usize {
        match self {
            Self::Firing(take, _) => take.need(firing),
            Self::Process(take, _) => *take,
        }
    }

    fn moves(&self, firing: usize) -> (usize, usize) {
        match *self {
            Self::Firing(take, give) => (take.taken(firing), give.room(firing)),
            Self::Process(take, give) => (take, give),
        }
    }
}
