//! The whole way from a table to predictions.

use std::fs;

use crate::support::{json, mistake, run, samples_as_rows, study, value};
use serde_json::Value;
use tempfile::TempDir;

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
        text.starts_with("sample,class,probability_ill,mean,sd,unlike_training\np0,healthy,"),
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
    let mut joined = json(
        at,
        &["fit", "turned.tsv", "--labels", "labels.csv", "--json"],
    );
    assert_eq!(joined["features"], direct["features"]);
    // The other table has a column of text too.
    assert_eq!(direct["training"]["unused"][0]["columns"][0], "site");
    joined["training"]["unused"] = direct["training"]["unused"].clone();
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
    assert_eq!(count(&["--features", "g1", "--exempt", "g3"]), 2);
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

/// A study with its model, `m.json`.
fn fitted() -> TempDir {
    let folder = study();
    run(
        folder.path(),
        &["fit", "table.csv", "--target", "outcome", "-o", "m.json"],
    )
    .success();
    folder
}

#[test]
fn values_far_from_the_training_rows_are_marked_and_refused_when_strict() {
    let folder = fitted();
    let at = folder.path();
    let told = |name: &str| {
        let output = run(at, &["predict", "m.json", name]).success();
        let output = output.get_output();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (text(&output.stdout), text(&output.stderr))
    };
    let (rows, notes) = told("table.csv");
    assert!(rows.lines().skip(1).all(|row| row.ends_with(',')), "{rows}");
    assert!(!notes.contains("unlike"), "{notes}");
    // Another unit, and a code for missing values.
    let table = fs::read_to_string(at.join("table.csv")).unwrap();
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let scaled = |line: &str| -> String {
        let cell = |cell: &str| match cell.parse::<f64>() {
            Ok(number) => (1000.0 * number).to_string(),
            Err(_) => cell.to_string(),
        };
        line.split(',').map(cell).collect::<Vec<_>>().join(",")
    };
    let other_unit: Vec<String> = lines.map(scaled).collect();
    fs::write(
        at.join("grams.csv"),
        format!("{header}\n{}\n", other_unit.join("\n")),
    )
    .unwrap();
    let (rows, notes) = told("grams.csv");
    let marked = rows
        .lines()
        .filter(|row| row.contains("out of range"))
        .count();
    assert!(marked > 30, "{rows}");
    assert!(notes.contains("where the training rows had"), "{notes}");
    let refused = mistake(
        at,
        &["predict", "m.json", "grams.csv", "--strict", "-o", "p.csv"],
    );
    assert!(
        refused.contains("grams.csv") && refused.contains("leave out --strict"),
        "{refused}"
    );
    assert!(!at.join("p.csv").exists());
    let rows = json(at, &["predict", "m.json", "grams.csv", "--json"]);
    assert_eq!(rows["probability_of"], "ill");
    assert!(
        rows["predictions"][0]["unlike_training"]["far"].as_u64() > Some(0),
        "{rows}"
    );
}

#[test]
fn an_output_never_takes_the_place_of_an_input() {
    let folder = fitted();
    let at = folder.path();
    let before = fs::read(at.join("table.csv")).unwrap();
    let target = ["--target", "outcome"];
    for (command, output) in [
        (vec!["fit", "table.csv"], "./table.csv"),
        (vec!["evaluate", "table.csv"], "table.csv"),
        (vec!["report", "m.json", "table.csv"], "m.json"),
        (vec!["path", "table.csv"], "table.csv"),
    ] {
        let flag = if command[0] == "path" { "--plot" } else { "-o" };
        let told = mistake(at, &[&command[..], &target, &[flag, output]].concat());
        assert!(told.contains("it is an input of this command"), "{told}");
    }
    let told = mistake(at, &["predict", "m.json", "table.csv", "-o", "table.csv"]);
    assert!(told.contains("it is an input of this command"), "{told}");
    assert_eq!(fs::read(at.join("table.csv")).unwrap(), before);
    let told = mistake(
        at,
        &[
            "path",
            "table.csv",
            "--target",
            "outcome",
            "--plot",
            "x.pdf",
        ],
    );
    assert!(told.contains("end it with .svg or .png"), "{told}");
    // Nobody can write there, not even root.
    #[cfg(target_os = "linux")]
    {
        let told = mistake(
            at,
            &[
                "fit",
                "table.csv",
                "--target",
                "outcome",
                "-o",
                "/proc/m.json",
            ],
        );
        assert!(
            told.contains("nothing can be written to its folder"),
            "{told}"
        );
    }
}

