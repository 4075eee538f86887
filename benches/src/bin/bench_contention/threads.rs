//! Rows, and threads that do the same at once.

use std::sync::{Barrier, LazyLock};
use std::time::{Duration, Instant};

/// What a measurement gives, or a sentence.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// One row: what is done, by how many threads, and a function that takes a sample of it, in ns an operation.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// The sample's operations are those of all threads together, not of each.
    pub(crate) together: bool,
    pub(crate) run: Box<dyn FnMut() -> Outcome<f64>>,
}

impl Row {
    /// A row whose sample counts the operations of each thread.
    pub(crate) fn each(name: &'static str, threads: usize, run: impl FnMut() -> Outcome<f64> + 'static) -> Self {
        Self { name, threads, together: false, run: Box::new(run) }
    }

    /// A row whose sample counts the operations of all threads.
    pub(crate) fn all(name: &'static str, threads: usize, run: impl FnMut() -> Outcome<f64> + 'static) -> Self {
        Self { name, threads, together: true, run: Box::new(run) }
    }
}

/// A value on a line of its own; twice a line's length, since processors fetch pairs of lines.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Padded<T>(pub(crate) T);

/// The cores of this process. Asked for by the main thread, at the start: a bound thread sees its own core alone, and so do
/// the threads that it starts.
pub(crate) static CORES: LazyLock<Vec<core_affinity::CoreId>> =
    LazyLock::new(|| core_affinity::get_core_ids().unwrap_or_default());

/// Binds this thread to a core, the cores taken in turn. Unbound, two short-lived threads may well share one and never meet.
pub(crate) fn pin(thread: usize) {
    if !CORES.is_empty() {
        core_affinity::set_for_current(CORES[thread % CORES.len()]);
    }
}

/// Runs `work` on bound threads that begin at once; it is given the thread's number and returns how long it took.
/// Nanoseconds an operation of the slowest thread, of `ops` each.
pub(crate) fn slowest(threads: usize, ops: usize, work: impl Fn(usize) -> Duration + Sync) -> Outcome<f64> {
    let (barrier, work) = (&Barrier::new(threads), &work);
    let took: Result<Vec<Duration>, _> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    pin(thread);
                    barrier.wait();
                    work(thread)
                })
            })
            .collect();
        started.into_iter().map(|thread| thread.join()).collect()
    });
    let took = took.map_err(|_| "a thread panicked")?;
    let slowest = took.into_iter().max().unwrap_or_default();
    Ok(slowest.as_secs_f64() * 1e9 / ops as f64)
}

/// The same where the work is one operation, repeated.
pub(crate) fn repeated(threads: usize, ops: usize, op: impl Fn(usize) + Sync) -> Outcome<f64> {
    slowest(threads, ops, |thread| {
        let began = Instant::now();
        (0..ops).for_each(|_| op(thread));
        began.elapsed()
    })
}

/// # Errors
///
/// Where what was counted is not what was done.
pub(crate) fn must_be(what: &str, counted: u64, done: usize) -> Outcome<()> {
    if counted == done as u64 { Ok(()) } else { Err(format!("{what}: counted {counted} of {done}").into()) }
}
