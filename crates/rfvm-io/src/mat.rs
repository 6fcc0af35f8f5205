//! MATLAB files (`.mat`) of versions 5 to 7, in either byte order, compressed or not.
//!
//! Read are the two-dimensional real numeric, logical and sparse arrays, all as `f64` (64-bit integers above 2^53
//! are rounded), and character arrays as text. Whatever else a file holds (cells, structs, objects, function
//! handles, complex numbers, arrays of more dimensions) is passed over, and named in [`MatFile::skipped`].
//!
//! Version 4 files and version 7.3 files, which are HDF5, are refused.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use crate::error::IoError;
use crate::matrix::{MAX_DENSE_VALUES, Matrix};
use crate::storage::{MAX_INFLATION, Storage};

const FORMAT: &str = "a MATLAB file";
const HEADER_LENGTH: usize = 128;
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

// The data types of the format that are not numbers.
const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;
const MI_UTF8: u32 = 16;
const MI_UTF16: u32 = 17;
const MI_UTF32: u32 = 18;

// The numbers of the format whose meaning is needed by name.
const MI_INT8: u32 = 1;
const MI_INT32: u32 = 5;
const MI_UINT32: u32 = 6;

const CLASS_CHAR: u8 = 4;
const CLASS_SPARSE: u8 = 5;
const CLASS_OPAQUE: u8 = 17;

const FLAG_COMPLEX: u8 = 0x08;

/// A two-dimensional array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct MatArray {
    /// The name of the variable.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The values, column-major: column `j` occupies `values[j * rows..(j + 1) * rows]`.
    pub values: Vec<f64>,
}

impl MatArray {
    /// The array as a data matrix, its rows being the samples; nothing is copied.
    pub fn into_matrix(self) -> Matrix {
        Matrix {
            samples: self.rows,
            features: self.cols,
            values: self.values,
        }
    }
}

/// A character array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatText {
    /// The name of the variable.
    pub name: String,
    /// Its rows; MATLAB pads all of them with blanks to the same length.
    pub lines: Vec<String>,
}

/// A variable that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatSkipped {
    /// The name of the variable; empty where it has none.
    pub name: String,
    /// What it is, and so why it was passed over: "a cell array".
    pub what: String,
}

/// All that was found in a MATLAB file.
#[derive(Debug, Clone, PartialEq)]
pub struct MatFile {
    path: PathBuf,
    /// The arrays of numbers, in the order of the file.
    pub arrays: Vec<MatArray>,
    /// The character arrays, in the order of the file.
    pub texts: Vec<MatText>,
    /// The variables that were passed over, in the order of the file.
    pub skipped: Vec<MatSkipped>,
}

impl MatFile {
    /// Takes the array of numbers with this name out of the file.
    ///
    /// # Errors
    ///
    /// Where there is none; the message says whether the variable was passed over and why, or else what arrays there
    /// are.
    pub fn take(&mut self, name: &str) -> Result<MatArray, IoError> {
        if let Some(index) = self.arrays.iter().position(|array| array.name == name) {
            return Ok(self.arrays.remove(index));
        }
        let what = if let Some(skipped) = self.skipped.iter().find(|skipped| skipped.name == name) {
            format!("the variable is {}", skipped.what)
        } else if self.texts.iter().any(|text| text.name == name) {
            "the variable is a character array".to_owned()
        } else if self.arrays.is_empty() {
            "there are no arrays of numbers in it".to_owned()
        } else {
            let names: Vec<&str> = self
                .arrays
                .iter()
                .map(|array| array.name.as_str())
                .collect();
            format!("its arrays are {}", names.join(", "))
        };
        Err(IoError::missing(&self.path, name, what))
    }
}

/// Reads the arrays of numbers in a MATLAB file, in the order of the file.
///
/// All else in the file is passed over; [`read_mat_file`] tells what it was.
///
/// # Errors
///
/// Where the file cannot be read, is damaged, or is not a MATLAB file of versions 5 to 7.
pub fn read_mat(path: impl AsRef<Path>) -> Result<Vec<MatArray>, IoError> {
    Ok(read_mat_file(path)?.arrays)
}

