//! Text tables, rule by rule, on literal bytes.

use crate::helpers::{complains, features, notes_on, plain, samples, table, values, with_target};
use rfvm_io::{Orientation, ReadOptions, Source, read_delimited};

use Orientation::{FeaturesAsRows, SamplesAsRows};

/// Samples as rows: names, two features, a class.
const CLINIC: &str = "sample,age,class,crp\np1,40,ill,1.5\np2,51,well,NA\np3,62,ill,-2e-1\n";
/// Features as rows.
const GENES: &str =
    "gene\ts1\ts2\ts3\nTP53\t1\t2\t3\nABL1\t4\t5\t6\nBCR\t7\t8\t9\nMYC\t0.5\t\t-1\n";

/// Everything of a source, with missing values that are equal to each other.
fn text_of(source: &Source) -> String {
    format!("{source:?}")
}

#[test]
fn samples_as_rows_with_names_and_a_column_of_text() {
    let source = plain(CLINIC);
    assert_eq!(
        (source.format.as_str(), source.orientation),
        ("CSV", SamplesAsRows)
    );
    assert!(!source.orientation_certain);
    assert_eq!((source.matrix.samples, source.matrix.features), (3, 2));
    assert_eq!(features(&source), ["age", "crp"]);
    assert_eq!(samples(&source), ["p1", "p2", "p3"]);
    assert_eq!(values(&source), [40.0, 51.0, 62.0, 1.5, -1000.0, -0.2]);
    assert_eq!(notes_on(&source), [("class", vec!["ill", "well", "ill"])]);
}

#[test]
fn features_as_rows_by_shape() {
    let source = plain(GENES);
    assert_eq!(
        (source.format.as_str(), source.orientation),
        ("TSV", FeaturesAsRows)
    );
    assert!(!source.orientation_certain);
    assert_eq!(features(&source), ["TP53", "ABL1", "BCR", "MYC"]);
    assert_eq!(samples(&source), ["s1", "s2", "s3"]);
    assert_eq!(
        values(&source),
        [1., 2., 3., 4., 5., 6., 7., 8., 9., 0.5, -1000., -1.]
    );
    // Without a telling name of the first column it is the shape that counts, and a row of text that refutes it.
    let nameless = GENES.replace("gene", "x");
    assert_eq!(plain(&nameless).orientation, FeaturesAsRows);
    assert_eq!(
        plain("x\ts1\ts2\ts3\nTP53\t1\t2\t3\nABL1\t4\t5\t6\n").orientation,
        SamplesAsRows
    );
    let rows = |range: std::ops::Range<usize>, cell: &str| -> String {
        range.map(|i| format!("g{i}\t1\t{cell}\t3\n")).collect()
    };
    let refuted = plain(format!(
        "x\ta\tb\tc\n{}{}",
        rows(0..300, "2"),
        rows(300..400, "w")
    ));
    assert_eq!(
        (refuted.orientation, refuted.matrix.samples),
        (SamplesAsRows, 400)
    );
    assert_eq!(refuted.annotations[0].name, "b");
}

#[test]
fn the_target_settles_the_orientation_and_is_never_a_feature() {
    let source = table(CLINIC, &with_target("crp")).unwrap();
    assert!(source.orientation_certain);
    assert_eq!(features(&source), ["age"]);
    assert_eq!(notes_on(&source)[1], ("crp", vec!["1.5", "", "-2e-1"]));
    let source = table(CLINIC, &with_target("sample")).unwrap();
    assert_eq!(
        (source.sample_names, source.annotations[0].name.as_str()),
        (None, "sample")
    );

    let source = table(GENES, &with_target("ABL1")).unwrap();
    assert_eq!(
        (source.orientation, source.orientation_certain),
        (FeaturesAsRows, true)
    );
    assert_eq!(features(&source), ["TP53", "BCR", "MYC"]);
    assert_eq!(notes_on(&source), [("ABL1", vec!["4", "5", "6"])]);
    assert_eq!(values(&source)[3..6], [7.0, 8.0, 9.0]);
    let with_class = format!("{GENES}class\tA\tB\tNA\nsite\tx\ty\tz\n");
    let source = table(&with_class, &with_target("class")).unwrap();
    assert_eq!(
        notes_on(&source),
        [("class", vec!["A", "B", ""]), ("site", vec!["x", "y", "z"])]
    );
    assert_eq!(source.matrix.features, 4);
    // A few texts in the target are no mistake; a target that is nowhere is for the caller.
    let mut numbers: String = (0..50).map(|i| format!("p{i},{i},{i}\n")).collect();
    numbers.push_str("p50,unknown,1\n");
    let source = table(format!("id,y,x\n{numbers}"), &with_target("y")).unwrap();
    assert_eq!(source.annotations[0].values[50], "unknown");
    assert_eq!(
        text_of(&table(CLINIC, &with_target("none")).unwrap()),
        text_of(&plain(CLINIC))
    );
}

