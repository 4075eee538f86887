//! What every peer is asked to do, and how its submitter waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a measurement gives, or a sentence.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A peer. Each method submits exactly as many tasks as it is told, checks that all of them ran, and returns nanoseconds a task.
pub(crate) trait Arm {
    /// One task at a time, each after `pause`: from its submission to its first instruction, a sample for each.
    fn latency(&mut self, tasks: usize, pause: Duration) -> Outcome<Vec<f64>>;

    /// Submits all, waits once.
    fn batch(&mut self, tasks: usize) -> Outcome<f64>;

    /// Keeps `live` tasks alive, each of which submits its successor; `tasks` in all, a whole number of pairs for each of them.
    fn steady(&mut self, live: usize, tasks: usize) -> Outcome<f64>;
}

/// When a task began, as its submitter sees it.
#[derive(Clone)]
pub(crate) struct Stamp {
    epoch: Instant,
    /// Nanoseconds since `epoch`; 0 while the task has not begun.
    began: Arc<AtomicU64>,
}

impl Stamp {
    pub(crate) fn new() -> Self {
        Self { epoch: Instant::now(), began: Arc::default() }
    }

    /// The task's first instruction.
    pub(crate) fn set(&self) {
        self.began.store(self.now(), Ordering::Release);
    }

    fn now(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }

    /// Samples of `submit`, whose task calls [`Stamp::set`].
    pub(crate) fn latency(
        &self,
        tasks: usize,
        pause: Duration,
        mut submit: impl FnMut() -> Outcome<()>,
    ) -> Outcome<Vec<f64>> {
        let mut one = || {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            self.began.store(0, Ordering::Relaxed);
            let submitted = self.now();
            submit()?;
            // The submitter spins, so that its own sleep and wake are not part of what is measured.
            while self.began.load(Ordering::Acquire) == 0 {
                std::hint::spin_loop();
            }
            Ok(self.began.load(Ordering::Relaxed).saturating_sub(submitted) as f64)
        };
        (0..tasks).map(|_| one()).collect()
    }
}

/// Nanoseconds a task from now, until `submit` has returned and `done` counts to `all`.
pub(crate) fn until(tasks: usize, done: &AtomicU64, all: usize, submit: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let began = Instant::now();
    submit()?;
    // Waits without taking a core from the tasks.
    while done.load(Ordering::Acquire) < all as u64 {
        std::thread::sleep(Duration::from_micros(50));
    }
    let took = began.elapsed();
    let done = done.load(Ordering::Acquire);
    if done != all as u64 {
        return Err(format!("{done} tasks ran where {all} were submitted").into());
    }
    Ok(took.as_secs_f64() * 1e9 / tasks as f64)
}
