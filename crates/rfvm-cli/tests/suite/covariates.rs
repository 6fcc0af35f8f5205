//! `--covariates`: columns that are allowed for and not selected.

use std::fmt::Write as _;
use std::fs;

use crate::support::{json, mistake, run};

/// Forty samples whose class goes with age alone, and two features that know nothing.
fn table() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,g1,g2,age,sex,outcome\n");
    for n in 0..40_usize {
        let sex = if n % 3 == 0 { "man" } else { "woman" };
        let ill = if (n * 7 % 40) + n > 38 { "yes" } else { "no" };
        let (g1, g2) = (n * 7 % 13, n * 5 % 11);
        writeln!(text, "s{n},{g1},{g2},{},{sex},{ill}", 30 + n).unwrap();
    }
    fs::write(folder.path().join("table.csv"), text).unwrap();
    folder
}

const FIT: [&str; 8] = [
    "fit",
    "table.csv",
    "--target",
    "outcome",
    "--covariates",
    "age,sex",
    "-o",
    "model.json",
];

#[test]
fn they_are_in_the_model_in_predictions_and_in_an_evaluation() {
    let folder = table();
    let at = folder.path();
    let output = run(at, &FIT).success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    for words in [
        "Covariates, allowed for and not selected",
        "sex: man against woman",
        "covariates alone",
        "'age', 'sex' (allowed for as a covariate)",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let model = json(at, &["inspect", "model.json", "--json"]);
    assert_eq!(model["covariates"][0]["column"], "age");
    assert!(model["covariates"][0]["effect"].as_f64().unwrap() > 0.05);
    let predicted = json(at, &["predict", "model.json", "table.csv", "--json"]);
    let rows = predicted["predictions"].as_array().unwrap();
    let p = |n: usize| rows[n]["probability"].as_f64().unwrap();
    assert!(p(39) > 0.6 && p(0) < 0.4, "{} and {}", p(39), p(0));
    let evaluate = [
        "evaluate",
        "table.csv",
        "--target",
        "outcome",
        "--covariates",
        "age,sex",
        "--cv",
        "3",
        "--json",
    ];
    let added = &json(at, &evaluate)["added_value"];
    assert_eq!(added["verdict"], "not_shown");
    assert_eq!(added["measures"][0]["measure"], "log loss");
    run(
        at,
        &["validate", "model.json", "table.csv", "--target", "outcome"],
    )
    .success();
    let report = [
        "report",
        "model.json",
        "table.csv",
        "--target",
        "outcome",
        "-o",
        "r.html",
    ];
    run(at, &report).success();
}

#[test]
fn what_cannot_be_allowed_for_is_one_sentence() {
    let folder = table();
    let at = folder.path();
    run(at, &FIT).success();
    let text = fs::read_to_string(at.join("table.csv")).unwrap();
    fs::write(at.join("new.csv"), text.replace(",man,", ",unknown,")).unwrap();
    let refused = mistake(at, &["predict", "model.json", "new.csv"]);
    assert!(
        refused.contains("'sex': sample 's0' has the level 'unknown'"),
        "{refused}"
    );
    fs::write(at.join("none.csv"), "id,g1,g2\na,1,2\n").unwrap();
    let refused = mistake(at, &["predict", "model.json", "none.csv"]);
    assert!(refused.contains("covariate 'age'"), "{refused}");
    fs::write(at.join("gap.csv"), text.replacen(",man,", ",,", 1)).unwrap();
    let gap = [
        "fit",
        "gap.csv",
        "--target",
        "outcome",
        "--covariates",
        "sex",
    ];
    assert!(mistake(at, &gap).contains("sample 's0' has no value"));
    let unknown = [
        "fit",
        "table.csv",
        "--target",
        "outcome",
        "--covariates",
        "height",
    ];
    assert!(mistake(at, &unknown).contains("there is no column 'height'"));
    let other = [&FIT[..], &["--method", "signatures"]].concat();
    assert!(mistake(at, &other).contains("covariates"));
}
