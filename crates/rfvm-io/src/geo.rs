//! GEO series matrix files: lines about the series and its samples, then a table with a feature in each row.

use std::path::Path;

use memchr::memchr_iter;

use crate::error::{IoError, quoted};
use crate::matrix::Matrix;
use crate::room::{Held, Room, TEXT};
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};
use crate::text::blocks::{Cut, Cutter, TextBlock};
use crate::text::by_feature::{self, WantedFeatures};
use crate::text::cells::{CellFormat, Cells, Delimiter};
use crate::text::number::{Numbers, settle_minus};
use crate::text::pipeline::pool;
use crate::text::table::TextTable;
use crate::text::words::{counted, decode};

const FORMAT: &str = "a GEO series matrix";
const BEGIN: &[u8] = b"!series_matrix_table_begin";
const END: &[u8] = b"!series_matrix_table_end";

fn tabs(options: &ReadOptions) -> Cut {
    Cut {
        line_end: b'\n',
        delimiter: Some(Delimiter::Byte(b'\t')),
        limit: options.limit(),
    }
}

/// A line about the samples: its number, its key without `!Sample_`, and a text for each sample.
struct About {
    line: usize,
    key: String,
    values: Vec<String>,
}

/// What stands above the numbers.
#[derive(Default)]
struct Preamble {
    about: Vec<About>,
    /// The names of the columns of the table, and the number of their line.
    header: Option<(Vec<String>, usize)>,
    begun: bool,
    compression: &'static str,
}

/// Reads a GEO series matrix, plain or compressed.
///
/// Samples are named by their accession (GSM...). The title, the source and every characteristic ("key: value", one
/// annotation for each key, wherever in a line it stands) become annotations.
///
/// # Errors
///
/// Where the file cannot be read, is cut short, has text among its numbers, or has no numbers because the platform
/// keeps them elsewhere.
pub fn read_geo(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let preamble = read_preamble(path, options)?;
    if !preamble.begun {
        let what =
            "there is no line !series_matrix_table_begin: it is another kind of file, or cut short";
        return Err(IoError::malformed(path, FORMAT, "its end", what));
    }
    let Some((header, line)) = preamble.header else {
        let what = "it ends where the table begins: it is cut short";
        return Err(IoError::malformed(path, FORMAT, "its end", what));
    };
    let empty = || {
        IoError::unsupported(
            path,
            "its table is empty: the platform stores its data elsewhere, usually in a supplementary file of the series; take that",
        )
    };
    if header.len() < 2 {
        return Err(empty());
    }
    let samples = header.len() - 1;
    let numbers = Numbers::new(options, false);
    let mut annotations = annotations(path, &preamble.about, samples, &numbers, options)?;
    let table = TextTable {
        path,
        kind: FORMAT,
        cut: tabs(options),
        format: CellFormat {
            delimiter: Delimiter::Byte(b'\t'),
            numbers,
            trailing: true,
        },
        width: header.len(),
        header: Some(header),
        first_line: line + 1,
        names: true,
        descriptions: 0,
        stop: Some(b"!"),
    };
    let wanted = WantedFeatures {
        target: options.target.as_deref(),
        max_features: options.max_features,
        guessed: false,
        dropped: &options.drop,
    };
    let read = by_feature::read(&table, wanted, &pool(path, None)?)?.unwrap_or_default();
    if !read.stopped {
        let what = "there is no line !series_matrix_table_end: it is cut short";
        return Err(IoError::malformed(path, FORMAT, "its end", what));
    }
    if read.features + read.annotations.len() == 0 {
        return Err(empty());
    }
    annotations.extend(read.annotations);
    Ok(Source {
        feature_names_made_up: false,
        about_features: FeatureTexts::default(),
        format: format!("GEO series matrix{}", preamble.compression),
        orientation: Orientation::FeaturesAsRows,
        orientation_certain: true,
        matrix: Matrix {
            samples,
            features: read.features,
            values: read.values,
        },
        feature_names: Some(read.names),
        sample_names: table.header.map(|mut header| header.split_off(1)),
        annotations,
        notes: Vec::new(),
    })
}

