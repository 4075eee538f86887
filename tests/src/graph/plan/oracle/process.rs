//! A process under interpretation: its program as a machine that can stop before any token and go on later.

use super::{Edges, End, Sight, Step, Wait};
use crate::graph::plan::program::{Count, END, IDLE, Op, Program, REPEATS, Until, Value};
use crate::graph::plan::rules::chain;

pub(super) struct Thread {
    node: usize,
    program: Program,
    acc: u64,
    last: u64,
    sent: u64,
    phase: usize,
    at: usize,
    /// How far the operation at hand has come.
    done: usize,
    repeats: usize,
    rounds: usize,
    idle: usize,
    /// Whether the round has taken a token.
    took: bool,
    /// By input: its end was seen.
    ended: Vec<bool>,
    /// Whether the operation at hand has met an end.
    met: bool,
}

/// What an operation came to.
enum Did {
    /// Go on behind it.
    Next,
    /// Go on there.
    To(usize),
    /// It can't go on yet.
    Waits(Wait),
}

impl Thread {
    pub(super) fn new(node: usize, program: &Program, salt: u64) -> Self {
        Self {
            node,
            program: program.clone(),
            acc: salt,
            last: salt,
            sent: 0,
            phase: 0,
            at: 0,
            done: 0,
            repeats: 0,
            rounds: 0,
            idle: 0,
            took: false,
            ended: vec![false; program.inputs],
            met: false,
        }
    }

    pub(super) fn step(&mut self, edges: &mut Edges<'_>) -> Step {
        let Some(phase) = self.program.phases.get(self.phase) else {
            let seen = (0..self.ended.len()).filter(|&port| self.ended[port]);
            return Step::Ended(match seen.collect::<Vec<_>>() {
                ports if ports.is_empty() => End::Itself,
                ports => End::Inputs(ports),
            });
        };
        let until = phase.until;
        let Some(&op) = phase.ops.get(self.at) else {
            self.end_round(until);
            return Step::Moved;
        };
        match self.act(op, until, edges) {
            Did::Waits(wait) => return Step::Waits(wait),
            Did::Next => self.at += 1,
            Did::To(at) => self.at = at,
        }
        self.done = 0;
        if std::mem::take(&mut self.met) && until == Until::One {
            self.end_phase();
        }
        Step::Moved
    }

    fn end_round(&mut self, until: Until) {
        self.rounds += 1;
        self.idle = if self.took { 0 } else { self.idle + 1 };
        (self.at, self.repeats, self.took) = (0, 0, false);
        let inputs = !self.ended.is_empty();
        let over = match until {
            Until::One => false,
            Until::All => inputs && self.ended.iter().all(|&ended| ended),
            Until::Rounds(n) => self.rounds >= n,
        };
        if over || inputs && self.idle >= IDLE {
            self.end_phase();
        }
    }

    fn end_phase(&mut self) {
        self.phase += 1;
        (self.at, self.repeats, self.took, self.rounds, self.idle) = (0, 0, false, 0, 0);
    }

