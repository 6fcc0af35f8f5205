//! What programs put around a table: another encoding, titles, units, and which way it lies.

use std::fmt::Write as _;

use crate::helpers::{complains, features, file, gzip, plain, samples, table, values, with_target};
use rfvm_io::Orientation::{FeaturesAsRows, SamplesAsRows};
use rfvm_io::{ReadOptions, read};

const TABLE: &str =
    "id;class;höhe;g2\np1;a;1,5;2\np2;b;2,5;3\np3;a;3,5;5\np4;b;4,5;7\np5;b;5,5;8\n";

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn utf16_with_a_mark_is_read_and_without_one_named() {
    let right = plain(TABLE);
    assert_eq!(features(&right), ["höhe", "g2"]);
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked = utf16(&format!("\u{feff}{TABLE}"), bytes);
        assert_eq!(plain(&marked), right);
        let packed = gzip(&marked);
        assert_eq!(values(&plain(packed)), values(&right));
        let found = read(&file("t.csv", &marked).path, &ReadOptions::default()).unwrap();
        assert_eq!(features(&found), ["höhe", "g2"]);
        let bare = file("t.csv", utf16(TABLE, bytes));
        complains(
            read(&bare.path, &ReadOptions::default()),
            "UTF-16 without a byte order mark",
        );
    }
}

#[test]
fn titles_above_the_header_are_left_out() {
    let right = plain(TABLE);
    for titles in [
        "Study of mice\n",
        "Study of mice\n\nExported 2024-01-02\n",
        "Study of mice;;;\n;;;\n",
        "Study;of mice\n",
    ] {
        let read = plain(format!("{titles}{TABLE}"));
        assert_eq!(values(&read), values(&right), "{titles:?}");
        assert_eq!(features(&read), features(&right));
        assert!(
            read.notes[0].contains("above the header"),
            "{:?}",
            read.notes
        );
        assert!(read.notes[0].contains("Study"), "{:?}", read.notes);
    }
    assert_eq!(right.notes.len(), 0);
}

#[test]
fn units_below_the_header_are_left_out_and_what_may_be_data_is_named() {
    let body = "p1,a,1.5,2,7\np2,b,2.5,3,8\np3,a,3.5,5,9\np4,b,4.5,7,1\n";
    let right = plain(format!("id,class,crp,age,bmi\n{body}"));
    for units in [
        ",,mg/l,years,kg/m2",
        "unit,,mg/l,years,",
        "id,-,[mg/l],[a],",
        "x,y,mg/dl,%,kg",
    ] {
        for options in [ReadOptions::default(), with_target("class")] {
            let read = table(format!("id,class,crp,age,bmi\n{units}\n{body}"), &options).unwrap();
            assert_eq!(values(&read), values(&right), "{units}");
            assert_eq!(samples(&read), ["p1", "p2", "p3", "p4"]);
            assert!(
                read.notes[0].contains("line 2 below the header"),
                "{:?}",
                read.notes
            );
        }
    }
    // It may be a row of samples' classes, so that nothing is guessed.
    let other = format!("id,class,crp,age,bmi\nsymbol,what,AAA,BBB,CCC\n{body}");
    complains(
        table(&other, &ReadOptions::default()),
        "line 2: it is text above the numbers of 3 columns",
    );
    complains(
        table(&other, &with_target("class")),
        "a second header or units",
    );
    let turned = "gene,s1,s2,s3\nclass,ill,well,ill\ng1,1,2,3\ng2,4,5,6\ng3,7,8,9\n";
    let read = table(turned, &with_target("class")).unwrap();
    assert_eq!(
        (read.orientation, read.matrix.features),
        (FeaturesAsRows, 3)
    );
    let columns = ReadOptions {
        orientation: Some(FeaturesAsRows),
        ..ReadOptions::default()
    };
    assert_eq!(
        table(turned, &columns).unwrap().annotations[0].name,
        "class"
    );
}

/// `rows` by `columns` of numbers below a header; the first column is `first` for a row.
fn numbers(
    rows: usize,
    columns: usize,
    row: &str,
    column: &str,
    first: impl Fn(usize) -> String,
) -> String {
    let mut text = String::new();
    for d in 0..columns {
        write!(text, ",{column}{d}").unwrap();
    }
    text.push_str(",z\n");
    for n in 0..rows {
        write!(text, "{row}{n}").unwrap();
        for d in 0..columns {
            write!(text, ",{}.{}", (n * 7 + d * 3) % 13, (n + d) % 9).unwrap();
        }
        writeln!(text, ",{}", first(n)).unwrap();
    }
    text
}

#[test]
fn a_long_table_of_samples_is_read_as_one_without_a_target_too() {
    let measured = |n: usize| format!("{}.5", n % 7);
    // By names of rows, by names of columns, and by a column of classes beside measured ones.
    for text in [
        numbers(1000, 50, "s", "marker ", measured),
        numbers(1000, 50, "Anna ", "gene", measured),
        numbers(1000, 50, "Anna ", "marker ", |n| format!("{}", n % 2)),
        numbers(1000, 50, "Anna ", "marker ", measured).replacen(",z\n", ",status\n", 1),
    ] {
        let read = plain(&text);
        let line = text.lines().next().unwrap();
        assert_eq!(
            (read.orientation, read.matrix.samples),
            (SamplesAsRows, 1000),
            "{line}"
        );
        assert_eq!(
            read.matrix.samples,
            table(&text, &with_target("-1")).unwrap().matrix.samples
        );
    }
    // Expression tables stay what they are.
    for text in [
        numbers(1000, 50, "TP", "GSM", measured),
        numbers(1000, 50, "probe", "s", measured),
        numbers(1000, 50, "Anna ", "marker ", measured),
    ] {
        assert_eq!(plain(&text).orientation, FeaturesAsRows);
    }
}
