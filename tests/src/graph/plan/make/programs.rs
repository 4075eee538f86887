//! Processes at random.

use super::super::program::{Count, Op, Phase, Program, Until, Value};
use crate::Dice;

impl Program {
    fn of(inputs: usize, outputs: usize, until: Until, ops: Vec<Op>) -> Self {
        Self { inputs, outputs, phases: vec![Phase { until, ops }] }
    }

    /// A source of about `n` tokens an output.
    pub(super) fn source(dice: &mut Dice, outputs: usize, n: usize) -> Self {
        let many = dice.once_in(2);
        let count = dice.within(2..6);
        let send = |port| if many { Op::SendMany(port, Count::Fixed(count)) } else { Op::Send(port, Value::Digest) };
        let rounds = if many { n.div_ceil(count) } else { n };
        Self::of(0, outputs, Until::Rounds(rounds.max(1)), (0..outputs).map(send).collect())
    }

    /// A sink that takes all, or so many rounds.
    pub(super) fn sink(dice: &mut Dice, inputs: usize, rounds: Option<usize>) -> Self {
        let recv = |port| match dice.within(0..3) {
            0 => Op::RecvMany(port, Count::UpTo(6)),
            1 => Op::RecvMany(port, Count::Fixed(3)),
            _ => Op::Recv(port),
        };
        let ops: Vec<Op> = (0..inputs).map(recv).chain([Op::Recv(0)]).collect();
        Self::of(inputs, 0, rounds.map_or(Until::All, Until::Rounds), ops)
    }

    /// One token of each input, then one for each output, a round; in such an order that it never sends before it has
    /// received. May stand in a loop.
    pub(super) fn even(dice: &mut Dice, inputs: usize, outputs: usize) -> Self {
        let mut ops = Vec::new();
        if inputs == 2 && dice.once_in(3) {
            ops.push(Op::Both(0, 1));
        } else {
            let first = dice.within(0..inputs);
            ops.extend((0..inputs).map(|i| Op::Recv((first + i) % inputs)));
            if dice.once_in(4) {
                ops.insert(0, Op::Peek(first));
            }
        }
        let first = dice.within(0..outputs);
        let value = if dice.once_in(3) { Value::Last } else { Value::Digest };
        ops.extend((0..outputs).map(|i| Op::Send((first + i) % outputs, value)));
        Self::of(inputs, outputs, Until::One, ops)
    }

    /// The head of a loop: inputs (outside, loop). It looks outside first, so that it learns of the end there.
    pub(super) fn head(dice: &mut Dice) -> Self {
        let mut program = Self::even(dice, 2, 2);
        let ops = &mut program.phases[0].ops;
        ops.retain(|op| matches!(op, Op::Send(..)));
        let takes = if dice.once_in(3) { vec![Op::Both(0, 1)] } else { vec![Op::Recv(0), Op::Recv(1)] };
        ops.splice(..0, takes);
        program
    }

    /// `take` tokens in, `give` tokens out, a round.
    pub(super) fn change(take: usize, give: usize) -> Self {
        let ops = vec![Op::RecvMany(0, Count::Fixed(take)), Op::SendMany(0, Count::Fixed(give))];
        Self::of(1, 1, Until::One, ops)
    }

    /// The head of a loop that sends each token round until it has had enough: inputs (outside, loop), outputs (loop,
    /// outside). What it sends comes back before anything else.
    pub(super) fn iterate(dice: &mut Dice) -> Self {
        let ops = if dice.once_in(2) {
            let once_in = dice.within(2..5) as u64;
            vec![
                Op::Recv(0),
                Op::Send(0, Value::Digest),
                Op::Recv(1),
                Op::Again { once_in, ops: 2 },
                Op::Send(1, Value::Digest),
            ]
        } else {
            let count = Count::Fixed(dice.within(1..5));
            vec![Op::Recv(0), Op::SendMany(0, count), Op::RecvMany(1, count), Op::Send(1, Value::Digest)]
        };
        Self::of(2, 2, Until::One, ops)
    }

    /// The head of a loop that takes in all that comes from outside, and then lets it go round until nothing is left.
    pub(super) fn work_off(dice: &mut Dice) -> Self {
        let feed = Phase { until: Until::One, ops: vec![Op::Recv(0), Op::Send(0, Value::Digest)] };
        let once_in = dice.within(2..4) as u64;
        // Left out is what sends it round once more.
        let ops = vec![Op::Recv(1), Op::Send(1, Value::Last), Op::Skip { once_in, ops: 1 }, Op::Send(0, Value::Digest)];
        Self { inputs: 2, outputs: 2, phases: vec![feed, Phase { until: Until::One, ops }] }
    }

