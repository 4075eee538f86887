//! Running a plan and comparing what its nodes took and gave with what the theory says.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use kpn::{Network, Report, RunError, Stall};

use super::build::Seen;
use super::oracle::{Expected, Oracle, Order, Verdict};
use super::rules::digest;
use super::{Edge, Plan, Sabotage, Taste};
use crate::{Dice, On};

/// What happens where edges are too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They grow.
    Grow,
    /// Nothing: the plan's capacities suffice, see [`Plan::bounded`].
    Fixed,
}

/// A plan with what must be seen of it.
#[derive(Debug)]
pub struct Trial {
    /// The plan.
    pub plan: Plan,
    /// What its edges do.
    pub mode: Mode,
    taken: Vec<Expected>,
    written: Vec<Vec<Expected>>,
    /// Edges, those nearest to the sources first.
    order: Vec<usize>,
}

/// What a run that agreed with the theory came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Tokens that were taken.
    pub tokens: usize,
    /// Edges that grew.
    pub growths: usize,
}

/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What edges may grow by: more than any plan takes.
const MOST_BYTES: usize = 1 << 26;

/// The first thing that is not as the theory says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What sort of thing.
    pub sort: Sort,
    text: String,
}

/// What can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The network can't be built.
    Build,
    /// It does not end.
    Hang,
    /// The run returns an error.
    Run,
    /// A reader took something else.
    Taken,
    /// A writer gave something else.
    Given,
    /// What the report says.
    Report,
}

impl Sort {
    fn with(self, text: impl Display) -> Difference {
        Difference { sort: self, text: text.to_string() }
    }
}

