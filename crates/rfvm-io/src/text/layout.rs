//! What the lines and columns of a text table are: header, names, descriptions, and which way the samples lie.

use std::collections::HashSet;
use std::path::Path;

use super::above::{FirstLine, titles, titles_note, unclear_line, units_note};
use super::cells::{CellFormat, Cells, Delimiter, Stray, parse_line};
use super::dialect::{Head, HeadLine};
use super::names::{TableNames, count_descriptions, find_header, guess};
use super::number::Numbers;
use super::scan::{Search, scan};
use super::table::TextTable;
use super::words::MAX_TEXTS;
use super::words::decode;
use crate::error::{IoError, quoted};
use crate::source::{Orientation, ReadOptions};

/// The first column is looked at for at least so many lines, so that names can be told from classes.
const MIN_SCAN: usize = 1000;

/// How a note on a column of descriptions ends.
pub(crate) const DESCRIBES: &str = "describes the features and goes along with their names";

/// A table with everything found out that can be without reading its numbers.
pub(crate) struct Layout<'a> {
    pub(crate) table: TextTable<'a>,
    pub(crate) orientation: Orientation,
    /// Not guessed from the shape.
    pub(crate) certain: bool,
    /// Columns with text in the first lines.
    pub(crate) texts: Vec<usize>,
    /// The number of rows, where they have been counted.
    pub(crate) rows: Option<usize>,
    pub(crate) notes: Vec<String>,
}

/// Finds out the layout of a table from the head of its file and from its first column.
pub(crate) fn find<'a>(
    path: &'a Path,
    head: &Head,
    options: &ReadOptions,
) -> Result<Layout<'a>, IoError> {
    let numbers = Numbers::new(options, head.decimal_comma);
    let delimiter = head.delimiter;
    let titles = match options.header {
        Some(false) => &[],
        _ => titles(&head.lines, delimiter),
    };
    let lines = head.lines.get(titles.len()..).unwrap_or_default();
    let has_header = options
        .header
        .unwrap_or_else(|| find_header(lines, delimiter, &numbers));
    let (header_line, mut data) = match lines.split_first() {
        Some((first, rest)) if has_header => (Some(first), rest),
        _ => (None, lines),
    };
    let mut notes: Vec<String> = titles_note(titles, delimiter).into_iter().collect();
    let first_line = header_line.map_or(FirstLine::Data, |header| {
        FirstLine::find(header, data, delimiter, &numbers, options)
    });
    if let (FirstLine::Units, Some((units, rest))) = (first_line, data.split_first()) {
        notes.push(units_note(units, delimiter));
        data = rest;
    }
    let Some(first_data) = data.first() else {
        let number = header_line.map_or(1, |line| line.number);
        let what = "there is nothing below the header";
        return Err(IoError::malformed(
            path,
            super::words::FORMAT,
            format!("line {number}"),
            what,
        ));
    };
    let shape = LineShape::find(header_line, data, delimiter);
    let mut table = TextTable {
        path,
        kind: super::words::FORMAT,
        cut: head.cut,
        format: CellFormat {
            delimiter,
            numbers,
            trailing: shape.trailing,
        },
        header: shape.header,
        width: shape.width,
        first_line: first_data.number,
        names: false,
        descriptions: 0,
        stop: None,
    };
    if let Some(found) = shape.mismatch {
        return Err(table.ragged(first_data.number, found));
    }
    let unclear = |orientation| match first_line {
        FirstLine::Unclear(columns) if orientation != Some(Orientation::FeaturesAsRows) => {
            Some(unclear_line(path, first_data, columns))
        }
        _ => None,
    };
    let mut texts = match find_texts(&table, data) {
        Ok(texts) => texts,
        Err(error) => return Err(unclear(options.orientation).unwrap_or(error)),
    };
    if !head.utf8 {
        notes.push("the text is not UTF-8 and was read as Latin-1".to_owned());
    }
    let in_header = |name: &str| {
        let mut header = table.header.iter().flatten();
        header.any(|present| present == name)
    };
    let target = options.target.as_deref();
    let samples: HashSet<&str> = options
        .sample_names
        .iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let known = if options.orientation.is_some() {
        options.orientation
    } else if target.is_some_and(|target| table.column(target).is_some()) {
        Some(Orientation::SamplesAsRows)
    } else {
        None
    };
    let samples_in_header = samples.iter().any(|name| in_header(name));
    let look_for_target = target.filter(|_| known.is_none());
    let look_for_samples =
        (known.is_none() && !samples.is_empty() && !samples_in_header).then_some(&samples);
    let whole = known == Some(Orientation::SamplesAsRows)
        || look_for_target.is_some()
        || look_for_samples.is_some();
    let search = Search {
        limit: (!whole).then_some(table.width.max(MIN_SCAN)),
        target: look_for_target,
        samples: look_for_samples,
    };
    let found = scan(&table, search)?;
    let known = match known {
        None if found.target_found => Some(Orientation::FeaturesAsRows),
        None if samples_in_header => Some(Orientation::FeaturesAsRows),
        None if found.samples_found => Some(Orientation::SamplesAsRows),
        known => known,
    };
    let rows = found.complete.then_some(found.rows);
    let names = TableNames::find(&table, &found, options, known, shape.short_header);
    table.names = names.any;
    let descriptions = |known_ones_only| {
        let number = count_descriptions(&table, data, known_ones_only);
        number.min(table.width.saturating_sub(2))
    };
    let orientation =
        known.unwrap_or_else(|| guess(&table, &found, &names, &texts, data, descriptions(true)));
    if let Some(error) = unclear(Some(orientation)) {
        return Err(error);
    }
    if orientation == Orientation::FeaturesAsRows && table.names {
        table.descriptions = descriptions(known.is_none());
        for column in 1..=table.descriptions {
            let name = table.header.as_ref().and_then(|header| header.get(column));
            let name = name.map_or_else(|| (column + 1).to_string(), |name| quoted(name));
            notes.push(format!("column {name} {DESCRIBES}"));
        }
    }
    if names.any && names.numbers && options.row_names.is_none() {
        let name = table
            .header
            .iter()
            .flatten()
            .next()
            .filter(|name| !name.is_empty());
        let name = name.map_or_else(String::new, |name| format!(", {},", quoted(name)));
        notes.push(format!(
            "the whole numbers in the first column{name} were taken as names"
        ));
    }
    // Only a table of samples is measured by its rows; where they are too short, nothing can be allocated for them.
    if orientation == Orientation::SamplesAsRows
        && let Some((line, cells)) = found.ragged
    {
        return Err(table.ragged(line, cells));
    }
    texts.retain(|&column| column > 0 || !table.names);
    Ok(Layout {
        table,
        orientation,
        certain: known.is_some(),
        texts,
        rows,
        notes,
    })
}