    /// Anything, but not for loops.
    pub(super) fn any(dice: &mut Dice, inputs: usize, outputs: usize) -> Self {
        let until = match dice.within(0..10) {
            0 => Until::Rounds(dice.within(1..40)),
            1..=5 => Until::One,
            _ => Until::All,
        };
        let ops = match (inputs, outputs, dice.within(0..4)) {
            (1, 2, 0) => vec![Op::Recv(0), Op::SendBy(0, 1, Value::Last)],
            (2, 1, 0) => vec![Op::Least(0, 1), Op::Send(0, Value::Last)],
            (2, 1, 1) => vec![Op::Recv(0), Op::RecvMany(1, Count::UpTo(3)), Op::Send(0, Value::Digest)],
            (3, 1, 0) => vec![Op::Recv(0), Op::RecvBy(1, 2), Op::Send(0, Value::Last)],
            _ => Self::mixture(dice, inputs, outputs),
        };
        Self::of(inputs, outputs, until, ops)
    }

    fn mixture(dice: &mut Dice, inputs: usize, outputs: usize) -> Vec<Op> {
        let mut ops = Vec::new();
        let count = |dice: &mut Dice| match dice.once_in(3) {
            true => Count::Fixed(dice.within(1..5)),
            false => Count::UpTo(dice.within(1..5)),
        };
        // One that always takes comes first, so that rounds differ.
        ops.push(Op::Recv(dice.within(0..inputs)));
        for port in 0..inputs {
            let other = (port + 1) % inputs;
            match dice.within(0..7) {
                0 if inputs > 1 => ops.push(Op::Both(port, other)),
                1 if inputs > 1 => ops.push(Op::RecvBy(port, other)),
                2 if inputs > 1 => ops.push(Op::Least(port, other)),
                3 => ops.extend([Op::Peek(port), Op::Recv(port)]),
                4 => ops.extend([Op::Peek(port), Op::Skip { once_in: 2, ops: 1 }, Op::Recv(port)]),
                5 => ops.push(Op::RecvMany(port, count(dice))),
                _ => ops.push(Op::Recv(port)),
            }
        }
        for port in 0..outputs {
            match dice.within(0..6) {
                0 if outputs > 1 => ops.push(Op::SendBy(port, (port + 1) % outputs, Value::Digest)),
                1 => ops.extend([Op::Skip { once_in: 3, ops: 1 }, Op::Send(port, Value::Last)]),
                2 => ops.push(Op::SendMany(port, count(dice))),
                _ => ops.push(Op::Send(port, Value::Digest)),
            }
        }
        if dice.once_in(4) {
            let at = dice.within(1..ops.len());
            ops.insert(at, Op::Again { once_in: 3, ops: dice.within(1..at + 1) });
        }
        if dice.once_in(4) {
            // Sends may come before receives.
            let at = dice.within(1..ops.len());
            ops.rotate_left(at);
            if !Self::of(inputs, outputs, Until::All, ops.clone()).is_sound() {
                ops.rotate_right(at);
            }
        }
        ops
    }

    /// About how long its streams become.
    pub(super) fn lengths(&self, inputs: &[usize]) -> Vec<usize> {
        let mut lengths = vec![0; self.outputs];
        for phase in &self.phases {
            let mean = |count: &Count| match count {
                Count::Fixed(n) => *n as f64,
                Count::UpTo(n) => *n as f64 / 2.0,
            };
            let (mut takes, mut gives) = (vec![0.0; self.inputs], vec![0.0; self.outputs]);
            for op in &phase.ops {
                match op {
                    Op::Recv(port) => takes[*port] += 1.0,
                    Op::RecvMany(port, count) => takes[*port] += mean(count),
                    Op::Both(a, b) => [*a, *b].iter().for_each(|&port| takes[port] += 1.0),
                    Op::Least(a, b) | Op::RecvBy(a, b) => [*a, *b].iter().for_each(|&port| takes[port] += 0.5),
                    Op::Send(port, _) => gives[*port] += 1.0,
                    Op::SendMany(port, count) => gives[*port] += mean(count),
                    Op::SendBy(a, b, _) => [*a, *b].iter().for_each(|&port| gives[port] += 0.5),
                    Op::Peek(_) | Op::Skip { .. } | Op::Again { .. } => {}
                }
            }
            let rounds = inputs.iter().zip(&takes).filter(|(_, takes)| **takes > 0.0);
            let rounds = rounds.map(|(&len, takes)| len as f64 / takes);
            let rounds = match phase.until {
                Until::Rounds(n) => n as f64,
                Until::One => rounds.fold(f64::INFINITY, f64::min),
                Until::All => rounds.fold(0.0, f64::max),
            };
            let rounds = if rounds.is_finite() { rounds } else { 0.0 };
            lengths.iter_mut().zip(&gives).for_each(|(len, gives)| *len += (rounds * gives) as usize);
        }
        lengths
    }
}
