//! What is printed: every row of a cell, and kpn over its rivals.

use kpn_benches::report::{Table, figure, line};

use crate::aims::aims;
use crate::cell::{Cell, Ratio, Row, Standing};
use crate::roster::Kind;

const COLUMNS: &[&str] = &[
    "peer",
    "topo",
    "work_us",
    "items_per_s",
    "iqr_pct",
    "cpu_us_per_item",
    "sleeps_per_item",
    "over_rival",
    "of_ideal",
    "marks",
];

/// The widest name.
const NAMES: usize = 12;

/// The table of all rows, printed cell by cell.
pub(crate) struct Rows {
    csv: bool,
    table: Table,
}

impl Rows {
    pub(crate) fn begin(csv: bool, facts: &[String]) -> Self {
        let marks = "marks: ~ data-parallel, ! misordered tokens, * others took much of the machine";
        let facts: Vec<String> = facts.iter().cloned().chain([marks.to_owned()]).collect();
        Self { csv, table: Table::begin_wide(csv, &facts, NAMES, COLUMNS) }
    }

    pub(crate) fn print(&self, cell: &Cell) {
        let ideal = cell.ideal().map_or(f64::NAN, |ideal| ideal.median());
        for row in &cell.rows {
            let rate = row.rates.median();
            let over = cell.rival(row).map_or(f64::NAN, |rival| rate / rival.rates.median());
            self.table.row(&[
                &row.peer.name,
                &cell.topo,
                &cell.work_us,
                &format!("{rate:.0}"),
                &format!("{:.1}", row.rates.iqr_percent()),
                &figure(row.cpu_us),
                &figure(row.sleeps),
                &figure(over),
                &figure(rate / ideal),
                &marks(row),
            ]);
        }
        if !self.csv {
            line("");
        }
    }
}

fn marks(row: &Row) -> String {
    let marks = [(row.peer.kind == Kind::Parallel, '~'), (row.misordered, '!'), (row.disturbed, '*')];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect()
}

/// kpn over the best rival and over the ideal, cell by cell; rows that are lost are not hidden.
pub(crate) fn print_standings(cells: &[Cell]) {
    line("# kpn over the best rival of its kind, and of the ideal (elastic: of two threads inline)");
    let columns = [
        "topo",
        "work_us",
        "best_in_order",
        "kpn_shared_over",
        "kpn_private_over",
        "best_parallel",
        "kpn_elastic_over",
        "shared_of_ideal",
        "private_of_ideal",
        "elastic_of_inline",
    ];
    let table = Table::begin(false, &[], &columns);
    let ours = ["kpn_shared", "kpn_private", "kpn_elastic"];
    for cell in cells {
        let name = |kind| cell.best(&[kind]).map_or("-", |row| row.peer.name);
        let [shared, private, elastic] = ours.map(|name| standing(over_rival(cell, name)));
        let ideal = cell.ideal();
        let rows = ours.map(|name| cell.row(name));
        let of_ideal = rows.map(|row| row.zip(ideal.as_ref()).map(|(row, ideal)| Ratio::new(&row.rates, ideal)));
        let inline = rows[2].zip(cell.row("limit_2t")).map(|(row, inline)| Ratio::new(&row.rates, &inline.rates));
        table.row(&[
            &cell.topo,
            &cell.work_us,
            &name(Kind::InOrder),
            &shared,
            &private,
            &name(Kind::Parallel),
            &elastic,
            &standing(of_ideal[0]),
            &standing(of_ideal[1]),
            &standing(inline),
        ]);
    }
    line("");
    for name in ours {
        let ratios: Vec<Ratio> = cells.iter().filter_map(|cell| over_rival(cell, name)).collect();
        let count = |standing| ratios.iter().filter(|ratio| ratio.standing == standing).count();
        let [ahead, level, behind] = [Standing::Ahead, Standing::Level, Standing::Behind].map(count);
        line(&format!("# {name}: ahead on {ahead}, level on {level}, behind on {behind} of {} rows", ratios.len()));
    }
}

fn over_rival(cell: &Cell, name: &str) -> Option<Ratio> {
    let row = cell.row(name)?;
    Some(Ratio::new(&row.rates, &cell.rival(row)?.rates))
}

fn standing(ratio: Option<Ratio>) -> String {
    let Some(Ratio { value, standing }) = ratio else { return "-".to_owned() };
    let word = match standing {
        Standing::Ahead => "ahead",
        Standing::Level => "level",
        Standing::Behind => "BEHIND",
    };
    format!("{value:.3} {word}")
}

/// Prints the aims that are missed; whether none is.
pub(crate) fn print_aims(cells: &[Cell]) -> bool {
    let all: Vec<_> = cells.iter().flat_map(aims).collect();
    let missed: Vec<_> = all.iter().filter(|aim| !aim.held).collect();
    line(&format!("# aims held: {} of {}", all.len() - missed.len(), all.len()));
    missed.iter().for_each(|aim| line(&format!("# aim missed: {}", aim.text)));
    missed.is_empty()
}
