#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(bytes, "dat", rfvm_io::read));
