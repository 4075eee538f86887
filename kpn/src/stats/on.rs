//! The real thing.

use super::{Reading, Wait};
use crate::sync::{AtomicU64, Duration, Instant, OnceLock, Ordering};

/// `woken` holds this while the node waits and its wait is measured: whoever schedules it leaves the time.
const WANTED: u64 = 1;

/// The counters of one node.
#[derive(Default)]
pub(crate) struct Figures(Counters);

#[derive(Default)]
struct Counters {
    firings: AtomicU64,
    activations: AtomicU64,
    empty: AtomicU64,
    busy: AtomicU64,
    on_input: AtomicU64,
    on_output: AtomicU64,
    on_outside: AtomicU64,
    for_worker: AtomicU64,
    woken: AtomicU64,
}

/// What the holder of RUN keeps from one activation to the next.
#[derive(Default)]
pub(crate) struct Meter {
    /// The wait that is being measured: since when, on what, and how many waits it stands for.
    wait: Option<(Instant, Wait, u32)>,
}

/// Adds, for a counter's only writer.
fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed).saturating_add(n), Ordering::Relaxed);
}

/// Nanoseconds since the first call in this process, and never 0 or [`WANTED`].
fn stamp(at: Instant) -> u64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    let epoch = *EPOCH.get_or_init(|| at);
    (at.saturating_duration_since(epoch).as_nanos() as u64).saturating_add(WANTED + 1)
}

impl Figures {
    /// Whoever schedules the node says so; the clock is read only for a wait that is being measured.
    #[inline]
    pub(crate) fn scheduled(&self) {
        if self.0.woken.load(Ordering::Relaxed) == WANTED {
            self.0.woken.store(stamp(Instant::now()), Ordering::Relaxed);
        }
    }

    /// An activation begins. Returns the time where it had to be read.
    pub(crate) fn begin(&self, meter: &mut Meter) -> Option<Instant> {
        let counters = &self.0;
        add(&counters.activations, 1);
        let (since, wait, weight) = meter.wait.take()?;
        let now = Instant::now();
        let whole = (now - since).as_nanos() as u64;
        let woken = counters.woken.swap(0, Ordering::Relaxed);
        let queued = if woken > WANTED { stamp(now).saturating_sub(woken).min(whole) } else { 0 };
        let counter = match wait {
            Wait::Input => &counters.on_input,
            Wait::Output => &counters.on_output,
            Wait::Outside => &counters.on_outside,
        };
        add(counter, (whole - queued).saturating_mul(u64::from(weight)));
        add(&counters.for_worker, queued.saturating_mul(u64::from(weight)));
        Some(now)
    }

    /// Firings were done.
    #[inline]
    pub(crate) fn book(&self, firings: usize, busy_ns: u64) {
        add(&self.0.firings, firings as u64);
        add(&self.0.busy, busy_ns);
        if firings == 0 {
            add(&self.0.empty, 1);
        }
    }

    /// The node is about to wait; the wait is measured where the time is known, for `weight` of its like.
    #[inline]
    pub(crate) fn block(&self, meter: &mut Meter, wait: Wait, now: Option<Instant>, weight: u32) {
        if let Some(now) = now {
            meter.wait = Some((now, wait, weight));
            self.0.woken.store(WANTED, Ordering::Relaxed);
        }
    }

    /// It did not wait after all.
    pub(crate) fn unblock(&self, meter: &mut Meter) {
        if meter.wait.take().is_some() {
            self.0.woken.store(0, Ordering::Relaxed);
        }
    }

    /// A reading, fit for a live display.
    pub(crate) fn read(&self) -> Option<Reading> {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let time = |counter| Duration::from_nanos(get(counter));
        let c = &self.0;
        Some(Reading {
            firings: get(&c.firings),
            activations: get(&c.activations),
            empty: get(&c.empty),
            busy: time(&c.busy),
            on_input: time(&c.on_input),
            on_output: time(&c.on_output),
            on_outside: time(&c.on_outside),
            for_worker: time(&c.for_worker),
        })
    }
}
