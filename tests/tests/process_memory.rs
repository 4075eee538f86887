//! What a waiting process costs in memory. Alone in its process, since it counts all allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kpn::prelude::*;
use kpn_tests::watch;

/// The system's allocator, with the bytes that are in use.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[node]
async fn adds_one(x: &mut In<u64>, y: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(token) = x.recv().await {
        y.send(token + 1).await?;
    }
    Ok(())
}

#[test]
fn ten_thousand_waiting_processes_take_less_than_a_kibibyte_and_a_half_each() {
    const PROCESSES: usize = 10_000;
    watch(60, || {
        let pool = Shared::new().workers(1).build().expect("a thread");
        let before = BYTES.load(Relaxed);
        let (mut input, inlet) = kpn::inlet::<u64>();
        let (outlet, mut output) = kpn::outlet::<u64>();
        let mut b = Builder::new();
        let mut tail = b.add(inlet).out;
        for _ in 0..PROCESSES {
            tail = b.pipe(tail, adds_one());
        }
        b.pipe(tail, outlet);
        let running = b.build().expect("valid").start_on(&pool).expect("memory");
        // One token has passed all of them: all have begun, and wait.
        input.send(0).expect("it runs");
        assert_eq!(output.recv().expect("it comes out"), PROCESSES as u64);
        let each = (BYTES.load(Relaxed) - before) / PROCESSES;
        assert!(each < 1536, "{each} bytes a process, with its edge of 64 words");
        input.close();
        running.wait().expect("it drains");
    });
}