impl Difference {
    /// The same, with where it was seen.
    pub(super) fn on(self, on: &On) -> Self {
        Self { text: format!("on {on}: {}", self.text), ..self }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Trial {
    /// Asks the interpreter.
    ///
    /// # Errors
    ///
    /// Where the plan does not run to its end in that mode.
    pub fn of(plan: Plan, mode: Mode) -> Result<Self, Verdict> {
        let wiring = plan.wiring();
        let ends = |oracle: &mut Oracle<'_>| match oracle.run(Order::Queue) {
            Verdict::Ended => Ok(()),
            verdict => Err(verdict),
        };
        let mut oracle = Oracle::new(&plan, &wiring, None);
        ends(&mut oracle)?;
        if mode == Mode::Fixed {
            ends(&mut Oracle::new(&plan, &wiring, Some(&plan.bounds())).stubborn())?;
        }
        let (taken, written) = (oracle.expected_taken(), oracle.expected_written());
        let order = plan.edges_in_order();
        Ok(Self { plan, mode, taken, written, order })
    }

    /// The trial of a seed: mostly of few nodes, sometimes of up to `most`; every other one with edges that need not grow.
    ///
    /// # Panics
    ///
    /// Where the plan does not run to its end, which no random plan does.
    pub fn of_seed(seed: u64, most: usize) -> Self {
        let mut dice = Dice::new(seed);
        let nodes = match dice.within(0..10) {
            0 => most,
            1..=3 => most.min(60),
            _ => most.min(16),
        };
        let plan = Plan::random(&mut dice, Taste::all(nodes));
        let trial = match plan.clone().bounded().filter(|_| seed.is_multiple_of(2)) {
            Some(bounded) => Self::of(bounded, Mode::Fixed),
            None => Self::of(plan, Mode::Grow),
        };
        trial.expect("a random plan runs to its end")
    }

    /// Outputs whose first reader is due the whole history, of this many tokens at least: where something wrong must show.
    pub fn watched(&self, tokens: usize) -> Vec<usize> {
        let watched = |(edge, expected): (&Edge, &Expected)| {
            let writes = edge.from.port == 0 && edge.initial.is_none() && expected.is_exact();
            (writes && expected.tokens.len() >= tokens).then_some(edge.from.node)
        };
        let mut nodes: Vec<usize> = self.plan.edges.iter().zip(&self.taken).filter_map(watched).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// How many edges have a history that must be seen in full.
    pub fn exact(&self) -> usize {
        self.taken.iter().filter(|expected| expected.is_exact()).count()
    }

    /// Runs it and compares.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn run(&self, on: &On) -> Result<Outcome, Difference> {
        self.run_with(None, |net| on.start(net).expect("threads").wait_timeout(PATIENCE))
    }

    /// Runs it with something wrong in it, by any executor, and compares.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn run_with(
        &self,
        sabotage: Option<Sabotage>,
        run: impl FnOnce(Network<'static>) -> Result<Report, RunError>,
    ) -> Result<Outcome, Difference> {
        let built = self.plan.build_with(sabotage).map_err(|error| Sort::Build.with(error))?;
        let net = match self.mode {
            Mode::Grow => built.net.on_stall(Stall::Grow { max_bytes: MOST_BYTES }),
            Mode::Fixed => built.net,
        };
        let result = run(net);
        if let Err(error @ RunError::TimedOut { .. }) = result {
            return Err(Sort::Hang.with(error));
        }
        let Some(seen) = built.heard.all(&self.plan) else {
            return Err(Sort::Run.with(format!("nodes are left after the end: {result:?}")));
        };
        let compared = self.compare(&seen);
        let report = result.map_err(|error| match &compared {
            Ok(()) => Sort::Run.with(format!("no history differs, but the run failed: {error}")),
            Err(difference) => Sort::Run.with(format!("the run failed: {error}; {difference}")),
        })?;
        compared?;
        let over = report.edges.iter().find(|edge| edge.high_water > edge.capacity);
        if let Some(edge) = over {
            return Err(Sort::Report.with(format!("{} holds {} of {}", edge.name, edge.high_water, edge.capacity)));
        }
        Ok(Outcome { tokens: seen.taken.iter().map(Vec::len).sum(), growths: report.growths.len() })
    }

    fn compare(&self, Seen { taken, given }: &Seen) -> Result<(), Difference> {
        for &edge in &self.order {
            let (found, expected) = (&taken[edge], &self.taken[edge]);
            let same = found.iter().zip(&expected.tokens).take_while(|(found, expected)| found == expected).count();
            if found.len() > same || found.len() < expected.least {
                let show = |tokens: &[u64]| tokens.get(same).map_or("none".to_owned(), |token| format!("{token:#x}"));
                return Err(Sort::Taken.with(format!(
                    "the reader of {} took {} tokens, {} of {} were due; the first {same} are right, then {} is not {}",
                    self.plan.edge_name(edge),
                    found.len(),
                    expected.least,
                    expected.tokens.len(),
                    show(found),
                    show(&expected.tokens),
                )));
            }
        }
        for (node, (given, written)) in given.iter().zip(&self.written).enumerate() {
            for (port, (&(count, found), expected)) in given.iter().zip(written).enumerate() {
                let (least, most) = (expected.least, expected.tokens.len());
                if !(least..=most).contains(&count) {
                    return Err(
                        Sort::Given.with(format!("n{node}.{port} gave {count} tokens, {least} to {most} were due"))
                    );
                }
                if found != digest(&expected.tokens[..count]) {
                    return Err(Sort::Given.with(format!("n{node}.{port} gave {count} tokens, and wrong ones")));
                }
            }
        }
        Ok(())
    }
}

impl Plan {
    /// The name of an edge.
    fn edge_name(&self, edge: usize) -> String {
        let edge = &self.edges[edge];
        format!("n{}.{} -> n{}.{}", edge.from.node, edge.from.port, edge.to.node, edge.to.port)
    }

    /// The edges, those nearest to the sources first: in the order of their writers' longest way there, where the edges that
    /// close loops don't count.
    fn edges_in_order(&self) -> Vec<usize> {
        let forward = || self.edges.iter().filter(|edge| edge.initial.is_none());
        let mut missing = vec![0; self.nodes.len()];
        forward().for_each(|edge| missing[edge.to.node] += 1);
        let mut depth = vec![0; self.nodes.len()];
        let mut ready: Vec<usize> = (0..self.nodes.len()).filter(|&node| missing[node] == 0).collect();
        while let Some(node) = ready.pop() {
            for edge in forward().filter(|edge| edge.from.node == node) {
                let to = edge.to.node;
                depth[to] = depth[to].max(depth[node] + 1);
                missing[to] -= 1;
                if missing[to] == 0 {
                    ready.push(to);
                }
            }
        }
        let mut edges: Vec<usize> = (0..self.edges.len()).collect();
        edges.sort_by_key(|&edge| depth[self.edges[edge].from.node]);
        edges
    }
}
