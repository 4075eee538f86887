//! Many values in little memory: a histogram whose buckets grow with the values.

/// Buckets of an octave; a quantile is at most one part in so many too high.
const PARTS: u64 = 128;
const PARTS_BITS: u32 = PARTS.ilog2();
/// The values below [`PARTS`] have a bucket each, every octave above them has [`PARTS`].
const BUCKETS: usize = ((u64::BITS - PARTS_BITS + 1) as usize) * PARTS as usize;

/// Counts values of any size; quantiles come out less than 1 % too high, and never too low.
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: vec![0; BUCKETS], count: 0, max: 0 }
    }
}

impl Histogram {
    /// Counts a value.
    pub fn record(&mut self, value: u64) {
        self.buckets[bucket(value)] += 1;
        self.count += 1;
        self.max = self.max.max(value);
    }

    /// Counts what the other one has counted.
    pub fn merge(&mut self, other: &Self) {
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(mine, theirs)| *mine += theirs);
        self.count += other.count;
        self.max = self.max.max(other.max);
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest value; 0 without one.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Nearest-rank quantile: the least value that a share `q` of the values doesn't exceed. `None` without a value.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = ((self.count as f64 * q).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let bucket = self.buckets.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(top(bucket).min(self.max))
    }
}

/// Where a value is counted.
fn bucket(value: u64) -> usize {
    let Some(shift) = value.checked_ilog2().and_then(|octave| octave.checked_sub(PARTS_BITS)) else {
        return value as usize;
    };
    // The leading bit gives the octave, the bits behind it the part.
    (u64::from(shift) * PARTS + (value >> shift)) as usize
}

/// The largest value that is counted there.
fn top(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let Some(shift) = (bucket / PARTS).checked_sub(1) else { return bucket };
    let first = (bucket % PARTS + PARTS) << shift;
    first + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_adjoin_and_hold_their_values() {
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
        assert_eq!(top(BUCKETS - 1), u64::MAX);
        for i in 1..BUCKETS {
            assert_eq!(bucket(top(i - 1)), i - 1);
            assert_eq!(bucket(top(i - 1) + 1), i);
        }
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut few = Histogram::default();
        (1..=100).for_each(|value| few.record(value));
        assert_eq!([0.0, 0.01, 0.5, 0.99, 1.0].map(|q| few.quantile(q)), [1, 1, 50, 99, 100].map(Some));
        assert_eq!((few.count(), few.max()), (100, 100));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn quantiles_of_large_values_are_close_and_never_low() {
        let mut all = Histogram::default();
        (1..=100_000u64).for_each(|value| all.record(value * 1_000));
        for (q, exact) in [(0.5, 50_000_000u64), (0.99, 99_000_000), (0.999, 99_900_000), (1.0, 100_000_000)] {
            let found = all.quantile(q).expect("values were recorded");
            assert!((exact..=exact + exact / PARTS).contains(&found), "{q}: {found} for {exact}");
        }
    }

    #[test]
    fn merged_ones_count_as_one() {
        let (mut low, mut high, mut both) = (Histogram::default(), Histogram::default(), Histogram::default());
        for value in 0..1_000 {
            both.record(value);
            if value < 300 { low.record(value) } else { high.record(value) }
        }
        low.merge(&high);
        assert_eq!((low.count(), low.max()), (both.count(), both.max()));
        assert!((0..=100).all(|q| low.quantile(f64::from(q) / 100.0) == both.quantile(f64::from(q) / 100.0)));
    }
}