#[test]
fn names_of_samples_settle_the_orientation() {
    let named = |names: &[&str]| ReadOptions {
        sample_names: Some(names.iter().map(|&name| name.to_owned()).collect()),
        ..ReadOptions::default()
    };
    let source = table(CLINIC, &named(&["p3", "other"])).unwrap();
    assert_eq!(
        (source.orientation, source.orientation_certain),
        (SamplesAsRows, true)
    );
    let wide = "x,s1,s2,s3,s4\na,1,2,3,4\nb,5,6,7,8\n";
    assert_eq!(plain(wide).orientation, SamplesAsRows);
    let source = table(wide, &named(&["s2"])).unwrap();
    assert_eq!(
        (source.orientation, source.orientation_certain),
        (FeaturesAsRows, true)
    );
    assert_eq!(features(&source), ["a", "b"]);
    let source = table(GENES, &named(&["BCR"])).unwrap();
    assert_eq!(
        (source.orientation, source.matrix.samples),
        (SamplesAsRows, 4)
    );
    for orientation in [SamplesAsRows, FeaturesAsRows] {
        let options = ReadOptions {
            orientation: Some(orientation),
            ..named(&["s2"])
        };
        let source = table(wide, &options).unwrap();
        assert_eq!(
            (source.orientation, source.orientation_certain),
            (orientation, true)
        );
    }
}

#[test]
fn delimiters_decimal_commas_and_line_ends() {
    let semicolons = plain("id;a;b\nx;1,5;2\ny;-0,25;NA\n");
    assert_eq!(semicolons.format, "semicolon-separated text");
    assert_eq!(values(&semicolons), [1.5, -0.25, 2.0, -1000.0]);
    let target = table("id;a;b\nx;1,5;2\ny;-0,25;3\n", &with_target("a")).unwrap();
    assert_eq!(target.annotations[0].values, ["1.5", "-0.25"]);
    let blanks = plain("a  b   c\n1 2  3\n 4 5\t6 \n");
    assert_eq!(blanks.format, "whitespace-separated text");
    assert_eq!(values(&blanks), [1., 4., 2., 5., 3., 6.]);
    let bars = plain("a|b\n1|2\n3|4\n");
    assert_eq!(
        (bars.format.as_str(), values(&bars)),
        ("text separated by `|`", vec![1., 3., 2., 4.])
    );
    for text in [
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "\u{feff}a,b\n1,2\n3,4",
        "\n\na,b\n\n1,2\n   \n3,4\n\n",
        "# made by\n#\na,b\n1,2\n3,4\n",
        "#a,b\n1,2\n3,4\n",
        "a,b,\n1,2,\n3,4,\n",
        "a,b\n1,2,\n3,4,\n",
        "a,b,\n1,2\n3,4\n",
        " a , b \n 1 , 2 \n3,4\n",
        "\"a\",\"b\"\n\"1\",\"2\"\n3,4\n",
    ] {
        let source = plain(text);
        assert_eq!(features(&source), ["a", "b"], "{text:?}");
        assert_eq!(values(&source), [1., 3., 2., 4.], "{text:?}");
    }
    let given = ReadOptions {
        delimiter: Some(b':'),
        decimal_comma: Some(true),
        ..ReadOptions::default()
    };
    assert_eq!(values(&table("a:b\n1,5:2\n", &given).unwrap()), [1.5, 2.0]);
    // In a table of another kind, 1,234 may be a thousand.
    complains(
        table(
            "a\tb\n1\t1,234\n2\t1\n3\t1\n4\t1\n5\t1\n6\t1\n7\t1\n8\t1\n9\t1\n1\t1\n1\t2\n2\t3\n",
            &ReadOptions::default(),
        ),
        "line 2, column `b`: `1,234` is text in a number column (a number with its thousands set apart? say so with --thousands; or with a decimal comma? --decimal-comma)",
    );
}

