//! How a text table is written: line ends, delimiter, decimal sign, comments at the top.

use std::io::Read as _;
use std::path::Path;

use memchr::{memchr, memchr_iter};

use super::blocks::{Cut, Cutter, TextBlock};
use super::cells::{Cells, Delimiter, count_cells};
use super::number::{Numbers, Value};
use super::open::{Compression, open_text};
use super::words::FORMAT;
use crate::error::IoError;
use crate::room::{Held, NAMED, Room};
use crate::source::ReadOptions;

/// Bytes looked at before anything is known.
const PEEK: u64 = 1 << 16;
/// The head goes on until it has so many bytes and lines, or so many lines in all.
const HEAD_BYTES: usize = 1 << 16;
const HEAD_LINES: usize = 3;
const KEPT_LINES: usize = 200;
/// The cells of a line that are looked at.
pub(crate) const LOOKED_AT: usize = 1000;

/// A line of the head of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadLine {
    pub(crate) number: usize,
    pub(crate) text: Vec<u8>,
    pub(crate) quoted: bool,
}

impl HeadLine {
    /// The first cells.
    pub(crate) fn cells(&self, delimiter: Delimiter) -> Vec<Vec<u8>> {
        let cells = Cells::new(&self.text, delimiter).take(LOOKED_AT);
        cells.map(|cell| cell.trim_ascii().to_owned()).collect()
    }

    pub(crate) fn count(&self, delimiter: Delimiter) -> usize {
        count_cells(&self.text, self.quoted, delimiter)
    }

    /// Whether its last cell is empty.
    pub(crate) fn ends_empty(&self, delimiter: Delimiter) -> bool {
        matches!(delimiter, Delimiter::Byte(byte) if self.text.last() == Some(&byte))
    }
}

/// The first lines of a file and how it is written.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) compression: Compression,
    pub(crate) cut: Cut,
    pub(crate) delimiter: Delimiter,
    pub(crate) decimal_comma: bool,
    /// Without comments; the first is the header where there is one.
    pub(crate) lines: Vec<HeadLine>,
    /// Whether the text is UTF-8.
    pub(crate) utf8: bool,
}

impl Head {
    /// Reads the head of a file and finds out what the options do not say.
    pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Self, IoError> {
        let line_end = find_line_end(path)?;
        let cut = Cut {
            line_end,
            delimiter: options.delimiter.map(given),
            limit: options.limit(),
        };
        let mut cutter = Cutter::open(path, cut)?;
        let compression = cutter.file().compression;
        let room = Room::new(cutter.file().length, options);
        let mut block = TextBlock::default();
        let mut comment = None;
        let mut lines: Vec<HeadLine> = Vec::new();
        let mut utf8 = true;
        let mut bytes = 0;
        let enough = |lines: usize, bytes: usize| {
            lines >= KEPT_LINES || (lines >= HEAD_LINES && bytes >= HEAD_BYTES)
        };
        while !enough(lines.len(), bytes) && cutter.fill_to(&mut block, 1 << 14, 1)? {
            utf8 &= block.is_utf8();
            for (line, text) in block.iter() {
                let line = HeadLine {
                    number: line.number,
                    text: text.to_owned(),
                    quoted: line.quoted,
                };
                if lines.is_empty() && text.starts_with(b"#") {
                    comment = Some(line);
                } else if !enough(lines.len(), bytes) {
                    bytes += text.len();
                    lines.push(line);
                }
            }
        }
        let delimiter = match options.delimiter {
            Some(byte) => given(byte),
            None => find_delimiter(&lines),
        };
        // Every cell of a line will get a name, and more.
        for line in &lines {
            let cells = line.count(delimiter) as u64;
            room.check(cells.saturating_mul(NAMED)).map_err(|what| {
                IoError::unsupported(path, format!("line {}: {what}", line.number))
            })?;
        }
        if let Some(comment) = comment {
            take_header_from(comment, &mut lines, delimiter, options);
        }
        if lines.is_empty() {
            return Err(IoError::malformed(
                path,
                FORMAT,
                "line 1",
                "there is no table in it",
            ));
        }
        let decimal_comma = options
            .decimal_comma
            .unwrap_or_else(|| find_decimal_comma(&lines, delimiter));
        Ok(Self {
            compression,
            cut: Cut {
                line_end,
                delimiter: Some(delimiter),
                limit: options.limit(),
            },
            delimiter,
            decimal_comma,
            lines,
            utf8,
        })
    }

    /// The format in words.
    pub(crate) fn format(&self) -> String {
        let name = match self.delimiter {
            Delimiter::Byte(b',') => "CSV".to_owned(),
            Delimiter::Byte(b'\t') => "TSV".to_owned(),
            Delimiter::Byte(b';') => "semicolon-separated text".to_owned(),
            Delimiter::Byte(byte) => format!("text separated by `{}`", byte.escape_ascii()),
            Delimiter::Blanks => "whitespace-separated text".to_owned(),
        };
        name + self.compression.suffix()
    }
}

