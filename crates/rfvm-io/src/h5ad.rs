//! AnnData files (`.h5ad`), as single-cell work has them: an HDF5 file with a matrix `X` (dense or sparse), a table
//! `obs` about its rows, which are the samples, and a table `var` about its columns.

use std::collections::HashMap;
use std::path::Path;

use hdf5_pure::AttrValue;

use crate::common::{finish, guard, put_rows, transpose};
use crate::error::IoError;
use crate::hdf::{Hdf, Kind};
use crate::matrix::Matrix;
use crate::room::Held;
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};
use crate::sparse::Sparse;

const FORMAT: &str = "an AnnData file";

/// The group in which files of before 2021 keep the categories of a table.
const OLD_CATEGORIES: &str = "__categories";

/// The most categories a column may have.
const MAX_CATEGORIES: usize = 1 << 20;

/// Reads an AnnData file.
///
/// The numbers are those of `X`, or of the layer that `options.array` names (`raw` stands for `raw/X`). The columns of
/// `obs` become annotations, whatever they hold; the indices of `obs` and `var` are the names.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no matrix of that name.
pub fn read_h5ad(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || read(path, options))
}

fn read(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let hdf = Hdf::open(path, FORMAT, options)?;
    let place = matrix_place(path, &hdf, options)?;
    let var = if place.starts_with("raw/") && hdf.has_group("raw/var") {
        "raw/var"
    } else {
        "var"
    };
    let mut notes = Vec::new();
    let turned = options.orientation == Some(Orientation::FeaturesAsRows);
    let (rows, width) = shape_of(&hdf, &place)?;
    let (about_rows, about_columns) = (table(&hdf, "obs", rows)?, table(&hdf, var, width)?);
    let column_names = index(&hdf, about_columns.as_ref())?;
    let row_names = index(&hdf, about_rows.as_ref())?;
    // Only the first features are read, unless the target might be among the others.
    let named = |names: &Option<Vec<String>>| {
        let names = names.as_deref().unwrap_or_default();
        names
            .iter()
            .any(|name| Some(name) == options.target.as_ref())
    };
    let most = options
        .max_features
        .filter(|_| !turned && !named(&column_names));
    let mut matrix = read_matrix(path, &hdf, &place, most)?;
    if turned {
        transpose(&mut matrix.values, matrix.features, matrix.samples);
        std::mem::swap(&mut matrix.samples, &mut matrix.features);
    }
    let about_samples = if turned { about_columns } else { about_rows };
    let annotations = match about_samples {
        Some(table) => columns(&hdf, &table, &mut notes)?,
        None => Vec::new(),
    };
    let (sample_names, mut feature_names) = if turned {
        (column_names, row_names)
    } else {
        (row_names, column_names)
    };
    if let Some(names) = feature_names.as_mut() {
        names.truncate(matrix.features);
    }
    Ok(finish(
        Source {
            feature_names_made_up: false,
            about_features: FeatureTexts::default(),
            format: "AnnData".to_owned(),
            orientation: if turned {
                Orientation::FeaturesAsRows
            } else {
                Orientation::SamplesAsRows
            },
            orientation_certain: true,
            matrix,
            feature_names,
            sample_names,
            annotations,
            notes,
        },
        options,
    ))
}

/// The path of the matrix in the file.
fn matrix_place(path: &Path, hdf: &Hdf<'_>, options: &ReadOptions) -> Result<String, IoError> {
    let there = |place: &str| hdf.has_dataset(place) || hdf.has_group(place);
    let wanted = options.array.as_deref().unwrap_or("X");
    let places = match wanted {
        "X" => vec!["X".to_owned()],
        "raw" => vec!["raw/X".to_owned(), "layers/raw".to_owned()],
        name => vec![format!("layers/{name}"), name.to_owned()],
    };
    if let Some(place) = places.into_iter().find(|place| there(place)) {
        return Ok(place);
    }
    let mut has: Vec<String> = ["X", "raw/X"]
        .into_iter()
        .filter(|place| there(place))
        .map(str::to_owned)
        .collect();
    if let Ok(layers) = hdf.group("layers") {
        has.extend(layers.datasets().unwrap_or_default());
        has.extend(layers.groups().unwrap_or_default());
    }
    let what = if has.is_empty() {
        "there is neither `X` nor a layer in it, so it is no AnnData file".to_owned()
    } else {
        format!("its matrices are {}", has.join(", "))
    };
    Err(IoError::missing(path, wanted, what))
}

