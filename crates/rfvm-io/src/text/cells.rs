//! The cells of a line.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::number::{Numbers, Value};
use super::words::decode;

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// This byte, each time.
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

impl Delimiter {
    pub(crate) fn is(self, byte: u8) -> bool {
        match self {
            Self::Byte(delimiter) => byte == delimiter,
            Self::Blanks => matches!(byte, b' ' | b'\t'),
        }
    }
}

/// How the cells of a table are to be understood.
#[derive(Debug, Clone)]
pub(crate) struct CellFormat {
    pub(crate) delimiter: Delimiter,
    pub(crate) numbers: Numbers,
    /// Lines may have one more, empty, cell at their end.
    pub(crate) trailing: bool,
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellRole {
    /// Numbers for the matrix.
    Number,
    /// The name of the row, to be kept as it is.
    Name,
    /// Text to be kept, empty where it is a missing value.
    Text,
    /// To be passed over.
    Skip,
}

/// A cell that should have been a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// What a line holds beside its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Extras {
    /// The cells of the name and text columns, in their order.
    pub(crate) texts: Vec<String>,
    /// Text in number columns; the matrix has NaN there.
    pub(crate) strays: Vec<Stray>,
}

/// Reads a line; the cells of the number columns go to `out` in their order.
///
/// # Errors
///
/// The number of cells, where it is not that of the columns.
pub(crate) fn parse_line(
    line: &[u8],
    quoted: bool,
    format: &CellFormat,
    roles: &[CellRole],
    out: &mut [f64],
) -> Result<Extras, usize> {
    match format.delimiter {
        Delimiter::Byte(delimiter) if !quoted => parse_plain(line, delimiter, format, roles, out),
        _ => parse_careful(line, format, roles, out),
    }
}

/// A line without quotes.
fn parse_plain(
    line: &[u8],
    delimiter: u8,
    format: &CellFormat,
    roles: &[CellRole],
    out: &mut [f64],
) -> Result<Extras, usize> {
    let mut extras = Extras::default();
    let mut out = out.iter_mut();
    // Beyond the end by one after the last cell.
    let mut at = 0;
    for (column, &role) in roles.iter().enumerate() {
        let Some(rest) = line.get(at..) else {
            return Err(column);
        };
        if role == CellRole::Number
            && let Some((number, length)) = format.numbers.short(rest)
            && rest.get(length).is_none_or(|&byte| byte == delimiter)
        {
            if let Some(place) = out.next() {
                *place = number;
            }
            at += length + 1;
            continue;
        }
        let length = memchr(delimiter, rest).unwrap_or(rest.len());
        let cell = rest.get(..length).unwrap_or_default();
        extras.take(cell, column, role, &format.numbers, &mut out);
        at += length + 1;
    }
    match line.get(at..) {
        None => Ok(extras),
        Some([]) if format.trailing => Ok(extras),
        Some(rest) => Err(roles.len() + 1 + memchr_iter(delimiter, rest).count()),
    }
}

/// A line of any kind.
fn parse_careful(
    line: &[u8],
    format: &CellFormat,
    roles: &[CellRole],
    out: &mut [f64],
) -> Result<Extras, usize> {
    let mut extras = Extras::default();
    let mut out = out.iter_mut();
    let mut cells = Cells::new(line, format.delimiter);
    for (column, &role) in roles.iter().enumerate() {
        let Some(cell) = cells.next() else {
            return Err(column);
        };
        extras.take(&cell, column, role, &format.numbers, &mut out);
    }
    match cells.next() {
        None => Ok(extras),
        Some(cell) => match cells.count() {
            0 if format.trailing && cell.is_empty() => Ok(extras),
            more => Err(roles.len() + 1 + more),
        },
    }
}

impl Extras {
    #[inline]
    fn take<'a>(
        &mut self,
        cell: &[u8],
        column: usize,
        role: CellRole,
        numbers: &Numbers,
        out: &mut impl Iterator<Item = &'a mut f64>,
    ) {
        match role {
            CellRole::Skip => {}
            CellRole::Name => self.texts.push(decode(cell.trim_ascii())),
            CellRole::Text => self.texts.push(numbers.text(cell)),
            CellRole::Number => {
                let number = match numbers.value(cell) {
                    Value::Number(number) => number,
                    Value::Missing => f64::NAN,
                    Value::Text => {
                        let text = decode(cell.trim_ascii());
                        self.strays.push(Stray { column, text });
                        f64::NAN
                    }
                };
                if let Some(place) = out.next() {
                    *place = number;
                }
            }
        }
    }
}

/// How many cells a line has.
pub(crate) fn count_cells(line: &[u8], quoted: bool, delimiter: Delimiter) -> usize {
    match delimiter {
        Delimiter::Byte(byte) if !quoted => 1 + memchr_iter(byte, line).count(),
        _ => Cells::new(line, delimiter).count(),
    }
}

/// The cells of a line, one after the other, without their quotes.
///
/// A cell is quoted where its first byte is a quote. Two quotes in it are one; what follows the closing quote up to
/// the delimiter belongs to the cell as it is.
pub(crate) struct Cells<'a> {
    line: &'a [u8],
    delimiter: Delimiter,
    at: usize,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(line: &'a [u8], delimiter: Delimiter) -> Self {
        Self {
            line,
            delimiter,
            at: 0,
        }
    }

    fn rest(&self) -> Option<&'a [u8]> {
        self.line.get(self.at..)
    }

    fn to_delimiter(&self, rest: &[u8]) -> usize {
        match self.delimiter {
            Delimiter::Byte(byte) => memchr(byte, rest),
            Delimiter::Blanks => rest.iter().position(|&byte| self.delimiter.is(byte)),
        }
        .unwrap_or(rest.len())
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.delimiter == Delimiter::Blanks {
            let blanks = |&&byte: &&u8| self.delimiter.is(byte);
            self.at += self.rest()?.iter().take_while(blanks).count();
            if self.rest()?.is_empty() {
                return None;
            }
        }
        let mut rest = self.rest()?;
        if rest.first() != Some(&b'"') {
            let length = self.to_delimiter(rest);
            self.at += length + 1;
            return rest.get(..length).map(Cow::Borrowed);
        }
        let mut cell = Vec::new();
        rest = rest.get(1..)?;
        self.at += 1;
        loop {
            // The text of a line whose last quote is open goes to its end.
            let length = memchr(b'"', rest).unwrap_or(rest.len());
            cell.extend_from_slice(rest.get(..length)?);
            self.at += length + 1;
            rest = rest.get(length + 1..).unwrap_or_default();
            if rest.first() == Some(&b'"') {
                cell.push(b'"');
                rest = rest.get(1..)?;
                self.at += 1;
            } else {
                break;
            }
        }
        let length = self.to_delimiter(rest);
        cell.extend_from_slice(rest.get(..length)?);
        self.at += length + 1;
        Some(Cow::Owned(cell))
    }
}
