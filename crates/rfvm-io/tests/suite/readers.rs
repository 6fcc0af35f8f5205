//! The readers, on literal bytes, on files made by SciPy and NumPy, on damaged files, and on real data.
//!
//! Two of the tests need what a clone of the project may not have, and say so where they skip: Python with NumPy and
//! SciPy (the interpreter is `python3`, or what `RFVM_PYTHON` names), and the folder `../shared/data` beside the
//! workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::python::made_by;
use crate::skipped::skipped;
use rfvm_io::{
    IoError, MatFile, Matrix, NpzFile, read_labels, read_mat, read_mat_file, read_sparse_indices,
};
use tempfile::TempDir;

/// Made by `scipy.io.savemat`, compressed, of X = [[1, 2.5], [-3, 4], [0, 1e300]]; what follows the file's header.
const MAT_COMPRESSED: &str = "0f0000003e000000789ce36360604800623620e680d220c00ae533033113103302610490e604620306\
    18f8600fa1390e30a0001607082de030a794a1c3e689791d00bae00721";

/// Made by `numpy.savez_compressed`, of X = [[1, 2.5, -3], [4, 0, 1e300]] and names = ["a", "bü"].
const NPZ: &str = "504b03042d00000008000000210005997f95ffffffffffffffff05001400582e6e707901001000b0000000000000\
    0061000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f54529498179f5f94920a12774bcc294e\
    058a17672416a402f91a463a0ac69a3a0ab50a64032e0630f8600fa1591c2034c701082d00e53330cc2965e8b079625e0700504b03042d00\
    000008000000210082b64e73ffffffffffffffff090014006e616d65732e6e70790100100090000000000000004d000000000000009bec17\
    ea1b10c9c850c650ad9e925a9c5ca46ea5a06e136aa4aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a\
    9a3a0ab50a1400ae4406084802e23f400c00504b01022d032d00000008000000210005997f9561000000b000000005000000000000000000\
    0000800100000000582e6e7079504b01022d032d00000008000000210082b64e734d00000090000000090000000000000000000000800198\
    0000006e616d65732e6e7079504b050600000000020002006a000000200100000000";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap())
        .collect()
}

/// Writes little- or big-endian MATLAB files.
struct Maker {
    big_endian: bool,
}

impl Maker {
    fn word(&self, word: u32) -> [u8; 4] {
        if self.big_endian {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        }
    }

    fn words(&self, words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|&word| self.word(word)).collect()
    }

    fn file(&self, variables: &[Vec<u8>]) -> Vec<u8> {
        let mut out = b"MATLAB 5.0 MAT-file".to_vec();
        out.resize(124, b' ');
        out.extend_from_slice(if self.big_endian {
            b"\x01\x00MI"
        } else {
            b"\x00\x01IM"
        });
        out.extend(variables.concat());
        out
    }

    fn element(&self, kind: u32, data: &[u8]) -> Vec<u8> {
        let mut out = self.words(&[kind, u32::try_from(data.len()).unwrap()]);
        out.extend_from_slice(data);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    }

    fn short(&self, kind: u32, data: &[u8]) -> Vec<u8> {
        let mut out = self.words(&[(u32::try_from(data.len()).unwrap() << 16) | kind]);
        out.extend_from_slice(data);
        out.resize(8, 0);
        out
    }

    /// A variable whose content after the name is given.
    fn variable(&self, class: u32, dimensions: &[u32], name: &str, content: &[Vec<u8>]) -> Vec<u8> {
        let parts = [
            self.element(6, &self.words(&[class, 0])),
            self.element(5, &self.words(dimensions)),
            self.element(1, name.as_bytes()),
            content.concat(),
        ];
        self.element(14, &parts.concat())
    }
}

const LITTLE: Maker = Maker { big_endian: false };
const BIG: Maker = Maker { big_endian: true };

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn mat_bytes(bytes: &[u8]) -> Result<MatFile, IoError> {
    let folder = TempDir::new().unwrap();
    read_mat_file(write(&folder, "test.mat", bytes))
}

/// The message of an error, which must be a single line that names the file.
fn message<T: std::fmt::Debug>(result: Result<T, IoError>) -> String {
    let error = result.unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(error.path().to_str().unwrap()),
        "{message}"
    );
    assert!(!message.contains('\n'), "{message}");
    message
}

/// Like `message`, and the message must have these words.
fn complains<T: std::fmt::Debug>(result: Result<T, IoError>, words: &str) {
    let message = message(result);
    assert!(
        message.contains(words),
        "{message:?} does not say {words:?}"
    );
}