/// Reads a MATLAB file: its arrays of numbers, its texts, and the names of what was passed over.
///
/// # Errors
///
/// Where the file cannot be read, is damaged, or is not a MATLAB file of versions 5 to 7.
pub fn read_mat_file(path: impl AsRef<Path>) -> Result<MatFile, IoError> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(|error| IoError::read(path, error))?;
    let big_endian = check_file_header(path, &bytes)?;

    let mut file = MatFile {
        path: path.to_owned(),
        arrays: Vec::new(),
        texts: Vec::new(),
        skipped: Vec::new(),
    };
    let mut cursor = Cursor {
        bytes: &bytes,
        position: HEADER_LENGTH,
        big_endian,
    };
    while !cursor.at_end() {
        let start = cursor.position;
        let variable = cursor.top_element().and_then(|element| match element.kind {
            MI_MATRIX => read_variable(&element.cursor(big_endian)),
            MI_COMPRESSED => {
                let inflated = inflate(element.data, big_endian).map_err(|what| Fault {
                    at: element.at,
                    what,
                })?;
                // Places inside are counted from the start of what was compressed.
                read_variable(&Cursor {
                    bytes: &inflated,
                    position: 8,
                    big_endian,
                })
                .map_err(|fault| Fault {
                    at: start,
                    what: format!(
                        "{} (byte {} of its compressed content)",
                        fault.what, fault.at
                    ),
                })
            }
            kind => Err(Fault {
                at: start,
                what: format!("a variable should begin here, but this is data of type {kind}"),
            }),
        });
        match variable {
            Ok(Variable::Numbers(array)) => file.arrays.push(array),
            Ok(Variable::Text(text)) => file.texts.push(text),
            Ok(Variable::Skipped(skipped)) => file.skipped.push(skipped),
            Err(fault) => {
                return Err(IoError::malformed(
                    path,
                    FORMAT,
                    format!("byte {}", fault.at),
                    fault.what,
                ));
            }
        }
    }
    Ok(file)
}

/// Checks the first 128 bytes of a file, and says whether it is big-endian.
fn check_file_header(path: &Path, bytes: &[u8]) -> Result<bool, IoError> {
    let hdf5 = "it is a MATLAB v7.3 file, which is an HDF5 file and not read here; save it again with \
                save(..., '-v7') in MATLAB or scipy.io.savemat in Python";
    let start = bytes.first_chunk::<HEADER_LENGTH>();
    let signature_at = |at: usize| {
        bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(HDF5_SIGNATURE))
    };
    // In MATLAB's own files, the HDF5 part begins after a block of 512 bytes.
    if signature_at(0) || start.is_some() && signature_at(512) {
        return Err(IoError::unsupported(path, hdf5));
    }
    if looks_like_version_4(bytes) {
        return Err(IoError::unsupported(
            path,
            "it looks like a MATLAB version 4 file, which is not read here; save it again with save(..., '-v7') in \
             MATLAB or scipy.io.savemat in Python",
        ));
    }
    let Some(start) = start else {
        return Err(IoError::malformed(
            path,
            FORMAT,
            "its header",
            format!(
                "the file has {} bytes, and the header alone takes {HEADER_LENGTH}",
                bytes.len()
            ),
        ));
    };
    let [.., v0, v1, e0, e1] = *start;
    let big_endian = match [e0, e1] {
        [b'I', b'M'] => false,
        [b'M', b'I'] => true,
        _ => {
            return Err(IoError::malformed(
                path,
                FORMAT,
                "byte 126",
                "the mark `IM` or `MI` of MATLAB v5 to v7 files is not there",
            ));
        }
    };
    match if big_endian {
        u16::from_be_bytes([v0, v1])
    } else {
        u16::from_le_bytes([v0, v1])
    } {
        0x0100 => Ok(big_endian),
        0x0200 => Err(IoError::unsupported(path, hdf5)),
        other => Err(IoError::malformed(
            path,
            FORMAT,
            "byte 124",
            format!("the version {other:#06x} is not known"),
        )),
    }
}

