//! No allocation a firing in the steady state. Alone in its process, since it counts all allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kpn::node::{Cyclic, Exactly, Fired, One, Phases, Window};
use kpn::prelude::*;
use kpn_tests::step::step;
use kpn_tests::{On, doing, watch};

/// The system's allocator, counted.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Counts the allocations of one run of a network, given so many tokens and that capacity.
type Count = fn(&On, u64, usize) -> u64;

/// Allocations of one run with so many tokens: a diamond between two chains.
fn allocations(on: &On, tokens: u64, capacity: usize) -> u64 {
    let before = ALLOCATIONS.load(Relaxed);
    let mut sum = 0;
    let mut b = Builder::new();
    let numbers = b.add(source(0..tokens));
    let head = b.pipe(numbers.out, map(|x| x));
    let join = b.add(gather::<u64, 2>());
    for (out, input) in b.fan_out(head, 2).into_iter().zip(join.inputs) {
        let same = b.pipe(out, map(|x| x));
        b.connect(same, input);
    }
    let picked = b.pipe(join.out, filter_map(|[x, y]: [u64; 2]| (x == y).then_some(x)));
    b.pipe(picked, sink(|x| sum += x));
    let net = b.build().expect("sound").with_capacity(capacity).expect("it holds one");
    on.run(net).expect("no failure");
    assert_eq!(sum, tokens * (tokens - 1) / 2);
    ALLOCATIONS.load(Relaxed) - before
}

struct OneNoneThree;

impl Phases for OneNoneThree {
    const RATES: &'static [usize] = &[1, 0, 3];
}

/// The same for a chain of several rates.
fn allocations_of_rates(on: &On, tokens: u64, capacity: usize) -> u64 {
    let before = ALLOCATIONS.load(Relaxed);
    let mut firings = 0;
    let mut b = Builder::new();
    let numbers = b.add(source(0..tokens));
    let pairs = step::<(Exactly<u64, 2>,), (Exactly<u64, 3>,), _>(|([x, y],)| Fired::Emit(([x, y, x],)));
    let out = b.pipe(numbers.out, pairs);
    let window = step::<(Window<u64, 4, 1>,), (One<u64>,), _>(|(seen,)| Fired::Emit((seen.iter().sum(),)));
    let out = b.pipe(out, window);
    let phases = step::<(Cyclic<u64, OneNoneThree>,), (), _>(|(batch,)| {
        firings += usize::from(!batch.is_empty());
        Fired::Emit(())
    });
    b.pipe(out, phases);
    let net = b.build().expect("sound").with_capacity(capacity).expect("it holds a firing");
    on.run(net).expect("no failure");
    let windows = tokens / 2 * 3 - 3;
    assert_eq!(firings as u64, windows / 4 * 2 + u64::from(!windows.is_multiple_of(4)));
    ALLOCATIONS.load(Relaxed) - before
}

#[test]
fn the_steady_state_allocates_nothing() {
    watch(60, || {
        for on in [On::pool(1), On::pool(2), On::pool(4), On::Private] {
            for capacity in [1, 64] {
                let (few, many) = if capacity == 1 { (2_000, 12_000) } else { (2_000, 52_000) };
                let chain_of_rates = |on: &On, tokens, capacity: usize| allocations_of_rates(on, tokens, 6 * capacity);
                let networks: [(&str, Count); 2] = [("single tokens", allocations), ("several rates", chain_of_rates)];
                for (what, allocations) in networks {
                    doing(format!("{what}, capacity {capacity} on {on}"));
                    // Queues grow to their size once.
                    allocations(&on, few, capacity);
                    let (short, long) = (allocations(&on, few, capacity), allocations(&on, many, capacity));
                    let more = long.saturating_sub(short);
                    assert!(more < 50, "{what}: {more} allocations more for {} tokens: {short}, {long}", many - few);
                }
            }
        }
        // The count works.
        assert!(allocations(&On::Private, 1, 1) > 10);
    });
}
