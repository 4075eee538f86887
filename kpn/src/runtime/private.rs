//! A thread for one node, by the same word: scheduled means unparked.

use super::drive::Driver;
use super::life::Net;
use super::task::TaskRef;
use crate::sync::{Arc, Duration, Instant, JoinHandle, Parker, spin_hint, thread};

/// How one node's thread is to be.
pub(crate) struct Terms {
    pub(crate) parker: Parker,
    pub(crate) spin: Duration,
    pub(crate) core: Option<usize>,
}

/// Starts the thread of one task of a network.
pub(crate) fn spawn(net: &Arc<Net>, this: TaskRef, terms: Terms) -> std::io::Result<JoinHandle<()>> {
    let net = net.clone();
    // Linux shows fifteen bytes of it.
    // SAFETY: the caller's network owns the task.
    let name: String = unsafe { this.get() }.name.chars().filter(|c| *c != '\0').take(32).collect();
    thread::Builder::new().name(name).spawn(move || {
        if let Some(core) = terms.core {
            pin(core);
        }
        let _net = net;
        // SAFETY: the thread has the network.
        let task = unsafe { this.get() };
        let mut driver = Driver::default();
        while !task.word.is_done() {
            if task.word.is_scheduled() {
                driver.drive(this);
            } else if !spin(terms.spin, || task.word.is_scheduled()) {
                // An unpark between the look and the park is kept by the parker, so none is lost.
                terms.parker.park();
            }
        }
    })
}

/// How often a thread lets others run before it parks, where there are more of them than cores.
const YIELDS: u32 = if cfg!(loom) { 0 } else { 4 };

/// Looks round for a while; true as soon as `there`. Without a time to spin others may need this core to make what is waited
/// for: they get it, a few times, which costs less than a park and a wake where they are quick.
fn spin(time: Duration, there: impl Fn() -> bool) -> bool {
    if time.is_zero() {
        return (0..YIELDS).any(|_| {
            thread::yield_now();
            there()
        });
    }
    let began = Instant::now();
    loop {
        for _ in 0..16 {
            if there() {
                return true;
            }
            spin_hint();
        }
        if began.elapsed() > time {
            return false;
        }
    }
}

/// Binds this thread to the core with this number among those that the process may use.
pub(crate) fn pin(core: usize) {
    let ids = core_affinity::get_core_ids().unwrap_or_default();
    let bound = ids.get(core).is_some_and(|id| core_affinity::set_for_current(*id));
    if !bound {
        tracing::warn!(core, cores = ids.len(), "a thread can't be bound to this core, so it stays unbound");
    }
}
