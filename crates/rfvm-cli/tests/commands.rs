//! The whole way from a table to predictions, and every mistake on it: one sentence, exit code 2, no output file.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn rfvm() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("rfvm"))
}

fn run(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    rfvm().current_dir(folder).args(arguments).assert()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, arguments).success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

/// The one sentence on standard error of a command that fails with exit code 2.
fn mistake(folder: &Path, arguments: &[&str]) -> String {
    let assert = run(folder, arguments).code(2);
    let output = assert.get_output();
    assert!(
        output.stdout.is_empty(),
        "{arguments:?} printed to standard output"
    );
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

/// 40 samples, 30 features of which g3 tells the classes apart; values from a fixed recipe.
fn value(sample: usize, feature: usize) -> f64 {
    let noise =
        ((sample * 7919 + feature * 104_729 + sample * feature * 31) % 1000) as f64 / 500.0 - 1.0;
    noise
        + if feature == 3 && sample % 2 == 1 {
            3.0
        } else {
            0.0
        }
}

fn class(sample: usize) -> &'static str {
    ["healthy", "ill"][sample % 2]
}

fn samples_as_rows() -> String {
    let header: Vec<String> = (0..30).map(|d| format!("g{d}")).collect();
    let mut text = format!("id,outcome,site,{}\n", header.join(","));
    for n in 0..40 {
        let cells: Vec<String> = (0..30).map(|d| format!("{:.4}", value(n, d))).collect();
        text += &format!("p{n},{},site{},{}\n", class(n), n % 3, cells.join(","));
    }
    text
}

fn features_as_rows() -> String {
    let header: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let mut text = format!("gene\t{}\n", header.join("\t"));
    for d in 0..30 {
        let cells: Vec<String> = (0..40).map(|n| format!("{:.4}", value(n, d))).collect();
        text += &format!("g{d}\t{}\n", cells.join("\t"));
    }
    text
}

