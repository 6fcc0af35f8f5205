//! Labels from a file of their own: a table joined on the sample's name, or labels in the order of the samples (a CLS
//! file, or one a line).

use std::collections::HashMap;
use std::path::Path;

use crate::cls::cls_labels;
use crate::delimited::read_delimited;
use crate::dorothea::numbers;
use crate::error::{IoError, quoted_list};
use crate::room::of_texts;
use crate::sniff::{Format, sniff};
use crate::source::{Annotation, Orientation, ReadOptions, Source};
use crate::target::{TargetChoice, check_listed};
use crate::text::number::Numbers;
use crate::text::open::{first_lines, label_text};

/// What a label file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Labels {
    /// One label per sample, in the samples' order.
    InOrder { labels: Vec<String> },
    /// Sample names and their labels.
    Named {
        samples: Vec<String>,
        labels: Vec<String>,
        /// The other columns of the file.
        beside: Vec<Annotation>,
    },
}

/// Columns beside the labels that are kept at most.
const MOST_BESIDE: usize = 200;

/// Reads a label file; `column` names the label where the file has several columns. Of how the table is read, what is said of
/// memory alone holds for the labels.
pub(crate) fn read_label_file(
    path: &Path,
    column: Option<&str>,
    of_table: &ReadOptions,
) -> Result<Labels, IoError> {
    let options = ReadOptions {
        orientation: Some(Orientation::SamplesAsRows),
        target: column.map(str::to_string),
        row_names: Some(true),
        max_memory: of_table.max_memory,
        held: of_table.held,
        ..ReadOptions::default()
    };
    match sniff(path)? {
        Format::Cls => {
            return Ok(Labels::InOrder {
                labels: cls_labels(path, &options)?,
            });
        }
        Format::NumberPerLine => {
            let (text, mut held) = label_text(path, &options)?;
            let too_much = |what| IoError::unsupported(path, what);
            let labels = numbers(path, &text)?.into_iter().map(|label| {
                let label = label.to_string();
                held.add(&label).map_err(too_much)?;
                Ok(label)
            });
            let labels = labels.collect::<Result<_, _>>()?;
            return Ok(Labels::InOrder { labels });
        }
        _ => {}
    }
    if column.is_none()
        && let Some(labels) = one_a_line(path, &options)?
    {
        return Ok(Labels::InOrder { labels });
    }
    let mut source = read_delimited(path, &options)?;
    let samples = source.sample_names.take().ok_or_else(|| {
        IoError::unsupported(
            path,
            "a label file needs the samples' names in its first column; add them",
        )
    })?;
    let labels = match column {
        Some(column) => source.take_annotation(column),
        None if source.annotations.len() == 1 => Some(source.annotations.remove(0).values),
        None if source.annotations.is_empty() && source.matrix.features == 1 => {
            Some(source.take_feature(0))
        }
        None => None,
    };
    let labels = labels.ok_or_else(|| {
        let texts = source.annotations.iter().map(|a| &a.name);
        let names = texts.chain(source.feature_names.iter().flatten());
        let problem = match column {
            Some(column) => format!("there is no column '{column}'"),
            None => "it has several columns".to_owned(),
        };
        let known = quoted_list(names.map(String::as_str));
        IoError::choice(
            path,
            format!("{problem}; name the one with the labels with --target: {known}"),
        )
    })?;
    let mut by_name = HashMap::new();
    for (sample, label) in samples.iter().zip(&labels) {
        let other = by_name.insert(sample, label);
        if let Some(other) = other.filter(|&other| other != label) {
            let what = format!(
                "sample '{sample}' has two labels, '{other}' and '{label}'; leave one of them"
            );
            return Err(IoError::choice(path, what));
        }
    }
    while source.annotations.len() < MOST_BESIDE && source.matrix.features > 0 {
        let name = source
            .feature_names
            .as_ref()
            .and_then(|names| names.first());
        let name = name.map_or_else(|| "a column".to_string(), String::clone);
        let values = source.take_feature(0);
        source.annotations.push(Annotation { name, values });
    }
    Ok(Labels::Named {
        samples,
        labels,
        beside: source.annotations,
    })
}

