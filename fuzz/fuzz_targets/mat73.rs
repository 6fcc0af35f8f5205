#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rfvm_fuzz::table(bytes, "mat", rfvm_io::read_mat73));
