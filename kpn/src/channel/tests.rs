//! Tokens through one edge: none lost, none twice, all in order, whatever grows meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::shared::LinkRef;
use super::{Consumer, Input, Link, Producer, ring};

/// A token that knows its number and counts its drop.
struct Counted<'a> {
    number: usize,
    drops: &'a [AtomicUsize],
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.drops[self.number].fetch_add(1, Ordering::Relaxed);
    }
}

fn counters(n: usize) -> Vec<AtomicUsize> {
    (0..n).map(|_| AtomicUsize::new(0)).collect()
}

fn all_dropped_once(drops: &[AtomicUsize], made: usize) {
    for (number, count) in drops.iter().enumerate() {
        let expected = usize::from(number < made);
        assert_eq!(count.load(Ordering::Relaxed), expected, "drops of token {number} of {made}");
    }
}

fn edge<T>(capacity: usize, initial: Vec<T>) -> (LinkRef, Producer<T>, Consumer<T>) {
    let link = LinkRef::new(Link::new(capacity));
    let (producer, consumer) = ring(link.clone(), initial).expect("memory");
    (link, producer, consumer)
}

/// A choice below `n`, the same in every run.
fn choose(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % n
}

/// Some steps of both halves in an order that the seed chooses; then both go, the one that the seed says first.
fn any_order(seed: u64) {
    let mut state = seed;
    let drops = counters(400);
    let mut made = 0;
    let make = |made: &mut usize| {
        *made += 1;
        Counted { number: *made - 1, drops: &drops }
    };
    let capacity = 1 + choose(&mut state, 5);
    let initial: Vec<_> = (0..choose(&mut state, capacity + 1)).map(|_| make(&mut made)).collect();
    let (link, mut tx, mut rx) = edge(capacity, initial);
    let (mut taken, mut bag) = (0, Vec::new());
    for _ in 0..60 {
        match choose(&mut state, 8) {
            0 => {
                let room = tx.room(3);
                for _ in 0..room.min(3) {
                    tx.push(make(&mut made));
                }
            }
            1 => {
                let room = tx.room(1);
                (0..room).for_each(|_| tx.push(make(&mut made)));
            }
            2 | 3 => {
                tx.publish();
            }
            4 => {
                let target = link.capacity() + choose(&mut state, 6);
                let risen = link.ask_capacity(target);
                assert!(!risen || link.cap_target() == target);
            }
            5 => {
                for _ in 0..rx.ready(2).min(2) {
                    assert_eq!(rx.peek().number, taken);
                    assert_eq!(rx.take().number, taken);
                    taken += 1;
                }
                rx.publish();
            }
            6 => {
                let n = rx.ready(4).min(4);
                rx.take_many(n, &mut bag);
                for token in bag.drain(..) {
                    assert_eq!(token.number, taken);
                    taken += 1;
                }
                rx.publish();
            }
            _ => {
                let ready = rx.ready(usize::MAX);
                assert!((0..ready).all(|i| rx.peek_at(i).number == taken + i));
            }
        }
        assert!(made - taken <= link.capacity(), "never more tokens than the capacity");
    }
    if choose(&mut state, 2) == 0 {
        drop(tx);
        drop(rx);
    } else {
        drop(rx);
        drop(tx);
    }
    all_dropped_once(&drops, made);
}

#[test]
fn every_token_is_dropped_once_in_any_order() {
    (0..if cfg!(miri) { 30 } else { 3_000 }).for_each(any_order);
}

/// All tokens through an edge of one, between two threads, while a third one asks for growth.
#[test]
fn growth_between_threads() {
    let n = if cfg!(miri) { 60 } else { 100_000 };
    let drops = counters(n);
    let (link, mut tx, mut rx) = edge(1, Vec::new());
    std::thread::scope(|scope| {
        let (link, drops) = (&link, &drops);
        let producer = scope.spawn(move || {
            let mut next = 0;
            while next < n {
                for _ in 0..tx.room(3).min(3).min(n - next) {
                    tx.push(Counted { number: next, drops });
                    next += 1;
                }
                if !tx.publish() {
                    std::thread::yield_now();
                }
            }
        });
        scope.spawn(move || {
            for target in 2..if cfg!(miri) { 20 } else { 130 } {
                let _ = link.ask_capacity(target);
                std::thread::yield_now();
            }
        });
        for number in 0..n {
            while rx.ready(1) == 0 {
                std::thread::yield_now();
            }
            assert_eq!(rx.peek().number, number);
            assert_eq!(rx.take().number, number);
            rx.publish();
        }
        producer.join().expect("the producer ends");
        assert_eq!(rx.input(1), Input::End);
    });
    all_dropped_once(&drops, n);
}

