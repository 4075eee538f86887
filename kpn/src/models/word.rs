//! The node word alone: no note is lost, and the node runs once at a time.

use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};

use super::{explore, must_fail};
use crate::runtime::word::{Idle, Notified, Word};
use crate::sync::{UnsafeCell, thread};

struct Node {
    word: Word,
    mail: AtomicUsize,
    /// Only the holder of RUN touches it; loom reports two at a time.
    seen: UnsafeCell<usize>,
}

/// Leaves a letter, and runs the node where that is this thread's duty.
fn post(node: &Node) {
    // Relaxed: the note alone must carry it.
    node.mail.fetch_add(1, Ordering::Relaxed);
    if node.word.notify() == Notified::Enqueue {
        node.word.begin();
        loop {
            let mail = node.mail.load(Ordering::Relaxed);
            // SAFETY: RUN is held.
            node.seen.with_mut(|seen| unsafe { *seen = mail });
            if node.word.try_idle() == Idle::Gone {
                return;
            }
        }
    }
}

fn two_notifiers() {
    let node = Arc::new(Node { word: Word::idle(), mail: AtomicUsize::new(0), seen: UnsafeCell::new(0) });
    let other = node.clone();
    let poster = thread::spawn(move || post(&other));
    post(&node);
    poster.join().expect("the poster ends");
    // SAFETY: the other thread is joined.
    assert_eq!(node.seen.with_mut(|seen| unsafe { *seen }), 2, "a note was lost");
}

#[test]
fn no_note_is_lost() {
    explore(20, two_notifiers);
}

#[test]
fn idle_must_be_one_step() {
    must_fail("idle by load and store", 20, two_notifiers);
}

#[test]
fn a_note_must_be_a_read_modify_write() {
    must_fail("notify by load", 20, two_notifiers);
}
