//! What a firing computes. The interpreter and the nodes that run share the arithmetic, and nothing else.

use super::{Firing, Give, Take};

/// Phases of cyclo-static rates.
pub const CYCLES: [&[usize]; 3] = [&[1, 2], &[3, 1], &[2, 0, 1]];

/// A number that depends on both.
pub fn chain(state: u64, x: u64) -> u64 {
    (state ^ x).wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(23).wrapping_add(0x9E37_79B9_7F4A_7C15)
}

/// The digest of a whole history.
pub fn digest(tokens: &[u64]) -> u64 {
    tokens.iter().fold(0, |digest, &token| chain(digest, token))
}

impl Take {
    /// Tokens that must be there for firing number `firing`.
    pub fn need(self, firing: usize) -> usize {
        match self {
            Self::One => 1,
            Self::Exactly(n) => n,
            Self::Window { peek, .. } => peek,
            Self::Cyclic(cycle) => phase(cycle, firing),
        }
    }

    /// Tokens that firing number `firing` takes.
    pub fn taken(self, firing: usize) -> usize {
        match self {
            Self::Window { consume, .. } => consume,
            _ => self.need(firing),
        }
    }

    /// The most that must be there for any firing.
    pub fn most(self) -> usize {
        match self {
            Self::Cyclic(cycle) => CYCLES[cycle].iter().copied().max().unwrap_or(0),
            _ => self.need(0),
        }
    }
}

impl Give {
    /// Spaces that must be there before firing number `firing`.
    pub fn room(self, firing: usize) -> usize {
        match self {
            Self::One | Self::Maybe | Self::Any => 1,
            Self::Exactly(n) => n,
            Self::Counted(cycle) => phase(cycle, firing),
        }
    }

    /// The most spaces that must be there before any firing.
    pub fn most(self) -> usize {
        match self {
            Self::Counted(cycle) => CYCLES[cycle].iter().copied().max().unwrap_or(0),
            _ => self.room(0),
        }
    }
}

fn phase(cycle: usize, firing: usize) -> usize {
    let phases = CYCLES[cycle];
    phases[firing % phases.len()]
}

/// What a node that fires keeps between firings.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    salt: u64,
    state: u64,
    /// The last token given, of a node whose tokens ascend.
    last: u64,
    /// How often it has fired.
    pub(super) fired: usize,
}

impl Memory {
    /// What it knows before the first firing.
    pub(super) fn new(salt: u64) -> Self {
        Self { salt, state: salt, last: salt % 64, fired: 0 }
    }

    /// One firing: takes what each input showed, gives what each output gets. `None` where the stream ends here.
    pub(super) fn fire(&mut self, firing: &Firing, seen: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
        let number = self.fired;
        if firing.limit == Some(number) {
            return None;
        }
        self.fired += 1;
        // A source has nothing but its own count to tell its tokens apart.
        let mut state = if firing.stateful || seen.is_empty() { self.state } else { self.salt };
        for (port, tokens) in seen.iter().enumerate() {
            state = tokens.iter().fold(chain(state, port as u64), |state, &token| chain(state, token));
        }
        if seen.is_empty() {
            state = chain(state, number as u64);
        }
        self.state = state;
        Some(firing.gives.iter().enumerate().map(|(port, give)| self.give(firing, *give, port, number)).collect())
    }

    fn give(&mut self, firing: &Firing, give: Give, port: usize, number: usize) -> Vec<u64> {
        let own = chain(self.state, 0x100 + port as u64);
        let count = match give {
            Give::Maybe => usize::from(!own.is_multiple_of(3)),
            Give::Any => (own % 6) as usize,
            _ => give.room(number),
        };
        (0..count as u64).map(|i| self.token(firing, chain(own, i))).collect()
    }

    fn token(&mut self, firing: &Firing, x: u64) -> u64 {
        if !firing.ascending {
            return x;
        }
        self.last += x % 32;
        self.last
    }

    /// The last word, once its inputs have ended.
    pub(super) fn finish(&mut self, firing: &Firing) -> Vec<Vec<u64>> {
        self.state = chain(self.state, self.fired as u64);
        firing.gives.iter().enumerate().map(|(port, give)| self.give(firing, *give, port, self.fired)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_number_of_tokens_show_in_a_digest() {
        assert_ne!(digest(&[1, 2]), digest(&[2, 1]));
        assert_ne!(digest(&[0]), digest(&[0, 0]));
        assert_ne!(digest(&[]), digest(&[0]));
    }

    #[test]
    fn a_firing_depends_on_every_token_and_a_stateful_one_on_all_before() {
        let mut firing = Firing {
            takes: vec![Take::Exactly(2)],
            gives: vec![Give::One],
            stateful: false,
            ascending: false,
            limit: None,
            finishes: false,
        };
        let run = |firing: &Firing, inputs: &[[u64; 2]]| {
            let mut memory = Memory::new(1);
            inputs.iter().map(|seen| memory.fire(firing, &[seen.to_vec()]).unwrap()[0][0]).collect::<Vec<_>>()
        };
        let plain = run(&firing, &[[1, 2], [3, 4], [1, 2]]);
        assert_eq!(plain[0], plain[2]);
        assert_ne!(plain[0], run(&firing, &[[2, 1]])[0]);
        firing.stateful = true;
        let stateful = run(&firing, &[[1, 2], [3, 4], [1, 2]]);
        assert_ne!(stateful[0], stateful[2]);
    }
}
