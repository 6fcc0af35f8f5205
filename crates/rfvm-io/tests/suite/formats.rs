//! GCT, CLS, GEO series matrices, svmlight and the files of DOROTHEA, on literal bytes and on real data.

use std::fs;
use std::path::{Path, PathBuf};

use crate::helpers::{
    complains, features, file, gzip, notes_on, samples, torment, values, with_target,
};
use crate::skipped::skipped;
use rfvm_io::{
    IoError, Orientation, ReadOptions, Source, read_cls, read_dorothea, read_gct, read_geo,
    read_svmlight,
};

const GCT2: &str =
    "#1.2\n2\t3\nNAME\tDescription\ts1\ts2\ts3\ng1\tone\t1\t2.5\t\ng2\ttwo\t-1\tNA\t4\n";
const GCT3: &str = "#1.3\n2\t3\t1\t2\nid\tsymbol\ts1\ts2\ts3\nsex\tna\tF\tM\tF\nage\tna\t40\t50\tNA\n\
                    g1\tTP53\t1\t2\t3\ng2\tMYC\t4\t5\t6\n";
const GEO: &str = "!Series_title\t\"A series of\r\nlines\"\n!Sample_title\t\"one\"\t\"two\"\n\
    !Sample_geo_accession\t\"GSM1\"\t\"GSM2\"\n!Sample_source_name_ch1\t\"blood\"\t\"bone\"\n\
    !Sample_characteristics_ch1\t\"sex: F\"\t\"age: 50\"\n!Sample_characteristics_ch1\t\"age: 40\"\t\"\"\n\
    !Sample_characteristics_ch1\t\"disease state: a:b\"\t\"disease state: NA\"\n!series_matrix_table_begin\n\
    \"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n\"1007_s_at\"\t7.5\t8\n\"odd\rname\"\tnull\t-1\n!series_matrix_table_end\n";
const SVM: &str = "# made by hand\n+1 1:0.5 3:-2 # first\n-1 qid:7 2:1e3\n\n1\n";

fn none() -> ReadOptions {
    ReadOptions::default()
}

fn read<T>(bytes: &[u8], reader: impl Fn(&Path, &ReadOptions) -> T) -> T {
    reader(&file("test", bytes).path, &none())
}

#[test]
fn gct() {
    let source = read(GCT2.as_bytes(), read_gct).unwrap();
    assert_eq!(
        (source.format.as_str(), source.orientation),
        ("GCT 1.2", Orientation::FeaturesAsRows)
    );
    assert!(source.orientation_certain);
    assert_eq!(
        (features(&source), samples(&source)),
        (vec!["g1", "g2"], vec!["s1", "s2", "s3"])
    );
    assert_eq!(values(&source), [1., 2.5, -1000., -1., -1000., 4.]);
    let windows = GCT2.replace('\n', "\t\r\n");
    assert_eq!(
        values(&read(windows.as_bytes(), read_gct).unwrap()),
        values(&source)
    );
    let target = read_gct(&file("t.gct", GCT2).path, &with_target("g1")).unwrap();
    assert_eq!(
        (features(&target), notes_on(&target)),
        (vec!["g2"], vec![("g1", vec!["1", "2.5", ""])])
    );

    let source = read(&gzip(GCT3.as_bytes()), read_gct).unwrap();
    assert_eq!(
        (source.format.as_str(), features(&source)),
        ("GCT 1.3, gzip", vec!["g1", "g2"])
    );
    assert_eq!(
        notes_on(&source),
        [("sex", vec!["F", "M", "F"]), ("age", vec!["40", "50", ""])]
    );
    assert_eq!(values(&source), [1., 2., 3., 4., 5., 6.]);
    let most = ReadOptions {
        max_features: Some(1),
        ..none()
    };
    assert_eq!(
        features(&read_gct(&file("m.gct", GCT3).path, &most).unwrap()),
        ["g1"]
    );

    for (text, words) in [
        ("", "line 1: `` is neither #1.2 nor #1.3"),
        ("#1.1\n", "line 1: `#1.1` is neither"),
        ("#1.2\n2 x\n", "line 2: `2 x` is not two numbers"),
        ("#1.3\n2\t3\n", "line 2: `2 3` is not four numbers"),
        ("#1.2\n2\t3\n", "line 3: it ends before the names"),
        ("#1.2\n2\t0\nn\td\n", "line 2: `2 0` is not"),
        (
            "#1.2\n2\t3\nn\td\ts1\n",
            "line 3: it has 3 names where 3 samples and 2 before them are declared",
        ),
        (
            "#1.2\n1\t2\nn\td\ts1\ts2\ng\th\t1\n",
            "line 4: it has 3 cells where the table has 4 columns",
        ),
        (
            "#1.2\n3\t1\nn\td\ts1\ng\th\t1\n",
            "declares 3 rows of features and has 1",
        ),
        ("#1.3\n1\t1\t0\t2\nn\ts1\nsex\tF\n", "cut short"),
        ("#1.3\n1\t1\t0\t1\nn\ts1\nsex\n", "line 4: it has 1 cell"),
        ("#1.2\n1\t18446744073709551615\nn\td\n", "impossibly large"),
        (
            "#1.3\n1\t1\t18446744073709551610\t18446744073709551610\nn\td\n",
            "line 3",
        ),
    ] {
        complains(read(text.as_bytes(), read_gct), words);
    }
    // A row of nothing but text is an annotation, as everywhere.
    let text = read(b"#1.2\n1\t1\nn\td\ts1\ng\th\tx\n", read_gct).unwrap();
    assert_eq!(notes_on(&text), [("g", vec!["x"])]);
}

