//! Whether a network is determinate: whether every schedule gives the same tokens on every edge.
//!
//! A Kahn network is determinate by construction, as long as its nodes' results depend on their tokens alone. Rust code can
//! break that: with a clock, a global variable, a lock, the number of the thread. [`determinate`] runs a network many times, on
//! seeded schedules that can be repeated, on pools, with nodes without state on one worker and on several at once, on private
//! threads, with small and large capacities, and compares the history of every output, token by token. It names the first edge that differs in the order of the graph, so the node at
//! fault.
//!
//! Where all readers of an output leave early, how much its writer still gives depends on time; nobody reads that, so there
//! the histories' common beginnings are compared. The nodes must be fit for [`Deterministic`](crate::Deterministic): none may
//! wait in its own code for what another one does.
//!
//! ```
//! use kpn::prelude::*;
//!
//! fn my_network() -> Result<Network<'static>, BuildError> {
//!     network! { source(0..100u64) -> { map(|x| x + 1), map(|x| x * x) } -> gather() -> sink(|_: [u64; 2]| ()) }
//! }
//!
//! # fn test() {
//! kpn::verify::determinate(my_network).assert();
//! # }
//! # test();
//! ```

mod compare;
mod difference;
mod runs;
mod setting;

use std::fmt;
use std::hash::Hash;
use std::ops::Range;

pub use difference::{Difference, Proof, What};
pub use setting::{Capacity, Place, Setting};

use crate::history::{Probe, Probes, hash_of};
use crate::net::Network;
use crate::node::Token;
use runs::Runs;

/// What the closure of [`determinate`] may return: a network, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "a network is verified that a closure makes anew for each run, but this one makes `{Self}`",
    note = "it returns a `Network<'static>`, or a `Result` of one"
)]
pub trait Networks {
    #[doc(hidden)]
    fn network(self) -> Result<Network<'static>, String>;
}

impl Networks for Network<'static> {
    fn network(self) -> Result<Network<'static>, String> {
        Ok(self)
    }
}

impl<E: fmt::Display> Networks for Result<Network<'static>, E> {
    fn network(self) -> Result<Network<'static>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// Verifies the network that a closure makes, which is called once for each run. Nothing happens before
/// [`Verification::assert`] or [`Verification::run`].
///
/// ```should_panic
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use kpn::prelude::*;
///
/// static SHARED: AtomicU64 = AtomicU64::new(0);
///
/// kpn::verify::determinate(|| {
///     let number = |_: u64| SHARED.fetch_add(1, Ordering::Relaxed);
///     network! { source(0..10u64) -> { map(number), map(number) } -> gather() -> sink(|_: [u64; 2]| ()) }
/// })
/// .assert(); // panics, and names `map.out`
/// ```
pub fn determinate<'m, N: Networks>(make: impl FnMut() -> N + 'm) -> Verification<'m> {
    let mut make = make;
    Verification {
        make: Box::new(move || make().network()),
        seeds: 1..13,
        workers: vec![1, 2, 4],
        capacities: vec![1, 2],
        threads: true,
        may_fail: false,
        probes: Probes::default(),
    }
}

/// What is to be verified, and how thoroughly; made by [`determinate`].
///
/// Tokens are told apart by what the standard types hold, floats bit by bit; else, where the type stands at a port of a `#[node]`,
/// by its `Hash`, or by what its `Debug` shows; or as [`Verification::tokens`] says, which is needed where `Debug` shows more than
/// the value, as an address or the order of a hash map. Others are only counted, and the [`Proof`] names their types.
#[must_use = "nothing is verified before `assert` or `run`"]
pub struct Verification<'m> {
    make: Box<dyn FnMut() -> Result<Network<'static>, String> + 'm>,
    seeds: Range<u64>,
    workers: Vec<usize>,
    capacities: Vec<usize>,
    threads: bool,
    may_fail: bool,
    probes: Probes,
}

impl fmt::Debug for Verification<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seeds, workers, capacities, .. } = self;
        f.debug_struct("Verification")
            .field("seeds", seeds)
            .field("workers", workers)
            .field("capacities", capacities)
            .finish_non_exhaustive()
    }
}

impl Verification<'_> {
    /// How many seeded schedules on one thread; 12 where nothing is said.
    pub fn seeds(mut self, seeds: u64) -> Self {
        self.seeds = 1..seeds.saturating_add(1);
        self
    }

    /// Pools of these sizes; 1, 2 and 4 where nothing is said.
    pub fn workers(mut self, workers: impl IntoIterator<Item = usize>) -> Self {
        self.workers = workers.into_iter().collect();
        self
    }

    /// Capacities that all edges get, besides those that the network was built with; 1 and 2 where nothing is said. An edge whose
    /// ports need more gets that. Where one is too small for the network, edges grow.
    pub fn capacities(mut self, capacities: impl IntoIterator<Item = usize>) -> Self {
        self.capacities = capacities.into_iter().collect();
        self
    }

    /// Runs nothing but the schedule of this seed, which a [`Difference`] names, to be compared with the first run. The capacities must
    /// be those that were said then.
    pub fn replay(mut self, seed: u64) -> Self {
        self.seeds = seed..seed.saturating_add(1);
        self.workers.clear();
        self.threads = false;
        self
    }

    /// The network may fail, if it does so in every run. How much its edges still give then depends on time, so the histories'
    /// common beginnings are compared.
    pub fn may_fail(mut self) -> Self {
        self.may_fail = true;
        self
    }

    /// Tells tokens of type `T` apart by their hash.
    ///
    /// ```
    /// use kpn::prelude::*;
    ///
    /// #[derive(Clone, Hash)]
    /// struct Frame(Vec<u8>);
    ///
    /// let proof = kpn::verify::determinate(|| network! { source(vec![Frame(vec![1]); 9]) -> sink(|_: Frame| ()) })
    ///     .tokens::<Frame>()
    ///     .run()?;
    /// assert!(proof.counted.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokens<T: Token + Hash>(self) -> Self {
        self.tokens_by::<T>(hash_of)
    }

    /// Tells tokens of type `T` apart by what this function gives.
    pub fn tokens_by<T: Token>(mut self, hash: fn(&T) -> u64) -> Self {
        self.probes.add(Probe { hash, text: None });
        self
    }

    /// Runs the network again and again.
    ///
    /// # Errors
    ///
    /// The first run that differs from the first of all; or where the network fails, unless it may; or where a process looked
    /// at more than its tokens, so that it might have differed.
    pub fn run(self) -> Result<Proof, Difference> {
        Runs::new(self)?.all()
    }

    /// The same for tests.
    ///
    /// # Panics
    ///
    /// With the [`Difference`] in words.
    #[track_caller]
    pub fn assert(self) {
        if let Err(difference) = self.run() {
            panic!("{difference}");
        }
    }
}
