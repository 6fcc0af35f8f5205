//! What looks too good to be true is told: leaks, batches, panels chosen on the same data; and what is read from a pipe.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use crate::support::{json, mistake, run, samples_as_rows, study, value};
use serde_json::Value;
use tempfile::TempDir;

/// Eighty samples of eight plates that shift all features; most of a plate are of one class, and nothing else tells it.
fn confounded() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,class,plate");
    (0..40).for_each(|d| write!(text, ",g{d}").unwrap());
    for n in 0..80 {
        let plate = n / 10;
        let class = ["control", "case"][(plate + usize::from(n % 5 == 0)) % 2];
        write!(text, "\np{n},{class},plate{plate}").unwrap();
        for d in 0..40 {
            let noise = ((n * 7919 + d * 104_729 + n * d * 31) % 1000) as f64 / 500.0 - 1.0;
            let shift = ((plate * 37 + d * 101) % 17) as f64 / 4.0;
            write!(text, ",{:.4}", noise + shift).unwrap();
        }
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    folder
}

fn kinds(warnings: &Value) -> Vec<&str> {
    let warnings = warnings.as_array().unwrap().iter();
    warnings.map(|one| one["kind"].as_str().unwrap()).collect()
}

fn notes(folder: &TempDir, arguments: &[&str]) -> String {
    let done = run(folder.path(), arguments).success();
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

const EVALUATE: [&str; 6] = ["evaluate", "t.csv", "--target", "class", "--repeats", "2"];

#[test]
fn a_batch_that_tells_the_class_is_told_and_held_out() {
    let folder = confounded();
    let at = folder.path();
    for command in [
        &["peek", "t.csv"][..],
        &["peek", "t.csv", "--target", "class"],
    ] {
        let peek = json(at, &[command, &["--json"]].concat());
        assert_eq!(kinds(&peek["warnings"]), ["batch"], "{command:?}");
        assert_eq!(peek["unused"][0]["reason"], "text");
    }
    let told = notes(
        &folder,
        &["fit", "t.csv", "--target", "class", "-o", "m.json"],
    );
    assert!(told.contains("'plate' (8 values) hang together"), "{told}");
    assert_eq!(
        kinds(&json(at, &["inspect", "m.json", "--json"])["warnings"]),
        ["batch"]
    );
    let shown = run(at, &["inspect", "m.json"]).success();
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(
        shown.contains("'plate' (text)") && shown.contains("To be checked:"),
        "{shown}"
    );

    let evaluation = json(at, &[&EVALUATE[..], &["--json"]].concat());
    let [held, plain] = [0, 1].map(|i| evaluation["held_out"]["auc"][i].as_f64().unwrap());
    assert!(plain > 0.7 && held < plain - 0.1, "{plain} {held}");
    assert_eq!(kinds(&evaluation["warnings"]), ["batch", "batch_held_out"]);
    let told = notes(&folder, &EVALUATE);
    assert!(
        told.contains("when whole batches ('plate', 8 values) are held out"),
        "{told}"
    );
    let none = json(
        at,
        &[&EVALUATE[..], &["--json", "--no-batch-check"]].concat(),
    );
    assert!(none["held_out"].is_null());
    fs::write(at.join("e.json"), evaluation.to_string()).unwrap();
    let report = [
        "report",
        "m.json",
        "t.csv",
        "--target",
        "class",
        "--evaluation",
        "e.json",
        "-o",
        "r.html",
    ];
    run(at, &report).success();
    let page = fs::read_to_string(at.join("r.html")).unwrap();
    for words in [
        "To be checked. ",
        "Batches held out",
        "what the model has learned may be the batch",
        "Columns not used",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let wrong = mistake(at, &[&EVALUATE[..], &["--batch", "ward"]].concat());
    assert!(wrong.contains("there is no column 'ward'"), "{wrong}");
}

#[test]
fn a_leak_is_told_and_a_sound_table_is_not_suspected() {
    let folder = study();
    let at = folder.path();
    let fit = ["fit", "table.csv", "--target", "outcome", "--json"];
    // The feature that tells these classes is strong enough to ask about; nothing else is.
    assert_eq!(kinds(&json(at, &fit)["warnings"]), ["single_feature"]);
    let rows = samples_as_rows();
    let mut lines = rows.lines();
    let mut text = format!("{},coded\n", lines.next().unwrap());
    for (n, line) in lines.enumerate() {
        writeln!(text, "{line},{}", 5 - 3 * (n % 2)).unwrap();
    }
    fs::write(at.join("leaky.csv"), text).unwrap();
    let told = notes(
        &folder,
        &["fit", "leaky.csv", "--target", "outcome", "--drop", "g3"],
    );
    assert!(
        told.contains("feature 'coded' says what the target says"),
        "{told}"
    );
}

#[test]
fn a_panel_says_where_it_came_from_or_is_doubted() {
    let folder = study();
    let at = folder.path();
    let fit = [
        "fit",
        "table.csv",
        "--target",
        "outcome",
        "--features",
        "g1,g2,g3",
        "-o",
        "m.json",
    ];
    let words =
        "the panel was given; if it was chosen on these data, what is claimed here is too good";
    assert!(notes(&folder, &fit).contains(words));
    let table = [
        "m.json",
        "table.csv",
        "--target",
        "outcome",
        "--features",
        "g1,g2,g3",
    ];
    run(at, &[&["report"], &table[..], &["-o", "r.html"]].concat()).success();
    assert!(
        fs::read_to_string(at.join("r.html"))
            .unwrap()
            .contains("if it was chosen on these data")
    );
    let from = ["--panel-from", "Smith 2019, table 2"];
    assert!(!notes(&folder, &[&fit[..], &from].concat()).contains("too good"));
    let model = json(at, &["inspect", "m.json", "--json"]);
    assert_eq!(model["training"]["panel"]["from"], from[1]);
    run(
        at,
        &[&["report"], &table[..], &from, &["-o", "r.html"]].concat(),
    )
    .success();
    let page = fs::read_to_string(at.join("r.html")).unwrap();
    assert!(page.contains("Smith 2019") && !page.contains("is too good"));
    let evaluate = [
        "evaluate",
        "table.csv",
        "--target",
        "outcome",
        "--features",
        "g1,g3",
        "--repeats",
        "1",
    ];
    let said = run(at, &[&evaluate[..], &from].concat()).success();
    let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    assert!(
        said.contains("it came from: Smith 2019") && !said.contains("too good"),
        "{said}"
    );
    let said = run(at, &evaluate).success();
    assert!(String::from_utf8_lossy(&said.get_output().stdout).contains("all of this is too good"));
}

#[test]
fn a_report_on_other_data_says_so_and_advises_no_fit_there() {
    let folder = study();
    let at = folder.path();
    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "m.json"],
    )
    .success();
    let few: String = samples_as_rows()
        .lines()
        .take(31)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(at.join("few.csv"), few).unwrap();
    run(
        at,
        &[
            "report", "m.json", "few.csv", "--target", "outcome", "-o", "r.html",
        ],
    )
    .success();
    let page = fs::read_to_string(at.join("r.html")).unwrap();
    assert!(page.contains("Other data.") && page.contains("which it was not fitted on"));
    for words in [
        "on the data that it was fitted on",
        "Run rfvm evaluate",
        "--drop can tell",
        "--permuted 20",
        "flatters it",
        "evaluate the model:",
    ] {
        assert!(!page.contains(words), "{words}");
    }
}

