//! Signs by which names are told from numbers and from classes, and samples from features.

use std::collections::HashSet;

use super::cells::{Cells, Delimiter};
use super::dialect::HeadLine;
use super::likeness;
use super::number::{Numbers, Value};
use super::scan::Scan;
use super::table::TextTable;
use super::words::decode;
use crate::source::{Orientation, ReadOptions};

/// Words in the name of a column that holds the names of samples.
const SAMPLE_WORDS: [&str; 7] = [
    "sample",
    "patient",
    "subject",
    "participant",
    "individual",
    "barcode",
    "donor",
];
/// Words in the name of a column that holds the names of features.
const FEATURE_WORDS: [&str; 11] = [
    "gene",
    "probe",
    "feature",
    "symbol",
    "id_ref",
    "transcript",
    "ensembl",
    "otu",
    "protein",
    "metabolite",
    "taxon",
];
/// Names of columns that hold classes.
const CLASS_WORDS: [&str; 11] = [
    "class",
    "label",
    "target",
    "group",
    "status",
    "outcome",
    "diagnosis",
    "y",
    "type",
    "response",
    "disease",
];
/// Words in the names of columns that describe features.
const DESCRIPTION_WORDS: [&str; 8] = [
    "desc",
    "symbol",
    "title",
    "entrez",
    "gene_name",
    "gene name",
    "definition",
    "annotation",
];

/// Lines by which codes of classes are told from measurements, and the most codes.
const MIN_ROWS: usize = 20;
const MOST_CODES: usize = 5;

/// Whether the first line holds names: where it has text above numbers, or signs of names that are numbers.
pub(crate) fn find_header(lines: &[HeadLine], delimiter: Delimiter, numbers: &Numbers) -> bool {
    let Some((first, rest)) = lines.split_first() else {
        return false;
    };
    let is_number = |cell: &[u8]| matches!(numbers.value(cell), Value::Number(_));
    let is_text = |cell: &[u8]| numbers.value(cell) == Value::Text;
    let names = first.cells(delimiter);
    let Some(second) = rest.first() else {
        return !names.iter().any(|cell| is_number(cell));
    };
    let rows: Vec<Vec<Vec<u8>>> = rest.iter().map(|line| line.cells(delimiter)).collect();
    if first.count(delimiter) + 1 == second.count(delimiter) && !second.ends_empty(delimiter) {
        return true;
    }
    let text_above_numbers = names.iter().enumerate().any(|(column, name)| {
        let mut below = rows.iter().filter_map(|row| row.get(column));
        is_text(name)
            && below.clone().any(|cell| is_number(cell))
            && !below.any(|cell| is_text(cell))
    });
    let first_name = decode(names.first().map_or(&[][..], Vec::as_slice)).to_lowercase();
    let telling = is_name_word(&first_name) || CLASS_WORDS.contains(&first_name.as_str());
    if text_above_numbers || telling || !names.iter().any(|cell| is_number(cell)) {
        return true;
    }
    let inner_quote = |line: &HeadLine| {
        let cells = line.text.windows(2);
        matches!(delimiter, Delimiter::Byte(byte) if cells.into_iter().any(|pair| pair == [byte, b'"']))
    };
    let beside_empty = names.first().is_some_and(Vec::is_empty)
        && rows
            .iter()
            .any(|row| row.first().is_some_and(|cell| !cell.is_empty()));
    beside_empty
        || inner_quote(first) && !rest.iter().any(inner_quote)
        || is_count(&names)
            && !rows.first().is_some_and(|row| is_count(row))
            // Two or three numbers can count by chance.
            && (names.len() > 3 || rows.iter().flatten().any(|cell| is_number(cell) && !is_whole(cell)))
}

/// Whether cells, or all but the first, count from 0 or 1.
fn is_count(cells: &[Vec<u8>]) -> bool {
    let counts = |cells: &[Vec<u8>]| {
        let from = usize::from(cells.first().is_some_and(|cell| cell == b"1"));
        let mut numbered = cells.iter().zip(from..);
        cells.len() > 1 && numbered.all(|(cell, number)| cell == number.to_string().as_bytes())
    };
    counts(cells) || cells.split_first().is_some_and(|(_, rest)| counts(rest))
}

fn is_whole(cell: &[u8]) -> bool {
    cell.iter().all(u8::is_ascii_digit)
}

fn is_name_word(name: &str) -> bool {
    matches!(
        name,
        "id" | "name" | "names" | "index" | "row" | "rownames" | "unnamed: 0"
    ) || name.ends_with("_id")
        || name.ends_with(" id")
        || SAMPLE_WORDS
            .iter()
            .chain(&FEATURE_WORDS)
            .any(|word| name.contains(word))
}

/// What is known of the first column.
pub(crate) struct TableNames {
    /// It holds names.
    pub(crate) any: bool,
    /// Its cells are numbers.
    pub(crate) numbers: bool,
    /// Its own name, in lower case.
    title: String,
}

