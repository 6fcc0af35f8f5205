//! A study at the terminal: its commands, what they refuse, and that nothing is ever overwritten.

use std::fs;
use std::path::Path;

use crate::support::{begin_study, entries, json, mistake, run, study_command};
use rfvm_study::Study;
use serde_json::Value;
use tempfile::TempDir;

const TESTS: &str = "test,cost,minutes,burden,panel\ncrp,4,1,0,blood\nferritin,6,1,0,blood\nmri,300,40,3,\nage,0,0,0,\ndose,1,0,0,\n,10,5,1,blood\n";

/// crp tells the outcome, mri is its noisy copy, ferritin is noise, dose is the outcome itself.
fn row(n: usize) -> String {
    let noise = |step: usize| ((n * step) % 101) as f64 / 50.0 - 1.0;
    let ill = n % 2;
    let crp = 1.5 * ill as f64 + noise(37);
    let outcome = ["well", "ill"][ill];
    let site = ["north", "south"][n / 3 % 2];
    format!(
        "s{n},{outcome},{site},{crp:.3},{:.3},{:.3},{:.1},{ill}",
        noise(61),
        crp + 0.3 * noise(17),
        40.0 + 10.0 * noise(29)
    )
}

const HEADER: &str = "subject,outcome,site,crp,ferritin,mri,age,dose";

fn wave(at: &Path, name: &str, subjects: std::ops::Range<usize>) {
    let rows: Vec<String> = subjects.map(row).collect();
    fs::write(at.join(name), format!("{HEADER}\n{}\n", rows.join("\n"))).unwrap();
}

/// A folder with a study of one wave of 40 subjects.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let more = [
        "--positive",
        "ill",
        "--site",
        "site",
        "--keep",
        "age",
        "--never",
        "dose",
    ];
    begin_study(at, TESTS, &more);
    wave(at, "w1.csv", 0..40);
    run(at, &["study", "add", "s.rfvm", "w1.csv"]).success();
    folder
}

