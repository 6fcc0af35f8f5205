//! What stands above a table or between its header and its numbers: titles, a second header, a row of units.

use super::cells::Delimiter;
use super::dialect::HeadLine;
use super::number::{Numbers, Value};
use super::words::{FORMAT, counted, decode};
use crate::error::{IoError, quoted};
use crate::source::{Orientation, ReadOptions};
use std::path::Path;

/// Titles that are set aside at most.
const MOST_TITLES: usize = 30;
/// A first cell that says that its row has units.
const UNIT_WORDS: [&str; 6] = ["einheit", "einheiten", "uom", "unit", "units", "unités"];
/// Units that have no sign in them by which units are known.
const UNITS: [&str; 24] = [
    "au", "bpm", "cm", "count", "counts", "cpm", "da", "days", "fl", "fpkm", "g", "kg", "kpa",
    "log2", "m", "mg", "mm", "mmhg", "months", "pg", "ppm", "rpkm", "tpm", "years",
];

/// The lines above the header: those with hardly a cell where the others have many.
pub(crate) fn titles(lines: &[HeadLine], delimiter: Delimiter) -> &[HeadLine] {
    if !matches!(delimiter, Delimiter::Byte(_)) {
        return &[];
    }
    let counts: Vec<usize> = lines.iter().map(|line| line.count(delimiter)).collect();
    let alike = |count: usize| counts.iter().filter(|&&other| other == count).count();
    let usual = counts
        .iter()
        .copied()
        .max_by_key(|&count| (alike(count), count));
    let usual = usual.unwrap_or_default();
    if usual < 3 || 2 * alike(usual) < counts.len() {
        return &[];
    }
    let is_title = |line: &HeadLine, count: usize| {
        let filled = line
            .cells(delimiter)
            .iter()
            .filter(|cell| !cell.is_empty())
            .count();
        filled <= 2 && count + 1 < usual || filled <= 1 && count == usual
    };
    let titles = (lines.iter().zip(&counts)).take_while(|&(line, &count)| is_title(line, count));
    let titles = titles.count();
    // All of a table's lines are not its titles.
    if titles > MOST_TITLES || titles + 1 >= lines.len() {
        return &[];
    }
    lines.get(..titles).unwrap_or_default()
}

/// A note on the lines above the header.
pub(crate) fn titles_note(titles: &[HeadLine], delimiter: Delimiter) -> Option<String> {
    let (first, last) = (titles.first()?, titles.last()?);
    let cells = titles.iter().flat_map(|line| line.cells(delimiter));
    let text = cells.into_iter().find(|cell| !cell.is_empty());
    let text = quoted(&decode(&text.unwrap_or_default()));
    Some(match titles.len() {
        1 => format!(
            "line {} ({text}) stands above the header and was left out",
            first.number
        ),
        _ => format!(
            "lines {} to {} ({text}, ...) stand above the header and were left out",
            first.number, last.number
        ),
    })
}

/// What the first line below the header is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstLine {
    /// A line of the table.
    Data,
    /// Units, or a second header without a name of its own.
    Units,
    /// Text above the numbers of so many columns.
    Unclear(usize),
}

impl FirstLine {
    /// Looks at the first line below the header against those that follow it.
    pub(crate) fn find(
        header: &HeadLine,
        data: &[HeadLine],
        delimiter: Delimiter,
        numbers: &Numbers,
        options: &ReadOptions,
    ) -> Self {
        let Some((first, rest)) = data.split_first().filter(|(_, rest)| rest.len() > 2) else {
            return Self::Data;
        };
        if options.orientation == Some(Orientation::FeaturesAsRows) {
            return Self::Data;
        }
        let cells = first.cells(delimiter);
        let name = decode(cells.first().map_or(&[][..], Vec::as_slice));
        let names = header.cells(delimiter);
        let known = options.sample_names.iter().flatten();
        let samples_above = known
            .clone()
            .any(|known| names.iter().any(|name| *name == known.as_bytes()));
        if options.target.as_deref() == Some(&name) || samples_above {
            return Self::Data;
        }
        let rows: Vec<Vec<Vec<u8>>> = rest.iter().map(|line| line.cells(delimiter)).collect();
        let (mut columns, mut above) = (0, Vec::new());
        for (column, cell) in cells.iter().enumerate().skip(1) {
            let below = || rows.iter().filter_map(|row| row.get(column));
            let is = |kind: fn(&Value) -> bool| below().any(|cell| kind(&numbers.value(cell)));
            if !is(|value| matches!(value, Value::Number(_))) || is(|value| *value == Value::Text) {
                continue;
            }
            columns += 1;
            match numbers.value(cell) {
                Value::Number(_) => return Self::Data,
                Value::Text if numbers.marked(cell).is_some() => return Self::Data,
                Value::Text => above.push(decode(cell)),
                Value::Missing => {}
            }
        }
        if above.len() < 2 || 2 * above.len() < columns {
            return Self::Data;
        }
        let same_name = names
            .first()
            .is_some_and(|first| **first == *name.as_bytes());
        let says_so = UNIT_WORDS.contains(
            &name
                .trim_matches(['[', ']', '(', ')'])
                .to_lowercase()
                .as_str(),
        );
        let units = above.iter().filter(|text| is_unit(text)).count();
        match name.is_empty() || same_name || says_so || 2 * units > above.len() {
            true => Self::Units,
            false => Self::Unclear(above.len()),
        }
    }
}

fn is_unit(text: &str) -> bool {
    let bare = text.trim_matches(['[', ']', '(', ')']);
    bare.len() < text.len()
        || text.contains(['/', '%', '°', 'µ', 'μ', '^'])
        || UNITS.contains(&bare.to_lowercase().as_str())
}

/// A note on a line of units.
pub(crate) fn units_note(line: &HeadLine, delimiter: Delimiter) -> String {
    let cells = line.cells(delimiter);
    let shown = cells.iter().skip(1).filter(|cell| !cell.is_empty()).take(3);
    let shown: Vec<String> = shown.map(|cell| quoted(&decode(cell))).collect();
    format!(
        "line {} below the header ({}, ...) has units or second names above the numbers and was left out",
        line.number,
        shown.join(", ")
    )
}

/// The error for a line of text above numbers that may be anything.
pub(crate) fn unclear_line(path: &Path, line: &HeadLine, columns: usize) -> IoError {
    let what = format!(
        "it is text above the numbers of {}, a second header or units; delete the line (or, if samples are columns, say --samples columns)",
        counted(columns, "column")
    );
    IoError::malformed(path, FORMAT, format!("line {}", line.number), what)
}