#[test]
fn mat_by_scipy_compressed() {
    let file = mat_bytes(&LITTLE.file(&[hex(MAT_COMPRESSED)])).unwrap();
    assert_eq!(file.arrays.len(), 1);
    let x = &file.arrays[0];
    assert_eq!((x.name.as_str(), x.rows, x.cols), ("X", 3, 2));
    assert_eq!(x.values, [1.0, -3.0, 0.0, 2.5, 4.0, 1e300]);
}

#[test]
fn mat_in_both_byte_orders_with_small_storage_and_short_elements() {
    for maker in [LITTLE, BIG] {
        let half = |value: i16| {
            if maker.big_endian {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            }
        };
        let doubles = maker.variable(6, &[2, 3], "X", &[maker.element(1, &[0xff, 2, 3, 4, 5, 6])]);
        let halves = maker.variable(
            6,
            &[1, 2],
            "h",
            &[maker.short(3, &[half(-2), half(300)].concat())],
        );
        let truth = maker.variable(9 | 0x200, &[1, 3], "t", &[maker.short(2, &[1, 0, 1])]);
        let cell = maker.variable(1, &[1, 1], "c", &[b"whatever".to_vec()]);
        let text = maker.variable(4, &[2, 2], "s", &[maker.short(16, b"acbd")]);
        let file = mat_bytes(&maker.file(&[doubles, halves, truth, cell, text])).unwrap();
        let values: Vec<_> = file
            .arrays
            .iter()
            .map(|array| (array.name.as_str(), array.values.as_slice()))
            .collect();
        assert_eq!(
            values,
            [
                ("X", &[-1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]),
                ("h", &[-2.0, 300.0][..]),
                ("t", &[1.0, 0.0, 1.0][..])
            ]
        );
        assert_eq!(
            (file.skipped[0].name.as_str(), file.skipped[0].what.as_str()),
            ("c", "a cell array")
        );
        assert_eq!(file.texts[0].lines, ["ab", "cd"]);
    }
}

#[test]
fn mat_array_becomes_a_matrix_and_is_asked_for_by_name() {
    let x = LITTLE.variable(6, &[2, 2], "X", &[LITTLE.short(2, &[1, 2, 3, 4])]);
    let cell = LITTLE.variable(2, &[1, 1], "S", &[]);
    let mut file = mat_bytes(&LITTLE.file(&[x, cell])).unwrap();
    complains(file.take("Z"), "its arrays are X");
    complains(file.take("S"), "a struct");
    let matrix = file.take("X").unwrap().into_matrix();
    assert_eq!(
        matrix,
        Matrix {
            samples: 2,
            features: 2,
            values: vec![1.0, 2.0, 3.0, 4.0]
        }
    );
    assert_eq!(matrix.feature(1), Some(&[3.0, 4.0][..]));
    complains(file.take("X"), "no arrays of numbers");
}

#[test]
fn mat_sparse_arrays_are_checked() {
    let sparse = |rows, rows_of: &[u32], starts: &[u32], values: &[u8]| {
        let content = [
            LITTLE.element(5, &LITTLE.words(rows_of)),
            LITTLE.element(5, &LITTLE.words(starts)),
            LITTLE.element(2, values),
        ];
        let columns = u32::try_from(starts.len()).unwrap() - 1;
        mat_bytes(&LITTLE.file(&[LITTLE.variable(5, &[rows, columns], "S", &content)]))
    };
    let file = sparse(3, &[0, 2, 1], &[0, 2, 2, 3], &[5, 6, 7]).unwrap();
    assert_eq!(
        file.arrays[0].values,
        [5.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0]
    );
    complains(
        sparse(3, &[0, 3, 1], &[0, 2, 2, 3], &[5, 6, 7]),
        "row 3 of 3",
    );
    complains(
        sparse(3, &[0, 2, 1], &[0, 2, 1, 3], &[5, 6, 7]),
        "do not rise",
    );
    complains(
        sparse(3, &[0, 2, 1], &[0, 2, 2, 4], &[5, 6, 7]),
        "do not rise",
    );
    complains(
        sparse(3, &[0, 2, 1], &[0, 2, 2, 3], &[5, 6]),
        "2 values where 3",
    );
    complains(
        sparse(3, &[0, 2, 0x8000_0000], &[0, 2, 2, 3], &[5, 6, 7]),
        "negative",
    );
    let file = sparse(0x7fff_ffff, &[0], &[0, 1, 1], &[5]).unwrap();
    assert!(
        file.arrays.is_empty()
            && file.skipped[0]
                .what
                .contains("sparse array of 2147483647 x 2")
    );
}

