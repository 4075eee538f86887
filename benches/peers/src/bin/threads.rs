//! A thread a node. `xbeam`: crossbeam's bounded channel. `rtrb`: a ring, a short spin, then a park.

use std::thread;

use peers::{Config, Sink, Topology, measure, node, unsupported};

/// The writing end of an edge.
trait Output: Send + 'static {
    fn send(&mut self, token: u64);
}

/// The reading end; `None` after the writer has gone and the edge is empty.
trait Input: Send + 'static {
    fn recv(&mut self) -> Option<u64>;
}

impl Output for crossbeam_channel::Sender<u64> {
    fn send(&mut self, token: u64) {
        // A reader that is gone ends the network early, which the sink's sum shows.
        let _ = crossbeam_channel::Sender::send(self, token);
    }
}

impl Input for crossbeam_channel::Receiver<u64> {
    fn recv(&mut self) -> Option<u64> {
        crossbeam_channel::Receiver::recv(self).ok()
    }
}

/// A node that reads one token of each input and sends the result to each output.
fn spawn<O: Output, I: Input>(mut inputs: Vec<I>, mut outputs: Vec<O>, iters: u64) {
    thread::spawn(move || {
        while let Some(token) = gather(&mut inputs) {
            let token = node(token, iters);
            outputs.iter_mut().for_each(|output| output.send(token));
        }
    });
}

fn gather<I: Input>(inputs: &mut [I]) -> Option<u64> {
    inputs.iter_mut().try_fold(0u64, |sum, input| input.recv().map(|token| sum.wrapping_add(token)))
}

/// The calling thread is the sink.
fn network<O: Output, I: Input>(config: &Config, n: u64, edge: impl Fn() -> (O, I)) -> Sink {
    let iters = config.iters;
    let edges = |count: usize| -> (Vec<O>, Vec<I>) { (0..count).map(|_| edge()).unzip() };
    let (mut source, mut last);
    match config.topology {
        Topology::Chain(depth) => {
            (source, last) = edges(1);
            for _ in 0..depth {
                let (output, next) = edges(1);
                spawn(std::mem::replace(&mut last, next), output, iters);
            }
        }
        Topology::Wide(width) => {
            let (copies, inputs) = edges(width);
            let (outputs, joined) = edges(width);
            for (input, output) in inputs.into_iter().zip(outputs) {
                spawn(vec![input], vec![output], iters);
            }
            (source, last) = (copies, joined);
        }
        Topology::Diamond => {
            let (first, a_input) = edges(1);
            let (a_outputs, branch_inputs) = edges(2);
            let (branch_outputs, d_inputs) = edges(2);
            let (d_output, end) = edges(1);
            spawn(a_input, a_outputs, iters);
            for (input, output) in branch_inputs.into_iter().zip(branch_outputs) {
                spawn(vec![input], vec![output], iters);
            }
            spawn(d_inputs, d_output, iters);
            (source, last) = (first, end);
        }
    }
    thread::spawn(move || (0..n).for_each(|item| source.iter_mut().for_each(|output| output.send(item))));
    let mut sink = Sink::new(config.topology);
    while let Some(token) = gather(&mut last) {
        sink.take(token);
    }
    sink
}

/// A ring whose ends park: each spins a little, then says that it waits.
mod ring {
    use std::sync::atomic::{AtomicBool, Ordering, fence};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::thread::{self, Thread};

    use super::{Input, Output};

    const SPINS: usize = 64;

    #[derive(Default)]
    struct Waiter {
        waits: AtomicBool,
        thread: Mutex<Option<Thread>>,
    }

    impl Waiter {
        fn thread(&self) -> MutexGuard<'_, Option<Thread>> {
            self.thread.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Returns when `ready` holds; `wake` must follow whatever makes it so.
        fn wait(&self, mut ready: impl FnMut() -> bool) {
            for _ in 0..SPINS {
                if ready() {
                    return;
                }
                std::hint::spin_loop();
            }
            *self.thread() = Some(thread::current());
            loop {
                self.waits.store(true, Ordering::Relaxed);
                // With the fence in `wake`: either this side sees the ring's change, or that side sees the wait.
                fence(Ordering::SeqCst);
                if ready() {
                    break;
                }
                thread::park();
            }
            self.waits.store(false, Ordering::Relaxed);
        }

        fn wake(&self) {
            fence(Ordering::SeqCst);
            if self.waits.load(Ordering::Relaxed)
                && self.waits.swap(false, Ordering::Relaxed)
                && let Some(thread) = self.thread().as_ref()
            {
                thread.unpark();
            }
        }
    }

    #[derive(Default)]
    struct Waiters {
        reader: Waiter,
        writer: Waiter,
    }

    pub(super) struct Sender {
        ring: rtrb::Producer<u64>,
        waiters: Arc<Waiters>,
    }

    pub(super) struct Receiver {
        ring: rtrb::Consumer<u64>,
        waiters: Arc<Waiters>,
        half: usize,
    }

    pub(super) fn edge(cap: usize) -> (Sender, Receiver) {
        let (producer, consumer) = rtrb::RingBuffer::new(cap);
        let waiters = Arc::new(Waiters::default());
        let sender = Sender { ring: producer, waiters: waiters.clone() };
        (sender, Receiver { ring: consumer, waiters, half: cap / 2 })
    }

    impl Output for Sender {
        fn send(&mut self, token: u64) {
            if self.ring.is_full() {
                self.waiters.writer.wait(|| !self.ring.is_full());
            }
            let _ = self.ring.push(token);
            self.waiters.reader.wake();
        }
    }

    impl Drop for Sender {
        fn drop(&mut self) {
            // The reader learns of the end when the ring's half is dropped, which must be before it is woken.
            let (stand_in, _) = rtrb::RingBuffer::new(1);
            drop(std::mem::replace(&mut self.ring, stand_in));
            self.waiters.reader.wake();
        }
    }

    impl Input for Receiver {
        fn recv(&mut self) -> Option<u64> {
            if self.ring.is_empty() {
                self.waiters.reader.wait(|| !self.ring.is_empty() || self.ring.is_abandoned());
            }
            let token = self.ring.pop().ok()?;
            // A blocked writer is woken when half the ring is free: one wake for many tokens.
            if self.ring.slots() <= self.half {
                self.waiters.writer.wake();
            }
            Some(token)
        }
    }
}

fn main() {
    let config = Config::from_args();
    match config.peer.as_str() {
        "xbeam" => measure(&config, |config, n| network(config, n, || crossbeam_channel::bounded::<u64>(config.cap))),
        "rtrb" => measure(&config, |config, n| network(config, n, || ring::edge(config.cap))),
        _ => unsupported(),
    }
}