/// Whether a file begins as those of version 4 do: with a number MOPT whose decimal digits have a meaning, and sizes.
fn looks_like_version_4(bytes: &[u8]) -> bool {
    let Some((words, _)) = bytes
        .first_chunk::<20>()
        .map(|start| start.as_chunks::<4>())
    else {
        return false;
    };
    [u32::from_le_bytes, u32::from_be_bytes]
        .iter()
        .any(|number| {
            let mut words = words.iter().map(|&word| number(word));
            let Some(mopt) = words.next() else {
                return false;
            };
            let digits = [mopt / 1000, mopt / 100 % 10, mopt / 10 % 10, mopt % 10];
            // Rows and columns come next, then 0 or 1 (complex), then the length of the name, its zero included.
            let name_length = words.nth(3);
            matches!(digits, [0..=4, 0, 0..=5, 0..=2]) && matches!(name_length, Some(2..=4096))
        })
}

/// What is wrong, and at which byte.
#[derive(Debug)]
struct Fault {
    at: usize,
    what: String,
}

/// A variable of the file.
enum Variable {
    Numbers(MatArray),
    Text(MatText),
    Skipped(MatSkipped),
}

/// Where the reader stands. All positions count from the start of the file, or of the compressed content.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    /// Everything up to the end of what may be read.
    bytes: &'a [u8],
    position: usize,
    big_endian: bool,
}

/// A tagged piece of data.
#[derive(Clone, Copy)]
struct Element<'a> {
    kind: u32,
    /// All bytes up to and including the element's data.
    bytes: &'a [u8],
    data: &'a [u8],
    /// Where its data begins.
    at: usize,
}

impl<'a> Element<'a> {
    fn cursor(&self, big_endian: bool) -> Cursor<'a> {
        Cursor {
            bytes: self.bytes,
            position: self.at,
            big_endian,
        }
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault {
            at: self.at,
            what: what.into(),
        }
    }
}

impl<'a> Cursor<'a> {
    fn at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    fn word(&mut self) -> Result<u32, Fault> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let Some(&word) = rest.first_chunk::<4>() else {
            return Err(Fault {
                at: self.position,
                what: format!(
                    "the file ends in the middle of a tag ({} of 4 bytes are there)",
                    rest.len()
                ),
            });
        };
        self.position += 4;
        Ok(if self.big_endian {
            u32::from_be_bytes(word)
        } else {
            u32::from_le_bytes(word)
        })
    }

    /// Takes `length` bytes as the data of an element.
    fn data(&mut self, kind: u32, length: usize) -> Result<Element<'a>, Fault> {
        let at = self.position;
        let left = self.bytes.len().saturating_sub(at);
        let end = at.checked_add(length).filter(|_| length <= left);
        let bytes = end.and_then(|end| self.bytes.get(..end));
        let (Some(bytes), Some(data)) = (bytes, bytes.and_then(|bytes| bytes.get(at..))) else {
            return Err(Fault {
                at,
                what: format!("{length} bytes of data are declared, but only {left} are left"),
            });
        };
        self.position = at + length;
        Ok(Element {
            kind,
            bytes,
            data,
            at,
        })
    }

    /// Takes an element at the top of the file, where there is neither a short form nor padding.
    fn top_element(&mut self) -> Result<Element<'a>, Fault> {
        let kind = self.word()?;
        let length = self.word()? as usize;
        self.data(kind, length)
    }

    /// Takes an element inside a variable, in its long or its short form, with its padding; `what` names it.
    fn element(&mut self, what: &str) -> Result<Element<'a>, Fault> {
        let start = self.position;
        if self.at_end() {
            return Err(Fault {
                at: start,
                what: format!("the variable ends before its {what}"),
            });
        }
        let first = self.word()?;
        let short_length = (first >> 16) as usize;
        let (kind, length, slot) = if short_length > 0 {
            (first & 0xffff, short_length, 4)
        } else {
            let length = self.word()? as usize;
            (
                first,
                length,
                length.checked_next_multiple_of(8).unwrap_or(usize::MAX),
            )
        };
        if length > slot {
            return Err(Fault {
                at: start,
                what: format!("a short element declares {length} bytes, where 4 is the most"),
            });
        }
        let after = self.position.saturating_add(slot);
        let element = self.data(kind, length).map_err(|fault| Fault {
            what: format!("in its {what}, {}", fault.what),
            ..fault
        })?;
        // The padding of the last element may be missing.
        self.position = after.min(self.bytes.len());
        Ok(element)
    }

    /// Takes an element of whole numbers, of which none may be negative.
    fn indices(&mut self, what: &str) -> Result<(Element<'a>, Vec<usize>), Fault> {
        let element = self.element(what)?;
        if !matches!(element.kind, MI_INT32 | MI_UINT32) {
            return Err(element.fault(format!(
                "its {what} should be 32-bit integers, but are data of type {}",
                element.kind
            )));
        }
        let indices = element.data.as_chunks::<4>().0.iter().map(|&word| {
            let word = if self.big_endian {
                u32::from_be_bytes(word)
            } else {
                u32::from_le_bytes(word)
            };
            i32::try_from(word).ok().map(|index| index as usize)
        });
        match indices.collect() {
            Some(indices) => Ok((element, indices)),
            None => Err(element.fault(format!("its {what} hold a negative number"))),
        }
    }

    /// Takes an element of numbers, whatever their storage.
    fn numbers(&mut self, what: &str) -> Result<(Element<'a>, Vec<f64>), Fault> {
        let element = self.element(what)?;
        let Some(storage) = storage(element.kind) else {
            return Err(element.fault(format!(
                "its {what} should be numbers, but are data of type {}",
                element.kind
            )));
        };
        if !element.data.len().is_multiple_of(storage.width()) {
            return Err(element.fault(format!(
                "its {what} take {} bytes, which is no multiple of {}",
                element.data.len(),
                storage.width()
            )));
        }
        Ok((element, storage.decode(element.data, self.big_endian)))
    }
}

