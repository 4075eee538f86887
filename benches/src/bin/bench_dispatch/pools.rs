//! The rivals: pools that run closures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::arm::{Arm, Outcome, Stamp, until};

/// A handle that hands closures to a pool.
pub(crate) trait Submit: Clone + Send + 'static {
    fn submit(&self, task: impl FnOnce() + Send + 'static);
}

/// A pool, and a handle to it.
pub(crate) struct Pool<S, P> {
    // Before the pool: where this is the last handle, the pool learns from its going that it is to end.
    handle: S,
    _pool: P,
}

impl Submit for Arc<rayon::ThreadPool> {
    fn submit(&self, task: impl FnOnce() + Send + 'static) {
        self.spawn(task);
    }
}

impl Submit for tokio::runtime::Handle {
    fn submit(&self, task: impl FnOnce() + Send + 'static) {
        self.spawn(async move { task() });
    }
}

type Task = Box<dyn FnOnce() + Send>;

impl Submit for Sender<Task> {
    fn submit(&self, task: impl FnOnce() + Send + 'static) {
        // Fails only after the pool's end, when nobody waits for the task.
        let _ = self.send(Box::new(task));
    }
}

/// rayon's own pool.
pub(crate) fn rayon(workers: usize) -> Outcome<Pool<Arc<rayon::ThreadPool>, ()>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build()?;
    Ok(Pool { handle: Arc::new(pool), _pool: () })
}

/// tokio's runtime of several threads.
pub(crate) fn tokio(workers: usize) -> Outcome<Pool<tokio::runtime::Handle, tokio::runtime::Runtime>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build()?;
    Ok(Pool { handle: runtime.handle().clone(), _pool: runtime })
}

/// Threads that are joined at the end.
pub(crate) struct Threads(Vec<JoinHandle<()>>);

impl Drop for Threads {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            // A panic there has been printed; the tasks of this program have none.
            let _ = thread.join();
        }
    }
}

/// The classic hand-made pool: threads on one unbounded channel of boxed closures.
pub(crate) fn channel(workers: usize) -> Outcome<Pool<Sender<Task>, Threads>> {
    let (sender, tasks) = crossbeam_channel::unbounded::<Task>();
    let mut threads = Threads(Vec::new());
    for _ in 0..workers {
        let tasks = tasks.clone();
        threads.0.push(std::thread::Builder::new().spawn(move || tasks.iter().for_each(|task| task()))?);
    }
    Ok(Pool { handle: sender, _pool: threads })
}

impl<S: Submit, P> Arm for Pool<S, P> {
    fn latency(&mut self, tasks: usize, pause: Duration) -> Outcome<Vec<f64>> {
        let stamp = Stamp::new();
        stamp.latency(tasks, pause, || {
            let stamp = stamp.clone();
            self.handle.submit(move || stamp.set());
            Ok(())
        })
    }

    fn batch(&mut self, tasks: usize) -> Outcome<f64> {
        let done = Arc::new(AtomicU64::new(0));
        until(tasks, &done, tasks, || {
            for _ in 0..tasks {
                let done = done.clone();
                self.handle.submit(move || {
                    done.fetch_add(1, Ordering::Release);
                });
            }
            Ok(())
        })
    }

    fn steady(&mut self, live: usize, tasks: usize) -> Outcome<f64> {
        let done = Arc::new(AtomicU64::new(0));
        until(tasks, &done, live, || {
            (0..live).for_each(|_| submit_next(&self.handle, tasks / live, &done));
            Ok(())
        })
    }
}

/// Submits a task that submits the next one, `left` in all; the last one counts in `done`.
fn submit_next<S: Submit>(pool: &S, left: usize, done: &Arc<AtomicU64>) {
    let (next, done) = (pool.clone(), done.clone());
    pool.submit(move || {
        if left > 1 {
            submit_next(&next, left - 1, &done);
        } else {
            done.fetch_add(1, Ordering::Release);
        }
    });
}
