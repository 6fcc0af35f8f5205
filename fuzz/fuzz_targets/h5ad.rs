#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(bytes, "h5ad", rfvm_io::read_h5ad));
