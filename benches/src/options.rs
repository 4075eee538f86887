//! Options that several benchmarks have in common.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::host;
use crate::runner::{Budget, Mode, Row};
use crate::topology::Topology;

/// A number that is at least 1, for an option.
///
/// # Errors
///
/// A sentence for whatever else is written.
pub fn at_least_one<N: FromStr + PartialOrd + From<u8>>(written: &str) -> Result<N, String> {
    let number = written.parse().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "a whole number from 1 on is expected".to_owned())
}

/// A time or a ratio, for an option: finite, and not below 0.
///
/// # Errors
///
/// A sentence for whatever else is written.
pub fn not_negative(written: &str) -> Result<f64, String> {
    let number = written.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a number from 0 on is expected".to_owned())
}

/// A number of threads that a machine can be expected to give.
///
/// # Errors
///
/// A sentence for whatever else is written.
pub fn threads(written: &str) -> Result<usize, String> {
    let number = written.parse().ok().filter(|number| (1..=1024).contains(number));
    number.ok_or_else(|| "1 to 1024 threads are expected".to_owned())
}

/// How long a row is measured.
#[derive(Args, Clone, Debug)]
pub struct Sampling {
    /// Repetitions a row, taken in turn, after a warm-up that is thrown away.
    #[arg(long, default_value_t = 5, value_parser = at_least_one::<usize>)]
    pub reps: usize,
    /// About how long a repetition takes.
    #[arg(long, default_value_t = 300, value_parser = at_least_one::<u64>)]
    pub target_ms: u64,
    /// The least items of a repetition, however long that takes.
    #[arg(long, default_value_t = 2_000)]
    pub min_items: u64,
}

impl Sampling {
    /// What one repetition is to be.
    pub fn budget(&self) -> Budget {
        Budget { target: Duration::from_millis(self.target_ms.max(1)), min_items: self.min_items }
    }
}

/// Which rows are measured: each topology at each work in each mode.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Topologies: chain-N, wide-N, diamond-4.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "chain-1,chain-2,chain-4,chain-8,chain-16,chain-32,wide-4,diamond-4"
    )]
    pub topos: Vec<Topology>,
    /// Further chains, by their depth.
    #[arg(long, value_delimiter = ',', value_parser = at_least_one::<usize>)]
    pub depths: Vec<usize>,
    /// Work a node, in µs.
    #[arg(long, value_delimiter = ',', default_value = "0,1,10,100", value_parser = not_negative)]
    pub work: Vec<f64>,
    /// Who does it: a loop without a network, nodes on a pool, nodes without state on a pool, a thread a node.
    #[arg(long, value_delimiter = ',', default_value = "inline,shared,elastic,private")]
    pub modes: Vec<Mode>,
    /// Workers of a pool; as many as there are cores where nothing is said.
    #[arg(long, value_delimiter = ',', value_parser = at_least_one::<usize>)]
    pub pools: Vec<usize>,
    /// Tokens an edge.
    #[arg(long, default_value_t = 64, value_parser = at_least_one::<usize>)]
    pub cap: usize,
}

impl Selection {
    /// The rows that belong together, since they do the same: those of one topology and work.
    pub fn groups(&self) -> Vec<Vec<Row>> {
        let chains = self.depths.iter().map(|&depth| Topology::Chain(depth));
        let topologies = self.topos.iter().copied().chain(chains);
        topologies.flat_map(|topology| self.work.iter().map(move |&work| self.group(topology, work))).collect()
    }

    fn group(&self, topology: Topology, work: f64) -> Vec<Row> {
        let pools = if self.pools.is_empty() { vec![host::cores()] } else { self.pools.clone() };
        let mut rows = Vec::new();
        for &mode in &self.modes {
            let workers = match mode {
                // One loop is what all is measured by, the other one the machine's ceiling.
                Mode::Inline => vec![1, host::cores()],
                Mode::Private => vec![0],
                Mode::Shared | Mode::Elastic => pools.clone(),
            };
            let row = |workers| Row { topology, work, mode, workers, capacity: self.cap, copies: 1 };
            rows.extend(workers.into_iter().map(row));
        }
        rows.dedup_by_key(|row| row.name());
        rows
    }

    /// What a header says of it, beside the host's facts.
    pub fn facts(&self, per_us: f64, sampling: &Sampling) -> Vec<String> {
        let mut facts = host::facts();
        facts.push(format!("{per_us:.1} iterations a µs; capacity {}", self.cap));
        facts.push(format!("{} repetitions of about {} ms, in turn", sampling.reps, sampling.target_ms));
        facts
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        selection: Selection,
    }

    #[test]
    fn nonsense_is_refused_in_a_sentence() {
        for written in ["0", "-1", "", "x", "1.5"] {
            assert!(at_least_one::<u64>(written).is_err() && threads(written).is_err(), "{written}");
        }
        for written in ["-1", "nan", "inf", "", "x"] {
            assert!(not_negative(written).is_err(), "{written}");
        }
        assert_eq!((at_least_one::<usize>("3"), not_negative("0.5"), threads("8")), (Ok(3), Ok(0.5), Ok(8)));
        assert!(threads("100000").is_err());
    }

    #[test]
    fn rows_that_do_the_same_are_a_group() {
        let line = "x --topos chain-1,diamond-4 --depths 3 --work 0,2.5 --modes shared,private --pools 1,2";
        let groups = Options::parse_from(line.split(' ')).selection.groups();
        assert_eq!(groups.len(), 6);
        let names: Vec<String> = groups[5].iter().map(Row::name).collect();
        assert_eq!(names, ["chain-3/2.5/shared-1", "chain-3/2.5/shared-2", "chain-3/2.5/private"]);
    }
}