/// How many columns there are, and their names.
struct LineShape {
    width: usize,
    header: Option<Vec<String>>,
    /// The header lacks the name of the first column, as R writes it.
    short_header: bool,
    trailing: bool,
    /// The cells of the first line where they fit no header.
    mismatch: Option<usize>,
}

impl LineShape {
    fn find(header: Option<&HeadLine>, data: &[HeadLine], delimiter: Delimiter) -> Self {
        let counts: Vec<usize> = data.iter().map(|line| line.count(delimiter)).collect();
        let usual = counts.iter().copied().max_by_key(|&count| {
            (
                counts.iter().filter(|&&other| other == count).count(),
                count,
            )
        });
        let usual = usual.unwrap_or_default();
        let fully_trailing = data.iter().all(|line| line.ends_empty(delimiter));
        let some_trailing = |width: usize| {
            let mut lines = data.iter().zip(&counts);
            lines.any(|(line, &count)| count == width + 1 && line.ends_empty(delimiter))
        };
        let Some(header) = header else {
            let trailing = fully_trailing && usual > 1;
            return Self {
                width: usual - usize::from(trailing),
                header: None,
                short_header: false,
                trailing,
                mismatch: None,
            };
        };
        // With room for one more name, but not for the many that growing on its own would make.
        let mut names = Vec::with_capacity(header.count(delimiter) + 1);
        names.extend(Cells::new(&header.text, delimiter).map(|cell| decode(cell.trim_ascii())));
        let header_trails = names.len() > 1 && header.ends_empty(delimiter);
        let mut shape = Self {
            width: names.len(),
            header: None,
            short_header: false,
            trailing: false,
            mismatch: None,
        };
        if counts.contains(&names.len()) {
            if header_trails && fully_trailing {
                shape.width -= 1;
                shape.trailing = true;
            } else {
                shape.trailing = some_trailing(shape.width);
            }
        } else if usual == names.len() + 1 && fully_trailing {
            shape.trailing = true;
        } else if usual == names.len() + 1 {
            names.insert(0, String::new());
            shape.width += 1;
            shape.short_header = true;
        } else if usual + 1 == names.len() && header_trails {
            shape.width -= 1;
        } else {
            shape.mismatch = counts.first().copied();
        }
        names.truncate(shape.width);
        shape.header = Some(names);
        shape
    }
}

/// The columns with text in the first lines.
fn find_texts(table: &TextTable<'_>, data: &[HeadLine]) -> Result<Vec<usize>, IoError> {
    let roles = table.roles();
    let mut out = vec![0.0; table.width];
    let mut columns: HashSet<usize> = HashSet::new();
    for line in data {
        // Lines of other lengths are met again later.
        let extras = parse_line(&line.text, line.quoted, &table.format, &roles, &mut out);
        for Stray { column, text } in extras.map(|extras| extras.strays).unwrap_or_default() {
            columns.insert(column);
            if columns.len() > MAX_TEXTS {
                return Err(table.no_numbers(line.number, column, &text));
            }
        }
    }
    let mut columns: Vec<usize> = columns.into_iter().collect();
    columns.sort_unstable();
    Ok(columns)
}
