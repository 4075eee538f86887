//! What runtimes are made of: counters, locks, counts of owners, clocks; and how far the machine scales at all.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use kpn_benches::work::burn;

use crate::threads::{Outcome, Padded, Row, must_be, repeated};

/// The rows at each of these numbers of threads.
pub(crate) fn rows(threads: &[usize], ops: usize) -> Vec<Row> {
    threads.iter().flat_map(|&threads| at(threads, ops)).collect()
}

fn at(threads: usize, ops: usize) -> Vec<Row> {
    let each = move |name, op: fn(usize, usize) -> Outcome<f64>| Row::each(name, threads, move || op(threads, ops));
    vec![
        each("inline arithmetic, the ceiling", inline),
        each("own line, plain store", own_store),
        each("own line, fetch_add", own_add),
        each("false sharing, plain store", false_sharing),
        each("shared flag, read only", flag),
        each("shared counter, fetch_add", counter),
        each("mutex of std", std_mutex),
        each("mutex of parking_lot", parking_lot_mutex),
        each("rwlock of std, read", std_rwlock),
        each("rwlock of parking_lot, read", parking_lot_rwlock),
        each("Arc, clone and drop", arc),
        each("epoch of crossbeam, pin and unpin", epoch),
        each("clock, Instant::now", clock),
    ]
}

/// Work that shares nothing: what it loses with more threads, any program loses here.
fn inline(threads: usize, ops: usize) -> Outcome<f64> {
    repeated(threads, ops / 20, |thread| burn(thread as u64, 250))
}

fn counters(count: usize) -> Vec<Padded<AtomicU64>> {
    (0..count).map(|_| Padded::default()).collect()
}

fn increment(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

fn own_store(threads: usize, ops: usize) -> Outcome<f64> {
    let own = counters(threads);
    let ns = repeated(threads, ops, |thread| increment(&own[thread].0))?;
    must_be("own counters", own.iter().map(|own| own.0.load(Ordering::Relaxed)).sum(), threads * ops)?;
    Ok(ns)
}

fn own_add(threads: usize, ops: usize) -> Outcome<f64> {
    let own = counters(threads);
    let ns = repeated(threads, ops, |thread| {
        own[thread].0.fetch_add(1, Ordering::Relaxed);
    })?;
    must_be("own counters", own.iter().map(|own| own.0.load(Ordering::Relaxed)).sum(), threads * ops)?;
    Ok(ns)
}

fn false_sharing(threads: usize, ops: usize) -> Outcome<f64> {
    let adjacent: Padded<[AtomicU64; 16]> = Padded::default();
    // Each has a word of its own where there are not more threads than words; beyond that there is nothing to check.
    let ns = repeated(threads, ops, |thread| increment(&adjacent.0[thread % 16]))?;
    if threads <= 16 {
        let sum = adjacent.0.iter().map(|word| word.load(Ordering::Relaxed)).sum();
        must_be("adjacent counters", sum, threads * ops)?;
    }
    Ok(ns)
}

fn flag(threads: usize, ops: usize) -> Outcome<f64> {
    let flag = AtomicBool::new(false);
    repeated(threads, ops, |_| {
        black_box(flag.load(Ordering::Acquire));
    })
}

fn counter(threads: usize, ops: usize) -> Outcome<f64> {
    let shared: Padded<AtomicU64> = Padded::default();
    let ns = repeated(threads, ops, |_| {
        shared.0.fetch_add(1, Ordering::Relaxed);
    })?;
    must_be("the shared counter", shared.0.into_inner(), threads * ops)?;
    Ok(ns)
}

fn std_mutex(threads: usize, ops: usize) -> Outcome<f64> {
    let mutex: Padded<Mutex<u64>> = Padded::default();
    let ns = repeated(threads, ops, |_| *mutex.0.lock().unwrap_or_else(PoisonError::into_inner) += 1)?;
    must_be("the mutex", *mutex.0.lock().unwrap_or_else(PoisonError::into_inner), threads * ops)?;
    Ok(ns)
}

fn parking_lot_mutex(threads: usize, ops: usize) -> Outcome<f64> {
    let mutex: Padded<parking_lot::Mutex<u64>> = Padded::default();
    let ns = repeated(threads, ops, |_| *mutex.0.lock() += 1)?;
    must_be("the mutex", mutex.0.into_inner(), threads * ops)?;
    Ok(ns)
}

fn std_rwlock(threads: usize, ops: usize) -> Outcome<f64> {
    let lock: Padded<RwLock<u64>> = Padded::default();
    repeated(threads, ops, |_| {
        black_box(*lock.0.read().unwrap_or_else(PoisonError::into_inner));
    })
}

fn parking_lot_rwlock(threads: usize, ops: usize) -> Outcome<f64> {
    let lock: Padded<parking_lot::RwLock<u64>> = Padded::default();
    repeated(threads, ops, |_| {
        black_box(*lock.0.read());
    })
}

fn arc(threads: usize, ops: usize) -> Outcome<f64> {
    let shared = Arc::new(0u64);
    let ns = repeated(threads, ops, |_| drop(black_box(shared.clone())))?;
    must_be("owners left", Arc::strong_count(&shared) as u64, 1)?;
    Ok(ns)
}

fn epoch(threads: usize, ops: usize) -> Outcome<f64> {
    repeated(threads, ops, |_| drop(black_box(crossbeam_epoch::pin())))
}

fn clock(threads: usize, ops: usize) -> Outcome<f64> {
    repeated(threads, ops, |_| {
        black_box(Instant::now());
    })
}
