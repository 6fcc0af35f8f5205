//! A look at the first column and at the number of lines, without reading any number.

use std::collections::HashSet;

use super::blocks::{Cutter, TextBlock};
use super::cells::{Cells, count_cells};
use super::table::TextTable;
use super::words::decode;
use crate::error::IoError;

/// The cells of the first column that are kept to tell names from classes.
const KEPT: usize = 10_000;

/// Bytes gone through at a time.
const SCANNED: usize = 1 << 18;

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Search<'a> {
    /// Stops behind so many lines.
    pub(crate) limit: Option<usize>,
    pub(crate) target: Option<&'a str>,
    pub(crate) samples: Option<&'a HashSet<&'a str>>,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scan {
    /// The number of lines below the header.
    pub(crate) rows: usize,
    /// Whether that is all of them.
    pub(crate) complete: bool,
    /// The first cells of the first column.
    pub(crate) first_cells: Vec<String>,
    /// Whether the target is a name in the first column.
    pub(crate) target_found: bool,
    /// Whether names of samples are in the first column.
    pub(crate) samples_found: bool,
    /// A line, with its number of cells, that is too short to have as many as there are columns.
    pub(crate) ragged: Option<(usize, usize)>,
}

/// Goes through the lines of a table.
pub(crate) fn scan(table: &TextTable<'_>, search: Search<'_>) -> Result<Scan, IoError> {
    let delimiter = table.format.delimiter;
    let mut cutter = Cutter::open(table.path, table.cut)?;
    let mut block = TextBlock::default();
    let mut found = Scan::default();
    while cutter.fill_to(&mut block, SCANNED, 1)? {
        for line in table.lines(&block).0 {
            let text = block.text(line);
            found.rows += 1;
            if found.ragged.is_none() && text.len() + 1 < table.width {
                let cells = count_cells(text, line.quoted, delimiter);
                found.ragged = Some((line.number, cells));
            }
            let wanted = search.target.is_some() || search.samples.is_some();
            if wanted || found.first_cells.len() < KEPT {
                let cell = Cells::new(text, delimiter).next().unwrap_or_default();
                let name = decode(cell.trim_ascii());
                found.target_found |= search.target == Some(name.as_str());
                found.samples_found |= search
                    .samples
                    .is_some_and(|names| names.contains(name.as_str()));
                if found.first_cells.len() < KEPT {
                    found.first_cells.push(name);
                }
            }
            if search.limit.is_some_and(|limit| found.rows > limit) {
                return Ok(found);
            }
        }
    }
    found.complete = true;
    Ok(found)
}