/// Reads up to the header of the table.
fn read_preamble(path: &Path, options: &ReadOptions) -> Result<Preamble, IoError> {
    let mut cutter = Cutter::open(path, tabs(options))?;
    let mut held = Held::new(Room::new(cutter.file().length, options));
    let mut preamble = Preamble {
        compression: cutter.file().compression.suffix(),
        ..Preamble::default()
    };
    let mut block = TextBlock::default();
    while cutter.fill_to(&mut block, 1 << 16, 1)? {
        for (line, text) in block.iter() {
            if preamble.begun || text.starts_with(b"!Sample_") {
                let tabs = memchr_iter(b'\t', text).count() as u64 + 1;
                held.add_bytes(text.len() as u64 + tabs * TEXT)
                    .map_err(|what| IoError::unsupported(path, what))?;
            }
            let cells = || {
                let cells = Cells::new(text, Delimiter::Byte(b'\t'));
                cells.map(|cell| decode(cell.trim_ascii()))
            };
            if preamble.begun {
                let header = if text.starts_with(END) {
                    Vec::new()
                } else {
                    trimmed(cells().collect())
                };
                preamble.header = Some((header, line.number));
                return Ok(preamble);
            }
            if text.starts_with(BEGIN) {
                preamble.begun = true;
            } else if text.starts_with(b"!Sample_") {
                let mut cells = cells();
                let key = cells.next().unwrap_or_default();
                preamble.about.push(About {
                    line: line.number,
                    key: key.trim_start_matches("!Sample_").to_owned(),
                    values: cells.collect(),
                });
            }
        }
    }
    Ok(preamble)
}

/// Without the empty name that a tab at the end of the line makes.
fn trimmed(mut names: Vec<String>) -> Vec<String> {
    names.pop_if(|name| name.is_empty());
    names
}

/// The annotations that the lines about the samples hold.
fn annotations(
    path: &Path,
    about: &[About],
    samples: usize,
    numbers: &Numbers,
    options: &ReadOptions,
) -> Result<Vec<Annotation>, IoError> {
    let length = std::fs::metadata(path).map_or(0, |about| about.len());
    let mut held = Held::new(Room::new(length, options));
    let mut annotations: Vec<Annotation> = Vec::new();
    let mut set = |name: &str, sample: usize, value: &str| {
        let known = annotations.iter().position(|one| one.name == name);
        let place = match known {
            Some(place) => place,
            None => {
                // A key of one sample alone takes room for all of them.
                held.add_bytes((samples as u64).saturating_mul(TEXT))
                    .map_err(|what| IoError::unsupported(path, what))?;
                annotations.push(Annotation {
                    name: name.to_owned(),
                    values: vec![String::new(); samples],
                });
                annotations.len() - 1
            }
        };
        let slot = annotations
            .get_mut(place)
            .and_then(|one| one.values.get_mut(sample));
        if let Some(slot) = slot {
            // The same key twice for one sample.
            if !slot.is_empty() && !value.is_empty() {
                slot.push_str("; ");
            }
            slot.push_str(value);
        }
        Ok::<(), IoError>(())
    };
    for About { line, key, values } in about {
        let name = match key.as_str() {
            "title" => "title",
            "source_name_ch1" => "source_name",
            "source_name_ch2" => "source_name (ch2)",
            "characteristics_ch1" | "characteristics_ch2" => "",
            _ => continue,
        };
        let extra = values.iter().skip(samples).any(|value| !value.is_empty());
        if extra || name == "title" && values.len() < samples {
            let what = format!(
                "{} has {} where the table has {}",
                quoted(&format!("!Sample_{key}")),
                counted(values.len(), "value"),
                counted(samples, "sample")
            );
            return Err(IoError::malformed(
                path,
                FORMAT,
                format!("line {line}"),
                what,
            ));
        }
        for (sample, cell) in values.iter().take(samples).enumerate() {
            if !name.is_empty() {
                set(name, sample, cell)?;
                continue;
            }
            if cell.is_empty() {
                continue;
            }
            let (key_of_cell, value) = cell.split_once(':').unwrap_or(("characteristics", cell));
            let channel = if key.ends_with('2') { " (ch2)" } else { "" };
            let value = numbers.text(value.as_bytes());
            set(&format!("{}{channel}", key_of_cell.trim()), sample, &value)?;
        }
    }
    for annotation in &mut annotations {
        settle_minus(&mut annotation.values);
    }
    Ok(annotations)
}
