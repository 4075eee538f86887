//! Random networks of every kind of node, loops included, on every executor: each edge's history is the one that the theory
//! gives. `random_graphs` runs more of them.

use std::cell::Cell;

use kpn_tests::dice::seeds;
use kpn_tests::graph::plan::{Difference, Everywhere, Sabotage, Trial};
use kpn_tests::{Dice, On, doing, watch};

/// As many as a test run without optimisation takes in some seconds.
const GRAPHS: u64 = 100;

#[test]
fn every_history_is_the_theorys() {
    watch(300, || {
        let everywhere = Everywhere::new(3);
        seeds(GRAPHS, |seed, _| {
            let trial = Trial::of_seed(seed, 200);
            let run = everywhere.run(&trial, |on| doing(format!("seed {seed}, on {on}")));
            if let Err(difference) = run {
                panic!("{difference}, in {}", trial.plan);
            }
        });
    });
}

/// Runs networks with something wrong in each, and gives how many there were and how many were found out.
fn sabotage(of: impl Fn(&Trial, &mut Dice) -> Option<Sabotage> + Send + 'static) -> (usize, usize) {
    watch(120, move || {
        let (wrong, found) = (Cell::new(0), Cell::new(0));
        let pools = [On::pool(2), On::Private, On::Deterministic(1)];
        seeds(40, |seed, dice| {
            let trial = Trial::of_seed(seed, 30);
            let Some(sabotage) = of(&trial, dice) else { return };
            wrong.set(wrong.get() + 1);
            let differs =
                |on: &On| -> Result<_, Difference> { trial.run_with(Some(sabotage.again()), |net| on.run(net)) };
            found.set(found.get() + usize::from(pools.iter().any(|on| differs(on).is_err())));
        });
        (wrong.get(), found.get())
    })
}

fn all_are_found((wrong, found): (usize, usize)) {
    assert!(wrong > 20 || std::env::var_os("KPN_SEED").is_some(), "only {wrong} networks can be made wrong");
    assert_eq!(wrong, found);
}

#[test]
fn a_token_that_is_lost_is_found() {
    all_are_found(sabotage(|trial, dice| {
        let nodes = trial.watched(2);
        (!nodes.is_empty()).then(|| Sabotage::Loses { node: *dice.pick(&nodes), token: dice.within(0..2) })
    }));
}

#[test]
fn two_tokens_in_the_wrong_order_are_found() {
    all_are_found(sabotage(|trial, dice| {
        let nodes = trial.watched(2);
        (!nodes.is_empty()).then(|| Sabotage::Swaps { node: *dice.pick(&nodes), token: 0 })
    }));
}

#[test]
fn a_node_that_looks_at_another_one_is_found() {
    let (wrong, found) = sabotage(|trial, dice| {
        let nodes = trial.watched(20);
        (nodes.len() > 1).then(|| {
            let node = dice.within(1..nodes.len());
            Sabotage::races(nodes[node], nodes[dice.within(0..node)])
        })
    });
    // It may happen to be right in all three runs.
    assert!(wrong > 15 && 4 * found > 3 * wrong, "{found} of {wrong}");
}
