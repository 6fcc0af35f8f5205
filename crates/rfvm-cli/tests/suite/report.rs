//! From a table to a page.

use std::fs;

use crate::support::{entries, json, mistake, run, study};

const TABLE: [&str; 3] = ["table.csv", "--target", "outcome"];

#[test]
fn a_model_its_table_and_its_evaluation_make_a_page() {
    let folder = study();
    let at = folder.path();
    run(at, &[&["fit"], &TABLE[..], &["-o", "m.json"]].concat()).success();
    let evaluate = [
        &["evaluate"],
        &TABLE[..],
        &["--repeats", "2", "--permuted", "3", "--json"],
    ]
    .concat();
    let evaluation = json(at, &evaluate);
    assert_eq!(evaluation["permuted"].as_array().unwrap().len(), 3);
    let first = &evaluation["results"][0];
    assert_eq!(
        first["rows"].as_array().unwrap().len(),
        first["predicted"].as_array().unwrap().len()
    );
    assert_eq!(evaluation["samples"][0], "p0");
    fs::write(at.join("e.json"), evaluation.to_string()).unwrap();

    let report = [&["report", "m.json"], &TABLE[..], &["-o", "r.html"]].concat();
    run(at, &report).success();
    let plain = fs::read_to_string(at.join("r.html")).unwrap();
    assert!(plain.contains("Report: table.csv") && plain.contains("No evaluation."));
    let written = json(
        at,
        &[&report[..], &["--evaluation", "e.json", "--json"]].concat(),
    );
    let whole = fs::read_to_string(at.join("r.html")).unwrap();
    assert_eq!(written["bytes"], whole.len());
    assert_eq!(written["written"], "r.html");
    assert!(whole.contains("id=\"roc-title\"") && whole.contains("id=\"chance-fit-title\""));
    // The same summary without a page.
    fs::remove_file(at.join("r.html")).unwrap();
    let alone = [&["report", "m.json"], &TABLE[..], &["--json"]].concat();
    let mut summary = json(at, &[&alone[..], &["--evaluation", "e.json"]].concat());
    assert!(!at.join("r.html").exists());
    for part in ["bytes", "written"] {
        assert!(summary[part].is_null(), "{part}");
        summary[part] = written[part].clone();
    }
    assert_eq!(summary, written);
    assert_eq!(summary["data"]["name"], "table.csv");
    assert_eq!(summary["data"]["fitted_on"], true);
    let rows = |part: &str| summary[part].as_array().unwrap().len();
    assert_eq!(rows("samples"), summary["data"]["samples"]);
    assert_eq!(rows("features"), summary["data"]["features"]);
    let curves = &summary["evaluation"]["curves"];
    assert_eq!(curves["roc"]["points"][100]["y"], 1.0);
    assert_eq!(summary["chance"]["whole_fit"]["measure"], "auc");
    assert!(json(at, &alone)["evaluation"].is_null());
    // The features' table is turned round, yet the data are the same.
    let turned = [
        "report",
        "m.json",
        "turned.tsv",
        "--labels",
        "labels.csv",
        "-o",
        "t.html",
    ];
    run(at, &turned).success();
    let turned = fs::read_to_string(at.join("t.html")).unwrap();
    assert!(
        turned.contains("the data that the model was fitted on") && !turned.contains("Other data.")
    );
}

#[test]
fn what_cannot_be_reported_is_told_in_a_sentence_and_nothing_is_written() {
    let folder = study();
    let at = folder.path();
    run(at, &[&["fit"], &TABLE[..], &["-o", "m.json"]].concat()).success();
    fs::write(at.join("e.json"), "{\"n\": 3}").unwrap();
    let few: String = crate::support::samples_as_rows()
        .lines()
        .take(31)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(at.join("few.csv"), few).unwrap();
    let evaluate = [
        "evaluate",
        "few.csv",
        "--target",
        "outcome",
        "--repeats",
        "1",
        "--json",
    ];
    fs::write(at.join("few.json"), json(at, &evaluate).to_string()).unwrap();
    let before = entries(at);
    let tell = |more: &[&str]| {
        mistake(
            at,
            &[&["report", "m.json"], more, &["-o", "r.html"]].concat(),
        )
    };
    for (arguments, words) in [
        (
            &[&TABLE[..], &["--evaluation", "e.json"]].concat()[..],
            "e.json: this is not what rfvm evaluate --json prints",
        ),
        (
            &[&TABLE[..], &["--evaluation", "no.json"]].concat(),
            "no.json",
        ),
        (
            &[&TABLE[..], &["--evaluation", "few.json"]].concat(),
            "few.json: the evaluation is of 30 samples",
        ),
        (
            &["table.csv", "--target", "site", "--positive", "site1"],
            "the model's classes are 'healthy' and 'ill'",
        ),
        (
            &["table.csv", "--target", "g1", "--task", "regression"],
            "the target is a number",
        ),
        (&["table.csv", "--target", "outcome", "--drop", "g3"], "g3"),
    ] {
        let told = tell(arguments);
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(entries(at), before);
    let told = mistake(
        at,
        &[&["report", "m.json"], &TABLE[..], &["-o", "no/r.html"]].concat(),
    );
    assert!(told.contains("there is no folder no"), "{told}");
    let refused = run(at, &[&["report", "m.json"], &TABLE[..]].concat()).code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr);
    assert!(told.contains("--output <FILE>"), "{told}");
}
