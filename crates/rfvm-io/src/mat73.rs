//! MATLAB files (`.mat`) of version 7.3, which are HDF5 files: numbers, truth values, text, cells of text, and sparse
//! arrays. MATLAB stores its arrays column after column, so that an array of m x n is a dataset of n x m.

use std::path::Path;

use hdf5_pure::{AttrValue, Dataset, Object};

use crate::arrays::{Candidate, Content, MATRIX_NAME, NamedVector, assemble, choose};
use crate::common::guard;
use crate::error::IoError;
use crate::hdf::{Hdf, Kind};
use crate::matrix::Matrix;
use crate::source::{ReadOptions, Source};
use crate::sparse::Sparse;

const FORMAT: &str = "a MATLAB v7.3 file";

/// The most cells that are looked into.
const MAX_CELLS: usize = 1 << 24;

/// A variable of the file that is of use.
enum Found {
    /// Numbers (or truth values), with rows and columns.
    Numbers(usize, usize),
    /// The same, sparse.
    Sparse(usize, usize),
    /// Text, and its number of lines.
    Text(usize),
    /// So many cells, each of which may hold text.
    Cells(usize),
    /// Nothing of use, and what it is.
    Other(&'static str),
}

impl Found {
    /// How many values a vector has.
    fn length(&self) -> Option<usize> {
        match *self {
            Self::Numbers(rows, columns) if rows <= 1 || columns <= 1 => Some(rows * columns),
            Self::Text(length) | Self::Cells(length) => Some(length),
            _ => None,
        }
    }
}

/// Reads a MATLAB file of version 7.3.
///
/// What is the matrix and what the rest is taken for is as in [`read_mat_source`](crate::mat::read_mat_source).
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no array that can be the matrix.
pub fn read_mat73(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || read(path, options))
}

fn read(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let hdf = Hdf::open(path, FORMAT, options)?;
    let root = hdf.root();
    let mut notes = Vec::new();
    let mut variables = Vec::new();
    let mut names = root.datasets().map_err(|error| hdf.malformed("/", error))?;
    names.extend(root.groups().map_err(|error| hdf.malformed("/", error))?);
    // MATLAB's own groups have names that no variable can have.
    names.retain(|name| !name.starts_with('#'));
    for name in names {
        match look(&hdf, &name)? {
            Found::Other(what) => {
                if options.array.as_deref().unwrap_or(MATRIX_NAME) == name {
                    return Err(IoError::array(path, &name, format!("it is {what}")));
                }
                notes.push(format!("variable `{name}` was not read: it is {what}"));
            }
            found => variables.push((name, found)),
        }
    }
    let candidates: Vec<Candidate<'_>> = variables
        .iter()
        .filter_map(|(name, found)| match *found {
            Found::Numbers(rows, columns) | Found::Sparse(rows, columns) => Some(Candidate {
                name,
                rows,
                columns,
            }),
            _ => None,
        })
        .collect();
    let chosen = choose(path, &candidates, options)?;
    let sides = candidates
        .iter()
        .find(|candidate| candidate.name == chosen)
        .map_or([0, 0], |chosen| [chosen.rows, chosen.columns]);
    let mut matrix = None;
    let mut vectors = Vec::new();
    for (name, found) in variables {
        let is_matrix = name == chosen;
        // What fits neither side of the matrix is not even read.
        let length = found.length().filter(|_| !is_matrix);
        if let Some(length) = length.filter(|length| !sides.contains(length)) {
            if length > 1 {
                notes.push(format!(
                    "variable `{name}` was not used: it has {length} values, for a matrix of {} x {}",
                    sides[0], sides[1]
                ));
            }
            continue;
        }
        let content = match found {
            Found::Sparse(rows, columns) if is_matrix => {
                matrix = Some(sparse(&name, rows, columns).read(path, &hdf, None)?);
                continue;
            }
            Found::Numbers(rows, columns) if is_matrix => {
                matrix = Some(Matrix {
                    samples: rows,
                    features: columns,
                    values: hdf.numbers(&name, &hdf.dataset(&name)?)?,
                });
                continue;
            }
            Found::Numbers(rows, columns) if rows > 1 && columns > 1 => {
                notes.push(format!(
                    "array `{name}` was not used: it is a matrix of {rows} x {columns}"
                ));
                continue;
            }
            Found::Numbers(..) => Content::Numbers(hdf.numbers(&name, &hdf.dataset(&name)?)?),
            Found::Text(_) => Content::Texts(lines(&hdf, &name, &hdf.dataset(&name)?)?),
            Found::Cells(_) => match cells(&hdf, &name)? {
                Some(texts) => Content::Texts(texts),
                None => {
                    notes.push(format!(
                        "variable `{name}` was not read: its cells hold more than a line of text"
                    ));
                    continue;
                }
            },
            Found::Sparse(..) | Found::Other(_) => continue,
        };
        vectors.push(NamedVector { name, content });
    }
    vectors.retain(|vector| vector.content.len() > 1);
    let matrix = matrix.ok_or_else(|| IoError::missing(path, &chosen, "it is not there"))?;
    Ok(assemble(
        "MATLAB v7.3".to_owned(),
        matrix,
        vectors,
        notes,
        options,
    ))
}

