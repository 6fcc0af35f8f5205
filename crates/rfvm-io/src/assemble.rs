//! From what a file holds to what a fit takes: labels chosen and joined, features filtered, rows without a label set aside.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rfvm::{Covariate, Dataset, LabelledRows, Provenance, Table, Target};

use crate::error::{IoError, quoted_list};
use crate::features::{FeatureChoice, make_table};
use crate::labels::{Labels, read_label_file};
use crate::positive::put_in_order;
use crate::read::{STANDARD_INPUT, read_tables, take_named};
use crate::source::{Annotation, FeatureTexts, ReadOptions, Source};
use crate::target::{TargetChoice, make_target, target_of_model};
use crate::unused::{UnusedColumn, account_for, by_reason, unused_note};

/// A data set with what there is to say about how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What a fit takes, with the group of each sample where a group column was named.
    pub data: Dataset,
    /// A sentence each.
    pub notes: Vec<String>,
    /// Columns about the samples that are no features, those of the label file among them.
    pub annotations: Vec<Annotation>,
    /// Texts about the features that the table carries.
    pub about_features: FeatureTexts,
    /// Columns of batches, sites or plates: the one that was named, or all that are known by their names.
    pub batches: Vec<Annotation>,
    /// Columns that are not used, by reason, the panel that was given, and, once [`Loaded::examine`] has looked, warnings.
    pub provenance: Provenance,
}

/// Tables that were read with the labels in view, which settle the way the samples lie.
#[derive(Debug, Clone)]
pub struct Opened {
    /// What the tables hold, the target where it is one of their columns.
    pub source: Source,
    /// Labels from a file, one a sample, and the other columns of that file.
    labels: Option<(Vec<String>, Vec<Annotation>)>,
    options: ReadOptions,
    path: PathBuf,
}

/// Reads tables (rows of several files are stacked) by the same rules whether a fit follows or a look alone.
pub fn open_tables(
    paths: &[PathBuf],
    options: &ReadOptions,
    target: &TargetChoice,
) -> Result<Opened, IoError> {
    let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
    // What can be wrong without the tables is told before they are read, which may take minutes.
    if target.regression && (target.positive.is_some() || target.positive_not.is_some()) {
        let what = "a positive class was named for a number to be predicted; leave out --task regression or the class";
        return Err(IoError::choice(first, what));
    }
    let labels = match target.labels.as_deref() {
        None => None,
        Some(path) => {
            let labels = read_label_file(path, target.column.as_deref(), options)?;
            labels.check(target, path)?;
            Some(labels)
        }
    };
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        let there = std::fs::metadata(path);
        there.map_err(|error| IoError::read(path, error))?;
    }
    let mut options = options.holding(labels.as_ref().map_or(0, Labels::taken));
    match &labels {
        Some(Labels::Named { samples, .. }) => options.sample_names = Some(samples.clone()),
        Some(Labels::InOrder { .. }) => {}
        None => options.target = options.target.or(target.column.clone()),
    }
    let path = match paths.first() {
        Some(path) if path.as_os_str() == "-" => PathBuf::from(STANDARD_INPUT),
        path => path.cloned().unwrap_or_default(),
    };
    let mut source = read_tables(paths, &options)?;
    let of_labels = target.labels.as_deref().unwrap_or(&path);
    let labels = labels.map(|labels| labels.join(&mut source, of_labels));
    Ok(Opened {
        labels: labels.transpose()?,
        source,
        options,
        path,
    })
}

/// Reads tables (rows of several files are stacked), finds the target and filters the features.
pub fn load_dataset(
    paths: &[PathBuf],
    options: &ReadOptions,
    target: &TargetChoice,
    features: &FeatureChoice,
) -> Result<Loaded, IoError> {
    let options = ReadOptions {
        drop: features.drop.clone(),
        ..options.clone()
    };
    open_tables(paths, &options, target)?.load(target, features)
}

/// Reads labelled tables to judge a model on, whose classes `target.as_model` has (none: it is a regression). What the model
/// does not use is no feature and no concern. A model's class may be absent.
pub fn load_labelled(
    paths: &[PathBuf],
    options: &ReadOptions,
    target: &TargetChoice,
) -> Result<(LabelledRows, Vec<String>), IoError> {
    let opened = open_tables(paths, options, target)?;
    let path = opened.path.clone();
    let mut parts = opened.parts(target, &FeatureChoice::default())?;
    let (target, note) = target_of_model(&parts.texts, target, &path)?;
    parts.notes.extend(note);
    let data = LabelledRows::new(parts.table, target, parts.groups);
    let data = data.map_err(|error| IoError::engine(&path, error))?;
    Ok((data, parts.notes))
}

/// What a table is made of, once its labels are found and its features are chosen.
struct TableParts {
    table: Table,
    /// The label of every row.
    texts: Vec<String>,
    groups: Option<Vec<usize>>,
    notes: Vec<String>,
    unused: Vec<UnusedColumn>,
    annotations: Vec<Annotation>,
    batches: Vec<Annotation>,
    about_features: FeatureTexts,
}

