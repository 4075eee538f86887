//! Sizes a row by time, repeats it, and prints its line.

use std::time::Instant;

use crate::{Config, Sink, fail, work};

/// A row is sized no larger than this, however quick it is.
const MAX_ITEMS: u64 = 20_000_000;

/// Measures `run`, which pushes items `0..n` through a fresh network and returns the sink, and prints one line:
/// `peer,topo,work_us,threads,cap,items,cpu_us_per_item,sleeps_per_item,preemptions_per_item,peak_kib,spin_err_pct,
/// other_pct,misordered,samples`, the samples in items a second.
pub fn measure(config: &Config, mut run: impl FnMut(&Config, u64) -> Sink) {
    let mut timed = |items: u64| {
        let began = Instant::now();
        let sink = run(config, items);
        let took = began.elapsed().as_secs_f64();
        if sink.sum != config.topology.expected(items) || sink.misordered != 0 {
            fail(&format!("{} lost, changed or misordered a token of {}", config.peer, config.topology_name));
        }
        took
    };
    // Sizes double until a run is long enough to trust; the last of them is the warm-up.
    let target = config.target_ms / 1e3;
    let mut items = config.min_items.clamp(1, 256);
    let items = loop {
        let took = timed(items);
        let wanted = (items as f64 * target / took) as u64;
        if took >= target / 10.0 || items >= MAX_ITEMS {
            break wanted.min(MAX_ITEMS).max(config.min_items);
        }
        items = wanted.clamp(items * 2, items * 16).min(MAX_ITEMS);
    };

    let (before, machine, began) = (Usage::now(), machine_cpu(), Instant::now());
    let rates: Vec<f64> = (0..config.reps).map(|_| items as f64 / timed(items)).collect();
    let (after, machine, wall) = (Usage::now(), machine_cpu() - machine, began.elapsed().as_secs_f64());

    // What others took meanwhile, in percent of one CPU: a row with much of it is no measurement.
    let own = (after.cpu_us - before.cpu_us) / 1e6;
    let other = ((machine - own) / wall * 100.0).max(0.0);
    let total = (items * config.reps as u64) as f64;
    let samples: Vec<String> = rates.iter().map(|rate| format!("{rate:.0}")).collect();
    println!(
        "{},{},{},{},{},{items},{:.4},{:.5},{:.5},{},{:.1},{other:.0},0,{}",
        config.peer,
        config.topology_name,
        config.work_us,
        config.threads,
        config.cap,
        (after.cpu_us - before.cpu_us) / total,
        (after.sleeps - before.sleeps) / total,
        (after.preemptions - before.preemptions) / total,
        peak_kib(),
        (work::ns_per_iter() * config.iters_per_us / 1e3 - 1.0) * 100.0,
        samples.join(";"),
    );
}

/// What this process has cost so far, threads that have ended included.
struct Usage {
    cpu_us: f64,
    sleeps: f64,
    preemptions: f64,
}

impl Usage {
    fn now() -> Self {
        // SAFETY: `rusage` is plain numbers, for which zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live `rusage`, which the call fills.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
        let us = |t: libc::timeval| t.tv_sec as f64 * 1e6 + t.tv_usec as f64;
        Self {
            cpu_us: us(usage.ru_utime) + us(usage.ru_stime),
            sleeps: usage.ru_nvcsw as f64,
            preemptions: usage.ru_nivcsw as f64,
        }
    }
}

/// The peak of memory. `ru_maxrss` would start at the parent's, since it survives `exec`.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// CPU seconds of the whole machine so far, without processes that were niced.
fn machine_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let words = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    match words.map(|word| word.parse().unwrap_or(0.0) / 100.0).collect::<Vec<f64>>()[..] {
        [user, _, system, _, _, irq, softirq, steal, ..] => user + system + irq + softirq + steal,
        _ => 0.0,
    }
}
