//! A text file in blocks of whole lines, with quotes taken into account.

use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use memchr::memchr2;

use super::cells::Delimiter;
use super::open::{Compression, TextFile, open_file};
use super::words::FORMAT;
use crate::error::IoError;
use crate::room::{Limit, Room};

/// The text of a block, but for long lines.
pub(crate) const BLOCK: usize = 1 << 20;
/// The lines that a block has at least, however long they are, so that there is work for several threads.
pub(crate) const MIN_LINES: usize = 4;
/// The lines that a block has at most, however short they are.
const MAX_LINES: usize = 1 << 14;
/// Bytes read at once.
const CHUNK: usize = 1 << 18;
/// A quoted cell longer than this is one whose closing quote was forgotten.
const MAX_QUOTED: usize = 1 << 20;

/// A line: a record of the table, which can span several lines of the file where its cells have line ends in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where its text lies in the block, without the line end.
    range: Range<usize>,
    /// The number of its first line in the file, from 1.
    pub(crate) number: usize,
    /// Whether there are quotes that hide delimiters or line ends.
    pub(crate) quoted: bool,
}

/// Some lines of a file; empty lines are left out.
#[derive(Debug, Default)]
pub(crate) struct TextBlock {
    bytes: Vec<u8>,
    pub(crate) lines: Vec<Line>,
    /// Whether it ends with the file, and the last line has no line end.
    pub(crate) unended: bool,
}

impl TextBlock {
    pub(crate) fn text(&self, line: &Line) -> &[u8] {
        self.bytes.get(line.range.clone()).unwrap_or_default()
    }

    /// All lines with their text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Line, &[u8])> {
        self.lines.iter().map(|line| (line, self.text(line)))
    }

    /// Whether the bytes are UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        self.iter()
            .all(|(_, text)| std::str::from_utf8(text).is_ok())
    }
}

/// How a file is cut into lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The byte that ends a line: a line feed, or in old files a carriage return.
    pub(crate) line_end: u8,
    /// What a quote must follow to open a quoted cell; not yet known where nothing is given.
    pub(crate) delimiter: Option<Delimiter>,
    /// What the file may take, as in [`crate::ReadOptions`].
    pub(crate) limit: Limit,
}

impl Cut {
    fn opens_after(self, before: u8) -> bool {
        match self.delimiter {
            Some(delimiter) => delimiter.is(before),
            None => matches!(before, b',' | b';' | b'\t' | b' ' | b'|'),
        }
    }
}

/// Cuts a file into blocks.
pub(crate) struct Cutter<'a> {
    path: &'a Path,
    file: TextFile,
    cut: Cut,
    room: Room,
    /// Bytes of text that have been read.
    read: u64,
    /// Read, but not yet handed out.
    rest: Vec<u8>,
    /// The number of the next line.
    number: usize,
    started: bool,
}

impl<'a> Cutter<'a> {
    pub(crate) fn open(path: &'a Path, cut: Cut) -> Result<Self, IoError> {
        let file = open_file(path)?;
        Ok(Self {
            path,
            room: Room::within(file.length, cut.limit),
            file,
            read: 0,
            cut,
            rest: Vec::new(),
            number: 1,
            started: false,
        })
    }

    pub(crate) fn file(&self) -> &TextFile {
        &self.file
    }

    /// Reads a compressed file to its end, where its checksum is verified.
    pub(crate) fn read_to_end(&mut self) -> Result<(), IoError> {
        if self.file.compression == Compression::None {
            return Ok(());
        }
        let mut passed = Vec::new();
        while self.read_more(&mut passed, 0, CHUNK)? > 0 {}
        Ok(())
    }

