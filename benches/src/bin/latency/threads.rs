//! A thread a node, a bounded channel of crossbeam's an edge.

use std::thread;

use crossbeam_channel::bounded;

use crate::pacing::{Arrivals, Pacer};
use crate::{Chain, Outcome};

/// Sends all of the pacer's tokens through a chain.
pub(crate) fn run(chain: Chain, mut pacer: Pacer, mut arrivals: Arrivals) -> Outcome<Arrivals> {
    let (sender, mut tail) = bounded(chain.capacity);
    thread::scope(|scope| {
        // Each ends when the one before it has ended, or the one behind it.
        scope.spawn(move || pacer.all(|token| sender.send(token).is_ok()));
        for _ in 0..chain.depth {
            let (sender, out) = bounded(chain.capacity);
            let input = std::mem::replace(&mut tail, out);
            scope.spawn(move || input.iter().all(|token| sender.send(token.visited(chain.iters)).is_ok()));
        }
        tail.iter().for_each(|token| arrivals.take(token));
    });
    Ok(arrivals)
}
