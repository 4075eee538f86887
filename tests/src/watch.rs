//! A watchdog: a hang is a failure that says what was going on, not a test run that never ends.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

type Note = Arc<Mutex<String>>;

thread_local! {
    static DOING: RefCell<Note> = RefCell::default();
}

/// Says what this thread's test is about to do, for the watchdog's last words.
pub fn doing(what: impl Into<String>) {
    DOING.with_borrow(|note| *note.lock().unwrap_or_else(PoisonError::into_inner) = what.into());
}

/// What this thread's test said last.
pub fn done_last() -> String {
    DOING.with_borrow(|note| note.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Runs `test` on a thread of its own and fails if it takes longer than `seconds`.
///
/// # Panics
///
/// Where the time is over, with what the test was doing; and with the test's own panic.
pub fn watch<R: Send + 'static>(seconds: u64, test: impl FnOnce() -> R + Send + 'static) -> R {
    let note = Note::default();
    let (sender, ended) = mpsc::channel();
    let theirs = note.clone();
    let name = thread::current().name().unwrap_or("test").to_owned();
    let body = move || {
        DOING.replace(theirs);
        // The waiter may have given up.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(test)));
    };
    let runner = thread::Builder::new().name(name).spawn(body).expect("a thread for the test");
    let last = || note.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match ended.recv_timeout(Duration::from_secs(seconds)) {
        Ok(result) => {
            // It has sent its result, so this is short; afterwards its thread no longer counts as one.
            let _ = runner.join();
            result.unwrap_or_else(|payload| {
                if let Some(message) = message(&*payload) {
                    panic!("while doing [{}]: {message}", last());
                }
                resume_unwind(payload)
            })
        }
        Err(RecvTimeoutError::Timeout) => panic!("it hangs: not ended after {seconds} s; last doing [{}]", last()),
        Err(RecvTimeoutError::Disconnected) => panic!("the test's thread is gone; last doing [{}]", last()),
    }
}

/// The text of a panic.
pub fn message(payload: &(dyn std::any::Any + Send)) -> Option<String> {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "last doing [nothing, for ever]")]
    fn a_hang_is_a_failure() {
        watch(1, || {
            doing("nothing, for ever");
            loop {
                thread::park();
            }
        });
    }

    #[test]
    #[should_panic(expected = "while doing [sums]: wrong")]
    fn a_panic_comes_through() {
        watch(10, || {
            doing("sums");
            panic!("wrong");
        });
    }
}