#[test]
fn mat_complaints() {
    let folder = TempDir::new().unwrap();
    complains(read_mat(folder.path().join("none.mat")), "cannot read");
    complains(read_mat(folder.path()), "cannot read");
    complains(mat_bytes(b""), "has 0 bytes");
    complains(mat_bytes(&[b'x'; 400]), "the mark `IM` or `MI`");
    complains(mat_bytes(b"\x89HDF\r\n\x1a\n"), "v7.3");
    let mut file = LITTLE.file(&[]);
    file[125] = 2;
    complains(mat_bytes(&file), "v7.3");
    file[125] = 3;
    complains(mat_bytes(&file), "version 0x0300");
    let mut version4 = LITTLE.words(&[0, 1, 1, 0, 2]);
    version4.extend_from_slice(b"x\0");
    version4.extend_from_slice(&1.0_f64.to_le_bytes());
    complains(mat_bytes(&version4), "version 4");

    // Sizes that promise more than there is.
    let promise = |words: &[u32]| LITTLE.file(&[LITTLE.words(words)]);
    complains(
        mat_bytes(&promise(&[14, u32::MAX])),
        "4294967295 bytes of data are declared, but only 0 are left",
    );
    complains(mat_bytes(&promise(&[9, 0])), "data of type 9");
    let huge = LITTLE.variable(
        6,
        &[0x7fff_ffff, 0x7fff_ffff],
        "X",
        &[LITTLE.short(2, &[1])],
    );
    complains(
        mat_bytes(&LITTLE.file(&[huge])),
        "variable `X`: its size 2147483647 x 2147483647",
    );
    let negative = LITTLE.variable(6, &[0xffff_ffff, 1], "X", &[LITTLE.short(2, &[1])]);
    complains(mat_bytes(&LITTLE.file(&[negative])), "negative");
    let no_class = LITTLE.variable(77, &[1, 1], "X", &[LITTLE.short(2, &[1])]);
    complains(mat_bytes(&LITTLE.file(&[no_class])), "class 77");
    let cut = LITTLE.variable(6, &[2, 2], "X", &[]);
    complains(mat_bytes(&LITTLE.file(&[cut])), "ends before its values");

    let mut compressed = hex(MAT_COMPRESSED);
    let last = compressed.len() - 1;
    compressed[last] ^= 1;
    complains(mat_bytes(&LITTLE.file(&[compressed])), "deflate stream");
}

#[test]
fn npz_by_numpy() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "test.npz", &hex(NPZ));
    let mut file = NpzFile::open(&path).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["X", "names"]);
    assert!(file.contains("X") && !file.contains("Z"));
    let matrix = file.matrix("X").unwrap();
    assert_eq!(
        matrix,
        Matrix {
            samples: 2,
            features: 3,
            values: vec![1.0, 4.0, 2.5, 0.0, -3.0, 1e300]
        }
    );
    assert_eq!(file.strings("names").unwrap(), ["a", "bü"]);
    complains(file.matrix("Z"), "its arrays are X, names");
    complains(file.matrix("names"), "where 2 dimensions are wanted");
    complains(file.numbers("names"), "where numbers");
    complains(file.numbers("X"), "where 1 dimensions");
    complains(file.strings("X"), "where 1 dimensions");
    complains(NpzFile::open(folder.path().join("none.npz")), "cannot read");
    complains(
        NpzFile::open(write(&folder, "rubbish.npz", &[b'x'; 300])),
        "zip directory",
    );
}

/// Reads everything an npz file has to give; what counts is that this comes back.
fn read_all_of_npz(path: &Path) -> Result<(), IoError> {
    let mut file = NpzFile::open(path)?;
    let names: Vec<String> = file.names().map(str::to_owned).collect();
    let mut outcome = Ok(());
    for name in &names {
        outcome = outcome.and(file.matrix(name).map(drop));
        let _ = file.numbers(name).map_err(|error| error.to_string());
        let _ = file.strings(name).map_err(|error| error.to_string());
    }
    outcome
}

/// Cuts a file of these bytes at every length; `read` must always come back.
fn cut_at_every_length(path: &Path, bytes: &[u8], read: impl Fn(&Path) -> Result<(), IoError>) {
    fs::write(path, bytes).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    for length in (0..bytes.len()).rev() {
        file.set_len(length as u64).unwrap();
        if let Err(error) = read(path) {
            assert!(error.to_string().contains("torment"), "{error}");
        }
    }
}

