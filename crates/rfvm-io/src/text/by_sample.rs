//! Tables with a sample in each row: some rows at a time are parsed side by side, then spread over the features.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::by_feature::mostly_numbers;
use super::cells::{CellRole, Extras, parse_line};
use super::number::{Value, settle_minus};
use super::pipeline::for_each_block;
use super::table::TextTable;
use super::words::MAX_TEXTS;
use crate::error::IoError;
use crate::room::{Held, NAMED, TEXT};

/// What to read of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedSamples<'a> {
    /// The column that is an annotation in any case.
    pub(crate) target: Option<usize>,
    /// Columns that are known to hold text.
    pub(crate) texts: &'a [usize],
    /// The most features.
    pub(crate) max_features: Option<usize>,
    /// The number of samples.
    pub(crate) samples: usize,
    /// Columns that will not be used: text among their numbers is no mistake.
    pub(crate) dropped: &'a [usize],
}

/// The numbers of a table, feature by feature, and what else its columns hold.
#[derive(Debug, Default)]
pub(crate) struct BySample {
    pub(crate) values: Vec<f64>,
    /// The columns that became features.
    pub(crate) features: Vec<usize>,
    /// The names of the samples, where the table has names.
    pub(crate) names: Vec<String>,
    /// The columns that are text, and the target, with their cells.
    pub(crate) texts: Vec<(usize, Vec<String>)>,
    /// Whether the file may have been cut off in its last line.
    pub(crate) may_be_cut: bool,
}

/// Text in the columns of numbers: for each such column how many there are, and the line and text of the first.
type Strays = BTreeMap<usize, (usize, usize, String)>;

/// Reads the table.
pub(crate) fn read(
    table: &TextTable<'_>,
    wanted: WantedSamples<'_>,
    pool: &ThreadPool,
) -> Result<BySample, IoError> {
    let mut texts = wanted.texts.to_vec();
    texts.extend(wanted.target);
    loop {
        // A second time where text turned up in columns that began as numbers: their cells are needed as text.
        let (mut read, lines, strays) = pass(table, &wanted, &texts, pool)?;
        let first_error = strays
            .iter()
            .filter(|&(column, &(count, ..))| {
                let position = read.features.binary_search(column).unwrap_or_default();
                let from = position * wanted.samples;
                let cells = read.values.get(from..from + wanted.samples);
                let cells = cells.unwrap_or_default();
                let numbers = cells.iter().filter(|number| !number.is_nan()).count();
                mostly_numbers(numbers, count) && !wanted.dropped.contains(column)
            })
            .min_by_key(|&(column, &(_, line, _))| (line, *column));
        if let Some((&column, (_, line, text))) = first_error {
            return Err(table.stray(*line, column, text));
        }
        if strays.is_empty() {
            for (column, values) in &mut read.texts {
                settle_minus(values);
                if Some(*column) != wanted.target && !wanted.dropped.contains(column) {
                    check_text(table, *column, values, &lines)?;
                }
            }
            return Ok(read);
        }
        texts.extend(strays.into_keys());
    }
}

/// Text in a column known to have some must be more than a few mistakes among numbers.
fn check_text(
    table: &TextTable<'_>,
    column: usize,
    values: &[String],
    lines: &[usize],
) -> Result<(), IoError> {
    // Decimal commas have become points.
    let is_number = |value: &&String| match table.format.numbers.value(value.as_bytes()) {
        Value::Number(_) => true,
        Value::Missing => false,
        Value::Text => value.parse::<f64>().is_ok(),
    };
    let present = values.iter().filter(|value| !value.is_empty());
    let numbers = present.clone().filter(is_number).count();
    if mostly_numbers(numbers, present.count() - numbers) {
        let first = values
            .iter()
            .zip(lines)
            .find(|(value, _)| !value.is_empty() && !is_number(value));
        if let Some((value, &line)) = first {
            return Err(table.stray(line, column, value));
        }
    }
    Ok(())
}

