//! The binary readers, on small files that lie in `fixtures`, on literal bytes, and on damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::binary_help::{annotation, plain, read, same, torment};
use rfvm_io::{IoError, Orientation, ReadOptions, Source, read_feather, read_plink};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
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

/// The small files all hold the same 2 x 3 values.
fn is_tiny(source: &Source) {
    let values = [1.0, 0.0, 0.0, -3.0, 2.5, f64::NAN];
    assert_eq!((source.matrix.samples, source.matrix.features), (2, 3));
    let found = &source.matrix.values;
    assert!(
        found.len() == 6 && found.iter().zip(values).all(|(&a, b)| same(a, b)),
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
    let found = &source.matrix.values;
    assert!(
        found.len() == 5 && found.iter().zip(expected).all(|(&a, b)| same(a, b)),
        "{found:?}"
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

#[test]
fn a_part_whose_checksum_does_not_fit_is_refused() {
    let folder = TempDir::new().unwrap();
    for name in ["tiny.npz", "tiny.xlsx"] {
        let whole = fs::read(fixture(name)).unwrap();
        let path = folder.path().join(name);
        let entries: Vec<usize> = (0..whole.len())
            .filter(|&at| whole[at..].starts_with(b"PK\x01\x02"))
            .collect();
        assert!(entries.len() > 1, "{name}");
        for entry in entries {
            let mut bytes = whole.clone();
            bytes[entry + 16] ^= 1;
            fs::write(&path, bytes).unwrap();
            complains(read(&path, &ReadOptions::default()), "checksum");
        }
    }
}
