//! The sieve of Kahn and MacQueen (1977): a network that grows as it runs.

use kpn::prelude::*;

/// Lets pass what `p` does not divide.
#[node]
fn unless_multiple(x: u64, #[param] p: u64) -> Option<u64> {
    (!x.is_multiple_of(p)).then_some(x)
}

/// Takes a prime, and puts a filter for its multiples in front of itself, so that the next number to come is a prime
/// as well.
#[node]
async fn sift(
    numbers: &mut In<u64>,
    primes: &mut Out<u64>,
    #[param] count: usize,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    for _ in 0..count {
        let Some(p) = numbers.recv().await else { break };
        primes.send(p).await?;
        numbers.through(unless_multiple(p))?;
    }
    Ok(())
}

/// The first `count` primes. The network ends with as many filters.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn sieve(count: usize, primes: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    network! { source(2..) -> sift(count) -> sink(|p| primes.push(p)) }
}