/// Finds out what a variable is.
fn look(hdf: &Hdf<'_>, name: &str) -> Result<Found, IoError> {
    let attributes = hdf.attributes(name)?;
    let class = attributes.get("MATLAB_class").and_then(AttrValue::as_str);
    if attributes.contains_key("MATLAB_empty") {
        return Ok(Found::Other("an empty array"));
    }
    if hdf.has_group(name) {
        let rows = attributes.get("MATLAB_sparse").and_then(AttrValue::as_u64);
        let Some(rows) = rows.and_then(|rows| usize::try_from(rows).ok()) else {
            return Ok(Found::Other("a struct or an object"));
        };
        let starts = format!("{name}/jc");
        let starts = hdf.shape(&starts, &hdf.dataset(&starts)?)?;
        let columns = starts.iter().product::<usize>().saturating_sub(1);
        return Ok(Found::Sparse(rows, columns));
    }
    let dataset = hdf.dataset(name)?;
    let shape = hdf.shape(name, &dataset)?;
    let (rows, columns) = match *shape.as_slice() {
        [] => (1, 1),
        [length] => (length, 1),
        [columns, rows] => (rows, columns),
        _ => return Ok(Found::Other("an array of more than two dimensions")),
    };
    Ok(match (class, hdf.kind(name, &dataset)?) {
        (Some("char"), Kind::Number(..)) => Found::Text(rows),
        (Some("cell"), Kind::Reference) => Found::Cells(shape.iter().product()),
        (Some("struct"), _) => Found::Other("a struct"),
        (_, Kind::Number(..) | Kind::Truth) => Found::Numbers(rows, columns),
        (_, Kind::Text) => Found::Text(shape.iter().product()),
        _ => Found::Other("neither numbers nor text"),
    })
}

fn sparse(name: &str, rows: usize, columns: usize) -> Sparse<'_> {
    Sparse {
        place: name,
        parts: ["data", "ir", "jc"],
        rows,
        columns,
        by_row: false,
    }
}

/// The rows of a text, which MATLAB stores as numbers of UTF-16, without the blanks at their ends.
fn lines(hdf: &Hdf<'_>, name: &str, dataset: &Dataset) -> Result<Vec<String>, IoError> {
    if hdf.kind(name, dataset)? == Kind::Text {
        return hdf.strings(name, dataset);
    }
    let units = hdf.numbers(name, dataset)?;
    let rows = match *hdf.shape(name, dataset)?.as_slice() {
        [_, rows] => rows,
        _ => 1,
    };
    Ok((0..rows)
        .map(|row| {
            let line: Vec<u16> = units
                .iter()
                .skip(row)
                .step_by(rows)
                .map(|&unit| unit as u16)
                .collect();
            String::from_utf16_lossy(&line).trim_end().to_owned()
        })
        .collect())
}

/// The texts of cells, where each holds one line.
fn cells(hdf: &Hdf<'_>, name: &str) -> Result<Option<Vec<String>>, IoError> {
    let dataset = hdf.dataset(name)?;
    if hdf.shape(name, &dataset)?.iter().product::<usize>() > MAX_CELLS {
        return Err(hdf.malformed(name, "it has too many cells"));
    }
    let Ok(objects) = dataset.dereference() else {
        return Ok(None);
    };
    let mut texts = Vec::new();
    // Many cells may be one and the same, but not without bounds.
    let mut left = hdf.room.length.saturating_mul(4).max(1 << 20) as usize;
    for object in objects {
        let Object::Dataset(cell) = object else {
            return Ok(None);
        };
        let attributes = cell.attrs().map_err(|error| hdf.malformed(name, error))?;
        let class = attributes.get("MATLAB_class").and_then(AttrValue::as_str);
        if class != Some("char") {
            return Ok(None);
        }
        if attributes.contains_key("MATLAB_empty") {
            texts.push(String::new());
            continue;
        }
        let mut cell = lines(hdf, name, &cell)?;
        match (cell.pop(), cell.is_empty()) {
            (Some(line), true) => {
                left = left
                    .checked_sub(line.len())
                    .ok_or_else(|| hdf.malformed(name, "its cells hold more text than the file"))?;
                texts.push(line);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(texts))
}