#[test]
fn cls() {
    let labels = |text: &str| read_cls(&file("test.cls", text).path);
    assert_eq!(
        labels("4 2 1\n# ALL AML\n0 0 1 0\n").unwrap(),
        ["ALL", "ALL", "AML", "ALL"]
    );
    assert_eq!(
        labels("3 2 1\r\n#ALL\tAML\r\n1 0 1\r\n").unwrap(),
        ["ALL", "AML", "ALL"]
    );
    assert_eq!(
        labels("3 2 1\n# ALL AML\nAML ALL\nAML").unwrap(),
        ["AML", "ALL", "AML"]
    );
    assert_eq!(
        labels("3 2 1\n# ALL AML\nu v u").unwrap(),
        ["ALL", "AML", "ALL"]
    );
    for (text, words) in [
        ("", "line 1: `` is not three whole numbers"),
        ("#numeric\n#age\n1 2 3\n", "#numeric"),
        ("3 2\n", "line 1: `3 2`"),
        ("3 2 1\nALL AML\n", "line 2: `ALL AML` is not #"),
        (
            "3 2 1\n# ALL\n",
            "line 2: it has 1 class name where 2 are declared",
        ),
        (
            "3 2 1\n# ALL AML\n0 1\n",
            "line 3: it has 2 labels where 3 are declared",
        ),
        (
            "3 2 1\n# ALL AML\n0 1 2\n",
            "line 3: `2` is one label more than there are classes",
        ),
    ] {
        complains(labels(text), words);
    }
    torment("t.cls", b"3 2 1\n# ALL AML\n0 1 0\n", |path| {
        read_cls(path).map(drop)
    });
}

#[test]
fn geo() {
    for bytes in [GEO.as_bytes().to_vec(), gzip(GEO.as_bytes())] {
        let source = read(&bytes, read_geo).unwrap();
        assert!(source.format.starts_with("GEO series matrix") && source.orientation_certain);
        assert_eq!(
            (features(&source), samples(&source)),
            (vec!["1007_s_at", "odd\rname"], vec!["GSM1", "GSM2"])
        );
        assert_eq!(values(&source), [7.5, 8., -1000., -1.]);
        assert_eq!(
            notes_on(&source),
            [
                ("title", vec!["one", "two"]),
                ("source_name", vec!["blood", "bone"]),
                ("sex", vec!["F", ""]),
                ("age", vec!["40", "50"]),
                ("disease state", vec!["a:b", ""]),
            ]
        );
    }
    let table = GEO.find("\"1007").unwrap();
    let end = GEO.find("!series_matrix_table_end").unwrap();
    let empty = [&GEO[..table], &GEO[end..]].concat();
    complains(
        read(empty.as_bytes(), read_geo),
        "stores its data elsewhere",
    );
    let header = GEO.find("\"ID_REF").unwrap();
    complains(
        read([&GEO[..header], &GEO[end..]].concat().as_bytes(), read_geo),
        "stores its data elsewhere",
    );
    complains(read(&GEO.as_bytes()[..header], read_geo), "cut short");
    complains(
        read(&GEO.as_bytes()[..end], read_geo),
        "no line !series_matrix_table_end",
    );
    complains(
        read(b"!Series_title\t\"x\"\n", read_geo),
        "no line !series_matrix_table_begin",
    );
    complains(
        read(
            GEO.replace("\"two\"", "\"two\"\t\"three\"").as_bytes(),
            read_geo,
        ),
        "line 3: `!Sample_title` has 3 values",
    );
    complains(
        read(GEO.replace("7.5\t8", "7.5\t8\t9").as_bytes(), read_geo),
        "line 11: it has 4 cells where the table has 3 columns",
    );
    let twenty: String = (0..20).map(|i| format!("\t\"GSM{i}\"")).collect();
    let numbers = "\t1".repeat(19);
    let text = format!(
        "!series_matrix_table_begin\n\"ID_REF\"{twenty}\n\"g\"\tx{numbers}\n!series_matrix_table_end\n"
    );
    complains(
        read(text.as_bytes(), read_geo),
        "line 3, column `GSM0`: `x` is text in a number column",
    );
}

