//! Growth of one edge, in every schedule: no token is lost or reordered while a consumer reads, and no wake while the
//! producer parks.

use std::sync::Arc;

use super::{explore, must_fail};
use crate::channel::{Consumer, Input, Link, LinkRef, Producer, ring};
use crate::runtime::word::{Idle, Notified, Word};
use crate::sync::{Ordering, UnsafeCell, fence, thread};

fn edge<T>(capacity: usize, initial: Vec<T>) -> (LinkRef, Producer<T>, Consumer<T>) {
    let link = LinkRef::new(Link::new(capacity));
    let (producer, consumer) = ring(link.clone(), initial).expect("memory");
    (link, producer, consumer)
}

/// The producer never waits: each time its edge is full it finds that it may grow. Twice it needs a new segment.
fn growth() {
    const TOKENS: usize = 3;
    let (link, mut tx, mut rx) = edge(1, Vec::new());
    let producer = thread::spawn(move || {
        for number in 0..TOKENS {
            let _ = link.ask_capacity(number + 1);
            assert!(tx.room(1) > 0, "it may grow");
            tx.push(number);
            tx.publish();
        }
    });
    let mut seen = 0;
    let mut take = |rx: &mut Consumer<usize>| {
        for _ in 0..rx.ready(1) {
            assert_eq!(*rx.peek_at(0), seen);
            assert_eq!(rx.take(), seen);
            seen += 1;
        }
        rx.publish();
    };
    take(&mut rx);
    take(&mut rx);
    producer.join().expect("the producer ends");
    take(&mut rx);
    assert_eq!((seen, rx.input(1)), (TOKENS, Input::End));
}

/// Both halves go at any moment, with tokens left in old and new segments.
fn leave() {
    let token = Arc::new(());
    let (link, mut tx, mut rx) = edge(1, vec![token.clone()]);
    let owned = token.clone();
    let producer = thread::spawn(move || {
        assert!(link.ask_capacity(2) && tx.room(1) > 0, "it may grow");
        tx.push(owned);
    });
    if rx.ready(2) == 2 {
        rx.take();
    }
    drop(rx);
    producer.join().expect("the producer ends");
    assert_eq!(Arc::strong_count(&token), 1, "a token leaks");
}

/// A producer of two tokens over an edge of one, whose consumer takes none before both are there.
struct Node {
    word: Word,
    link: LinkRef,
    /// What only the holder of RUN touches: the producer, and how many tokens it still has.
    slot: UnsafeCell<(Producer<u32>, usize)>,
}

/// As the driver does it: gives what fits, arms, looks again, goes idle.
fn activate(node: &Node) {
    node.word.begin();
    loop {
        node.link.disarm_producer();
        let give = |slot: *mut (Producer<u32>, usize)| {
            // SAFETY: RUN is held.
            let (tx, left) = unsafe { &mut *slot };
            while *left > 0 && tx.room(1) > 0 {
                tx.push(0);
                tx.publish();
                *left -= 1;
            }
            (*left > 0).then(|| tx.target(1))
        };
        let Some(target) = node.slot.with_mut(give) else { return };
        node.link.arm_producer(target);
        fence(Ordering::SeqCst);
        if !node.link.producer_met(target) && node.word.try_idle() == Idle::Gone {
            return;
        }
    }
}

/// Somebody asks for growth at any moment of the producer's.
fn asked() {
    let (link, tx, mut rx) = edge(1, Vec::new());
    let node = Arc::new(Node { word: Word::idle(), link: link.clone(), slot: UnsafeCell::new((tx, 2)) });
    let other = node.clone();
    let producer = thread::spawn(move || {
        if other.word.notify() == Notified::Enqueue {
            activate(&other);
        }
    });
    if link.ask_capacity(2) && node.word.notify() == Notified::Enqueue {
        activate(&node);
    }
    producer.join().expect("the producer ends");
    assert_eq!(rx.ready(2), 2, "the producer sleeps though it may grow");
}

#[test]
fn tokens_are_read_in_order_while_an_edge_grows() {
    explore(30, growth);
}

#[test]
fn a_segment_is_linked_before_the_publication() {
    must_fail("link after publish", 3, growth);
}

#[test]
fn the_end_is_read_after_the_tail() {
    must_fail("end before tail", 3, growth);
}

#[test]
fn no_token_leaks_whoever_goes_first() {
    explore(30, leave);
}

#[test]
fn growth_reaches_a_producer_at_any_moment() {
    explore(30, asked);
}

#[test]
fn growth_must_not_go_through_the_need_word() {
    must_fail("growth by the need word", 3, asked);
}

#[test]
fn growth_needs_the_second_look() {
    must_fail("growth without a second look", 3, asked);
}
