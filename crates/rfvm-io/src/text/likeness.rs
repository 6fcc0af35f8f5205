//! Names that look like those of samples, or like those of features.

use super::scan::Scan;
use super::table::TextTable;

/// How names of samples begin, numbers behind them.
const SAMPLES: [&str; 19] = [
    "barcode",
    "case",
    "control",
    "ctrl",
    "donor",
    "gsm",
    "id",
    "individual",
    "mouse",
    "n",
    "p",
    "participant",
    "pat",
    "patient",
    "pt",
    "s",
    "sample",
    "subj",
    "subject",
];
/// How names of features begin, numbers behind them.
const FEATURES: [&str; 19] = [
    "asv", "cg", "ensg", "ensmusg", "f", "feature", "g", "gene", "hmdb", "loc", "m", "otu",
    "probe", "prot", "rs", "snp", "v", "var", "x",
];

/// The beginning of a name in front of its number; `None` where it does not end so.
fn stem(name: &str) -> Option<String> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let stem = bare.trim_end_matches(['_', '-', ' ', '.']);
    (bare.len() < name.len() && !stem.is_empty()).then(|| stem.to_lowercase())
}

/// The share of names that begin so.
fn share(names: &[String], stems: &[&str]) -> f64 {
    let like = |name: &&String| stem(name).is_some_and(|stem| stems.contains(&stem.as_str()));
    names.iter().filter(like).count() as f64 / names.len().max(1) as f64
}

/// Whether the names in the first column are of samples, or those of the columns are of features, and not the other way
/// round as well.
pub(crate) fn names_are_of_samples(table: &TextTable<'_>, found: &Scan) -> bool {
    let columns = table.header.as_deref().and_then(|header| header.get(1..));
    let columns = columns.unwrap_or_default();
    let rows = &found.first_cells;
    let most = |names: &[String], stems: &[&str]| share(names, stems) > 0.8;
    let for_samples = most(rows, &SAMPLES) || most(columns, &FEATURES);
    let for_features = most(rows, &FEATURES) || most(columns, &SAMPLES);
    for_samples && !for_features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_numbers() {
        assert!(SAMPLES.is_sorted() && FEATURES.is_sorted());
        for (name, found) in [
            ("s12", Some("s")),
            ("Patient_003", Some("patient")),
            ("gene00001", Some("gene")),
            ("TP53", Some("tp")),
            ("BRCA", None),
            ("17", None),
        ] {
            assert_eq!(stem(name).as_deref(), found, "{name}");
        }
    }
}
