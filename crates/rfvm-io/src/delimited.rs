//! Text tables: comma, tab, semicolon or blanks between the cells, plain or compressed with gzip or zstd.
//!
//! What the options do not say is found out from the first lines: delimiter, header (also one name short, as R writes
//! it), names in the first column, decimal commas, comments at the top, delimiters at the ends of lines. Quoting is
//! that of RFC 4180, with line ends inside quotes.
//!
//! The orientation is settled by the options where they do: given, by the place of the target, or by the place of
//! known names of samples. Else it is guessed: a table with text as names in its first column, numbers otherwise, and
//! more rows than columns has features as rows.

use std::path::Path;

use crate::error::IoError;
use crate::matrix::Matrix;
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};
use crate::text::dialect::Head;
use crate::text::layout::{self, DESCRIBES, Layout};
use crate::text::pipeline::pool;
use crate::text::scan::{Search, scan};
use crate::text::words::UNENDED;
use crate::text::{by_feature, by_sample};

/// Reads a text table.
///
/// A column of text (with features as rows: a row) is an annotation; a few texts among numbers are an error, unless
/// the column is the target. A target that is neither a column nor a row is not an error here: it may be in another
/// file. A table without any numbers gives a matrix without features.
///
/// # Errors
///
/// Where the file cannot be read or decompressed, is not text, has lines of unlike numbers of cells, a quote that is
/// not closed, or text in a number column.
pub fn read_delimited(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let mut source = read_with(path, options, None)?;
    let names = source.sample_names.iter_mut().flatten();
    let names = names.chain(source.feature_names.iter_mut().flatten());
    let words = source.annotations.iter_mut().flat_map(|a| &mut a.values);
    names.chain(words).for_each(as_text);
    Ok(source)
}

/// An apostrophe before what a spreadsheet would take for a formula says that it is text, and is no part of it: tables are
/// written so here, too.
fn as_text(cell: &mut String) {
    let text = cell.strip_prefix('\'');
    if text.is_some_and(|text| text.starts_with(['=', '+', '-', '@'])) {
        cell.remove(0);
    }
}

/// Reads with a given number of threads, which changes nothing but the time.
pub(crate) fn read_with(
    path: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
) -> Result<Source, IoError> {
    let head = Head::read(path, options)?;
    let format = head.format();
    let mut layout = layout::find(path, &head, options)?;
    drop(head);
    let pool = pool(path, threads)?;
    if layout.orientation == Orientation::FeaturesAsRows {
        let wanted = by_feature::WantedFeatures {
            target: options.target.as_deref(),
            max_features: options.max_features,
            guessed: !layout.certain,
            dropped: &options.drop,
        };
        if let Some(read) = by_feature::read(&layout.table, wanted, &pool)? {
            return Ok(from_features(format, layout, read));
        }
        layout.orientation = Orientation::SamplesAsRows;
        layout.rows = None;
        layout.table.descriptions = 0;
        layout.notes.retain(|note| !note.ends_with(DESCRIBES));
    }
    let samples = match layout.rows {
        Some(rows) => rows,
        None => {
            let found = scan(&layout.table, Search::default())?;
            if let Some((line, cells)) = found.ragged {
                return Err(layout.table.ragged(line, cells));
            }
            found.rows
        }
    };
    let asked = options.target.as_deref();
    let target = asked
        .and_then(|target| layout.table.column(target))
        .filter(|&column| column > 0 || !layout.table.names);
    let column = |name: &String| layout.table.column(name);
    let dropped: Vec<usize> = options.drop.iter().filter_map(column).collect();
    let wanted = by_sample::WantedSamples {
        target,
        texts: &layout.texts,
        max_features: options.max_features,
        samples,
        dropped: &dropped,
    };
    let read = by_sample::read(&layout.table, wanted, &pool)?;
    Ok(from_samples(format, layout, samples, read, target, options))
}

fn from_features(format: String, mut layout: Layout<'_>, read: by_feature::ByFeature) -> Source {
    let cut = read.may_be_cut.then(|| UNENDED.to_owned());
    layout.notes.extend(cut);
    let table = layout.table;
    let first = table.first_sample();
    let about_features = read.about_features(&table);
    Source {
        feature_names_made_up: false,
        about_features,
        format,
        orientation: Orientation::FeaturesAsRows,
        orientation_certain: layout.certain,
        matrix: Matrix {
            samples: table.width - first,
            features: read.features,
            values: read.values,
        },
        feature_names: table.names.then_some(read.names),
        sample_names: table.header.map(|mut header| header.split_off(first)),
        annotations: read.annotations,
        notes: layout.notes,
    }
}