impl Opened {
    /// Finds the target and filters the features.
    pub fn load(self, target: &TargetChoice, features: &FeatureChoice) -> Result<Loaded, IoError> {
        let path = self.path.clone();
        let parts = self.parts(target, features)?;
        let mut what: Target = make_target(&parts.texts, target, &path)?;
        let asked = target.positive.is_some() || target.positive_not.is_some();
        let unclear = match asked {
            true => None,
            false => put_in_order(&mut what, &target.as_model),
        };
        let mut notes = parts.notes;
        notes.extend(unused_note(&parts.unused));
        notes.extend(unclear);
        let data = Dataset::new(parts.table, what).and_then(|data| match parts.groups {
            Some(groups) => data.with_groups(groups),
            None => Ok(data),
        });
        Ok(Loaded {
            data: data.map_err(|error| IoError::engine(&path, error))?,
            notes,
            annotations: parts.annotations,
            batches: parts.batches,
            about_features: parts.about_features,
            provenance: Provenance {
                unused: by_reason(&parts.unused),
                ..Provenance::default()
            },
        })
    }

    fn parts(self, target: &TargetChoice, features: &FeatureChoice) -> Result<TableParts, IoError> {
        let Self {
            mut source,
            labels,
            options,
            path,
        } = self;
        let path = path.as_path();
        let (texts, mut beside) = match labels {
            Some(labels) => labels,
            None => (
                take_column(&mut source, target.column.as_deref(), path)?,
                Vec::new(),
            ),
        };
        let mut unused = Vec::new();
        // From the table, or from beside the labels.
        let mut named = |source: &mut Source, name: &Option<String>, role: &str| {
            let Some(name) = name else {
                return Ok(None);
            };
            let taken = source.take_column(name);
            let values = taken.or_else(|| take_named(&mut beside, name));
            let values = values.ok_or_else(|| absent(source, path, name))?;
            unused.push(UnusedColumn::asked(name, role));
            Ok(Some(values))
        };
        let groups = named(&mut source, &target.group, "named as the group")?;
        let groups = groups.map(|values| group_numbers(&values));
        let mut covariates = Vec::new();
        for name in &target.covariates {
            let values = named(
                &mut source,
                &Some(name.clone()),
                "allowed for as a covariate",
            )?;
            let name = name.clone();
            covariates.extend(values.map(|values| Annotation { name, values }));
        }
        let batch = named(&mut source, &target.batch, "named as the batch")?;
        unused.extend(account_for(&mut source, &options, &features.drop, path)?);
        let in_label_file =
            |column: &Annotation| UnusedColumn::new(&column.name, "in the label file");
        unused.extend(beside.iter().map(in_label_file));
        source.annotations.extend(beside);
        if let (Some(values), Some(name)) = (batch, &target.batch) {
            let name = name.clone();
            source.annotations.push(Annotation { name, values });
        }
        let (texts, groups) = drop_unlabelled(&mut source, texts, groups, &mut covariates);
        if texts.is_empty() {
            let what = "none of its samples has a label; name another target, or give a label file that names its samples";
            return Err(IoError::unsupported(path, what));
        }
        let batches = match &target.batch {
            Some(name) => (source.annotations.last().cloned().into_iter())
                .filter(|column| column.name == *name)
                .collect(),
            None => source.batch_columns(),
        };
        let annotations = source.annotations.clone();
        let about_features = std::mem::take(&mut source.about_features);
        let (table, notes) = make_table(source, features, path, &mut unused)?;
        let table = with_covariates(table, covariates, path)?;
        Ok(TableParts {
            table,
            texts,
            groups,
            notes,
            unused,
            annotations,
            batches,
            about_features,
        })
    }
}

/// Reads a table to predict on: no target is needed, and one that is there does no harm.
///
/// Where the file did not settle which way its samples lie, the names of the features that are `needed` do. The columns of
/// `covariates` are no features.
pub fn load_table(
    paths: &[PathBuf],
    options: &ReadOptions,
    needed: &[String],
    covariates: &[String],
) -> Result<(Table, Vec<String>), IoError> {
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let mut source = read_tables(paths, options)?;
    let holds =
        |names: &Option<Vec<String>>| names.iter().flatten().any(|name| needed.contains(name));
    if !holds(&source.feature_names) && holds(&source.sample_names) {
        source.turn_round();
    }
    // One that is not there is for the model to miss.
    let found = covariates.iter().filter_map(|name| {
        let values = source.take_column(name)?;
        let name = name.clone();
        Some(Annotation { name, values })
    });
    let found = found.collect();
    let (table, notes) = make_table(source, &FeatureChoice::default(), path, &mut Vec::new())?;
    Ok((with_covariates(table, found, path)?, notes))
}

/// The same table with what is to be allowed for.
fn with_covariates(table: Table, given: Vec<Annotation>, path: &Path) -> Result<Table, IoError> {
    let covariates = given.iter();
    let covariates = covariates.map(|column| Covariate::from_texts(&column.name, &column.values));
    let table = table.with_covariates(covariates.collect());
    table.map_err(|error| IoError::engine(path, error))
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
    covariates: &mut [Annotation],
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
    for annotation in source.annotations.iter_mut().chain(covariates) {
        annotation.values = kept(&annotation.values, &keep);
    }
    (
        kept(&texts, &keep),
        groups.map(|groups| kept(&groups, &keep)),
    )
}
