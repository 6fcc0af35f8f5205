//! Wrong tables and targets: one sentence that names the place and what to do, exit code 2, no output file, and a file
//! that was there before as it was.

use std::fs;

use crate::support::{fit_model, refused, refused_without_output, samples_as_rows, study, value};

/// The table with the value of g2 for p4 replaced.
fn with_cell(cell: &str) -> String {
    samples_as_rows().replacen(&format!("{:.4}", value(4, 2)), cell, 1)
}

/// A file, what is in it where it is to be written, and words of the sentence about it.
type Case<'a> = (&'a str, Option<Vec<u8>>, &'a [&'a str]);

#[test]
fn tables_that_cannot_be_read() {
    let folder = study();
    let at = folder.path();
    fit_model(at);
    fs::create_dir(at.join("folder")).unwrap();
    let table = samples_as_rows();
    let rubbish: Vec<u8> = (0..2000_u32).map(|i| (i * i % 251) as u8).collect();
    let header = table.lines().next().unwrap();
    let ragged = table.replacen("p7,ill,site1,", "p7,ill,site1,0.5,", 1);
    let short = table.replacen("p9,ill,site0,", "p9,ill,", 1);
    let twice = table.replacen("p7,", "p8,", 1);
    let same_feature = table.replacen("g7", "g8", 1);
    let unclosed = table.replacen("p7,ill", "p7,\"ill", 1);
    let again = "copy or export it again";
    let correct = "correct the file there";
    let rename = "rename or remove one of them";
    let cases: [Case<'_>; 13] = [
        (
            "nowhere.csv",
            None,
            &["there is no such file; check its name and folder"],
        ),
        ("folder", None, &["it is a folder; name the file in it"]),
        ("empty.csv", Some(Vec::new()), &["the file is empty", again]),
        (
            "rubbish.csv",
            Some(rubbish),
            &["neither text nor any format", "save the table as CSV"],
        ),
        (
            "header.csv",
            Some(header.into()),
            &["line 1: there is nothing below the header", correct],
        ),
        (
            "ragged.csv",
            Some(ragged.into()),
            &[
                "line 9: it has 34 cells where the table has 33 columns",
                correct,
            ],
        ),
        (
            "short.csv",
            Some(short.into()),
            &[
                "line 11: it has 32 cells where the table has 33 columns",
                correct,
            ],
        ),
        ("unclosed.csv", Some(unclosed.into()), &["line 9", correct]),
        (
            "twice.csv",
            Some(twice.into()),
            &["sample 'p8' appears twice (positions 8 and 9)", rename],
        ),
        (
            "same.csv",
            Some(same_feature.into()),
            &["feature 'g8' appears twice (positions 8 and 9)", rename],
        ),
        (
            "text.csv",
            Some(with_cell("high").into()),
            &["line 6, column `g2`: `high` is text", "--na", correct],
        ),
        (
            "inf.csv",
            Some(with_cell("inf").into()),
            &["feature 'g2' of sample 'p4' is inf", "--drop"],
        ),
        (
            "minus.csv",
            Some(with_cell("-inf").into()),
            &["feature 'g2' of sample 'p4' is -inf", "--drop"],
        ),
    ];
    for (file, bytes, words) in cases {
        if let Some(bytes) = bytes {
            fs::write(at.join(file), bytes).unwrap();
        }
        let words = [words, &[file]].concat();
        refused(at, &["fit", file, "--target", "outcome"], &words);
        refused(at, &["predict", "model.json", file], &words);
        refused_without_output(at, &["evaluate", file, "--target", "outcome"], &words);
        // These are sound as far as reading goes; peek counts such things.
        if !["twice.csv", "same.csv", "inf.csv", "minus.csv"].contains(&file) {
            refused_without_output(at, &["peek", file], &words);
        }
    }
}

#[test]
fn targets_that_cannot_be_learned() {
    let folder = study();
    let at = folder.path();
    let write = |name: &str, text: &str| fs::write(at.join(name), text).unwrap();
    write("one.csv", &samples_as_rows().replace("healthy", "ill"));
    write("nan.csv", &with_cell("NaN"));
    write(
        "lonely.csv",
        &samples_as_rows().replacen(",ill,", ",rare,", 1),
    );
    let columns = "the columns that are not features are 'outcome', 'site'";
    let cases: [(&str, &[&str], &[&str]); 12] = [
        (
            "one.csv",
            &["--target", "outcome"],
            &[
                "at least two classes, found 1",
                "name another column with --target",
            ],
        ),
        (
            "nan.csv",
            &["--target", "outcome"],
            &["1 values are missing", "'g2' (1)", "--impute median"],
        ),
        (
            "table.csv",
            &["--target", "gone"],
            &["no column 'gone'", "by position", columns],
        ),
        (
            "table.csv",
            &["--target", "34"],
            &["no column '34'", "from 1, or from -1 at the end", columns],
        ),
        ("table.csv", &["--target", "0"], &["no column '0'", columns]),
        (
            "table.csv",
            &["--target", "-34"],
            &["no column '-34'", columns],
        ),
        (
            "table.csv",
            &[],
            &["no target was named; name one with --target", columns],
        ),
        (
            "table.csv",
            &["--target", "site", "--method", "signatures"],
            &[
                "two classes apart, found 3 ('site0', 'site1', 'site2')",
                "--positive-not",
            ],
        ),
        (
            "table.csv",
            &["--target", "outcome", "--positive", "dead"],
            &["no class 'dead'", "the classes are 'healthy', 'ill'"],
        ),
        (
            "lonely.csv",
            &["--target", "outcome", "--positive", "rare"],
            &["class 'rare' has 1 row", "--positive"],
        ),
        (
            "table.csv",
            &["--target", "outcome", "--task", "regression"],
            &[
                "the target of sample 1 is 'healthy'",
                "leave out --task regression",
            ],
        ),
        (
            "table.csv",
            &["--target", "outcome", "--features", "g99"],
            &["no feature 'g99'", "rfvm peek"],
        ),
    ];
    for (file, arguments, words) in cases {
        let words = [words, &[file]].concat();
        refused(at, &[&["fit", file], arguments].concat(), &words);
        refused_without_output(at, &[&["evaluate", file], arguments].concat(), &words);
    }
}
