//! The binary readers, on small files that lie here, on files made by each format's own tools, and on damaged files.
//!
//! One of the tests needs Python with NumPy, SciPy, h5py, AnnData, pandas, pyarrow and openpyxl (the interpreter is
//! `python3`, or what `RFVM_PYTHON` names), another the folder `../shared/data` beside the workspace; they say so where
//! they skip.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rfvm_io::{
    IoError, Orientation, ReadOptions, Source, read_feather, read_h5ad, read_mat_source,
    read_mat73, read_npy_source, read_npz_source, read_parquet, read_plink, read_xlsx,
};
use tempfile::TempDir;

fn read(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    match path.extension().unwrap().to_str().unwrap() {
        "npy" => read_npy_source(path, options),
        "npz" => read_npz_source(path, options),
        "mat" => read_mat_source(path, options),
        "h5ad" => read_h5ad(path, options),
        "parquet" => read_parquet(path, options),
        "feather" => read_feather(path, options),
        "xlsx" => read_xlsx(path, options),
        "bed" => read_plink(path, options),
        other => panic!("{other}"),
    }
}

fn plain(path: &Path) -> Source {
    read(path, &ReadOptions::default()).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn annotation<'a>(source: &'a Source, name: &str) -> &'a [String] {
    let found = source.annotations.iter().find(|a| a.name == name);
    &found
        .unwrap_or_else(|| panic!("no {name} in {source:?}"))
        .values
}

/// The message of an error, which must be a single line that names the file and has these words.
fn complains<T: std::fmt::Debug>(result: Result<T, IoError>, words: &str) {
    let error = result.unwrap_err();
    let message = error.to_string();
    let path = error.path().to_str().unwrap();
    assert!(
        message.contains(path) && !message.contains('\n'),
        "{message}"
    );
    assert!(
        message.contains(words),
        "{message:?} does not say {words:?}"
    );
}

