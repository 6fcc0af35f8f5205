//! Files damaged at random, a small one of each format: a reader ends in a table that fits together or in one sentence,
//! within little memory and time. What fuzzing found lies here too.
#![allow(clippy::unwrap_used)]

mod memory_help;

use std::fs;
use std::path::{Path, PathBuf};

use rfvm_io::{
    FeatureChoice, IoError, ReadOptions, Source, TargetChoice, load_dataset, read, read_cls,
    read_delimited, read_dorothea, read_feather, read_gct, read_geo, read_h5ad, read_labels,
    read_mat_source, read_mat73, read_npy_source, read_npz_source, read_parquet, read_plink,
    read_svmlight, read_xlsx,
};
use tempfile::TempDir;

type Reader = fn(&Path, &ReadOptions) -> Result<Source, IoError>;

const GCT: &[u8] = b"#1.3\n2\t3\t1\t1\nid\tnote\tp1\tp2\tp3\nclass\tna\ta\tb\ta\ng1\tx\t1\t2\t3\ng2\ty\t4\t\t-1e5\n";
const GEO: &[u8] = b"!Series_title\t\"x\"\n!Sample_title\t\"p1\"\t\"p2\"\n!Sample_characteristics_ch1\t\"sex: f\"\t\"sex: m\"\n\
    !series_matrix_table_begin\n\"ID_REF\"\t\"p1\"\t\"p2\"\n\"g1\"\t1\t2.5\n\"g2\"\t\t-3\n!series_matrix_table_end\n";
const CSV: &[u8] = b"sample,age,class,crp\np1,40,ill,1.5\np2,51,\"w\"\"ell\",NA\np3,62,ill,-2e-1\n";
const BIM: &[u8] = b"3\trs1\t0\t1\tA\tG\n3\t.\t0\t2\tA\tG\n3\trs3\t0\t3\tA\tG\n";
const FAM: &[u8] = b"f1 p1 0 0 1 1\nf1 p2 0 0 2 2\nf2 p3 0 0 0 -9\nf2 p4 0 0 1 1\nf3 p5 0 0 2 2\n";
const BED: &[u8] = b"\x6c\x1b\x01\xe4\x02\x1b\x00\x27\x01";
const CLS: &[u8] = b"4 2 1\n# a b\n0 1 0 1\n";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(folder.join(name)).unwrap()
}

/// A small whole file of each format, with the suffix it gets and its reader.
fn small_files() -> Vec<(&'static str, Vec<u8>, Reader)> {
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, CSV).unwrap();
        encoder.finish().unwrap()
    };
    vec![
        ("csv", CSV.to_vec(), read_delimited),
        ("csv.gz", gzip, read_delimited),
        ("csv.zst", zstd::encode_all(CSV, 3).unwrap(), read_delimited),
        ("gct", GCT.to_vec(), read_gct),
        ("txt", GEO.to_vec(), read_geo),
        (
            "svm",
            b"+1 1:0.5 3:2 # x\n-1 qid:1 2:1\n".to_vec(),
            read_svmlight,
        ),
        ("data", b"3 9 100 \n1 2 \n7\n".to_vec(), read_dorothea),
        ("dat", CSV.to_vec(), read),
        ("npy", fixture("tiny.npy"), read_npy_source),
        ("npz", fixture("tiny.npz"), read_npz_source),
        ("mat", fixture("tiny_v7.mat"), read_mat_source),
        ("mat", fixture("tiny_v73.mat"), read_mat73),
        ("h5ad", fixture("tiny.h5ad"), read_h5ad),
        ("h5ad", fixture("tiny_old.h5ad"), read_h5ad),
        ("parquet", fixture("tiny.parquet"), read_parquet),
        ("feather", fixture("tiny.feather"), read_feather),
        ("xlsx", fixture("tiny.xlsx"), read_xlsx),
    ]
}

/// What must be true of whatever comes back; gives the message of an error.
fn check(result: Result<Source, IoError>, what: &str) -> String {
    match result {
        Ok(source) => {
            let (samples, features) = (source.matrix.samples, source.matrix.features);
            assert_eq!(source.matrix.values.len(), samples * features, "{what}");
            let named = |names: Option<Vec<String>>| names.map(|names| names.len());
            assert!(named(source.feature_names).is_none_or(|count| count == features));
            assert!(named(source.sample_names).is_none_or(|count| count == samples));
            let mut notes = source.annotations.iter();
            assert!(notes.all(|note| note.values.len() == samples), "{what}");
            String::new()
        }
        Err(error) => one_sentence(error, what),
    }
}

