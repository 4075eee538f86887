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

    /// Each sample, in the order in which they came.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied()
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

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        Self(samples.into_iter().collect())
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
    /// Asks the kernel; all threads count, those that have ended too. Zeros where the system can't tell.
    #[cfg(unix)]
    pub fn now() -> Self {
        // SAFETY: a `rusage` is plain numbers, for which zeros are fine.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a `rusage` of ours.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
            return Self::default();
        }
        let time = |t: libc::timeval| Duration::from_micros(t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64);
        Self {
            cpu: time(usage.ru_utime) + time(usage.ru_stime),
            voluntary: usage.ru_nvcsw.unsigned_abs(),
            involuntary: usage.ru_nivcsw.unsigned_abs(),
        }
    }

    /// Asks the kernel; all threads count, those that have ended too. Zeros where the system can't tell.
    #[cfg(not(unix))]
    pub fn now() -> Self {
        Self::default()
    }

    /// What has been added since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            voluntary: self.voluntary.saturating_sub(earlier.voluntary),
            involuntary: self.involuntary.saturating_sub(earlier.involuntary),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.voluntary += other.voluntary;
        self.involuntary += other.involuntary;
    }
}

/// The most memory this process has had, in KiB; 0 where there is no `/proc`.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Lets [`peak_kib`] begin anew; false where the system can't, so that the peak is that of all that ran before.
pub fn reset_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let mut samples = Samples::default();
        assert!(samples.median().is_nan());
        [5.0, 1.0, 4.0, 2.0, 3.0].into_iter().for_each(|sample| samples.push(sample));
        assert_eq!((samples.quantile(0.0), samples.median(), samples.quantile(1.0)), (1.0, 3.0, 5.0));
        assert!((samples.iqr_percent() - 100.0 * 2.0 / 3.0).abs() < 1e-9);
    }

    #[cfg(unix)]
    #[test]
    fn usage_counts_threads_that_have_ended() {
        let before = Usage::now();
        let sleeper = std::thread::spawn(|| (0..20).for_each(|_| std::thread::sleep(Duration::from_millis(1))));
        assert!(sleeper.join().is_ok());
        assert!(Usage::now().since(before).voluntary >= 20);
    }
}