#[test]
fn the_case_is_the_positive_class_and_an_evaluation_of_another_target_is_refused() {
    let folder = study();
    let at = folder.path();
    let table = fs::read_to_string(at.join("table.csv")).unwrap();
    let table = table.replace("healthy", "control").replace("ill", "case");
    // A second target of the same rows: the other way round in every third.
    let mut number = 0;
    let with_other = |line: &str| -> String {
        number += 1;
        let other = match (number, line.contains("case")) {
            (1, _) => "other",
            (n, case) if (n % 3 == 0) != case => "yes",
            _ => "no",
        };
        format!("{line},{other}")
    };
    let lines: Vec<String> = table.lines().map(with_other).collect();
    fs::write(at.join("both.csv"), lines.join("\n") + "\n").unwrap();
    let data = ["both.csv", "--target", "outcome"];
    run(at, &[&["fit"], &data[..], &["-o", "m.json"]].concat()).success();
    let inspected = json(at, &["inspect", "m.json", "--json"]);
    assert_eq!(inspected["classes"], serde_json::json!(["control", "case"]));
    let few = ["--repeats", "1", "-o", "e.json"];
    run(
        at,
        &[&["evaluate", "both.csv", "--target", "other"], &few[..]].concat(),
    )
    .success();
    let page = [
        &["report", "m.json"],
        &data[..],
        &["--evaluation", "e.json", "-o", "r.html"],
    ];
    let told = mistake(at, &page.concat());
    assert!(
        told.contains("e.json") && told.contains("another target"),
        "{told}"
    );
    assert!(!at.join("r.html").exists());
    let printed = run(at, &[&["evaluate"], &data[..], &few[..]].concat()).success();
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    assert!(printed.contains("probabilities are P(case)"), "{printed}");
    run(at, &page.concat()).success();
}

#[test]
fn quiet_leaves_notes_out_and_tells_mistakes() {
    let folder = study();
    let at = folder.path();
    // A column of text is not used, which a note says.
    let table = fs::read_to_string(at.join("table.csv")).unwrap();
    let lines = table.lines().enumerate();
    let with_text = lines.map(|(n, line)| match n {
        0 => format!("{line},remark"),
        n => format!("{line},word {n}"),
    });
    fs::write(
        at.join("text.csv"),
        Vec::from_iter(with_text).join("\n") + "\n",
    )
    .unwrap();
    let told = |options: &[&str]| {
        let fit = ["fit", "text.csv", "--target", "outcome"];
        let assert = run(at, &[&fit, options].concat()).success();
        let output = assert.get_output();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (text(&output.stdout), text(&output.stderr))
    };
    let (printed, notes) = told(&[]);
    assert!(
        notes.contains("rfvm: note: ") && notes.contains("remark"),
        "{notes}"
    );
    assert_eq!(told(&["--quiet"]), (printed.clone(), String::new()));
    assert_eq!(told(&["-q"]), (printed, String::new()));
    assert!(mistake(at, &["fit", "none.csv", "--quiet"]).contains("none.csv"));
}

#[test]
fn the_manual_page_has_the_exit_codes() {
    let folder = study();
    let assert = run(folder.path(), &["man"]).success();
    let page = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let (_, status) = page.split_once(".SH \"EXIT STATUS\"").unwrap();
    for words in ["\\fB0\\fR", "\\fB2\\fR", "\\fB130\\fR", "\\fBNO_COLOR\\fR"] {
        assert!(status.contains(words), "{words}");
    }
}
