//! Columns that say where and when a sample was measured: batches, sites, plates.

use crate::common::number_text;
use crate::source::{Annotation, Source};

/// Words in the name of such a column.
const BATCH_WORDS: [&str; 29] = [
    "array",
    "arrays",
    "batch",
    "batches",
    "center",
    "centers",
    "centre",
    "centres",
    "chip",
    "clinic",
    "cohort",
    "hospital",
    "institute",
    "institution",
    "instrument",
    "lab",
    "laboratory",
    "lane",
    "machine",
    "operator",
    "plate",
    "plateid",
    "platform",
    "run",
    "runid",
    "scanner",
    "sentrix",
    "site",
    "slide",
];

/// A column of so many values at most, a sample, is one of batches.
const MOST_BATCHES: usize = 100;

/// Whether the name of a column is that of a batch: one of its words is, however they are set apart (`Batch.ID`, `plate_no`,
/// `scannerType`), numbers behind them left out.
pub fn is_batch_name(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars() {
        let starts = !letter.is_alphanumeric() || letter.is_uppercase() && before_lower;
        if starts {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase();
    }
    let is_batch = |word: &String| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        BATCH_WORDS.binary_search(&word).is_ok()
    };
    words.iter().any(is_batch)
}

/// Whether texts can be those of batches: several, and more samples than values.
fn are_batches(values: &[String]) -> bool {
    let different: std::collections::HashSet<&String> = values.iter().collect();
    (2..=MOST_BATCHES).contains(&different.len()) && 2 * different.len() <= values.len()
}

impl Source {
    /// The columns of batches, by their names: text, and features of whole numbers, which stay features.
    pub fn batch_columns(&self) -> Vec<Annotation> {
        let texts = self.annotations.iter();
        let texts = texts.filter(|column| is_batch_name(&column.name));
        let n = self.matrix.samples.max(1);
        let names = self.feature_names.iter().flatten();
        // A file that does not name its features has none of these.
        let numbers = names.enumerate().filter(|(_, name)| is_batch_name(name));
        let numbers = numbers.filter_map(|(d, name)| {
            let values = self.matrix.values.get(d * n..(d + 1) * n)?;
            let whole = |value: &f64| value.is_nan() || value.fract() == 0.0;
            values.iter().all(whole).then(|| Annotation {
                name: name.clone(),
                values: values.iter().map(|&value| number_text(value)).collect(),
            })
        });
        let all = texts.cloned().chain(numbers);
        all.filter(|column| are_batches(&column.values)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_batches_are_known_by_their_words() {
        assert!(BATCH_WORDS.is_sorted());
        for name in [
            "site",
            "Batch",
            "BATCH_ID",
            "plate.no",
            "Study Centre",
            "scannerType",
            "PlateID",
            "run1",
            "collection_hospital",
            "array barcode",
        ] {
            assert!(is_batch_name(name), "{name}");
        }
        for name in [
            "prune",
            "RUNX1",
            "website",
            "arrayed",
            "labour",
            "g3",
            "outsite1x",
            "concentration",
        ] {
            assert!(!is_batch_name(name), "{name}");
        }
    }
}