/// A reader that goes while its writer grows and writes on.
#[test]
fn a_reader_leaves_during_growth() {
    for number in 0..if cfg!(miri) { 10 } else { 300 } {
        let drops = counters(64);
        let (link, mut tx, mut rx) = edge(1, Vec::new());
        std::thread::scope(|scope| {
            let (link, drops) = (&link, &drops);
            scope.spawn(move || {
                for number in 0..64 {
                    let _ = link.ask_capacity(number + 1);
                    assert!(tx.room(1) > 0, "it grows, or nobody reads");
                    tx.push(Counted { number, drops });
                    tx.publish();
                }
            });
            scope.spawn(move || {
                for _ in 0..number % 32 {
                    if rx.ready(1) > 0 {
                        rx.take();
                        rx.publish();
                    }
                }
            });
        });
        all_dropped_once(&drops, 64);
    }
}

#[test]
fn a_token_stays_where_it_is() {
    let (link, mut tx, mut rx) = edge(2, vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(rx.ready(2), 2);
    let (first, second) = (std::ptr::from_ref(rx.peek_at(0)), std::ptr::from_ref(rx.peek_at(1)));
    for target in [3, 9, 17] {
        assert_eq!(tx.room(1), 0);
        assert!(link.ask_capacity(target));
        assert!(link.producer_met(usize::MAX), "growth is to be done first");
        assert_eq!(tx.room(1), target - link.len());
        assert!(!link.producer_met(usize::MAX));
        while tx.room(1) > 0 {
            tx.push("c".to_owned());
        }
        tx.publish();
        assert_eq!(rx.ready(usize::MAX), target);
        assert_eq!([first, second], [std::ptr::from_ref(rx.peek_at(0)), std::ptr::from_ref(rx.peek_at(1))]);
        assert_eq!([rx.peek_at(0), rx.peek_at(1), rx.peek_at(target - 1)], ["a", "b", "c"]);
    }
    drop(tx);
    assert_eq!([rx.take(), rx.take(), rx.take()], ["a", "b", "c"]);
}

#[test]
fn without_memory_it_stays_as_it_is() {
    let (link, mut tx, mut rx) = edge(1, vec![7u64]);
    assert!(link.ask_capacity(usize::MAX));
    assert!(!link.ask_capacity(2), "more was asked for before");
    assert!(!link.growth_failed());
    assert_eq!(tx.room(1), 0);
    assert!(link.growth_failed());
    assert_eq!((link.capacity(), link.cap_target()), (1, 1));
    assert!(!link.producer_met(1), "it may park now");
    assert_eq!((rx.ready(1), rx.take()), (1, 7));
    assert!(ring::<u64>(LinkRef::new(Link::new(usize::MAX)), Vec::new()).is_none());
}

#[test]
fn initial_tokens_come_first() {
    let (link, mut tx, mut rx) = edge(3, vec![1, 2]);
    assert_eq!((link.len(), tx.room(1), rx.input(2)), (2, 1, Input::Ready));
    tx.push(3);
    assert!(tx.publish());
    assert_eq!((tx.room(1), tx.target(1)), (0, 1));
    let mut all = vec![0];
    assert_eq!(rx.ready(3), 3);
    rx.take_many(3, &mut all);
    assert_eq!(all, [0, 1, 2, 3]);
}

#[test]
fn tokens_of_any_size_and_alignment() {
    #[repr(align(64))]
    #[derive(Clone, Debug, PartialEq)]
    struct Wide(u8);
    fn both_ways<T: Clone + PartialEq + std::fmt::Debug>(token: T) {
        let (link, mut tx, mut rx) = edge(1, vec![token.clone()]);
        let _ = link.ask_capacity(3);
        assert_eq!(tx.room(2), 2);
        vec![token.clone(); 2].into_iter().for_each(|token| tx.push(token));
        tx.publish();
        let mut all = Vec::new();
        assert_eq!(rx.ready(3), 3);
        assert_eq!(std::ptr::from_ref(rx.peek()).addr() % align_of::<T>(), 0);
        rx.take_many(3, &mut all);
        assert_eq!(all, vec![token; 3]);
    }
    both_ways(());
    both_ways(1u8);
    both_ways([1u16; 3]);
    both_ways(Wide(1));
    both_ways("text".to_owned());
}

/// The bytes that a thread holds.
#[cfg(not(loom))]
mod held {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    /// The system's allocator, counted.
    struct Counting;

    std::thread_local! {
        static HELD: Cell<isize> = const { Cell::new(0) };
    }

    // SAFETY: all is left to the system's allocator.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            add(layout.size() as isize);
            // SAFETY: the caller's contract is the same.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            add(-(layout.size() as isize));
            // SAFETY: as above.
            unsafe { System.dealloc(block, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;

    fn add(bytes: isize) {
        let _ = HELD.try_with(|held| held.set(held.get() + bytes));
    }

    pub(super) fn now() -> isize {
        HELD.get()
    }
}

/// What ten thousand blocked processes have ten thousand of.
#[test]
#[cfg(not(loom))]
fn an_edge_takes_little_memory() {
    let before = held::now();
    let (link, tx, rx) = edge::<u64>(64, Vec::new());
    let held = held::now() - before;
    assert_eq!(held, 192 + 24 + 512, "words, header, slots");
    assert_eq!((size_of_val(&tx), size_of_val(&rx), size_of::<super::Fan<u64>>()), (64, 56, 72));
    let _ = link.ask_capacity(65);
    drop((tx, rx, link));
    assert_eq!(held::now(), before);
}
