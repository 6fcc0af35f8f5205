//! Files under attack: checksums that do not fit, directories that hide a part, text that was cut, and small files that ask
//! for much memory.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset, read};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::helpers::file;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(folder.join(name)).unwrap()
}

fn message(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let error = read(&file(name, bytes).path, options).expect_err("it was read");
    error.to_string()
}

fn refused(name: &str, bytes: impl AsRef<[u8]>) -> String {
    message(name, bytes, &ReadOptions::default())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The parts of an archive, one of them changed, packed anew; not compressed, so that bytes can be found in it.
fn repacked(archive: &[u8], change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let mut source = ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for index in 0..source.len() {
        let mut entry = source.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        std::io::copy(&mut entry, &mut bytes).unwrap();
        out.start_file(name.as_str(), stored).unwrap();
        out.write_all(&change(&name, bytes)).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn find(bytes: &[u8], piece: &[u8]) -> usize {
    let at = bytes
        .windows(piece.len())
        .position(|window| window == piece);
    at.unwrap()
}

#[test]
fn one_changed_digit_of_a_sheet_is_refused() {
    let mut bytes = repacked(&fixture("tiny.xlsx"), |_, bytes| bytes);
    let at = find(&bytes, b"</v></c>") - 1;
    assert!(bytes[at].is_ascii_digit());
    assert!(read(&file("t.xlsx", &bytes).path, &ReadOptions::default()).is_ok());
    bytes[at] ^= 1;
    let message = refused("t.xlsx", &bytes);
    assert!(
        message.contains("sheet1.xml") && message.contains("hecksum"),
        "{message}"
    );
}

#[test]
fn one_changed_byte_of_any_array_is_refused() {
    let bytes = repacked(&fixture("tiny.npz"), |_, bytes| bytes);
    let mut arrays = 0;
    for at in (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x93NUMPY")) {
        arrays += 1;
        // The last byte of its header, which is a line end, and the first one of its numbers.
        let data = at + 10 + usize::from(u16::from_le_bytes([bytes[at + 8], bytes[at + 9]]));
        let mut damaged = bytes.clone();
        damaged[data] ^= 1;
        refused("t.npz", &damaged);
    }
    assert!(arrays > 1);
}

#[test]
fn a_directory_that_hides_or_renames_an_array_is_refused() {
    let whole = repacked(&fixture("tiny.npz"), |_, bytes| bytes);
    assert!(read(&file("t.npz", &whole).path, &ReadOptions::default()).is_ok());
    let end = whole.len() - 22;
    let count = whole[end + 10];
    let directory = u32::from_le_bytes(whole[end + 16..end + 20].try_into().unwrap()) as usize;
    let last = (directory..end).filter(|&at| whole[at..].starts_with(b"PK\x01\x02"));
    let last = last.max().unwrap();
    let mut hidden = [&whole[..last], &whole[end..]].concat();
    hidden[last + 8] = count - 1;
    hidden[last + 10] = count - 1;
    let size = (last - directory) as u32;
    hidden[last + 12..last + 16].copy_from_slice(&size.to_le_bytes());
    let message = refused("t.npz", &hidden);
    assert!(message.contains("does not name the part"), "{message}");
    let mut renamed = whole;
    renamed[last + 46] ^= 1;
    let message = refused("t.npz", &renamed);
    assert!(message.contains("that calls itself"), "{message}");
}

#[test]
fn pages_that_do_not_fit_their_checksums_are_refused() {
    let mut bytes = fixture("checked.parquet");
    assert!(read(&file("t.parquet", &bytes).path, &ReadOptions::default()).is_ok());
    let at = find(&bytes, &7.0_f64.to_le_bytes());
    bytes[at] ^= 1;
    let message = refused("t.parquet", &bytes);
    assert!(message.contains("CRC"), "{message}");
}

/// Also where no more than the first features are wanted, and where the table ends before the file.
#[test]
fn checksums_at_the_end_of_packed_text_are_verified() {
    let row = |n: usize| format!("g{n}\t{n}.5\t2\n");
    let rows: String = (0..50_000).map(row).collect();
    let series = format!(
        "!Series_title\t\"x\"\n!series_matrix_table_begin\n\"ID_REF\"\t\"p1\"\t\"p2\"\n{rows}!series_matrix_table_end\n{}",
        "!and more\n".repeat(50_000)
    );
    let first = ReadOptions {
        max_features: Some(1),
        ..ReadOptions::default()
    };
    for (name, text) in [("t.tsv", format!("id\tp1\tp2\n{rows}")), ("t.txt", series)] {
        let mut packed = gzip(text.as_bytes());
        assert!(read(&file(name, &packed).path, &first).is_ok());
        let checksum = packed.len() - 8;
        packed[checksum] ^= 1;
        for options in [&first, &ReadOptions::default()] {
            let message = message(name, &packed, options);
            assert!(message.contains("gzip data are damaged"), "{message}");
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text.as_bytes()).unwrap();
        let mut packed = encoder.finish().unwrap();
        *packed.last_mut().unwrap() ^= 1;
        for options in [&first, &ReadOptions::default()] {
            let message = message(name, &packed, options);
            assert!(message.contains("zstd data are damaged"), "{message}");
        }
    }
}

#[test]
fn text_that_ends_in_the_middle_of_a_number_is_refused_or_told() {
    refused("t.csv", "class,g1,g2\na,1.25,2.5\nb,3.25,4.5\na,5.2");
    for name in ["t.svm", "t.data", "t.csv", "t.tsv"] {
        let [whole, cut] = match name {
            "t.csv" => ["k,g1,g2\na,1,2\nb,3,4\n", "k,g1,g2\na,1,2\nb,3,"],
            "t.tsv" => [
                "id\tp1\tp2\ng1\t1\t2\ng2\t3\t4\ng3\t3\t4\ng4\t1\t1\n",
                "id\tp1\tp2\ng1\t1\t2\ng2\t3\t4\ng3\t3\t4\ng4\t1\t",
            ],
            "t.svm" => ["1 1:0.25\n-1 1:0.75\n", "1 1:0.25\n-1 1:0.7"],
            _ => ["1 5\n2 17 300\n", "1 5\n2 17 30"],
        };
        let told = |text: &str| {
            let source = read(&file(name, text).path, &ReadOptions::default()).unwrap();
            source.notes.iter().any(|note| note.contains("no line end"))
        };
        assert!(!told(whole) && told(cut), "{name}");
    }
    // A number that lost its last digits is one.
    let table = "k,g1,g2\na,1,2\nb,3,4.25\n";
    for missing in 0..3 {
        let text = &table[..table.len() - missing];
        let source = read(&file("t.csv", text).path, &ReadOptions::default()).unwrap();
        let told = source.notes.iter().any(|note| note.contains("no line end"));
        assert_eq!(told, missing > 0, "{text:?}");
    }
}

/// What the directory of an archive says of itself has no checksum.
#[test]
fn a_zip_directory_that_is_not_as_long_as_it_says_or_has_unknown_flags_is_refused() {
    for name in ["tiny.npz", "tiny.xlsx"] {
        let whole = fixture(name);
        assert!(read(&file(name, &whole).path, &ReadOptions::default()).is_ok());
        let end = whole.len() - 22;
        assert!(whole[end..].starts_with(b"PK\x05\x06"));
        let mut longer = whole.clone();
        longer[end + 12] ^= 1;
        let message = refused(name, &longer);
        assert!(
            message.contains("zip directory: it says that it has"),
            "{message}"
        );
        let first = whole
            .windows(4)
            .position(|bytes| bytes == b"PK\x01\x02")
            .unwrap();
        for flags in [1 << 5, 1 << 6] {
            let mut patched = whole.clone();
            patched[first + 8] ^= flags;
            let message = refused(name, &patched);
            assert!(message.contains("encrypted or patched"), "{message}");
        }
    }
}

#[test]
fn a_workbook_that_declares_more_texts_than_it_has_bytes_is_refused() {
    let forged = repacked(&fixture("tiny.xlsx"), |name, bytes| match name {
        "xl/styles.xml" => b"<sst uniqueCount=\"9999999999\"><si><t>a</t></si></sst>".to_vec(),
        _ => bytes,
    });
    let message = refused("t.xlsx", &forged);
    assert!(message.contains("9999999999 shared texts"), "{message}");
}

#[test]
fn memory_follows_the_length_of_the_file_unless_more_is_allowed() {
    let features = 30_000;
    let row = "0,".repeat(features - 1) + "1\n";
    let text = "g,".repeat(features - 1) + "h\n" + &row.repeat(1700);
    let packed = gzip(text.as_bytes());
    assert!(packed.len() < 400_000);
    let message = refused("t.csv.gz", &packed);
    let words = [
        "408.0 MB",
        "335.5 MB",
        "--max-memory",
        "1700 samples by 30000 features",
    ];
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    let limit = |max_memory| ReadOptions {
        max_memory: Some(max_memory),
        ..ReadOptions::default()
    };
    let source = read(&file("t.csv.gz", &packed).path, &limit(500_000_000)).unwrap();
    assert_eq!(
        (source.matrix.samples, source.matrix.features),
        (1700, features)
    );
    let message = self::message("t.csv", "a,b\n1,2\n3,4\n", &limit(100));
    assert!(message.contains("--max-memory allows 100 B"), "{message}");
}

#[test]
fn a_long_line_of_packed_commas_is_refused() {
    let message = refused("t.csv.gz", gzip(&vec![b','; 100 << 20]));
    assert!(message.contains("has a line of"), "{message}");
}

fn load(labels: &str, table: &str, choice: TargetChoice) -> Result<Vec<usize>, String> {
    let (labels, table) = (file("l.txt", labels), file("t.csv", table));
    let choice = TargetChoice {
        labels: Some(labels.path.clone()),
        ..choice
    };
    let (options, features) = (ReadOptions::default(), FeatureChoice::default());
    let loaded = load_dataset(
        std::slice::from_ref(&table.path),
        &options,
        &choice,
        &features,
    );
    loaded
        .map(|loaded| loaded.data.labels().to_vec())
        .map_err(|error| error.to_string())
}

const TABLE: &str = "id,g1,g2\np1,1,2\np2,3,5\np3,4,7\np4,9,1\n";

#[test]
fn labels_of_one_word_a_line_go_with_the_rows_in_order() {
    for labels in [
        "ill\nwell\nill\nwell\n",
        "\"ill\"\r\n\"well\"\r\n\"ill\"\r\n\"well\"",
    ] {
        let read = load(labels, TABLE, TargetChoice::default()).unwrap();
        assert_eq!(read, [1, 0, 1, 0]);
    }
    let more = format!("{TABLE}p5,2,2\n");
    let read = load("ill\nwell\nNA\nwell\nill\n", &more, TargetChoice::default()).unwrap();
    assert_eq!(read, [1, 0, 0, 1]);
    let message = load("ill\nwell\nill\n", TABLE, TargetChoice::default()).unwrap_err();
    assert!(
        message.contains("3 labels, but the table has 4 samples"),
        "{message}"
    );
}

/// The table here is none, which would be told first if it was read first.
#[test]
fn what_is_wrong_with_labels_is_told_before_the_table_is_read() {
    let positive = |class: &str| TargetChoice {
        positive: Some(vec![class.to_owned()]),
        ..TargetChoice::default()
    };
    let message = load("ill\nwell\n", "\0", positive("sick")).unwrap_err();
    assert!(
        message.contains("no class 'sick'") && message.contains("l.txt"),
        "{message}"
    );
    let contradiction = TargetChoice {
        regression: true,
        ..positive("ill")
    };
    let message = load("ill\nwell\n", "\0", contradiction).unwrap_err();
    assert!(message.contains("--task regression"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let writer = path.clone();
    let writing = std::thread::spawn(move || fs::write(writer, TABLE).unwrap());
    let source = read(&path, &ReadOptions::default()).unwrap();
    writing.join().unwrap();
    assert_eq!(source.matrix.samples, 4);
}

/// The least limit on memory, to a hundredth, under which these are read.
fn least(read: impl Fn(&ReadOptions) -> Result<(), String>) -> u64 {
    let limit = |bytes| ReadOptions {
        max_memory: Some(bytes),
        ..ReadOptions::default()
    };
    let (mut low, mut high) = (0, 1 << 30);
    read(&limit(high)).unwrap();
    while high - low > high / 100 {
        let middle = (low + high) / 2;
        match read(&limit(middle)) {
            Ok(()) => high = middle,
            Err(message) => {
                assert!(message.contains("--max-memory allows"), "{message}");
                low = middle;
            }
        }
    }
    high
}

#[test]
fn all_files_of_a_command_count_against_one_limit() {
    let rows = |from: usize| -> String {
        let row = |n: usize| {
            format!(
                "p{n},{}\n",
                (n..n + 50).map(|x| x.to_string() + ",").collect::<String>() + "7"
            )
        };
        (from..from + 200).map(row).collect()
    };
    let header: String = (0..51).map(|d| format!(",g{d}")).collect();
    let table = |from| file("t.csv", format!("id{header}\n{}", rows(from)));
    let (first, second) = (table(0), table(200));
    let label = |n: usize| format!("p{n},{},{}\n", ["ill", "well"][n % 2], "x".repeat(900));
    let labels: String = (0..400).map(label).collect();
    let labels = file("l.csv", format!("id,class,letter\n{labels}"));
    let choice = |labels: Option<&Path>| TargetChoice {
        labels: labels.map(Path::to_path_buf),
        column: Some(if labels.is_some() { "class" } else { "g0" }.to_owned()),
        regression: labels.is_none(),
        ..TargetChoice::default()
    };
    let need = |tables: &[&Path], labels: Option<&Path>| {
        let tables: Vec<_> = tables.iter().map(|path| path.to_path_buf()).collect();
        least(|options| {
            let all = FeatureChoice::default();
            let loaded = load_dataset(&tables, options, &choice(labels), &all);
            loaded.map(drop).map_err(|error| error.to_string())
        })
    };
    let values = 8 * 200 * 50;
    let one = need(&[&first.path], None);
    assert!(one >= values, "{one}");
    let two = need(&[&first.path, &second.path], None);
    assert!(two >= one + values, "{two} after {one}");
    let letters = 400 * 900;
    let labelled = need(&[&first.path], Some(&labels.path));
    assert!(labelled >= one + letters, "{labelled} after {one}");
}

#[test]
fn files_of_labels_keep_to_the_limit() {
    let table = file("t.csv", TABLE);
    let refused = |name: &str, labels: &[u8], max_memory: Option<u64>| {
        let labels = file(name, labels);
        let choice = TargetChoice {
            labels: Some(labels.path.clone()),
            ..TargetChoice::default()
        };
        let options = ReadOptions {
            max_memory,
            ..ReadOptions::default()
        };
        let tables = std::slice::from_ref(&table.path);
        let loaded = load_dataset(tables, &options, &choice, &FeatureChoice::default());
        loaded.expect_err("it was read").to_string()
    };
    let words = gzip(&b"ill\nwell\n".repeat(100_000));
    let numbers = gzip(&b"1\n0\n".repeat(200_000));
    for (name, bytes) in [("l.txt.gz", &words), ("l.labels.gz", &numbers)] {
        let message = refused(name, bytes, Some(1_000_000));
        assert!(message.contains("--max-memory allows 1.0 MB"), "{message}");
    }
    // One long name for each of many short labels.
    let labels = ("0 ".repeat(1000) + "\n").repeat(100);
    let name = "x".repeat(10_000);
    let cls = format!("100001 2 1\n# {name} y\n{labels}1\n");
    let message = refused("l.cls", cls.as_bytes(), None);
    assert!(message.contains("trusted with"), "{message}");
    let named: String = (0..20_000).map(|n| format!("p{n},ill\n")).collect();
    let message = refused("l.csv", named.as_bytes(), Some(100_000));
    assert!(message.contains("--max-memory allows"), "{message}");
}

#[test]
fn packed_labels_are_read_and_stacked_rows_stay_in_order() {
    let labels = file("l.labels.gz", gzip(b"1\n0\n1\n0\n0\n"));
    let more = TABLE.replace("p1,1,2\np2,3,5\np3,4,7\np4,9,1", "q1,0,8");
    let (top, bottom) = (file("a.csv", TABLE), file("b.csv", more));
    let choice = TargetChoice {
        labels: Some(labels.path.clone()),
        ..TargetChoice::default()
    };
    let tables = [top.path.clone(), bottom.path.clone()];
    let loaded = load_dataset(
        &tables,
        &ReadOptions::default(),
        &choice,
        &FeatureChoice::default(),
    )
    .unwrap();
    assert_eq!(loaded.data.labels(), [1, 0, 1, 0, 0]);
    let table = loaded.data.table();
    assert_eq!(table.feature(0), [1.0, 3.0, 4.0, 9.0, 0.0]);
    assert_eq!(table.feature(1), [2.0, 5.0, 7.0, 1.0, 8.0]);
}
