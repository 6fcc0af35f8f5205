//! The binary readers, on files made by each format's own tools, and on real data.
//!
//! One of the tests needs Python with NumPy, SciPy, h5py, AnnData, pandas, pyarrow and openpyxl (the interpreter is
//! `python3`, or what `RFVM_PYTHON` names), another the folder `../shared/data` beside the workspace; they say so where
//! they skip.

use std::fs;
use std::path::{Path, PathBuf};

use crate::binary_help::{annotation, plain, read, same, torment};
use crate::python::made_by;
use crate::skipped::skipped;
use rfvm_io::{ReadOptions, Source, read_mat73};

/// Names, or a dash where there are none.
fn named(names: &Option<Vec<String>>) -> Vec<&str> {
    match names {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => vec!["-"],
    }
}

/// Holds what was read against what Python wrote down.
fn compare(source: &Source, expected: &Path) {
    let text = fs::read_to_string(expected).unwrap();
    let file = expected.display();
    let mut feature = 0;
    let mut annotations = 0;
    for line in text.lines() {
        let mut words = line.split('\t');
        let kind = words.next().unwrap();
        let words: Vec<&str> = words.collect();
        match kind {
            "size" => {
                let size = [
                    source.matrix.samples.to_string(),
                    source.matrix.features.to_string(),
                ];
                assert_eq!(words, size, "{file}");
            }
            "features" => assert_eq!(named(&source.feature_names), words, "{file}"),
            "samples" => assert_eq!(named(&source.sample_names), words, "{file}"),
            "values" => {
                let column = source.matrix.feature(feature).unwrap();
                assert_eq!(column.len(), words.len(), "{file}");
                for (&value, word) in column.iter().zip(&words) {
                    let wanted: f64 = word.parse().unwrap();
                    assert!(
                        same(value, wanted),
                        "{file}: feature {feature}: {value} is not {wanted}"
                    );
                }
                feature += 1;
            }
            "annotation" => {
                assert_eq!(
                    annotation(source, words[0]),
                    &words[1..],
                    "{file}: {}",
                    words[0]
                );
                annotations += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(source.matrix.features, feature, "{file}");
    assert_eq!(source.annotations.len(), annotations, "{file}");
}

#[test]
fn files_made_by_the_formats_own_tools() {
    let made = made_by(
        "make_binary_files.py",
        "numpy, scipy.io, h5py, anndata, pandas, pyarrow, openpyxl",
        "rfvm-io binary_tools::files_made_by_the_formats_own_tools",
    );
    let Some(folder) = made else {
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let mut count = 0;
    for expected in files
        .iter()
        .filter(|file| file.extension().unwrap() == "expected")
    {
        let path = expected.with_extension("");
        let (path, options) = match path.extension().unwrap().to_str() {
            Some("second") => {
                let options = ReadOptions {
                    sheet: Some("second".to_owned()),
                    ..ReadOptions::default()
                };
                (path.with_extension(""), options)
            }
            _ => (path, ReadOptions::default()),
        };
        let source = read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        compare(&source, expected);
        count += 1;
    }
    assert!(count > 35, "{count} files were compared");

    let at = |name: &str| folder.path().join(name);
    let book = plain(&at("book.xlsx"));
    assert!(
        book.notes.iter().any(|note| note.contains("#N/A")),
        "{:?}",
        book.notes
    );
    let second = ReadOptions {
        sheet: Some("2".to_owned()),
        ..ReadOptions::default()
    };
    let second = read(&at("book.xlsx"), &second).unwrap();
    assert!(
        second.notes.iter().any(|note| note.contains("`2-Sep`")),
        "{:?}",
        second.notes
    );

    // A layer, and only the first features.
    for name in ["dense_gzip.h5ad", "csr_None.h5ad", "csc_gzip.h5ad"] {
        let all = plain(&at(name));
        let options = ReadOptions {
            array: Some("double".to_owned()),
            max_features: Some(2),
            ..ReadOptions::default()
        };
        let double = read(&at(name), &options).unwrap();
        assert_eq!(double.matrix.features, 2);
        assert_eq!(double.feature_names.as_ref().unwrap().len(), 2);
        let values = all.matrix.values.iter().zip(&double.matrix.values);
        assert!(values.clone().count() == 60 && values.into_iter().all(|(a, b)| a * 2.0 == *b));
    }
    assert!(read_mat73(&at("v73_packed.mat"), &ReadOptions::default()).is_ok());

    for name in [
        "archive.npz",
        "array_c.npy",
        "matrix_True.mat",
        "csr_gzip.h5ad",
        "old.h5ad",
        "views.feather",
    ] {
        let bytes = fs::read(at(name)).unwrap();
        let path = at("torment").with_extension(at(name).extension().unwrap());
        torment(&bytes, &path, bytes.len().div_ceil(200));
    }
}

#[test]
fn real_data() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        skipped(
            "rfvm-io binary_tools::real_data",
            &format!("there is no folder {}", folder.display()),
        );
        return;
    }
    for (name, samples, features, first, last) in [
        ("colon.mat", 62, 2000, "-1", "1"),
        ("lymphoma.mat", 96, 4026, "1", "1"),
        ("leukemia.mat", 72, 7070, "-1", "1"),
        ("Prostate-GE.mat", 102, 5966, "1", "2"),
        ("ALLAML.mat", 72, 7129, "1", "2"),
        ("arcene.mat", 200, 10000, "1", "-1"),
    ] {
        let source = plain(&folder.join(name));
        assert_eq!(
            (source.matrix.samples, source.matrix.features),
            (samples, features),
            "{name}"
        );
        assert!(source.orientation_certain, "{name}");
        // First and last label as SciPy gives them.
        let labels = annotation(&source, "Y");
        assert_eq!(
            (labels[0].as_str(), labels[samples - 1].as_str()),
            (first, last),
            "{name}"
        );
    }
    for (name, samples, features) in [
        ("gravier_breast.npz", 168, 2905),
        ("ALL_BCRABL_vs_NEG.npz", 79, 12625),
        ("singh_prostate.npz", 102, 12600),
        ("singh_prostate_indep.npz", 34, 12600),
        ("jacobs_ibd_metabolome.npz", 90, 4626),
        ("mb_qin2014_cirrhosis.npz", 130, 8483),
        ("khan_srbct.npz", 63, 2308),
        ("riboflavin_reg.npz", 71, 4088),
    ] {
        let source = plain(&folder.join(name));
        assert_eq!(
            (source.matrix.samples, source.matrix.features),
            (samples, features),
            "{name}"
        );
        assert!(source.orientation_certain, "{name}");
        assert_eq!(annotation(&source, "y").len(), samples, "{name}");
        if name != "riboflavin_reg.npz" {
            assert!(
                annotation(&source, "class")
                    .iter()
                    .all(|class| !class.is_empty()),
                "{name}"
            );
        }
    }
    let jacobs = plain(&folder.join("jacobs_ibd_metabolome.npz"));
    assert_eq!(annotation(&jacobs, "groups")[0], "BSD3905");
}
