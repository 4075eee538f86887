//! Nodes that fire, at random: which rates there are together, and how long their streams become.

use super::super::{Firing, Give, Take};
use super::clocks::Ratio;
use crate::Dice;

/// What a node with one input may take.
pub(crate) const TAKES: [Take; 9] = [
    Take::One,
    Take::Exactly(2),
    Take::Exactly(3),
    Take::Exactly(4),
    Take::Window { peek: 3, consume: 1 },
    Take::Window { peek: 4, consume: 2 },
    Take::Cyclic(0),
    Take::Cyclic(1),
    Take::Cyclic(2),
];

/// What a node with one output may give.
pub(crate) const GIVES: [Give; 8] = [
    Give::One,
    Give::Maybe,
    Give::Any,
    Give::Exactly(2),
    Give::Exactly(3),
    Give::Counted(0),
    Give::Counted(1),
    Give::Counted(2),
];

/// What a node with two inputs may take, and [`PAIR_GIVES`] what it may give.
pub(crate) const PAIRS: [[Take; 2]; 9] = [
    [Take::One, Take::One],
    [Take::One, Take::Exactly(2)],
    [Take::Exactly(2), Take::One],
    [Take::Exactly(3), Take::One],
    [Take::One, Take::Exactly(3)],
    [Take::Exactly(2), Take::Exactly(3)],
    [Take::Window { peek: 3, consume: 1 }, Take::One],
    [Take::Window { peek: 4, consume: 2 }, Take::Exactly(2)],
    [Take::Cyclic(0), Take::Exactly(3)],
];

/// See [`PAIRS`].
pub(crate) const PAIR_GIVES: [&[Give]; 5] =
    [&[], &[Give::One], &[Give::Any], &[Give::Exactly(2)], &[Give::One, Give::Maybe]];

/// What a node with one input and two outputs may give; it takes one of [`TWIN_TAKES`].
pub(crate) const TWINS: [[Give; 2]; 5] = [
    [Give::One, Give::One],
    [Give::One, Give::Maybe],
    [Give::Any, Give::One],
    [Give::Exactly(2), Give::Any],
    [Give::Counted(0), Give::Exactly(3)],
];

/// See [`TWINS`].
pub(crate) const TWIN_TAKES: [Take; 3] = [Take::One, Take::Exactly(2), Take::Window { peek: 3, consume: 1 }];

/// Inputs of a node that gathers.
pub(crate) const WIDE: usize = 5;

impl Firing {
    pub(super) fn new(takes: &[Take], gives: &[Give], dice: &mut Dice) -> Self {
        Self {
            takes: takes.to_vec(),
            gives: gives.to_vec(),
            stateful: dice.once_in(2),
            ascending: false,
            limit: None,
            finishes: false,
        }
    }

    /// How often it fires on streams of these lengths, and how long its own become.
    pub(super) fn lengths(&self, inputs: &[usize]) -> Vec<usize> {
        let firings = inputs.iter().zip(&self.takes).map(|(&len, take)| take.mean().inverse().of(len));
        let firings = firings.min().into_iter().chain(self.limit).min().unwrap_or(0);
        let output = |give: &Give| match give {
            Give::Maybe => Ratio::new(2, 3).of(firings),
            Give::Any => Ratio::new(5, 2).of(firings),
            _ => give.mean().map_or(firings, |mean| mean.of(firings)),
        };
        self.gives.iter().map(output).collect()
    }

    /// Whether a node can have a last word: only where no output says how many tokens that has.
    pub(super) fn may_finish(&self) -> bool {
        let free = |give: &Give| matches!(give, Give::Maybe | Give::Any);
        !self.takes.is_empty() && !self.gives.is_empty() && self.gives.iter().all(free)
    }
}