/// The rows and columns of a matrix.
fn shape_of(hdf: &Hdf<'_>, place: &str) -> Result<(usize, usize), IoError> {
    let shape = if hdf.has_group(place) {
        let attributes = hdf.attributes(place)?;
        let shape = attributes.get("shape").or(attributes.get("h5sparse_shape"));
        sides(shape).ok_or_else(|| {
            hdf.malformed(
                place,
                "it is a group, but not of a sparse matrix with its size",
            )
        })?
    } else {
        hdf.shape(place, &hdf.dataset(place)?)?
    };
    match *shape.as_slice() {
        [rows, columns] => Ok((rows, columns)),
        _ => Err(hdf.malformed(place, format!("it has {} dimensions, not 2", shape.len()))),
    }
}

/// The sizes in an attribute, of whatever type.
fn sides(attribute: Option<&AttrValue>) -> Option<Vec<usize>> {
    fn all<T: Copy>(values: &[T]) -> Option<Vec<usize>>
    where
        usize: TryFrom<T>,
    {
        let sides = values.iter().map(|&side| usize::try_from(side).ok());
        sides.collect()
    }
    match attribute? {
        AttrValue::I64Array(values) => all(values),
        AttrValue::U64Array(values) => all(values),
        AttrValue::I32Array(values) => all(values),
        AttrValue::U32Array(values) => all(values),
        _ => None,
    }
}

fn read_matrix(
    path: &Path,
    hdf: &Hdf<'_>,
    place: &str,
    most: Option<usize>,
) -> Result<Matrix, IoError> {
    let (rows, columns) = shape_of(hdf, place)?;
    if hdf.has_group(place) {
        let attributes = hdf.attributes(place)?;
        let kind = attributes
            .get("encoding-type")
            .or(attributes.get("h5sparse_format"))
            .and_then(AttrValue::as_str)
            .unwrap_or_default();
        let by_row = match kind {
            "csr_matrix" | "csr" => true,
            "csc_matrix" | "csc" => false,
            other => {
                let what =
                    format!("it is stored as `{other}`, where csr_matrix and csc_matrix are read");
                return Err(hdf.malformed(place, what));
            }
        };
        return Sparse {
            place,
            parts: ["data", "indices", "indptr"],
            rows,
            columns,
            by_row,
        }
        .read(path, hdf, most);
    }
    let dataset = hdf.dataset(place)?;
    let features = most.map_or(columns, |most| most.min(columns));
    let mut values = hdf.room.zeros(path, rows, features)?;
    hdf.each_rows(place, &dataset, |first, window| {
        put_rows(&mut values, rows, features, window, columns, first);
        Ok(())
    })?;
    Ok(Matrix {
        samples: rows,
        features,
        values,
    })
}

/// A table of the file: its path and attributes.
struct DataFrame {
    place: String,
    /// The rows it must have.
    rows: usize,
    attributes: HashMap<String, AttrValue>,
}

/// Finds a table; `None` where there is none, or it is of a layout of before 2020.
fn table(hdf: &Hdf<'_>, place: &str, rows: usize) -> Result<Option<DataFrame>, IoError> {
    if !hdf.has_group(place) {
        if hdf.has_dataset(place) {
            let what = "it is a table of the layout before AnnData 0.7; read and write the file with a current AnnData first";
            return Err(hdf.malformed(place, what));
        }
        return Ok(None);
    }
    Ok(Some(DataFrame {
        place: place.to_owned(),
        rows,
        attributes: hdf.attributes(place)?,
    }))
}

/// The name of the column that is the index.
fn index_name(table: &DataFrame) -> &str {
    let name = table.attributes.get("_index").and_then(AttrValue::as_str);
    name.unwrap_or("_index")
}

fn index(hdf: &Hdf<'_>, table: Option<&DataFrame>) -> Result<Option<Vec<String>>, IoError> {
    let Some(table) = table else {
        return Ok(None);
    };
    column(hdf, table, index_name(table))
}