#[test]
fn a_table_may_come_through_a_pipe_and_the_answer_go_into_a_closed_one() {
    let folder = study();
    let at = folder.path();
    let program = assert_cmd::cargo::cargo_bin!("rfvm");
    let piped = |arguments: &[&str], input: &str| {
        let table = fs::File::open(at.join(input)).unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(at)
            .args(arguments)
            .stdin(table)
            .output()
            .unwrap()
    };
    let fit = ["fit", "-", "--target", "outcome", "--json"];
    let same = json(at, &["fit", "table.csv", "--target", "outcome", "--json"]);
    let found: Value = serde_json::from_slice(&piped(&fit, "table.csv").stdout).unwrap();
    assert_eq!(found["features"], same["features"]);
    assert_eq!(
        piped(&["peek", "-", "--target", "outcome"], "table.csv")
            .status
            .code(),
        Some(0)
    );
    fs::write(at.join("empty"), "").unwrap();
    let told = piped(&["peek", "-"], "empty");
    let told = (told.status.code(), String::from_utf8(told.stderr).unwrap());
    assert_eq!(told.0, Some(2));
    assert!(
        told.1.starts_with("rfvm: cannot read standard input: "),
        "{}",
        told.1
    );

    run(
        at,
        &["fit", "table.csv", "--target", "outcome", "-o", "m.json"],
    )
    .success();
    let mut many = String::from("id");
    (0..30).for_each(|d| write!(many, ",g{d}").unwrap());
    for n in 0..4000 {
        write!(many, "\nq{n}").unwrap();
        (0..30).for_each(|d| write!(many, ",{}", value(n, d)).unwrap());
    }
    fs::write(at.join("many.csv"), many).unwrap();
    for arguments in [
        &["predict", "m.json", "many.csv"][..],
        &["predict", "m.json", "many.csv", "--json"],
        &["inspect", "m.json", "--json"],
        &["evaluate", "--help"],
        &["man"],
    ] {
        let mut command = Command::new(program);
        let mut child = command
            .current_dir(at)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        let told: String = told
            .lines()
            .filter(|line| !line.starts_with("rfvm: note: "))
            .collect();
        assert_eq!(
            (ended.status.code(), told.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}