fn log(at: &Path) -> Vec<Value> {
    json(at, &["study", "log", "s.rfvm", "--json"])["log"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn a_study_goes_from_init_to_a_report() {
    let folder = study();
    let at = folder.path();
    let fit = json(at, &["study", "fit", "s.rfvm", "--json", "-o", "m.json"]);
    let panel: Vec<&str> = fit["summary"]["panel"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_str().unwrap())
        .collect();
    // The copy may take the original's place as long as cost has no say.
    assert!(
        panel.iter().any(|test| ["crp", "mri"].contains(test)) && !panel.contains(&"dose"),
        "{panel:?}"
    );
    assert_eq!(fit["summary"]["warm"], false);
    assert_eq!(
        json(at, &["study", "fit", "s.rfvm", "--json"])["summary"]["warm"],
        true
    );
    assert!(at.join("m.json").exists());
    let advise = [
        "study",
        "advise",
        "s.rfvm",
        "--folds",
        "4",
        "--repeats",
        "1",
        "--size",
        "2",
        "--budget",
        "20",
        "--cost-prior",
        "5",
        "--json",
    ];
    let advice = json(at, &advise);
    let standing = |name: &str| {
        let tests = advice["tests"].as_array().unwrap();
        tests.iter().find(|t| t["test"] == *name).unwrap()["standing"]
            .as_str()
            .unwrap()
            .to_string()
    };
    assert_eq!(standing("age"), "must_keep");
    assert_eq!(standing("crp"), "in_use");
    assert!(
        advice["tests"]
            .as_array()
            .unwrap()
            .iter()
            .all(|t| t["test"] != "dose")
    );
    assert_eq!(advice["price"]["cost"], 320.0);
    let crp = advice["replacements"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["test"] == "crp")
        .unwrap();
    assert_eq!(crp["by"][0]["test"], "mri");
    assert!(crp["by"][0]["correlation"]["value"].as_f64().unwrap() > 0.9);
    let within = advice["frontier"]["within_budget"].as_u64().unwrap() as usize;
    assert!(
        advice["frontier"]["panels"][within]["price"]["cost"]
            .as_f64()
            .unwrap()
            <= 20.0
    );
    assert_eq!(
        advice["recruitment"]["curve"]["gains"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert!(advice["cautions"][0].as_str().unwrap().contains("power"));
    run(
        at,
        &[
            "study",
            "advise",
            "s.rfvm",
            "--folds",
            "4",
            "--repeats",
            "1",
            "--quick",
        ],
    )
    .success();
    run(at, &["study", "report", "s.rfvm", "-o", "s.html"]).success();
    let page = fs::read_to_string(at.join("s.html")).unwrap();
    for word in [
        "Wave by wave",
        "Retired tests",
        "What changed, and why",
        "ferritin",
    ] {
        assert!(page.contains(word), "{word}");
    }
    let log = log(at);
    let kinds: Vec<&str> = log
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["init", "wave", "fit", "fit", "advice", "advice"]);
    for event in &log[1..] {
        assert_eq!(event["data_hash"].as_str().unwrap().len(), 64);
        assert!(event["version"].is_string() && event["at"].as_str().unwrap().ends_with('Z'));
    }
    assert_eq!(log[2]["data_hash"], log[4]["data_hash"]);
    run(at, &["study", "log", "s.rfvm"]).success();
}

#[test]
fn a_study_without_waves_has_a_page_and_nothing_to_fit() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    begin_study(at, TESTS, &[]);
    run(at, &["study", "report", "s.rfvm", "-o", "s.html"]).success();
    let page = fs::read_to_string(at.join("s.html")).unwrap();
    assert!(page.contains("There is no wave yet") && !page.contains("NaN"));
    let text = mistake(at, &["study", "fit", "s.rfvm"]);
    assert!(
        text.contains("no subject has a known outcome yet"),
        "{text}"
    );
    assert_eq!(log(at).len(), 1);
}

#[test]
fn corrections_are_new_rows_and_change_what_is_known() {
    let folder = study();
    let at = folder.path();
    fs::write(
        at.join("fix.csv"),
        "subject,outcome,crp,mri\ns3,,9.5,\ns4,ill,,\n",
    )
    .unwrap();
    let text = mistake(at, &["study", "add", "s.rfvm", "fix.csv"]);
    assert!(
        text.contains("2 of its subjects are in the study already ('s3', 's4'); --update"),
        "{text}"
    );
    let added = json(
        at,
        &["study", "add", "s.rfvm", "fix.csv", "--update", "--json"],
    );
    assert_eq!(
        (&added["corrected"], &added["new_subjects"]),
        (&2.into(), &0.into())
    );
    let open = Study::open(&at.join("s.rfvm")).unwrap();
    let state = open.state().unwrap();
    assert_eq!(state.values[0][3], 9.5);
    assert_eq!(state.attribute("outcome")[4], "ill");
    assert_eq!(state.subjects.len(), 40);
    assert!(open.problems().unwrap().is_empty());
    drop(open);
    // The old value is still in the file, and no statement can take it out.
    let file = rusqlite::Connection::open(at.join("s.rfvm")).unwrap();
    let old: Vec<u8> = file
        .query_row(
            "SELECT data FROM measurement WHERE wave = 1 AND test = 'crp'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let old = f64::from_le_bytes(old[24..32].try_into().unwrap());
    assert!((old - 1.5).abs() < 1.1, "{old}");
    for table in [
        "event",
        "study",
        "panel",
        "test",
        "decision",
        "wave",
        "row",
        "measurement",
        "attribute",
        "fit",
        "advice",
    ] {
        let count: i64 = file
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                row.get(0)
            })
            .unwrap();
        if count > 0 {
            let error = file
                .execute(&format!("DELETE FROM {table}"), [])
                .unwrap_err()
                .to_string();
            assert!(error.contains("only grows"), "{table}: {error}");
        }
    }
}

#[test]
fn late_tests_retirement_and_return() {
    let folder = study();
    let at = folder.path();
    let rows: Vec<String> = (40..80).map(|n| format!("{},{}", row(n), n % 7)).collect();
    fs::write(
        at.join("w2.csv"),
        format!("{HEADER},late\n{}\n", rows.join("\n")),
    )
    .unwrap();
    let text = mistake(at, &["study", "add", "s.rfvm", "w2.csv"]);
    assert!(
        text.contains("1 columns are not in the catalogue ('late')"),
        "{text}"
    );
    fs::write(at.join("more.csv"), "test,cost\nlate,2\nmri,250\n").unwrap();
    let added = json(
        at,
        &[
            "study", "add", "s.rfvm", "w2.csv", "--tests", "more.csv", "--json",
        ],
    );
    assert_eq!(added["new_tests"], serde_json::json!(["late"]));
    let state = || Study::open(&at.join("s.rfvm")).unwrap().state().unwrap();
    assert_eq!(state().price(&state().active()).cost, 272.0);
    // With a generous margin whatever the model does not use goes, and comes back when it is freed.
    let advise = [
        "study",
        "advise",
        "s.rfvm",
        "--folds",
        "4",
        "--repeats",
        "1",
        "--size",
        "1",
        "--margin",
        "1",
        "--auc-margin",
        "1",
        "--quick",
        "--accept",
        "--json",
    ];
    let advice = json(at, &advise);
    let retired: Vec<&str> = advice["retirement"]["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_str().unwrap())
        .collect();
    assert!(
        retired.contains(&"ferritin") && !retired.contains(&"age"),
        "{retired:?}"
    );
    let in_use = state().active().len();
    assert_eq!(in_use, 5 - retired.len());
    // All outcomes have chosen what is left: nobody can judge it, and the advice is quoted instead.
    assert_eq!(advice["basis"]["judged_on"], "all_subjects");
    let fit = json(at, &["study", "fit", "s.rfvm", "--json"]);
    let summary = &fit["summary"];
    assert_eq!(summary["basis"]["judged_on"], "nobody");
    assert_eq!(summary["last_known"]["advice"], advice["event"]);
    let after = &advice["retirement"]["after"];
    assert!(after["auc"]["value"].is_f64() && summary["last_known"]["performance"] == *after);
    for unknown in [&fit["auc"], &summary["expected"], &fit["model"]["expected"]] {
        assert!(unknown.is_null(), "{unknown}");
    }
    assert_eq!(
        log(at).last().unwrap()["summary"]["basis"],
        summary["basis"]
    );
    let again = json(at, &advise);
    assert_eq!(again["retirement"]["tests"], serde_json::json!([]));
    assert!(again["everything"]["auc"].is_null() && again["frontier"]["best"].is_null());
    run(at, &["study", "report", "s.rfvm", "-o", "nobody.html"]).success();
    let page = fs::read_to_string(at.join("nobody.html")).unwrap();
    assert!(page.contains("no unbiased estimate yet") && !page.contains("NaN"));
    wave(at, "w3.csv", 80..90);
    run(
        at,
        &["study", "add", "s.rfvm", "w3.csv", "--free", "ferritin"],
    )
    .success();
    assert_eq!(state().active().len(), in_use + 1);
    wave(at, "w4.csv", 90..120);
    run(at, &["study", "add", "s.rfvm", "w4.csv"]).success();
    let fit = json(at, &["study", "fit", "s.rfvm", "--json"]);
    let summary = &fit["summary"];
    assert_eq!(summary["basis"]["judged_on"], "later_subjects");
    assert_eq!(summary["basis"]["subjects"], 40);
    assert_eq!(summary["basis"]["retired_after"], 2);
    assert_eq!(summary["basis"]["listed_with"], serde_json::json!([3]));
    assert!(fit["auc"]["mean"].as_f64().unwrap() > 0.7);
    assert_eq!(summary["expected"], fit["model"]["expected"]);
    assert!(summary["expected"]["loss"].as_f64() < summary["expected"]["base"].as_f64());
    assert!(fit["model"]["verdict"].is_null() && summary["caution"].is_null());
    // Only the fit on two waves came before others.
    let waves: Vec<Value> = summary["prospective"].as_array().unwrap().clone();
    let of = |key: &str| {
        waves
            .iter()
            .map(|w| w[key].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!((of("wave"), of("subjects")), (vec![3, 4], vec![10, 30]));
    assert!(waves[1]["performance"]["auc"]["value"].as_f64().unwrap() > 0.7);
    run(at, &["study", "log", "s.rfvm"])
        .success()
        .stdout(predicates::str::contains("on 40 later subjects"));
}

#[test]
fn mistakes_are_one_sentence_and_leave_the_file_as_it_was() {
    let folder = study();
    let at = folder.path();
    let before = fs::read(at.join("s.rfvm")).unwrap();
    let files = entries(at);
    wave(at, "again.csv", 0..40);
    wave(at, "new.csv", 50..60);
    fs::write(
        at.join("twice.csv"),
        format!("{HEADER}\n{}\n{}\n", row(50), row(50)),
    )
    .unwrap();
    fs::write(
        at.join("words.csv"),
        format!("{HEADER}\n{}\ns61,ill,north,lost,1,1,40,1\n", row(60)),
    )
    .unwrap();
    fs::write(
        at.join("infinite.csv"),
        format!("{HEADER}\n{}\ns61,ill,north,inf,1,1,40,1\n", row(60)),
    )
    .unwrap();
    fs::write(at.join("other.db"), "no database").unwrap();
    for (arguments, words) in [
        (
            vec!["add", "s.rfvm", "again.csv", "--update"],
            "is wave 1 of the study already",
        ),
        (
            vec!["add", "s.rfvm", "twice.csv"],
            "subject 's50' is there twice",
        ),
        (
            vec!["add", "s.rfvm", "words.csv"],
            "test 'crp' of subject 's61' is 'lost'",
        ),
        (vec!["add", "s.rfvm", "infinite.csv"], "infinite.csv"),
        (vec!["add", "s.rfvm", "absent.csv"], "absent.csv"),
        (
            vec!["add", "s.rfvm", "new.csv", "--keep", "glucose"],
            "no test 'glucose'",
        ),
        (vec!["add", "absent.rfvm", "w1.csv"], "no such file"),
        (vec!["fit", "other.db"], "not a study file"),
        (vec!["log", "other.db"], "not a study file"),
        (
            vec!["advise", "s.rfvm", "--margin", "NaN"],
            "the margin is NaN",
        ),
        (
            vec!["advise", "s.rfvm", "--folds", "30"],
            "30 folds need at least 60",
        ),
        (
            vec!["report", "s.rfvm", "-o", "nowhere/s.html"],
            "no folder nowhere",
        ),
        (
            vec![
                "init",
                "s.rfvm",
                "--tests",
                "tests.csv",
                "--outcome",
                "outcome",
            ],
            "never overwritten",
        ),
        (
            vec!["init", "n.rfvm", "--tests", "tests.csv", "--outcome", "crp"],
            "the outcome column 'crp' is also a test",
        ),
        (
            vec![
                "init",
                "n.rfvm",
                "--tests",
                "w1.csv",
                "--outcome",
                "outcome",
            ],
            "the column 'subject' means nothing",
        ),
    ] {
        let text = mistake(at, &[&["study"], &arguments[..]].concat());
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    assert_eq!(fs::read(at.join("s.rfvm")).unwrap(), before);
    assert!(!at.join("n.rfvm").exists());
    for name in [
        "again.csv",
        "new.csv",
        "twice.csv",
        "words.csv",
        "infinite.csv",
        "other.db",
    ] {
        fs::remove_file(at.join(name)).unwrap();
    }
    assert_eq!(entries(at), files);
}

#[test]
fn two_and_more_processes_on_one_file_lose_nothing() {
    let folder = study();
    let at = folder.path();
    let start = |arguments: &[&str]| study_command(at, arguments).spawn().unwrap();
    for n in 0..6 {
        wave(at, &format!("p{n}.csv"), 100 + 10 * n..110 + 10 * n);
    }
    let files: Vec<String> = (0..6).map(|n| format!("p{n}.csv")).collect();
    let mut children: Vec<_> = files
        .iter()
        .map(|file| start(&["add", "s.rfvm", file]))
        .collect();
    children.push(start(&["fit", "s.rfvm", "--repeats", "1"]));
    children.push(start(&[
        "advise",
        "s.rfvm",
        "--folds",
        "4",
        "--repeats",
        "1",
        "--quick",
    ]));
    children.push(start(&["log", "s.rfvm"]));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let study = Study::open(&at.join("s.rfvm")).unwrap();
    assert_eq!(study.problems().unwrap(), Vec::<String>::new());
    let state = study.state().unwrap();
    assert_eq!((state.waves, state.subjects.len()), (7, 100));
    let log = study.log().unwrap();
    assert_eq!(log.len(), 10);
    let waves: Vec<usize> = log
        .iter()
        .filter(|event| event.kind == "wave")
        .map(|event| event.wave)
        .collect();
    assert_eq!(waves, [1, 2, 3, 4, 5, 6, 7]);
}