#[test]
fn headers_and_names() {
    // As R writes it, one name short.
    let r = plain("\"a\" \"b\" \"c\"\n\"x1\" 1 2 3\n\"x2\" 4 5 6\n");
    assert_eq!(
        (features(&r), samples(&r)),
        (vec!["a", "b", "c"], vec!["x1", "x2"])
    );
    assert_eq!(values(&r), [1., 4., 2., 5., 3., 6.]);
    // As pandas writes it, with an index and with numbers as names.
    let pandas = plain(",0,1\n0,1.5,2\n1,3,4\n");
    assert_eq!(
        (features(&pandas), samples(&pandas)),
        (vec!["0", "1"], vec!["0", "1"])
    );
    let numbered = plain("0,1,2\n5,6,7.5\n8,9,1\n");
    assert_eq!(
        (features(&numbered), numbered.matrix.samples),
        (vec!["0", "1", "2"], 2)
    );
    let quoted = plain("\"id\",\"101\",\"102\"\n\"x\",1,2\n");
    assert_eq!(features(&quoted), ["101", "102"]);
    // No header: numbers alone, and the flowers that everyone knows.
    assert_eq!(plain("1,2,3,4\n5,6,7,8\n").matrix.samples, 1);
    assert_eq!(plain("1,2,3\n5,6,7\n").matrix.samples, 2);
    let bare = plain("1,2\n3,4\n");
    assert_eq!(
        (bare.feature_names.as_ref(), values(&bare)),
        (None, vec![1., 3., 2., 4.])
    );
    let iris = plain("5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n");
    assert_eq!((iris.matrix.samples, iris.matrix.features), (3, 2));
    assert_eq!(
        notes_on(&iris),
        [("column 3", vec!["setosa", "setosa", "virginica"])]
    );
    // A class in the first column is no name; numbers under `id` are.
    let class = plain("kind,a\nx,1\ny,2\nx,3\ny,4\n");
    assert_eq!(
        (
            class.sample_names.as_ref(),
            class.annotations[0].name.as_str()
        ),
        (None, "kind")
    );
    let ids = plain("patient,cancer\n1,ALL\n2,AML\n3,ALL\n");
    assert_eq!(
        (samples(&ids), ids.matrix.features),
        (vec!["1", "2", "3"], 0)
    );
    assert_eq!(notes_on(&ids), [("cancer", vec!["ALL", "AML", "ALL"])]);
    assert!(ids.notes[0].contains("`patient`"), "{:?}", ids.notes);
    // As told.
    let told = |header, row_names| ReadOptions {
        header: Some(header),
        row_names: Some(row_names),
        ..ReadOptions::default()
    };
    let source = table("1,2\n3,4\n", &told(true, true)).unwrap();
    assert_eq!(
        (features(&source), samples(&source), values(&source)),
        (vec!["2"], vec!["3"], vec![4.0])
    );
    let source = table("1,2\n3,4\n", &told(false, true)).unwrap();
    assert_eq!(
        (samples(&source), values(&source)),
        (vec!["1", "3"], vec![2.0, 4.0])
    );
}

