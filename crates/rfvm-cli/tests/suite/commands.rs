//! The whole way from a table to predictions.

use std::fs;

use crate::support::{json, mistake, run, samples_as_rows, study, value};
use serde_json::Value;

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
    assert_eq!(features(&fit)[0], "g3");
    assert_eq!(fit["features"][0]["class"], "ill");
    for key in [
        "vectors",
        "stop",
        "iterations",
        "expected",
        "full",
        "share",
        "correction",
        "verdict",
        "detection",
    ] {
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
    assert_eq!(features(&model)[0], "g3");
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