fn study() -> TempDir {
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

fn features(model: &Value) -> Vec<&str> {
    model["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_table_becomes_a_model_and_the_model_predicts() {
    let folder = study();
    let at = folder.path();
    let fit = json(
        at,
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "-o",
            "m.json",
            "--json",
        ],
    );
    assert_eq!(features(&fit), ["g3"]);
    assert_eq!(fit["features"][0]["class"], "ill");
    for key in ["vectors", "stop", "iterations", "bound"] {
        assert!(!fit[key].is_null(), "{key}");
    }
    assert_eq!(
        json(at, &["inspect", "m.json", "--json"])["features"],
        fit["features"]
    );
    run(at, &["inspect", "m.json"]).success();
    run(at, &["predict", "m.json", "table.csv", "-o", "out.csv"]).success();
    let text = fs::read_to_string(at.join("out.csv")).unwrap();
    assert!(
        text.starts_with("sample,class,probability,mean,sd\np0,healthy,"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 41);
    // The same samples, turned round and without labels, give the same predictions.
    let rows = json(at, &["predict", "m.json", "table.csv", "--json"]);
    assert_eq!(
        json(at, &["predict", "m.json", "turned.tsv", "--json"]),
        rows
    );
}

#[test]
fn labels_can_come_from_a_file_and_settle_the_orientation() {
    let folder = study();
    let at = folder.path();
    let direct = json(at, &["fit", "table.csv", "--target", "outcome", "--json"]);
    let joined = json(
        at,
        &["fit", "turned.tsv", "--labels", "labels.csv", "--json"],
    );
    assert_eq!(joined["features"], direct["features"]);
    assert_eq!(joined["training"], direct["training"]);
    let swapped = json(
        at,
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "--positive",
            "healthy",
            "--json",
        ],
    );
    assert_eq!(swapped["classes"], serde_json::json!(["ill", "healthy"]));
    let rest = json(
        at,
        &[
            "fit",
            "table.csv",
            "--target",
            "site",
            "--positive-not",
            "site0",
            "--json",
        ],
    );
    assert_eq!(rest["classes"], serde_json::json!(["site0", "not site0"]));
}

#[test]
fn evaluation_reports_every_measure_and_keeps_groups_whole() {
    let folder = study();
    let at = folder.path();
    let arguments = [
        "evaluate",
        "table.csv",
        "--target",
        "outcome",
        "--repeats",
        "2",
        "--json",
    ];
    let result = json(at, &arguments);
    for key in [
        "accuracy",
        "balanced_accuracy",
        "auc",
        "log_loss",
        "brier",
        "features",
        "features_percent",
        "vectors",
        "vectors_percent",
        "fit_seconds",
    ] {
        for part in ["mean", "sd", "low", "high"] {
            assert!(result[key][part].is_f64(), "{key}.{part}");
        }
    }
    assert_eq!(
        (
            &result["n"],
            &result["d"],
            &result["repeats"],
            &result["folds"]
        ),
        (&40.into(), &30.into(), &2.into(), &5.into())
    );
    assert_eq!(result["selection"][0]["feature"], "g3");
    assert!(result["accuracy"]["mean"].as_f64().unwrap() > 0.9);
    let grouped = json(
        at,
        &[
            "evaluate",
            "table.csv",
            "--target",
            "outcome",
            "--group",
            "site",
            "--cv",
            "3",
            "--repeats",
            "1",
            "--json",
        ],
    );
    assert_eq!(grouped["folds"], 3);
    run(
        at,
        &[
            "evaluate",
            "table.csv",
            "--target",
            "outcome",
            "--repeats",
            "1",
        ],
    )
    .success();
    let folds: String = (0..40)
        .map(|n| format!("{},{}\n", n % 4, n / 2 % 4))
        .collect();
    fs::write(at.join("folds.csv"), format!("a,b\n{folds}")).unwrap();
    let given = json(
        at,
        &[
            "evaluate",
            "table.csv",
            "--target",
            "outcome",
            "--folds",
            "folds.csv",
            "--json",
        ],
    );
    assert_eq!((&given["repeats"], &given["folds"]), (&2.into(), &4.into()));
}

#[test]
fn peek_shows_what_was_understood() {
    let folder = study();
    let peek = json(folder.path(), &["peek", "table.csv", "--json"]);
    assert_eq!(
        (&peek["samples"], &peek["features"]),
        (&40.into(), &30.into())
    );
    assert_eq!(peek["samples_are"], "rows");
    let columns: Vec<&str> = peek["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["column"].as_str().unwrap())
        .collect();
    assert_eq!(columns, ["outcome", "site"]);
    assert_eq!(peek["targets"][0]["classes"]["ill"], 20);
    run(folder.path(), &["peek", "table.csv"]).success();
}

#[test]
fn missing_values_are_refused_or_imputed() {
    let folder = study();
    let at = folder.path();
    let holes = samples_as_rows().replacen(&format!("{:.4}", value(4, 2)), "NA", 1);
    fs::write(at.join("holes.csv"), holes).unwrap();
    let text = mistake(
        at,
        &["fit", "holes.csv", "--target", "outcome", "-o", "m.json"],
    );
    assert!(
        text.contains("1 values are missing, most of them in 'g2' (1)"),
        "{text}"
    );
    assert!(!at.join("m.json").exists());
    let model = json(
        at,
        &[
            "fit",
            "holes.csv",
            "--target",
            "outcome",
            "--impute",
            "median",
            "--json",
        ],
    );
    assert_eq!(features(&model), ["g3"]);
    let dropped = json(
        at,
        &[
            "fit",
            "holes.csv",
            "--target",
            "outcome",
            "--max-missing",
            "0",
            "--json",
        ],
    );
    assert_eq!(dropped["training"]["features"], 29);
}

#[test]
fn features_are_chosen_by_list() {
    let folder = study();
    let at = folder.path();
    let count = |extra: &[&str]| {
        let arguments = [
            &["fit", "table.csv", "--target", "outcome", "--json"],
            extra,
        ]
        .concat();
        json(at, &arguments)["training"]["features"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(count(&["--features", "g1,g3,g5"]), 3);
    assert_eq!(count(&["--drop", "g1"]), 29);
    assert_eq!(count(&["--features", "g1", "--keep", "g3"]), 2);
    assert_eq!(count(&["--max-features", "7"]), 7);
    fs::write(at.join("list.txt"), "g3\ng4\n").unwrap();
    assert_eq!(count(&["--features", "@list.txt"]), 2);
}

#[test]
fn every_mistake_is_one_sentence_and_leaves_no_file() {
    let folder = study();
    let at = folder.path();
    let write = |name: &str, bytes: &[u8]| fs::write(at.join(name), bytes).unwrap();
    let table = samples_as_rows();
    write("empty.csv", b"");
    write("rubbish.bin", &[0, 159, 146, 150, 0, 1, 2, 3]);
    write(
        "ragged.csv",
        table
            .replacen("p7,ill,site1,", "p7,ill,site1,0.5,", 1)
            .as_bytes(),
    );
    write("twice.csv", table.replacen("p7,", "p8,", 1).as_bytes());
    write(
        "text.csv",
        table
            .replacen(&format!("{:.4}", value(4, 2)), "high", 1)
            .as_bytes(),
    );
    write(
        "infinite.csv",
        table
            .replacen(&format!("{:.4}", value(4, 2)), "inf", 1)
            .as_bytes(),
    );
    write("one.csv", table.replace("healthy", "ill").as_bytes());
    write("strangers.csv", b"sample,outcome\nx1,ill\nx2,healthy\n");
    fs::create_dir(at.join("folder")).unwrap();
    let fit = |file: &str| mistake(at, &["fit", file, "--target", "outcome", "-o", "m.json"]);
    for (file, expected) in [
        ("nowhere.csv", "nowhere.csv"),
        ("folder", "it is a folder"),
        ("empty.csv", "the file is empty"),
        ("rubbish.bin", "rubbish.bin"),
        ("ragged.csv", "line 9"),
        ("twice.csv", "'p8' appears twice"),
        ("text.csv", "high"),
        ("infinite.csv", "inf"),
        ("one.csv", "at least two classes"),
    ] {
        let text = fit(file);
        assert!(text.contains(expected), "{file}: {text}");
        assert!(text.contains(file), "{file}: {text}");
    }
    let other = |arguments: &[&str], expected: &str| {
        let text = mistake(at, arguments);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    };
    other(
        &["fit", "table.csv", "--target", "gone", "-o", "m.json"],
        "there is no column 'gone'",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--labels",
            "strangers.csv",
            "-o",
            "m.json",
        ],
        "none of its sample names",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "--positive",
            "dead",
            "-o",
            "m.json",
        ],
        "there is no class 'dead'",
    );
    other(
        &["fit", "table.csv", "--target", "site", "-o", "m.json"],
        "set one class against the rest",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "--features",
            "g99",
            "-o",
            "m.json",
        ],
        "there is no feature 'g99'",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "--signatures",
            "0",
            "-o",
            "m.json",
        ],
        "signatures is 0",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "--class-weight",
            "heavy",
            "-o",
            "m.json",
        ],
        "--class-weight is 'heavy'",
    );
    other(
        &[
            "fit",
            "table.csv",
            "--target",
            "outcome",
            "-o",
            "no/such/m.json",
        ],
        "m.json",
    );
    other(
        &["evaluate", "table.csv", "--target", "outcome", "--cv", "99"],
        "folds is 99",
    );
    assert!(!at.join("m.json").exists());

    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "m.json"],
    )
    .success();
    let model = fs::read_to_string(at.join("m.json")).unwrap();
    write(
        "newer.json",
        model
            .replacen("\"version\":1", "\"version\":9", 1)
            .as_bytes(),
    );
    write("cut.json", &model.as_bytes()[..model.len() / 2]);
    write("few.csv", b"id,g1,g2\np1,0.5,1\np2,1,2\n");
    other(
        &["predict", "newer.json", "table.csv", "-o", "out.csv"],
        "format version 9",
    );
    other(
        &["predict", "cut.json", "table.csv", "-o", "out.csv"],
        "damaged or cut short",
    );
    other(
        &["predict", "table.csv", "table.csv", "-o", "out.csv"],
        "not an rfvm model file",
    );
    other(&["predict", "m.json", "few.csv", "-o", "out.csv"], "'g3'");
    assert!(!at.join("out.csv").exists());
}

#[test]
fn completions_and_the_manual_are_made_from_the_arguments() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = run(folder.path(), &["completions", shell])
            .success()
            .get_output()
            .stdout
            .clone();
        assert!(
            String::from_utf8(output).unwrap().contains("evaluate"),
            "{shell}"
        );
    }
    let page = run(folder.path(), &["man"])
        .success()
        .get_output()
        .stdout
        .clone();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains(".TH") && page.contains("positive"), "{page}");
}
