//! Files that Python's packages write, to hold the readers against.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::skipped::skipped;

/// A folder with what a script beside the tests writes. Where there is no Python with these modules, the test is
/// skipped: `python3`, or what `RFVM_PYTHON` names, is tried.
pub(crate) fn made_by(script: &str, modules: &str, test: &str) -> Option<TempDir> {
    let python = std::env::var("RFVM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = format!("import {modules}");
    let found = Command::new(&python).args(["-c", &import]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        skipped(
            test,
            &format!("no Python with {modules} (RFVM_PYTHON can name one)"),
        );
        return None;
    }
    let folder = TempDir::new().unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let made = Command::new(python)
        .arg(tests.join(script))
        .arg(folder.path())
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{problem}");
    Some(folder)
}
