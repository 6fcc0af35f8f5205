//! The sparse text of LIBSVM and SVMlight: a line for each sample, its label, then `index:value` for what is not zero.

use std::ops::ControlFlow;
use std::path::Path;

use crate::error::{IoError, quoted};
use crate::matrix::Matrix;
use crate::room::{Held, Room};
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};
use crate::text::blocks::Cut;
use crate::text::cells::Delimiter;
use crate::text::open::open_file;
use crate::text::pipeline::for_each_block;
use crate::text::words::UNENDED;

const FORMAT: &str = "an svmlight file";

/// A piece of a line.
enum Piece<'a> {
    Label(&'a str),
    Entry(usize, f64),
}

/// Reads a LIBSVM or SVMlight file, plain or compressed, into a dense matrix.
///
/// Indices are counted from 0 where a 0 is among them, else from 1; they rise along a line. Comments (`#`) and `qid:`
/// are left out. The labels become the annotation `label`. There are as many features as the largest index says, or
/// the first [`ReadOptions::max_features`] of them.
///
/// # Errors
///
/// Where the file cannot be read, where a line is not of this form, and where the dense matrix would take more than
/// [`ReadOptions::max_memory`].
pub fn read_svmlight(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    // Two passes: the width has to be known before anything is allocated.
    let mut labels: Vec<String> = Vec::new();
    let mut largest = None;
    let mut smallest = usize::MAX;
    let file = open_file(path)?;
    let room = Room::new(file.length, options);
    let mut held = Held::new(room);
    let unended = for_each_piece(path, options, |_, piece| {
        match piece {
            Piece::Label(label) => {
                held.add(label)?;
                labels.push(label.to_owned());
            }
            Piece::Entry(index, _) => {
                largest = largest.max(Some(index));
                smallest = smallest.min(index);
            }
        }
        Ok(())
    })?;
    let samples = labels.len();
    if samples == 0 {
        return Err(IoError::malformed(
            path,
            FORMAT,
            "line 1",
            "there are no samples in it",
        ));
    }
    let base = usize::from(smallest > 0);
    let features = largest.map_or(0, |largest| largest.saturating_add(1) - base);
    let features = options
        .max_features
        .map_or(features, |most| features.min(most));
    let mut values = room.zeros(path, samples, features)?;
    for_each_piece(path, options, |sample, piece| {
        if let Piece::Entry(index, value) = piece
            && index - base < features
            && let Some(place) = values.get_mut((index - base) * samples + sample)
        {
            *place = value;
        }
        Ok(())
    })?;
    let mut notes = vec![format!("the features are counted from {base} in the file")];
    notes.extend(unended.then(|| UNENDED.to_owned()));
    Ok(Source {
        feature_names_made_up: false,
        about_features: FeatureTexts::default(),
        format: format!("svmlight{}", file.compression.suffix()),
        orientation: Orientation::SamplesAsRows,
        orientation_certain: true,
        matrix: Matrix {
            samples,
            features,
            values,
        },
        feature_names: None,
        sample_names: None,
        annotations: vec![Annotation {
            name: "label".to_owned(),
            values: labels,
        }],
        notes,
    })
}

/// Calls `visit` with the number of the sample (from 0) and each piece of its line, the label first. Says whether the last
/// line has no end.
fn for_each_piece(
    path: &Path,
    options: &ReadOptions,
    mut visit: impl FnMut(usize, Piece<'_>) -> Result<(), String>,
) -> Result<bool, IoError> {
    // Quotes mean nothing here: nothing ever follows a zero byte.
    let cut = Cut {
        line_end: b'\n',
        delimiter: Some(Delimiter::Byte(0)),
        limit: options.limit(),
    };
    let too_much = |what| IoError::unsupported(path, what);
    let mut unended = false;
    let mut sample = 0;
    for_each_block(path, cut, |block, _| {
        unended = block.unended;
        for (line, text) in block.iter() {
            let malformed = |word: &str, what: &str| {
                let place = format!("line {}", line.number);
                IoError::malformed(path, FORMAT, place, format!("{} {what}", quoted(word)))
            };
            let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
            let text = std::str::from_utf8(text)
                .map_err(|_| malformed(&String::from_utf8_lossy(text), "is not text"))?;
            let mut words = text.split_ascii_whitespace();
            let Some(label) = words.next() else {
                continue;
            };
            if label.contains(':') {
                return Err(malformed(label, "stands where the label should"));
            }
            visit(sample, Piece::Label(label)).map_err(too_much)?;
            let mut last = None;
            for word in words {
                let entry = word.split_once(':');
                if entry.is_some_and(|(index, _)| index == "qid") {
                    continue;
                }
                let parsed = entry.and_then(|(index, value)| {
                    Some((index.parse::<usize>().ok()?, value.parse::<f64>().ok()?))
                });
                let (index, value) =
                    parsed.ok_or_else(|| malformed(word, "is not of the form index:value"))?;
                if last.is_some_and(|last| index <= last) {
                    return Err(malformed(
                        word,
                        "is out of order: the indices must rise along a line",
                    ));
                }
                last = Some(index);
                visit(sample, Piece::Entry(index, value)).map_err(too_much)?;
            }
            sample += 1;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(unended)
}
