//! Every executor that a random network is run on.

use super::{Difference, Outcome, Trial};
use crate::On;

/// Threads of a network on private threads.
const MOST_PRIVATE: usize = 40;

/// Pools of 1, 2 and 4 workers, private threads for networks that are not too large, and one thread with seeded choices.
#[derive(Debug)]
pub struct Everywhere {
    pools: [On; 3],
    /// How many seeds of choices for each network.
    choices: u64,
}

impl Everywhere {
    /// With so many seeds of choices for each network.
    pub fn new(choices: u64) -> Self {
        Self { pools: [1, 2, 4].map(On::pool), choices }
    }

    /// Runs a trial on each, and gives the number of runs with what they came to together. `before` is told of each.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn run(&self, trial: &Trial, mut before: impl FnMut(&On)) -> Result<(u64, Outcome), Difference> {
        let private = (trial.plan.nodes.len() <= MOST_PRIVATE).then_some(On::Private);
        // Other networks get other choices.
        let first = trial.plan.nodes[0].salt;
        let choices: Vec<On> = (0..self.choices).map(|i| On::Deterministic(first.wrapping_add(i))).collect();
        let mut sum = (0, Outcome::default());
        for on in self.pools.iter().chain(&private).chain(&choices) {
            before(on);
            let Outcome { tokens, growths } = trial.run(on).map_err(|difference| difference.on(on))?;
            sum.0 += 1;
            sum.1.tokens += tokens;
            sum.1.growths += growths;
        }
        Ok(sum)
    }
}