impl TableNames {
    pub(crate) fn find(
        table: &TextTable<'_>,
        found: &Scan,
        options: &ReadOptions,
        orientation: Option<Orientation>,
        short_header: bool,
    ) -> Self {
        let header = table.header.as_ref().and_then(|header| header.first());
        let title = header.map_or_else(String::new, |name| name.to_lowercase());
        let numbers = &table.format.numbers;
        let texts = |cell: &&String| numbers.value(cell.as_bytes()) == Value::Text;
        let present: Vec<&String> = found
            .first_cells
            .iter()
            .filter(|cell| !cell.is_empty())
            .collect();
        let text_count = present.iter().copied().filter(texts).count();
        let distinct = present.iter().collect::<HashSet<_>>().len();
        let target = options.target.as_deref();
        let is_target = target.and_then(|target| table.column(target)) == Some(0);
        let unnamed = header.is_some_and(String::is_empty);
        let mostly_text = 2 * text_count > present.len();
        let any = if is_target && orientation != Some(Orientation::FeaturesAsRows) {
            false
        } else if let Some(given) = options.row_names {
            given
        } else if table.width < 2 {
            false
        } else if short_header || unnamed || found.target_found || found.samples_found {
            true
        } else if CLASS_WORDS.contains(&title.as_str()) {
            false
        } else if mostly_text {
            let features = orientation == Some(Orientation::FeaturesAsRows);
            features || is_name_word(&title) || 2 * distinct > present.len()
        } else {
            is_name_word(&title)
                && present.len() == found.first_cells.len()
                && distinct == present.len()
                && present.iter().all(|cell| is_whole(cell.as_bytes()))
        };
        Self {
            any,
            numbers: text_count == 0,
            title,
        }
    }

    fn has_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.title.contains(word))
    }
}

/// Guesses the orientation. Names tell, and a column of classes beside measured ones; else the shape: tables of features are
/// longer than wide, and all numbers but for names.
pub(crate) fn guess(
    table: &TextTable<'_>,
    found: &Scan,
    names: &TableNames,
    texts: &[usize],
    data: &[HeadLine],
    descriptions: usize,
) -> Orientation {
    let first = 1 + descriptions;
    let columns = table.width.saturating_sub(first);
    let numeric = texts.iter().all(|&column| column < first);
    let longer = found.rows > columns;
    let samples = names.has_word(&SAMPLE_WORDS)
        || !names.has_word(&FEATURE_WORDS)
            && (likeness::names_are_of_samples(table, found) || has_classes(table, data, first));
    let features = names.any
        && numeric
        && columns >= 3
        && !samples
        && (names.has_word(&FEATURE_WORDS) || longer && !names.numbers);
    if features {
        Orientation::FeaturesAsRows
    } else {
        Orientation::SamplesAsRows
    }
}

/// Whether a column is called a class, or holds few whole numbers where most others are measured: the columns of a table of
/// features are samples, which are all alike.
fn has_classes(table: &TextTable<'_>, data: &[HeadLine], first: usize) -> bool {
    let header = table.header.iter().flatten().skip(first);
    let called = |name: &String| CLASS_WORDS.contains(&name.to_lowercase().as_str());
    if header.into_iter().any(called) {
        return true;
    }
    let numbers = &table.format.numbers;
    let rows: Vec<Vec<Vec<u8>>> = (data.iter())
        .map(|line| line.cells(table.format.delimiter))
        .collect();
    if rows.len() < MIN_ROWS {
        return false;
    }
    let (mut codes, mut measured) = (0, 0);
    let width = rows.iter().map(Vec::len).min().unwrap_or(0);
    for column in first..width {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells: Vec<&Vec<u8>> = cells
            .filter(|cell| matches!(numbers.value(cell), Value::Number(_)))
            .collect();
        let different = cells.iter().collect::<HashSet<_>>().len();
        let whole = cells.iter().all(|cell| is_whole(cell));
        codes += usize::from(whole && (2..=MOST_CODES).contains(&different));
        measured += usize::from(!whole && different > MOST_CODES);
    }
    codes > 0 && measured > 4 * codes
}

/// The columns beside the names that describe the features: text in lines whose last cell is a number.
pub(crate) fn count_descriptions(
    table: &TextTable<'_>,
    data: &[HeadLine],
    known_ones_only: bool,
) -> usize {
    let numbers = &table.format.numbers;
    let rows: Vec<Vec<Value>> = data
        .iter()
        .map(|line| {
            let cells = Cells::new(&line.text, table.format.delimiter).take(table.width);
            cells.map(|cell| numbers.value(&cell)).collect()
        })
        .filter(|row: &Vec<Value>| {
            row.len() == table.width && matches!(row.last(), Some(Value::Number(_)))
        })
        .collect();
    let title = |column: usize| {
        let header = table.header.as_ref().and_then(|header| header.get(column));
        header.map_or_else(String::new, |name| name.to_lowercase())
    };
    let describes = |column: usize| {
        let title = title(column);
        let known = DESCRIPTION_WORDS.iter().any(|word| title.contains(word));
        let has =
            |kind: fn(&Value) -> bool| rows.iter().filter_map(|row| row.get(column)).any(kind);
        let texts = has(|value| *value == Value::Text);
        let only_texts = texts && !has(|value| matches!(value, Value::Number(_)));
        // Identifiers of genes are numbers, and not of a sample.
        known && (texts || title.contains("entrez")) || !known_ones_only && only_texts
    };
    (1..table.width)
        .take_while(|&column| describes(column))
        .count()
}
