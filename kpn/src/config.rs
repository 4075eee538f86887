//! Where a network runs: a shared pool, private threads, one thread that can be repeated.

use crate::failure::StartError;
use crate::runtime::pool::{self, Elastic, Workers};
use crate::runtime::shuffle::Shuffle;
use crate::sync::{Arc, Duration, cores};
use crate::tuning::Tuning;

/// A wake costs more than a spin of this length: 2 µs for the waker and 7 µs until the sleeper runs, so a worker
/// that found nothing looks round that long before it sleeps.
pub const SPIN: Duration = Duration::from_micros(4);

/// A duration in microseconds, for [`Shared::spin`] and [`Private::spin`].
pub const fn micros(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// A shared pool of workers that steal from one another: the default, sized to the machine.
///
/// Given to [`run_on`](crate::Network::run_on) it makes a pool for that run; [`Shared::build`] makes one that
/// several networks share.
///
/// ```
/// use kpn::prelude::*;
///
/// let pool = Shared::new().workers(2).build()?;
/// for n in [10u64, 20] {
///     let mut sum = 0;
///     network! { source(0..n) -> sink(|x| sum += x) }?.run_on(&pool)?;
///     assert_eq!(sum, n * (n - 1) / 2);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shared {
    workers: Option<usize>,
    spin: Option<Duration>,
    pin: bool,
    elastic: Elastic,
    shuffled: Option<u64>,
    tuning: Tuning,
}

impl Shared {
    /// A worker a core that this process may use, cgroup limits respected.
    pub fn new() -> Self {
        Self::default()
    }

