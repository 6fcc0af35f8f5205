//! Wrong files beside the table (labels, folds, models, outputs) and wrong arguments: one sentence that names the place
//! and what to do, exit code 2, no output file, and a file that was there before as it was.

use std::fs;

use crate::support::{fit_model, refused, refused_without_output, study};

#[test]
fn label_files_that_do_not_match() {
    let folder = study();
    let at = folder.path();
    let labels = fs::read_to_string(at.join("labels.csv")).unwrap();
    let two = "sample,a,b\np1,x,y\np2,x,y\n";
    let many = "40 2 1\n# healthy ill\n0 1 0\n";
    let doubled = format!("{labels}p7,healthy\n");
    let cases: [(&str, &str, Option<&str>, &[&str]); 9] = [
        (
            "strangers.csv",
            "sample,outcome\nx1,ill\nx2,healthy\n",
            None,
            &[
                "none of its sample names is in the table",
                "the first column must hold them",
            ],
        ),
        (
            "few.cls",
            "3 2 1\n# healthy ill\n0 1 0\n",
            None,
            &[
                "it has 3 labels, but the table has 40 samples",
                "give the labels of this table",
            ],
        ),
        (
            "many.cls",
            many,
            None,
            &[
                "line 3: it has 3 labels where 40 are declared",
                "correct the file there",
            ],
        ),
        (
            "words.cls",
            "40 2 1\n# healthy\n0 1 0\n",
            None,
            &["line 2: it has 1 class name where 2 are declared"],
        ),
        (
            "numbers.txt",
            "1\n-1\n1\n",
            None,
            &["it has 3 labels, but the table has 40 samples"],
        ),
        ("two.csv", two, None, &["--target: 'a', 'b'"]),
        (
            "two.csv",
            two,
            Some("c"),
            &["there is no column 'c'", "--target: 'a', 'b'"],
        ),
        (
            "doubled.csv",
            &doubled,
            None,
            &[
                "sample 'p7' has two labels, 'ill' and 'healthy'",
                "leave one",
            ],
        ),
        ("empty.csv", "", None, &["the file is empty"]),
    ];
    for (file, text, column, words) in cases {
        fs::write(at.join(file), text).unwrap();
        let mut arguments = vec!["fit", "table.csv", "--labels", file];
        arguments.extend(column.iter().flat_map(|column| ["--target", column]));
        refused(at, &arguments, &[words, &[file]].concat());
    }
    let absent = ["fit", "table.csv", "--labels", "nowhere.csv"];
    refused(at, &absent, &["nowhere.csv", "there is no such file"]);
}

#[test]
fn fold_files_that_do_not_match() {
    let folder = study();
    let at = folder.path();
    let folds = |last: &str| {
        let lines: String = (0..39).map(|n| format!("{},{}\n", n % 4, n % 3)).collect();
        format!("a,b\n{lines}{last}")
    };
    let cases: [(&str, &str, &[&str]); 7] = [
        (
            "short.csv",
            &folds(""),
            &[
                "the folds of 39 samples, but the table has 40",
                "give the folds of this table",
            ],
        ),
        (
            "long.csv",
            &folds("1,1\n1,1\n"),
            &["the folds of 41 samples"],
        ),
        (
            "word.csv",
            &folds("1,first\n"),
            &[
                "line 41, column 2: 'first' is no fold number",
                "write 0, 1, 2",
            ],
        ),
        (
            "cut.csv",
            &folds("1"),
            &[
                "line 41: it has 1 cells where the first line has 2",
                "correct the file there",
            ],
        ),
        ("empty.csv", "", &["the folds of 0 samples"]),
        ("one.csv", &format!("a\n{}", "0\n".repeat(40)), &["one.csv"]),
        ("folder", "", &["it is a folder; name the file in it"]),
    ];
    fs::create_dir(at.join("folder")).unwrap();
    for (file, text, words) in cases {
        if file != "folder" {
            fs::write(at.join(file), text).unwrap();
        }
        let arguments = [
            "evaluate",
            "table.csv",
            "--target",
            "outcome",
            "--folds",
            file,
        ];
        refused_without_output(at, &arguments, &[words, &[file]].concat());
    }
    for (arguments, words) in [
        (["--cv", "99"], "folds is 99; it must be at least 2"),
        (["--group", "gone"], "no column 'gone'"),
    ] {
        let arguments = [
            &["evaluate", "table.csv", "--target", "outcome"],
            &arguments[..],
        ]
        .concat();
        refused_without_output(at, &arguments, &[words]);
    }
}