    /// Fills a block with at least so many bytes and lines, as far as the file has them, and few more; `false`
    /// where the file is at its end.
    pub(crate) fn fill_to(
        &mut self,
        block: &mut TextBlock,
        least_bytes: usize,
        least_lines: usize,
    ) -> Result<bool, IoError> {
        let TextBlock {
            bytes,
            lines,
            unended,
        } = block;
        lines.clear();
        *unended = false;
        // What lies beyond `filled` is left from before, so that it need not be cleared each time.
        let mut filled = self.rest.len();
        if bytes.len() < filled {
            bytes.resize(filled, 0);
        }
        if let Some(to) = bytes.get_mut(..filled) {
            to.copy_from_slice(&self.rest);
        }
        self.rest.clear();
        // The line being cut: where it begins, whether it has quotes, what lines it spans, and where quotes stand.
        let mut start = 0;
        let mut quoted = false;
        let mut span = 0;
        // Of the open quote: its place and its line.
        let mut open: Option<(usize, usize)> = None;
        let mut closed: Option<usize> = None;
        let mut at = 0;
        loop {
            while lines.len() < MAX_LINES
                && let Some(found) = bytes
                    .get(at..filled)
                    .and_then(|rest| memchr2(self.cut.line_end, b'"', rest))
            {
                let place = at + found;
                at = place + 1;
                if bytes.get(place) == Some(&b'"') {
                    if open.is_some() {
                        self.check_quote(open, place)?;
                        open = None;
                        closed = Some(place);
                        continue;
                    }
                    let before = place.checked_sub(1).and_then(|before| bytes.get(before));
                    let opens = place == start
                        || closed.is_some_and(|closed| closed + 1 == place)
                        || before.is_some_and(|&before| self.cut.opens_after(before));
                    if opens {
                        open = Some((place, self.number + span));
                        quoted = true;
                    }
                } else if open.is_some() {
                    span += 1;
                } else {
                    push(lines, bytes, start..place, self.number, quoted);
                    self.number += span + 1;
                    start = at;
                    (quoted, span, closed) = (false, 0, None);
                }
            }
            if lines.len() >= MAX_LINES || (start >= least_bytes && lines.len() >= least_lines) {
                let rest = bytes.get(start..filled).unwrap_or_default();
                self.rest.extend_from_slice(rest);
                return Ok(true);
            }
            at = filled;
            self.check_quote(open, at)?;
            let line = (filled - start) as u64;
            self.room
                .check_line(line)
                .map_err(|what| self.too_much(what))?;
            let more = self.read_more(bytes, filled, least_bytes)?;
            if more == 0 {
                if let Some((_, line)) = open {
                    return Err(self.unclosed(line));
                }
                if start < filled {
                    *unended = true;
                    push(lines, bytes, start..filled, self.number, quoted);
                    self.number += 1;
                }
                return Ok(!lines.is_empty());
            }
            filled += more;
            if !self.started {
                self.started = true;
                if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
                    bytes.drain(..3);
                    filled = filled.saturating_sub(3);
                }
            }
        }
    }

    /// Puts what the file has next behind the bytes that are filled; says how much that is.
    fn read_more(
        &mut self,
        bytes: &mut Vec<u8>,
        filled: usize,
        least_bytes: usize,
    ) -> Result<usize, IoError> {
        // Room for the bytes wanted and the rest of the last line, or for some more of a line longer than that.
        let wanted = if filled < least_bytes {
            least_bytes + CHUNK / 4
        } else {
            filled + CHUNK
        };
        if bytes.len() < wanted {
            bytes.reserve_exact(wanted - bytes.len());
            bytes.resize(wanted, 0);
        }
        let mut end = filled;
        // Until there is enough, as decompressors give out less at once.
        while let Some(room) = bytes.get_mut(end..wanted).filter(|room| !room.is_empty()) {
            match self.file.reader.read(room) {
                Ok(0) => break,
                Ok(count) => end += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(IoError::read(self.path, error)),
            }
        }
        self.read += (end - filled) as u64;
        if self.file.compression != Compression::None {
            (self.room.check_unpacked(self.read)).map_err(|what| self.too_much(what))?;
        }
        Ok(end - filled)
    }

    fn too_much(&self, what: String) -> IoError {
        IoError::unsupported(self.path, format!("near line {}, {what}", self.number))
    }

    /// The quote that is open at `to`, if any, must not have been so for long.
    fn check_quote(&self, open: Option<(usize, usize)>, to: usize) -> Result<(), IoError> {
        match open {
            Some((from, line)) if to - from > MAX_QUOTED => Err(self.unclosed(line)),
            _ => Ok(()),
        }
    }

    fn unclosed(&self, line: usize) -> IoError {
        IoError::malformed(
            self.path,
            FORMAT,
            format!("line {line}"),
            "a quote is opened there and not closed",
        )
    }
}

