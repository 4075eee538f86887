//! Calibrated work: dependent multiply-adds, counted per microsecond once.
//!
//! Arithmetic, not a wait for the clock: a preempted thread still owes the rest.

use std::time::Instant;

/// Burns `iters` dependent multiply-adds.
#[inline(always)]
pub fn burn(seed: u64, iters: u64) {
    let mut x = seed;
    for _ in 0..iters {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        opaque(&mut x);
    }
}

/// One node's work: burns, then counts the visit, so that the sink's sum shows that every node was passed.
#[inline(always)]
pub fn visit(token: u64, iters: u64) -> u64 {
    burn(token, iters);
    let mut token = token.wrapping_add(1);
    opaque(&mut token);
    token
}

/// Keeps the compiler from folding the arithmetic, without a trip through memory.
#[inline(always)]
fn opaque(x: &mut u64) {
    // SAFETY: no instruction at all; the register goes in and comes out as it is.
    unsafe { std::arch::asm!("/* {0} */", inout(reg) * x, options(nomem, nostack, preserves_flags)) };
}

/// Iterations a microsecond: the fastest of many short runs, since preemption only ever slows one down. Set
/// `SPIN_PER_US` to give several programs the same figure.
pub fn iters_per_us() -> f64 {
    if let Some(given) = std::env::var("SPIN_PER_US").ok().and_then(|s| s.parse().ok()) {
        return given;
    }
    let iters = 20_000;
    let run = |seed| {
        let began = Instant::now();
        burn(seed, iters);
        began.elapsed().as_secs_f64() * 1e6
    };
    iters as f64 / (0..200).map(run).fold(f64::MAX, f64::min)
}