/// The storage of a data type of the format.
fn storage(kind: u32) -> Option<Storage> {
    Some(match kind {
        1 => Storage::I8,
        2 => Storage::U8,
        3 => Storage::I16,
        4 => Storage::U16,
        5 => Storage::I32,
        6 => Storage::U32,
        7 => Storage::F32,
        9 => Storage::F64,
        12 => Storage::I64,
        13 => Storage::U64,
        _ => return None,
    })
}

/// Inflates a compressed variable: its tag and as many bytes as the tag declares, no more.
fn inflate(data: &[u8], big_endian: bool) -> Result<Vec<u8>, String> {
    let bad = |error| format!("the compressed variable cannot be inflated ({error})");
    let mut decoder = ZlibDecoder::new(data);
    let mut tag = [0; 8];
    decoder.read_exact(&mut tag).map_err(bad)?;
    let mut cursor = Cursor {
        bytes: &tag,
        position: 0,
        big_endian,
    };
    let (kind, length) = match (cursor.word(), cursor.word()) {
        (Ok(kind), Ok(length)) => (kind, u64::from(length)),
        (Err(fault), _) | (_, Err(fault)) => return Err(fault.what),
    };
    if kind != MI_MATRIX {
        return Err(format!(
            "a variable should be compressed here, but this is data of type {kind}"
        ));
    }
    if length > (data.len() as u64).saturating_mul(MAX_INFLATION) {
        return Err(format!(
            "the variable declares {length} bytes, which {} compressed bytes cannot hold",
            data.len()
        ));
    }
    let mut inflated = Vec::new();
    usize::try_from(length)
        .ok()
        .and_then(|length| inflated.try_reserve_exact(length.checked_add(8)?).ok())
        .ok_or_else(|| format!("there is no memory for a variable of {length} bytes"))?;
    inflated.extend_from_slice(&tag);
    decoder
        .by_ref()
        .take(length)
        .read_to_end(&mut inflated)
        .map_err(bad)?;
    let got = inflated.len() as u64 - 8;
    if got < length {
        return Err(format!(
            "the variable declares {length} bytes, but only {got} were compressed"
        ));
    }
    // Reading on to the end verifies the checksum; padding is all that may come there.
    let mut rest = Vec::new();
    decoder.take(8).read_to_end(&mut rest).map_err(bad)?;
    if rest.len() == 8 {
        return Err(format!(
            "the variable declares {length} bytes, but more were compressed"
        ));
    }
    Ok(inflated)
}

