//! What is known of a table before its numbers are read.

use std::path::Path;

use super::blocks::{Cut, Line, TextBlock};
use super::cells::{CellFormat, CellRole, count_cells};
use super::words::counted;
use crate::error::{IoError, quoted};
use crate::room::Room;
use crate::source::column_at;

/// Where a table lies in its file and what its columns are.
#[derive(Debug, Clone)]
pub(crate) struct TextTable<'a> {
    pub(crate) path: &'a Path,
    /// What the file is called in messages, with its article.
    pub(crate) kind: &'static str,
    pub(crate) cut: Cut,
    pub(crate) format: CellFormat,
    /// The name of every column, where there are names.
    pub(crate) header: Option<Vec<String>>,
    /// The number of columns.
    pub(crate) width: usize,
    /// The number of the first line below the header.
    pub(crate) first_line: usize,
    /// Whether the first column holds names.
    pub(crate) names: bool,
    /// The columns of descriptions beside the names, in tables with features as rows.
    pub(crate) descriptions: usize,
    /// The line behind the table begins with this.
    pub(crate) stop: Option<&'static [u8]>,
}

impl TextTable<'_> {
    /// The room there is for the table.
    pub(crate) fn room(&self) -> Room {
        let length = std::fs::metadata(self.path).map_or(0, |about| about.len());
        Room::within(length, self.cut.limit)
    }

    /// The error for a table that takes more.
    pub(crate) fn too_much(&self, what: String) -> IoError {
        IoError::unsupported(self.path, what)
    }

    /// The column that is called so, or that has this position.
    pub(crate) fn column(&self, target: &str) -> Option<usize> {
        let mut header = self.header.iter().flatten();
        header
            .position(|name| name == target)
            .or_else(|| column_at(target, self.width))
    }

    /// The first column of numbers, where features are rows.
    pub(crate) fn first_sample(&self) -> usize {
        usize::from(self.names) + self.descriptions
    }

    /// The roles of the columns where all but the names and descriptions are numbers.
    pub(crate) fn roles(&self) -> Vec<CellRole> {
        let mut roles = vec![CellRole::Number; self.width];
        for role in roles.iter_mut().take(self.first_sample()) {
            *role = if self.names {
                CellRole::Text
            } else {
                CellRole::Skip
            };
        }
        if self.names
            && let Some(role) = roles.first_mut()
        {
            *role = CellRole::Name;
        }
        roles
    }

    /// The lines of a block that belong to the table, and whether the table ends in it.
    pub(crate) fn lines<'b>(&self, block: &'b TextBlock) -> (&'b [Line], bool) {
        let from = block
            .lines
            .partition_point(|line| line.number < self.first_line);
        let lines = block.lines.get(from..).unwrap_or_default();
        let Some(stop) = self.stop else {
            return (lines, false);
        };
        let end = lines
            .iter()
            .position(|line| block.text(line).starts_with(stop));
        let within = lines.get(..end.unwrap_or(lines.len())).unwrap_or_default();
        (within, end.is_some())
    }

    /// Whether a block ends the file where it may have been cut: behind a digit, which others may have followed, or behind
    /// a delimiter, where a cell that was cut off looks like an empty one.
    pub(crate) fn may_be_cut(&self, block: &TextBlock) -> bool {
        let last = block.lines.last().map(|line| block.text(line));
        let last = last.and_then(<[u8]>::last);
        let behind_delimiter = |byte: u8| !self.format.trailing && self.format.delimiter.is(byte);
        block.unended && last.is_some_and(|&byte| byte.is_ascii_digit() || behind_delimiter(byte))
    }

    /// The place of a cell in words.
    pub(crate) fn place(&self, line: usize, column: usize) -> String {
        let name = self
            .header
            .as_ref()
            .and_then(|header| header.get(column))
            .filter(|name| !name.is_empty());
        match name {
            Some(name) => format!("line {line}, column {}", quoted(name)),
            None => format!("line {line}, column {}", column + 1),
        }
    }

    pub(crate) fn malformed(&self, place: String, what: impl Into<String>) -> IoError {
        IoError::malformed(self.path, self.kind, place, what)
    }

    /// The error for a line with more or fewer cells than there are columns.
    pub(crate) fn ragged(&self, line: usize, found: usize) -> IoError {
        let what = format!(
            "it has {} where the table has {}",
            counted(found, "cell"),
            counted(self.width, "column")
        );
        self.malformed(format!("line {line}"), what)
    }

    /// The error for text among numbers.
    pub(crate) fn stray(&self, line: usize, column: usize, text: &str) -> IoError {
        let comma = !self.format.numbers.decimal_comma
            && text.contains(',')
            && text.replacen(',', ".", 1).parse::<f64>().is_ok();
        let marked = self.format.numbers.marked(text.as_bytes());
        let hint = match marked.map(|(mark, _)| mark.in_words()) {
            Some((what, how)) if comma => {
                format!(" ({what}? say so with {how}; or with a decimal comma? --decimal-comma)")
            }
            Some((what, how)) => format!(" ({what}? say so with {how})"),
            None if comma => " (or is it a number with a decimal comma?)".to_string(),
            None => " (--na names further words for a missing value)".to_string(),
        };
        let what = format!(
            "{} is text in a number column{hint}, which --drop leaves out",
            quoted(text)
        );
        self.malformed(self.place(line, column), what)
    }

    /// The error for so much text that this is no table of numbers.
    pub(crate) fn no_numbers(&self, line: usize, column: usize, text: &str) -> IoError {
        let what = format!(
            "{} is text, and there is as much text as numbers all over the table, where numbers are wanted",
            quoted(text)
        );
        self.malformed(self.place(line, column), what)
    }

    /// Makes sure that lines have as many cells as there are columns, where their length casts doubt on it: nothing
    /// may be allocated for cells that are not there.
    pub(crate) fn check_widths(&self, block: &TextBlock, lines: &[Line]) -> Result<(), IoError> {
        let bytes: usize = lines.iter().map(|line| block.text(line).len() + 1).sum();
        if lines.len().saturating_mul(self.width) <= bytes {
            return Ok(());
        }
        for line in lines {
            let cells = count_cells(block.text(line), line.quoted, self.format.delimiter);
            if cells < self.width {
                return Err(self.ragged(line.number, cells));
            }
        }
        Ok(())
    }
}
