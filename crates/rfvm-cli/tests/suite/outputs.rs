//! Where a command writes, and what it writes of names that were made to do harm.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};

use crate::support::{entries, json, mistake, run, study};

#[test]
fn links_are_seen_through_and_devices_stay_devices() {
    let folder = study();
    let at = folder.path();
    symlink("table.csv", at.join("link.csv")).unwrap();
    let fit = |output: &str| -> Vec<String> {
        let arguments = ["fit", "table.csv", "--target", "outcome", "-o", output];
        arguments.map(str::to_string).to_vec()
    };
    let table = fs::read(at.join("table.csv")).unwrap();
    for output in ["table.csv", "link.csv", "./link.csv"] {
        let arguments = fit(output);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        assert!(mistake(at, &arguments).contains("it is an input of this command"));
    }
    assert_eq!(fs::read(at.join("table.csv")).unwrap(), table);
    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "m.json"],
    )
    .success();
    for output in ["m.json", "table.csv", "link.csv"] {
        let error = mistake(at, &["predict", "m.json", "table.csv", "-o", output]);
        assert!(error.contains("it is an input of this command"), "{error}");
    }
    // A link elsewhere stays a link, and what it names is written.
    symlink("there.json", at.join("here.json")).unwrap();
    fs::write(at.join("there.json"), "old").unwrap();
    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "here.json"],
    )
    .success();
    assert!(
        fs::symlink_metadata(at.join("here.json"))
            .unwrap()
            .is_symlink()
    );
    let model = fs::read(at.join("m.json")).unwrap();
    assert_eq!(fs::read(at.join("there.json")).unwrap(), model);
    // A pipe is written to and stays a pipe.
    let pipe = at.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "pipe"],
    )
    .success();
    assert_eq!(reader.join().unwrap(), model);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    // So does standard output by its name, and nothing hidden is left.
    let output = run(at, &["predict", "m.json", "table.csv", "-o", "/dev/stdout"]).success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("sample,class,probability_"), "{text}");
    assert!(entries(at).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn names_that_would_act_are_shown_as_they_are_written() {
    let folder = study();
    let at = folder.path();
    let text = fs::read_to_string(at.join("table.csv")).unwrap();
    // The feature that tells, a sample and a class, renamed by somebody who means harm.
    let text = text.replacen("g3", "g3\u{1b}[2J", 1);
    let text = text.replacen("\np0,", "\n\"=HYPERLINK(\"\"x\"\")\",", 1);
    assert!(text.contains("HYPERLINK") && text.contains('\u{1b}'));
    fs::write(at.join("hostile.csv"), text).unwrap();
    let fit = ["fit", "hostile.csv", "--target", "outcome", "-o", "m.json"];
    for arguments in [&fit[..], &["inspect", "m.json"], &["peek", "hostile.csv"]] {
        let output = run(at, arguments).success().get_output().clone();
        for said in [output.stdout, output.stderr] {
            let said = String::from_utf8(said).unwrap();
            assert!(!said.contains('\u{1b}'), "{arguments:?}: {said:?}");
        }
    }
    let error = mistake(at, &["predict", "m.json", "table.csv"]);
    assert!(!error.contains('\u{1b}'), "{error}");
    run(at, &["predict", "m.json", "hostile.csv", "-o", "p.csv"]).success();
    let predictions = fs::read_to_string(at.join("p.csv")).unwrap();
    assert!(predictions.contains("\n\"'=HYPERLINK"), "{predictions}");
    // And comes back as it was.
    let back = json(at, &["peek", "p.csv", "--json"]);
    assert_eq!(back["first_samples"][0], "=HYPERLINK(\"x\")");
}
