//! What the readers of text share: opening, cutting into lines, splitting into cells, turning cells into numbers.
//!
//! A file passes through in blocks of whole lines. One thread reads (and decompresses) the next block while the others
//! parse the lines of the present one straight into the matrix, so that the text of a large file is never in memory as
//! a whole and no thread's work depends on how many there are.

pub(crate) mod blocks;
pub(crate) mod by_feature;
pub(crate) mod by_sample;
pub(crate) mod cells;
pub(crate) mod dialect;
pub(crate) mod layout;
pub(crate) mod names;
pub(crate) mod number;
pub(crate) mod open;
pub(crate) mod pipeline;
pub(crate) mod scan;
pub(crate) mod table;

pub(crate) use open::open_text;

use std::path::Path;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::IoError;

/// What a text table is called in messages.
pub(crate) const FORMAT: &str = "a text table";

/// Columns (or, with features as rows, rows) of text beyond this number are no annotations but a misunderstanding.
pub(crate) const MAX_TEXTS: usize = 4096;

/// The threads a reader uses beside the one that reads the file.
const MAX_THREADS: usize = 16;

/// A pool for one file: as many threads as given, else `OMP_NUM_THREADS`, else one for each core.
pub(crate) fn pool(path: &Path, threads: Option<usize>) -> Result<ThreadPool, IoError> {
    let from_environment = || {
        let value = std::env::var("OMP_NUM_THREADS").ok()?;
        value
            .trim()
            .parse()
            .ok()
            .filter(|&threads: &usize| threads > 0)
    };
    let all_cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads
        .or_else(from_environment)
        .unwrap_or_else(all_cores)
        .clamp(1, MAX_THREADS);
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| IoError::read(path, std::io::Error::other(error)))
}

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
