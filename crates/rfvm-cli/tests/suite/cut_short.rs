//! Files of every format that are cut short: one sentence that names the file, exit code 2, no output file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{class, entries, mistake, npy, run, samples_as_rows, value};
use flate2::{Compression, Crc, write::GzEncoder};
use tempfile::TempDir;

/// One of the small files that the readers are tested on.
fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rfvm-io/tests/fixtures");
    fs::read(folder.join(name)).unwrap()
}

/// An archive of one array, which is not compressed.
fn npz() -> Vec<u8> {
    let (name, data) = (b"X.npy", npy(4, 3, value));
    let mut crc = Crc::new();
    crc.update(&data);
    let length = (data.len() as u32).to_le_bytes();
    // Version, flags, method and time; sum and lengths; lengths of the name and of what else there might be.
    let about = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &crc.sum().to_le_bytes(),
        &length,
        &length,
        &[5, 0, 0, 0],
    ]
    .concat();
    let entry = [b"PK\x03\x04", &about[..], name, &data].concat();
    let directory = [b"PK\x01\x02\x14\x00", &about[..], &[0; 14], name].concat();
    let sizes = [directory.len() as u32, entry.len() as u32]
        .map(u32::to_le_bytes)
        .concat();
    let end = [b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &sizes[..], &[0, 0]].concat();
    [entry, directory, end].concat()
}

/// A MATLAB v5 file with a matrix `X` of 4 x 3 doubles, not compressed.
fn mat() -> Vec<u8> {
    let tag =
        |kind: u32, length: usize| [kind.to_le_bytes(), (length as u32).to_le_bytes()].concat();
    let values: Vec<u8> = (0..12)
        .flat_map(|i| value(i % 4, i / 4).to_le_bytes())
        .collect();
    let content = [
        [tag(6, 8), vec![6, 0, 0, 0, 0, 0, 0, 0]].concat(),
        [tag(5, 8), vec![4, 0, 0, 0, 3, 0, 0, 0]].concat(),
        [tag(1, 1), b"X\0\0\0\0\0\0\0".to_vec()].concat(),
        [tag(9, values.len()), values].concat(),
    ]
    .concat();
    let header = format!("{:<124}", "MATLAB 5.0 MAT-file");
    [
        header.as_bytes(),
        b"\x00\x01IM",
        &tag(14, content.len()),
        &content,
    ]
    .concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// 12 features of 40 samples, as GenePattern has them.
fn gct() -> String {
    let rows = (0..12).map(|d| {
        let cells: Vec<String> = (0..40).map(|n| value(n, d).to_string()).collect();
        format!("g{d}\tgene {d}\t{}\n", cells.join("\t"))
    });
    let samples: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let rows: String = rows.collect();
    format!(
        "#1.2\n12\t40\nName\tDescription\t{}\n{rows}",
        samples.join("\t")
    )
}

/// 12 features of 40 samples, as the Gene Expression Omnibus has them.
fn geo() -> String {
    let quoted = |prefix: &str| {
        let names: Vec<String> = (0..40).map(|n| format!("\"{prefix}{n}\"")).collect();
        names.join("\t")
    };
    let rows = (0..12).map(|d| {
        let cells: Vec<String> = (0..40).map(|n| value(n, d).to_string()).collect();
        format!("\"g{d}\"\t{}\n", cells.join("\t"))
    });
    let rows: String = rows.collect();
    format!(
        "!Series_title\t\"study\"\n!Sample_title\t{}\n!series_matrix_table_begin\n\"ID_REF\"\t{}\n{rows}!series_matrix_table_end\n",
        quoted("sample "),
        quoted("GSM")
    )
}

fn svmlight() -> String {
    let line = |n: usize| {
        let pairs: Vec<String> = (0..5)
            .map(|d| format!("{}:{}", d + 1, value(n, d)))
            .collect();
        format!("{} {}\n", n % 2, pairs.join(" "))
    };
    (0..40).map(line).collect()
}

/// Writes a whole file, which must be read, and what is left of it after each cut, which must be refused with these
/// words.
fn cut(folder: &Path, name: &str, bytes: &[u8], cuts: &[usize], words: &[&str]) {
    let path: PathBuf = folder.join(name);
    fs::write(&path, bytes).unwrap();
    run(folder, &["peek", name]).success();
    for &length in cuts {
        assert!(length < bytes.len(), "{name} has {} bytes", bytes.len());
        fs::write(&path, &bytes[..length]).unwrap();
        let before = entries(folder);
        let text = mistake(
            folder,
            &["fit", name, "--target", "class", "-o", "model.json"],
        );
        let says = |word: &&str| text.contains(*word);
        assert!(
            says(&name) && words.iter().any(says),
            "{name} cut at {length}: {text}"
        );
        assert!(
            text.contains("; "),
            "{name}: {text} does not say what to do"
        );
        assert_eq!(mistake(folder, &["peek", name]), text, "{name}");
        assert_eq!(entries(folder), before, "{name}");
    }
}

#[test]
fn binary_files() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    for (name, bytes, words) in [
        (
            "array.npy",
            npy(40, 6, value),
            "bytes of data, but the file has",
        ),
        ("archive.npz", npz(), "cut short"),
        ("five.mat", mat(), "bytes of data are declared"),
        ("seven.mat", fixture("tiny_v73.mat"), "so it was cut short"),
        ("study.h5ad", fixture("tiny.h5ad"), "so it was cut short"),
        ("study.parquet", fixture("tiny.parquet"), "its footer"),
        (
            "study.feather",
            fixture("tiny.feather"),
            "so the file was cut short",
        ),
        ("book.xlsx", fixture("tiny.xlsx"), "cut short"),
    ] {
        let cuts = [bytes.len() / 2 + 70, bytes.len() * 9 / 10, bytes.len() - 1];
        cut(at, name, &bytes, &cuts, &[words]);
        // Hardly more than what tells the format.
        fs::write(at.join(name), &bytes[..12]).unwrap();
        assert!(mistake(at, &["peek", name]).contains(name));
    }
    // 5 individuals take 2 bytes a SNP.
    let family: String = (0..5).map(|i| format!("f {i} 0 0 1 1\n")).collect();
    fs::write(at.join("people.fam"), family).unwrap();
    fs::write(at.join("people.bim"), "1 rs1 0 1 A C\n1 rs2 0 2 A C\n").unwrap();
    let bed = [0x6c, 0x1b, 1, 0b1110_0100, 0b10, 0b1110_0100, 0b10];
    cut(
        at,
        "people.bed",
        &bed,
        &[4, 6],
        &["take 7 bytes, but it has"],
    );
}

