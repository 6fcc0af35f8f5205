//! A test that cannot run says so: on the standard error, and in the file that `RFVM_SKIPPED` names, which `test.sh` counts.
#![allow(clippy::unwrap_used)]

use std::fs::OpenOptions;
use std::io::Write as _;

/// Notes that a test did not run and what it lacks. `test` is the name that cargo prints, after that of its crate.
pub(crate) fn skipped(test: &str, missing: &str) {
    // Past the capture of the test's output, so that it is seen of a test that passes.
    let line = format!("SKIPPED {test}: {missing}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    if let Some(list) = std::env::var_os("RFVM_SKIPPED") {
        let mut list = OpenOptions::new().append(true).create(true).open(list);
        let line = format!("{test}\t{missing}\n");
        list.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }
}
