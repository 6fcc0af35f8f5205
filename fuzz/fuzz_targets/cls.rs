#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = rfvm_fuzz::file("input.cls", bytes);
    if let Some(labels) = rfvm_fuzz::complaint(rfvm_io::read_cls(&path)) {
        assert!(labels.len() <= bytes.len());
    }
});
