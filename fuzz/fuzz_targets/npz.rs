#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(
    bytes,
    "npz",
    rfvm_io::read_npz_source
));
