//! What the readers of text share: opening, cutting into lines, splitting into cells, turning cells into numbers.
//!
//! A file passes through in blocks of whole lines. One thread reads (and decompresses) the next block while the others
//! parse the lines of the present one straight into the matrix, so that the text of a large file is never in memory as
//! a whole and no thread's work depends on how many there are.

pub(crate) mod above;
pub(crate) mod blocks;
pub(crate) mod by_feature;
pub(crate) mod by_sample;
pub(crate) mod cells;
pub(crate) mod dialect;
pub(crate) mod layout;
pub(crate) mod likeness;
pub(crate) mod names;
pub(crate) mod number;
pub(crate) mod open;
pub(crate) mod pipeline;
pub(crate) mod scan;
pub(crate) mod table;
pub(crate) mod utf16;
pub(crate) mod words;

pub(crate) use open::open_text;
