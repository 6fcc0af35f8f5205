//! Tables with a feature in each row: a row is parsed straight into its place in the matrix.

use std::ops::ControlFlow;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::blocks::{Line, TextBlock};
use super::cells::{CellRole, Extras, Stray, parse_line};
use super::number::settle_minus;
use super::pipeline::for_each_block;
use super::table::TextTable;
use super::words::{MAX_TEXTS, no_memory};
use crate::error::IoError;
use crate::room::{NAMED, TEXT};
use crate::source::{Annotation, FeatureTexts};

/// What to read of a table.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WantedFeatures<'a> {
    /// The row that is an annotation in any case.
    pub(crate) target: Option<&'a str>,
    /// The most features.
    pub(crate) max_features: Option<usize>,
    /// Whether the orientation is a guess, which a row of text refutes.
    pub(crate) guessed: bool,
    /// Rows that will not be used: text among their numbers is no mistake.
    pub(crate) dropped: &'a [String],
}

/// The numbers of a table, feature by feature.
#[derive(Debug, Default)]
pub(crate) struct ByFeature {
    pub(crate) values: Vec<f64>,
    pub(crate) features: usize,
    /// The names of the features, where the table has names.
    pub(crate) names: Vec<String>,
    /// Their descriptions, one text a column, where the table has columns of them.
    pub(crate) about: Vec<Vec<String>>,
    /// The rows that are text, and the target.
    pub(crate) annotations: Vec<Annotation>,
    /// Whether the line that ends the table was met.
    pub(crate) stopped: bool,
    /// Whether the file may have been cut off in its last line.
    pub(crate) may_be_cut: bool,
}

impl ByFeature {
    /// What the table says of its features beside their names, where it tells something.
    pub(crate) fn about_features(&self, table: &TextTable<'_>) -> FeatureTexts {
        if self.about.is_empty() {
            return FeatureTexts::default();
        }
        let header = table.header.iter().flatten();
        let columns = header.take(table.first_sample()).skip(1).cloned();
        let texts = FeatureTexts {
            columns: columns.collect(),
            rows: self
                .names
                .iter()
                .cloned()
                .zip(self.about.iter().cloned())
                .collect(),
        };
        texts.telling()
    }
}

/// What became of a row.
enum Row {
    Numbers(String, Vec<String>),
    Texts(Annotation),
    Ragged(usize),
    Stray(Stray),
}

