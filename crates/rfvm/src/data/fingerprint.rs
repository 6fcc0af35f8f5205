//! A data set's fingerprint: by it a report tells whether it was given the data that a model was fitted on.

use sha2::{Digest, Sha256};

use super::dataset::{Dataset, Target};
use super::table::Table;

impl Dataset {
    /// SHA-256 over names, target and values, in the data set's order, as `sha256:` and hexadecimal digits. All missing
    /// values are alike, and so are both zeros.
    pub fn fingerprint(&self) -> String {
        fingerprint(self.table(), self.target())
    }
}

/// That of a table with its target.
pub(super) fn fingerprint(table: &Table, target: &Target) -> String {
    let mut hash = Sha256::new();
    words(&mut hash, table.feature_names().iter());
    words(&mut hash, table.sample_names().iter().map(String::as_str));
    match target {
        Target::Classes { names, labels } => {
            words(&mut hash, names.iter().map(String::as_str));
            labels
                .iter()
                .for_each(|&label| hash.update((label as u64).to_le_bytes()));
        }
        Target::Values(values) => hash.update(bytes(values)),
    }
    for d in 0..table.features() {
        hash.update(bytes(table.feature(d)));
    }
    if let Some(covariates) = table.covariates() {
        words(&mut hash, covariates.names().iter().map(String::as_str));
        for texts in covariates.texts() {
            words(&mut hash, texts.iter().map(String::as_str));
        }
    }
    let hex: String = (hash.finalize().iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{hex}")
}

fn words<'w>(hash: &mut Sha256, words: impl ExactSizeIterator<Item = &'w str>) {
    hash.update((words.len() as u64).to_le_bytes());
    for word in words {
        hash.update((word.len() as u64).to_le_bytes());
        hash.update(word.as_bytes());
    }
}

fn bytes(values: &[f64]) -> Vec<u8> {
    let same = |value: f64| {
        if value.is_nan() {
            f64::NAN
        } else {
            value + 0.0
        }
    };
    let bits = values.iter().map(|&value| same(value).to_bits());
    bits.flat_map(u64::to_le_bytes).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    fn data(values: [f64; 8], names: [&str; 2], labels: [usize; 4]) -> Dataset {
        let samples = (1..=4).map(|n| format!("s{n}")).collect();
        let features = names.map(str::to_string).to_vec();
        let table = Table::with_missing(values.to_vec(), features, samples).unwrap();
        let names = vec!["a".to_string(), "b".to_string()];
        let labels = labels.to_vec();
        Dataset::new(table, Target::Classes { names, labels }).unwrap()
    }

    const VALUES: [f64; 8] = [1.0, 2.0, f64::NAN, 4.0, 0.0, 6.0, 7.0, 8.0];

    #[test]
    fn everything_that_matters_changes_it_and_nothing_else_does() {
        let first = data(VALUES, ["x", "y"], [0, 1, 0, 1]).fingerprint();
        assert!(first.starts_with("sha256:") && first.len() == 71);
        let mut same = VALUES;
        (same[2], same[4]) = (-f64::NAN, -0.0);
        assert_eq!(data(same, ["x", "y"], [0, 1, 0, 1]).fingerprint(), first);
        let mut other = VALUES;
        other[7] = 8.000_000_001;
        for changed in [
            data(other, ["x", "y"], [0, 1, 0, 1]),
            data(VALUES, ["x", "z"], [0, 1, 0, 1]),
            data(VALUES, ["x", "y"], [0, 1, 1, 0]),
        ] {
            assert_ne!(changed.fingerprint(), first);
        }
    }
}
