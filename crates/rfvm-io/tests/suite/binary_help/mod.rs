//! What the tests of the binary readers share.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::fs;
use std::path::Path;

use rfvm_io::{
    IoError, ReadOptions, Source, read_feather, read_h5ad, read_mat_source, read_npy_source,
    read_npz_source, read_parquet, read_plink, read_xlsx,
};

/// Reads a file by its extension.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    match path.extension().unwrap().to_str().unwrap() {
        "npy" => read_npy_source(path, options),
        "npz" => read_npz_source(path, options),
        "mat" => read_mat_source(path, options),
        "h5ad" => read_h5ad(path, options),
        "parquet" => read_parquet(path, options),
        "feather" => read_feather(path, options),
        "xlsx" => read_xlsx(path, options),
        "bed" => read_plink(path, options),
        other => panic!("{other}"),
    }
}

pub fn plain(path: &Path) -> Source {
    read(path, &ReadOptions::default()).unwrap()
}

pub fn annotation<'a>(source: &'a Source, name: &str) -> &'a [String] {
    let found = source.annotations.iter().find(|a| a.name == name);
    &found
        .unwrap_or_else(|| panic!("no {name} in {source:?}"))
        .values
}

/// Whether two numbers are the same, sign of zero and all; any NaN is as good as another.
pub fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Cuts a file at many lengths and damages many of its bytes: the reader must always come back with a sentence. Only the
/// decoders of Parquet and Excel, which assert where they should complain, may have panicked inside.
pub fn torment(bytes: &[u8], path: &Path, every: usize) {
    let extension = path.extension().unwrap();
    let may_panic = extension == "parquet" || extension == "xlsx";
    let check = |bytes: &[u8], what: &str| {
        fs::write(path, bytes).unwrap();
        if let Err(error) = read(path, &ReadOptions::default()) {
            let message = error.to_string();
            let one_sentence = message.contains("torment") && !message.contains('\n');
            assert!(one_sentence, "{what}: {message}");
            let panicked = message.contains("not ready for");
            assert!(may_panic || !panicked, "{what}: {message}");
        }
    };
    for length in (0..bytes.len()).step_by(every) {
        check(&bytes[..length], &format!("cut at {length}"));
    }
    let mut damaged = bytes.to_vec();
    for place in (0..bytes.len()).step_by(every) {
        for byte in [0, 0xff, bytes[place] ^ 1] {
            damaged[place] = byte;
            check(&damaged, &format!("byte {place} is {byte:#x}"));
        }
        damaged[place] = bytes[place];
    }
}