#[test]
fn descriptions_beside_the_names_annotate_them() {
    let text = "Name\tDescription\ts1\ts2\ts3\ng1\tone\t1\t2\t3\ng2\ttwo\t4\t5\t6\ng3\tthree\t7\t8\t9\ng4\tNA\t1\t1\t1\n";
    let source = plain(text);
    assert_eq!(
        (source.orientation, features(&source)),
        (FeaturesAsRows, vec!["g1", "g2", "g3", "g4"])
    );
    assert_eq!(samples(&source), ["s1", "s2", "s3"]);
    assert!(
        source.notes[0].contains("`Description`"),
        "{:?}",
        source.notes
    );
    assert_eq!(source.about_features.columns, ["Description"]);
    let about = source.about_features.rows.iter();
    let about: Vec<&str> = about.map(|(_, texts)| texts[0].as_str()).collect();
    assert_eq!(about, ["one", "two", "three", ""]);
    let entrez = "Hugo_Symbol,Entrez_Gene_Id,a,b,c\nTP53,7157,1,2,3\nMYC,4609,4,5,6\n";
    let source = plain(entrez);
    assert_eq!(
        (samples(&source), values(&source)),
        (vec!["a", "b", "c"], vec![1., 2., 3., 4., 5., 6.])
    );
    // The OTU tables of QIIME have their header in a comment.
    let otu =
        plain("# Constructed from biom file\n#OTU ID\ts1\ts2\ts3\no1\t1\t0\t2\no2\t3\t4\t5\n");
    assert_eq!(
        (otu.orientation, samples(&otu)),
        (FeaturesAsRows, vec!["s1", "s2", "s3"])
    );
}

#[test]
fn quotes() {
    let text = "id,\"a, b\",note\r\n\"x \"\"1\"\"\",1,\"two\r\nlines\"\r\ny,2,\"odd \r return\"\r\nz,3,5\" wide\r\n";
    let source = plain(text);
    assert_eq!(samples(&source), ["x \"1\"", "y", "z"]);
    assert_eq!(features(&source), ["a, b"]);
    assert_eq!(
        source.annotations[0].values,
        ["two\r\nlines", "odd \r return", "5\" wide"]
    );
    let late = "a,b\n\"1\n\",2\n3,4,5\n";
    complains(
        table(late, &ReadOptions::default()),
        "line 4: it has 3 cells where the table has 2 columns",
    );
    complains(
        table("a,b\n1,2\n\"3,4\n5,6\n", &ReadOptions::default()),
        "line 3: a quote is opened there and not closed",
    );
    let forgotten = format!("a,b\n1,\"2\n{}", "3,4\n".repeat(400_000));
    complains(
        table(forgotten, &ReadOptions::default()),
        "line 2: a quote is opened there",
    );
}

#[test]
fn missing_values() {
    let spellings = [
        "", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", ".", "-", "#N/A", "missing",
        "n.d.", "-99",
    ];
    let rows: String = spellings
        .iter()
        .map(|spelling| format!("x{spelling}x,{spelling},1\n"))
        .collect();
    let options = ReadOptions {
        missing: vec!["n.d.".to_owned(), "-99".to_owned()],
        ..ReadOptions::default()
    };
    let source = table(format!("id,a,b\nfirst,5,1\n{rows}"), &options).unwrap();
    let a = source.matrix.feature(0).unwrap();
    assert_eq!(a[0], 5.0);
    assert!(a[1..].iter().all(|value| value.is_nan()), "{a:?}");
    assert_eq!(source.matrix.feature(1).unwrap(), [1.0; 16]);
    let strands = plain("id,strand,x\na,+,1\nb,-,2\nc,+,3\n");
    assert_eq!(strands.annotations[0].values, ["+", "-", "+"]);
}

#[test]
fn text_among_numbers() {
    let mut text = "id,age,w\n".to_owned();
    for i in 0..40 {
        let age = if i == 33 {
            "old".to_owned()
        } else {
            i.to_string()
        };
        text.push_str(&format!("p{i},{age},1\n"));
    }
    complains(
        table(&text, &ReadOptions::default()),
        "line 35, column `age`: `old` is text in a number column",
    );
    let early = text.replace("p2,2,", "p2,young,").replace("old", "33");
    complains(
        table(&early, &ReadOptions::default()),
        "line 4, column `age`: `young` is text",
    );
    let features = text
        .replace("id", "gene")
        .replace(",w", ",w,x,y")
        .replace(",1\n", ",1,1,1\n");
    complains(
        table(&features, &ReadOptions::default()),
        "line 35, column `age`: `old` is text",
    );
    let wide = format!(
        "id,{}\n",
        (0..30)
            .map(|i| format!("s{i}"))
            .collect::<Vec<_>>()
            .join(",")
    ) + &format!("g1{}\ng2,x{}\n", ",1".repeat(30), ",1".repeat(29));
    let forced = ReadOptions {
        orientation: Some(FeaturesAsRows),
        ..ReadOptions::default()
    };
    complains(
        table(&wide, &forced),
        "line 3, column `s0`: `x` is text in a number column",
    );
    // Much text makes a column of text, also where it begins with numbers and the text comes late.
    let mixed: String = (0..600)
        .map(|i| {
            if i < 300 {
                format!("{i},{i}\n")
            } else {
                format!("{i},t{i}\n")
            }
        })
        .collect();
    let source = plain(format!("a,b\n{mixed}"));
    assert_eq!(
        (
            source.matrix.features,
            source.annotations[0].values[0].as_str()
        ),
        (1, "0")
    );
    assert_eq!(source.annotations[0].values[599], "t599");
    let words = vec!["w"; 5000].join(",");
    complains(
        table(
            format!("{words}\n{words}\n{words}\n"),
            &ReadOptions::default(),
        ),
        "where numbers are wanted",
    );
}