/// Reads the table once, with these columns as text.
fn pass(
    table: &TextTable<'_>,
    wanted: &WantedSamples<'_>,
    texts: &[usize],
    pool: &ThreadPool,
) -> Result<(BySample, Vec<usize>, Strays), IoError> {
    let samples = wanted.samples;
    let mut roles = table.roles();
    for &column in texts {
        if let Some(role) = roles.get_mut(column) {
            *role = CellRole::Text;
        }
    }
    let most = wanted.max_features.unwrap_or(usize::MAX);
    let all_numbers = roles.iter_mut().filter(|role| **role == CellRole::Number);
    all_numbers
        .skip(most)
        .for_each(|role| *role = CellRole::Skip);
    let columns = |wanted: CellRole| {
        let roles = roles.iter().enumerate();
        roles.filter_map(move |(column, &role)| (role == wanted).then_some(column))
    };
    let features: Vec<usize> = columns(CellRole::Number).collect();
    let count = features.len();
    let room = table.room();
    let mut read = BySample {
        values: room.zeros(table.path, samples, count)?,
        features,
        names: Vec::new(),
        texts: columns(CellRole::Text)
            .map(|column| (column, Vec::new()))
            .collect(),
        may_be_cut: false,
    };
    let mut held = Held::new(room);
    let texts = (read.texts.len() + usize::from(table.names)) as u64;
    let numbers = 8 * read.values.len() as u64;
    let texts = texts.saturating_mul(samples as u64).saturating_mul(TEXT);
    let columns = (table.width as u64).saturating_mul(NAMED);
    held.add_bytes(numbers.saturating_add(texts).saturating_add(columns))
        .map_err(|what| table.too_much(what))?;
    let mut strays = Strays::new();
    let mut line_numbers = Vec::new();
    let mut rows: Vec<f64> = Vec::new();
    for_each_block(table.path, table.cut, |block, _| {
        let (lines, stopped) = table.lines(block);
        table.check_widths(block, lines)?;
        read.may_be_cut = table.may_be_cut(block);
        let first = line_numbers.len();
        if first + lines.len() > samples {
            return Err(changed(table));
        }
        rows.resize(lines.len() * count, 0.0);
        // Chunks of no length cannot be made: without features every line gets none of the numbers.
        let mut outs: Vec<&mut [f64]> = if count == 0 {
            lines.iter().map(|_| <&mut [f64]>::default()).collect()
        } else {
            rows.chunks_mut(count).collect()
        };
        let parsed: Vec<Result<Extras, usize>> = pool.install(|| {
            lines
                .par_iter()
                .zip(outs.par_iter_mut())
                .map(|(line, out)| {
                    parse_line(block.text(line), line.quoted, &table.format, &roles, out)
                })
                .collect()
        });
        for (line, extras) in lines.iter().zip(parsed) {
            let extras = extras.map_err(|cells| table.ragged(line.number, cells))?;
            line_numbers.push(line.number);
            let letters: usize = extras.texts.iter().map(String::len).sum();
            held.add_bytes(letters as u64)
                .map_err(|what| table.too_much(what))?;
            let mut texts = extras.texts.into_iter();
            if table.names {
                read.names.extend(texts.next());
            }
            for ((_, values), text) in read.texts.iter_mut().zip(texts) {
                values.push(text);
            }
            for stray in extras.strays {
                let entry = strays.entry(stray.column);
                entry
                    .and_modify(|(count, ..)| *count += 1)
                    .or_insert((1, line.number, stray.text));
            }
        }
        if strays.len() > MAX_TEXTS
            && let Some((&column, (_, line, text))) = strays.first_key_value()
        {
            return Err(table.no_numbers(*line, column, text));
        }
        spread(&mut read.values, samples, &rows, count, first, pool);
        Ok(if stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    if line_numbers.len() != samples {
        return Err(changed(table));
    }
    Ok((read, line_numbers, strays))
}

/// Writes rows into the matrix, from sample `first` on.
fn spread(
    values: &mut [f64],
    samples: usize,
    rows: &[f64],
    features: usize,
    first: usize,
    pool: &ThreadPool,
) {
    /// Features that one thread writes at a time.
    const SPAN: usize = 512;
    if rows.is_empty() {
        return;
    }
    pool.install(|| {
        values
            .par_chunks_mut(samples * SPAN)
            .enumerate()
            .for_each(|(span, values)| {
                for (position, feature) in values.chunks_mut(samples).enumerate() {
                    let column = rows.iter().skip(span * SPAN + position).step_by(features);
                    let places = feature.get_mut(first..).unwrap_or_default();
                    for (place, &value) in places.iter_mut().zip(column) {
                        *place = value;
                    }
                }
            });
    });
}

fn changed(table: &TextTable<'_>) -> IoError {
    IoError::unsupported(table.path, "it changed while it was being read; try again")
}