/// The first lines of a file, and how it is compressed.
pub(crate) fn first_lines(
    path: &Path,
    cut: Cut,
    count: usize,
) -> Result<(Vec<HeadLine>, Compression), IoError> {
    let mut cutter = Cutter::open(path, cut)?;
    let compression = cutter.file().compression;
    let mut held = Held::new(Room::within(cutter.file().length, cut.limit));
    let mut block = TextBlock::default();
    let mut lines = Vec::new();
    while lines.len() < count && cutter.fill_to(&mut block, 1 << 14, 1)? {
        for (line, text) in block.iter().take(count - lines.len()) {
            // A cell or a line of no letters takes room too.
            let tabs = memchr_iter(b'\t', text).count() as u64 + 1;
            held.add_bytes(text.len() as u64 + tabs * NAMED)
                .map_err(|what| IoError::unsupported(path, what))?;
            lines.push(HeadLine {
                number: line.number,
                text: text.to_owned(),
                quoted: line.quoted,
            });
        }
    }
    Ok((lines, compression))
}

/// A delimiter that is a blank means any number of them.
fn given(byte: u8) -> Delimiter {
    match byte {
        b' ' => Delimiter::Blanks,
        byte => Delimiter::Byte(byte),
    }
}

/// Looks whether this is text and how its lines end: with line feeds, or, as in old files, carriage returns alone.
fn find_line_end(path: &Path) -> Result<u8, IoError> {
    let mut start = Vec::new();
    open_text(path)?
        .take(PEEK)
        .read_to_end(&mut start)
        .map_err(|error| IoError::read(path, error))?;
    if let Some(at) = memchr(0, &start) {
        return Err(IoError::malformed(
            path,
            FORMAT,
            format!("byte {at}"),
            "this is not text",
        ));
    }
    let returns = memchr_iter(b'\r', &start).any(|at| {
        let before = start.get(..at).unwrap_or_default();
        memchr_iter(b'"', before).count().is_multiple_of(2)
    });
    if memchr(b'\n', &start).is_none() && returns {
        return Ok(b'\r');
    }
    Ok(b'\n')
}

/// The delimiter that most lines agree on, in this order where several do.
fn find_delimiter(lines: &[HeadLine]) -> Delimiter {
    let candidates = [b'\t', b';', b',', b'|'].map(Delimiter::Byte);
    let score = |delimiter: Delimiter| {
        let counts: Vec<usize> = lines.iter().map(|line| line.count(delimiter)).collect();
        let most_frequent = counts
            .iter()
            .copied()
            .filter(|&count| count > 1)
            .max_by_key(|&count| {
                let lines = counts.iter().filter(|&&other| other == count).count();
                (lines, count)
            })?;
        // The header may have one name fewer than there are columns, or one delimiter more at its end.
        let first = counts
            .first()
            .is_some_and(|&first| first > 1 && first.abs_diff(most_frequent) == 1);
        let agreeing = counts
            .iter()
            .filter(|&&count| count == most_frequent)
            .count();
        Some(agreeing + usize::from(first))
    };
    let mut best = None;
    for candidate in candidates {
        if let Some(score) = score(candidate)
            && best.is_none_or(|(highest, _)| score > highest)
        {
            best = Some((score, candidate));
        }
    }
    let convinces = |score: usize| 2 * score > lines.len();
    match best {
        Some((score, delimiter)) if convinces(score) => delimiter,
        _ if score(Delimiter::Blanks).is_some_and(convinces) => Delimiter::Blanks,
        Some((_, delimiter)) => delimiter,
        None => Delimiter::Byte(b','),
    }
}

/// Where the last of the comments has as many cells as the line below, and that one holds numbers, it is the header.
fn take_header_from(
    mut comment: HeadLine,
    lines: &mut Vec<HeadLine>,
    delimiter: Delimiter,
    options: &ReadOptions,
) {
    let Some(first) = lines.first() else {
        return;
    };
    let numbers = Numbers::new(options, false);
    let has_numbers = first
        .cells(delimiter)
        .iter()
        .skip(1)
        .any(|cell| matches!(numbers.value(cell), Value::Number(_)));
    let cells = comment.count(delimiter);
    if options.header != Some(false)
        && cells > 1
        && cells == first.count(delimiter)
        && (has_numbers || options.header == Some(true))
    {
        comment.text.remove(0);
        lines.insert(0, comment);
    }
}

/// Whether there are numbers like 1,5 and none like 1.5.
fn find_decimal_comma(lines: &[HeadLine], delimiter: Delimiter) -> bool {
    if delimiter == Delimiter::Byte(b',') {
        return false;
    }
    let is_number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit() || "+-,.".contains(c))
            && text.parse::<f64>().is_ok()
    };
    let mut commas = false;
    for line in lines {
        for cell in line.cells(delimiter) {
            let Ok(text) = std::str::from_utf8(&cell) else {
                continue;
            };
            if text.contains('.') && is_number(text) {
                return false;
            }
            if let Some((_, decimals)) = text.split_once(',')
                && is_number(&text.replacen(',', ".", 1))
            {
                // In other files than those made for decimal commas, 1,234 may be a thousand.
                commas |= delimiter == Delimiter::Byte(b';') || decimals.len() != 3;
            }
        }
    }
    commas
}