    fn act(&mut self, op: Op, until: Until, edges: &mut Edges<'_>) -> Did {
        match op {
            Op::Recv(port) => self.recv(port, 1, edges),
            Op::RecvMany(port, count) => {
                let n = count.of(self.acc);
                self.recv(port, n, edges)
            }
            Op::RecvBy(a, b) => {
                let port = if self.acc & 1 == 0 { a } else { b };
                self.recv(port, 1, edges)
            }
            Op::Both(a, b) => {
                // The first one is done once and for all; the second one then starts from nothing.
                if self.done == 0 {
                    match self.one(a, edges) {
                        Ok(()) => self.done = 1,
                        Err(wait) => return Did::Waits(wait),
                    }
                }
                self.one(b, edges).map_or_else(Did::Waits, |()| Did::Next)
            }
            Op::Peek(port) => match edges.look(self.node, port) {
                Sight::Nothing => Did::Waits(Wait::Token(edges.input(self.node, port))),
                Sight::End => {
                    self.end_of(port);
                    Did::Next
                }
                Sight::Token(x) => {
                    self.acc = chain(self.acc, !x);
                    Did::Next
                }
            },
            Op::Least(a, b) => self.least(a, b, until, edges),
            Op::Send(port, value) => {
                let n = Count::Fixed(1);
                self.send(port, n, value, edges)
            }
            Op::SendMany(port, count) => self.send(port, count, Value::Digest, edges),
            Op::SendBy(a, b, value) => {
                let port = if self.acc & 1 == 0 { a } else { b };
                self.send(port, Count::Fixed(1), value, edges)
            }
            Op::Skip { once_in, ops } => {
                Did::To(self.at + 1 + if (self.acc >> 13).is_multiple_of(once_in) { ops } else { 0 })
            }
            Op::Again { once_in, ops } => {
                if self.repeats == REPEATS || (self.acc >> 17).is_multiple_of(once_in) {
                    return Did::Next;
                }
                self.repeats += 1;
                Did::To(self.at - ops)
            }
        }
    }

    /// Takes one token, or meets the end.
    fn one(&mut self, port: usize, edges: &mut Edges<'_>) -> Result<(), Wait> {
        match edges.look(self.node, port) {
            Sight::Nothing => return Err(Wait::Token(edges.input(self.node, port))),
            Sight::End => self.end_of(port),
            Sight::Token(_) => self.took(edges.take(self.node, port)),
        }
        Ok(())
    }

    /// Takes `n` tokens, fewer where the end comes first. `done` counts those that were taken; the number was settled by
    /// what had been read before the first of them, so it is kept in `done` as well: `taken << 32 | asked + 1`.
    fn recv(&mut self, port: usize, n: usize, edges: &mut Edges<'_>) -> Did {
        if self.done == 0 {
            self.done = n + 1;
        }
        let asked = (self.done & 0xFFFF_FFFF) - 1;
        while self.done >> 32 < asked && !self.met {
            match self.one(port, edges) {
                Ok(()) => self.done += 1 << 32,
                Err(wait) => return Did::Waits(wait),
            }
        }
        Did::Next
    }

    fn least(&mut self, a: usize, b: usize, until: Until, edges: &mut Edges<'_>) -> Did {
        let (first, second) = (edges.look(self.node, a), edges.look(self.node, b));
        for (port, sight) in [(a, first), (b, second)] {
            if sight == Sight::Nothing {
                return Did::Waits(Wait::Token(edges.input(self.node, port)));
            }
        }
        for (port, sight) in [(a, first), (b, second)] {
            if sight == Sight::End {
                self.end_of(port);
            }
        }
        let port = match (first, second) {
            (Sight::Token(x), Sight::Token(y)) => Some(if x <= y { a } else { b }),
            _ if until == Until::One => None,
            (Sight::Token(_), _) => Some(a),
            (_, Sight::Token(_)) => Some(b),
            _ => None,
        };
        if let Some(port) = port {
            let token = edges.take(self.node, port);
            self.took(token);
        }
        Did::Next
    }

    fn send(&mut self, port: usize, count: Count, value: Value, edges: &mut Edges<'_>) -> Did {
        while self.done < count.of(self.acc) {
            if let Some(edge) = edges.full(self.node, port, 1) {
                return Did::Waits(Wait::Space(edge));
            }
            let token = match value {
                Value::Last => self.last,
                Value::Digest => chain(chain(self.acc, 0x500 + port as u64), self.sent),
            };
            edges.give(self.node, port, token);
            self.sent += 1;
            self.done += 1;
        }
        Did::Next
    }

    fn took(&mut self, token: u64) {
        self.acc = chain(self.acc, token);
        self.last = token;
        self.took = true;
    }

    fn end_of(&mut self, port: usize) {
        self.ended[port] = true;
        self.met = true;
        self.acc = chain(self.acc, END + port as u64);
    }
}