/// Reads one variable, the content of a matrix element.
fn read_variable(cursor: &Cursor<'_>) -> Result<Variable, Fault> {
    let mut cursor = *cursor;
    let skip = |name: String, what: &str| {
        Ok(Variable::Skipped(MatSkipped {
            name,
            what: what.to_owned(),
        }))
    };
    if cursor.at_end() {
        // An empty element stands for an empty array.
        return skip(String::new(), "an empty unnamed array");
    }

    let flags = cursor.element("array flags")?;
    let flags_word = flags
        .data
        .first_chunk::<8>()
        .filter(|_| flags.kind == MI_UINT32);
    let Some([word @ .., _, _, _, _]) = flags_word else {
        return Err(flags.fault("the array flags should be two 32-bit integers"));
    };
    let mut word = *word;
    if cursor.big_endian {
        word.reverse();
    }
    let [class, flag_bits, _, _] = word;

    if class == CLASS_OPAQUE {
        // These have no dimensions; their name comes first.
        let name = cursor.element("name")?;
        return skip(text_of_name(name.data), "an object of a MATLAB class");
    }

    let (dimensions_element, dimensions) = cursor.indices("dimensions")?;
    let name_element = cursor.element("name")?;
    if !matches!(name_element.kind, MI_INT8 | MI_UTF8 | 2) {
        return Err(name_element.fault(format!(
            "the variable's name is data of type {}, not text",
            name_element.kind
        )));
    }
    let name = text_of_name(name_element.data);
    read_content(
        cursor,
        class,
        flag_bits,
        &dimensions,
        dimensions_element.at,
        &name,
    )
    .map_err(|fault| Fault {
        what: format!("variable `{}`: {}", name.escape_debug(), fault.what),
        ..fault
    })
}

/// Reads what comes after a variable's name.
fn read_content(
    mut cursor: Cursor<'_>,
    class: u8,
    flag_bits: u8,
    dimensions: &[usize],
    dimensions_at: usize,
    name: &str,
) -> Result<Variable, Fault> {
    let skip = |what: String| {
        Ok(Variable::Skipped(MatSkipped {
            name: name.to_owned(),
            what,
        }))
    };
    let other = match class {
        1 => "a cell array",
        2 => "a struct",
        3 => "an object",
        16 => "a function handle",
        CLASS_CHAR..=15 => "",
        _ => {
            return Err(Fault {
                at: dimensions_at,
                what: format!("it is of a class {class} that does not exist"),
            });
        }
    };
    if !other.is_empty() {
        return skip(other.to_owned());
    }
    if name.is_empty() {
        return skip("unnamed, as MATLAB's own internal data is".to_owned());
    }
    let &[rows, cols] = dimensions else {
        if dimensions.len() < 2 {
            return Err(Fault {
                at: dimensions_at,
                what: format!("it has {} dimensions", dimensions.len()),
            });
        }
        return skip(format!("an array of {} dimensions", dimensions.len()));
    };
    let count = rows.checked_mul(cols).ok_or_else(|| Fault {
        at: dimensions_at,
        what: format!("its size {rows} x {cols} is impossible"),
    })?;
    if flag_bits & FLAG_COMPLEX != 0 {
        return skip("an array of complex numbers".to_owned());
    }

    if class == CLASS_CHAR {
        let element = cursor.element("characters")?;
        let lines = text_lines(&element, cursor.big_endian, rows, cols)
            .map_err(|what| element.fault(what))?;
        return Ok(Variable::Text(MatText {
            name: name.to_owned(),
            lines,
        }));
    }
    if class == CLASS_SPARSE {
        return match read_sparse(&mut cursor, rows, cols, count)? {
            Some(values) => Ok(Variable::Numbers(MatArray {
                name: name.to_owned(),
                rows,
                cols,
                values,
            })),
            None => skip(format!(
                "a sparse array of {rows} x {cols}, more than {MAX_DENSE_VALUES} values in dense form"
            )),
        };
    }

    let (element, values) = cursor.numbers("values")?;
    if values.len() != count {
        return Err(element.fault(format!(
            "its size {rows} x {cols} calls for {count} values, but it has {}",
            values.len()
        )));
    }
    Ok(Variable::Numbers(MatArray {
        name: name.to_owned(),
        rows,
        cols,
        values,
    }))
}

