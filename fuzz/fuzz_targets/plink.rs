//! Two lengths of two bytes each, a bim and a fam file of these lengths, and the rest is the bed file.

#![no_main]

use rfvm_fuzz::{file, table};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[a, b, c, d], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let part =
        |bytes: &[u8], length: [u8; 2]| usize::from(u16::from_le_bytes(length)).min(bytes.len());
    let (bim, rest) = rest.split_at(part(rest, [a, b]));
    let (fam, bed) = rest.split_at(part(rest, [c, d]));
    file("input.bim", bim);
    file("input.fam", fam);
    table(bed, "bed", rfvm_io::read_plink);
});
