//! One table, for people and for programs: lines of facts that begin with `#`, one header line, rows.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write as _};

/// A table that is printed row by row, as the rows come.
pub struct Table {
    csv: bool,
    columns: Vec<Column>,
}

struct Column {
    name: &'static str,
    width: usize,
}

impl Table {
    /// Prints the facts and the header. A column's name, as `items_per_s`, has its unit; people see the columns at least
    /// as wide as the names.
    pub fn begin(csv: bool, facts: &[String], columns: &[&'static str]) -> Self {
        Self::begin_wide(csv, facts, 0, columns)
    }

    /// The same, with a first column that is at least `width` wide for people.
    pub fn begin_wide(csv: bool, facts: &[String], width: usize, columns: &[&'static str]) -> Self {
        facts.iter().for_each(|fact| line(&format!("# {fact}")));
        let widths = std::iter::once(width).chain(std::iter::repeat(0));
        let columns =
            columns.iter().zip(widths).map(|(name, width)| Column { name, width: name.len().max(9).max(width) });
        let table = Self { csv, columns: columns.collect() };
        let names: Vec<String> = table.columns.iter().map(|column| column.name.to_owned()).collect();
        table.print(&names);
        table
    }

    /// Prints one row, a cell a column.
    ///
    /// # Panics
    ///
    /// With another number of cells.
    pub fn row(&self, cells: &[&dyn Display]) {
        assert_eq!(cells.len(), self.columns.len(), "a cell for every column");
        self.print(&cells.iter().map(ToString::to_string).collect::<Vec<_>>());
    }

    /// Prints a line that is no row.
    pub fn note(&self, text: &str) {
        line(&format!("# {text}"));
    }

    fn print(&self, cells: &[String]) {
        if self.csv {
            // A cell with a comma or a quote is quoted, as RFC 4180 says.
            let quoted = cells.iter().map(|cell| {
                if cell.contains([',', '"', '\n']) {
                    format!("\"{}\"", cell.replace('"', "\"\""))
                } else {
                    cell.clone()
                }
            });
            return line(&quoted.collect::<Vec<_>>().join(","));
        }
        let mut text = String::new();
        for (i, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            // The first column is a name; figures stand one below the other.
            let width = column.width;
            let _ = if i == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        line(text.trim_end());
    }
}

/// A figure with as many digits as it deserves.
pub fn figure(x: f64) -> String {
    match x.abs() {
        _ if !x.is_finite() => "-".to_owned(),
        a if a >= 1000.0 => format!("{x:.0}"),
        a if a >= 10.0 => format!("{x:.1}"),
        a if a >= 0.1 || a == 0.0 => format!("{x:.3}"),
        _ => format!("{x:.5}"),
    }
}

/// A line of a program's result. Where nobody reads any more the program ends.
pub fn line(text: &str) {
    if writeln!(std::io::stdout(), "{text}").is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
        std::process::exit(0);
    }
}

/// Why a program can't do what it was asked for; apart from results.
pub fn complain(text: &str) {
    // Nobody is left to be told.
    let _ = writeln!(std::io::stderr(), "{text}");
}