/// Reads the table; `None` where its orientation was guessed, and wrongly so.
pub(crate) fn read(
    table: &TextTable<'_>,
    wanted: WantedFeatures<'_>,
    pool: &ThreadPool,
) -> Result<Option<ByFeature>, IoError> {
    let samples = table.width - table.first_sample();
    let roles = table.roles();
    let mut read = ByFeature::default();
    let mut refuted = false;
    let room = table.room();
    let mut letters = 0;
    for_each_block(table.path, table.cut, |block, reading| {
        let (lines, stopped) = table.lines(block);
        read.stopped = stopped;
        read.may_be_cut = table.may_be_cut(block);
        table.check_widths(block, lines)?;
        let old = read.features * samples;
        let needed = old + lines.len() * samples;
        let rows = (read.features + lines.len()) as u64;
        let texts = (read.annotations.len() as u64).saturating_mul(samples as u64);
        let bytes = [
            8 * needed as u64,
            NAMED * (rows + table.width as u64),
            texts.saturating_mul(TEXT),
            letters,
        ];
        (room.check(bytes.into_iter().fold(0, u64::saturating_add)))
            .map_err(|what| table.too_much(what))?;
        if read.values.len() < needed {
            let rows = reading.expected_rows(read.features + lines.len());
            let rows = rows.min(wanted.max_features.unwrap_or(rows));
            let expected = rows.saturating_mul(samples);
            let fits = room.check((expected as u64).saturating_mul(8)).is_ok();
            let expected = if fits { expected } else { needed };
            extend(&mut read.values, needed, expected)
                .map_err(|_| no_memory(table.path, samples, rows))?;
        }
        let fresh = read.values.get_mut(old..needed).unwrap_or_default();
        let rows: Vec<Row> = pool.install(|| {
            lines
                .par_iter()
                .zip(fresh.par_chunks_mut(samples))
                .with_min_len(8)
                .map(|(line, out)| parse_row(table, &roles, wanted, block, line, out))
                .collect()
        });
        for (position, (row, line)) in rows.into_iter().zip(lines).enumerate() {
            match row {
                Row::Numbers(name, about) => {
                    let from = old + position * samples;
                    let to = read.features * samples;
                    if to != from {
                        read.values.copy_within(from..from + samples, to);
                    }
                    read.features += 1;
                    if table.names {
                        letters += name.len() as u64;
                        letters += about
                            .iter()
                            .map(|text| text.len() as u64 + TEXT)
                            .sum::<u64>();
                        read.names.push(name);
                        if !about.is_empty() {
                            read.about.push(about);
                        }
                    }
                }
                Row::Ragged(cells) => return Err(table.ragged(line.number, cells)),
                _ if wanted.guessed => {
                    refuted = true;
                    return Ok(ControlFlow::Break(()));
                }
                Row::Stray(stray) => {
                    return Err(table.stray(line.number, stray.column, &stray.text));
                }
                Row::Texts(annotation) => {
                    if read.annotations.len() == MAX_TEXTS {
                        let text = annotation.values.iter().find(|text| !text.is_empty());
                        let text = text.map_or("", String::as_str);
                        return Err(table.no_numbers(line.number, table.first_sample(), text));
                    }
                    letters += annotation
                        .values
                        .iter()
                        .map(|text| text.len() as u64)
                        .sum::<u64>();
                    read.annotations.push(annotation);
                }
            }
        }
        if let Some(most) = wanted.max_features.filter(|&most| read.features >= most) {
            read.features = most;
            read.names.truncate(most);
            read.about.truncate(most);
        }
        let all = wanted.max_features == Some(read.features)
            && wanted
                .target
                .is_none_or(|target| read.annotations.iter().any(|one| one.name == target))
            && table.stop.is_none();
        Ok(if all || stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    if refuted {
        return Ok(None);
    }
    read.values.truncate(read.features * samples);
    read.values.shrink_to_fit();
    Ok(Some(read))
}

/// Makes room for as many values as are needed, and for as many as are expected where there is memory for them.
fn extend(
    values: &mut Vec<f64>,
    needed: usize,
    expected: usize,
) -> Result<(), std::collections::TryReserveError> {
    let length = needed.max(expected);
    if values.is_empty() && Vec::<f64>::new().try_reserve_exact(length).is_ok() {
        // Zeros that the system makes when they are touched, by the thread that touches them.
        *values = vec![0.0; length];
        return Ok(());
    }
    let more = |length: usize| length.saturating_sub(values.len());
    let (more, least) = (more(length), more(needed));
    if values.try_reserve_exact(more).is_err() {
        values.try_reserve_exact(least)?;
    }
    values.resize(values.capacity().min(length), 0.0);
    Ok(())
}

fn parse_row(
    table: &TextTable<'_>,
    roles: &[CellRole],
    wanted: WantedFeatures<'_>,
    block: &TextBlock,
    line: &Line,
    out: &mut [f64],
) -> Row {
    let text = block.text(line);
    let Extras { texts, mut strays } =
        match parse_line(text, line.quoted, &table.format, roles, out) {
            Ok(extras) => extras,
            Err(cells) => return Row::Ragged(cells),
        };
    let mut texts = texts.into_iter();
    let name = texts.next().unwrap_or_default();
    let is_target = table.names && wanted.target == Some(name.as_str());
    if strays.is_empty() && !is_target {
        return Row::Numbers(name, texts.collect());
    }
    let numbers = out.iter().filter(|number| !number.is_nan()).count();
    let dropped = table.names && wanted.dropped.contains(&name);
    if !is_target && !dropped && mostly_numbers(numbers, strays.len()) {
        return Row::Stray(strays.swap_remove(0));
    }
    let roles: Vec<CellRole> = roles
        .iter()
        .map(|&role| match role {
            CellRole::Number => CellRole::Text,
            _ => CellRole::Skip,
        })
        .collect();
    match parse_line(text, line.quoted, &table.format, &roles, &mut []) {
        Ok(Extras { mut texts, .. }) => {
            settle_minus(&mut texts);
            Row::Texts(Annotation {
                name,
                values: texts,
            })
        }
        Err(cells) => Row::Ragged(cells),
    }
}

/// Whether texts among numbers are so few that they are mistakes.
pub(crate) fn mostly_numbers(numbers: usize, texts: usize) -> bool {
    numbers > 9 * texts
}