fn skipped(test: &str, why: &str) {
    let line = format!("SKIPPED {test}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Whether two numbers are the same, sign of zero and all; any NaN is as good as another.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The small files all hold the same 2 x 3 values.
fn is_tiny(source: &Source) {
    let values = [1.0, 0.0, 0.0, -3.0, 2.5, f64::NAN];
    assert_eq!((source.matrix.samples, source.matrix.features), (2, 3));
    let found = &source.matrix.values;
    assert!(
        found.iter().zip(values).all(|(&a, b)| same(a, b)),
        "{found:?}"
    );
    assert_eq!(source.feature_names.as_ref().unwrap(), &["g1", "g2", "g3"]);
}

#[test]
fn small_files() {
    for name in ["tiny.parquet", "tiny.feather", "tiny.xlsx"] {
        let source = plain(&fixture(name));
        is_tiny(&source);
        assert_eq!(source.orientation, Orientation::SamplesAsRows, "{name}");
        assert_eq!(
            source.sample_names.as_ref().unwrap(),
            &["p1", "p2"],
            "{name}"
        );
        assert_eq!(annotation(&source, "class"), ["a", "b"], "{name}");
        assert_eq!(source.annotations.len(), 1, "{name}");
    }
    let source = plain(&fixture("tiny.h5ad"));
    is_tiny(&source);
    assert!(source.orientation_certain);
    assert_eq!(source.sample_names.as_ref().unwrap(), &["p1", "p2"]);
    assert_eq!(annotation(&source, "kind"), ["b", "a"]);
    assert_eq!(annotation(&source, "n"), ["7", "8"]);
    let source = plain(&fixture("tiny_v73.mat"));
    is_tiny(&source);
    assert_eq!(annotation(&source, "Y"), ["1", "-1"]);
}

#[test]
fn what_the_caller_knows() {
    for name in ["tiny.parquet", "tiny.feather", "tiny.xlsx"] {
        let path = fixture(name);
        let with = |options: ReadOptions| read(&path, &options).unwrap();
        // A feature that is the target is none.
        let source = with(ReadOptions {
            target: Some("g2".to_owned()),
            ..ReadOptions::default()
        });
        assert!(source.orientation_certain);
        assert_eq!(source.feature_names.as_ref().unwrap(), &["g1", "g3"]);
        assert_eq!(annotation(&source, "g2"), ["0", "-3"]);
        let source = with(ReadOptions {
            max_features: Some(1),
            ..ReadOptions::default()
        });
        assert_eq!(source.matrix.values, [1.0, 0.0]);
        // A name of a row is the target, or columns are the samples: features are rows.
        for options in [
            ReadOptions {
                target: Some("p2".to_owned()),
                ..ReadOptions::default()
            },
            ReadOptions {
                sample_names: Some(vec!["g3".to_owned(), "g1".to_owned()]),
                ..ReadOptions::default()
            },
        ] {
            let source = with(options.clone());
            assert_eq!(source.orientation, Orientation::FeaturesAsRows, "{name}");
            assert!(source.orientation_certain);
            assert_eq!(source.sample_names.as_ref().unwrap(), &["g1", "g2", "g3"]);
            let first = source.matrix.feature(0).unwrap();
            assert_eq!(first, [1.0, 0.0, 2.5], "{name}");
            if options.target.is_some() {
                assert_eq!(source.feature_names.as_ref().unwrap(), &["p1"]);
                assert_eq!(annotation(&source, "p2"), ["0", "-3", ""]);
            }
        }
        let sample = ReadOptions {
            sample_names: Some(vec!["p2".to_owned()]),
            ..ReadOptions::default()
        };
        assert_eq!(with(sample).orientation, Orientation::SamplesAsRows);
    }
    let turned = ReadOptions {
        orientation: Some(Orientation::FeaturesAsRows),
        ..ReadOptions::default()
    };
    let source = read(&fixture("tiny.h5ad"), &turned).unwrap();
    assert_eq!((source.matrix.samples, source.matrix.features), (3, 2));
    assert_eq!(source.feature_names.as_ref().unwrap(), &["p1", "p2"]);
    assert_eq!(source.matrix.feature(0).unwrap(), [1.0, 0.0, 2.5]);
}

#[test]
fn wrong_files_are_named() {
    let folder = TempDir::new().unwrap();
    for extension in ["npy", "npz", "mat", "h5ad", "parquet", "feather", "xlsx"] {
        let path = folder.path().join("none").with_extension(extension);
        complains(read(&path, &ReadOptions::default()), "cannot read");
        let path = folder.path().join("text").with_extension(extension);
        fs::write(&path, "id,class,a\ns1,x,0.5\n".repeat(40)).unwrap();
        complains(read(&path, &ReadOptions::default()), "cannot read");
        let path = folder.path().join("empty").with_extension(extension);
        fs::write(&path, "").unwrap();
        complains(read(&path, &ReadOptions::default()), "cannot read");
    }
    let options = ReadOptions {
        sheet: Some("other".to_owned()),
        ..ReadOptions::default()
    };
    complains(
        read(&fixture("tiny.xlsx"), &options),
        "its sheets are Sheet",
    );
    let options = ReadOptions {
        array: Some("other".to_owned()),
        ..ReadOptions::default()
    };
    complains(read(&fixture("tiny.h5ad"), &options), "its matrices are X");
    complains(
        read(&fixture("tiny_v73.mat"), &options),
        "arrays of numbers are",
    );
    let path = folder.path().join("old.feather");
    fs::write(&path, b"FEA1....FEA1").unwrap();
    complains(read_feather(&path, &ReadOptions::default()), "version 1");
}

/// Writes genotypes of `people` individuals and `snps` SNPs.
fn genotypes(folder: &TempDir, bed: &[u8], people: usize, snps: usize) -> PathBuf {
    let at = |extension: &str| folder.path().join("torment").with_extension(extension);
    fs::write(at("bed"), bed).unwrap();
    let fam: String = (0..people)
        .map(|i| format!("f {i} 0 0 {} {}\n", i % 3, i % 2 + 1))
        .collect();
    fs::write(at("fam"), fam).unwrap();
    let bim: String = (0..snps).map(|i| format!("1 rs{i} 0 {i} A C\n")).collect();
    fs::write(at("bim"), bim).unwrap();
    at("bed")
}

#[test]
fn plink_genotypes() {
    let folder = TempDir::new().unwrap();
    let options = ReadOptions::default();
    // 5 individuals: bits 00, 01, 10, 11 and 10 from the lowest on.
    let path = genotypes(&folder, &[0x6c, 0x1b, 1, 0b1110_0100, 0b10], 5, 1);
    let source = read_plink(&path, &options).unwrap();
    let expected = [2.0, f64::NAN, 1.0, 0.0, 1.0];
    assert!(
        source
            .matrix
            .values
            .iter()
            .zip(expected)
            .all(|(&a, b)| same(a, b))
    );
    assert_eq!(
        annotation(&source, "sex"),
        ["", "male", "female", "", "male"]
    );
    assert_eq!(annotation(&source, "phenotype"), ["1", "2", "1", "2", "1"]);
    assert_eq!(source.feature_names.unwrap(), ["rs0"]);
    assert_eq!(source.sample_names.unwrap(), ["0", "1", "2", "3", "4"]);
    // Given one of its siblings, the same is read.
    let sibling = path.with_extension("bim");
    assert_eq!(read_plink(&sibling, &options).unwrap().matrix.features, 1);

    let bad = |bytes: &[u8], words: &str| {
        let path = genotypes(&folder, bytes, 5, 1);
        complains(read_plink(&path, &options), words);
    };
    bad(&[0x6c, 0x1b, 0, 0, 0], "individual after individual");
    bad(&[0x6c, 0x1b, 7, 0, 0], "mode 0x07");
    bad(&[0x6c, 0x1c, 1, 0, 0], "6c 1b");
    bad(&[0x6c, 0x1b, 1, 0], "take 5 bytes, but it has 4");
    bad(&[0x6c], "1 bytes");
    fs::write(path.with_extension("fam"), "a b c\n").unwrap();
    complains(read_plink(&path, &options), "line 1: it has 3 words");
    fs::remove_file(path.with_extension("fam")).unwrap();
    complains(read_plink(&path, &options), "torment.fam");
}

/// Cuts a file at many lengths and damages many of its bytes: the reader must always come back with a sentence. Only the
/// decoders of Parquet and Excel, which assert where they should complain, may have panicked inside.
fn torment(bytes: &[u8], path: &Path, every: usize) {
    let extension = path.extension().unwrap();
    let may_panic = extension == "parquet" || extension == "xlsx";
    let check = |bytes: &[u8], what: &str| {
        fs::write(path, bytes).unwrap();
        if let Err(error) = read(path, &ReadOptions::default()) {
            let message = error.to_string();
            let one_sentence = message.contains("torment") && !message.contains('\n');
            assert!(one_sentence, "{what}: {message}");
            let panicked = message.contains("not ready for");
            assert!(may_panic || !panicked, "{what}: {message}");
        }
    };
    for length in (0..bytes.len()).step_by(every) {
        check(&bytes[..length], &format!("cut at {length}"));
    }
    let mut damaged = bytes.to_vec();
    for place in (0..bytes.len()).step_by(every) {
        for byte in [0, 0xff, bytes[place] ^ 1] {
            damaged[place] = byte;
            check(&damaged, &format!("byte {place} is {byte:#x}"));
        }
        damaged[place] = bytes[place];
    }
}

#[test]
fn no_damage_makes_a_reader_panic() {
    // All bytes where RFVM_TORMENT is set, which takes minutes.
    let every = if std::env::var_os("RFVM_TORMENT").is_some() {
        1
    } else {
        7
    };
    let folder = TempDir::new().unwrap();
    for name in [
        "tiny.h5ad",
        "tiny_v73.mat",
        "tiny.parquet",
        "tiny.feather",
        "tiny.xlsx",
    ] {
        let original = fixture(name);
        let path = folder.path().join("torment");
        let path = path.with_extension(original.extension().unwrap());
        torment(&fs::read(original).unwrap(), &path, every);
    }
    let path = genotypes(&folder, &[0x6c, 0x1b, 1, 0b1110_0100, 0b10], 5, 1);
    torment(&fs::read(&path).unwrap(), &path, 1);
}

/// The interpreter, if it is there and has what is needed.
fn python() -> Option<String> {
    let python = std::env::var("RFVM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let modules = "import numpy, scipy.io, h5py, anndata, pandas, pyarrow, openpyxl";
    let found = Command::new(&python).args(["-c", modules]).output();
    found
        .is_ok_and(|output| output.status.success())
        .then_some(python)
}

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
    assert_eq!(source.annotations.len(), annotations, "{file}");
}

#[test]
fn files_made_by_the_formats_own_tools() {
    let test = "files_made_by_the_formats_own_tools";
    let Some(python) = python() else {
        let why = "no Python with NumPy, SciPy, h5py, AnnData, pandas, pyarrow and openpyxl (RFVM_PYTHON can name one)";
        skipped(test, why);
        return;
    };
    let folder = TempDir::new().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/make_binary_files.py");
    let made = Command::new(python)
        .arg(script)
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
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
            "real_data",
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