/// Cuts `bytes` at every length, and damages it at every byte in several ways; `read` must always come back.
fn torment(bytes: &[u8], extension: &str, read: impl Fn(&Path) -> Result<(), IoError>) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("torment").with_extension(extension);
    cut_at_every_length(&path, bytes, &read);
    let mut damaged = bytes.to_vec();
    for place in 0..bytes.len() {
        for byte in [
            0,
            1,
            0x7f,
            0x80,
            0xff,
            bytes[place] ^ 1,
            bytes[place].wrapping_add(1),
        ] {
            damaged[place] = byte;
            fs::write(&path, &damaged).unwrap();
            if let Err(error) = read(&path) {
                assert!(error.to_string().contains("torment"), "{error}");
            }
        }
        damaged[place] = bytes[place];
    }
}

#[test]
fn no_damage_makes_the_mat_reader_panic() {
    for maker in [LITTLE, BIG] {
        let content = [
            maker.element(5, &maker.words(&[0, 2, 1])),
            maker.element(5, &maker.words(&[0, 2, 2, 3])),
            maker.element(2, &[5, 6, 7]),
        ];
        let mut variables = vec![
            maker.variable(6, &[2, 3], "X", &[maker.element(1, &[0xff, 2, 3, 4, 5, 6])]),
            maker.variable(5, &[3, 3], "S", &content),
            maker.variable(4, &[2, 2], "s", &[maker.short(16, b"acbd")]),
            maker.variable(2, &[1, 1], "c", &[b"whatever".to_vec()]),
        ];
        if !maker.big_endian {
            variables.push(hex(MAT_COMPRESSED));
        }
        torment(&maker.file(&variables), "mat", |path| {
            read_mat_file(path).map(drop)
        });
    }
}

#[test]
fn no_damage_makes_the_npz_reader_panic() {
    torment(&hex(NPZ), "npz", read_all_of_npz);
}

#[test]
fn sparse_indices() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "test.data", b"1 3 \n\n2 5\r\n");
    let matrix = read_sparse_indices(&path, None).unwrap();
    assert_eq!((matrix.samples, matrix.features), (3, 5));
    assert_eq!(
        matrix.values,
        [1., 0., 0., 0., 0., 1., 1., 0., 0., 0., 0., 0., 0., 0., 1.]
    );
    let matrix = read_sparse_indices(&path, Some(2)).unwrap();
    assert_eq!((matrix.samples, matrix.features), (3, 2));
    assert_eq!(matrix.values, [1., 0., 0., 0., 0., 1.]);
    assert_eq!(
        read_sparse_indices(&path, Some(7)).unwrap().values.len(),
        21
    );
    complains(read_sparse_indices(&path, Some(1 << 27)), "--max-memory");
    complains(read_sparse_indices(&path, Some(usize::MAX)), "--max-memory");

    for (text, words) in [
        (&b"1 2\n0 3\n"[..], "line 2: `0`"),
        (b"1 -2\n", "line 1: `-2`"),
        (b"1\n2\nx\n", "line 3: `x`"),
        (b"1 18446744073709551616", "line 1: `18446744073709551616`"),
        (b"1 2\n\xff", "byte 4"),
        (b"18446744073709551615", "--max-memory"),
    ] {
        complains(
            read_sparse_indices(write(&folder, "bad.data", text), None),
            words,
        );
    }
    let none = read_sparse_indices(write(&folder, "empty.data", b""), None).unwrap();
    assert_eq!((none.samples, none.features, none.values.len()), (0, 0, 0));
}

#[test]
fn labels() {
    let folder = TempDir::new().unwrap();
    assert_eq!(
        read_labels(write(&folder, "a", b"1\n-1\r\n 0.5 \n\n")).unwrap(),
        [1.0, -1.0, 0.5]
    );
    assert_eq!(
        read_labels(write(&folder, "b", b"")).unwrap(),
        Vec::<f64>::new()
    );
    complains(read_labels(write(&folder, "c", b"1\n\n1\n")), "line 2: ``");
    complains(read_labels(write(&folder, "d", b"1 2\n")), "line 1: `1 2`");
    complains(
        read_labels(write(&folder, "e", b"1\nnan\n")),
        "line 2: `nan`",
    );
}

