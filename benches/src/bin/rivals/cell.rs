//! All that was measured of one topology at one work a node, and its comparisons.

use kpn_benches::measure::Samples;
use kpn_benches::topology::Topology;

use crate::record::Record;
use crate::roster::{Kind, Peer};

/// A run is left out where others took more of a CPU than this, and the row has a better one.
const MAX_OTHER_PCT: f64 = 15.0;

/// One peer's runs.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) peer: &'static Peer,
    /// Items a second.
    pub(crate) rates: Samples,
    pub(crate) cpu_us: f64,
    pub(crate) sleeps: f64,
    /// Others took much in every run.
    pub(crate) disturbed: bool,
    /// Tokens came at another's place.
    pub(crate) misordered: bool,
}

/// One topology at one work a node; rows by falling speed.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) topo: Topology,
    pub(crate) work_us: f64,
    pub(crate) rows: Vec<Row>,
}

/// How two samples stand: apart only where their quartiles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Ahead,
    Level,
    Behind,
}

/// One row over another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    /// Of the medians.
    pub(crate) value: f64,
    pub(crate) standing: Standing,
}

impl Ratio {
    pub(crate) fn new(a: &Samples, b: &Samples) -> Self {
        let standing = if a.quantile(0.25) > b.quantile(0.75) {
            Standing::Ahead
        } else if a.quantile(0.75) < b.quantile(0.25) {
            Standing::Behind
        } else {
            Standing::Level
        };
        Self { value: a.median() / b.median(), standing }
    }
}

impl Row {
    fn new(peer: &'static Peer, runs: &[&Record]) -> Self {
        let least = runs.iter().map(|run| run.other_pct).fold(f64::MAX, f64::min);
        let limit = least.max(MAX_OTHER_PCT);
        let used: Vec<&Record> = runs.iter().copied().filter(|run| run.other_pct <= limit).collect();
        let median = |of: fn(&Record) -> f64| used.iter().map(|run| of(run)).collect::<Samples>().median();
        Self {
            peer,
            rates: used.iter().flat_map(|run| run.samples.iter().copied()).collect(),
            cpu_us: median(|run| run.cpu_us),
            sleeps: median(|run| run.sleeps),
            disturbed: least > MAX_OTHER_PCT,
            misordered: runs.iter().any(|run| run.misordered > 0),
        }
    }
}

impl Cell {
    /// From the records of one topology and work.
    pub(crate) fn new(topo: Topology, work_us: f64, records: &[Record]) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for record in records {
            if rows.iter().all(|row| row.peer != record.peer) {
                let runs: Vec<&Record> = records.iter().filter(|other| other.peer == record.peer).collect();
                rows.push(Row::new(record.peer, &runs));
            }
        }
        rows.sort_by(|a, b| b.rates.median().total_cmp(&a.rates.median()));
        Self { topo, work_us, rows }
    }

    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.peer.name == name)
    }

    /// The quickest row of these kinds.
    pub(crate) fn best(&self, kinds: &[Kind]) -> Option<&Row> {
        self.rows.iter().find(|row| kinds.contains(&row.peer.kind))
    }

    /// Whom a row of kpn must beat: serial nodes in order the same, elastic nodes whatever is data-parallel.
    pub(crate) fn rival(&self, row: &Row) -> Option<&Row> {
        match row.peer.kind {
            Kind::Kpn => self.best(&[Kind::InOrder]),
            Kind::KpnElastic => self.best(&[Kind::Parallel]),
            _ => None,
        }
    }

    /// One thread inline times the cores that serial nodes can use: one in chain-1, else two. Without work it is one thread
    /// inline itself, out of reach for whatever doesn't fuse its nodes.
    pub(crate) fn ideal(&self) -> Option<Samples> {
        let cores = if self.work_us == 0.0 || self.topo == Topology::Chain(1) { 1.0 } else { 2.0 };
        Some(self.row("limit_1t")?.rates.values().map(|rate| rate * cores).collect())
    }
}

