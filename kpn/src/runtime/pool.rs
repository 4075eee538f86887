//! The shared pool: workers, their loop, and how it ends.

use super::core::{self, Core};
use super::drive::Driver;
use super::inside::Inside;
use super::lanes::Lanes;
use super::life::Net;
use super::shuffle::Shuffle;
use super::sleep::{Parked, Sleep};
use super::suspects::Suspects;
use super::task::TaskRef;
use crate::failure::StartError;
use crate::node::Help;
use crate::sync::deque::{Stealer, Worker};
use crate::sync::{
    Arc, AtomicBool, AtomicUsize, Duration, Instant, JoinHandle, Mutex, Ordering, Parker, Weak, cores, forget_finished,
    spin_hint, thread,
};
use crate::tuning::Tuning;

/// So many workers may be blocked in `run` or `wait` of other networks at once.
const SPARES: usize = 256;

/// Whether nodes without state may fire on several workers at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Elastic {
    Never,
    /// Where it is worth it.
    #[default]
    WhereWorth,
    /// Whenever there is a token: for tests.
    Always,
}

/// What the workers of a pool share.
pub(crate) struct Workers {
    pub(crate) stealers: Box<[Stealer<TaskRef>]>,
    pub(crate) lanes: Lanes,
    pub(crate) sleep: Sleep,
    pub(crate) suspects: Suspects,
    pub(crate) size: usize,
    /// Chooses what runs next in the place of the queues' order.
    pub(crate) shuffle: Option<Shuffle>,
    /// Where the workers are: a fork has a copy of this, but no workers.
    process: u32,
    spin: Duration,
    pin: bool,
    elastic: Elastic,
    pub(crate) tuning: Tuning,
    shutdown: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Threads that gave their core away and still run.
    spares: AtomicUsize,
    /// The networks that run here, for the pool's end.
    nets: Mutex<Vec<Weak<Net>>>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Workers {
    /// Starts `size` workers.
    pub(crate) fn start(
        size: usize,
        spin: Duration,
        pin: bool,
        elastic: Elastic,
        shuffle: Option<Shuffle>,
        tuning: Tuning,
    ) -> Result<Arc<Self>, StartError> {
        let queues: Vec<Worker<TaskRef>> = (0..size).map(|_| Worker::new_fifo()).collect();
        let parkers: Vec<Parker> = (0..size).map(|_| Parker::new()).collect();
        let shared = Arc::new(Self {
            stealers: queues.iter().map(Worker::stealer).collect(),
            lanes: Lanes::default(),
            sleep: Sleep::new(parkers.iter().map(|parker| parker.unparker().clone()).collect(), tuning.one_searcher),
            suspects: Suspects::default(),
            size,
            shuffle,
            process: std::process::id(),
            spin,
            pin,
            elastic,
            tuning,
            shutdown: AtomicBool::new(false),
            threads: Mutex::new(Vec::new()),
            spares: AtomicUsize::new(0),
            nets: Mutex::new(Vec::new()),
        });
        for (index, (queue, parker)) in queues.into_iter().zip(parkers).enumerate() {
            let core = Box::new(Core::new(shared.clone(), index, parker, queue));
            if let Err(error) = spawn(core) {
                shared.end();
                return Err(error);
            }
        }
        Ok(shared)
    }

    /// # Errors
    ///
    /// Where this process is a fork of the one that has the workers.
    pub(crate) fn check_process(&self) -> Result<(), StartError> {
        if self.process == std::process::id() { Ok(()) } else { Err(StartError::Forked) }
    }

    /// Whether there is one worker and all that it does follows from a seed.
    pub(crate) fn is_alone(&self) -> bool {
        self.shuffle.as_ref().is_some_and(Shuffle::is_alone)
    }

    /// How many claims of one node may be open at once.
    pub(crate) fn most_claims(&self) -> usize {
        match self.elastic {
            Elastic::Never => 1,
            Elastic::WhereWorth if self.size == 1 => 1,
            _ => 2 * self.size,
        }
    }

    /// On which terms a worker may help another one with a node.
    pub(super) fn help(&self) -> Option<Help> {
        let (workers, always) = (self.size, self.elastic == Elastic::Always);
        (self.most_claims() > 1).then(|| Help { workers, idle: self.sleep.is_anyone_idle(), always })
    }

    pub(crate) fn adopt(&self, net: &Arc<Net>) {
        let mut nets = self.nets.lock();
        nets.retain(|net| net.strong_count() > 0);
        nets.push(Arc::downgrade(net));
    }

    /// Aborts what still runs, waits for it, and joins the workers. A node of one of these networks, on a worker or
    /// on a thread of its own, would wait for itself, so there another thread does it.
    pub(crate) fn end(self: &Arc<Self>) {
        let nets: Vec<_> = self.nets.lock().iter().filter_map(Weak::upgrade).collect();
        nets.iter().for_each(|net| net.abort());
        let itself = nets.iter().any(|net| Inside::is(net.id));
        // A worker of another pool gives its core away first: what is waited for may need it.
        if itself || blocking(|| self.join()).is_err() {
            let shared = self.clone();
            // Without a thread the workers stay, idle and parked: nothing is lost but they.
            let _ = thread::Builder::new().name("kpn-pool-end".to_owned()).spawn(move || shared.join());
        }
    }

    /// Waits for all networks, closes and joins.
    fn join(&self) {
        let nets: Vec<_> = self.nets.lock().drain(..).filter_map(|net| net.upgrade()).collect();
        nets.iter().for_each(|net| net.wait_until_ended());
        self.close();
        self.join_threads();
    }

    /// Lets the workers go as soon as they find nothing to do; their networks have ended.
    pub(crate) fn close(&self) {
        // Release: partner of the acquire in `anything`.
        self.shutdown.store(true, Ordering::Release);
        self.sleep.wake_all();
        if let Some(shuffle) = &self.shuffle {
            shuffle.begin();
        }
    }

    /// Joins the workers of a closed pool.
    pub(crate) fn join_threads(&self) {
        loop {
            let Some(worker) = self.threads.lock().pop() else { break };
            // A worker catches what user code throws, so a panic here is one of ours; it was printed.
            let _ = worker.join();
        }
    }

    /// Is there anything to do for a worker about to park?
    fn anything(&self) -> bool {
        // SeqCst fences around this are the caller's; see `Sleep::park`.
        self.shutdown.load(Ordering::Acquire) || !self.queues_empty()
    }

    fn queues_empty(&self) -> bool {
        self.lanes.is_empty() && self.stealers.iter().all(Stealer::is_empty)
    }
}

/// Starts a thread that owns `core`.
fn spawn(core: Box<Core>) -> Result<(), StartError> {
    let shared = core.pool.clone();
    let name = format!("kpn-worker-{}", core.index);
    let worker = thread::Builder::new().name(name).spawn(move || work(core)).map_err(StartError::thread)?;
    shared.threads.lock().push(worker);
    Ok(())
}

/// A worker's life.
fn work(core: Box<Core>) {
    if core.pool.pin {
        super::private::pin(core.index);
    }
    let shared = core.pool.clone();
    core::install(core);
    if let Some(shuffle) = &shared.shuffle {
        shuffle.wait_to_begin();
    }
    let mut driver = Driver::new(shared.tuning);
    // Without a core another thread has taken over: `blocking` gave it away.
    while let Some(Some(task)) = core::with(|core| core.map(|core| core.next().or_else(|| idle(core, &shared)))) {
        driver.drive(task);
    }
    if core::take().is_none() {
        shared.spares.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Searches, then parks, until there is a task; `None` at the pool's end.
fn idle(core: &Core, shared: &Workers) -> Option<TaskRef> {
    let me = core.index as u16;
    while shared.suspects.any() {
        shared.suspects.examine();
        // It may have woken somebody, who is in the own queue then.
        if let Some(task) = core.next() {
            return Some(task);
        }
    }
    shared.sleep.start_search();
    loop {
        if let Some(task) = search(core, shared) {
            shared.sleep.stop_search(core.queue_is_empty(), || shared.queues_empty());
            return Some(task);
        }
        if shared.shutdown.load(Ordering::Acquire) {
            return None;
        }
        if shared.sleep.park(me, || shared.anything()) == Parked::Park {
            while !shared.sleep.is_awake(me) {
                core.parker.park();
            }
        }
    }
}

/// Looks round for the spin time: a wake costs more than that.
fn search(core: &Core, shared: &Workers) -> Option<TaskRef> {
    let found = core.search();
    if found.is_some() || shared.spin.is_zero() {
        return found;
    }
    let began = Instant::now();
    loop {
        for _ in 0..16 {
            spin_hint();
        }
        let found = core.search();
        if found.is_some() || shared.shutdown.load(Ordering::Relaxed) || began.elapsed() > shared.spin {
            return found;
        }
    }
}

/// Runs `wait`, which may block. On a worker another thread takes over its core first, so that the pool
/// stays as large as it was.
///
/// # Errors
///
/// Where too many workers are blocked already, or no thread can be had.
pub(crate) fn blocking<R>(wait: impl FnOnce() -> R) -> Result<R, StartError> {
    let Some(core) = core::take() else { return Ok(wait()) };
    if core.pool.is_alone() {
        // What runs beside it could not be repeated.
        core::install(core);
        return Ok(wait());
    }
    let shared = core.pool.clone();
    if shared.spares.fetch_add(1, Ordering::Relaxed) >= SPARES {
        shared.spares.fetch_sub(1, Ordering::Relaxed);
        core::install(core);
        return Err(StartError::TooManyBlocked { most: SPARES });
    }
    // The core travels in a box that both sides can reach, so that it isn't lost where no thread can be had.
    let parcel = Arc::new(Mutex::new(Some(core)));
    let theirs = parcel.clone();
    let name = "kpn-worker-spare".to_owned();
    let spawned = thread::Builder::new().name(name).spawn(move || {
        let core = theirs.lock().take();
        if let Some(core) = core {
            work(core);
        }
    });
    match spawned {
        Ok(worker) => {
            {
                let mut threads = shared.threads.lock();
                // Those that waited have gone since; the system keeps a thread's stack until somebody lets go of it.
                forget_finished(&mut threads);
                threads.push(worker);
            }
            Ok(wait())
        }
        Err(error) => {
            shared.spares.fetch_sub(1, Ordering::Relaxed);
            if let Some(core) = parcel.lock().take() {
                core::install(core);
            }
            Err(StartError::thread(error))
        }
    }
}

/// The pool of the process.
///
/// # Errors
///
/// Where it can't be started.
pub(crate) fn default_pool() -> Result<Arc<Workers>, StartError> {
    static DEFAULT: Mutex<Option<Arc<Workers>>> = Mutex::new(None);
    let mut pool = DEFAULT.lock();
    if let Some(workers) = &*pool {
        return Ok(workers.clone());
    }
    let workers = Workers::start(
        cores().min(usize::from(u16::MAX)),
        crate::config::SPIN,
        false,
        Elastic::default(),
        None,
        Tuning::default(),
    )?;
    Ok(pool.insert(workers).clone())
}