#[test]
fn models_that_cannot_be_used() {
    let folder = study();
    let at = folder.path();
    fit_model(at);
    let model = fs::read_to_string(at.join("model.json")).unwrap();
    let newer = model.replacen("\"version\":2", "\"version\":9", 1);
    let older = model.replacen("\"version\":2", "\"version\":1", 1);
    let changed = model.replacen("\"classes\":[\"healthy\"", "\"classes\":[\"wealthy\"", 1);
    let again = "copy it again or fit again";
    let cases: [(&str, Option<&str>, &[&str]); 8] = [
        (
            "newer.json",
            Some(&newer),
            &["format version 9, and this program reads up to 2; update rfvm"],
        ),
        (
            "older.json",
            Some(&older),
            &[
                "this model has format version 1, which this version of rfvm no longer reads; fit it again",
            ],
        ),
        (
            "cut.json",
            Some(&model[..model.len() / 2]),
            &["damaged or cut short", again],
        ),
        (
            "changed.json",
            Some(&changed),
            &["its checksum does not match", again],
        ),
        ("empty.json", Some(""), &["damaged or cut short", again]),
        (
            "table.csv",
            None,
            &[
                "not an rfvm model file",
                "give a file that rfvm fit -o has written",
            ],
        ),
        (
            "nowhere.json",
            None,
            &["there is no such file; check its name and folder"],
        ),
        ("folder", None, &["it is a folder; name the file in it"]),
    ];
    fs::create_dir(at.join("folder")).unwrap();
    for (file, text, words) in cases {
        if let Some(text) = text {
            fs::write(at.join(file), text).unwrap();
        }
        let words = [words, &[file]].concat();
        refused(at, &["predict", file, "table.csv"], &words);
        refused_without_output(at, &["inspect", file], &words);
    }
    fs::write(at.join("few.csv"), "id,g1,g2\np1,0.5,1\np2,1,2\n").unwrap();
    let words = [
        "few.csv: the table lacks 1 feature(s) that the model needs: 'g3'",
        "add them to the table",
    ];
    refused(at, &["predict", "model.json", "few.csv"], &words);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = study();
    let at = folder.path();
    fit_model(at);
    fs::create_dir(at.join("folder")).unwrap();
    for command in [
        ["fit", "table.csv", "--target", "outcome"],
        ["predict", "model.json", "table.csv", "--no-header"],
    ] {
        for (output, words) in [
            (
                "folder",
                "cannot write folder: it is a folder; name a file in it",
            ),
            (
                "no/such/file",
                "cannot write no/such/file: there is no folder no/such; make it first",
            ),
        ] {
            refused_without_output(at, &[&command[..], &["-o", output]].concat(), &[words]);
        }
    }
    for (arguments, words) in [
        (
            &["--method", "signatures", "--signatures", "0"][..],
            "signatures is 0",
        ),
        (
            &["--max-missing", "2"],
            "--max-missing is 2; it must be between 0 and 1",
        ),
        (
            &["--features", "@nowhere"],
            "nowhere: there is no such file",
        ),
    ] {
        let arguments = [&["fit", "table.csv", "--target", "outcome"], arguments].concat();
        refused(at, &arguments, &[words]);
    }
}