#[test]
fn ragged_lines_and_other_mistakes() {
    let default = ReadOptions::default();
    complains(
        table("a,b,c\n1,2,3\n4,5\n", &default),
        "line 3: it has 2 cells where the table has 3 columns",
    );
    complains(
        table("a,b,c\n1,2,3\n4,5,6,7\n", &default),
        "line 3: it has 4 cells where the table has 3 columns",
    );
    complains(
        table("a,b,c\n1,2\n4,5,6\n", &default),
        "line 2: it has 2 cells",
    );
    complains(
        table("a,b,c\n1,2,3,4,5\n1,2,3,4,5\n", &default),
        "line 2: it has 5 cells",
    );
    let genes = format!("{GENES}X\t1\t2\n");
    complains(
        table(genes, &default),
        "line 6: it has 3 cells where the table has 4 columns",
    );
    let quoted = "a,b\n\"1\",2\n\"3\"\n";
    complains(table(quoted, &default), "line 3: it has 1 cell where");
    // Nothing is allocated for a million columns of lines that have one.
    let long = format!(
        "{}\n{}\n{}",
        vec!["a"; 1_000_000].join(","),
        vec!["1"; 1_000_000].join(","),
        "1\n".repeat(100_000)
    );
    complains(
        table(&long, &default),
        "line 3: it has 1 cell where the table has 1000000 columns",
    );
    let features = ReadOptions {
        orientation: Some(FeaturesAsRows),
        ..ReadOptions::default()
    };
    complains(table(&long, &features), "line 3: it has 1 cell");
    complains(table("", &default), "there is no table in it");
    complains(
        table("# only\n# comments\n", &default),
        "there is no table in it",
    );
    complains(table("a,b,c\n", &default), "nothing below the header");
    complains(table("a,b\0\n1,2\n", &default), "byte 3: this is not text");
    complains(table([0xff, 0xfe, b'a', 0, 0], &default), "its UTF-16 text");
    complains(
        read_delimited("no such file".as_ref(), &default),
        "no such file",
    );
    complains(read_delimited(&std::env::temp_dir(), &default), "folder");
    let latin = plain(b"id,\xb5g\nx,1\ny,2\n");
    assert_eq!(
        (features_of(&latin), latin.notes.len()),
        (vec!["\u{b5}g".to_owned()], 1)
    );
}

fn features_of(source: &Source) -> Vec<String> {
    source.feature_names.clone().unwrap()
}

#[test]
fn the_first_features() {
    let most = |most, target: Option<&str>| ReadOptions {
        max_features: Some(most),
        target: target.map(str::to_owned),
        ..ReadOptions::default()
    };
    let source = table(CLINIC, &most(1, None)).unwrap();
    assert_eq!(
        (features(&source), source.annotations.len()),
        (vec!["age"], 1)
    );
    let source = table(GENES, &most(2, Some("MYC"))).unwrap();
    assert_eq!(
        (features(&source), source.annotations[0].name.as_str()),
        (vec!["TP53", "ABL1"], "MYC")
    );
    assert_eq!(table(GENES, &most(0, None)).unwrap().matrix.features, 0);
    assert_eq!(
        text_of(&table(GENES, &most(9, None)).unwrap()),
        text_of(&plain(GENES))
    );
}
