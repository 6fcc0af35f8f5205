//! Numbers with marks, as laboratories write them: no column vanishes because of them.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use rfvm_io::{
    BeyondLimit, FeatureChoice, IoError, Loaded, ReadOptions, TargetChoice, load_dataset,
};
use tempfile::TempDir;

/// 40 samples; every `each`-th value of `crp` is below its limit of detection.
fn study(folder: &TempDir, each: usize) -> PathBuf {
    let mut text = String::from("id,class,sex,age,crp,share,cells,remark\n");
    for n in 0..40 {
        let class = ["control", "case"][n % 2];
        let crp = match n % each {
            0 => "<0.1".to_string(),
            rest => format!("{rest}.5"),
        };
        let remark = if n % 3 == 0 { "haemolytic" } else { "7" };
        let sex = ["f", "m"][n / 2 % 2];
        writeln!(
            text,
            "p{n},{class},{sex},{},{crp},{n}%,\"1,{:03}\",{remark}",
            30 + n,
            n
        )
        .unwrap();
    }
    let path = folder.path().join("study.csv");
    fs::write(&path, text).unwrap();
    path
}

fn load(
    path: &PathBuf,
    column: &str,
    options: &ReadOptions,
    features: &FeatureChoice,
) -> Result<Loaded, IoError> {
    let target = TargetChoice {
        column: Some(column.into()),
        ..TargetChoice::default()
    };
    load_dataset(std::slice::from_ref(path), options, &target, features)
}

fn without(columns: &[&str]) -> FeatureChoice {
    FeatureChoice {
        drop: columns.iter().map(|name| name.to_string()).collect(),
        ..FeatureChoice::default()
    }
}

fn below(meaning: BeyondLimit) -> ReadOptions {
    ReadOptions {
        below: Some(meaning),
        ..ReadOptions::default()
    }
}

#[test]
fn a_column_of_marked_numbers_is_asked_about_and_then_used() {
    let folder = TempDir::new().unwrap();
    // In many cells, where the column looks like text, and in few, where they look like mistakes.
    for each in [3, 39] {
        let path = study(&folder, each);
        let mut options = ReadOptions::default();
        let mut drop = Vec::new();
        for (column, words, way) in [
            ("crp", "limit of detection", "--below half"),
            ("share", "percentage", "--percent"),
            ("cells", "thousands", "--thousands"),
        ] {
            let told = load(&path, "class", &options, &without(&drop))
                .unwrap_err()
                .to_string();
            let (words, way) = (told.contains(words), told.contains(way));
            assert!(words && way && told.contains(column), "{each}: {told}");
            match column {
                "crp" => options.below = Some(BeyondLimit::Half),
                "share" => options.percent = true,
                _ => drop.push("cells"),
            }
        }
        let read = load(&path, "class", &options, &without(&drop)).unwrap();
        let table = read.data.table();
        let names = Vec::from_iter(table.feature_names().iter());
        assert_eq!(names, ["age", "crp", "share"], "{each}");
        assert_eq!(table.feature(1)[..2], [0.05, 1.5]);
        assert_eq!(table.feature(2)[3], 0.03);
        // What is left out is said, with the reason.
        let notes = read.notes.join("\n");
        assert!(notes.contains("not used as features: 'sex'"), "{notes}");
        assert!(
            notes.contains("'remark' (text such as 'haemolytic' in 14 of 40 values)"),
            "{notes}"
        );
        options.thousands = true;
        let read = load(&path, "class", &options, &without(&[])).unwrap();
        let table = read.data.table();
        assert_eq!(table.feature(3)[7], 1007.0);
    }
}

#[test]
fn a_text_column_that_is_asked_for_is_not_denied() {
    let folder = TempDir::new().unwrap();
    let path = study(&folder, 39);
    let features = FeatureChoice {
        only: Some(vec!["sex".into()]),
        ..without(&["crp", "share", "cells"])
    };
    let told = load(&path, "class", &below(BeyondLimit::Missing), &features).unwrap_err();
    assert!(
        told.to_string().contains("'sex' is a column of text"),
        "{told}"
    );
}

#[test]
fn many_numbers_as_classes_are_a_regression() {
    let folder = TempDir::new().unwrap();
    let path = study(&folder, 39);
    let features = without(&["share", "cells"]);
    let told = load(&path, "age", &below(BeyondLimit::Limit), &features).unwrap_err();
    assert!(told.to_string().contains("--task regression"), "{told}");
}
