//! From a file of typed columns (Parquet, Feather) to a [`Source`].

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use crate::common::{distinct, finish, known_orientation, put_rows};
use crate::error::IoError;
use crate::matrix::Matrix;
use crate::room::{Held, NAMED, Room};
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source, column_at};

/// What a column of the file is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// A feature, or with features as rows a sample.
    Number,
    /// Text, truth values, categories.
    Text,
    /// The names of the rows.
    Index,
    /// Nothing, and what it is.
    Other(&'static str),
}

/// A column of the file.
#[derive(Debug, Clone)]
pub(crate) struct SourceColumn {
    pub(crate) name: String,
    pub(crate) role: Role,
}

/// A file of typed columns.
pub(crate) trait ColumnTable {
    /// The format in words.
    fn format(&self) -> &str;
    /// The room there is for it.
    fn room(&self) -> Room;
    fn rows(&self) -> usize;
    fn columns(&self) -> &[SourceColumn];
    /// Fills `out`, which has a place for every row, with a column of numbers.
    fn numbers(&mut self, column: usize, out: &mut [f64]) -> Result<(), IoError>;
    /// A column as text, whatever it holds; what it takes is counted.
    fn texts(&mut self, column: usize, held: &mut Held) -> Result<Vec<String>, IoError>;
}

/// The columns of samples that are filled together where features are rows.
const TOGETHER: usize = 16;

/// Makes a source of the columns.
pub(crate) fn assemble(
    path: &Path,
    table: &mut impl ColumnTable,
    options: &ReadOptions,
) -> Result<Source, IoError> {
    let too_much = |what| IoError::unsupported(path, what);
    let room = table.room();
    room.check_rows(table.rows()).map_err(too_much)?;
    let columns = table.columns().to_vec();
    let mut held = Held::new(room);
    let names = (columns.len() as u64).saturating_mul(NAMED);
    held.add_bytes(names).map_err(too_much)?;
    let numeric: Vec<usize> = (0..columns.len())
        .filter(|&i| columns[i].role == Role::Number)
        .collect();
    if numeric.is_empty() {
        return Err(IoError::unsupported(
            path,
            "it has no column of numbers; store the features as numbers",
        ));
    }
    let mut notes: Vec<String> = columns
        .iter()
        .filter_map(|column| match column.role {
            Role::Other(what) => Some(format!(
                "column `{}` was not read: it is {what}",
                column.name
            )),
            _ => None,
        })
        .collect();
    // The names of the rows are the index, or else may be the first column of text.
    let place = |role: Role| columns.iter().position(|column| column.role == role);
    let index = place(Role::Index);
    let first_text = place(Role::Text).filter(|_| index.is_none());
    let names_at = index.or(first_text);
    let names = match names_at {
        Some(column) => Some(table.texts(column, &mut held)?),
        None => None,
    };
    let target = options.target.as_deref().and_then(|target| {
        let named = columns.iter().position(|column| column.name == target);
        named.or_else(|| column_at(target, columns.len()))
    });
    let (orientation, orientation_certain) =
        orient(&columns, target, names_at, names.as_deref(), options);
    let parts = Parts {
        path,
        columns: &columns,
        numeric,
        target,
        names_at,
        names,
        is_index: index.is_some(),
    };
    let (matrix, feature_names, sample_names, annotations) = match orientation {
        Orientation::SamplesAsRows => {
            parts.samples_as_rows(table, options, &mut held, &mut notes)?
        }
        Orientation::FeaturesAsRows => parts.features_as_rows(table, options, &mut notes)?,
    };
    Ok(finish(
        Source {
            feature_names_made_up: false,
            about_features: FeatureTexts::default(),
            format: table.format().to_owned(),
            orientation,
            orientation_certain,
            matrix,
            feature_names,
            sample_names,
            annotations,
            notes,
        },
        options,
    ))
}

/// Which way the samples lie, and whether that is certain.
fn orient(
    columns: &[SourceColumn],
    target: Option<usize>,
    names_at: Option<usize>,
    names: Option<&[String]>,
    options: &ReadOptions,
) -> (Orientation, bool) {
    if let Some(forced) = options.orientation {
        return (forced, true);
    }
    if target.is_some() {
        return (Orientation::SamplesAsRows, true);
    }
    if let Some(target) = options.target.as_ref()
        && names.is_some_and(|names| names.contains(target))
    {
        return (Orientation::FeaturesAsRows, true);
    }
    let headers: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    if let Some(known) = known_orientation(options, &[names.unwrap_or_default()], &[&headers]) {
        return (known, true);
    }
    // A guess: expression tables have their names in the first column, and more rows than columns.
    let only_names = columns
        .iter()
        .enumerate()
        .all(|(i, column)| column.role == Role::Number || Some(i) == names_at);
    let first = names_at.is_some_and(|at| at == 0 || columns[at].role == Role::Index);
    let tall = names.is_some_and(|names| names.len() > columns.len() && distinct(names));
    if only_names && first && tall {
        (Orientation::FeaturesAsRows, false)
    } else {
        (Orientation::SamplesAsRows, false)
    }
}

type OptionalNames = Option<Vec<String>>;

/// What was found out of the columns.
struct Parts<'a> {
    path: &'a Path,
    columns: &'a [SourceColumn],
    numeric: Vec<usize>,
    target: Option<usize>,
    names_at: Option<usize>,
    names: OptionalNames,
    is_index: bool,
}

