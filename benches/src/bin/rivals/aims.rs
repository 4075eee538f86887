//! What kpn should reach, checked cell by cell.

use kpn_benches::measure::Samples;
use kpn_benches::report::figure;

use crate::cell::{Cell, Ratio, Row, Standing};
use crate::roster::Kind;

/// From here on, in µs, the work of a node hides what a network costs, and CPU time is compared with inline.
const LONG: f64 = 10.0;

/// From here on nothing but the ideal is left to reach.
const LONGEST: f64 = 100.0;

/// CPU an item, over inline.
const MAX_CPU: f64 = 1.03;

/// An aim of a row.
#[derive(Debug)]
pub(crate) struct Aim {
    pub(crate) held: bool,
    /// The row, the aim and what was found.
    pub(crate) text: String,
}

/// Every aim of this cell of which both sides were measured.
pub(crate) fn aims(cell: &Cell) -> Vec<Aim> {
    let mut aims = Aims { cell, found: Vec::new() };
    let (work, inline) = (cell.work_us, cell.row("limit_1t"));
    let ideal = cell.ideal();
    let two_threads = cell.row("limit_2t").map(|row| row.rates.clone());
    if let Some(row) = cell.row("kpn_shared") {
        match work {
            0.0 => aims.ahead(row, cell.rival(row)),
            ..LONG => aims.share(row, 0.95, "the ideal", ideal.as_ref()),
            ..LONGEST => {
                aims.share(row, 0.99, "the ideal", ideal.as_ref());
                aims.not_behind(row, cell.best(&[Kind::InOrder, Kind::Unordered]));
            }
            _ => aims.level(row, "the ideal", ideal.as_ref()),
        }
        aims.cpu(row, inline);
    }
    if let Some(row) = cell.row("kpn_elastic") {
        match work {
            0.0 => aims.ahead(row, cell.row("rayon_bridge")),
            ..LONG => aims.share(row, 0.97, "two threads inline", two_threads.as_ref()),
            ..LONGEST => aims.share(row, 0.99, "two threads inline", two_threads.as_ref()),
            _ => aims.level(row, "two threads inline", two_threads.as_ref()),
        }
        aims.cpu(row, inline);
    }
    if let Some(row) = cell.row("kpn_private") {
        for rival in ["xbeam", "rtrb"].map(|name| cell.row(name)) {
            // Where both reach the ideal nobody can be ahead.
            if work < LONG { aims.ahead(row, rival) } else { aims.not_behind(row, rival) }
        }
    }
    aims.found
}

struct Aims<'a> {
    cell: &'a Cell,
    found: Vec<Aim>,
}

impl Aims<'_> {
    fn add(&mut self, row: &Row, held: bool, what: &str) {
        let Cell { topo, work_us, .. } = self.cell;
        let text = format!("{topo} at {work_us} µs: {} {what}", row.peer.name);
        self.found.push(Aim { held, text });
    }

    fn ahead(&mut self, row: &Row, rival: Option<&Row>) {
        let Some(rival) = rival else { return };
        let ratio = Ratio::new(&row.rates, &rival.rates);
        let what = format!("ahead of {}: {} of it", rival.peer.name, figure(ratio.value));
        self.add(row, ratio.standing == Standing::Ahead, &what);
    }

    fn not_behind(&mut self, row: &Row, rival: Option<&Row>) {
        let Some(rival) = rival else { return };
        self.level(row, rival.peer.name, Some(&rival.rates));
    }

    fn level(&mut self, row: &Row, name: &str, other: Option<&Samples>) {
        let Some(other) = other else { return };
        let ratio = Ratio::new(&row.rates, other);
        let what = format!("not behind {name} by more than the spread: {} of it", figure(ratio.value));
        self.add(row, ratio.standing != Standing::Behind, &what);
    }

    fn share(&mut self, row: &Row, least: f64, name: &str, other: Option<&Samples>) {
        let Some(other) = other else { return };
        let share = row.rates.median() / other.median();
        self.add(row, share >= least, &format!("at least {least} of {name}: {}", figure(share)));
    }

    fn cpu(&mut self, row: &Row, inline: Option<&Row>) {
        let Some(inline) = inline.filter(|_| self.cell.work_us >= LONG) else { return };
        let ratio = row.cpu_us / inline.cpu_us;
        let what = format!("CPU an item at most {MAX_CPU} of one thread inline: {}", figure(ratio));
        self.add(row, ratio <= MAX_CPU, &what);
    }
}

#[cfg(test)]
mod tests {
    use kpn_benches::topology::Topology;

    use super::*;
    use crate::cell::tests::record;

    /// The aims that are missed in a chain-4 with these rates, and how many there are.
    fn missed(work_us: f64, rates: &[(&str, f64)]) -> (Vec<String>, usize) {
        let topo = Topology::Chain(4);
        let records: Vec<_> = rates.iter().map(|(peer, rate)| record(peer, topo, work_us, &[*rate])).collect();
        let aims = aims(&Cell::new(topo, work_us, &records));
        let count = aims.len();
        (aims.into_iter().filter(|aim| !aim.held).map(|aim| aim.text).collect(), count)
    }

    #[test]
    fn without_work_rivals_must_be_behind() {
        let (none, count) = missed(0.0, &[("kpn_shared", 5.0), ("xbeam", 4.0), ("tbb_flow", 9.0), ("limit_1t", 99.0)]);
        assert_eq!((none.len(), count), (0, 1));
        let (lost, _) =
            missed(0.0, &[("kpn_shared", 4.0), ("kpn_elastic", 7.0), ("xbeam", 5.0), ("rayon_bridge", 8.0)]);
        assert_eq!(
            lost,
            [
                "chain-4 at 0 µs: kpn_shared ahead of xbeam: 0.800 of it",
                "chain-4 at 0 µs: kpn_elastic ahead of rayon_bridge: 0.875 of it",
            ]
        );
    }

    #[test]
    fn with_work_the_ideal_counts() {
        let rates = |shared| [("limit_1t", 50.0), ("kpn_shared", shared), ("tbb_flow", 98.0)];
        assert_eq!(missed(1.0, &rates(95.0)), (vec![], 1));
        assert_eq!(missed(1.0, &rates(94.0)).0, ["chain-4 at 1 µs: kpn_shared at least 0.95 of the ideal: 0.940"]);
        // The share, an unordered rival, and CPU time.
        let (lost, count) = missed(10.0, &rates(97.0));
        assert_eq!((lost.len(), count), (2, 3));
        assert!(lost[1].contains("not behind tbb_flow"), "{lost:?}");
        assert_eq!(missed(100.0, &rates(99.0)).0.len(), 1);
        assert_eq!(missed(100.0, &rates(100.0)), (vec![], 2));
    }

    #[test]
    fn threads_are_compared_with_threads() {
        let rates = [("kpn_private", 5.0), ("xbeam", 4.0), ("rtrb", 6.0), ("tbb_pipe", 9.0)];
        assert_eq!(missed(0.0, &rates).0, ["chain-4 at 0 µs: kpn_private ahead of rtrb: 0.833 of it"]);
    }
}