/// Reads a sparse array into dense values, or gives `None` where these would be too many.
fn read_sparse(
    cursor: &mut Cursor<'_>,
    rows: usize,
    cols: usize,
    count: usize,
) -> Result<Option<Vec<f64>>, Fault> {
    let (row_element, row_of) = cursor.indices("row indices")?;
    let (start_element, starts) = cursor.indices("column starts")?;
    let (number_element, numbers) = cursor.numbers("values")?;
    if cols.checked_add(1) != Some(starts.len()) {
        return Err(start_element.fault(format!("its {cols} columns have {} starts", starts.len())));
    }
    if count > MAX_DENSE_VALUES {
        return Ok(None);
    }
    let used = starts.last().copied().unwrap_or(0);
    if starts.first() != Some(&0) || !starts.is_sorted() || used > row_of.len() {
        return Err(start_element.fault(format!(
            "its column starts do not rise from 0 to at most {}, the number of its row indices",
            row_of.len()
        )));
    }
    if used > numbers.len() {
        return Err(number_element.fault(format!(
            "it has {} values where {used} are called for",
            numbers.len()
        )));
    }
    let mut values = vec![0.0; count];
    let mut entries = row_of.iter().zip(&numbers);
    for (column, ends) in starts.windows(2).enumerate() {
        let &[start, end] = ends else { continue };
        for (&row, number) in entries.by_ref().take(end - start) {
            match values.get_mut(column * rows + row).filter(|_| row < rows) {
                Some(value) => *value += number,
                None => {
                    return Err(row_element.fault(format!(
                        "it has a value in row {row} of {rows}, counted from 0"
                    )));
                }
            }
        }
    }
    Ok(Some(values))
}

/// The rows of a character array.
fn text_lines(
    element: &Element<'_>,
    big_endian: bool,
    rows: usize,
    cols: usize,
) -> Result<Vec<String>, String> {
    let units: Vec<u32> = match element.kind {
        MI_UTF8 => String::from_utf8_lossy(element.data)
            .chars()
            .map(u32::from)
            .collect(),
        MI_UTF16 => integers(Storage::U16, element.data, big_endian),
        MI_UTF32 => integers(Storage::U32, element.data, big_endian),
        // Bytes are not negative here, whatever their type says.
        MI_INT8 => integers(Storage::U8, element.data, big_endian),
        2 | 4 | 6 => storage(element.kind)
            .map_or_else(Vec::new, |kind| integers(kind, element.data, big_endian)),
        kind => return Err(format!("its characters are data of type {kind}, not text")),
    };
    if units.is_empty() {
        return Ok(Vec::new());
    }
    if rows == 1 {
        // MATLAB counts units of UTF-16, so that the number of characters may differ from that of columns.
        return Ok(vec![text(units.iter().copied())]);
    }
    if rows.checked_mul(cols) != Some(units.len()) {
        return Err(format!(
            "its size {rows} x {cols} does not fit its {} characters",
            units.len()
        ));
    }
    Ok((0..rows)
        .map(|row| text(units.iter().skip(row).step_by(rows).copied()))
        .collect())
}

fn integers(storage: Storage, data: &[u8], big_endian: bool) -> Vec<u32> {
    storage
        .decode(data, big_endian)
        .into_iter()
        .map(|value| value as u32)
        .collect()
}

/// The text in units of UTF-16, or of UTF-32 where one is larger than those of UTF-16.
fn text(units: impl Iterator<Item = u32> + Clone) -> String {
    let short: Option<Vec<u16>> = units.clone().map(|unit| u16::try_from(unit).ok()).collect();
    match short {
        Some(short) => String::from_utf16_lossy(&short),
        None => units
            .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    }
}

/// A variable's name, without the zeros that some writers put at its end.
fn text_of_name(data: &[u8]) -> String {
    let end = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    String::from_utf8_lossy(data.get(..end).unwrap_or_default()).into_owned()
}
