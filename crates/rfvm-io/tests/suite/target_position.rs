//! A target by its position: columns as the file has them, from 1, or from -1 at the end. A column's name comes first.

use std::fs;
use std::path::{Path, PathBuf};

use rfvm::Target;
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset, read};
use tempfile::TempDir;

/// The values of this target and the names of the features, where the target is found.
fn target(path: &Path, column: &str) -> Option<(String, String)> {
    let options = ReadOptions {
        target: Some(column.to_owned()),
        ..ReadOptions::default()
    };
    let source = read(path, &options).unwrap();
    let found = source.annotations.iter().find(|one| one.name == column)?;
    let features = source.feature_names.unwrap();
    Some((found.values.join(" "), features.join(" ")))
}

/// Holds a target against its values and the features that are left.
fn is(path: &Path, column: &str, values: &str, features: &str) {
    let expected = Some((values.to_owned(), features.to_owned()));
    assert_eq!(
        target(path, column),
        expected,
        "{}: {column}",
        path.display()
    );
}

/// The classes and the notes of a data set, or the error.
fn classes(path: &Path, column: &str, labels: Option<&Path>) -> Result<String, String> {
    let target = TargetChoice {
        column: Some(column.to_owned()),
        labels: labels.map(Path::to_owned),
        ..TargetChoice::default()
    };
    let (options, features) = (ReadOptions::default(), FeatureChoice::default());
    let loaded = load_dataset(&[path.to_owned()], &options, &target, &features);
    let loaded = loaded.map_err(|error| error.to_string())?;
    let Target::Classes { names, .. } = loaded.data.target() else {
        panic!("{:?}", loaded.data.target());
    };
    Ok(format!("{} | {}", names.join(" "), loaded.notes.join("; ")))
}

fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn in_text_tables() {
    let folder = TempDir::new().unwrap();
    let table = "id,g1,class,g2,site\np1,1,a,2,n\np2,2,b,3,s\np3,3,a,5,n\np4,5,b,7,s\n";
    let path = file(&folder, "table.csv", table);
    for class in ["class", "3", "-3"] {
        is(&path, class, "a b a b", "g1 g2");
    }
    for site in ["5", "-1"] {
        is(&path, site, "n s n s", "g1 g2");
    }
    is(&path, "2", "1 2 3 5", "g2");
    is(&path, "-2", "2 3 5 7", "g1");
    is(&path, "1", "p1 p2 p3 p4", "g1 g2");
    let unclear = "neither 'a' nor 'b' tells which class is the positive one; probabilities are of 'b' (--positive names another)";
    let unclear = format!("not used as features: 'site' (text); {unclear}");
    let note = format!("a b | the target, column -3, is 'class'; {unclear}");
    assert_eq!(classes(&path, "-3", None).unwrap(), note);
    let note = format!("a b | {unclear}");
    assert_eq!(classes(&path, "class", None).unwrap(), note);
    for wrong in ["0", "6", "-6", "1.0", "gone"] {
        let message = classes(&path, wrong, None).unwrap_err();
        for words in [
            &format!("no column '{wrong}'"),
            "from 1, or from -1 at the end",
            "'class', 'site'",
        ] {
            assert!(message.contains(words), "{message}");
        }
    }
}

#[test]
fn a_name_comes_before_a_position() {
    let folder = TempDir::new().unwrap();
    let text = "id\t3\t1\t2\np1\t0.5\tx\t1\np2\t1.5\ty\t2\np3\t2.5\tx\t3\np4\t3.5\ty\t4\n";
    let path = file(&folder, "numbered.tsv", text);
    is(&path, "1", "x y x y", "3 2");
    is(&path, "4", "1 2 3 4", "3");
    // Rows that are called by numbers are no targets where a column has that position.
    let text = "id,class,g\n1,x,0.5\n2,y,1.5\n3,x,2.5\n4,y,3.5\n";
    let path = file(&folder, "rows.csv", text);
    is(&path, "2", "x y x y", "g");
}

#[test]
fn without_names() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "bare.csv", "1.5,2,a\n2.5,3,b\n3.5,4,a\n4.5,6,b\n");
    for last in ["-1", "3"] {
        is(&path, last, "a b a b", "f1 f2");
    }
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").as_bytes());
    for value in [
        0.0, 7.5, 1.5, 1.0, 8.5, 2.5, 0.0, 9.5, 3.5, 1.0, 6.5, 4.5_f64,
    ] {
        bytes.extend(value.to_le_bytes());
    }
    let path = folder.path().join("array.npy");
    fs::write(&path, bytes).unwrap();
    for first in ["1", "-3"] {
        is(&path, first, "0 1 0 1", "f2 f3");
    }
    is(&path, "-1", "1.5 2.5 3.5 4.5", "f1 f2");
    assert_eq!(target(&path, "4"), None);
}

#[test]
fn in_typed_columns_and_workbooks() {
    for name in ["tiny.parquet", "tiny.feather", "tiny.xlsx"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let path = folder.join(name);
        for class in ["class", "5", "-1"] {
            is(&path, class, "a b", "g1 g2 g3");
        }
        for feature in ["g1", "2", "-4"] {
            is(&path, feature, "1 0", "g2 g3");
        }
        assert_eq!(target(&path, "6"), None, "{name}");
        assert_eq!(target(&path, "0"), None, "{name}");
    }
}

#[test]
fn in_label_files() {
    let folder = TempDir::new().unwrap();
    let table = "id,g1,g2\np1,1,2\np2,2,3\np3,3,5\np4,5,7\n";
    let table = file(&folder, "table.csv", table);
    let text = "sample,age,class\np1,50,a\np2,60,b\np3,50,a\np4,60,b\n";
    let labels = file(&folder, "labels.csv", text);
    let with = |column: &str| classes(&table, column, Some(&labels));
    for class in ["class", "3", "-1"] {
        let told = with(class).unwrap();
        assert!(
            told.starts_with(
                "a b | not used as features: 'age' (in the label file); neither 'a' nor 'b' tells"
            ),
            "{told}"
        );
    }
    assert!(with("2").unwrap().starts_with("50 60 | "));
    let message = with("4").unwrap_err();
    assert!(message.contains("no column '4'"), "{message}");
    assert!(message.contains("'class', 'age'"), "{message}");
}
