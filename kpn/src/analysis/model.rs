//! What is analysed: nodes by number, and edges with the rates at their ends. No names, no types.

/// How many tokens a port moves, firing by firing. A firing asks for as many tokens, or spaces, as it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow<'a> {
    /// Never empty.
    phases: &'a [usize],
    /// What the first firing moves besides: a window is filled once, and slides from then on.
    first: usize,
    sum: u128,
}

impl<'a> Flow<'a> {
    /// These amounts in turn, over and over; the first firing moves `first` more. `None` where there is no phase.
    pub(crate) fn new(phases: &'a [usize], first: usize) -> Option<Self> {
        let sum = phases.iter().map(|&tokens| tokens as u128).sum();
        (!phases.is_empty()).then_some(Self { phases, first, sum })
    }

    pub(super) fn phases(&self) -> &'a [usize] {
        self.phases
    }

    pub(super) fn first(&self) -> u128 {
        self.first as u128
    }

    /// All phases' tokens.
    pub(super) fn sum(&self) -> u128 {
        self.sum
    }

    pub(super) fn len(&self) -> u128 {
        self.phases.len() as u128
    }

    /// What every firing moves from number `firing` on, where that is always the same.
    pub(super) fn only(&self, firing: u64) -> Option<u128> {
        (self.phases.len() == 1 && (self.first == 0 || firing > 0)).then_some(self.sum)
    }

    /// What firing number `firing` moves.
    pub(super) fn moves(&self, firing: u64) -> u128 {
        let phase = self.phases[(firing % self.phases.len() as u64) as usize] as u128;
        if firing == 0 { phase + self.first as u128 } else { phase }
    }

    /// The most that a firing moves.
    pub(crate) fn most(&self) -> usize {
        let first = self.phases[0].saturating_add(self.first);
        self.phases.iter().copied().fold(first, usize::max)
    }

    /// Whether every firing moves one token.
    fn is_plain(&self) -> bool {
        self.first == 0 && self.phases == [1]
    }
}

/// An edge. A side without a flow is dynamic: how much it moves depends on the tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<'a> {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) gives: Option<Flow<'a>>,
    pub(crate) takes: Option<Flow<'a>>,
    /// Tokens on it before the start.
    pub(crate) initial: usize,
    /// What it is to hold, where that was said.
    pub(crate) capacity: Option<usize>,
}

impl<'a> Edge<'a> {
    /// Both flows of an edge that has two and that moves tokens at all.
    pub(super) fn fixed(&self) -> Option<(Flow<'a>, Flow<'a>)> {
        let (gives, takes) = (self.gives?, self.takes?);
        (gives.sum() > 0 || takes.sum() > 0).then_some((gives, takes))
    }

    /// Whether it carries one token a firing on both sides.
    pub(super) fn is_even(&self) -> bool {
        [self.gives, self.takes].iter().all(|flow| flow.is_some_and(|flow| flow.is_plain()))
    }

    /// Whether it does so, and starts out empty.
    pub(super) fn is_plain(&self) -> bool {
        self.initial == 0 && self.is_even()
    }
}

/// A network's nodes and edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model<'a> {
    pub(crate) nodes: usize,
    pub(crate) edges: Vec<Edge<'a>>,
}

pub(super) fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `None` where it doesn't fit.
pub(super) fn lcm(a: u128, b: u128) -> Option<u128> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
