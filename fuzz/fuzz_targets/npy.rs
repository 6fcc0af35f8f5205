#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(
    bytes,
    "npy",
    rfvm_io::read_npy_source
));
