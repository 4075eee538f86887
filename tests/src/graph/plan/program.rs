//! What a process does, as data: a list of port operations that depend on what it has read.
//!
//! A process keeps a digest of all that it has read, `acc`, and the last token that it took. Where the list ends it begins
//! anew: a round. What ends a phase is said by [`Until`]; after the last phase the process returns.

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// How many inputs it has.
    pub inputs: usize,
    /// How many outputs it has.
    pub outputs: usize,
    /// One after another.
    pub phases: Vec<Phase>,
}

/// A part of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What ends it.
    pub until: Until,
    /// One round.
    pub ops: Vec<Op>,
}

/// What ends a phase. Whatever is said, it also ends after three rounds in a row that took no token, if there are inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// An operation meets the end of an input; the round is not finished.
    One,
    /// A round ends and all inputs have been seen to end.
    All,
    /// So many rounds are over.
    Rounds(usize),
}

/// Rounds in a row without a token after which a phase with inputs ends.
pub(super) const IDLE: usize = 3;

/// How often [`Op::Again`] goes back in one round.
pub(super) const REPEATS: usize = 5;

/// How many tokens an operation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Fixed(usize),
    /// 0 to this, by what was read.
    UpTo(usize),
}

impl Count {
    /// By what was read.
    pub fn of(self, acc: u64) -> usize {
        match self {
            Self::Fixed(n) => n,
            Self::UpTo(n) => ((acc >> 7) % (n as u64 + 1)) as usize,
        }
    }
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A new token, by all that was read.
    Digest,
    /// The last token that was taken, unchanged.
    Last,
}

/// One operation. Inputs and outputs are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Takes a token.
    Recv(usize),
    /// Looks at a token.
    Peek(usize),
    /// Takes several at once.
    RecvMany(usize, Count),
    /// Takes one from each of two, by `join`.
    Both(usize, usize),
    /// Looks at both and takes the smaller one; of one alone where the other has ended.
    Least(usize, usize),
    /// Takes from one of two, by what was read.
    RecvBy(usize, usize),
    /// Gives a token.
    Send(usize, Value),
    /// Gives several at once.
    SendMany(usize, Count),
    /// Gives to one of two, by what was read.
    SendBy(usize, usize, Value),
    /// Leaves out so many operations once in `once_in` times, by what was read.
    Skip {
        /// How often.
        once_in: u64,
        /// How many.
        ops: usize,
    },
    /// Goes back so many operations but once in `once_in` times, by what was read, and not more than five times a round.
    Again {
        /// How seldom it goes on.
        once_in: u64,
        /// How far back, from this operation.
        ops: usize,
    },
}

/// What an end looks like in the digest: no token that a node makes is likely to be this one.
pub(super) const END: u64 = 0xE17D_0F57_12EA_4D00;

impl Program {
    /// A process that hands tokens on.
    pub fn copy() -> Self {
        let ops = vec![Op::Recv(0), Op::Send(0, Value::Last)];
        Self { inputs: 1, outputs: 1, phases: vec![Phase { until: Until::One, ops }] }
    }

    /// Whether no operation goes back beyond the beginning.
    pub(super) fn is_sound(&self) -> bool {
        let sound = |(at, op): (usize, &Op)| !matches!(op, Op::Again { ops, .. } if *ops > at);
        self.phases.iter().all(|phase| phase.ops.iter().enumerate().all(sound))
    }
}
