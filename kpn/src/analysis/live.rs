//! Whether a part can go on for ever, and which capacities it needs to.
//!
//! A part is live if it comes back to a state that it was in with every node having fired its repetitions in
//! between. Without windows that is the start, after one iteration. A window's first firing takes more than the others, so
//! that a few iterations may have to go ahead: limited to `m` iterations, then to `m + 1`, every node must fire its
//! repetitions more. Any firing depends on others that lie at most as many iterations further on as fill the windows on
//! a way through the part, each of them once; so one more than fills all of them is enough for every first firing, and
//! where that many iterations don't do, nothing will. A bounded edge is an edge of spaces the other way round, and all
//! of this holds for it too.

use super::model::Model;
use super::sim::{Budget, Lack, Sim, Spent, Wait};

/// What became of a part.
pub(super) enum Settled {
    /// It goes on for ever, after `before` iterations at most.
    Live { before: u64 },
    /// These nodes wait for one another: a cycle, each node for the next one, the last for the first.
    Stuck(Vec<Wait>),
}

/// An edge of a deadlocked cycle, and what would start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Starved {
    /// The nodes that wait for one another, in flow order; `edges[i]` leads from `nodes[i]` to the next one.
    pub(crate) nodes: Vec<usize>,
    pub(crate) edges: Vec<usize>,
    /// The edge of these to put tokens on.
    pub(crate) edge: usize,
    /// How many lie there.
    pub(crate) tokens: usize,
    /// The least number that keeps the cycle going, given the other shortages are made good too. `None` where it
    /// took too long to find.
    pub(crate) needed: Option<usize>,
}

/// Runs a part with the capacities of its edges as they stand.
pub(super) fn settle(sim: &mut Sim<'_>, ahead: u64, budget: &mut Budget) -> Result<Settled, Spent> {
    let most = fill(sim);
    let mut before = ahead.min(most);
    loop {
        let lag = progress(sim, before, budget)?;
        if !lag.contains(&true) {
            return Ok(Settled::Live { before });
        }
        if before == most {
            return Ok(Settled::Stuck(wait_cycle(sim, &lag)));
        }
        before = before.saturating_mul(2).max(1).min(most);
    }
}