/// Whether two numbers are the same, sign of zero and all; any NaN is as good as another.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn files_made_by_scipy_and_numpy() {
    let made = made_by(
        "make_files.py",
        "numpy, scipy.io, scipy.sparse",
        "rfvm-io readers::files_made_by_scipy_and_numpy",
    );
    let Some(folder) = made else {
        return;
    };

    // Everything SciPy and NumPy read as numbers is read here as the same numbers, and no other arrays are.
    let mut arrays: BTreeMap<(String, String), Matrix> = BTreeMap::new();
    let expected = fs::read_to_string(folder.path().join("expected.tsv")).unwrap();
    let mut count = 0;
    for line in expected.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[file, name, rows, columns, values] = fields.as_slice() else {
            panic!("{line:?}")
        };
        let path = folder.path().join(file);
        let matrix = if file.ends_with(".npz") {
            NpzFile::open(&path).unwrap().matrix(name).unwrap()
        } else {
            let key = (file.to_owned(), name.to_owned());
            if !arrays.contains_key(&key) {
                for array in read_mat(&path).unwrap() {
                    arrays.insert((file.to_owned(), array.name.clone()), array.into_matrix());
                }
            }
            arrays
                .remove(&key)
                .unwrap_or_else(|| panic!("{key:?} was not read"))
        };
        assert_eq!(
            (matrix.samples, matrix.features),
            (rows.parse().unwrap(), columns.parse().unwrap()),
            "{file} {name}"
        );
        let values: Vec<f64> = values
            .split_ascii_whitespace()
            .map(|value| value.parse().unwrap())
            .collect();
        assert_eq!(matrix.values.len(), values.len(), "{file} {name}");
        assert!(
            matrix.values.iter().zip(&values).all(|(&a, &b)| same(a, b)),
            "{file} {name}"
        );
        count += 1;
    }
    assert!(count > 100, "{count} arrays were compared");
    assert!(
        arrays.is_empty(),
        "read, but not expected: {:?}",
        arrays.keys()
    );

    let at = |name: &str| folder.path().join(name);
    for name in ["mixed.mat", "mixed_compressed.mat"] {
        let file = read_mat_file(at(name)).unwrap();
        let skipped: Vec<(&str, &str)> = file
            .skipped
            .iter()
            .map(|s| (s.name.as_str(), s.what.as_str()))
            .collect();
        assert_eq!(
            skipped,
            [
                ("cell", "a cell array"),
                ("struct", "a struct"),
                ("cube", "an array of 3 dimensions"),
                ("complex", "an array of complex numbers")
            ]
        );
        let texts: Vec<(&str, Vec<&str>)> = file
            .texts
            .iter()
            .map(|t| {
                (
                    t.name.as_str(),
                    t.lines.iter().map(String::as_str).collect(),
                )
            })
            .collect();
        assert_eq!(
            texts,
            [("text", vec!["grüße"]), ("lines", vec!["ab ", "cde"])]
        );
    }
    complains(read_mat(at("version4.mat")), "version 4");
    complains(read_mat(at("version73.mat")), "v7.3");

    for name in ["plain.npz", "compressed.npz"] {
        let mut file = NpzFile::open(at(name)).unwrap();
        assert_eq!(file.numbers("y").unwrap(), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(file.numbers("flags").unwrap(), [1.0, 0.0]);
        assert_eq!(file.numbers("scalar").unwrap(), [2.5]);
        assert!(file.numbers("weights").unwrap()[2].is_nan());
        assert_eq!(file.strings("names").unwrap(), ["a", "grüße", "", "x y"]);
        assert_eq!(file.strings("big_names").unwrap(), ["b", "grüße"]);
        assert_eq!(file.strings("bytes").unwrap(), ["one", "three"]);
        assert_eq!(file.strings("note").unwrap(), ["a single text"]);
        complains(file.strings("objects"), "Python objects");
        complains(file.numbers("objects"), "Python objects");
        complains(file.numbers("record"), "structured");
        complains(file.matrix("half"), "<f2");
        complains(file.matrix("cube"), "2 x 3 x 4");
        complains(file.matrix("y"), "where 2 dimensions");
        complains(file.strings("y"), "where strings");
    }

    for name in [
        "mixed.mat",
        "mixed_compressed.mat",
        "plain.mat",
        "compressed.mat",
        "big_endian_compressed.mat",
    ] {
        let bytes = fs::read(at(name)).unwrap();
        cut_at_every_length(&at("torment.mat"), &bytes, |path| {
            read_mat_file(path).map(drop)
        });
    }
}