/// All columns of a table but its index.
fn columns(
    hdf: &Hdf<'_>,
    table: &DataFrame,
    notes: &mut Vec<String>,
) -> Result<Vec<Annotation>, IoError> {
    let order = table.attributes.get("column-order");
    let names = match order.and_then(AttrValue::as_strings) {
        Some(names) => names.to_vec(),
        None => {
            let group = hdf.group(&table.place)?;
            let wrong = |error| hdf.malformed(&table.place, error);
            let mut names = group.datasets().map_err(wrong)?;
            names.extend(group.groups().map_err(wrong)?);
            names.retain(|name| name != index_name(table) && name != OLD_CATEGORIES);
            names.sort();
            names
        }
    };
    // Columns may be listed twice, or share what they hold, but not without bounds.
    hdf.check_texts(&table.place, names.len().saturating_mul(table.rows))?;
    let mut annotations = Vec::new();
    for name in names {
        match column(hdf, table, &name)? {
            Some(values) => annotations.push(Annotation { name, values }),
            None => notes.push(format!(
                "column `{name}` of `{}` was not read: it is neither text nor numbers",
                table.place
            )),
        }
    }
    Ok(annotations)
}

/// A column of a table as text, whatever it holds.
fn column(hdf: &Hdf<'_>, table: &DataFrame, name: &str) -> Result<Option<Vec<String>>, IoError> {
    let place = format!("{}/{name}", table.place);
    if hdf.has_group(&place) {
        let part = |part: &str| format!("{place}/{part}");
        if hdf.has_dataset(&part("codes")) {
            check_rows(hdf, &part("codes"), table.rows)?;
            return categorical(hdf, &part("codes"), &part("categories"));
        }
        // Columns with missing values: the values, and where there are none.
        if !hdf.has_dataset(&part("values")) {
            return Ok(None);
        }
        check_rows(hdf, &part("values"), table.rows)?;
        let Some(mut values) = hdf.texts(&part("values"), &hdf.dataset(&part("values"))?)? else {
            return Ok(None);
        };
        if hdf.has_dataset(&part("mask")) {
            check_rows(hdf, &part("mask"), table.rows)?;
            let mask = hdf.numbers(&part("mask"), &hdf.dataset(&part("mask"))?)?;
            for (value, _) in values
                .iter_mut()
                .zip(mask)
                .filter(|(_, masked)| *masked != 0.0)
            {
                value.clear();
            }
        }
        return Ok(Some(values));
    }
    check_rows(hdf, &place, table.rows)?;
    let dataset = hdf.dataset(&place)?;
    let old = format!("{}/{OLD_CATEGORIES}/{name}", table.place);
    let coded = hdf.attributes(&place)?.contains_key("categories")
        || matches!(hdf.kind(&place, &dataset)?, Kind::Number(..));
    if coded && hdf.has_dataset(&old) {
        return categorical(hdf, &place, &old);
    }
    hdf.texts(&place, &dataset)
}

/// Makes sure, before it is read, that a part of a column has a value for every row.
fn check_rows(hdf: &Hdf<'_>, place: &str, rows: usize) -> Result<(), IoError> {
    let count = hdf.count(place)?;
    if count == rows {
        return Ok(());
    }
    let what = format!("it has {count} values, where the matrix calls for {rows}");
    Err(hdf.malformed(place, what))
}

/// A column of codes into a list of categories; a negative code is a missing value.
fn categorical(
    hdf: &Hdf<'_>,
    codes: &str,
    categories: &str,
) -> Result<Option<Vec<String>>, IoError> {
    let values = format!("{categories}/values");
    let categories = if hdf.has_group(categories) {
        &values
    } else {
        categories
    };
    let count = hdf.count(categories)?;
    if count > MAX_CATEGORIES {
        return Err(hdf.malformed(categories, format!("it declares {count} categories")));
    }
    let names = hdf.texts(categories, &hdf.dataset(categories)?)?;
    let Some(names) = names else {
        return Ok(None);
    };
    let numbers = hdf.numbers(codes, &hdf.dataset(codes)?)?;
    let mut held = Held::new(hdf.room);
    let mut text = |code: f64| {
        if code < 0.0 {
            return Ok(String::new());
        }
        let name = names.get(code as usize).ok_or_else(|| {
            let what = format!(
                "it has the code {code}, where there are {} categories",
                names.len()
            );
            hdf.malformed(codes, what)
        })?;
        held.add(name).map_err(|what| hdf.malformed(codes, what))?;
        Ok(name.clone())
    };
    let values: Result<Vec<String>, IoError> = numbers.into_iter().map(&mut text).collect();
    values.map(Some)
}
