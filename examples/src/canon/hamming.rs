//! Hamming's problem: the numbers 2^i 3^j 5^k in order, each once.

use kpn::prelude::*;

/// As many of the numbers as fit into 128 bits, in a round figure.
pub const MOST: usize = 100_000;

/// What is too large becomes the largest number, which comes after all that are asked for.
#[node]
fn times(x: u128, #[param] factor: u128) -> u128 {
    x.saturating_mul(factor)
}

/// Merges two rising streams; of what both have it sends one.
#[node]
async fn union(a: &mut In<u128>, b: &mut In<u128>, out: &mut Out<u128>) -> Result<(), Closed> {
    while let (Some(&x), Some(&y)) = (a.peek().await, b.peek().await) {
        if x <= y {
            a.recv().await;
        }
        if y <= x {
            b.recv().await;
        }
        out.send(x.min(y)).await?;
    }
    Ok(())
}

/// Ends after `count` tokens, and with it the loop.
#[node]
async fn first(input: &mut In<u128>, out: &mut Out<u128>, #[param] count: usize) -> Result<(), Closed> {
    for _ in 0..count {
        let Some(x) = input.recv().await else { break };
        out.send(x).await?;
    }
    Ok(())
}

/// Every number is 1, or twice, thrice or five times a smaller one. The edges on the loop have to hold ever more
/// numbers, so it only runs where they may grow: see [`Stall::Grow`].
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn hamming(count: usize, numbers: &mut Vec<u128>) -> Result<Network<'_>, BuildError> {
    let net = network! {
        two   = times(2);
        three = times(3);
        five  = times(5);
        pair  = union();
        all   = union();
        first = first(count.min(MOST));

        first -> { two, three, five, sink(|x| numbers.push(x)) };
        { two, three } -> pair;
        { pair, five } -> all;
        all -[initial: [1]]-> first;
    }?;
    Ok(net.on_stall(Stall::Grow { max_bytes: 64 << 20 }))
}
