//! MATLAB files as a [`Source`].

use std::io::Read as _;
use std::path::Path;

use super::file::read_within;
use super::format::{MatArray, MatText, START_LENGTH, is_version_73};
use crate::arrays::{Candidate, Content, NamedVector, assemble, choose};
use crate::common::open;
use crate::error::IoError;
use crate::source::{ReadOptions, Source};

/// Reads a MATLAB file of any version from 5 on.
///
/// The matrix is the array that `options.array` names, or `X`, or the only one that is neither a vector nor a single
/// number. Vectors of one value per sample become annotations (`Y`), and so do texts; texts of one line per feature
/// name the features.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no array that can be the matrix.
pub fn read_mat_source(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let (file, _) = open(path)?;
    let mut start = Vec::new();
    file.take(START_LENGTH)
        .read_to_end(&mut start)
        .map_err(|error| IoError::read(path, error))?;
    if is_version_73(&start) {
        #[cfg(feature = "hdf5")]
        return crate::mat73::read_mat73(path, options);
        #[cfg(not(feature = "hdf5"))]
        return Err(IoError::not_built_in(
            path,
            "a MATLAB file of version 7.3",
            "hdf5",
        ));
    }
    let mut file = read_within(path, options)?;
    if let Some(name) = options.array.as_deref()
        && !file.arrays.iter().any(|array| array.name == name)
    {
        file.take(name)?;
    }
    let mut notes: Vec<String> = file
        .skipped
        .iter()
        .filter(|skipped| !skipped.name.is_empty())
        .map(|skipped| {
            format!(
                "variable `{}` was not read: it is {}",
                skipped.name, skipped.what
            )
        })
        .collect();
    let candidates: Vec<Candidate<'_>> = file.arrays.iter().map(candidate).collect();
    let chosen = choose(path, &candidates, options)?;
    let matrix = file.take(&chosen)?.into_matrix();
    let vectors = vectors(file.arrays, file.texts, &mut notes);
    Ok(assemble(
        "MATLAB v5 to v7".to_owned(),
        matrix,
        vectors,
        notes,
        options,
    ))
}

fn candidate(array: &MatArray) -> Candidate<'_> {
    Candidate {
        name: &array.name,
        rows: array.rows,
        columns: array.cols,
    }
}

/// What lies beside the matrix; single values say nothing of samples or features.
fn vectors(
    arrays: Vec<MatArray>,
    texts: Vec<MatText>,
    notes: &mut Vec<String>,
) -> Vec<NamedVector> {
    let mut vectors = Vec::new();
    for array in arrays {
        if array.rows > 1 && array.cols > 1 {
            notes.push(format!(
                "array `{}` was not used: it is a matrix of {} x {}",
                array.name, array.rows, array.cols
            ));
        } else if array.values.len() > 1 {
            vectors.push(NamedVector {
                name: array.name,
                content: Content::Numbers(array.values),
            });
        }
    }
    for text in texts.into_iter().filter(|text| text.lines.len() > 1) {
        // MATLAB pads the lines with blanks.
        let trimmed = |line: String| line.trim_end().to_owned();
        vectors.push(NamedVector {
            name: text.name,
            content: Content::Texts(text.lines.into_iter().map(trimmed).collect()),
        });
    }
    vectors
}
