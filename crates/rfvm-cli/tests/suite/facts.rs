//! `--cost`, `--panels`, `--blocks` and `--annotation`: what is known of features beside their values.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{json, mistake, run};

/// Forty samples, two features that tell the class and ten that do not; prices, panels and annotation beside.
fn study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut text = String::from("id,class");
    (0..12).for_each(|d| write!(text, ",g{d}").unwrap());
    text.push('\n');
    for n in 0..40_u32 {
        let ill = n % 2;
        write!(text, "s{n},{}", if ill == 1 { "ill" } else { "well" }).unwrap();
        for d in 0..12_u32 {
            let noise = f64::from((n * (2 * d + 3) * 7919 + d * 104_729) % 101) / 50.0;
            let shift = if d < 2 { 1.1 * f64::from(ill) } else { 0.0 };
            write!(text, ",{:.3}", noise + shift).unwrap();
        }
        text.push('\n');
    }
    fs::write(at.join("table.csv"), text).unwrap();
    fs::write(
        at.join("prices.csv"),
        "feature,price\ng0,4.5\ng1,2\nkit,3\nelsewhere,9\n",
    )
    .unwrap();
    fs::write(at.join("panels.gmt"), "kit\tbought together\tg1\tg2\tg3\n").unwrap();
    fs::write(
        at.join("blocks.csv"),
        "feature,block\ng0,clinic\ng1,clinic\n",
    )
    .unwrap();
    fs::write(
        at.join("genes.csv"),
        "name,symbol,unit,kind\ng0,TP53,mg/l,clinic\ng1,\"MYC, \"\"c\"\"\",,clinic\ng5,BRCA1,U,omics\n",
    )
    .unwrap();
    folder
}

const FIT: [&str; 8] = [
    "fit",
    "table.csv",
    "--target",
    "class",
    "--size",
    "2",
    "-o",
    "model.json",
];

