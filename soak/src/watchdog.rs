//! Aborts the process when an iteration hangs, with what there is to know.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cases::Case;

/// What is going on.
#[derive(Clone, Debug)]
struct State {
    case: Case,
    iteration: u64,
    phase: String,
    seed: u64,
    since: Instant,
}

/// Watches the iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watchdog(Arc<Mutex<Option<State>>>);

impl Watchdog {
    /// Starts to watch: an iteration may take so long.
    pub(crate) fn start(patience: Duration) -> Self {
        let watchdog = Self::default();
        let watched = watchdog.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(patience.min(Duration::from_secs(1)));
                let hangs = watched.get().is_some_and(|state| state.since.elapsed() > patience);
                if hangs {
                    crate::say(&format!("HANGS {}", watched.state()));
                    // An abort leaves a core to look into, where the system keeps them.
                    std::process::abort();
                }
            }
        });
        watchdog
    }

    fn get(&self) -> Option<State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An iteration begins.
    pub(crate) fn begin(&self, case: Case, iteration: u64, seed: u64) {
        let state = State { case, iteration, phase: "begin".to_owned(), seed, since: Instant::now() };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// A part of it begins.
    pub(crate) fn phase(&self, phase: impl Into<String>) {
        if let Some(state) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            state.phase = phase.into();
        }
    }

    /// What is going on, in one line that can be repeated.
    pub(crate) fn state(&self) -> String {
        self.get().map_or_else(String::new, |State { case, iteration, phase, seed, .. }| {
            format!("case {case:?}, iteration {iteration}, seed {seed}, phase: {phase}")
        })
    }
}
