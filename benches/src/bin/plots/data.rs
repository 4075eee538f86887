//! The rows that are drawn: measured here, or read from what other programs of this folder print.

use std::path::Path;

use clap::ValueEnum as _;
use kpn_benches::runner::{Error, Mode};
use kpn_benches::topology::Topology;

/// The loop on one thread, by which all others of the same run are measured.
pub(crate) const LOOP: &str = "one thread, no network";

/// A row.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The series it belongs to.
    pub(crate) name: String,
    pub(crate) topology: Topology,
    /// µs a node.
    pub(crate) work: f64,
    /// Items a second.
    pub(crate) rate: f64,
}

/// The rows of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points(Vec<Point>);

impl Points {
    /// Adds a row; one that is there already stays.
    pub(crate) fn push(&mut self, point: Point) {
        let known = |other: &&Point| {
            other.name == point.name && other.topology == point.topology && (other.work - point.work).abs() < 1e-9
        };
        if self.0.iter().find(known).is_none() {
            self.0.push(point);
        }
    }

    /// All rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Point> {
        self.0.iter()
    }

    /// The names of the series, in the order in which they came.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for point in &self.0 {
            if !names.contains(&point.name.as_str()) {
                names.push(&point.name);
            }
        }
        names
    }

    /// A row's rate over the loop's on one thread, of the same topology and work in the same run.
    pub(crate) fn over_loop(&self, point: &Point) -> Option<f64> {
        let like = |base: &&Point| base.topology == point.topology && (base.work - point.work).abs() < 1e-9;
        let base = self.0.iter().filter(|base| base.name == LOOP).find(like)?;
        Some(point.rate / base.rate)
    }
}

/// The series of a row of our own.
pub(crate) fn own_name(mode: Mode, workers: usize) -> String {
    match mode {
        Mode::Inline if workers == 1 => LOOP.to_owned(),
        Mode::Inline => format!("{workers} threads, no network"),
        Mode::Shared => "kpn, serial nodes".to_owned(),
        Mode::Elastic => "kpn, elastic nodes".to_owned(),
        Mode::Private => "kpn, a thread a node".to_owned(),
    }
}

/// Whether a series has no network.
pub(crate) fn is_loop(name: &str) -> bool {
    name.ends_with("no network")
}

/// Reads what `bench_pipeline --csv` printed.
///
/// # Errors
///
/// Where the file can't be read, or isn't that.
pub(crate) fn pipeline(file: &Path) -> Result<Points, Error> {
    let rows = read(file, ["topology", "work_us", "items_per_s", "mode", "workers"])?;
    let mut points = Points::default();
    for [topology, work, rate, mode, workers] in rows {
        let name = own_name(Mode::from_str(&mode, true)?, workers.parse()?);
        points.push(Point { name, topology: topology.parse()?, work: work.parse()?, rate: rate.parse()? });
    }
    Ok(points)
}

/// Reads what `rivals --csv` printed.
///
/// # Errors
///
/// Where the file can't be read, or isn't that.
pub(crate) fn rivals(file: &Path) -> Result<Points, Error> {
    let rows = read(file, ["topo", "work_us", "items_per_s", "peer"])?;
    let mut points = Points::default();
    for [topology, work, rate, peer] in rows {
        let name = if peer == "limit_1t" { LOOP.to_owned() } else { peer };
        points.push(Point { name, topology: topology.parse()?, work: work.parse()?, rate: rate.parse()? });
    }
    Ok(points)
}

/// The cells of these columns, whatever else the file has. Lines that begin with `#` and those before the header don't count,
/// nor what follows the table with another number of cells.
fn read<const N: usize>(file: &Path, columns: [&str; N]) -> Result<Vec<[String; N]>, Error> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let missing = || format!("{}: no header line with the columns {}", file.display(), columns.join(", "));
    let places = |header: &Vec<&str>| columns.map(|column| header.iter().position(|cell| *cell == column));
    let header = lines.find(|header| places(header).iter().all(Option::is_some)).ok_or_else(missing)?;
    let places = places(&header).map(Option::unwrap_or_default);
    let rows = lines.filter(|cells| cells.len() == header.len());
    Ok(rows.map(|cells| places.map(|place| cells[place].to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_tables_are_read() {
        let folder = std::env::temp_dir().join(format!("kpn-plots-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("rows.csv");
        let read = |text: &str, f: fn(&Path) -> Result<Points, Error>| {
            std::fs::write(&file, text).expect("a file");
            f(&file)
        };
        let own = "# facts, more\ntopology,work_us,mode,workers,items,items_per_s\n\
            chain-2,1,inline,1,10,100\nchain-2,1,shared,2,10,190\nchain-2,1,shared,2,10,7\n# end\n";
        let own = read(own, pipeline).expect("a table");
        assert_eq!(own.names(), [LOOP, "kpn, serial nodes"]);
        let ratios: Vec<_> = own.iter().map(|point| own.over_loop(point)).collect();
        assert_eq!(ratios, [Some(1.0), Some(1.9)]);
        let theirs =
            read("peer,topo,work_us,items_per_s,x\nlimit_1t,wide-4,0,5,\nrtrb,wide-4,0,10,\nshort,row\n", rivals);
        assert_eq!(theirs.expect("a table").names(), [LOOP, "rtrb"]);
        assert!(
            read("peer,topo\nrtrb,wide-4\n", rivals).is_err_and(|error| error.to_string().contains("no header line"))
        );
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
