//! kpn. The source is `.blocking()`, so the pacing runs on a thread of its own and sends into the first edge.

use kpn::prelude::*;
use kpn::{Report, ThreadPool};

use crate::pacing::{Arrivals, Pacer, Token};
use crate::{Chain, Outcome};

/// How the chain's nodes are made, and where they run.
pub(crate) enum Kind {
    /// Closures, serial and in order, on a pool.
    Shared(ThreadPool),
    /// The same, a thread each.
    Private,
    /// Functions without state on a pool, which may fire on several workers at once.
    Elastic(ThreadPool),
}

#[node]
fn stage(token: Token, #[param] iters: u64) -> Token {
    token.visited(iters)
}

/// Sends all of the pacer's tokens through a chain.
pub(crate) fn run(kind: &Kind, chain: Chain, pacer: Pacer, mut arrivals: Arrivals) -> Outcome<Arrivals> {
    let Chain { depth, iters, capacity, .. } = chain;
    let mut b = Builder::new();
    let mut tail = b.add(source(pacer).blocking()).out;
    for i in 0..depth {
        let name = format!("stage{i}");
        tail = match kind {
            Kind::Elastic(_) => b.pipe(tail, stage(iters).named(name)),
            _ => b.pipe(tail, map(move |token: Token| token.visited(iters)).named(name)),
        };
    }
    b.pipe(tail, sink(|token| arrivals.take(token)));
    let net = b.build()?.with_capacity(capacity)?;
    let _: Report = match kind {
        Kind::Shared(pool) | Kind::Elastic(pool) => net.run_on(pool)?,
        Kind::Private => net.run_on(Private::new())?,
    };
    Ok(arrivals)
}
