//! The command from outside: what it prints, its exit codes, and the files it leaves.

use std::fs;

use crate::support::entries;
use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;

fn rfvm(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("rfvm"));
    command.args(arguments);
    command
}

/// The JSON object of a run, and the seconds taken out of it.
fn json(arguments: &[&str]) -> (Value, Value) {
    let output = rfvm(arguments)
        .assert()
        .success()
        .stderr("")
        .get_output()
        .stdout
        .clone();
    let mut object: Value = serde_json::from_slice(&output).unwrap();
    let seconds = object.as_object_mut().unwrap().remove("seconds").unwrap();
    (object, seconds)
}

#[test]
fn the_demo_sets_what_it_found_against_the_truth() {
    rfvm(&["demo"])
        .assert()
        .success()
        .stderr("")
        .stdout(predicate::str::contains(
            "A simulated study with known truth (seed 1)",
        ))
        .stdout(predicate::str::contains("Found, against the truth"))
        .stdout(predicate::str::contains("On the 1,000 unseen subjects"))
        .stdout(predicate::str::contains("Relevance vectors"));
}

/// The text of the tour in the read-me is what the program prints, but for the seconds.
#[test]
fn the_read_me_shows_what_is_printed() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let shown = readme.split("This is what it printed:\n\n```text\n").nth(1);
    let shown = shown.and_then(|rest| rest.split("```").next()).unwrap();
    let output = rfvm(&["demo"])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let printed = String::from_utf8(output).unwrap();
    let untimed = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("Seconds: "));
        lines.map(str::to_string).collect()
    };
    assert_eq!(untimed(shown), untimed(&printed));
}

#[test]
fn the_object_is_complete_and_the_same_for_any_number_of_threads() {
    let (object, seconds) = json(&["demo", "--json", "--seed", "4", "--threads", "1"]);
    assert!(seconds["fit"].as_f64().unwrap() > 0.0);
    assert_eq!(object["seed"], 4);
    assert_eq!(object["study"]["subjects"], 100);
    assert_eq!(object["study"]["informative"].as_array().unwrap().len(), 5);
    for name in ["compact", "balanced", "full"] {
        let model = &object[name];
        assert!(model["stop_reason"].is_string());
        assert!(model["share"].as_f64().unwrap() > 0.5, "{name}");
        assert!(model["test"]["auc"].as_f64().unwrap() > 0.8);
        assert!(model["test"]["accuracy"].as_f64().unwrap() > 0.75);
        // Better than the base rate's ln 2.
        assert!(model["test"]["log_loss"].as_f64().unwrap() < 0.6);
        let features = model["features"].as_array().unwrap();
        if name == "full" {
            assert_eq!(model["feature_count"], 5000);
            assert!(features.is_empty() && model["found"].is_null());
            continue;
        }
        assert_eq!(model["feature_count"], features.len());
        for key in ["name", "weight", "sd", "relevance", "speaks_for", "truth"] {
            assert!(features.iter().all(|f| !f[key].is_null()), "{key}");
        }
        let informative = features.iter().filter(|f| f["truth"] == "yes").count();
        assert_eq!(model["found"]["informative"], informative);
        let counted = ["informative", "correlated", "false_findings"]
            .map(|kind| model["found"][kind].as_u64().unwrap());
        assert_eq!(counted.iter().sum::<u64>(), features.len() as u64);
        for vector in model["vectors"].as_array().unwrap() {
            assert!(["case", "control"].contains(&vector["class"].as_str().unwrap()));
        }
    }
    assert!(object["balanced"]["found"]["informative"].as_u64().unwrap() >= 3);
    assert_eq!(object["path"]["judgement"]["verdict"], "signal");
    assert!(object["path"]["full"]["loss"].as_f64().unwrap() < 0.6);
    assert!(object["known_truth"]["log_loss"].as_f64().unwrap() < 0.3);

    let (again, _) = json(&["demo", "--json", "--seed", "4", "--threads", "2"]);
    assert_eq!(again, object);
}

