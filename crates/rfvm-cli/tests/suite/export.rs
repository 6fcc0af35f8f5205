//! `rfvm predict --explain` and `--reject`, and `rfvm export`: what a paper and a bedside need of a model.

use std::fs;
use std::path::Path;

use crate::support::{fit_model, json, mistake, refused, run, study};

fn fitted() -> tempfile::TempDir {
    let folder = study();
    fit_model(folder.path());
    folder
}

fn printed(at: &Path, arguments: &[&str]) -> String {
    let assert = run(at, arguments).success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

const PREDICT: [&str; 3] = ["predict", "model.json", "table.csv"];

#[test]
fn contributions_add_up_in_the_table_and_in_json() {
    let folder = fitted();
    let at = folder.path();
    let text = printed(at, &[&PREDICT[..], &["--explain"]].concat());
    let mut lines = text.lines();
    let head = "sample,feature,value,contribution,95 % from,to";
    assert_eq!(lines.next(), Some(head));
    let found = json(at, &[&PREDICT[..], &["--explain", "--json"]].concat());
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for row in found["predictions"].as_array().unwrap() {
        let own: Vec<_> = (rows.iter())
            .filter(|cells| row["sample"] == cells[0])
            .collect();
        let sum: f64 = own
            .iter()
            .map(|cells| cells[3].parse::<f64>().unwrap())
            .sum();
        assert!((sum - row["mean"].as_f64().unwrap()).abs() < 1e-12);
        let last = own.last().unwrap();
        assert_eq!(last[1], "(average training sample)");
        let parts = row["explanation"].as_array().unwrap();
        assert_eq!(parts.last().unwrap()["part"], "base");
        assert_eq!(parts[0]["feature"], "g3");
    }
    let told = printed(
        at,
        &[&PREDICT[..], &["--explain", "-o", "why.csv"]].concat(),
    );
    assert_eq!(told, "40 explanations written: why.csv\n");
    assert_eq!(fs::read_to_string(at.join("why.csv")).unwrap(), text);
}

#[test]
fn the_class_stays_where_the_model_abstains() {
    let folder = fitted();
    let at = folder.path();
    let plain = printed(at, &PREDICT);
    for (level, more) in [(0.95, vec!["--reject"]), (0.5, vec!["--reject", "0.5"])] {
        let text = printed(at, &[&PREDICT[..], &more].concat());
        let found = json(at, &[&PREDICT[..], &more, &["--json"]].concat());
        assert_eq!(found["level"], level);
        let rows = found["predictions"].as_array().unwrap();
        for ((line, before), row) in text.lines().zip(plain.lines()).skip(1).zip(rows) {
            assert!(line.starts_with(before), "{line}");
            let cells: Vec<&str> = line.split(',').collect();
            let end = |at: usize| cells[at].parse::<f64>().unwrap();
            let abstains = end(6) <= 0.5 && 0.5 <= end(7);
            assert_eq!(cells[8], if abstains { "yes" } else { "no" });
            assert_eq!(row["abstain"], abstains);
        }
        assert!(text.starts_with(
            "sample,class,probability_ill,mean,sd,unlike_training,probability_from,probability_to,abstain\n"
        ));
    }
    let wrong = mistake(at, &[&PREDICT[..], &["--reject", "95"]].concat());
    assert!(wrong.contains("0.95 for 95 %"), "{wrong}");
    let evaluate = ["evaluate", "table.csv", "--target", "outcome", "--cv", "4"];
    let more = ["--repeats", "1", "--size", "compact", "-o", "e.json"];
    let text = printed(at, &[&evaluate[..], &more].concat());
    assert!(text.contains("coverage (not abstained on)"), "{text}");
    let kept: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("e.json")).unwrap()).unwrap();
    let coverage = kept["rejection"]["coverage"]["mean"].as_f64().unwrap();
    assert!(text.contains(&format!("{coverage:.4}")), "{coverage}");
}

#[test]
fn a_model_is_written_in_every_format() {
    let folder = fitted();
    let at = folder.path();
    for (format, words) in [
        ("text", "1 / (1 + exp(-log odds))"),
        ("latex", "P(\\text{ill}) &="),
        ("points", "probability of ill"),
        ("pmml", "<RegressionModel modelName=\"rfvm\""),
        ("html", "<form id=\"calculator\""),
    ] {
        let text = printed(at, &["export", "model.json", "--format", format]);
        assert!(
            text.contains(words) && text.contains("g3"),
            "{format}: {text}"
        );
        assert!(!text.contains("NaN"), "{format}");
        let told = printed(at, &["export", "model.json", "-f", format, "-o", "x"]);
        assert_eq!(told, "Written: x\n");
        assert_eq!(fs::read_to_string(at.join("x")).unwrap(), text);
    }
    let on = [
        "export",
        "model.json",
        "-f",
        "points",
        "table.csv",
        "--target",
        "outcome",
    ];
    let text = printed(at, &on);
    assert!(text.contains("AUC     : model 1.0000, points "), "{text}");
    let found = json(at, &[&on[..], &["--json"]].concat());
    let correlation = found["loss"]["correlation"].as_f64().unwrap();
    assert!(correlation > 0.9 && correlation < 1.0, "{correlation}");
    assert!(text.contains(&format!("{correlation:.4}")));
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let folder = fitted();
    let at = folder.path();
    let export = ["export", "model.json", "--format", "html"];
    refused(
        at,
        &[&export[..], &["table.csv"]].concat(),
        &["takes no table"],
    );
    // More features than anyone would enter.
    let wide: String = (0..40)
        .map(|n| {
            let cells: Vec<String> = (0..210)
                .map(|d| format!("{:.4}", crate::support::value(n, d)))
                .collect();
            format!("p{n},{},{}\n", crate::support::class(n), cells.join(","))
        })
        .collect();
    let names: Vec<String> = (0..210).map(|d| format!("g{d}")).collect();
    let head = format!("id,outcome,{}\n", names.join(","));
    fs::write(at.join("wide.csv"), head + &wide).unwrap();
    let fit = ["fit", "wide.csv", "--target", "outcome", "--size", "full"];
    run(at, &[&fit[..], &["-o", "full.json"]].concat()).success();
    for format in ["html", "points"] {
        let export = ["export", "full.json", "--format", format];
        refused(at, &export, &["210 features are too many"]);
    }
    let text = printed(at, &["predict", "full.json", "wide.csv", "--explain"]);
    assert_eq!(text.lines().count(), 1 + 40 * 22);
    assert!(text.contains("(all 190 others)"));
}