#[test]
fn real_data() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        skipped(
            "rfvm-io readers::real_data",
            &format!("there is no folder {}", folder.display()),
        );
        return;
    }
    // Name, samples, features, and the sums of X and Y as NumPy gives them.
    let mats = [
        ("colon.mat", 62, 2000, -30656.0, -18.0),
        ("lymphoma.mat", 96, 4026, -5616.0, 265.0),
        ("leukemia.mat", 72, 7070, -42790.0, -22.0),
        ("Prostate-GE.mat", 102, 5966, 882_762.055_890_415_4, 154.0),
        ("ALLAML.mat", 72, 7129, -0.000_227, 97.0),
        ("arcene.mat", 200, 10000, 142_136_852.0, -24.0),
    ];
    for (name, samples, features, sum_x, sum_y) in mats {
        let mut file = read_mat_file(folder.join(name)).unwrap();
        assert!(file.skipped.is_empty() && file.texts.is_empty(), "{name}");
        let x = file.take("X").unwrap().into_matrix();
        let y = file.take("Y").unwrap();
        check(name, &x, samples, features, sum_x);
        assert_eq!(
            (y.rows, y.cols, y.values.iter().sum::<f64>()),
            (samples, 1, sum_y),
            "{name}"
        );
    }
    let npzs = [
        ("gravier_breast.npz", 168, 2905, 9_027.108_859_017, 57.0),
        (
            "ALL_BCRABL_vs_NEG.npz",
            79,
            12625,
            5_609_382.120_493_942,
            37.0,
        ),
        ("singh_prostate.npz", 102, 12600, 33_661_785.3, 52.0),
        ("singh_prostate_indep.npz", 34, 12600, 132_039_000.0, 25.0),
        (
            "jacobs_ibd_metabolome.npz",
            90,
            4626,
            3_920_736.786_001_750_3,
            36.0,
        ),
        ("mb_qin2014_cirrhosis.npz", 130, 8483, 130.0, 68.0),
        ("khan_srbct.npz", 63, 2308, -81_721.212_629_467, 107.0),
        (
            "riboflavin_reg.npz",
            71,
            4088,
            2_225_933.838_845_078_4,
            -508.319_680_473_556_5,
        ),
    ];
    for (name, samples, features, sum_x, sum_y) in npzs {
        let mut file = NpzFile::open(folder.join(name)).unwrap();
        let x = file.matrix("X").unwrap();
        check(name, &x, samples, features, sum_x);
        let y = file.numbers("y").unwrap();
        assert_eq!(y.len(), samples, "{name}");
        assert!((y.iter().sum::<f64>() - sum_y).abs() < 1e-9, "{name}");
        if file.contains("feature_names") {
            assert_eq!(
                file.strings("feature_names").unwrap().len(),
                features,
                "{name}"
            );
        }
        assert_eq!(file.strings("source").unwrap().len(), 1, "{name}");
    }
    let mut jacobs = NpzFile::open(folder.join("jacobs_ibd_metabolome.npz")).unwrap();
    assert_eq!(
        jacobs.strings("groups").unwrap()[..2],
        ["BSD3905", "BSD3905"]
    );

    for (name, samples, active) in [("train", 800, 78), ("valid", 350, 34)] {
        let at = |extension: &str| folder.join(format!("dorothea/dorothea_{name}.{extension}"));
        let x = read_sparse_indices(at("data"), Some(8000)).unwrap();
        assert_eq!((x.samples, x.features), (samples, 8000));
        let ones = fs::read_to_string(at("data")).unwrap();
        let ones = ones
            .split_ascii_whitespace()
            .filter(|word| word.parse::<usize>().unwrap() <= 8000)
            .count();
        assert_eq!(x.values.iter().sum::<f64>(), ones as f64);
        let y = read_labels(at("labels")).unwrap();
        assert_eq!(y.len(), samples);
        assert_eq!(y.iter().filter(|&&label| label == 1.0).count(), active);
    }
}

fn check(name: &str, x: &Matrix, samples: usize, features: usize, sum: f64) {
    assert_eq!(
        (x.samples, x.features, x.values.len()),
        (samples, features, samples * features),
        "{name}"
    );
    let got: f64 = x.values.iter().sum();
    assert!(
        (got - sum).abs() <= 1e-9 * (1.0 + x.values.iter().map(|v| v.abs()).sum::<f64>()),
        "{name}: {got}"
    );
}
