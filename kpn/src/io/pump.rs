//! A thread that carries tokens between a queue and a channel of crossbeam's, which wakes threads only.

use std::convert::Infallible;
use std::panic::resume_unwind;

use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::handle::{Inlet, Outlet};
use crate::sync::{JoinHandle, thread};

type Work = Box<dyn FnOnce(Receiver<Infallible>) + Send>;

/// Started by its node's first activation, ended and joined when the node is dropped.
pub(super) struct Pump {
    work: Option<Work>,
    /// Dropped to end the thread wherever it waits.
    quit: Option<Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl Pump {
    fn new(work: impl FnOnce(Receiver<Infallible>) + Send + 'static) -> Self {
        Self { work: Some(Box::new(work)), quit: None, thread: None }
    }

    /// Moves what a channel receives into a network, until either end goes.
    pub(super) fn into_network<T: Send + 'static>(tokens: Receiver<T>, mut inlet: Inlet<T>) -> Self {
        Self::new(move |quit| {
            // Room comes first, so that a stop finds no token in this thread's hands while the queue is full.
            while inlet.wait_for_room() {
                let token = select! {
                    recv(tokens) -> token => token,
                    recv(quit) -> _ => return,
                };
                let Ok(token) = token else { return };
                if inlet.send(token).is_err() {
                    return;
                }
            }
        })
    }

    /// Moves what leaves a network into a channel, until either end goes.
    pub(super) fn out_of_network<T: Send + 'static>(mut outlet: Outlet<T>, tokens: Sender<T>) -> Self {
        Self::new(move |quit| {
            while let Ok(token) = outlet.recv() {
                let sent = select! {
                    send(tokens, token) -> sent => sent.is_ok(),
                    recv(quit) -> _ => false,
                };
                if !sent {
                    return;
                }
            }
        })
    }

    /// Starts the thread, the first time.
    pub(super) fn start(&mut self) -> std::io::Result<()> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let (sender, quit) = bounded(0);
        self.quit = Some(sender);
        self.thread = Some(thread::Builder::new().name("kpn-pump".to_owned()).spawn(move || work(quit))?);
        Ok(())
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.quit = None;
        // Work that never began is dropped with its ends.
        let Some(thread) = self.thread.take() else { return };
        if let Err(payload) = thread.join()
            && !thread::panicking()
        {
            // A token's `Drop` panicked there; it is the node's to report.
            resume_unwind(payload);
        }
    }
}