#[test]
fn a_seed_fixes_the_result_and_another_changes_it() {
    let (first, _) = json(&["demo", "--json", "--seed", "2"]);
    let (second, _) = json(&["demo", "--json", "--seed", "2"]);
    let (other, _) = json(&["demo", "--json", "--seed", "3"]);
    assert_eq!(first, second);
    assert_ne!(first["balanced"], other["balanced"]);
}

#[test]
fn the_files_hold_the_study_and_the_model_predicts_from_them() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("new/study");
    let (object, _) = json(&["demo", "--json", "--out", out.to_str().unwrap()]);
    assert_eq!(
        entries(&out),
        ["model.json", "test.csv", "train.csv", "truth.csv"]
    );
    assert_eq!(object["files"].as_array().unwrap().len(), 4);

    let truth = fs::read_to_string(out.join("truth.csv")).unwrap();
    let informative = truth.lines().filter(|line| line.ends_with(",1,")).count();
    assert_eq!((truth.lines().count(), informative), (5001, 5));
    let train = fs::read_to_string(out.join("train.csv")).unwrap();
    assert_eq!(train.lines().count(), 101);
    assert!(train.starts_with("sample,class,gene00001,gene00002,"));

    let test = fs::read_to_string(out.join("test.csv")).unwrap();
    let mut lines = test.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    let labels: Vec<usize> = rows
        .iter()
        .map(|row| usize::from(row[1] == "case"))
        .collect();
    let values = (2..header.len())
        .flat_map(|d| rows.iter().map(move |row| row[d].parse().unwrap()))
        .collect();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let samples: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let table = rfvm::Table::new(values, names(&header[2..]), names(&samples)).unwrap();
    let model = rfvm::Model::load(out.join("model.json")).unwrap();
    let probability = model.predict_probability(&table).unwrap();
    let loss = rfvm::metrics::log_loss(&labels, &probability);
    let told = object["balanced"]["test"]["log_loss"].as_f64().unwrap();
    assert!((loss - told).abs() < 1e-12, "{loss} {told}");
}

#[test]
fn a_file_in_the_way_is_told_in_one_sentence_and_nothing_is_left() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("deeper")] {
        rfvm(&["demo", "--out", out.to_str().unwrap()])
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::is_match("^rfvm: cannot write .*file.*\n$").unwrap());
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let taken = home.path().join("new/model.json");
    fs::create_dir_all(&taken).unwrap();
    rfvm(&["demo", "--out", taken.parent().unwrap().to_str().unwrap()])
        .assert()
        .code(2)
        .stdout("")
        .stderr(predicate::str::is_match("^rfvm: cannot write .*model.json.*\n$").unwrap());
    assert_eq!(entries(taken.parent().unwrap()), ["model.json"]);
    assert_eq!(entries(home.path()), ["file", "new"]);
}

#[test]
fn mistakes_in_the_arguments_exit_with_2() {
    rfvm(&["dance"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(predicate::str::contains("unrecognized subcommand 'dance'"));
    rfvm(&[]).assert().code(2);
    rfvm(&["demo", "--seed", "x"]).assert().code(2);
    rfvm(&["demo", "--threads", "0"])
        .assert()
        .code(2)
        .stdout("")
        .stderr("rfvm: parameter threads is 0; it must be at least 1\n");
}

#[test]
fn help_and_version_are_answers() {
    rfvm(&["--version"]).assert().success().stdout(concat!(
        "rfvm ",
        env!("CARGO_PKG_VERSION"),
        "\n"
    ));
    rfvm(&["--help"])
        .assert()
        .success()
        .stdout(predicate::str::contains("Examples:\n  rfvm demo"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut demo = std::process::Command::new(assert_cmd::cargo::cargo_bin!("rfvm"));
    let output = demo
        .arg("demo")
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}
