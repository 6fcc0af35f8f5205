//! Columns that are no features: each is accounted for, and one of numbers with marks (`<0.1`, `5%`) is asked about.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::IoError;
use crate::labels::quoted_list;
use crate::source::{Annotation, ReadOptions, Source};
use crate::text::number::{NumberMark, Numbers, Value};

/// What the cells of a column are, missing ones apart.
struct CellTally<'c> {
    cells: usize,
    numbers: usize,
    /// How many cells have a mark, and the first of them.
    marks: BTreeMap<NumberMark, (usize, &'c str)>,
    /// How many are plain text, and the first of them.
    texts: (usize, &'c str),
}

impl<'c> CellTally<'c> {
    fn of(values: &'c [String], numbers: &Numbers) -> Self {
        let mut tally = Self {
            cells: 0,
            numbers: 0,
            marks: BTreeMap::new(),
            texts: (0, ""),
        };
        for text in values.iter().filter(|text| !text.is_empty()) {
            tally.cells += 1;
            let cell = text.as_bytes();
            match (numbers.marked(cell), numbers.value(cell)) {
                (Some((mark, _)), _) => tally.marks.entry(mark).or_insert((0, text)).0 += 1,
                (None, Value::Text) if tally.texts.0 == 0 => tally.texts = (1, text),
                (None, Value::Text) => tally.texts.0 += 1,
                (None, Value::Number(_) | Value::Missing) => tally.numbers += 1,
            }
        }
        tally
    }

    /// Numbers throughout, some of them with marks.
    fn is_marked(&self) -> bool {
        self.texts.0 == 0 && !self.marks.is_empty()
    }

    fn is_mostly_numbers(&self) -> bool {
        let marked: usize = self.marks.values().map(|(count, _)| count).sum();
        2 * (self.numbers + marked) >= self.cells && self.cells > 0
    }
}

/// Makes features of the columns of marked numbers whose marks the caller has explained, asks about the others (but those
/// that are dropped), and notes which columns are not used, and why.
pub(crate) fn account_for(
    source: &mut Source,
    options: &ReadOptions,
    dropped: &[String],
    path: &Path,
) -> Result<(), IoError> {
    // Readers have put decimal points into texts.
    let numbers = Numbers::new(options, false);
    let mut words = Vec::new();
    let mut reasons = Vec::new();
    let mut explained = Vec::new();
    for (at, Annotation { name, values }) in source.annotations.iter().enumerate() {
        if dropped.contains(name) {
            continue;
        }
        let tally = CellTally::of(values, &numbers);
        let known = |text: &String| numbers.value(text.as_bytes()) != Value::Text;
        if tally.is_marked() && values.iter().all(known) {
            explained.push(at);
            continue;
        }
        if let Some((mark, (count, text))) = tally.marks.iter().next().filter(|_| tally.is_marked())
        {
            let (what, how) = mark.in_words();
            return Err(IoError::choice(
                path,
                format!(
                    "column '{name}' has {count} of {} values like '{text}', {what}; say so with {how}, or leave the column out with --drop",
                    tally.cells
                ),
            ));
        }
        match tally.is_mostly_numbers() && tally.texts.0 > 0 {
            true => reasons.push(format!(
                "'{name}' (text such as '{}' in {} of {} values)",
                tally.texts.1, tally.texts.0, tally.cells
            )),
            false => words.push(name.as_str()),
        }
    }
    let listed = (!words.is_empty()).then(|| quoted_list(words.into_iter()));
    let all: Vec<String> = listed.into_iter().chain(reasons).collect();
    if !all.is_empty() {
        let note = format!("not used as features: {}", all.join(", "));
        source.notes.push(note);
    }
    for &at in explained.iter().rev() {
        let Annotation { name, values } = source.annotations.remove(at);
        let value = |text: &String| match numbers.value(text.as_bytes()) {
            Value::Number(number) => number,
            Value::Missing | Value::Text => f64::NAN,
        };
        source.matrix.values.extend(values.iter().map(value));
        source.matrix.features += 1;
        source.feature_names.get_or_insert_default().push(name);
    }
    Ok(())
}
