//! Firing one node without a runtime, for its unit tests.
//!
//! ```
//! use kpn::{harness, prelude::*};
//!
//! let mut double = map(|x: u32| 2 * x);
//! assert_eq!(harness::fire(&mut double, (21,)).unwrap(), Some((42,)));
//! ```

use crate::node::{Failure, Fired, Firing, Inputs, Outputs};

/// What a node takes in one firing: a tuple with an item an input.
pub type Taken<F> = <<F as Firing>::In as Inputs>::Items;

/// What a node gives in one firing: a tuple with an item an output.
pub type Given<F> = <<F as Firing>::Out as Outputs>::Items;

/// Fires a node once. `None` means that its stream ends here.
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
/// each firing gave. A node that ends early is not fired again, and finishes, too.
///
/// A source takes `()` and ends by itself: feed it `std::iter::repeat(())`.
///
/// # Errors
///
/// The first failure of the node.
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
            Some(items) => given.push(items),
            None => break,
        }
    }
    given.extend(finish(&mut node)?);
    Ok(given)
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
    use crate::node::One;

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

    #[test]
    fn a_node_that_ends_early_finishes_as_well() {
        assert_eq!(run(Sum(0), [(1,), (0,), (2,)]).unwrap(), [(None,), (Some(1),)]);
    }
}
