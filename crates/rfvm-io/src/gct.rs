//! GCT, the expression tables of GenePattern and GSEA, versions 1.2 and 1.3: a feature in each row.

use std::path::Path;

use crate::error::{IoError, quoted};
use crate::matrix::Matrix;
use crate::source::{Annotation, Orientation, ReadOptions, Source};
use crate::text::blocks::Cut;
use crate::text::by_feature::{self, WantedFeatures};
use crate::text::cells::{CellFormat, Cells, Delimiter};
use crate::text::dialect::{HeadLine, first_lines};
use crate::text::number::{Numbers, settle_minus};
use crate::text::pipeline::pool;
use crate::text::table::TextTable;
use crate::text::words::{counted, decode};

const FORMAT: &str = "a GCT file";

fn tabs(options: &ReadOptions) -> Cut {
    Cut {
        line_end: b'\n',
        delimiter: Some(Delimiter::Byte(b'\t')),
        limit: options.limit(),
    }
}

/// What the first two lines declare.
struct Declared {
    version: &'static str,
    features: usize,
    samples: usize,
    /// Columns of descriptions beside the names.
    descriptions: usize,
    /// Rows about the samples below the header.
    annotations: usize,
}

/// Reads a GCT file, plain or compressed.
///
/// The features are named by the first column; their descriptions go along with the names. The rows about the samples of
/// version 1.3 become annotations.
///
/// # Errors
///
/// Where the file cannot be read, is not GCT of one of these versions, does not have the size it declares, or has text
/// among its numbers.
pub fn read_gct(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    let (lines, compression) = first_lines(path, tabs(options), 2)?;
    let declared = declared(path, &lines)?;
    let (lines, _) = first_lines(
        path,
        tabs(options),
        3_usize.saturating_add(declared.annotations),
    )?;
    let at = |line: &HeadLine, what: String| {
        IoError::malformed(path, FORMAT, format!("line {}", line.number), what)
    };
    let cells = |line: &HeadLine| -> Vec<String> {
        let cells = Cells::new(&line.text, Delimiter::Byte(b'\t'));
        cells.map(|cell| decode(cell.trim_ascii())).collect()
    };
    let Some(header_line) = lines.get(2) else {
        let what = "it ends before the names of the samples: it may be cut short";
        return Err(IoError::malformed(path, FORMAT, "line 3", what));
    };
    let first = 1 + declared.descriptions;
    let width = first.checked_add(declared.samples).ok_or_else(|| {
        at(
            header_line,
            "the numbers above are impossibly large".to_owned(),
        )
    })?;
    let mut header = cells(header_line);
    let names = header.len();
    if names == width + 1 {
        header.pop_if(|name| name.is_empty());
    }
    if header.len() != width {
        let what = format!(
            "it has {} where {} and {first} before them are declared",
            counted(names, "name"),
            counted(declared.samples, "sample")
        );
        return Err(at(header_line, what));
    }
    let numbers = Numbers::new(options, false).with_missing("na");
    let mut annotations = Vec::new();
    for line in lines.iter().skip(3) {
        let row: Vec<_> = Cells::new(&line.text, Delimiter::Byte(b'\t')).collect();
        if row.len() < width {
            let what = format!(
                "it has {} where the table has {}",
                counted(row.len(), "cell"),
                counted(width, "column")
            );
            return Err(at(line, what));
        }
        let mut values: Vec<String> = row
            .iter()
            .take(width)
            .skip(first)
            .map(|cell| numbers.text(cell))
            .collect();
        settle_minus(&mut values);
        annotations.push(Annotation {
            name: row
                .first()
                .map_or_else(String::new, |name| decode(name.trim_ascii())),
            values,
        });
    }
    let table = TextTable {
        path,
        kind: FORMAT,
        cut: tabs(options),
        format: CellFormat {
            delimiter: Delimiter::Byte(b'\t'),
            numbers,
            trailing: true,
        },
        header: Some(header),
        width,
        first_line: lines.last().map_or(0, |line| line.number + 1),
        names: true,
        descriptions: declared.descriptions,
        stop: None,
    };
    let wanted = WantedFeatures {
        target: options.target.as_deref(),
        max_features: options.max_features,
        guessed: false,
        dropped: &options.drop,
    };
    let read = by_feature::read(&table, wanted, &pool(path, None)?)?.unwrap_or_default();
    let rows = read.features + read.annotations.len();
    let limited = options.max_features == Some(read.features);
    if annotations.len() != declared.annotations || rows != declared.features && !limited {
        let what = format!(
            "it declares {} of features and has {rows}: it may be cut short",
            counted(declared.features, "row")
        );
        return Err(IoError::malformed(path, FORMAT, "line 2", what));
    }
    let about_features = read.about_features(&table);
    annotations.extend(read.annotations);
    Ok(Source {
        feature_names_made_up: false,
        about_features,
        format: format!("GCT {}{}", declared.version, compression.suffix()),
        orientation: Orientation::FeaturesAsRows,
        orientation_certain: true,
        matrix: Matrix {
            samples: declared.samples,
            features: read.features,
            values: read.values,
        },
        feature_names: Some(read.names),
        sample_names: table.header.map(|mut header| header.split_off(first)),
        annotations,
        notes: Vec::new(),
    })
}

fn declared(path: &Path, lines: &[HeadLine]) -> Result<Declared, IoError> {
    let malformed =
        |line: usize, what: String| IoError::malformed(path, FORMAT, format!("line {line}"), what);
    let words = |line: Option<&HeadLine>| -> Vec<String> {
        let text = line.map_or_else(String::new, |line| decode(&line.text));
        text.split_ascii_whitespace().map(str::to_owned).collect()
    };
    let first = words(lines.first());
    let version = match first.first().map(String::as_str) {
        Some("#1.2") => "1.2",
        Some("#1.3") => "1.3",
        other => {
            let word = quoted(other.unwrap_or_default());
            return Err(malformed(1, format!("{word} is neither #1.2 nor #1.3")));
        }
    };
    let numbers = words(lines.get(1));
    let counts: Option<Vec<usize>> = numbers.iter().map(|word| word.parse().ok()).collect();
    match (version, counts.as_deref()) {
        ("1.2", Some(&[features, samples, ..])) if samples > 0 => Ok(Declared {
            version,
            features,
            samples,
            descriptions: 1,
            annotations: 0,
        }),
        ("1.3", Some(&[features, samples, descriptions, annotations])) if samples > 0 => {
            Ok(Declared {
                version,
                features,
                samples,
                descriptions,
                annotations,
            })
        }
        _ => {
            let wanted = if version == "1.2" { "two" } else { "four" };
            let word = quoted(&numbers.join(" "));
            Err(malformed(
                2,
                format!("{word} is not {wanted} numbers of rows and columns"),
            ))
        }
    }
}
