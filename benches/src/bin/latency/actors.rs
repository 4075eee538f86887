//! A hand-made network on rayon's pool: a node is a mailbox and a count of what is announced to it, run by `spawn`, serial and in
//! order. The bound is the number of tokens in the whole network, as such networks have it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use rayon::ThreadPool;

use crate::pacing::{Arrivals, Pacer, Token};
use crate::{Chain, Outcome};

#[derive(Default)]
struct Actor {
    inbox: Mutex<VecDeque<Token>>,
    /// Tokens that were announced and not yet seen; with none the actor isn't scheduled.
    pending: AtomicUsize,
}

struct Actors {
    /// The last one is the sink.
    all: Vec<Actor>,
    iters: u64,
    /// `None` once all have arrived.
    arrivals: Mutex<Option<Arrivals>>,
    /// The token's place is free again.
    places: Receiver<()>,
    done: Sender<Arrivals>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Actors {
    /// Hands a token to an actor. True where that one is to be scheduled.
    fn post(&self, to: usize, token: Token) -> bool {
        lock(&self.all[to].inbox).push_back(token);
        self.all[to].pending.fetch_add(1, Ordering::AcqRel) == 0
    }

    fn pop(&self, me: usize) -> Option<Token> {
        lock(&self.all[me].inbox).pop_front()
    }

    /// An activation: all tokens that are announced.
    fn run(self: &Arc<Self>, me: usize) {
        loop {
            let seen = self.all[me].pending.load(Ordering::Acquire);
            while let Some(token) = self.pop(me) {
                if me + 1 == self.all.len() {
                    self.arrived(token);
                } else if self.post(me + 1, token.visited(self.iters)) {
                    let actors = self.clone();
                    rayon::spawn(move || actors.run(me + 1));
                }
            }
            if self.all[me].pending.fetch_sub(seen, Ordering::AcqRel) == seen {
                return;
            }
        }
    }

    fn arrived(&self, token: Token) {
        let mut arrivals = lock(&self.arrivals);
        if let Some(all) = &mut *arrivals {
            all.take(token);
            // There is one, the token's own.
            let _ = self.places.try_recv();
            if all.are_all()
                && let Some(all) = arrivals.take()
            {
                // Fails only where nobody waits any more.
                let _ = self.done.send(all);
            }
        }
    }
}

/// Sends all of the pacer's tokens through a chain.
pub(crate) fn run(pool: &ThreadPool, chain: Chain, pacer: Pacer, arrivals: Arrivals) -> Outcome<Arrivals> {
    let (place, places) = bounded(chain.capacity);
    let (done, all_arrived) = bounded(1);
    let actors = Arc::new(Actors {
        all: (0..=chain.depth).map(|_| Actor::default()).collect(),
        iters: chain.iters,
        arrivals: Mutex::new(Some(arrivals)),
        places,
        done,
    });
    thread::scope(|scope| {
        let pacing = scope.spawn(|| {
            for token in pacer {
                // Waits where the network is full.
                if place.send(()).is_ok() && actors.post(0, token) {
                    let actors = actors.clone();
                    pool.spawn(move || actors.run(0));
                }
            }
        });
        pacing.join().map_err(|_| "the pacing panicked")
    })?;
    Ok(all_arrived.recv()?)
}
