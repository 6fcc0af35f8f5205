#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(
    bytes,
    "feather",
    rfvm_io::read_feather
));