/// The labels of a file that has one word a line, and nothing that could part two cells; `None` for any other file. An empty
/// line is a sample without a label.
fn one_a_line(path: &Path, options: &ReadOptions) -> Result<Option<Vec<String>>, IoError> {
    let numbers = Numbers::new(&ReadOptions::default(), false);
    let word = |line: &str| {
        let word = line.trim();
        let bare = word
            .strip_prefix('"')
            .and_then(|word| word.strip_suffix('"'));
        let word = bare.unwrap_or(word);
        let parted = word.contains([',', ';', '|', '"']) || word.contains(char::is_whitespace);
        (!parted).then(|| numbers.text(word.as_bytes()))
    };
    // A table shows in its first lines, so that it is not read twice.
    if first_lines(path)?.lines().any(|line| word(line).is_none()) {
        return Ok(None);
    }
    let (text, mut held) = label_text(path, options)?;
    let mut labels = Vec::new();
    for line in text.trim_end().lines() {
        let Some(label) = word(line) else {
            return Ok(None);
        };
        held.add(&label)
            .map_err(|what| IoError::unsupported(path, what))?;
        labels.push(label);
    }
    Ok(Some(labels))
}

impl Labels {
    /// The memory that is taken.
    pub(crate) fn taken(&self) -> u64 {
        match self {
            Self::InOrder { labels } => of_texts(labels),
            Self::Named {
                samples,
                labels,
                beside,
            } => {
                let beside = beside.iter().map(|column| of_texts(&column.values));
                // The samples' names also go to the reader of the table, to find them there.
                2 * of_texts(samples) + of_texts(labels) + beside.sum::<u64>()
            }
        }
    }

    /// Makes sure that the classes that were listed are among the labels, before any table is read.
    pub(crate) fn check(&self, choice: &TargetChoice, path: &Path) -> Result<(), IoError> {
        let (Self::InOrder { labels } | Self::Named { labels, .. }) = self;
        let mut classes: Vec<&str> = labels.iter().map(String::as_str).collect();
        classes.sort_unstable();
        classes.dedup();
        classes.retain(|class| !class.is_empty());
        check_listed(&classes, choice, path)
    }

    /// The label of each sample of the source. Where the names show that its rows are features, it is turned round.
    pub(crate) fn join(
        self,
        source: &mut Source,
        path: &Path,
    ) -> Result<(Vec<String>, Vec<Annotation>), IoError> {
        match self {
            Self::InOrder { labels } => {
                let fits = |count: usize| count == labels.len();
                if !fits(source.matrix.samples)
                    && fits(source.matrix.features)
                    && !source.orientation_certain
                {
                    source.turn_round();
                }
                if !fits(source.matrix.samples) {
                    let what = format!(
                        "it has {} labels, but the table has {} samples; give the labels of this table, one a sample",
                        labels.len(),
                        source.matrix.samples
                    );
                    return Err(IoError::choice(path, what));
                }
                Ok((labels, Vec::new()))
            }
            Self::Named {
                samples,
                labels,
                beside,
            } => {
                let names = samples.iter().map(String::as_str);
                let by_name: HashMap<&str, usize> = names.zip(0..).collect();
                let known = |names: &Option<Vec<String>>| {
                    names
                        .iter()
                        .flatten()
                        .filter(|name| by_name.contains_key(name.as_str()))
                        .count()
                };
                if known(&source.sample_names) == 0 && known(&source.feature_names) > 0 {
                    source.turn_round();
                }
                if known(&source.sample_names) == 0 {
                    let what = "none of its sample names is in the table; the first column must hold them as the table does";
                    return Err(IoError::choice(path, what));
                }
                let names = source.sample_names.iter().flatten();
                let rows: Vec<Option<usize>> = names
                    .map(|name| by_name.get(name.as_str()).copied())
                    .collect();
                let joined = |values: &[String]| -> Vec<String> {
                    let value =
                        |row: &Option<usize>| row.map_or_else(String::new, |at| values[at].clone());
                    rows.iter().map(value).collect()
                };
                let beside = beside.iter().map(|column| Annotation {
                    name: column.name.clone(),
                    values: joined(&column.values),
                });
                Ok((joined(&labels), beside.collect()))
            }
        }
    }
}
