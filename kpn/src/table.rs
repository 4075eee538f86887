//! Tables as text.

use std::fmt;

/// Columns as wide as their widest cell; the first one to the left, the figures to the right.
pub(crate) fn table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    header: [&str; N],
    rows: &[[String; N]],
) -> fmt::Result {
    let width = |i: usize| {
        let cells = rows.iter().map(|row| row[i].chars().count());
        cells.max().unwrap_or(0).max(header[i].chars().count())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |f: &mut fmt::Formatter<'_>, cells: [&str; N]| {
        write!(f, "{:<width$}", cells[0], width = widths[0])?;
        for (cell, width) in cells.iter().zip(widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)
    };
    writeln!(f)?;
    line(f, header)?;
    rows.iter().try_for_each(|row| line(f, std::array::from_fn(|i| &*row[i])))
}
