//! What the tests of the command share: a small study on disk, and ways to run the program on it.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::{fs, process};

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("rfvm"));
    command.current_dir(folder).args(arguments).assert()
}

/// Makes the study `s.rfvm` of these tests, whose outcome is `outcome`.
pub(crate) fn begin_study(folder: &Path, tests: &str, more: &[&str]) {
    fs::write(folder.join("tests.csv"), tests).unwrap();
    let init = [
        "study",
        "init",
        "s.rfvm",
        "--tests",
        "tests.csv",
        "--outcome",
        "outcome",
    ];
    run(folder, &[&init, more].concat()).success();
}

/// A command of `rfvm study` that can be started and left alone.
pub(crate) fn study_command(folder: &Path, arguments: &[&str]) -> process::Command {
    let mut command = process::Command::new(assert_cmd::cargo::cargo_bin!("rfvm"));
    command
        .current_dir(folder)
        .arg("study")
        .args(arguments)
        .stdout(process::Stdio::null())
        .stderr(process::Stdio::piped());
    command
}

pub(crate) fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, arguments).success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

/// The one sentence on standard error, notes on the reading apart, of a command that fails with exit code 2 and prints
/// nothing else.
pub(crate) fn mistake(folder: &Path, arguments: &[&str]) -> String {
    let assert = run(folder, arguments).code(2);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let lines = text.split_inclusive('\n');
    let text: String = lines
        .filter(|line| !line.starts_with("rfvm: note: "))
        .collect();
    let sentence = text
        .strip_prefix("rfvm: ")
        .and_then(|t| t.strip_suffix('\n'));
    let sentence = sentence.unwrap_or_else(|| panic!("{arguments:?}: {text:?}"));
    assert!(!sentence.contains('\n'), "{arguments:?}: {text:?}");
    sentence.to_owned()
}

/// 40 samples, 30 features of which g3 tells the classes apart; values from a fixed recipe.
pub(crate) fn value(sample: usize, feature: usize) -> f64 {
    let noise =
        ((sample * 7919 + feature * 104_729 + sample * feature * 31) % 1000) as f64 / 500.0 - 1.0;
    noise
        + if feature == 3 && sample % 2 == 1 {
            3.0
        } else {
            0.0
        }
}

pub(crate) fn class(sample: usize) -> &'static str {
    ["healthy", "ill"][sample % 2]
}

/// Columns: id, outcome, site, g0 to g29.
pub(crate) fn samples_as_rows() -> String {
    let header: Vec<String> = (0..30).map(|d| format!("g{d}")).collect();
    let mut text = format!("id,outcome,site,{}\n", header.join(","));
    for n in 0..40 {
        let cells: Vec<String> = (0..30).map(|d| format!("{:.4}", value(n, d))).collect();
        text += &format!("p{n},{},site{},{}\n", class(n), n % 3, cells.join(","));
    }
    text
}

pub(crate) fn features_as_rows() -> String {
    let header: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let mut text = format!("gene\t{}\n", header.join("\t"));
    for d in 0..30 {
        let cells: Vec<String> = (0..40).map(|n| format!("{:.4}", value(n, d))).collect();
        text += &format!("g{d}\t{}\n", cells.join("\t"));
    }
    text
}

/// A folder with the study both ways round, and its labels.
pub(crate) fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("table.csv", &samples_as_rows());
    write("turned.tsv", &features_as_rows());
    let labels: String = (0..40)
        .rev()
        .map(|n| format!("p{n},{}\n", class(n)))
        .collect();
    write("labels.csv", &format!("sample,outcome\n{labels}"));
    folder
}

/// The names in a folder.
pub(crate) fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A NumPy array of doubles, in the order of C.
pub(crate) fn npy(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for row in 0..rows {
        for column in 0..columns {
            bytes.extend(value(row, column).to_le_bytes());
        }
    }
    bytes
}

/// What a file holds before a command fails to write it.
const BEFORE: &str = "not yet overwritten";

/// Runs a command that must fail with a sentence of these words, once where its output file is not yet there and once
/// where it is.
pub(crate) fn refused(folder: &Path, arguments: &[&str], words: &[&str]) {
    let before = entries(folder);
    let fresh = [arguments, &["-o", "fresh.out"]].concat();
    let text = mistake(folder, &fresh);
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {text:?}: {word:?}");
    }
    assert_eq!(entries(folder), before, "{arguments:?}");
    fs::write(folder.join("kept.out"), BEFORE).unwrap();
    let over = [arguments, &["-o", "kept.out"]].concat();
    assert_eq!(mistake(folder, &over), text);
    assert_eq!(fs::read_to_string(folder.join("kept.out")).unwrap(), BEFORE);
    fs::remove_file(folder.join("kept.out")).unwrap();
    assert_eq!(entries(folder), before, "{arguments:?}");
}

/// Like [`refused`], for a command that writes no file.
pub(crate) fn refused_without_output(folder: &Path, arguments: &[&str], words: &[&str]) {
    let before = entries(folder);
    let text = mistake(folder, arguments);
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {text:?}: {word:?}");
    }
    assert_eq!(entries(folder), before, "{arguments:?}");
}

/// A model of the study in `model.json`.
pub(crate) fn fit_model(folder: &Path) {
    let arguments = [
        "fit",
        "table.csv",
        "--target",
        "outcome",
        "-o",
        "model.json",
    ];
    run(folder, &arguments).success();
}