/// The least number of iterations ahead with which a part that is live after `before` is so.
pub(super) fn least_ahead(sim: &mut Sim<'_>, before: u64, budget: &mut Budget) -> Result<u64, Spent> {
    let (mut least, mut most) = (0, before);
    while least < most {
        let middle = least + (most - least) / 2;
        if progress(sim, middle, budget)?.contains(&true) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    Ok(most)
}

/// Goes `before` iterations ahead and then one more, whose runs are noted; which nodes fall behind in that one.
pub(super) fn progress(sim: &mut Sim<'_>, before: u64, budget: &mut Budget) -> Result<Vec<bool>, Spent> {
    sim.reset();
    sim.run(before, budget)?;
    let first = sim.fired();
    sim.note();
    sim.run(before.checked_add(1).ok_or(Spent)?, budget)?;
    let second = sim.fired();
    Ok((0..first.len()).map(|node| second[node] - first[node] != sim.repetitions(node)).collect())
}

/// Iterations by which every window has been filled, one after the other; 0 where there is none.
fn fill(sim: &Sim<'_>) -> u64 {
    let windows = || sim.edges.iter().filter(|edge| edge.takes.first() > 0);
    let turns = windows().fold(0u64, |turns, edge| {
        // Tokens an iteration, not 0 in a part that is balanced.
        let turn = u128::from(sim.repetitions(edge.from)) / edge.gives.len() * edge.gives.sum();
        let missing = edge.takes.first().saturating_sub(edge.initial).div_ceil(turn.max(1));
        turns.saturating_add(u64::try_from(missing).unwrap_or(u64::MAX))
    });
    turns.saturating_add(u64::from(windows().next().is_some()))
}

/// Of the nodes that fall behind, those that wait for one another.
fn wait_cycle(sim: &Sim<'_>, lag: &[bool]) -> Vec<Wait> {
    let Some(mut node) = lag.iter().position(|&lag| lag) else { return Vec::new() };
    let mut place = vec![None; lag.len()];
    let mut way: Vec<Wait> = Vec::new();
    loop {
        if let Some(begin) = place[node] {
            return way.split_off(begin);
        }
        place[node] = Some(way.len());
        // A node falls behind because of one that does; there is always such a one. If not, there is no cycle.
        let Some(wait) = sim.wait(node, lag) else { return Vec::new() };
        way.push(wait);
        node = wait.peer;
    }
}

/// Which tokens a part lacks that has no bounds and is stuck, in this cycle first.
pub(super) fn shortages(
    sim: &mut Sim<'_>,
    model: &Model<'_>,
    mut cycle: Vec<Wait>,
    budget: &mut Budget,
) -> Vec<Starved> {
    let mut found: Vec<(usize, Starved)> = Vec::new();
    let known = loop {
        // There where tokens lie already, since that is where somebody thought of them; else on the first edge.
        let lies = |wait: &&Wait| (sim.edges[wait.edge].initial > 0, std::cmp::Reverse(wait.node));
        let Some(&wait) = cycle.iter().max_by_key(lies) else { break false };
        let edge = &mut sim.edges[wait.edge];
        if !found.iter().any(|(at, _)| *at == wait.edge) {
            let tokens = model.edges[edge.index].initial;
            let waits = || cycle.iter().rev();
            let nodes = waits().map(|wait| sim.indices[wait.peer]).collect();
            let edges = waits().map(|wait| sim.edges[wait.edge].index).collect();
            let edge = sim.edges[wait.edge].index;
            found.push((wait.edge, Starved { nodes, edges, edge, tokens, needed: None }));
        }
        let edge = &mut sim.edges[wait.edge];
        let granted = edge.initial - model.edges[edge.index].initial as u128;
        edge.initial += granted.max(wait.wants - wait.there);
        if edge.initial > usize::MAX as u128 {
            break false;
        }
        match settle(sim, 0, budget) {
            Ok(Settled::Live { .. }) => break true,
            Ok(Settled::Stuck(next)) => cycle = next,
            Err(Spent) => break false,
        }
    };
    if known {
        for (edge, shortage) in &mut found {
            let most = sim.edges[*edge].initial;
            let needed = least_that_lives(sim, shortage.tokens as u128, most, budget, |sim, tokens| {
                sim.edges[*edge].initial = tokens;
            });
            shortage.needed = needed.ok().and_then(|tokens| usize::try_from(tokens).ok());
        }
    }
    found.into_iter().map(|(_, shortage)| shortage).collect()
}

/// The least number from `least` to `most`, which does, that keeps a part live where `set` says it.
fn least_that_lives(
    sim: &mut Sim<'_>,
    mut least: u128,
    mut most: u128,
    budget: &mut Budget,
    set: impl Fn(&mut Sim<'_>, u128),
) -> Result<u128, Spent> {
    let mut result = Ok(());
    while least < most && result.is_ok() {
        let middle = least + (most - least) / 2;
        set(sim, middle);
        match settle(sim, 0, budget) {
            Ok(Settled::Live { .. }) => most = middle,
            Ok(Settled::Stuck(_)) => least = middle + 1,
            Err(Spent) => result = Err(Spent),
        }
    }
    set(sim, most);
    result.map(|()| most)
}

/// Whether capacities do.
pub(super) enum Fit {
    Live,
    /// Some nodes wait for one another, and none of the edges between them may grow.
    Stuck,
}

/// Makes the edges larger that may `grow` until the part is live, as Parks (1995) does at run time: each time nodes
/// wait for one another, the smallest full edge of the cycle grows.
pub(super) fn grow(sim: &mut Sim<'_>, may_grow: &[bool], ahead: u64, budget: &mut Budget) -> Result<Fit, Spent> {
    loop {
        let cycle = match settle(sim, ahead, budget)? {
            Settled::Live { .. } => return Ok(Fit::Live),
            Settled::Stuck(cycle) => cycle,
        };
        let full = cycle.iter().filter(|wait| wait.lack == Lack::Space && may_grow[wait.edge]);
        let Some(wait) = full.min_by_key(|wait| (sim.edges[wait.edge].capacity, wait.edge)) else {
            return Ok(Fit::Stuck);
        };
        let edge = &mut sim.edges[wait.edge];
        let least = edge.capacity + (wait.wants - wait.there);
        edge.capacity = least.max(edge.capacity.saturating_mul(2)).min(u128::from(u64::MAX)).max(least);
    }
}

/// Lowers the capacities above `bounds` as far as each goes by itself, one after the other.
pub(super) fn shrink(sim: &mut Sim<'_>, bounds: &[u128], budget: &mut Budget) -> Result<(), Spent> {
    for (edge, &bound) in bounds.iter().enumerate() {
        let now = sim.edges[edge].capacity;
        if now > bound {
            least_that_lives(sim, bound, now, budget, |sim, tokens| sim.edges[edge].capacity = tokens)?;
        }
    }
    Ok(())
}
