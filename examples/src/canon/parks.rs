//! A network that needs more room on one edge than another way through it suggests, as Parks (1995) studied them.

use kpn::prelude::*;

use super::merge::merge;

/// Sends multiples of `n` one way and all others another way.
#[node]
async fn split(
    input: &mut In<u64>,
    multiples: &mut Out<u64>,
    others: &mut Out<u64>,
    #[param] n: u64,
) -> Result<(), Closed> {
    while let Some(x) = input.recv().await {
        if x.is_multiple_of(n) { multiples.send(x).await? } else { others.send(x).await? }
    }
    Ok(())
}

/// Counts to `count` in two streams that a merge puts together again. The merge waits for a multiple of `n`, and
/// until it comes `n - 1` other numbers must find room: on a smaller edge `split` waits for space, `merge` for a token,
/// and neither can go on. Edges hold one token unless they are given another capacity.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn parks(count: u64, n: u64, numbers: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    let net = network! {
        split = split(n);
        merge = merge();

        source(1..=count) -> split.input;
        split.multiples -> merge.a;
        split.others -> merge.b;
        merge -> sink(|x| numbers.push(x));
    }?;
    net.with_capacity(1)
}
