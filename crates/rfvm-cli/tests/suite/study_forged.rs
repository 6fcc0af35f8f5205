//! Studies that were changed behind the program's back: flipped bits, edited rows, chains made anew, full disks.

use std::fs;
use std::path::Path;

use crate::support::{begin_study, entries, json, mistake, run};
use rfvm_study::{Event, Study, StudyState};
use tempfile::TempDir;

/// A study of two waves and a fit.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    begin_study(at, "test,cost\ncrp,4\nferritin,6\n", &["--positive", "ill"]);
    for (name, subjects) in [("w1.csv", 0..30), ("w2.csv", 30..50)] {
        let row = |n: usize| {
            let (ill, noise) = (n % 2, (n * 37 % 101) as f64 / 50.0);
            let outcome = ["well", "ill"][ill];
            format!(
                "s{n},{outcome},{:.3},{noise:.3}\n",
                9.0 * ill as f64 + noise
            )
        };
        let rows: String = subjects.map(row).collect();
        let table = format!("subject,outcome,crp,ferritin\n{rows}");
        fs::write(at.join(name), table).unwrap();
        run(at, &["study", "add", "s.rfvm", name]).success();
    }
    let fit = [
        "study",
        "fit",
        "s.rfvm",
        "--repeats",
        "1",
        "--signatures",
        "1",
    ];
    run(at, &fit).success();
    folder
}

/// Everything that the program reads of a study.
fn told(study: &Study) -> (Vec<Event>, StudyState, Vec<String>) {
    let state = study.state().unwrap();
    (study.log().unwrap(), state, study.seals().unwrap())
}

/// `PartialEq` takes two gaps for different values.
fn without_gaps((log, mut state, seals): (Vec<Event>, StudyState, Vec<String>)) -> impl PartialEq {
    for value in state.values.iter_mut().flatten() {
        if value.is_nan() {
            *value = f64::MAX;
        }
    }
    (log, state, seals)
}

/// Each flip of one bit is refused, or changes nothing that the study says: room that no row takes, counters of SQLite.
fn flip_bits(flips: usize) {
    let folder = study();
    let at = folder.path().join("s.rfvm");
    let bytes = fs::read(&at).unwrap();
    let whole = without_gaps(told(&Study::open(&at).unwrap()));
    let changed = folder.path().join("changed.rfvm");
    let (mut refused, mut random) = (0, 0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..flips {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let bit = (random >> 16) as usize % (8 * bytes.len());
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&changed, &flipped).unwrap();
        match Study::open(&changed) {
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().contains('\n'), "bit {bit}: {error}");
            }
            Ok(study) => {
                let same = without_gaps(told(&study)) == whole;
                assert!(same, "bit {bit} went unnoticed");
            }
        }
    }
    // Most of so small a file is room that no row takes.
    assert!(
        10 * refused > flips,
        "only {refused} of {flips} were refused"
    );
}

#[test]
fn flipped_bits_are_refused_or_change_nothing() {
    flip_bits(500);
}

#[test]
#[ignore = "slow: ten thousand files"]
fn ten_thousand_flipped_bits_are_refused_or_change_nothing() {
    flip_bits(10_000);
}

/// Does something to a study that its triggers would refuse, and puts them back.
fn forge(at: &Path, table: &str, change: &str) {
    let connection = rusqlite::Connection::open(at).unwrap();
    let trigger = |kind: &str| -> String {
        let name = format!("{table}_no_{kind}");
        let query = "SELECT sql FROM sqlite_master WHERE name = ?1";
        connection
            .query_row(query, [name], |row| row.get(0))
            .unwrap()
    };
    let (update, delete) = (trigger("UPDATE"), trigger("DELETE"));
    let script = format!(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER {table}_no_UPDATE; DROP TRIGGER {table}_no_DELETE; {change}; {update}; {delete};"
    );
    connection.execute_batch(&script).unwrap();
}

#[test]
fn an_edited_study_is_refused_by_every_command() {
    for (table, change) in [
        (
            "measurement",
            "UPDATE measurement SET data = zeroblob(length(data)) WHERE wave = 1 AND test = 'crp'",
        ),
        (
            "row",
            "UPDATE row SET wave = 99 WHERE wave = 1 AND position = 0",
        ),
        ("event", "UPDATE event SET summary = '{}' WHERE id = 2"),
        (
            "decision",
            "INSERT INTO decision VALUES (1, 'crp', 'never')",
        ),
        ("fit", "UPDATE fit SET detail = '{}'"),
        (
            "event",
            "INSERT INTO event (kind, version, wave, data_hash, parameters, summary) VALUES ('fit', '1', 2, '', '{}', '{}')",
        ),
        ("attribute", "DELETE FROM attribute WHERE wave = 2"),
        ("wave", "UPDATE wave SET number = 77 WHERE number = 2"),
    ] {
        let folder = study();
        let at = folder.path();
        forge(&at.join("s.rfvm"), table, change);
        for command in ["check", "log", "fit", "advise"] {
            let error = mistake(at, &["study", command, "s.rfvm"]);
            assert!(
                error.contains("changed or damaged"),
                "{change}, {command}: {error}"
            );
        }
        let report = ["study", "report", "s.rfvm", "-o", "page.html"];
        assert!(mistake(at, &report).contains("changed or damaged"));
        assert!(!at.join("page.html").exists());
    }
    // A trigger that is gone is a change, too.
    let folder = study();
    let at = folder.path().join("s.rfvm");
    let connection = rusqlite::Connection::open(&at).unwrap();
    connection
        .execute_batch("DROP TRIGGER row_no_UPDATE")
        .unwrap();
    drop(connection);
    assert!(
        Study::open(&at)
            .unwrap_err()
            .to_string()
            .contains("changed or damaged")
    );
}

#[test]
fn a_seal_that_was_noted_shows_a_study_made_anew() {
    let folder = study();
    let at = folder.path();
    let found = json(at, &["study", "check", "s.rfvm", "--json"]);
    let seal = found["seal"].as_str().unwrap().to_string();
    assert_eq!((found["events"].as_u64(), seal.len()), (Some(4), 64));
    let log = json(at, &["study", "log", "s.rfvm", "--json"]);
    assert_eq!(log["log"][3]["seal"].as_str(), Some(seal.as_str()));
    let early = log["log"][1]["seal"].as_str().unwrap()[..12].to_string();
    let noted = json(
        at,
        &["study", "check", "s.rfvm", "--seal", &early, "--json"],
    );
    assert_eq!(noted["noted"].as_u64(), Some(2));
    assert!(mistake(at, &["study", "check", "s.rfvm", "--seal", "abc"]).contains("too short"));
    // The same rows, written at another time, are another chain.
    let other = study();
    let error = mistake(other.path(), &["study", "check", "s.rfvm", "--seal", &seal]);
    assert!(error.contains("no event has the seal"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_study_that_finds_no_room_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tests: String = (0..2000).map(|d| format!("test{d},1\n")).collect();
    let tests = format!("test,cost\n{tests}");
    fs::write(at.join("tests.csv"), &tests).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("rfvm").display().to_string();
    // A limit on the length of files stands in for a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 32; exec '{program}' study init s.rfvm --tests tests.csv --outcome y"
    );
    let output = std::process::Command::new("bash")
        .current_dir(at)
        .args(["-c", &script])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(entries(at), ["tests.csv"], "{said}");
    begin_study(at, &tests, &[]);
}
