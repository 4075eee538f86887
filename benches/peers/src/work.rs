//! Calibrated arithmetic: no wait for the clock, so a preempted thread still owes the rest.

use std::arch::asm;
use std::time::Instant;

/// Burns `iters` dependent multiply-adds: the loop of `cpp/harness.hpp` and of the benchmarks' `work.rs`, to the instruction.
#[inline(always)]
fn burn(seed: u64, iters: u64) {
    let mut x = seed;
    for _ in 0..iters {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        opaque(&mut x);
    }
}

/// One node's work: burns, then counts the visit in the token, so that the sink's sum shows that every node was passed.
#[inline(always)]
pub fn node(token: u64, iters: u64) -> u64 {
    burn(token, iters);
    let mut token = token.wrapping_add(1);
    opaque(&mut token);
    token
}

/// Keeps the compiler from folding a loop, or a chain of nodes, into a formula.
#[inline(always)]
fn opaque(x: &mut u64) {
    // SAFETY: no instruction at all; the register goes in and comes out as it is.
    unsafe { asm!("/* {0} */", inout(reg) * x, options(nomem, nostack, preserves_flags)) };
}

/// Nanoseconds an iteration: the fastest of many short runs, since preemption only ever slows one down.
pub(crate) fn ns_per_iter() -> f64 {
    let iters = 20_000;
    let run = |seed| {
        let began = Instant::now();
        burn(seed, iters);
        began.elapsed().as_secs_f64() * 1e9 / iters as f64
    };
    (0..200).map(run).fold(f64::MAX, f64::min)
}
