//! NumPy files as a [`Source`]: archives with `X`, `y` and names, and single arrays.

use std::io::{BufReader, Read as _};
use std::path::Path;

use super::archive::{FORMAT, NpzFile};
use crate::arrays::{Candidate, Content, MATRIX_NAME, NamedVector, assemble, choose};
use crate::common::{guard, open};
use crate::error::IoError;
use crate::npy::{Array, Header, shape_text};
use crate::room::Room;
use crate::source::{ReadOptions, Source};

const NPY: &str = "an npy file";

/// The length of an array that is a vector: of one dimension, or of two of which one is 1.
fn vector_length(header: &Header) -> Option<usize> {
    match *header.shape.as_slice() {
        [length] | [length, 1] | [1, length] => Some(length),
        _ => None,
    }
}

fn vector_content<R: std::io::Read>(array: Array<R>) -> Result<Content, String> {
    let dtype = array.header.dtype;
    Ok(if dtype.is_text() {
        Content::Texts(array.strings()?)
    } else if dtype.is_bool() {
        Content::Truths(array.values()?.into_iter().map(|v| v != 0.0).collect())
    } else {
        Content::Numbers(array.values()?)
    })
}

/// Reads a NumPy archive (`.npz`).
///
/// The matrix is the array that `options.array` names, or `X`, or the only one of two dimensions. Vectors of one value
/// per sample become annotations (`y`, `groups`), `feature_names` and `sample_names` the names; where `class_names`
/// holds the names of the numbers in `y`, the annotation `class` has them.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no array that can be the matrix.
pub fn read_npz_source(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || read_archive(path, options))
}

fn read_archive(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let mut file = NpzFile::open_within(path, options)?;
    let names: Vec<String> = file.names().map(str::to_owned).collect();
    let mut notes = Vec::new();
    let mut headers = Vec::new();
    for name in &names {
        match file.header(name) {
            Ok(header) => headers.push((name.as_str(), header)),
            // An array that is not read matters only where it is the one that is wanted.
            Err(error @ IoError::Array { .. }) => {
                if options.array.as_deref().unwrap_or(MATRIX_NAME) == name.as_str() {
                    return Err(error);
                }
                notes.push(format!("array `{name}` was not read: {}", what_of(&error)));
            }
            Err(error) => return Err(error),
        }
    }
    let candidates: Vec<Candidate<'_>> = headers
        .iter()
        .filter_map(|(name, header)| match *header.shape.as_slice() {
            [rows, columns] if header.dtype.storage().is_some() => Some(Candidate {
                name,
                rows,
                columns,
            }),
            _ => None,
        })
        .collect();
    // An array `X` that cannot be read is worth its own sentence.
    let wanted = options.array.as_deref().unwrap_or(MATRIX_NAME);
    if headers.iter().any(|(name, _)| *name == wanted)
        && !candidates.iter().any(|candidate| candidate.name == wanted)
    {
        file.matrix(wanted)?;
    }
    let chosen = choose(path, &candidates, options)?;
    let matrix = file.matrix(&chosen)?;
    let mut vectors = Vec::new();
    for (name, header) in &headers {
        let one = *name == "class_names";
        let long = vector_length(header).is_some_and(|length| length > 1 || one);
        if *name == chosen {
            continue;
        }
        if !long {
            // What is not used is sound all the same, or the file is damaged.
            let passed = file.array(name)?.pass_over();
            passed.map_err(|what| IoError::array(path, name, what))?;
            continue;
        }
        match vector_content(file.array(name)?) {
            Ok(content) => vectors.push(NamedVector {
                name: (*name).to_owned(),
                content,
            }),
            Err(what) => {
                let target = options.target.as_deref() == Some(*name);
                if target || header.dtype.is_text() || header.dtype.storage().is_some() {
                    return Err(IoError::array(path, name, what));
                }
                notes.push(format!("array `{name}` was not read: {what}"));
            }
        }
    }
    Ok(assemble(
        "NumPy archive".to_owned(),
        matrix,
        vectors,
        notes,
        options,
    ))
}

/// The part of a message behind the names of file and array.
fn what_of(error: &IoError) -> String {
    match error {
        IoError::Array { what, .. } => what.clone(),
        other => other.to_string(),
    }
}

/// Reads a single NumPy array of two dimensions (`.npy`); its rows are the samples unless the caller knows better.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or does not hold two dimensions of numbers.
pub fn read_npy_source(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let (file, length) = open(path)?;
    let malformed = |what: String| IoError::malformed(path, NPY, "its array", what);
    let array = Array::new(
        BufReader::new(file).take(length),
        Room::new(length, options),
    )
    .map_err(malformed)?;
    let header = &array.header;
    let expected = header.data_length().map_err(malformed)?;
    let declared = length.saturating_sub(array.header_length);
    if expected != declared {
        return Err(malformed(format!(
            "its shape {} and type {} call for {expected} bytes of data, but the file has {declared}",
            shape_text(&header.shape),
            header.dtype
        )));
    }
    let matrix = array.matrix().map_err(malformed)?;
    Ok(assemble(
        "NumPy array".to_owned(),
        matrix,
        Vec::new(),
        Vec::new(),
        options,
    ))
}
