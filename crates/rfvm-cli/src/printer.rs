//! Aligned text tables.

use std::io::{self, Write};

/// Which edge of its column a cell keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table: a header, rows of as many cells, every column as wide as its widest cell.
pub(crate) struct PrintedTable {
    align: Vec<Align>,
    lines: Vec<Vec<String>>,
}

impl PrintedTable {
    pub(crate) fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        let columns = columns
            .into_iter()
            .map(|(title, align)| (title.into(), align));
        let (titles, align) = columns.unzip();
        Self {
            align,
            lines: vec![titles],
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.align.len(), "cells of a row");
        self.lines.push(cells);
    }

    /// Writes the table, indented by two spaces, without spaces at the ends of lines.
    pub(crate) fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let width = |column: usize| {
            let cells = self.lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        for line in &self.lines {
            let mut text = String::new();
            for ((cell, &width), align) in line.iter().zip(&widths).zip(&self.align) {
                text.push_str("  ");
                text.push_str(&match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_left_and_numbers_right_whatever_their_bytes() {
        let mut table = PrintedTable::new([("gene", Align::Left), ("n", Align::Right)]);
        table.row(["é".into(), "10".into()]);
        table.row(["TP53-like".into(), "7".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let expected = "  gene        n\n  é          10\n  TP53-like   7\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn lines_do_not_end_in_spaces() {
        let mut table = PrintedTable::new([("a", Align::Left)]);
        table.row(["longer".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(out, b"  a\n  longer\n");
    }
}
