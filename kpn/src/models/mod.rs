//! Models of the shipped code under loom, and mutants of it that the models must catch.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p kpn --release --no-default-features --lib models
//! ```
//!
//! `LOOM_MAX_PREEMPTIONS` bounds the search: 2 where nothing is said, which takes minutes; unset the bound with a large
//! number. What runs here is the engine as it ships: the word, the ring, the drivers, launch and end, the pool's
//! sleep. Only its primitives are loom's, `crossbeam-deque` is a locked queue, and the batch is 2 firings.

mod edge;
mod elastic;
mod io;
mod latest;
mod life;
mod pool;
mod ring;
mod sleep;
mod word;

use crate::sync::mutate;

/// Explores every schedule of `model` within the bound of preemptions.
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.max_branches = 100_000;
    builder.check(model);
}

/// Breaks the code at `site`; passes where some schedule of `model` then fails.
fn must_fail(site: &'static str, preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    mutate(site);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| explore(preemptions, model)));
    mutate("");
    assert!(caught.is_err(), "no model schedule fails with: {site}");
}