fn from_samples(
    format: String,
    layout: Layout<'_>,
    samples: usize,
    read: by_sample::BySample,
    target: Option<usize>,
    options: &ReadOptions,
) -> Source {
    let Layout {
        table, mut notes, ..
    } = layout;
    notes.extend(read.may_be_cut.then(|| UNENDED.to_owned()));
    let title = |column: usize| {
        let header = table.header.as_ref().and_then(|header| header.get(column));
        let name = header.filter(|name| !name.is_empty()).cloned();
        name.unwrap_or_else(|| format!("column {}", column + 1))
    };
    let annotations = read
        .texts
        .into_iter()
        .map(|(column, values)| {
            let mut name = title(column);
            if Some(column) == target {
                name = options.name_target(name, &mut notes);
            }
            Annotation { name, values }
        })
        .collect();
    let features = read.features.len();
    // In place: a second list of the names of all features would count.
    let mut columns = read.features.into_iter().peekable();
    let feature_names = table.header.map(|header| {
        let names = header.into_iter().enumerate();
        names
            .filter_map(|(column, name)| columns.next_if_eq(&column).map(|_| name))
            .collect()
    });
    Source {
        feature_names_made_up: false,
        about_features: FeatureTexts::default(),
        format,
        orientation: Orientation::SamplesAsRows,
        orientation_certain: layout.certain,
        matrix: Matrix {
            samples,
            features,
            values: read.values,
        },
        feature_names,
        sample_names: table.names.then_some(read.names),
        annotations,
        notes,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::io::Write as _;

    /// A table of several blocks, with names in quotes that have line ends, missing values and long numbers.
    fn long_table(rows: usize, columns: usize) -> String {
        let mut text = String::from("id");
        for column in 0..columns {
            write!(text, ",c{column}").unwrap();
        }
        for row in 0..rows {
            write!(text, "\n\"r\n{row}\"").unwrap();
            for column in 0..columns {
                let cell = row * columns + column;
                match cell % 7 {
                    0 => text.push_str(",NA"),
                    1 => write!(text, ",{:?}", (cell as f64).sqrt()).unwrap(),
                    _ => write!(text, ",{}.25", cell).unwrap(),
                }
            }
        }
        text
    }

    #[test]
    fn any_number_of_threads_reads_the_same() {
        let folder = tempfile::TempDir::new().unwrap();
        for (rows, columns) in [(9, 40_000), (40_000, 9)] {
            let text = long_table(rows, columns);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            let path = folder.path().join("plain.csv");
            let compressed = folder.path().join("packed.csv");
            std::fs::write(&path, &text).unwrap();
            std::fs::write(&compressed, packed.finish().unwrap()).unwrap();
            for orientation in [Orientation::SamplesAsRows, Orientation::FeaturesAsRows] {
                let options = ReadOptions {
                    orientation: Some(orientation),
                    ..ReadOptions::default()
                };
                let bits = |path: &Path, threads| {
                    let source = read_with(path, &options, Some(threads)).unwrap();
                    let values = source.matrix.values.iter();
                    let values: Vec<u64> = values.map(|value| value.to_bits()).collect();
                    (
                        values,
                        source.feature_names.unwrap(),
                        source.sample_names.unwrap(),
                    )
                };
                let one = bits(&path, 1);
                assert_eq!(one.0.len(), rows * columns);
                let by_sample = orientation == Orientation::SamplesAsRows;
                let names = if by_sample { &one.2 } else { &one.1 };
                assert_eq!(names.last().unwrap(), &format!("r\n{}", rows - 1));
                let (row, column) = (rows - 2, columns - 3);
                let place = if by_sample {
                    column * rows + row
                } else {
                    row * columns + column
                };
                let cell = row * columns + column;
                let right = match cell % 7 {
                    0 => f64::NAN,
                    1 => (cell as f64).sqrt(),
                    _ => cell as f64 + 0.25,
                };
                assert_eq!(one.0[place], right.to_bits());
                for threads in [2, 3, 8] {
                    assert!(bits(&path, threads) == one, "{threads} threads");
                }
                assert!(bits(&compressed, 2) == one);
            }
        }
    }
}
