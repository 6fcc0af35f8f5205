//! The files of the NIPS 2003 feature selection challenge's DOROTHEA set.
//!
//! The data file has a line for each sample, holding the indices of the features that are one, counted from 1 and
//! separated by blanks; all other features are zero. The label file has a number on each line.

use std::fs;
use std::path::Path;

use crate::error::{IoError, quoted};
use crate::matrix::Matrix;
use crate::room::Room;
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};
use crate::text::words::UNENDED;

const DATA: &str = "a sparse index file";
const LABELS: &str = "a label file";

/// Reads a sparse index file into a dense matrix of zeros and ones.
///
/// With `max_features`, the matrix has exactly that many features and indices beyond are left out (so that the
/// training and validation files give matrices of one width); without, it has as many as the largest index in the
/// file. An empty line is a sample all of whose features are zero, also at the end of the file.
///
/// # Errors
///
/// Where the file cannot be read, where it holds anything but indices from 1, and where the dense matrix would take
/// more memory than a file of its length is trusted with.
pub fn read_sparse_indices(
    path: impl AsRef<Path>,
    max_features: Option<usize>,
) -> Result<Matrix, IoError> {
    let options = ReadOptions {
        max_features,
        ..ReadOptions::default()
    };
    Ok(sparse_indices(path.as_ref(), &options)?.0)
}

/// The same with a limit on memory; says too whether the last line has no end.
fn sparse_indices(path: &Path, options: &ReadOptions) -> Result<(Matrix, bool), IoError> {
    let text = read_text(path, DATA, options)?;

    // Two passes: the width has to be known before anything is allocated.
    let mut samples = 0;
    let mut largest = 0;
    for_each_index(path, &text, |sample, index| {
        samples = sample + 1;
        largest = largest.max(index.unwrap_or(0));
    })?;
    let features = options.max_features.unwrap_or(largest);
    let room = Room::new(text.len() as u64, options);
    let mut values = room.zeros(path, samples, features)?;
    for_each_index(path, &text, |sample, index| {
        if let Some(index) = index
            && index <= features
            && let Some(value) = values.get_mut((index - 1) * samples + sample)
        {
            *value = 1.0;
        }
    })?;
    let matrix = Matrix {
        samples,
        features,
        values,
    };
    Ok((matrix, !text.ends_with(['\n', ' '])))
}

/// Reads a label file: one finite number on each line (empty lines at the end are ignored).
///
/// # Errors
///
/// Where the file cannot be read, and where a line holds anything but one finite number.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Vec<f64>, IoError> {
    let path = path.as_ref();
    numbers(path, &read_text(path, LABELS, &ReadOptions::default())?)
}

/// The numbers of a text that has one a line.
pub(crate) fn numbers(path: &Path, text: &str) -> Result<Vec<f64>, IoError> {
    text.trim_ascii_end()
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let word = line.trim_ascii();
            word.parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| {
                    IoError::malformed(
                        path,
                        LABELS,
                        format!("line {}", number + 1),
                        format!("{} is not one finite number", quoted(word)),
                    )
                })
        })
        .collect()
}

/// Reads a sparse index file (`NAME.data`) together with the label file beside it (`NAME.labels`), whose labels become
/// the annotation `label`. Where there is none, a note says so.
///
/// # Errors
///
/// As [`read_sparse_indices`] and [`read_labels`], and where there are not as many labels as samples.
pub fn read_dorothea(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let (matrix, unended) = sparse_indices(path, options)?;
    let beside = path.with_extension("labels");
    let mut annotations = Vec::new();
    let mut notes = Vec::from_iter(unended.then(|| UNENDED.to_owned()));
    if beside != path && beside.is_file() {
        let options = options.holding(8 * matrix.values.len() as u64);
        let labels = numbers(&beside, &read_text(&beside, LABELS, &options)?)?;
        if labels.len() != matrix.samples {
            let what = format!(
                "it has {} labels, but {} has {} samples",
                labels.len(),
                path.display(),
                matrix.samples
            );
            return Err(IoError::malformed(&beside, LABELS, "its end", what));
        }
        annotations.push(Annotation {
            name: "label".to_owned(),
            values: labels.iter().map(f64::to_string).collect(),
        });
    } else {
        notes.push(format!(
            "there are no labels: {} was not found",
            beside.display()
        ));
    }
    Ok(Source {
        feature_names_made_up: false,
        about_features: FeatureTexts::default(),
        format: "sparse indices".to_owned(),
        orientation: Orientation::SamplesAsRows,
        orientation_certain: true,
        matrix,
        feature_names: None,
        sample_names: None,
        annotations,
        notes,
    })
}

/// Calls `visit` with the sample's number and each of its indices (from 1), and once with `None` for each sample.
fn for_each_index(
    path: &Path,
    text: &str,
    mut visit: impl FnMut(usize, Option<usize>),
) -> Result<(), IoError> {
    for (sample, line) in text.lines().enumerate() {
        visit(sample, None);
        for word in line.split_ascii_whitespace() {
            let index = word
                .parse()
                .ok()
                .filter(|&index: &usize| index > 0)
                .ok_or_else(|| {
                    IoError::malformed(
                        path,
                        DATA,
                        format!("line {}", sample + 1),
                        format!("{} is not an index (a whole number from 1)", quoted(word)),
                    )
                })?;
            visit(sample, Some(index));
        }
    }
    Ok(())
}

fn read_text(path: &Path, format: &'static str, options: &ReadOptions) -> Result<String, IoError> {
    let length = fs::metadata(path).map_or(0, |about| about.len());
    (Room::new(length, options).check(length)).map_err(|what| IoError::unsupported(path, what))?;
    let bytes = fs::read(path).map_err(|error| IoError::read(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        IoError::malformed(path, format, format!("byte {at}"), "this is not text")
    })
}