fn push(lines: &mut Vec<Line>, bytes: &[u8], range: Range<usize>, number: usize, quoted: bool) {
    let Range { start, mut end } = range;
    if end > start && bytes.get(end - 1) == Some(&b'\r') {
        end -= 1;
    }
    let text = bytes.get(start..end).unwrap_or_default();
    if !text.iter().all(|&byte| byte == b' ') {
        lines.push(Line {
            range: start..end,
            number,
            quoted,
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::text::cells::Cells;
    use proptest::prelude::*;

    /// All records of a text, cut into blocks of about so many bytes; `None` where a quote is not closed.
    fn records(text: &[u8], least_bytes: usize) -> Option<Vec<(usize, Vec<Vec<u8>>)>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let delimiter = Delimiter::Byte(b',');
        let cut = Cut {
            line_end: b'\n',
            delimiter: Some(delimiter),
            limit: Limit::default(),
        };
        let mut cutter = Cutter::open(file.path(), cut).unwrap();
        let mut block = TextBlock::default();
        let mut records = Vec::new();
        while cutter.fill_to(&mut block, least_bytes, 1).ok()? {
            for (line, text) in block.iter() {
                let cells = Cells::new(text, delimiter).map(std::borrow::Cow::into_owned);
                records.push((line.number, cells.collect()));
            }
        }
        Some(records)
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        let text = b"a,b\n\n\"x\ny\",1\r\nlast";
        let numbers: Vec<usize> = records(text, 1)
            .unwrap()
            .iter()
            .map(|record| record.0)
            .collect();
        assert_eq!(numbers, [1, 3, 5]);
        assert_eq!(records(b"a\n\"b", 1), None);
    }

    #[test]
    fn long_lines_and_quotes_cross_the_chunks() {
        let long = "x".repeat(CHUNK / 2 + 7);
        let line = format!("{long},\"{long}\n\"\"{long}\",1\n");
        let text = line.repeat(9);
        let expected = [long.clone(), format!("{long}\n\"{long}"), "1".to_owned()];
        for least_bytes in [1, CHUNK, 1 << 20] {
            let found = records(text.as_bytes(), least_bytes).unwrap();
            assert_eq!(found.len(), 9);
            for (position, (number, cells)) in found.iter().enumerate() {
                assert_eq!(*number, 2 * position + 1);
                assert_eq!(cells.len(), expected.len());
                assert!(
                    cells
                        .iter()
                        .zip(&expected)
                        .all(|(cell, text)| cell == text.as_bytes())
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever the text, its cells are those that the csv crate finds.
        #[test]
        fn splits_like_the_csv_crate(pieces in proptest::collection::vec(
            proptest::sample::select(vec!["a", "1", ",", "\"", "\"\"", "\n", "\r\n", "\",\""]), 0..24))
        {
            let text = pieces.concat();
            if let Some(found) = records(text.as_bytes(), 1) {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                let expected: Vec<Vec<Vec<u8>>> = reader
                    .byte_records()
                    .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                    .collect();
                let found: Vec<Vec<Vec<u8>>> = found.into_iter().map(|record| record.1).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
