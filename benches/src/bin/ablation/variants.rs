//! The engine as it is, and with one choice undone each.

use std::time::Duration;

use kpn::__bench::Tuning;
use kpn::Shared;
use kpn_benches::runner::Error;

/// A pool with other constants.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    /// Its name in the table.
    pub(crate) name: &'static str,
    tune: fn(&mut Tuning),
    refine: fn(Shared) -> Shared,
}

const fn tuned(name: &'static str, tune: fn(&mut Tuning)) -> Variant {
    Variant { name, tune, refine: |pool| pool }
}

const fn refined(name: &'static str, refine: fn(Shared) -> Shared) -> Variant {
    Variant { name, tune: |_| (), refine }
}

/// The first is the engine as it is.
const ALL: &[Variant] = &[
    tuned("as-it-is", |_| ()),
    tuned("no-statistics", |t| t.stats = false),
    tuned("batch-1", |t| t.batch = 1),
    tuned("batch-8", |t| t.batch = 8),
    tuned("batch-256", |t| t.batch = 256),
    refined("spin-0", |pool| pool.spin(Duration::ZERO)),
    refined("spin-20", |pool| pool.spin(Duration::from_micros(20))),
    tuned("no-slot", |t| t.slot = false),
    tuned("shared-queue", |t| t.shared_queue = true),
    tuned("one-searcher", |t| t.one_searcher = true),
    tuned("slack-0", |t| t.slack = 0),
    tuned("slack-8", |t| t.slack = 8),
    refined("pinned", |pool| pool.pin_cores(true)),
    tuned("quick-nodes-announced", |t| t.near = false),
    tuned("careful-from-1", |t| t.slow_ns = 1_000),
    tuned("careful-from-16", |t| t.slow_ns = 16_000),
];

/// The engine as it is, and those of these names, or all.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<Variant>, Error> {
    let known = |name: &String| ALL.iter().any(|variant| variant.name == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = ALL.iter().map(|variant| variant.name).collect();
        return Err(format!("unknown variant `{name}`: {}", all.join(", ")).into());
    }
    let wanted = |variant: &&Variant| names.is_empty() || names.iter().any(|name| name == variant.name);
    Ok(ALL[..1].iter().chain(ALL[1..].iter().filter(wanted)).copied().collect())
}

impl Variant {
    /// Its pool.
    pub(crate) fn pool(&self, workers: usize) -> Shared {
        let mut tuning = Tuning::default();
        (self.tune)(&mut tuning);
        (self.refine)(Shared::new().workers(workers)).tuned(tuning)
    }
}