#[test]
fn svmlight() {
    let source = read(SVM.as_bytes(), read_svmlight).unwrap();
    assert_eq!((source.matrix.samples, source.matrix.features), (3, 3));
    assert_eq!(values(&source), [0.5, 0., 0., 0., 1e3, 0., -2., 0., 0.]);
    assert_eq!(notes_on(&source), [("label", vec!["+1", "-1", "1"])]);
    let zero = read(b"a 0:1 2:3\nb 1:2\n", read_svmlight).unwrap();
    assert_eq!(
        (zero.matrix.features, values(&zero)),
        (3, vec![1., 0., 0., 2., 3., 0.])
    );
    let most = ReadOptions {
        max_features: Some(2),
        ..none()
    };
    assert_eq!(
        values(&read_svmlight(&file("s", gzip(SVM.as_bytes())).path, &most).unwrap()),
        [0.5, 0., 0., 0., 1e3, 0.]
    );
    for (text, words) in [
        ("", "no samples"),
        ("# nothing\n", "no samples"),
        (
            "1 1:2\n1:5 2:3\n",
            "line 2: `1:5` stands where the label should",
        ),
        ("1 1:2\n1 x\n", "line 2: `x` is not of the form index:value"),
        ("1 1:\n", "line 1: `1:` is not of the form"),
        ("1 -1:2\n", "line 1: `-1:2` is not of the form"),
        ("1 2:2 2:3\n", "line 1: `2:3` is out of order"),
        ("1 18446744073709551615:1\n1 1:1\n", "--max-memory"),
        ("1 0:1 18446744073709551615:1\n", "--max-memory"),
    ] {
        complains(read(text.as_bytes(), read_svmlight), words);
    }
    let size = format!("1 {}:1\n1 1:1", 1 << 27);
    complains(
        read(size.as_bytes(), read_svmlight),
        "its 2 samples by 134217728 features",
    );
}

#[test]
fn dorothea() {
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("x_train.data"), "1 3\n\n2\n").unwrap();
    let source = read_dorothea(&at("x_train.data"), &none()).unwrap();
    assert!(source.annotations.is_empty() && source.notes[0].contains("x_train.labels"));
    fs::write(at("x_train.labels"), "1\n-1\n1\n").unwrap();
    let source = read_dorothea(&at("x_train.data"), &none()).unwrap();
    assert_eq!(values(&source), [1., 0., 0., 0., 0., 1., 1., 0., 0.]);
    assert_eq!(notes_on(&source), [("label", vec!["1", "-1", "1"])]);
    fs::write(at("x_train.labels"), "1\n-1\n").unwrap();
    complains(
        read_dorothea(&at("x_train.data"), &none()),
        "it has 2 labels",
    );
}

#[test]
fn no_damage_makes_them_panic() {
    let discard = |result: Result<Source, IoError>| result.map(drop);
    torment("t", GCT2.as_bytes(), |path| {
        discard(read_gct(path, &none()))
    });
    torment("t", GCT3.as_bytes(), |path| {
        discard(read_gct(path, &none()))
    });
    torment("t", GEO.as_bytes(), |path| discard(read_geo(path, &none())));
    torment("t", SVM.as_bytes(), |path| {
        discard(read_svmlight(path, &none()))
    });
}

#[test]
fn real_data() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.join("golub").is_dir() {
        skipped(
            "rfvm-io formats::real_data",
            &format!("there is no folder {}", folder.join("golub").display()),
        );
        return;
    }
    let source = read_gct(&folder.join("golub/golub.gct"), &none()).unwrap();
    assert_eq!((source.matrix.samples, source.matrix.features), (72, 7129));
    assert_eq!(source.sample_names.as_ref().unwrap()[71], "patient_72");
    assert_eq!(source.feature_names.as_ref().unwrap()[0], "AFFX-BioB-5_at");
    assert!(
        source.annotations.is_empty() && !source.matrix.values.iter().any(|value| value.is_nan())
    );
    let classes = read_cls(&folder.join("golub/golub.cls")).unwrap();
    assert_eq!(
        (
            classes.len(),
            classes.iter().filter(|&class| class == "AML").count()
        ),
        (72, 25)
    );
    let actual = rfvm_io::read_delimited(&folder.join("golub/actual.csv"), &none()).unwrap();
    assert_eq!(actual.annotations[0].values, classes);
    assert_eq!(actual.sample_names.unwrap()[71], "72");

    for (name, number, active) in [("train", 800, 78), ("valid", 350, 34)] {
        let most = ReadOptions {
            max_features: Some(100),
            ..none()
        };
        let source = read_dorothea(
            &folder.join(format!("dorothea/dorothea_{name}.data")),
            &most,
        )
        .unwrap();
        assert_eq!(
            (source.matrix.samples, source.matrix.features),
            (number, 100)
        );
        let ones = source.annotations[0]
            .values
            .iter()
            .filter(|&label| label == "1");
        assert_eq!(ones.count(), active);
    }
}
