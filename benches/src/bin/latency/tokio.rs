//! A task a node on tokio's runtime of several threads, its bounded channel an edge.

use std::thread;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::channel;

use crate::pacing::{Arrivals, Pacer};
use crate::{Chain, Outcome};

/// Sends all of the pacer's tokens through a chain.
pub(crate) fn run(runtime: &Runtime, chain: Chain, mut pacer: Pacer, mut arrivals: Arrivals) -> Outcome<Arrivals> {
    let (sender, mut tail) = channel(chain.capacity);
    // Each ends when the one before it has ended, or the one behind it.
    let pacing = thread::Builder::new().spawn(move || pacer.all(|token| sender.blocking_send(token).is_ok()))?;
    for _ in 0..chain.depth {
        let (sender, out) = channel(chain.capacity);
        let mut input = std::mem::replace(&mut tail, out);
        runtime.spawn(async move {
            while let Some(token) = input.recv().await {
                if sender.send(token.visited(chain.iters)).await.is_err() {
                    break;
                }
            }
        });
    }
    let sink = runtime.spawn(async move {
        while let Some(token) = tail.recv().await {
            arrivals.take(token);
        }
        arrivals
    });
    let arrivals = runtime.block_on(sink)?;
    pacing.join().map_err(|_| "the pacing panicked")?;
    Ok(arrivals)
}
