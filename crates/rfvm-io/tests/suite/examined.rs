//! What a second look at the data finds, and what becomes of the columns that are not used.

use std::fmt::Write as _;
use std::fs;

use rfvm::WarningKind;
use rfvm_io::{FeatureChoice, Loaded, ReadOptions, TargetChoice, load_dataset};
use tempfile::TempDir;

/// 40 samples; `more` adds columns for a sample and its class.
fn study(
    folder: &TempDir,
    header: &str,
    more: impl Fn(usize, usize) -> String,
) -> Vec<std::path::PathBuf> {
    let mut text = format!("id,class,g1,g2,flat{header}\n");
    for n in 0..40 {
        let (class, noise) = (n % 2, (n * 7919 % 1000) as f64 / 500.0);
        let name = ["control", "case"][class];
        writeln!(
            text,
            "p{n},{name},{noise},{},4{}",
            n * 31 % 17,
            more(n, class)
        )
        .unwrap();
    }
    let path = folder.path().join("study.csv");
    fs::write(&path, text).unwrap();
    vec![path]
}

fn by(column: &str) -> TargetChoice {
    TargetChoice {
        column: Some(column.into()),
        ..TargetChoice::default()
    }
}

fn load(paths: &[std::path::PathBuf], target: &TargetChoice, features: &FeatureChoice) -> Loaded {
    let mut loaded = load_dataset(paths, &ReadOptions::default(), target, features).unwrap();
    loaded.examine();
    loaded
}

fn told(loaded: &Loaded) -> Vec<(WarningKind, &str)> {
    let warnings = loaded.provenance.warnings.iter();
    warnings
        .map(|one| (one.kind, one.columns[0].as_str()))
        .collect()
}

#[test]
fn leaks_and_batches_are_told_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let plain = FeatureChoice::default();
    let sound = study(&folder, ",site,sex", |n, _| {
        format!(",s{},{}", n / 2 % 3, ["f", "m"][n / 4 % 2])
    });
    let loaded = load(&sound, &by("class"), &plain);
    assert_eq!(told(&loaded), []);
    assert_eq!(loaded.batches[0].name, "site");
    let leaky = study(&folder, ",Diagnosis,code,Plate.ID", |n, class| {
        format!(
            ",d{class}{},{},{}",
            n % 3,
            1 + class,
            10 + class * 2 + usize::from(n % 10 == class)
        )
    });
    let found = load(&leaky, &by("class"), &plain);
    let right = [
        (WarningKind::CopyOfTarget, "code"),
        (WarningKind::TextTellsTarget, "Diagnosis"),
        (WarningKind::Batch, "Plate.ID"),
    ];
    assert_eq!(told(&found), right);
    // The batch by its name, which is then no feature.
    let named = TargetChoice {
        batch: Some("g2".into()),
        ..by("class")
    };
    let named = load(&leaky, &named, &plain);
    assert_eq!(
        (named.batches.len(), named.batches[0].name.as_str()),
        (1, "g2")
    );
    let found = named.data.table().find_features(&["g2".into()]);
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn every_column_that_is_not_used_has_a_reason() {
    let folder = TempDir::new().unwrap();
    let paths = study(&folder, ",sex,remark,empty", |n, _| {
        format!(
            ",{},{},",
            ["f", "m"][n % 2],
            ["7", "late"][usize::from(n % 5 == 0)]
        )
    });
    let labels = folder.path().join("labels.csv");
    let rows = (0..40).rev().filter(|n| *n != 7);
    let rows: String = rows
        .map(|n| format!("p{n},{},batch{},{n}\n", ["no", "yes"][n / 3 % 2], n % 4))
        .collect();
    fs::write(&labels, format!("sample,event,batch,age\n{rows}")).unwrap();
    let target = TargetChoice {
        labels: Some(labels),
        ..by("event")
    };
    let features = FeatureChoice {
        drop: vec!["g1".into()],
        ..FeatureChoice::default()
    };
    let loaded = load(&paths, &target, &features);
    let unused = loaded.provenance.unused.iter();
    let mut unused: Vec<String> = unused
        .map(|columns| format!("{}: {}", columns.reason, columns.columns.join(" ")))
        .collect();
    unused.sort();
    let right = [
        "constant: flat",
        "empty: empty",
        "in the label file: batch age",
        "left out with --drop: g1",
        "text such as 'late' in 8 of 40 values: remark",
        "text: class sex",
    ];
    for reason in right {
        assert!(unused.contains(&reason.to_string()), "{reason}: {unused:?}");
    }
    // The label file's batch is known, in the order of the table, without the sample that has no label.
    assert_eq!(loaded.data.table().samples(), 39);
    assert_eq!(
        (
            loaded.batches[0].name.as_str(),
            loaded.batches[0].values[7].as_str()
        ),
        ("batch", "batch0")
    );
    let note = loaded
        .notes
        .iter()
        .find(|note| note.starts_with("not used"))
        .unwrap();
    assert!(
        note.contains("'batch', 'age' (in the label file)"),
        "{note}"
    );
    assert!(
        !note.contains("g1"),
        "what was asked for needs not be told: {note}"
    );
    // A group of the label file.
    let grouped = TargetChoice {
        group: Some("batch".into()),
        ..target
    };
    assert_eq!(
        load(&paths, &grouped, &features).data.groups().unwrap()[..3],
        [0, 1, 2]
    );
}

#[test]
fn a_dropped_column_may_hold_what_would_be_a_mistake() {
    let folder = TempDir::new().unwrap();
    let crp = |n: usize| {
        if n == 20 {
            "<0.1".to_string()
        } else {
            format!("{n}.5")
        }
    };
    let paths = study(&folder, ",crp", |n, _| format!(",{}", crp(n)));
    let refused = load_dataset(
        &paths,
        &ReadOptions::default(),
        &by("class"),
        &FeatureChoice::default(),
    );
    let told = refused.unwrap_err().to_string();
    assert!(
        told.contains("--below") && told.contains("--drop"),
        "{told}"
    );
    let drop = FeatureChoice {
        drop: vec!["crp".into()],
        ..FeatureChoice::default()
    };
    let loaded = load(&paths, &by("class"), &drop);
    assert_eq!(
        Vec::from_iter(loaded.data.table().feature_names().iter()),
        ["g1", "g2", "flat"]
    );
    // The same with features as rows.
    let names: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let row = |name: &str, cell: &dyn Fn(usize) -> String| {
        format!(
            "{name},{}\n",
            (0..40).map(cell).collect::<Vec<_>>().join(",")
        )
    };
    let text = format!("gene,{}\n", names.join(","))
        + &row("class", &|n| ["control", "case"][n % 2].to_string())
        + &row("g1", &|n| format!("{}", n * 7 % 11))
        + &row("g2", &|n| format!("{}", n * 5 % 13))
        + &row("crp", &crp);
    let path = folder.path().join("turned.csv");
    fs::write(&path, text).unwrap();
    let turned = [path];
    assert!(
        load_dataset(
            &turned,
            &ReadOptions::default(),
            &by("class"),
            &FeatureChoice::default()
        )
        .is_err()
    );
    assert_eq!(
        load(&turned, &by("class"), &drop).data.table().features(),
        2
    );
}
