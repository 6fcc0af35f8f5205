//! Columns that are no features: each is accounted for, and one of numbers with marks (`<0.1`, `5%`) is asked about.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rfvm::UnusedColumns;

use crate::error::IoError;
use crate::source::{Annotation, ReadOptions, Source};
use crate::text::number::{NumberMark, Numbers, Value};

/// The reason of what was dropped.
pub(crate) const DROPPED: &str = "left out with --drop";

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

    /// Why it is no feature.
    fn reason(&self) -> String {
        match self.is_mostly_numbers() && self.texts.0 > 0 {
            true => format!(
                "text such as '{}' in {} of {} values",
                self.texts.1, self.texts.0, self.cells
            ),
            false if self.is_marked() => "numbers with marks".to_string(),
            false if self.cells == 0 => "empty".to_string(),
            false if self.numbers == self.cells => "beside the features in the file".to_string(),
            false => "text".to_string(),
        }
    }

    fn is_mostly_numbers(&self) -> bool {
        let marked: usize = self.marks.values().map(|(count, _)| count).sum();
        2 * (self.numbers + marked) >= self.cells && self.cells > 0
    }
}

/// Why a column is no feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnusedColumn {
    pub(crate) name: String,
    pub(crate) reason: String,
    /// Whether whoever reads the table has asked for that, and needs not be told.
    pub(crate) asked: bool,
}

impl UnusedColumn {
    pub(crate) fn new(name: &str, reason: impl Into<String>) -> Self {
        Self {
            name: name.to_string(),
            reason: reason.into(),
            asked: false,
        }
    }

    pub(crate) fn asked(name: &str, reason: &str) -> Self {
        Self {
            asked: true,
            ..Self::new(name, reason)
        }
    }
}

/// Columns by reason, in the order of the first of each.
pub(crate) fn by_reason(columns: &[UnusedColumn]) -> Vec<UnusedColumns> {
    let mut place: HashMap<&str, usize> = HashMap::new();
    let mut reasons: Vec<UnusedColumns> = Vec::new();
    for UnusedColumn { name, reason, .. } in columns {
        let at = *place.entry(reason).or_insert(reasons.len());
        if at == reasons.len() {
            reasons.push(UnusedColumns {
                reason: reason.clone(),
                count: 0,
                columns: Vec::new(),
            });
        }
        reasons[at].count += 1;
        reasons[at].columns.push(name.clone());
    }
    reasons
}

/// A sentence on the columns that nobody has asked to leave out.
pub(crate) fn unused_note(columns: &[UnusedColumn]) -> Option<String> {
    let untold: Vec<UnusedColumn> = columns.iter().filter(|c| !c.asked).cloned().collect();
    let reasons = by_reason(&untold);
    let reasons: Vec<String> = reasons.iter().map(UnusedColumns::sentence).collect();
    (!reasons.is_empty()).then(|| format!("not used as features: {}", reasons.join(", ")))
}

impl Source {
    /// The columns that are no features, by reason, before a target is chosen.
    pub fn unused(&self, options: &ReadOptions) -> Vec<UnusedColumns> {
        let numbers = Numbers::new(options, false);
        let columns = self.annotations.iter();
        let columns: Vec<UnusedColumn> = columns
            .map(|Annotation { name, values }| {
                UnusedColumn::new(name, CellTally::of(values, &numbers).reason())
            })
            .collect();
        by_reason(&columns)
    }
}

/// Makes features of the columns of marked numbers whose marks the caller has explained, asks about the others (but those
/// that are dropped), and says which columns are not used, and why.
pub(crate) fn account_for(
    source: &mut Source,
    options: &ReadOptions,
    dropped: &[String],
    path: &Path,
) -> Result<Vec<UnusedColumn>, IoError> {
    // Readers have put decimal points into texts.
    let numbers = Numbers::new(options, false);
    let mut unused = Vec::new();
    let mut explained = Vec::new();
    for (at, Annotation { name, values }) in source.annotations.iter().enumerate() {
        if dropped.contains(name) {
            unused.push(UnusedColumn::asked(name, DROPPED));
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
        unused.push(UnusedColumn::new(name, tally.reason()));
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
    Ok(unused)
}
