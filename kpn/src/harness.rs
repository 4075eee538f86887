//! Firing one node without a runtime, for its unit tests.
//!
//! ```
//! use kpn::{harness, prelude::*};
//!
//! let mut double = map(|x: u32| 2 * x);
//! assert_eq!(harness::fire(&mut double, (21,)).unwrap(), Some((42,)));
//! ```
//!
//! An item is what the port's rate makes of its tokens: the token itself, an array for a fixed rate or a sliding window,
//! a [`Batch`](crate::node::Batch) for a rate that varies by phase.

use crate::node::{Failure, Fired, Firing, Inputs, Outputs, WrongCount};

/// What a node takes in one firing: a tuple with an item an input.
pub type Taken<F> = <<F as Firing>::In as Inputs>::Items;

/// What a node gives in one firing: a tuple with an item an output.
pub type Given<F> = <<F as Firing>::Out as Outputs>::Items;

/// Fires a node once. `None` means that its stream ends here. It isn't known which phase the firing is, so the numbers of
/// tokens are not checked, as [`run`] does.
///
/// # Errors
///
/// The node's own failure.
///
/// ```
/// use kpn::{harness, prelude::*};
///
/// let mut numbers = source([7u8]);
/// assert_eq!(harness::fire(&mut numbers, ()).unwrap(), Some((7,)));
/// assert_eq!(harness::fire(&mut numbers, ()).unwrap(), None);
///
/// let mut even = filter_map(|x: u8| (x % 2 == 0).then_some(x));
/// assert_eq!(harness::fire(&mut even, (7,)).unwrap(), Some((None,)));
/// ```
pub fn fire<F: Firing>(node: &mut F, items: Taken<F>) -> Result<Option<Given<F>>, Failure> {
    outcome(node.fire(items))
}

/// What a node adds once its inputs have ended; `None` where it adds nothing.
///
/// # Errors
///
/// The node's own failure.
pub fn finish<F: Firing>(node: &mut F) -> Result<Option<Given<F>>, Failure> {
    if F::FINISHES { outcome(node.finish()) } else { Ok(None) }
}

/// Fires a node for each item, as a network would that is fed with them, then lets it finish; returns what
/// each firing gave. A node that ends early is not fired again, and finishes, too. Where an output's rate varies by phase,
/// the numbers of tokens are checked.
///
/// A source takes `()` and ends by itself: feed it `std::iter::repeat(())`.
///
/// # Errors
///
/// The first failure of the node, or a [`WrongCount`], in which the node is called by its type.
///
/// ```
/// use kpn::{harness, prelude::*};
///
/// let words = harness::run(source("a b c".split(' ')), std::iter::repeat(())).unwrap();
/// assert_eq!(words, [("a",), ("b",), ("c",)]);
///
/// let mut last = 0;
/// let mut differences = map(move |x: i32| x - std::mem::replace(&mut last, x));
/// assert_eq!(harness::run(&mut differences, [(1,), (4,), (9,)]).unwrap(), [(1,), (3,), (5,)]);
///
/// let strict = sink(|x: u8| if x < 9 { Ok(()) } else { Err("too large") });
/// assert_eq!(harness::run(strict, [(1,), (9,)]).unwrap_err().to_string(), "too large");
/// ```
pub fn run<F: Firing>(mut node: F, items: impl IntoIterator<Item = Taken<F>>) -> Result<Vec<Given<F>>, Failure> {
    let mut given = Vec::new();
    for items in items {
        match fire(&mut node, items)? {
            Some(items) => given.push(counted::<F>(given.len(), items)?),
            None => break,
        }
    }
    if let Some(items) = finish(&mut node)? {
        given.push(counted::<F>(given.len(), items)?);
    }
    Ok(given)
}

/// What the firing of this number gave, if it is as many tokens as the rates say.
fn counted<F: Firing>(firing: usize, items: Given<F>) -> Result<Given<F>, WrongCount> {
    match F::Out::miscount_at(firing, &items) {
        Some(miscount) => Err(WrongCount::new(std::any::type_name::<F>(), &[], miscount)),
        None => Ok(items),
    }
}

fn outcome<O>(fired: Fired<O>) -> Result<Option<O>, Failure> {
    match fired {
        Fired::Emit(items) => Ok(Some(items)),
        Fired::End => Ok(None),
        Fired::Failed(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Batch, Counted, Cyclic, Exactly, Many, One, Phases, Window};

    /// Sums, and gives the sum at the end.
    struct Sum(u32);

    impl Firing for Sum {
        type In = (One<u32>,);
        type Out = (crate::node::Maybe<u32>,);
        const FINISHES: bool = true;

        fn fire(&mut self, (x,): (u32,)) -> Fired<(Option<u32>,)> {
            self.0 += x;
            if x == 0 { Fired::End } else { Fired::Emit((None,)) }
        }

        fn finish(&mut self) -> Fired<(Option<u32>,)> {
            Fired::Emit((Some(self.0),))
        }
    }

    #[test]
    fn finish_comes_last_and_once() {
        assert_eq!(run(Sum(0), [(1,), (2,)]).unwrap(), [(None,), (None,), (Some(3),)]);
        assert_eq!(run(Sum(5), []).unwrap(), [(Some(5),)]);
    }

    /// Sums pairs of neighbours, and gives each sum as often as the phase says, up to `most`.
    struct Repeat {
        phase: usize,
        most: usize,
    }

    struct NoneTwo;

    impl Phases for NoneTwo {
        const RATES: &'static [usize] = &[0, 2];
    }

    impl Firing for Repeat {
        type In = (Window<u32, 2, 1>, Cyclic<(), NoneTwo>);
        type Out = (Exactly<u32, 1>, Counted<u32, NoneTwo>);

        fn fire(&mut self, (pair, units): ([u32; 2], Batch<()>)) -> Fired<([u32; 1], Many<u32>)> {
            let sum = pair.iter().sum();
            self.phase += 1;
            Fired::Emit(([sum], units.iter().map(|()| sum).take(self.most).collect()))
        }
    }

    #[test]
    fn nodes_of_all_rates_fire_and_their_tokens_are_counted() {
        let items = || [([1, 2], Batch::default()), ([2, 5], [(), ()].into()), ([5, 5], Batch::default())];
        let given = run(Repeat { phase: 0, most: 2 }, items()).unwrap();
        assert_eq!(given, [([3], vec![].into()), ([7], vec![7, 7].into()), ([10], vec![].into())]);
        let mut node = Repeat { phase: 0, most: 1 };
        let error = run(&mut node, items()).unwrap_err();
        let wrong = error.downcast_ref::<WrongCount>().unwrap();
        assert_eq!((&*wrong.port, wrong.expected, wrong.found, node.phase), ("outputs[1]", 2, 1, 2));
        assert!(wrong.node.ends_with("Repeat"), "{wrong}");
    }

    #[test]
    fn a_node_that_ends_early_finishes_as_well() {
        assert_eq!(run(Sum(0), [(1,), (0,), (2,)]).unwrap(), [(None,), (Some(1),)]);
    }
}
