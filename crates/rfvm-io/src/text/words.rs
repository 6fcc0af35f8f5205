//! Bytes as text, and the words of messages about them.

use std::path::Path;

use crate::error::IoError;

/// What a text table is called in messages.
pub(crate) const FORMAT: &str = "a text table";

/// Columns (or, with features as rows, rows) of text beyond this number are no annotations but a misunderstanding.
pub(crate) const MAX_TEXTS: usize = 4096;

/// The note on a file whose last line has no end, where nothing else tells a line that was cut.
pub(crate) const UNENDED: &str = "the last line has no line end: if the file was cut short, what it says last is wrong; compare it with the original";

/// The text of bytes: UTF-8, or Latin-1 where they are not UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A number of things: "1 cell", "3 cells".
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The error for text that needs more memory than there is.
pub(crate) fn no_memory(path: &Path, rows: usize, columns: usize) -> IoError {
    IoError::unsupported(
        path,
        format!("there is no memory for its {rows} samples by {columns} features"),
    )
}
