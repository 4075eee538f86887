//! How long a node's firings take, and what follows: how many it may do at a stretch.
//!
//! A clock read costs as much as several firings of a small node, so time is sampled: activations are
//! timed always while the node is unknown or slow, and one in [`SAMPLE`] once it is known to be quick.

use super::dice::Dice;
use crate::sync::{Duration, Instant};
use crate::tuning::{BATCH, Tuning};

/// About how long an activation may take, so that others get their turn.
const SLICE_NS: u64 = 50_000;
/// About how long finished tokens may wait for their publication within an activation.
const PUBLISH_NS: u64 = 4_000;
/// From here on every activation is timed.
const TIMED_NS: u64 = 10_000;
/// A node whose turns take less than this is quick: that is what it costs to wake another worker for it.
pub(super) const QUICK_NS: u16 = 2_000;
/// A source whose firings take less than this doesn't wait for what becomes of its tokens: threads don't answer so soon.
const PROMPT_NS: u32 = 500;
/// The part of a measured time that is the clock's and the driver's own: of a single firing of a small node, most of it.
const TIMING_NS: u16 = 50;
/// So many firings make a node known.
const KNOWN: u32 = if cfg!(loom) { 1 } else { 64 };
/// A quick node is timed once in so many activations.
const SAMPLE: u32 = 16;

/// What is known of a node's speed.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Hands on every token at once whatever its speed: sources and blocking nodes.
    pub(crate) eager: bool,
    /// Average cost of a firing, recent ones weighing more.
    cost_ns: u32,
    sampled: u32,
    activations: u32,
}

/// The terms of one activation.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Firings before it yields.
    pub(crate) budget: usize,
    /// Firings between two publications.
    pub(crate) chunk: usize,
    /// A firing's estimated time; 0 while nothing is known of it but that it isn't slow.
    pub(crate) cost_ns: u64,
    /// The most slack of a hint to a reader.
    pub(crate) slack: usize,
    /// Whether it flushes before every firing.
    pub(crate) careful: bool,
    /// When it began, where it is timed.
    pub(crate) began: Option<Instant>,
    /// How many activations a timed one stands for.
    pub(crate) weight: u32,
}

/// Sets terms by chance.
#[derive(Debug)]
pub(crate) struct Chance {
    dice: Dice,
    /// The most firings: of a batch, a few, or one.
    most: usize,
}

impl Chance {
    /// `manner` is the same for all nodes of a network: many small activations interleave otherwise than a few large ones.
    pub(crate) fn new(dice: Dice, manner: u64) -> Self {
        Self { dice, most: [1, BATCH.min(4), BATCH][(manner % 3) as usize] }
    }

    /// Any terms that are legal.
    #[cold]
    pub(crate) fn terms(&mut self, eager: bool) -> Terms {
        let Self { dice, most } = self;
        let budget = if dice.below(4) == 0 { 1 } else { 1 + dice.below(*most) };
        let careful = eager || dice.below(2) == 0;
        let chunk = if careful { 1 } else { 1 + dice.below(budget) };
        Terms { budget, chunk, cost_ns: 0, slack: 16, careful, began: None, weight: 1 }
    }
}

impl Pace {
    /// Sets the terms; `now` where the clock has been read anyway.
    pub(crate) fn begin(&mut self, now: Option<Instant>, tuning: &Tuning) -> Terms {
        self.activations = self.activations.wrapping_add(1);
        let known = self.sampled >= KNOWN;
        let cost = u64::from(self.cost_ns.max(1));
        let careful = self.eager || !known || cost >= tuning.slow_ns;
        let always = !known || cost >= TIMED_NS;
        let timed = always || self.activations.is_multiple_of(SAMPLE);
        // No `clamp` below, which checks its bounds first.
        let batch = tuning.batch;
        let clamp = |ns: u64| usize::try_from(ns / cost).map_or(batch, |n| n.min(batch).max(1));
        // An unknown node may be a slow one: it may do as many firings at a stretch as were timed before, and one.
        let proven = usize::try_from(self.sampled).map_or(batch, |sampled| sampled.saturating_add(1));
        Terms {
            budget: clamp(SLICE_NS).min(proven),
            chunk: if careful { 1 } else { clamp(PUBLISH_NS) },
            // One firing is enough to know a slow node by.
            cost_ns: if known || self.cost_ns >= TIMED_NS as u32 { cost } else { 0 },
            slack: tuning.slack,
            careful,
            began: timed.then(|| now.unwrap_or_else(Instant::now)),
            weight: if always { 1 } else { SAMPLE },
        }
    }

    /// Learns from a timed activation.
    pub(crate) fn learn(&mut self, took: Duration, firings: usize) {
        let firings = firings as u64;
        if firings == 0 {
            return;
        }
        // Four seconds are as long as any longer time: the node is slow.
        let most = |ns: u64| u32::try_from(ns).unwrap_or(u32::MAX);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let took = took.saturating_sub(u64::from(TIMING_NS));
        let (before, cost) = (u64::from(self.cost_ns), took / firings);
        self.cost_ns = most(if self.sampled == 0 { cost } else { (3 * before + cost) / 4 });
        self.sampled = self.sampled.saturating_add(most(firings));
    }

    /// About how long an activation takes, if it was `before` until this one; the most there is while that isn't known, or while
    /// the node may wait in its code.
    pub(crate) fn turn_ns(&self, before: u16, took: Duration) -> u16 {
        let may_wait = self.sampled < KNOWN || self.eager && self.cost_ns >= PROMPT_NS;
        let turn = u16::try_from(took.as_nanos()).unwrap_or(u16::MAX).saturating_sub(TIMING_NS);
        match before {
            _ if may_wait => u16::MAX,
            u16::MAX => turn,
            // No more than 65,535.
            before => ((3 * u32::from(before) + u32::from(turn)) / 4) as u16,
        }
    }

    /// The estimate for `firings` of them.
    pub(crate) fn estimate(&self, firings: usize) -> u64 {
        u64::from(self.cost_ns).saturating_mul(firings as u64)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The budgets of the first activations of a node whose firings take so long, each of which it uses up.
    fn budgets(cost: Duration) -> Vec<usize> {
        let mut pace = Pace::default();
        let activation = |_| {
            let budget = pace.begin(None, &Tuning::default()).budget;
            pace.learn(cost * u32::try_from(budget).unwrap_or(u32::MAX), budget);
            budget
        };
        (0..9).map(activation).collect()
    }

    #[test]
    fn a_node_proves_itself_before_it_gets_a_batch() {
        assert_eq!(budgets(Duration::from_nanos(20)), [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert_eq!(budgets(Duration::from_micros(10)), [1, 2, 4, 5, 5, 5, 5, 5, 5]);
        assert_eq!(budgets(Duration::from_millis(20)), [1; 9]);
    }
}
