//! What the fuzz targets share: bytes go to a file, a reader reads it, and what it makes of it must fit together.

mod memory;
mod panics;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rfvm_io::{IoError, Orientation, ReadOptions, Source};

/// A file in a folder of this process, with these bytes; the folder lies where `TMPDIR` says.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        panics::watch();
        let folder = std::env::temp_dir().join(format!("rfvm-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the files");
        folder
    });
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("room for a small file");
    path
}

/// Reads the bytes as a table with this suffix.
pub fn table(
    bytes: &[u8],
    suffix: &str,
    read: impl Fn(&Path, &ReadOptions) -> Result<Source, IoError>,
) {
    let path = file(&format!("input.{suffix}"), bytes);
    check(read(&path, &options(bytes)));
}

/// What must be true of whatever a reader gives back.
pub fn check(result: Result<Source, IoError>) {
    let Some(source) = complaint(result) else {
        return;
    };
    let (samples, features) = (source.matrix.samples, source.matrix.features);
    let count = samples.checked_mul(features);
    assert_eq!(count, Some(source.matrix.values.len()), "values");
    for names in source.feature_names.iter() {
        assert_eq!(names.len(), features, "names of features");
    }
    for names in source.sample_names.iter() {
        assert_eq!(names.len(), samples, "names of samples");
    }
    for annotation in &source.annotations {
        assert_eq!(annotation.values.len(), samples, "{}", annotation.name);
    }
    assert!(!source.format.is_empty());
}

/// The value, if there is one; an error must be one line that names the file.
pub fn complaint<T: Debug>(result: Result<T, IoError>) -> Option<T> {
    result
        .inspect_err(|error| {
            let message = error.to_string();
            let named = message.contains("input.");
            assert!(named && !message.contains(char::is_control), "{message:?}");
        })
        .ok()
}

/// Options that depend on the bytes, so that an input always meets the same ones.
pub fn options(bytes: &[u8]) -> ReadOptions {
    let sum = bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
    let mut options = ReadOptions::default();
    match sum % 8 {
        0 => options.orientation = Some(Orientation::SamplesAsRows),
        1 => options.orientation = Some(Orientation::FeaturesAsRows),
        2 => options.target = Some("g2".to_owned()),
        3 => options.max_features = Some(2),
        4 => options.sample_names = Some(vec!["p1".to_owned(), "p2".to_owned()]),
        _ => {}
    }
    options
}

/// The two parts of an input, divided by the first zero byte.
pub fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let middle = bytes.iter().position(|&byte| byte == 0);
    let (first, second) = bytes.split_at(middle.unwrap_or(bytes.len()));
    (first, second.get(1..).unwrap_or_default())
}
