//! What several of the binary readers need: transposing in place, numbers as text, the last steps
//! before a [`Source`] is handed out.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use crate::error::IoError;
use crate::matrix::Matrix;
use crate::source::{Annotation, Orientation, ReadOptions, Source, column_at};

/// A number as text: `1`, `-1`, `0.5`, `1e300`, and nothing for NaN, which stands for a missing value.
pub(crate) fn number_text(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        String::new()
    } else if value == 0.0 {
        "0".to_owned()
    } else if (1e-5..1e16).contains(&size) || value.is_infinite() {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Like [`number_text`], with no more digits than the 32 bits have.
pub(crate) fn short_number_text(value: f32) -> String {
    let size = value.abs();
    if (1e-5..1e7).contains(&size) {
        format!("{value}")
    } else {
        number_text(f64::from(value))
    }
}

/// A truth value as text.
pub(crate) fn truth_text(value: bool) -> String {
    if value { "true" } else { "false" }.to_owned()
}

/// Opens a file and gives its length too.
pub(crate) fn open(path: &Path) -> Result<(File, u64), IoError> {
    let file = File::open(path).map_err(|error| IoError::read(path, error))?;
    let about = file
        .metadata()
        .map_err(|error| IoError::read(path, error))?;
    if about.is_dir() {
        return Err(IoError::unsupported(
            path,
            "it is a folder; name the file in it",
        ));
    }
    Ok((file, about.len()))
}

/// Puts whole rows, given one after the other, into a feature-major matrix of `samples` samples.
///
/// `rows` holds rows of `width` values, of which the first `features` are kept; its first row is that of `first`.
pub(crate) fn put_rows(
    values: &mut [f64],
    samples: usize,
    features: usize,
    rows: &[f64],
    width: usize,
    first: usize,
) {
    /// Features that are filled together, so that what is read stays in the cache.
    const BLOCK: usize = 64;
    if width == 0 {
        return;
    }
    for begin in (0..features).step_by(BLOCK) {
        for d in begin..features.min(begin + BLOCK) {
            let column = values.iter_mut().skip(d * samples + first);
            for (value, row) in column.zip(rows.chunks_exact(width)) {
                *value = row.get(d).copied().unwrap_or(f64::NAN);
            }
        }
    }
}

/// How many rows of `width` values are read at a time: few enough not to count beside the matrix.
pub(crate) fn rows_at_a_time(rows: usize, width: usize) -> usize {
    let share = (rows / 16).clamp(1, 64);
    share.max((1 << 14) / width.max(1)).clamp(1, rows.max(1))
}

/// Turns `rows` x `columns` values, row after row, into the same values column after column, in place.
pub(crate) fn transpose(values: &mut [f64], rows: usize, columns: usize) {
    let count = values.len();
    debug_assert_eq!(rows.checked_mul(columns), Some(count));
    if rows < 2 || columns < 2 {
        return;
    }
    // What stands at i goes to i * rows mod (count - 1); every cycle of this map is followed once.
    let last = count - 1;
    let mut done = vec![0_u64; count.div_ceil(64)];
    for start in 1..last {
        if done[start / 64] >> (start % 64) & 1 == 1 {
            continue;
        }
        let mut place = start;
        let mut carried = values[start];
        loop {
            place = (place % columns) * rows + place / columns;
            std::mem::swap(&mut carried, &mut values[place]);
            done[place / 64] |= 1 << (place % 64);
            if place == start {
                break;
            }
        }
    }
}

thread_local! {
    /// Whether a panic on this thread will be made an error, and so is not to be reported.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder that is not ours. Should it panic on a damaged file, that is an error like any other, and nothing is
/// printed; panics elsewhere are reported as before.
pub(crate) fn guard<T>(
    path: &Path,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, IoError>,
) -> Result<T, IoError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                report(info);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(before);
    result.unwrap_or_else(|_| {
        Err(IoError::malformed(
            path,
            format,
            "its content",
            "it is damaged in a way its decoder was not ready for",
        ))
    })
}

/// One line of what a decoder said, without what would break the sentence.
pub(crate) fn one_line(text: impl ToString) -> String {
    let text = text.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    if line.len() > 300 {
        let end = (0..=300).rev().find(|&at| line.is_char_boundary(at));
        line.truncate(end.unwrap_or(0));
    }
    line.trim_end_matches('.').to_owned()
}

/// What the caller knows that settles which way the samples lie.
///
/// `row_names` are lists of names that stand for a row each, `column_names` for a column each.
pub(crate) fn known_orientation(
    options: &ReadOptions,
    row_names: &[&[String]],
    column_names: &[&[String]],
) -> Option<Orientation> {
    if let Some(orientation) = options.orientation {
        return Some(orientation);
    }
    let wanted = options.sample_names.as_deref()?;
    let wanted: HashSet<&str> = wanted.iter().map(String::as_str).collect();
    let hits = |lists: &[&[String]]| {
        lists
            .iter()
            .map(|list| {
                list.iter()
                    .filter(|name| wanted.contains(name.as_str()))
                    .count()
            })
            .max()
            .unwrap_or(0)
    };
    let (rows, columns) = (hits(row_names), hits(column_names));
    match rows.cmp(&columns) {
        std::cmp::Ordering::Greater => Some(Orientation::SamplesAsRows),
        std::cmp::Ordering::Less => Some(Orientation::FeaturesAsRows),
        std::cmp::Ordering::Equal => None,
    }
}

/// Whether no name is empty or comes twice.
pub(crate) fn distinct(names: &[String]) -> bool {
    let set: HashSet<&str> = names.iter().map(String::as_str).collect();
    set.len() == names.len() && !set.contains("")
}

/// The last steps of every reader: the target leaves the features, and only the first features are kept.
pub(crate) fn finish(mut source: Source, options: &ReadOptions) -> Source {
    let features = source.matrix.features;
    if let Some(target) = options.target.as_deref()
        && !source.annotations.iter().any(|a| a.name == target)
        && let Some(place) = match &source.feature_names {
            Some(names) => names.iter().position(|name| name == target),
            None => column_at(target, features),
        }
    {
        source.number_features();
        let values = source.take_feature(place);
        source.annotations.push(Annotation {
            name: target.to_owned(),
            values,
        });
    }
    if let Some(most) = options
        .max_features
        .filter(|&most| most < source.matrix.features)
    {
        keep_features(&mut source.matrix, most);
        if let Some(names) = source.feature_names.as_mut() {
            names.truncate(most);
        }
    }
    source
}

/// Keeps the first features.
fn keep_features(matrix: &mut Matrix, most: usize) {
    matrix.features = most;
    matrix.values.truncate(most * matrix.samples);
    matrix.values.shrink_to_fit();
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_needless_decimals() {
        for (value, text) in [
            (1.0, "1"),
            (-1.0, "-1"),
            (0.5, "0.5"),
            (-0.0, "0"),
            (1e300, "1e300"),
            (f64::NAN, ""),
            (123_456_789.0, "123456789"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number_text(value), text);
        }
        assert_eq!(short_number_text(0.1), "0.1");
    }

    #[test]
    fn transposes_in_place() {
        for (rows, columns) in [(1, 1), (1, 7), (7, 1), (2, 3), (3, 3), (13, 40), (64, 65)] {
            let mut values: Vec<f64> = (0..rows * columns).map(|i| i as f64).collect();
            let expected = Matrix::from_sample_major(rows, columns, &values).values;
            transpose(&mut values, rows, columns);
            assert_eq!(values, expected, "{rows} x {columns}");
        }
    }

    #[test]
    fn rows_are_put_where_they_belong() {
        let rows: Vec<f64> = (0..12).map(f64::from).collect();
        let mut values = vec![0.0; 6];
        put_rows(&mut values, 3, 2, &rows[..8], 4, 0);
        put_rows(&mut values, 3, 2, &rows[8..], 4, 2);
        assert_eq!(values, [0.0, 4.0, 8.0, 1.0, 5.0, 9.0]);
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let result: Result<(), IoError> = guard(Path::new("x"), "a file", || panic!("no"));
        assert!(result.unwrap_err().to_string().contains("damaged"));
    }
}
