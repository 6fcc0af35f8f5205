//! `rfvm validate`: a saved model on labelled new samples.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::skipped::skipped;
use crate::support::{entries, fit_model, json, mistake, run, samples_as_rows, study};

const NEW: [&str; 5] = ["validate", "model.json", "new.csv", "--target", "outcome"];

fn validate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&NEW[..], more].concat()
}

/// A model of the study's first half, and new samples in `new.csv`: the other half, with g3 a unit higher so that some of the
/// healthy look ill.
fn halves() -> tempfile::TempDir {
    let folder = study();
    let at = folder.path();
    let text = samples_as_rows();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(at.join("table.csv"), lines[..21].join("\n") + "\n").unwrap();
    fit_model(at);
    let raised = lines[21..].iter().enumerate().map(|(n, line)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        let value: f64 = cells[6].parse().unwrap();
        // Rows that tell nothing keep the classes from being told apart without fault.
        let value = if n < 4 { 1.5 } else { value + 1.0 };
        cells[6] = value.to_string();
        cells.join(",")
    });
    let new: Vec<String> = [lines[0].to_string()].into_iter().chain(raised).collect();
    fs::write(at.join("new.csv"), new.join("\n") + "\n").unwrap();
    folder
}

fn printed(at: &Path, arguments: &[&str]) -> String {
    let assert = run(at, arguments).success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn tables_and_json_say_the_same_and_a_page_is_one_file() {
    let folder = halves();
    let at = folder.path();
    let text = printed(at, &validate(&[]));
    for words in [
        "fitted on 20 samples (10 healthy, 10 ill)",
        "new data: new.csv, 20 samples (10 healthy, 10 ill)",
        "positive class: ill",
        "accuracy (above 0.5 or not)",
        "sensitivity for ill",
        "calibration intercept",
        "expected from training",
        "base rate of the new samples",
        "Net benefit",
        "Shift of the model's features against training",
        "On 20 new samples it tells ill from healthy",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("NaN"), "{text}");
    let found = json(at, &validate(&["--json"]));
    assert_eq!(found["n"], 20);
    let auc = number(&found["auc"]["mean"]);
    assert!(text.contains(&format!("{auc:.4}")), "{auc}");
    let shifts = found["shifts"].as_array().unwrap();
    let shift = shifts.iter().find(|shift| shift["name"] == "g3").unwrap();
    assert!(number(&shift["shift"]) > 0.1, "{shift}");
    // What predict says is what is judged.
    run(at, &["predict", "model.json", "new.csv", "-o", "p.csv"]).success();
    let predicted = fs::read_to_string(at.join("p.csv")).unwrap();
    let first = predicted.lines().nth(1).unwrap();
    let first: f64 = first.split(',').nth(2).unwrap().parse().unwrap();
    assert_eq!(number(&found["samples"][0]["predicted"]), first);
    let low = json(at, &validate(&["--threshold", "0.1", "--json"]));
    assert!(
        number(&low["at_threshold"]["sensitivity"]["mean"])
            >= number(&found["at_threshold"]["sensitivity"]["mean"])
    );
    let more = [
        "--html",
        "v.html",
        "--figures",
        "figures",
        "--recalibrate",
        "slope",
    ];
    let text = printed(at, &validate(&more));
    assert!(text.contains("Written: v.html"), "{text}");
    let page = fs::read_to_string(at.join("v.html")).unwrap();
    for words in [
        "Validation: new.csv",
        "id=\"roc-title\"",
        "id=\"decision-title\"",
        "id=\"shifts-title\"",
        "id=\"calibration-recalibrated-title\"",
        "id=\"shift-table\"",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let drawn = entries(&at.join("figures"));
    for name in ["roc.svg", "calibration.svg", "decision.svg", "shifts.svg"] {
        assert!(drawn.contains(&name.to_string()), "{drawn:?}");
    }
}

#[test]
fn a_recalibrated_model_says_so_and_predicts_otherwise() {
    let folder = halves();
    let at = folder.path();
    for how in ["intercept", "slope"] {
        let more = ["--recalibrate", how, "-o", "again.json", "--json"];
        let found = json(at, &validate(&more));
        let check = &found["recalibrated"];
        assert_eq!(check["recalibration"]["how"], how);
        assert_eq!(check["recalibration"]["samples"], 20);
        assert_eq!(check["recalibration"]["positive"], 10);
        assert_eq!(check["recalibration"]["data"], found["data"]);
        assert_eq!(
            (check["folds"].as_u64(), check["repeats"].as_u64()),
            (Some(10), Some(20))
        );
        let loss = number(&check["measures"]["log_loss"]["mean"]);
        assert_eq!(loss, number(&check["recalibration"]["loss"][1]));
        let after = json(
            at,
            &[
                "validate",
                "again.json",
                "new.csv",
                "--target",
                "outcome",
                "--json",
            ],
        );
        let off = &after["calibration"]["in_the_large"]["mean"];
        assert!(number(off).abs() < 1e-6, "{off}");
        // On the very rows it was learned from it looks better than cross-validated.
        assert!(number(&after["log_loss"]["mean"]) < loss);
        let text = printed(at, &["inspect", "again.json"]);
        assert!(text.contains("Recalibrated on 20 other samples (10 of the positive class)"));
        let inspected = json(at, &["inspect", "again.json", "--json"]);
        assert_eq!(inspected["recalibrations"][0]["how"], how);
        let report = ["report", "again.json", "table.csv", "--target", "outcome"];
        run(at, &[&report[..], &["-o", "r.html"]].concat()).success();
        let page = fs::read_to_string(at.join("r.html")).unwrap();
        assert!(page.contains("Recalibrated on 20 other samples"));
    }
    assert!(!printed(at, &["inspect", "model.json"]).contains("Recalibrated"));
    let text = printed(at, &validate(&["--recalibrate", "intercept"]));
    for words in ["recalibrated", "not learned from (10 folds, 20 times)"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn one_class_and_other_names_are_taken_and_a_regression_is_known_by_its_model() {
    let folder = halves();
    let at = folder.path();
    let new = fs::read_to_string(at.join("new.csv")).unwrap();
    let ill = new.lines().filter(|line| !line.contains(",healthy,"));
    fs::write(at.join("ill.csv"), Vec::from_iter(ill).join("\n") + "\n").unwrap();
    let text = printed(
        at,
        &["validate", "model.json", "ill.csv", "--target", "outcome"],
    );
    assert!(
        text.contains("There is no AUC, ROC curve or calibration slope"),
        "{text}"
    );
    let arguments = ["validate", "model.json", "ill.csv", "--target", "outcome"];
    let page = ["--html", "i.html", "--figures", "f"];
    run(at, &[&arguments[..], &page].concat()).success();
    assert!(!entries(&at.join("f")).contains(&"roc.svg".to_string()));
    fs::write(
        at.join("named.csv"),
        new.replace(",ill,", ",A,").replace(",healthy,", ",B,"),
    )
    .unwrap();
    let named = ["validate", "model.json", "named.csv", "--target", "outcome"];
    let told = mistake(at, &named);
    assert!(told.contains("that the model does not know"), "{told}");
    let found = json(at, &[&named[..], &["--positive", "A", "--json"]].concat());
    let own = json(at, &validate(&["--json"]));
    assert_eq!(found["auc"], own["auc"]);
    let fit = [
        "fit",
        "table.csv",
        "--target",
        "g3",
        "--task",
        "regression",
        "--size",
        "2",
    ];
    run(at, &[&fit[..], &["-o", "r.json"]].concat()).success();
    let found = json(
        at,
        &["validate", "r.json", "new.csv", "--target", "g3", "--json"],
    );
    for measure in ["r2", "rmse", "mae"] {
        assert!(found[measure]["low"].is_f64(), "{measure}");
    }
    assert!(found["auc"].is_null() && found["calibration"]["slope"]["mean"].is_f64());
    let more = [
        "--recalibrate",
        "intercept",
        "-o",
        "r2.json",
        "--html",
        "r.html",
    ];
    let arguments = ["validate", "r.json", "new.csv", "--target", "g3"];
    run(at, &[&arguments[..], &more].concat()).success();
    let again = json(
        at,
        &["validate", "r2.json", "new.csv", "--target", "g3", "--json"],
    );
    let off = number(&again["calibration"]["in_the_large"]["mean"]);
    assert!(off.abs() < 1e-9, "{off}");
}

#[test]
fn what_cannot_be_validated_is_told_in_a_sentence_and_nothing_is_written() {
    let folder = halves();
    let at = folder.path();
    let new = fs::read_to_string(at.join("new.csv")).unwrap();
    let lacking = new.replace("g3,", "h3,");
    fs::write(at.join("lacking.csv"), lacking).unwrap();
    let ill = new.lines().filter(|line| !line.contains(",healthy,"));
    fs::write(at.join("ill.csv"), Vec::from_iter(ill).join("\n") + "\n").unwrap();
    let before = entries(at);
    for (arguments, words) in [
        (&["model.json", "new.csv"][..], "--target"),
        (
            &["model.json", "new.csv", "--target", "none"],
            "no column 'none'",
        ),
        (
            &["model.json", "lacking.csv", "--target", "outcome"],
            "lacks 1 feature(s)",
        ),
        (
            &["model.json", "new.csv", "--target", "site"],
            "does not know",
        ),
        (&["no.json", "new.csv", "--target", "outcome"], "no.json"),
        (
            &["new.csv", "new.csv", "--target", "outcome"],
            "not an rfvm model",
        ),
        (
            &[
                "model.json",
                "new.csv",
                "--target",
                "outcome",
                "--positive",
                "healthy",
            ],
            "the positive class is 'ill'",
        ),
        (
            &[
                "model.json",
                "new.csv",
                "--target",
                "outcome",
                "--threshold",
                "50",
            ],
            "0.9 for 90 %",
        ),
        (
            &[
                "model.json",
                "ill.csv",
                "--target",
                "outcome",
                "--recalibrate",
                "slope",
            ],
            "none of them is of class 'healthy'",
        ),
        (
            &[
                "model.json",
                "new.csv",
                "--target",
                "outcome",
                "--html",
                "new.csv",
            ],
            "input of this command",
        ),
    ] {
        let told = mistake(at, &[&["validate"], arguments].concat());
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(entries(at), before);
    // A model is written only where one is made.
    let refused = run(at, &validate(&["-o", "m2.json"])).code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("--recalibrate"), "{told}");
}

#[test]
fn from_one_array_to_another() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let [train, new] = ["", "_indep"].map(|part| data.join(format!("singh_prostate{part}.npz")));
    if !train.is_file() || !new.is_file() {
        skipped(
            "rfvm-cli validate::from_one_array_to_another",
            &format!("there is no {}", train.display()),
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let [train, new] = [&train, &new].map(|path| path.to_str().unwrap());
    let fit = [
        "fit", train, "--target", "y", "-o", "m.json", "--size", "compact",
    ];
    run(at, &fit).success();
    let arguments = ["validate", "m.json", new, "--target", "y", "--json"];
    let found = json(at, &arguments);
    assert_eq!(found["class_counts"], serde_json::json!([9, 25]));
    // Most features lie outside of all that the model has seen, and so does every sample.
    assert_eq!(found["unlike"]["rows"], 34);
    assert!(number(&found["shifts"][0]["shift"]).abs() > 1.0);
    let more = ["--recalibrate", "slope"];
    let again = json(at, &[&arguments[..], &more].concat());
    let loss = &again["recalibrated"]["recalibration"]["loss"];
    assert!(number(&loss[1]) < number(&loss[0]), "{loss}");
}

#[test]
fn what_new_samples_lack_is_integrated_over_when_asked_for() {
    let folder = halves();
    let at = folder.path();
    let new = fs::read_to_string(at.join("new.csv")).unwrap();
    // Without the column g3, which the model needs, and then with one gap in it.
    let column = |line: &str| -> Vec<String> { line.split(',').map(str::to_string).collect() };
    let g3 = column(new.lines().next().unwrap());
    let g3 = g3.iter().position(|name| name == "g3").unwrap();
    let (mut less, mut gap) = (String::new(), String::new());
    for (n, line) in new.lines().enumerate() {
        let mut cells = column(line);
        if n == 3 {
            cells[g3] = "NA".to_string();
        }
        gap += &(cells.join(",") + "\n");
        cells.remove(g3);
        less += &(cells.join(",") + "\n");
    }
    fs::write(at.join("less.csv"), less).unwrap();
    fs::write(at.join("gap.csv"), gap).unwrap();
    for file in ["less.csv", "gap.csv"] {
        let plain = mistake(at, &["predict", "model.json", file]);
        assert!(plain.contains("--missing integrate"), "{plain}");
    }
    for (how, by) in [("integrate", None), ("substitute", Some("by"))] {
        let asked = ["predict", "model.json", "less.csv", "--missing", how];
        let rows = json(at, &[&asked[..], &["--json"]].concat());
        let filled = &rows["predictions"][0]["filled"][0];
        assert_eq!(filled["feature"], "g3");
        assert_eq!(filled.get("by").is_some(), by.is_some(), "{filled}");
        let text = printed(at, &asked);
        let header = text.lines().next().unwrap();
        assert!(header.ends_with(",unlike_training,filled"), "{header}");
        let told = run(at, &asked).success();
        let told = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
        assert!(told.contains("20 of 20 sample(s) lack values"), "{told}");
    }
    let one = printed(
        at,
        &["predict", "model.json", "gap.csv", "--missing", "integrate"],
    );
    let marked: Vec<usize> = (1..)
        .zip(one.lines().skip(1))
        .filter(|(_, line)| line.ends_with(",g3"))
        .map(|(n, _)| n)
        .collect();
    assert_eq!(marked, [3]);
    let arguments = [
        "validate",
        "model.json",
        "gap.csv",
        "--target",
        "outcome",
        "--json",
    ];
    let found = json(at, &[&arguments[..], &["--missing", "integrate"]].concat());
    assert_eq!(found["missing"], "integrate");
    assert_eq!(found["samples"][2]["filled"][0]["feature"], "g3");
    assert!(found["samples"][0].get("filled").is_none());
}
