//! The readers from outside: files of every format, right and wrong ones. One program, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod around_the_table;
mod attacked;
mod binary;
mod binary_help;
mod binary_tools;
mod delimited;
mod delimited_robust;
mod examined;
mod formats;
mod helpers;
mod marked_numbers;
mod python;
mod readers;
#[path = "../../../../scripts/skipped.rs"]
mod skipped;
mod target_position;
mod text_files;
