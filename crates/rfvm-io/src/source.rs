//! What a reader understood of a file, before any label is chosen: numbers, names, and columns that are not numbers.

use crate::matrix::Matrix;

/// Which way the samples lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// One sample a row, one feature a column.
    SamplesAsRows,
    /// One feature a row, one sample a column, as expression matrices usually are.
    FeaturesAsRows,
}

/// A column about the samples that is not a feature: a class, a sex, a site. Empty text is a missing value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Name of the column.
    pub name: String,
    /// One text per sample.
    pub values: Vec<String>,
}

/// Texts about features, by their names: a gene's symbol, a description, a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureTexts {
    /// What the columns are called.
    pub columns: Vec<String>,
    /// The name of a feature and one text a column; empty where there is none.
    pub rows: Vec<(String, Vec<String>)>,
}

impl FeatureTexts {
    /// Without columns that say nothing: empty ones, and the names again.
    pub(crate) fn telling(mut self) -> Self {
        let rows = &self.rows;
        let tells = |at: usize| {
            let texts = rows.iter();
            texts
                .map(|(name, texts)| (name, &texts[at]))
                .any(|(name, text)| !text.is_empty() && text != name)
        };
        let telling: Vec<bool> = (0..self.columns.len()).map(tells).collect();
        if !telling.contains(&true) {
            return Self::default();
        }
        let keep = |texts: &mut Vec<String>| {
            let mut at = telling.iter();
            texts.retain(|_| at.next() == Some(&true));
        };
        keep(&mut self.columns);
        self.rows.iter_mut().for_each(|(_, texts)| keep(texts));
        self
    }
}

/// A file as its reader understood it.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The format in words: "CSV", "GCT 1.2", "MATLAB v7".
    pub format: String,
    /// Which way the samples lay in the file. The matrix always has them as its samples.
    pub orientation: Orientation,
    /// Whether the file itself (or the caller) settled the orientation, or it was guessed from the shape.
    pub orientation_certain: bool,
    /// Samples by features; a missing value is NaN.
    pub matrix: Matrix,
    /// Names of the features, where the file has them.
    pub feature_names: Option<Vec<String>>,
    /// Whether they were numbered here, because the file has none.
    pub feature_names_made_up: bool,
    /// Names of the samples, where the file has them.
    pub sample_names: Option<Vec<String>>,
    /// Columns about the samples that are not features.
    pub annotations: Vec<Annotation>,
    /// Columns of text about the features.
    pub about_features: FeatureTexts,
    /// What a user should know of how the file was read, a sentence each.
    pub notes: Vec<String>,
}

/// What stands for a value beyond a limit of detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeyondLimit {
    /// Half the limit where it lies below, the limit where it lies above.
    Half,
    /// The limit.
    Limit,
    /// Nothing: the value is missing.
    Missing,
}

/// What the caller knows of a file; everything not given is found out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Forces the orientation.
    pub orientation: Option<Orientation>,
    /// The column (or, with features as rows, the row) that is to be the target, by its name. Where no column has this
    /// name, it may be the position of a column as the file has them, names of samples included: from 1, or from -1 at
    /// the end. It settles the orientation and is returned as an annotation under what it is called here, never as a
    /// feature.
    pub target: Option<String>,
    /// Names of samples from a label file: they settle the orientation.
    pub sample_names: Option<Vec<String>>,
    /// Text tables: the byte between two cells.
    pub delimiter: Option<u8>,
    /// Text tables: whether numbers have a decimal comma.
    pub decimal_comma: Option<bool>,
    /// Text tables: whether the first line holds names.
    pub header: Option<bool>,
    /// Text tables: whether the first column holds names.
    pub row_names: Option<bool>,
    /// Text tables: further spellings of a missing value, beside the usual ones.
    pub missing: Vec<String>,
    /// What a value below or above a limit of detection (`<0.1`, `>50`) stands for; `None`: it is no number.
    pub below: Option<BeyondLimit>,
    /// Percentages (`5%`) are numbers.
    pub percent: bool,
    /// Thousands may be set apart (`1,234`).
    pub thousands: bool,
    /// Text tables: columns that will not be used, so that nothing in them is a mistake.
    pub drop: Vec<String>,
    /// Reads only the first features.
    pub max_features: Option<usize>,
    /// Files of several arrays: the one that holds the numbers (`X` where there is one).
    pub array: Option<String>,
    /// Workbooks: the sheet.
    pub sheet: Option<String>,
    /// The most memory in bytes that what is read may take. `None`: 160 times the length of the file (at least 320 MiB),
    /// which sound files stay far below, and no more than three quarters of what the machine has to give. The files of one call
    /// count together.
    pub max_memory: Option<u64>,
    /// Memory in bytes that other files of the same command take already; it counts against the limit.
    pub held: u64,
}

/// The column that a target given by its position means, of so many.
pub(crate) fn column_at(target: &str, columns: usize) -> Option<usize> {
    let position: isize = target.parse().ok()?;
    let column = match position {
        1.. => position.unsigned_abs() - 1,
        _ => columns.checked_sub(position.unsigned_abs())?,
    };
    (column < columns).then_some(column)
}

impl ReadOptions {
    /// What the annotation that is the target is called: as the caller does. Where that is a position, the name of the
    /// column is noted.
    pub(crate) fn name_target(&self, name: String, notes: &mut Vec<String>) -> String {
        match &self.target {
            Some(asked) if *asked != name => {
                notes.push(format!("the target, column {asked}, is '{name}'"));
                asked.clone()
            }
            _ => name,
        }
    }
}

impl Source {
    /// Numbers the features of a file that does not name them. To be done before a target is taken out from among them, so that
    /// the numbers stay those of the file.
    pub(crate) fn number_features(&mut self) {
        if self.feature_names.is_none() {
            self.feature_names = Some(numbered('f', self.matrix.features));
            self.feature_names_made_up = true;
        }
    }
}

/// Names for what has none: f1, f2, ...
pub(crate) fn numbered(letter: char, count: usize) -> Vec<String> {
    rfvm::Names::numbered(letter, count).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one_and_from_the_end() {
        for (target, column) in [
            ("1", Some(0)),
            ("3", Some(2)),
            ("4", None),
            ("-1", Some(2)),
            ("-3", Some(0)),
            ("-4", None),
            ("0", None),
            ("class", None),
            ("1.0", None),
        ] {
            assert_eq!(column_at(target, 3), column, "{target}");
        }
    }
}