fn fitted(at: &Path, more: &[&str]) -> (String, String) {
    let assert = run(at, &[&FIT[..], more].concat()).success();
    let output = assert.get_output();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn prices_and_panels_are_in_tables_in_the_path_and_in_every_fold() {
    let folder = study();
    let at = folder.path();
    let priced = ["--cost", "prices.csv", "--panels", "panels.gmt"];
    let (out, notes) = fitted(at, &priced);
    for words in [
        "price  panel",
        "The model's features cost 7.50 a sample",
        "with strength 1.",
    ] {
        assert!(out.contains(words), "{words} is not in\n{out}");
    }
    for words in [
        "prices: 1 of 4 name(s) are no feature of the table and are left aside: 'elsewhere'",
        "have no price and count as free",
    ] {
        assert!(notes.contains(words), "{words} is not in\n{notes}");
    }
    let model = json(at, &["inspect", "model.json", "--json"]);
    assert_eq!(model["cost"], 7.5);
    let features = model["features"].as_array().unwrap();
    let g1 = features
        .iter()
        .find(|feature| feature["name"] == "g1")
        .unwrap();
    assert_eq!((&g1["price"], &g1["panel"]), (&3.0.into(), &"kit".into()));
    let path = ["path", "table.csv", "--target", "class", "--json"];
    let path = json(at, &[&path[..], &priced].concat());
    assert!(path["points"][1]["cost"].as_f64().unwrap() <= 7.5);
    let evaluate = [
        "evaluate",
        "table.csv",
        "--target",
        "class",
        "--size",
        "2",
        "--repeats",
        "1",
        "--json",
    ];
    let found = json(at, &[&evaluate[..], &priced].concat());
    let costs = found["results"].as_array().unwrap().iter();
    let costs: Vec<f64> = costs.map(|fold| fold["cost"].as_f64().unwrap()).collect();
    assert_eq!(costs.len(), 5);
    let mean = costs.iter().sum::<f64>() / 5.0;
    assert!((found["cost"]["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    let plain = json(at, &evaluate);
    assert!(plain.get("cost").is_none() && plain["results"][0].get("cost").is_none());
}

#[test]
fn annotation_goes_with_the_names_into_every_table_and_export() {
    let folder = study();
    let at = folder.path();
    let (out, _) = fitted(at, &["--annotation", "genes.csv", "--blocks", "kind"]);
    assert!(
        out.contains("block   symbol") && out.contains("TP53"),
        "{out}"
    );
    let explained = run(at, &["predict", "model.json", "table.csv", "--explain"]).success();
    let explained = String::from_utf8(explained.get_output().stdout.clone()).unwrap();
    assert!(
        explained.starts_with("sample,feature,value,contribution,95 % from,to,symbol,unit,kind")
    );
    assert!(explained.contains(",TP53,mg/l,clinic"), "{explained}");
    for (format, words) in [
        ("text", "\tsymbol\tunit\tkind\n"),
        ("latex", "g0 (TP53, mg/l, clinic)"),
        ("points", "g0 (TP53, mg/l, clinic)"),
        ("pmml", "name=\"g0\" displayName=\"TP53, mg/l, clinic\""),
        ("html", "g0 (TP53, mg/l, clinic)"),
    ] {
        let written = run(at, &["export", "model.json", "--format", format]).success();
        let written = String::from_utf8(written.get_output().stdout.clone()).unwrap();
        assert!(
            written.contains(words),
            "{format}: {words} is not in\n{written}"
        );
    }
    let report = [
        "report",
        "model.json",
        "table.csv",
        "--target",
        "class",
        "-o",
        "page.html",
    ];
    run(at, &report).success();
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    assert!(page.contains("TP53") && !page.contains("BRCA1"));
    // The report may know of more features than the model has.
    run(
        at,
        &[
            &report[..],
            &["--annotation", "genes.csv", "--blocks", "kind"],
        ]
        .concat(),
    )
    .success();
    assert!(
        fs::read_to_string(at.join("page.html"))
            .unwrap()
            .contains("BRCA1")
    );
}

#[test]
fn a_gct_file_annotates_its_features() {
    let folder = study();
    let at = folder.path();
    let mut gct = String::from("#1.2\n3\t12\nName\tDescription");
    (0..12).for_each(|n| write!(gct, "\ts{n}").unwrap());
    for (name, about) in [("p1", "growth factor"), ("p2", "na"), ("p3", "p3")] {
        write!(gct, "\n{name}\t{about}").unwrap();
        for n in 0..12_u32 {
            let shift = if name == "p1" { 3 * (n % 2) } else { 0 };
            let noise = n * 7 % 5 + name.len() as u32;
            write!(gct, "\t{}", f64::from(noise) / 2.0 + f64::from(shift)).unwrap();
        }
    }
    gct.push('\n');
    fs::write(at.join("table.gct"), gct).unwrap();
    let labels: String = (0..12)
        .map(|n| format!("s{n},{}\n", ["no", "yes"][n % 2]))
        .collect();
    fs::write(at.join("labels.csv"), format!("id,class\n{labels}")).unwrap();
    let fit = [
        "fit",
        "table.gct",
        "--labels",
        "labels.csv",
        "--size",
        "1",
        "--json",
    ];
    let model = json(at, &fit);
    assert_eq!(
        model["features"][0]["annotation"]["Description"],
        "growth factor"
    );
}

#[test]
fn mistakes_name_file_line_and_value() {
    let folder = study();
    let at = folder.path();
    for (option, name, text, words) in [
        (
            "--cost",
            "a.csv",
            "feature,price\ng0,4\ng1,dear\n",
            "a.csv as a file of prices: line 3, column 2: the price of 'g1' is `dear`",
        ),
        (
            "--cost",
            "b.csv",
            "g0,4\ng0,5\n",
            "line 2, column 1: 'g0' is there already, in line 1",
        ),
        ("--cost", "c.csv", "g0,4,5\n", "line 1: it has 3 cells"),
        (
            "--cost",
            "d.csv",
            "g1,1\ng0,-4\n",
            "it must be a number from 0",
        ),
        (
            "--panels",
            "e.gmt",
            "kit\tabout\n",
            "line 1: the set `kit` has no member",
        ),
        (
            "--panels",
            "f.gmt",
            "kit\t\tg1\nset\t\tg1\n",
            "f.gmt: 'g1' is in the panels 'kit' and 'set'",
        ),
        ("--blocks", "g.csv", "feature,block\n", "it has no blocks"),
        (
            "--annotation",
            "h.csv",
            "name,symbol\ng0,A\ng1\n",
            "line 3: it has 1 cell where the first line has 2",
        ),
    ] {
        fs::write(at.join(name), text).unwrap();
        let message = mistake(at, &[&FIT[..], &[option, name]].concat());
        assert!(message.contains(words), "{words} is not in\n{message}");
    }
    for (arguments, words) in [
        (
            &["--blocks", "nowhere"][..],
            "there is neither a file of this name nor a column",
        ),
        (&["--cost-prior", "2"], "give them with --cost or --panels"),
        (
            &["--cost", "prices.csv", "--cost-prior", "-1"],
            "between 0 and 1e6",
        ),
        (
            &["--panels", "panels.gmt", "--method", "signatures"],
            "left out, or given to the method projected",
        ),
    ] {
        let fit = ["fit", "table.csv", "--target", "class"];
        let message = mistake(at, &[&fit[..], arguments].concat());
        assert!(message.contains(words), "{words} is not in\n{message}");
    }
}

#[test]
fn training_gaps_are_told_by_other_features_where_that_is_asked_for() {
    let folder = study();
    let at = folder.path();
    let text = fs::read_to_string(at.join("table.csv")).unwrap();
    let gaps = text.lines().enumerate().map(|(n, line)| match n {
        0 => line.to_string(),
        _ => {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells[2 + n % 12] = "";
            cells.join(",")
        }
    });
    fs::write(
        at.join("gaps.csv"),
        gaps.collect::<Vec<_>>().join("\n") + "\n",
    )
    .unwrap();
    let fit = [
        "fit",
        "gaps.csv",
        "--target",
        "class",
        "--size",
        "2",
        "-o",
        "model.json",
    ];
    mistake(at, &fit);
    run(at, &[&fit[..], &["--impute", "conditional"]].concat()).success();
    let model = json(at, &["inspect", "model.json", "--json"]);
    assert_eq!(
        model["parameters"]["preprocessing"]["missing"],
        "conditional"
    );
    let plain = json(at, &["predict", "model.json", "gaps.csv", "--json"]);
    let asked = json(
        at,
        &[
            "predict",
            "model.json",
            "gaps.csv",
            "--missing",
            "integrate",
            "--json",
        ],
    );
    let mean = |found: &serde_json::Value, n: usize| found["predictions"][n]["mean"].clone();
    assert!((0..40).all(|n| mean(&plain, n) == mean(&asked, n)));
    let report = [
        "report",
        "model.json",
        "gaps.csv",
        "--target",
        "class",
        "-o",
        "page.html",
    ];
    run(at, &[&report[..], &["--impute", "conditional"]].concat()).failure();
    run(at, &report).success();
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    assert!(page.contains("what the features most like it tell"));
}
