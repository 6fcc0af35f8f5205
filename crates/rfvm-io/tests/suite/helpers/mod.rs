//! What the tests of the text readers share.

#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rfvm_io::{IoError, ReadOptions, Source, read_delimited};
use tempfile::TempDir;

/// A file in a folder of its own, which goes away with it.
pub(crate) struct TestFile {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

pub(crate) fn file(name: &str, bytes: impl AsRef<[u8]>) -> TestFile {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    TestFile {
        _folder: folder,
        path,
    }
}

/// Reads a table given as bytes.
pub(crate) fn table(bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Source, IoError> {
    read_delimited(&file("table.csv", bytes).path, options)
}

/// Reads a sound table given as bytes, with nothing known of it.
pub(crate) fn plain(bytes: impl AsRef<[u8]>) -> Source {
    table(bytes, &ReadOptions::default()).unwrap()
}

pub(crate) fn with_target(name: &str) -> ReadOptions {
    ReadOptions {
        target: Some(name.to_owned()),
        ..ReadOptions::default()
    }
}

/// The values feature by feature, with missing ones as -1000.
pub(crate) fn values(source: &Source) -> Vec<f64> {
    let matrix = &source.matrix;
    assert_eq!(matrix.values.len(), matrix.samples * matrix.features);
    matrix
        .values
        .iter()
        .map(|value| if value.is_nan() { -1000.0 } else { *value })
        .collect()
}

pub(crate) fn features(source: &Source) -> Vec<&str> {
    source
        .feature_names
        .as_ref()
        .unwrap()
        .iter()
        .map(String::as_str)
        .collect()
}

pub(crate) fn samples(source: &Source) -> Vec<&str> {
    source
        .sample_names
        .as_ref()
        .unwrap()
        .iter()
        .map(String::as_str)
        .collect()
}

/// The annotations as name and values.
pub(crate) fn notes_on(source: &Source) -> Vec<(&str, Vec<&str>)> {
    source
        .annotations
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.values.iter().map(String::as_str).collect(),
            )
        })
        .collect()
}

/// Asserts that reading failed with one line that names the file and says these words.
pub(crate) fn complains<T: std::fmt::Debug>(result: Result<T, IoError>, words: &str) {
    let error = result.unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(error.path().to_str().unwrap()),
        "{message}"
    );
    assert!(
        !message.contains('\n') && !message.contains('\r'),
        "{message:?}"
    );
    assert!(
        message.contains(words),
        "{message:?} does not say {words:?}"
    );
}

/// Reads what is left of a file when it is cut at every length, and the file with every byte changed.
pub(crate) fn torment(name: &str, bytes: &[u8], read: impl Fn(&Path) -> Result<(), IoError>) {
    let file = file(name, b"");
    let check = |bytes: &[u8]| {
        fs::write(&file.path, bytes).unwrap();
        if let Err(error) = read(&file.path) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    };
    for length in 0..=bytes.len() {
        check(&bytes[..length]);
    }
    let mut damaged = bytes.to_vec();
    for place in 0..bytes.len() {
        for byte in [0, b'"', b'\n', b'\r', b'\t', b',', b'#', b'9', b'x', 0xff] {
            damaged[place] = byte;
            check(&damaged);
        }
        damaged[place] = bytes[place];
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
