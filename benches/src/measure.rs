//! Samples, their spread, and what a run cost the machine.

use std::time::{Duration, Instant};

/// Samples of one row.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// Nearest-rank quantile; NaN without a sample.
    pub fn quantile(&self, q: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len().saturating_sub(1) as f64 * q).round() as usize;
        sorted.get(rank).copied().unwrap_or(f64::NAN)
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The distance of the quartiles in percent of the median.
    pub fn iqr_percent(&self) -> f64 {
        100.0 * (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }

    /// Each sample over the one of `base` that was taken in the same round.
    pub fn ratio(&self, base: &Self) -> Self {
        Self(self.0.iter().zip(&base.0).map(|(a, b)| a / b).collect())
    }
}

impl std::fmt::Display for Samples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.median(), self.quantile(0.25), self.quantile(0.75))
    }
}

/// Measures the arms in turn, `rounds` times, after one round that is thrown away: what disturbs the
/// machine meanwhile disturbs all of them. Each arm returns how long it took.
pub fn interleaved(rounds: usize, arms: &mut [&mut dyn FnMut() -> Duration]) -> Vec<Samples> {
    arms.iter_mut().for_each(|arm| {
        arm();
    });
    let mut samples = vec![Samples::default(); arms.len()];
    for round in 0..rounds {
        // Another one goes first each time, so that none always follows the same neighbour.
        let count = arms.len();
        for i in (0..count).map(|i| (i + round) % count) {
            samples[i].push(arms[i]().as_secs_f64());
        }
    }
    samples
}

/// How long `f` takes.
pub fn timed(f: impl FnOnce()) -> Duration {
    let began = Instant::now();
    f();
    began.elapsed()
}

/// What this process has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// CPU time of all threads.
    pub cpu: Duration,
    /// Sleeps.
    pub voluntary: u64,
    /// Preemptions.
    pub involuntary: u64,
}

impl Usage {
    /// Reads it from the kernel; zeros where there is no `/proc`. Threads that have ended count in the CPU
    /// time, but no longer in the switches.
    pub fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // The name, in brackets, may hold spaces; utime and stime are the 12th and 13th field after it.
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let ticks = fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0);
        let mut usage = Self { cpu: Duration::from_millis(ticks * 10), ..Self::default() };
        for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let status = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
            let get = |key: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(key));
                line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
            };
            usage.voluntary += get("voluntary_ctxt_switches:");
            usage.involuntary += get("nonvoluntary_ctxt_switches:");
        }
        usage
    }
}

/// The most memory this process has had, in KiB; 0 where there is no `/proc`.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
