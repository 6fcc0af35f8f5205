//! A file of positions, a zero byte, and the file of labels that lies beside it.

#![no_main]

use rfvm_fuzz::{complaint, file, halves, table};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (data, labels) = halves(bytes);
    let beside = file("input.labels", labels);
    if let Some(labels) = complaint(rfvm_io::read_labels(&beside)) {
        assert!(labels.len() <= bytes.len());
    }
    table(data, "data", rfvm_io::read_dorothea);
});