fn one_sentence(error: IoError, what: &str) -> String {
    let message = error.to_string();
    assert!(
        message.contains("damaged.") && !message.contains('\n'),
        "{what}: {message:?}"
    );
    message
}

/// Numbers at random, always the same ones.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// Cuts at many lengths, and copies with one to eight bytes changed: a bit, or all of the byte.
fn damage(bytes: &[u8], copies: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let mut dice = Dice(0x5eed);
    let step = bytes.len().div_ceil(100);
    let cuts = (0..bytes.len()).step_by(step);
    let cuts = cuts.map(|length| (format!("cut at {length}"), bytes[..length].to_vec()));
    let changed = (0..copies).map(move |number| {
        let mut copy = bytes.to_vec();
        for _ in 0..=dice.below(8) {
            let place = dice.below(bytes.len());
            copy[place] = match dice.below(4) {
                0 => 0xff,
                1 => dice.below(256) as u8,
                _ => copy[place] ^ (1 << dice.below(8)),
            };
        }
        (format!("copy {number}"), copy)
    });
    cuts.chain(changed)
}

/// Writes a file anew. One that is written over is flushed to the disk by some file systems, which takes long.
fn write(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// A folder, and the path of the damaged file in it.
fn place(suffix: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(format!("damaged.{suffix}"));
    (folder, path)
}

#[test]
fn every_format_ends_well() {
    for (suffix, bytes, read) in small_files() {
        let (_folder, path) = place(suffix);
        fs::write(&path, &bytes).unwrap();
        // A large number in a sparse file is a large matrix, which is no fault.
        let options = ReadOptions {
            max_features: Some(1000),
            ..ReadOptions::default()
        };
        let whole = read(&path, &options);
        assert!(whole.is_ok(), "{suffix}: {whole:?}");
        for (what, bytes) in damage(&bytes, 1000) {
            write(&path, &bytes);
            check(read(&path, &options), &format!("{suffix}, {what}"));
        }
    }
}

#[test]
fn genotypes_end_well() {
    let (_folder, path) = place("bed");
    let parts = [("bed", BED), ("bim", BIM), ("fam", FAM)];
    let write = |extension: &str, bytes: &[u8]| write(&path.with_extension(extension), bytes);
    for (extension, bytes) in parts {
        parts.iter().for_each(|part| write(part.0, part.1));
        let options = ReadOptions::default();
        assert!(read_plink(&path, &options).is_ok());
        for (what, bytes) in damage(bytes, 200) {
            write(extension, &bytes);
            check(read_plink(&path, &options), &what);
        }
    }
}

#[test]
fn labels_end_well() {
    let (folder, path) = place("cls");
    let table = folder.path().join("damaged.csv");
    fs::write(&table, b"g1,g2\n1,2\n3,4\n5,6\n7,8\n").unwrap();
    let choice = TargetChoice {
        labels: Some(path.clone()),
        ..TargetChoice::default()
    };
    for whole in [CLS, b"1\n-1\n1\n-1\n", b"id,class\np1,a\np2,b\n"] {
        for (what, bytes) in damage(whole, 200) {
            write(&path, &bytes);
            let fails = [
                read_cls(&path).err(),
                read_labels(&path).err(),
                load_dataset(
                    std::slice::from_ref(&table),
                    &ReadOptions::default(),
                    &choice,
                    &FeatureChoice::default(),
                )
                .err(),
            ];
            for error in fails.into_iter().flatten() {
                one_sentence(error, &what);
            }
        }
    }
}

/// Reads bytes as a file with this suffix; gives the message of the error there must be.
fn refused(suffix: &str, bytes: &[u8], read: Reader) -> String {
    let (_folder, path) = place(suffix);
    fs::write(&path, bytes).unwrap();
    let message = check(read(&path, &ReadOptions::default()), suffix);
    assert!(!message.is_empty(), "{suffix} was read");
    message
}

/// A table and a label file, all the way to what a fit takes.
fn load(table: &str, labels: Option<&str>, column: Option<&str>) -> Result<Vec<String>, IoError> {
    let (folder, path) = place("csv");
    fs::write(&path, table).unwrap();
    let labels = labels.map(|text| {
        let path = folder.path().join("damaged.txt");
        fs::write(&path, text).unwrap();
        path
    });
    let target = TargetChoice {
        labels,
        column: column.map(str::to_owned),
        ..TargetChoice::default()
    };
    let features = FeatureChoice {
        max_missing: Some(0.5),
        ..FeatureChoice::default()
    };
    let loaded = load_dataset(&[path], &ReadOptions::default(), &target, &features)?;
    Ok(loaded.data.table().feature_names().to_vec())
}

#[test]
fn features_without_names_are_numbered_when_a_table_is_turned_round() {
    let names = load(
        "p1,p2,p3,p4\n1,2,3,4\n4,5,6,7\n",
        Some("id,class\np1,a\np2,b\np3,a\np4,b\n"),
        None,
    );
    assert_eq!(names.unwrap(), ["f1", "f2"]);
}

#[test]
fn a_table_without_any_label_is_refused() {
    let error = load("id,class,g1\np1,,1\np2,,2\n", None, Some("class")).unwrap_err();
    let message = one_sentence(error, "no label");
    assert!(message.contains("has a label"), "{message}");
}

#[test]
fn an_archive_shorter_than_the_mark_at_its_end_is_refused() {
    let message = refused(
        "npz",
        b"PK\x05\x06\0\0\0\0\xff\xff\0\0\0\xff!\xe25\xff",
        read_npz_source,
    );
    assert!(message.contains("cut short"), "{message}");
}

#[test]
fn line_ends_in_a_damaged_header_do_not_break_the_message() {
    let header = b"{'descr': '<f8', 'fortran\n_order' False}";
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend([header.len() as u8, 0]);
    bytes.extend(header);
    let message = refused("npy", &bytes, read_npy_source);
    assert!(message.contains("fortran\\n_order"), "{message}");
}

#[test]
fn a_dictionary_of_more_rows_than_the_file_can_hold_is_refused() {
    let message = refused(
        "feather",
        &fixture("forged_dictionary.feather"),
        read_feather,
    );
    assert!(message.contains("1099511627776 rows"), "{message}");
}

/// A page header with a field that is not known, a list of 2^31 - 1 numbers: passing over them took the decoder hours.
#[test]
fn a_list_that_goes_on_behind_the_end_of_the_file_is_refused() {
    let mut bytes = fixture("tiny.parquet");
    bytes[4..11].copy_from_slice(b"\xf9\xf7\xff\xff\xff\xff\x07");
    refused("parquet", &bytes, read_parquet);
}

/// Its first page says it has half a gigabyte: the decoder made room for that before it looked at what is there.
#[test]
fn a_page_out_of_all_proportion_to_the_file_is_refused() {
    let bytes = fixture("tiny.parquet");
    // The header begins with type, size and size in the file; the size, a byte here, becomes one of five.
    assert_eq!(bytes[4..7], *b"\x15\x04\x15");
    let forged = [&bytes[..7], b"\x80\x80\x80\x80\x04", &bytes[8..]].concat();
    let message = refused("parquet", &forged, read_parquet);
    assert!(message.contains("declares 536870912 bytes"), "{message}");
}

/// Texts of no letters, in a matrix of no columns: nothing in the file limits how many there are.
#[test]
fn rows_of_an_empty_array_are_limited_too() {
    let message = refused("mat", &fixture("forged_empty_v73.mat"), read_mat73);
    assert!(message.contains("cannot hold"), "{message}");
}

#[test]
fn a_column_longer_than_the_matrix_is_refused_before_it_is_read() {
    let message = refused("h5ad", &fixture("forged_column.h5ad"), read_h5ad);
    assert!(message.contains("calls for 2"), "{message}");
}

/// The lists of the pieces of datasets begin with this mark; the length of the first piece lies 24 bytes behind it.
#[test]
fn a_piece_larger_than_the_file_is_refused() {
    let whole = fixture("tiny_old.h5ad");
    let mark = b"TREE\x01";
    let lists = (0..whole.len()).filter(|&at| whole[at..].starts_with(mark));
    let mut count = 0;
    for at in lists {
        let mut bytes = whole.clone();
        bytes[at + 24..at + 28].fill(0xf0);
        let message = refused("h5ad", &bytes, read_h5ad);
        assert!(message.contains("outside the file"), "{message}");
        count += 1;
    }
    assert!(count > 0);
}
