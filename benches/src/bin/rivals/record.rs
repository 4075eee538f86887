//! One line of a peer: one process's samples of one row.

use kpn_benches::topology::Topology;

use crate::Outcome;
use crate::roster::Peer;

/// The columns of every peer's line, and of the file of `--out`.
pub(crate) const HEADER: &str = "peer,topo,work_us,threads,cap,items,cpu_us_per_item,sleeps_per_item,\
    preemptions_per_item,peak_kib,spin_err_pct,other_pct,misordered,samples";

/// A line, read.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) peer: &'static Peer,
    pub(crate) topo: Topology,
    pub(crate) work_us: f64,
    /// CPU time of all threads, so idle spinning shows.
    pub(crate) cpu_us: f64,
    pub(crate) sleeps: f64,
    /// What other processes took meanwhile, in percent of one CPU.
    pub(crate) other_pct: f64,
    /// Tokens at another's place.
    pub(crate) misordered: u64,
    /// Items a second, by repetition.
    pub(crate) samples: Vec<f64>,
}

impl Record {
    pub(crate) fn parse(line: &str) -> Outcome<Self> {
        let cells: Vec<&str> = line.trim().split(',').collect();
        let columns = HEADER.split(',').count();
        if cells.len() != columns {
            return Err(format!("a peer's line has {columns} columns, not {}: `{line}`", cells.len()).into());
        }
        let cell =
            |name: &str| HEADER.split(',').zip(&cells).find(|(column, _)| *column == name).map_or("", |(_, cell)| cell);
        let number = |name: &str| cell(name).parse::<f64>().map_err(|_| format!("`{name}` is no number: `{line}`"));
        let samples = cell("samples").split(';').map(str::parse).collect::<Result<Vec<f64>, _>>();
        Ok(Self {
            peer: Peer::named(cell("peer"))?,
            topo: cell("topo").parse()?,
            work_us: number("work_us")?,
            cpu_us: number("cpu_us_per_item")?,
            sleeps: number("sleeps_per_item")?,
            other_pct: number("other_pct")?,
            misordered: number("misordered")? as u64,
            samples: samples.map_err(|_| format!("`samples` are no numbers: `{line}`"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_by_its_columns() {
        let line = "rtrb,wide-4,1,2,64,2000,3.5,0.25,0.01,2400,-0.3,7,0,1000;1100;900\n";
        let record = Record::parse(line).expect("a line as peers print it");
        assert_eq!((record.peer.name, record.topo, record.work_us), ("rtrb", Topology::Wide(4), 1.0));
        assert_eq!((record.cpu_us, record.sleeps, record.other_pct, record.misordered), (3.5, 0.25, 7.0, 0));
        assert_eq!(record.samples, [1000.0, 1100.0, 900.0]);
    }

    #[test]
    fn a_wrong_line_is_an_error() {
        let error = |line| Record::parse(line).expect_err("a wrong line").to_string();
        assert!(error("rtrb,wide-4").contains("14 columns, not 2"));
        assert!(error("nobody,wide-4,1,2,64,2000,3.5,0.2,0,2400,0,7,0,1000").contains("unknown peer `nobody`"));
        assert!(error("rtrb,wide-4,1,2,64,2000,x,0.2,0,2400,0,7,0,1000").contains("`cpu_us_per_item` is no number"));
    }
}