/// Records into cells, in the order in which they first appear.
pub(crate) fn cells(records: &[Record]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for record in records {
        let same = |topo, work_us| topo == record.topo && work_us == record.work_us;
        if cells.iter().all(|cell| !same(cell.topo, cell.work_us)) {
            let all: Vec<Record> = records.iter().filter(|other| same(other.topo, other.work_us)).cloned().collect();
            cells.push(Cell::new(record.topo, record.work_us, &all));
        }
    }
    cells
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with little about it.
    pub(crate) fn record(peer: &str, topo: Topology, work_us: f64, samples: &[f64]) -> Record {
        let peer = Peer::named(peer).expect("a peer of the roster");
        let samples = samples.to_vec();
        Record { peer, topo, work_us, cpu_us: 1.0, sleeps: 0.0, other_pct: 0.0, misordered: 0, samples }
    }

    fn cell(topo: Topology, work_us: f64, rates: &[(&str, f64)]) -> Cell {
        let records: Vec<Record> = rates.iter().map(|(peer, rate)| record(peer, topo, work_us, &[*rate])).collect();
        Cell::new(topo, work_us, &records)
    }

    #[test]
    fn each_row_of_kpn_has_the_best_rival_of_its_kind() {
        let rates = [
            ("limit_1t", 900.0),
            ("limit_2t", 800.0),
            ("tbb_flow", 700.0),
            ("rayon_fused", 600.0),
            ("kpn_elastic", 550.0),
            ("kpn_shared", 500.0),
            ("xbeam", 300.0),
            ("tbb_pipe", 400.0),
            ("kpn_private", 200.0),
        ];
        let cell = cell(Topology::Chain(4), 1.0, &rates);
        let rival = |name| cell.rival(cell.row(name).expect("a row")).map(|row| row.peer.name);
        assert_eq!(rival("kpn_shared"), Some("tbb_pipe"));
        assert_eq!(rival("kpn_private"), Some("tbb_pipe"));
        assert_eq!(rival("kpn_elastic"), Some("limit_2t"));
        assert_eq!(rival("xbeam"), None);
        assert_eq!(cell.best(&[Kind::InOrder, Kind::Unordered]).map(|row| row.peer.name), Some("tbb_flow"));
        let ratio = Ratio::new(&cell.rows[5].rates, &cell.rows[6].rates);
        assert_eq!(ratio, Ratio { value: 1.25, standing: Standing::Ahead });
    }

    #[test]
    fn the_ideal_uses_the_cores_that_serial_nodes_can_use() {
        let ideal = |topo, work| cell(topo, work, &[("limit_1t", 100.0)]).ideal().map(|ideal| ideal.median());
        assert_eq!(ideal(Topology::Chain(1), 10.0), Some(100.0));
        assert_eq!(ideal(Topology::Chain(2), 10.0), Some(200.0));
        assert_eq!(ideal(Topology::Wide(4), 1.0), Some(200.0));
        assert_eq!(ideal(Topology::Diamond, 0.0), Some(100.0));
        assert!(cell(Topology::Diamond, 1.0, &[("xbeam", 100.0)]).ideal().is_none());
    }

    #[test]
    fn rows_are_apart_where_their_quartiles_are() {
        let of = |values: &[f64]| values.iter().copied().collect::<Samples>();
        let low = of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(Ratio::new(&low, &of(&[4.0, 5.0, 6.0, 7.0, 8.0])).standing, Standing::Behind);
        assert_eq!(Ratio::new(&low, &of(&[3.0, 4.0, 5.0, 6.0, 7.0])).standing, Standing::Level);
        assert_eq!(Ratio::new(&of(&[5.0, 6.0, 7.0]), &low), Ratio { value: 2.0, standing: Standing::Ahead });
    }

    #[test]
    fn disturbed_runs_are_left_out_where_there_are_others() {
        let topo = Topology::Chain(2);
        let noisy = |other_pct, rate| Record { other_pct, ..record("xbeam", topo, 0.0, &[rate]) };
        let both = Cell::new(topo, 0.0, &[noisy(80.0, 10.0), noisy(3.0, 30.0)]);
        assert_eq!((both.rows[0].rates.median(), both.rows[0].disturbed), (30.0, false));
        let none = Cell::new(topo, 0.0, &[noisy(80.0, 10.0), noisy(40.0, 20.0)]);
        assert_eq!((none.rows[0].rates.median(), none.rows[0].disturbed), (20.0, true));
    }

    #[test]
    fn records_fall_into_cells() {
        let (chain, wide) = (Topology::Chain(1), Topology::Wide(4));
        let records = [
            record("xbeam", chain, 0.0, &[1.0]),
            record("xbeam", wide, 0.0, &[1.0]),
            record("tokio", chain, 0.0, &[2.0]),
            record("xbeam", chain, 0.0, &[3.0]),
        ];
        let cells = cells(&records);
        assert_eq!(cells.iter().map(|cell| (cell.topo, cell.rows.len())).collect::<Vec<_>>(), [(chain, 2), (wide, 1)]);
    }
}
