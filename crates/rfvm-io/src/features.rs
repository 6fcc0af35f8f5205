//! Which features are used, and what becomes of the others.

use std::collections::HashSet;
use std::path::Path;

use rfvm::{MadeUpNames, Table};

use crate::error::IoError;
use crate::source::{Source, numbered};
use crate::unused::{DROPPED, UnusedColumn};

/// Which features are used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeatureChoice {
    /// Only these.
    pub only: Option<Vec<String>>,
    /// Not these.
    pub drop: Vec<String>,
    /// These in any case, whatever the other rules say.
    pub exempt: Vec<String>,
    /// Features with more than this share of missing values are left out.
    pub max_missing: Option<f64>,
}

/// The features chosen, as the engine's table.
pub(crate) fn make_table(
    source: Source,
    choice: &FeatureChoice,
    path: &Path,
    unused: &mut Vec<UnusedColumn>,
) -> Result<(Table, Vec<String>), IoError> {
    let Source {
        mut matrix,
        feature_names,
        feature_names_made_up,
        sample_names,
        notes,
        annotations,
        ..
    } = source;
    let made_up = MadeUpNames {
        features: feature_names_made_up || feature_names.is_none(),
        samples: sample_names.is_none(),
    };
    // Features that were samples until the table was turned round may have no names.
    let mut names = feature_names.unwrap_or_else(|| numbered('f', matrix.features));
    let sample_names = sample_names.unwrap_or_else(|| numbered('s', matrix.samples));
    let n = matrix.samples.max(1);
    let set = |list: &[String]| list.iter().cloned().collect::<HashSet<String>>();
    let (only, drop, exempt) = (
        choice.only.as_deref().map(set),
        set(&choice.drop),
        set(&choice.exempt),
    );
    for wanted in only.iter().flatten().chain(&exempt) {
        if annotations.iter().any(|other| other.name == *wanted) {
            return Err(IoError::choice(
                path,
                format!(
                    "'{wanted}' is a column of text and no feature; code it as numbers to use it"
                ),
            ));
        }
        if !names.contains(wanted) {
            return Err(IoError::choice(
                path,
                format!("there is no feature '{wanted}'; rfvm peek shows how they are called"),
            ));
        }
    }
    let empty_reason = format!(
        "more than {:.0} % of the values missing",
        100.0 * choice.max_missing.unwrap_or(1.0)
    );
    let mut stays = |d: usize| {
        let name = &names[d];
        if exempt.contains(name) {
            return true;
        }
        if drop.contains(name) {
            unused.push(UnusedColumn::asked(name, DROPPED));
            return false;
        }
        if only.as_ref().is_some_and(|only| !only.contains(name)) {
            unused.push(UnusedColumn::asked(
                name,
                "not among the features asked for",
            ));
            return false;
        }
        let missing = || {
            matrix.values[d * n..(d + 1) * n]
                .iter()
                .filter(|value| value.is_nan())
                .count()
        };
        let full = choice
            .max_missing
            .is_none_or(|share| missing() as f64 <= share * n as f64);
        if !full {
            unused.push(UnusedColumn::new(name, &*empty_reason));
            return false;
        }
        let column = &matrix.values[d * n..(d + 1) * n];
        if rfvm::is_constant(column) {
            // The fit sets it aside.
            let empty = column.iter().all(|value| value.is_nan());
            let reason = if empty { "empty" } else { "constant" };
            unused.push(UnusedColumn::new(name, reason));
        }
        true
    };
    let kept: Vec<usize> = (0..matrix.features).filter(|&d| stays(d)).collect();
    if kept.len() < matrix.features {
        for (to, &from) in kept.iter().enumerate() {
            matrix.values.copy_within(from * n..(from + 1) * n, to * n);
        }
        matrix.values.truncate(kept.len() * n);
        names = kept
            .iter()
            .map(|&d| std::mem::take(&mut names[d]))
            .collect();
    }
    let table = Table::with_missing(matrix.values, names, sample_names).map_err(|error| match error {
        rfvm::Error::NotFinite {
            feature,
            sample,
            value,
        } => IoError::choice(
            path,
            format!(
                "feature '{feature}' of sample '{sample}' is {value}; correct it, or leave the feature out with --drop"
            ),
        ),
        error => IoError::engine(path, error),
    })?;
    Ok((table.with_made_up_names(made_up), notes))
}