#[test]
fn compressed_tables() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let table = samples_as_rows();
    let packed = gzip(table.as_bytes());
    let length = packed.len();
    let words = ["the file is cut short: its gzip data stop in the middle"];
    cut(
        at,
        "table.csv.gz",
        &packed,
        &[length / 2, length - 1],
        &words,
    );
    let packed = zstd::encode_all(table.as_bytes(), 3).unwrap();
    let length = packed.len();
    let words = ["the file is cut short: its zstd data stop in the middle"];
    cut(
        at,
        "table.csv.zst",
        &packed,
        &[length / 2, length - 1],
        &words,
    );
}

#[test]
fn text_files() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let half = |text: &str| text.len() / 2;
    let correct = ["correct the file there", "copy or export the file again"];
    let text = gct();
    let line_end = text.trim_end().rfind('\n').unwrap() + 1;
    cut(
        at,
        "study.gct",
        text.as_bytes(),
        &[half(&text), line_end],
        &correct,
    );
    let text = geo();
    let table_end = text.rfind("!series_matrix_table_end").unwrap();
    cut(
        at,
        "GSE1_series_matrix.txt",
        text.as_bytes(),
        &[half(&text), table_end],
        &correct,
    );
    let text = svmlight();
    let colon = text.rfind(':').unwrap() + 1;
    cut(at, "study.svm", text.as_bytes(), &[colon], &["line 40"]);
    let text = samples_as_rows();
    let comma = text.rfind(',').unwrap();
    cut(
        at,
        "table.csv",
        text.as_bytes(),
        &[comma],
        &["line 41: it has 32 cells"],
    );
    let labels: Vec<&str> = (0..40).map(class).collect();
    let cls = format!("40 2 1\n# healthy ill\n{}\n", labels.join(" "));
    fs::write(at.join("table.csv"), &text).unwrap();
    fs::write(at.join("study.cls"), &cls[..cls.len() / 2]).unwrap();
    let arguments = [
        "fit",
        "table.csv",
        "--labels",
        "study.cls",
        "-o",
        "model.json",
    ];
    let message = mistake(at, &arguments);
    assert!(
        message.contains("study.cls as a CLS file: line 3: it has"),
        "{message}"
    );
    assert!(message.ends_with("correct the file there"), "{message}");
    assert!(!at.join("model.json").exists());
}
