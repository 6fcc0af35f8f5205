//! From what a file holds to what a fit takes: labels chosen and joined, features filtered, rows without a label set aside.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rfvm::{Dataset, MadeUpNames, Table};

use crate::error::IoError;
use crate::labels::{Labels, quoted_list, read_label_file};
use crate::positive::put_in_order;
use crate::read::read_tables;
use crate::source::{ReadOptions, Source, numbered};
use crate::target::{TargetChoice, make_target};
use crate::unused::account_for;

/// Which features are used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeatureChoice {
    /// Only these.
    pub only: Option<Vec<String>>,
    /// Not these.
    pub drop: Vec<String>,
    /// These in any case, whatever the other rules say.
    pub keep: Vec<String>,
    /// Features with more than this share of missing values are left out.
    pub max_missing: Option<f64>,
}

/// A data set with what there is to say about how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What a fit takes, with the group of each sample where a group column was named.
    pub data: Dataset,
    /// A sentence each.
    pub notes: Vec<String>,
}

/// Reads tables (rows of several files are stacked), finds the target and filters the features.
pub fn load_dataset(
    paths: &[PathBuf],
    options: &ReadOptions,
    target: &TargetChoice,
    features: &FeatureChoice,
) -> Result<Loaded, IoError> {
    let labels = target
        .labels
        .as_deref()
        .map(|path| read_label_file(path, target.column.as_deref()))
        .transpose()?;
    let mut options = options.clone();
    match &labels {
        Some(Labels::Named { samples, .. }) => options.sample_names = Some(samples.clone()),
        Some(Labels::InOrder { .. }) => {}
        None => options.target = options.target.or(target.column.clone()),
    }
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let mut source = read_tables(paths, &options)?;
    let texts = match labels {
        Some(labels) => labels.join(&mut source, target.labels.as_deref().unwrap_or(path))?,
        None => take_column(&mut source, target.column.as_deref(), path)?,
    };
    let groups = match &target.group {
        Some(name) => Some(group_numbers(
            &source
                .take_column(name)
                .ok_or_else(|| absent(&source, path, name))?,
        )),
        None => None,
    };
    account_for(&mut source, &options, &features.drop, path)?;
    let (texts, groups) = drop_unlabelled(&mut source, texts, groups);
    if texts.is_empty() {
        let what = "none of its samples has a label; name another target, or give a label file that names its samples";
        return Err(IoError::unsupported(path, what));
    }
    let mut what = make_target(&texts, target, path)?;
    let asked = target.positive.is_some() || target.positive_not.is_some();
    let unclear = match asked {
        true => None,
        false => put_in_order(&mut what, &target.as_model),
    };
    let (table, mut notes) = make_table(source, features, path)?;
    notes.extend(unclear);
    let data = Dataset::new(table, what).and_then(|data| match groups {
        Some(groups) => data.with_groups(groups),
        None => Ok(data),
    });
    let data = data.map_err(|error| IoError::engine(path, error))?;
    Ok(Loaded { data, notes })
}

/// Reads a table to predict on: no target is needed, and one that is there does no harm.
///
/// Where the file did not settle which way its samples lie, the names of the features that are `needed` do.
pub fn load_table(
    paths: &[PathBuf],
    options: &ReadOptions,
    needed: &[String],
) -> Result<(Table, Vec<String>), IoError> {
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let mut source = read_tables(paths, options)?;
    let holds =
        |names: &Option<Vec<String>>| names.iter().flatten().any(|name| needed.contains(name));
    if !holds(&source.feature_names) && holds(&source.sample_names) {
        source.turn_round();
    }
    make_table(source, &FeatureChoice::default(), path)
}

/// The target column, taken out of the source. A position has been made a name by the reader.
fn take_column(
    source: &mut Source,
    column: Option<&str>,
    path: &Path,
) -> Result<Vec<String>, IoError> {
    let Some(column) = column else {
        return match source.annotations.len() {
            1 => Ok(source.annotations.remove(0).values),
            _ => Err(IoError::choice(
                path,
                format!(
                    "no target was named; name one with --target: {}",
                    candidates(source)
                ),
            )),
        };
    };
    source
        .take_column(column)
        .ok_or_else(|| absent(source, path, column))
}

fn absent(source: &Source, path: &Path, column: &str) -> IoError {
    IoError::choice(
        path,
        format!(
            "there is no column '{column}', neither by name nor by position (from 1, or from -1 at the end); {}",
            candidates(source)
        ),
    )
}

fn candidates(source: &Source) -> String {
    if source.annotations.is_empty() {
        return "it has no columns beside its features (labels can come from a file: --labels)"
            .to_string();
    }
    let names = source.annotations.iter().map(|a| a.name.as_str());
    format!(
        "the columns that are not features are {}",
        quoted_list(names)
    )
}

/// Groups numbered in order of first appearance; samples without a group stand alone.
fn group_numbers(texts: &[String]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    texts
        .iter()
        .map(|text| {
            if text.is_empty() {
                fresh()
            } else {
                *numbers.entry(text).or_insert_with(&mut fresh)
            }
        })
        .collect()
}

/// Rows without a label cannot be learned from: they are set aside, with a note.
fn drop_unlabelled(
    source: &mut Source,
    texts: Vec<String>,
    groups: Option<Vec<usize>>,
) -> (Vec<String>, Option<Vec<usize>>) {
    let keep: Vec<bool> = texts.iter().map(|text| !text.is_empty()).collect();
    let dropped = keep.iter().filter(|&&keep| !keep).count();
    if dropped == 0 {
        return (texts, groups);
    }
    source.notes.push(format!(
        "{dropped} sample(s) without a label were set aside"
    ));
    fn kept<T: Clone>(values: &[T], keep: &[bool]) -> Vec<T> {
        values
            .iter()
            .zip(keep)
            .filter(|(_, keep)| **keep)
            .map(|(value, _)| value.clone())
            .collect()
    }
    let n = source.matrix.samples;
    let mut at = 0;
    source.matrix.values.retain(|_| {
        at += 1;
        keep[(at - 1) % n]
    });
    source.matrix.samples = n - dropped;
    source.sample_names = source
        .sample_names
        .as_deref()
        .map(|names| kept(names, &keep));
    (
        kept(&texts, &keep),
        groups.map(|groups| kept(&groups, &keep)),
    )
}

/// The features chosen, as the engine's table.
fn make_table(
    source: Source,
    choice: &FeatureChoice,
    path: &Path,
) -> Result<(Table, Vec<String>), IoError> {
    let Source {
        mut matrix,
        feature_names,
        feature_names_made_up,
        sample_names,
        mut notes,
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
    let (only, drop, keep) = (
        choice.only.as_deref().map(set),
        set(&choice.drop),
        set(&choice.keep),
    );
    for wanted in only.iter().flatten().chain(&keep) {
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
    let mut too_empty = 0;
    let mut stays = |d: usize| {
        let name = &names[d];
        if keep.contains(name) {
            return true;
        }
        if drop.contains(name) || only.as_ref().is_some_and(|only| !only.contains(name)) {
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
        too_empty += usize::from(!full);
        full
    };
    let kept: Vec<usize> = (0..matrix.features).filter(|&d| stays(d)).collect();
    if too_empty > 0 {
        notes.push(format!(
            "{too_empty} feature(s) with too many missing values were left out"
        ));
    }
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