impl Parts<'_> {
    fn samples_as_rows(
        self,
        table: &mut impl ColumnTable,
        options: &ReadOptions,
        held: &mut Held,
        notes: &mut Vec<String>,
    ) -> Result<(Matrix, OptionalNames, OptionalNames, Vec<Annotation>), IoError> {
        let samples = table.rows();
        let is_target = |column: usize| Some(column) == self.target;
        let mut features: Vec<usize> = self.numeric;
        features.retain(|&column| !is_target(column));
        features.truncate(options.max_features.unwrap_or(usize::MAX));
        let mut names = self.names;
        let mut annotations = Vec::new();
        for (number, column) in self.columns.iter().enumerate() {
            if column.role != Role::Text && !is_target(number) {
                continue;
            }
            let values = if Some(number) == self.names_at && !self.is_index {
                // The first column of text names the samples if it can and comes first, and else is an annotation.
                let names_samples = number == 0 && !is_target(number);
                if names_samples && names.as_deref().is_some_and(distinct) {
                    continue;
                }
                names.take().unwrap_or_default()
            } else if Some(number) == self.names_at {
                names.clone().unwrap_or_default()
            } else {
                table.texts(number, held)?
            };
            let mut name = column.name.clone();
            if is_target(number) {
                name = options.name_target(name, notes);
            }
            annotations.push(Annotation { name, values });
        }
        let mut values = table.room().zeros(self.path, samples, features.len())?;
        if samples > 0 {
            for (&column, out) in features.iter().zip(values.chunks_exact_mut(samples)) {
                table.numbers(column, out)?;
            }
        }
        let feature_names = features
            .iter()
            .map(|&column| self.columns[column].name.clone())
            .collect();
        let matrix = Matrix {
            samples,
            features: features.len(),
            values,
        };
        Ok((matrix, Some(feature_names), names, annotations))
    }

    fn features_as_rows(
        self,
        table: &mut impl ColumnTable,
        options: &ReadOptions,
        notes: &mut Vec<String>,
    ) -> Result<(Matrix, OptionalNames, OptionalNames, Vec<Annotation>), IoError> {
        for (number, column) in self.columns.iter().enumerate() {
            if column.role == Role::Text && Some(number) != self.names_at {
                notes.push(format!(
                    "column `{}` was not used: it is text about the features",
                    column.name
                ));
            }
        }
        let (rows, samples) = (table.rows(), self.numeric.len());
        let mut names = self.names;
        let among = names
            .iter()
            .flatten()
            .any(|n| Some(n) == options.target.as_ref());
        let features = options
            .max_features
            .filter(|_| !among)
            .map_or(rows, |most| most.min(rows));
        if let Some(names) = names.as_mut() {
            names.truncate(features);
        }
        let mut values = table.room().zeros(self.path, samples, features)?;
        let together = TOGETHER.min(samples.div_ceil(8)).max(1);
        let mut block = table.room().zeros(self.path, together, rows)?;
        for (number, group) in self.numeric.chunks(together).enumerate() {
            let block = &mut block[..group.len() * rows];
            for (&column, out) in group.iter().zip(block.chunks_exact_mut(rows.max(1))) {
                table.numbers(column, out)?;
            }
            put_rows(
                &mut values,
                samples,
                features,
                block,
                rows,
                number * together,
            );
        }
        let sample_names = self.numeric.iter().map(|&c| self.columns[c].name.clone());
        let sample_names = Some(sample_names.collect());
        let matrix = Matrix {
            samples,
            features,
            values,
        };
        Ok((matrix, names, sample_names, Vec::new()))
    }
}

/// What pandas writes about its columns, as far as it is needed.
#[derive(Deserialize)]
struct Pandas<'a> {
    #[serde(default)]
    index_columns: Vec<serde_json::Value>,
    #[serde(default, borrow)]
    columns: Vec<PandasColumn<'a>>,
}

#[derive(Deserialize)]
struct PandasColumn<'a> {
    #[serde(default, borrow)]
    field_name: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pandas_type: Option<Cow<'a, str>>,
}

/// The names of the columns that pandas says are the index, and of those that are categories.
fn pandas(metadata: &str) -> (Vec<String>, HashSet<String>) {
    let Ok(about) = serde_json::from_str::<Pandas<'_>>(metadata) else {
        return Default::default();
    };
    // An index that only counts is described, and has no column.
    let index = about.index_columns.iter().filter_map(|name| name.as_str());
    let categories = about.columns.iter().filter_map(|column| {
        let kind = column.pandas_type.as_deref()?;
        let name = column.field_name.as_deref()?;
        (kind == "categorical").then(|| name.to_owned())
    });
    (index.map(str::to_owned).collect(), categories.collect())
}

/// Gives the columns their roles of index and category as pandas has them.
pub(crate) fn pandas_roles(columns: &mut [SourceColumn], metadata: Option<&str>) {
    let Some(metadata) = metadata else {
        return;
    };
    let (index, categories) = pandas(metadata);
    let index = index.first();
    for column in columns {
        if matches!(column.role, Role::Other(_)) {
            continue;
        }
        if Some(&column.name) == index {
            column.role = Role::Index;
        } else if categories.contains(&column.name) {
            column.role = Role::Text;
        }
    }
}

/// A number of 16 bits.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn what_pandas_says() {
        let (index, categories) = pandas(
            r#"{"index_columns": ["__index_level_0__", {"kind": "range"}],
                "columns": [{"field_name": "c", "pandas_type": "categorical"}, {"field_name": "d", "pandas_type": "int64"}]}"#,
        );
        assert_eq!(index, ["__index_level_0__"]);
        assert!(categories.contains("c") && categories.len() == 1);
        assert!(pandas("{").0.is_empty());
    }
}
