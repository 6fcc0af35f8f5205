//! A target of several classes: one panel for all of them, from the fit to the page.

use std::fs;
use std::path::Path;

use crate::support::{json, mistake, run};
use tempfile::TempDir;

/// 60 samples of three tissues, of which g0, g1 and g2 tell one each.
fn table() -> String {
    let value = |n: usize, d: usize| {
        let noise = ((n * 7919 + d * 104_729 + n * d * 31) % 1000) as f64 / 500.0 - 1.0;
        noise + if d == n % 3 { 2.5 } else { 0.0 }
    };
    let header: Vec<String> = (0..25).map(|d| format!("g{d}")).collect();
    let mut text = format!("id,tissue,{}\n", header.join(","));
    for n in 0..60 {
        let cells: Vec<String> = (0..25).map(|d| format!("{:.4}", value(n, d))).collect();
        let tissue = ["brain", "liver", "lung"][n % 3];
        text += &format!("p{n},{tissue},{}\n", cells.join(","));
    }
    text
}

const TARGET: [&str; 3] = ["table.csv", "--target", "tissue"];

fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.csv"), table()).unwrap();
    folder
}

fn fit(at: &Path) {
    let arguments = [&["fit"], &TARGET[..], &["--size", "3", "-o", "model.json"]].concat();
    let fitted = run(at, &arguments).success();
    let text = String::from_utf8(fitted.get_output().stdout.clone()).unwrap();
    assert!(text.contains("(20 brain, 20 liver, 20 lung)"), "{text}");
    assert!(
        text.contains("One panel for 3 classes: 3 feature(s)"),
        "{text}"
    );
    for words in [
        "g0",
        "g1",
        "g2",
        "Above 0, a high value speaks for the class",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let told = String::from_utf8(fitted.get_output().stderr.clone()).unwrap();
    assert!(
        told.contains("3 classes (20 brain, 20 liver, 20 lung)"),
        "{told}"
    );
}

#[test]
fn a_model_is_fitted_inspected_and_predicts_every_class() {
    let folder = study();
    let at = folder.path();
    fit(at);
    let inspected = json(at, &["inspect", "model.json", "--json"]);
    assert_eq!(inspected["classes"].as_array().unwrap().len(), 3);
    assert_eq!(
        inspected["features"][0]["weights"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(inspected["per_class"][2]["class"], "lung");

    run(
        at,
        &["predict", "model.json", "table.csv", "-o", "said.csv"],
    )
    .success();
    let said = fs::read_to_string(at.join("said.csv")).unwrap();
    let mut lines = said.lines();
    assert_eq!(
        lines.next().unwrap(),
        "sample,class,probability_brain,probability_liver,probability_lung,unlike_training"
    );
    let mut right = 0;
    for (n, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let probability: Vec<f64> = cells[2..5]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect();
        assert!(
            (probability.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{line}"
        );
        right += usize::from(cells[1] == ["brain", "liver", "lung"][n % 3]);
    }
    assert!(right > 54, "{right}");
    let printed = json(at, &["predict", "model.json", "table.csv", "--json"]);
    assert_eq!(
        printed["predictions"][0]["probability"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn what_is_known_of_features_goes_along() {
    let folder = study();
    let at = folder.path();
    fs::write(at.join("prices.csv"), "name,price\ng0,4\ng1,2.5\ng2,1\n").unwrap();
    fs::write(at.join("kits.gmt"), "kit\t\tg0\tg1\n").unwrap();
    fs::write(at.join("genes.csv"), "name,symbol\ng0,TP53\ng1,MYC\n").unwrap();
    let known = [
        "--cost",
        "prices.csv",
        "--panels",
        "kits.gmt",
        "--annotation",
        "genes.csv",
    ];
    let three = ["--size", "3", "-o", "model.json"];
    let fitted = run(at, &[&["fit"], &TARGET[..], &three, &known].concat()).success();
    let text = String::from_utf8(fitted.get_output().stdout.clone()).unwrap();
    for words in ["TP53", "price", "The model's features cost 5.00 a sample"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let inspected = json(at, &["inspect", "model.json", "--json"]);
    // The kit is paid for once, at the price of its dearest feature.
    assert_eq!(inspected["cost"], 5.0);
    let features = inspected["features"].as_array().unwrap();
    let named = |name: &str| features.iter().find(|own| own["name"] == name).unwrap();
    assert_eq!(
        (
            &named("g1")["panel"],
            &named("g1")["annotation"]["symbol"],
            &named("g2")["price"]
        ),
        (&"kit".into(), &"MYC".into(), &1.0.into())
    );
    let path = [&["path"], &TARGET[..], &["--size", "3", "--json"], &known].concat();
    let path = json(at, &path);
    assert_eq!(path["points"][2]["cost"], 5.0);
}

#[test]
fn the_path_and_the_evaluation_are_of_all_classes_and_the_report_shows_them() {
    let folder = study();
    let at = folder.path();
    fit(at);
    let path = json(at, &[&["path"], &TARGET[..], &["--json"]].concat());
    assert_eq!(path["verdict"], "signal");
    assert_eq!(path["points"][2]["size"], 3);
    assert!(path["base_log_loss"].as_f64().unwrap() > 1.0);

    let evaluate = [
        "--size",
        "3",
        "--repeats",
        "1",
        "--cv",
        "3",
        "-o",
        "found.json",
    ];
    let printed = run(at, &[&["evaluate"], &TARGET[..], &evaluate].concat()).success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    for words in [
        "accuracy",
        "macro AUC",
        "log loss",
        "Each class against the rest",
        "taken for",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let found: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("found.json")).unwrap()).unwrap();
    assert!(found["accuracy"]["mean"].as_f64().unwrap() > 0.9, "{text}");
    assert!(found["macro_auc"]["low"].as_f64().unwrap() > 0.5);
    let total: f64 = (found["confusion"].as_array().unwrap().iter())
        .flat_map(|row| row.as_array().unwrap())
        .map(|count| count.as_f64().unwrap())
        .sum();
    assert_eq!(total, 60.0);

    let report = ["report", "model.json", "table.csv", "--target", "tissue"];
    let with = [
        &report[..],
        &["--evaluation", "found.json", "-o", "page.html"],
    ]
    .concat();
    run(at, &with).success();
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    for words in [
        "Confusion matrix",
        "weight, liver",
        "taken for lung",
        "Each class against the rest",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // An evaluation of other classes is refused.
    let other = table().replace("lung", "heart");
    fs::write(at.join("other.csv"), other).unwrap();
    let told = mistake(
        at,
        &[
            "report",
            "model.json",
            "other.csv",
            "--target",
            "tissue",
            "-o",
            "p.html",
        ],
    );
    assert!(told.contains("the model's classes are 'brain'"), "{told}");
}

#[test]
fn what_is_for_two_classes_alone_is_refused_by_name() {
    let folder = study();
    let at = folder.path();
    fit(at);
    let predict = ["predict", "model.json", "table.csv"];
    for option in [
        &["--explain"][..],
        &["--reject"],
        &["--missing", "integrate"],
    ] {
        let told = mistake(at, &[&predict[..], option].concat());
        assert!(
            told.starts_with(option[0]) && told.contains("3 classes"),
            "{told}"
        );
    }
    for option in [
        &["--permuted", "1"][..],
        &["--threshold", "0.3"],
        &["--sensitivity", "0.9"],
        &["--figures", "figures"],
    ] {
        let evaluate = [&["evaluate"], &TARGET[..], option].concat();
        let told = mistake(at, &evaluate);
        assert!(
            told.starts_with(option[0]) && told.contains("--positive"),
            "{told}"
        );
    }
    let validate = ["validate", "model.json", "table.csv", "--target", "tissue"];
    let export = ["export", "model.json", "--format", "text"];
    for arguments in [&validate[..], &export] {
        let told = mistake(at, arguments);
        assert!(told.contains("tells 3 classes apart"), "{told}");
    }
    let evaluate = [
        "--size",
        "3",
        "--repeats",
        "1",
        "--cv",
        "2",
        "-o",
        "found.json",
    ];
    run(at, &[&["evaluate"], &TARGET[..], &evaluate].concat()).success();
    let told = mistake(at, &["compare", "found.json", "found.json"]);
    assert!(told.contains("an evaluation of several classes"), "{told}");
    let told = mistake(
        at,
        &[&["fit"], &TARGET[..], &["--class-weight", "1,2"]].concat(),
    );
    assert!(told.contains("class_weight"), "{told}");
    run(
        at,
        &[
            &["fit"],
            &TARGET[..],
            &["--class-weight", "balanced", "--size", "2"],
        ]
        .concat(),
    )
    .success();
}