    /// That many workers, 1 to 65,535.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = Some(workers);
        self
    }

    /// How long a worker without work looks round before it sleeps; [`SPIN`] where nothing is said, nothing
    /// where the workers outnumber the cores.
    pub fn spin(mut self, spin: Duration) -> Self {
        self.spin = Some(spin);
        self
    }

    /// Binds each worker to a core of its own.
    pub fn pin_cores(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    /// Whether nodes without state may fire on several workers at once, their outputs in the order of their inputs; they do
    /// unless this says `false`. A single node says so by [`Refine::serial`](crate::node::Refine::serial).
    pub fn elastic(mut self, elastic: bool) -> Self {
        self.elastic = if elastic { Elastic::WhereWorth } else { Elastic::Never };
        self
    }

    /// Lets them do so whenever there is a token, by single firings, to shake schedules. Slower.
    #[doc(hidden)]
    pub fn always_elastic(mut self) -> Self {
        self.elastic = Elastic::Always;
        self
    }

    /// Chooses by chance what runs next and how much of it, to shake schedules. Slower, and several workers can't be repeated.
    #[doc(hidden)]
    pub fn shuffled(mut self, seed: u64) -> Self {
        self.shuffled = Some(seed);
        self
    }

    /// Other constants than those that serve best, to show what they buy.
    #[doc(hidden)]
    pub fn tuned(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Starts the workers.
    ///
    /// # Errors
    ///
    /// Where the number of workers is out of range, or the system gives no thread.
    pub fn build(self) -> Result<ThreadPool, StartError> {
        self.start().map(ThreadPool)
    }

    fn start(self) -> Result<Arc<Workers>, StartError> {
        const MOST: usize = u16::MAX as usize;
        let workers = self.workers.unwrap_or_else(|| cores().min(MOST));
        if !(1..=MOST).contains(&workers) {
            return Err(StartError::Workers { asked: workers, most: MOST });
        }
        Workers::start(
            workers,
            spin_for(self.spin, workers),
            self.pin,
            self.elastic,
            self.shuffled.map(Shuffle::many),
            self.tuning,
        )
    }
}

/// A spin helps nobody where another thread could use the core.
pub(crate) fn spin_for(asked: Option<Duration>, threads: usize) -> Duration {
    asked.unwrap_or(if threads > cores() { Duration::ZERO } else { SPIN })
}

/// A pool that several networks share. Dropped, it aborts what still runs on it and joins its workers.
#[derive(Debug)]
pub struct ThreadPool(Arc<Workers>);

impl ThreadPool {
    /// How many workers it has.
    pub fn workers(&self) -> usize {
        self.0.size
    }

    /// How often one of its workers was woken to share in the work, since the pool was made. A wake costs microseconds, so
    /// networks that keep their workers busy have few a token.
    pub fn wakes(&self) -> u64 {
        self.0.sleep.wakes()
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A thread a node. It is the better choice for nodes that block or must run on a certain core, and where there
/// are no more nodes than cores and every edge is busy; elsewhere the pool is quicker.
#[derive(Clone, Debug, Default)]
pub struct Private {
    spin: Option<Duration>,
}

impl Private {
    /// A thread a node.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long a thread without work looks round before it sleeps; [`SPIN`] where nothing is said, nothing
    /// where the threads outnumber the cores.
    pub fn spin(mut self, spin: Duration) -> Self {
        self.spin = Some(spin);
        self
    }
}

/// One thread that makes seeded choices, in virtual time: the same seed gives the same schedule, so that a run can be
/// repeated. The nodes' code is the one that runs elsewhere.
///
/// Which ready node runs next, how many firings it gets and when it hands on its tokens is left to the seed; other seeds
/// give other schedules. Time stands still while a node can run, and then goes on to the first moment that one of them waits
/// for (see [`nondet::sleep`](crate::nondet::sleep)), so nobody waits for real. Nodes that ask for a thread of their own run on the one that
/// there is, so none may wait inside its own code for another one's effect. Repeated is what comes from the network alone: not
/// what threads outside of it send or wake, nor what a node learns from the system. A report has no times of nodes.
///
/// ```
/// use kpn::prelude::*;
///
/// fn schedule(seed: u64) -> Result<Option<u64>, Box<dyn std::error::Error>> {
///     let net = network! { source(0..99u32) -> { map(|x| x + 1), map(|x| x * 2) } -> gather() -> sink(|_: [_; 2]| ()) }?;
///     Ok(net.run_on(Deterministic::new(seed))?.schedule)
/// }
/// assert_eq!(schedule(1)?, schedule(1)?);
/// assert_ne!(schedule(1)?, schedule(2)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deterministic {
    seed: u64,
}

impl Deterministic {
    /// The schedule of this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Its seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

/// Where a network is to run.
#[derive(Debug)]
pub(crate) enum Place {
    Pool {
        workers: Arc<Workers>,
        /// The pool ends with the network.
        owned: bool,
    },
    Private {
        spin: Option<Duration>,
    },
}

/// What a network can run on: [`Shared`], [`Private`], [`Deterministic`], or a `&`[`ThreadPool`].
#[diagnostic::on_unimplemented(
    message = "a network can't run on `{Self}`",
    note = "it runs on `Shared::new()`, on `Private::new()`, or on a pool: `&Shared::new().build()?`"
)]
pub trait Executor: sealed::Sealed {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "sealed")]
    fn place(self) -> Result<Place, StartError>;
}

#[expect(private_interfaces, reason = "sealed")]
impl Executor for Shared {
    fn place(self) -> Result<Place, StartError> {
        Ok(Place::Pool { workers: self.start()?, owned: true })
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl Executor for &ThreadPool {
    fn place(self) -> Result<Place, StartError> {
        Ok(Place::Pool { workers: self.0.clone(), owned: false })
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl Executor for Private {
    fn place(self) -> Result<Place, StartError> {
        Ok(Place::Private { spin: self.spin })
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl Executor for Deterministic {
    fn place(self) -> Result<Place, StartError> {
        // By single firings for every other seed: what a claim does to a schedule is part of what is tried.
        let elastic = if self.seed.is_multiple_of(2) { Elastic::Never } else { Elastic::Always };
        let workers =
            Workers::start(1, Duration::ZERO, false, elastic, Some(Shuffle::alone(self.seed)), Tuning::default())?;
        Ok(Place::Pool { workers, owned: true })
    }
}

/// The default pool, one for the process, sized to the machine; started when first used.
pub(crate) fn default_place() -> Result<Place, StartError> {
    Ok(Place::Pool { workers: pool::default_pool()?, owned: false })
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
    impl Sealed for &super::ThreadPool {}
    impl Sealed for super::Private {}
    impl Sealed for super::Deterministic {}
}
