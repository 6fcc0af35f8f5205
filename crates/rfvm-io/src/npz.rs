//! NumPy archives (`.npz`): a zip file with a `.npy` file for each array.
//!
//! The archive is opened by [`npyz`]. The headers of the arrays are parsed here, as a damaged header must not
//! lead to an overflow, to deep recursion or to a large allocation, and so that the values are converted in one go.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use npyz::npz::{NpzArchive, array_name_from_file_name};
use npyz::{Endianness, Order, TypeChar, TypeStr};

use crate::error::IoError;
use crate::matrix::Matrix;
use crate::storage::{MAX_INFLATION, Storage};

const FORMAT: &str = "an npz archive";

/// The longest array header that is read; NumPy itself accepts 10 000 characters.
const MAX_HEADER: usize = 1 << 16;

/// The most strings of no width that are made: their number is not limited by the length of the file.
const MAX_EMPTY_STRINGS: usize = 1 << 20;

/// An open NumPy archive.
pub struct NpzFile {
    path: PathBuf,
    /// The length of the file in bytes, which limits what its entries can hold.
    length: u64,
    archive: NpzArchive<BufReader<File>>,
    /// The names of the arrays in the order of the archive, each with its entry's number.
    entries: Vec<(String, usize)>,
}

impl std::fmt::Debug for NpzFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpzFile")
            .field("path", &self.path)
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

impl NpzFile {
    /// Opens an archive and reads its directory.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read or is not a zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IoError> {
        let path = path.as_ref();
        let not_zip = |what: String| IoError::malformed(path, FORMAT, "its zip directory", what);
        let file = File::open(path).map_err(|error| IoError::read(path, error))?;
        let length = file
            .metadata()
            .map_err(|error| IoError::read(path, error))?
            .len();
        let mut archive =
            NpzArchive::new(BufReader::new(file)).map_err(|error| not_zip(error.to_string()))?;
        let mut entries: Vec<(String, usize)> = Vec::new();
        for index in 0..archive.zip_archive().len() {
            let entry = archive
                .zip_archive()
                .by_index_raw(index)
                .map_err(|error| not_zip(error.to_string()))?;
            if let Some(name) = array_name_from_file_name(entry.name()) {
                entries.push((name.to_owned(), index));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            length,
            archive,
            entries,
        })
    }

    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|present| present == name)
    }

    /// Reads a two-dimensional array of numbers or truth values, samples by features, as a [`Matrix`].
    ///
    /// Read are `f8`, `f4`, `i1` to `i8`, `u1` to `u8` and `bool`, in either byte order and in C or Fortran order.
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or not of two dimensions.
    pub fn matrix(&mut self, name: &str) -> Result<Matrix, IoError> {
        let array = self.array(name)?;
        let &[samples, features] = array.header.shape.as_slice() else {
            return Err(IoError::array(
                &self.path,
                name,
                wrong_dimensions(&array.header.shape, "2"),
            ));
        };
        let values = array
            .values()
            .map_err(|what| IoError::array(&self.path, name, what))?;
        Ok(match array.header.order {
            Order::Fortran => Matrix {
                samples,
                features,
                values,
            },
            Order::C => Matrix::from_sample_major(samples, features, &values),
        })
    }

    /// Reads a one-dimensional array of numbers or truth values (a single number counts as an array of one).
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or of more than one dimension.
    pub fn numbers(&mut self, name: &str) -> Result<Vec<f64>, IoError> {
        let array = self.array(name)?;
        if array.header.shape.len() > 1 {
            return Err(IoError::array(
                &self.path,
                name,
                wrong_dimensions(&array.header.shape, "1"),
            ));
        }
        array
            .values()
            .map_err(|what| IoError::array(&self.path, name, what))
    }

    /// Reads a one-dimensional array of strings, `U` or `S` (a single string counts as an array of one).
    ///
    /// Byte strings (`S`) must be UTF-8.
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or of more than one dimension. Arrays of
    /// Python objects, as NumPy makes them of strings of unlike length when told `dtype=object`, are refused.
    pub fn strings(&mut self, name: &str) -> Result<Vec<String>, IoError> {
        let array = self.array(name)?;
        if array.header.shape.len() > 1 {
            return Err(IoError::array(
                &self.path,
                name,
                wrong_dimensions(&array.header.shape, "1"),
            ));
        }
        array
            .strings()
            .map_err(|what| IoError::array(&self.path, name, what))
    }

    /// Reads the bytes of an array and interprets its header.
    fn array(&mut self, name: &str) -> Result<Array, IoError> {
        // As in NumPy, the last of several entries of one name counts.
        let Some(&(_, index)) = self
            .entries
            .iter()
            .rev()
            .find(|(present, _)| present == name)
        else {
            let present: Vec<&str> = self.names().collect();
            let what = if present.is_empty() {
                "there are no arrays in it".to_owned()
            } else {
                format!("its arrays are {}", present.join(", "))
            };
            return Err(IoError::missing(&self.path, name, what));
        };
        let path = &self.path;
        let malformed =
            |what: String| IoError::malformed(path, FORMAT, format!("array `{name}`"), what);

        let mut entry = self
            .archive
            .zip_archive()
            .by_index(index)
            .map_err(|error| malformed(error.to_string()))?;
        let most = match format!("{:?}", entry.compression()).as_str() {
            "Stored" => entry.compressed_size(),
            "Deflated" => entry.compressed_size().saturating_mul(MAX_INFLATION),
            other => {
                return Err(malformed(format!(
                    "it is compressed by a method that is not read here ({other})"
                )));
            }
        };
        let size = entry.size();
        if entry.compressed_size() > self.length || size > most {
            return Err(malformed(format!(
                "its entry declares {size} bytes, packed into {}, which a file of {} bytes cannot hold",
                entry.compressed_size(),
                self.length
            )));
        }

        let (header, header_length) = read_header(&mut entry).map_err(malformed)?;
        let expected = header
            .data_length()
            .map_err(|what| IoError::array(path, name, what))?;
        let declared = size.saturating_sub(header_length);
        if expected != declared {
            return Err(malformed(format!(
                "its shape {} and type {} call for {expected} bytes of data, but its entry has {declared}",
                shape_text(&header.shape),
                header.dtype
            )));
        }
        let mut data = Vec::new();
        let no_room = |_| malformed(format!("there is no memory for its {expected} bytes"));
        let capacity = usize::try_from(expected)
            .map_err(|_| malformed(format!("its {expected} bytes are too many")))?;
        data.try_reserve_exact(capacity).map_err(no_room)?;
        // One byte more than expected, so that the end is met and the checksum verified.
        entry
            .by_ref()
            .take(expected + 1)
            .read_to_end(&mut data)
            .map_err(|error| malformed(error.to_string()))?;
        if data.len() != capacity {
            return Err(malformed(format!(
                "it has {} bytes of data where {expected} are declared",
                data.len()
            )));
        }
        Ok(Array { header, data })
    }
}

/// An array as it lies in its file.
struct Array {
    header: Header,
    data: Vec<u8>,
}

impl Array {
    fn values(&self) -> Result<Vec<f64>, String> {
        let dtype = &self.header.dtype;
        let storage = match (dtype.type_char(), dtype.size_field()) {
            (TypeChar::Bool, 1) => Storage::Bool,
            (TypeChar::Int, 1) => Storage::I8,
            (TypeChar::Int, 2) => Storage::I16,
            (TypeChar::Int, 4) => Storage::I32,
            (TypeChar::Int, 8) => Storage::I64,
            (TypeChar::Uint, 1) => Storage::U8,
            (TypeChar::Uint, 2) => Storage::U16,
            (TypeChar::Uint, 4) => Storage::U32,
            (TypeChar::Uint, 8) => Storage::U64,
            (TypeChar::Float, 4) => Storage::F32,
            (TypeChar::Float, 8) => Storage::F64,
            _ => {
                return Err(format!(
                    "its type is {dtype}, where numbers (f4, f8, i1 to i8, u1 to u8, bool) are read"
                ));
            }
        };
        Ok(storage.decode(&self.data, dtype.endianness() == Endianness::Big))
    }

    fn strings(&self) -> Result<Vec<String>, String> {
        let dtype = &self.header.dtype;
        let unicode = match dtype.type_char() {
            TypeChar::UnicodeStr => true,
            TypeChar::ByteStr => false,
            _ => {
                return Err(format!(
                    "its type is {dtype}, where strings (U or S) are read"
                ));
            }
        };
        let width = dtype.num_bytes().ok_or("its strings are too long")?;
        if width == 0 {
            let count = self
                .header
                .count()
                .filter(|&count| count <= MAX_EMPTY_STRINGS as u64);
            return Ok(vec![
                String::new();
                count.ok_or("it declares too many empty strings")?
                    as usize
            ]);
        }
        let big_endian = dtype.endianness() == Endianness::Big;
        self.data
            .chunks_exact(width)
            .enumerate()
            .map(|(number, bytes)| {
                let text = if unicode {
                    unicode_text(bytes, big_endian)
                } else {
                    let end = bytes
                        .iter()
                        .rposition(|&byte| byte != 0)
                        .map_or(0, |last| last + 1);
                    bytes
                        .get(..end)
                        .and_then(|bytes| std::str::from_utf8(bytes).ok())
                        .map(str::to_owned)
                };
                text.ok_or_else(|| format!("its element {number} is not text"))
            })
            .collect()
    }
}

/// The text in 32-bit characters, without the zeros at its end.
fn unicode_text(bytes: &[u8], big_endian: bool) -> Option<String> {
    let characters = bytes.as_chunks::<4>().0;
    let end = characters
        .iter()
        .rposition(|&character| character != [0; 4])
        .map_or(0, |last| last + 1);
    let code = |&bytes: &[u8; 4]| {
        if big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    };
    characters
        .iter()
        .take(end)
        .map(|character| char::from_u32(code(character)))
        .collect()
}

fn wrong_dimensions(shape: &[usize], wanted: &str) -> String {
    format!(
        "its shape is {}, where {wanted} dimensions are wanted",
        shape_text(shape)
    )
}

fn shape_text(shape: &[usize]) -> String {
    match shape {
        [] => "() (a single value)".to_owned(),
        _ => shape
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(" x "),
    }
}

/// The header of an array.
#[derive(Debug)]
struct Header {
    dtype: TypeStr,
    order: Order,
    shape: Vec<usize>,
}

impl Header {
    /// The number of elements.
    fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |count, &side| {
            count.checked_mul(u64::try_from(side).ok()?)
        })
    }

    /// The length in bytes that the data must have.
    fn data_length(&self) -> Result<u64, String> {
        if self.dtype.type_char() == TypeChar::Object {
            return Err("it is an array of Python objects, which only Python can read; save it with a fixed type \
                        instead, such as array.astype(str) for strings or array.astype(float) for numbers"
                .to_owned());
        }
        let width = self
            .dtype
            .num_bytes()
            .and_then(|width| u64::try_from(width).ok());
        let length = self
            .count()
            .zip(width)
            .and_then(|(count, width)| count.checked_mul(width));
        // One less than the largest number, as one byte more is read to meet the end.
        length
            .filter(|&length| length < u64::MAX)
            .ok_or_else(|| format!("its shape {} is impossibly large", shape_text(&self.shape)))
    }
}

/// Reads the header of an array up to the first byte of its data; gives also the number of bytes it took.
fn read_header(reader: &mut impl Read) -> Result<(Header, u64), String> {
    let mut take = |count: usize| {
        let mut bytes = vec![0; count];
        reader
            .read_exact(&mut bytes)
            .map_err(|error| format!("its header cannot be read ({error})"))?;
        Ok::<_, String>(bytes)
    };
    let start = take(8)?;
    let length_width = match start.as_slice() {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, 0] => 2,
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, 0] => 4,
        [0x93, b'N', b'U', b'M', b'P', b'Y', major, minor] => {
            return Err(format!(
                "it is of version {major}.{minor} of the npy format, which is not known here"
            ));
        }
        _ => return Err("it does not begin as npy files do".to_owned()),
    };
    let length = take(length_width)?
        .iter()
        .rev()
        .fold(0_usize, |length, &byte| (length << 8) | usize::from(byte));
    if length > MAX_HEADER {
        return Err(format!(
            "its header declares a length of {length} bytes, where {MAX_HEADER} is the most read"
        ));
    }
    let text = take(length)?;
    let text = std::str::from_utf8(&text).map_err(|_| "its header is not text".to_owned())?;
    Ok((parse_header(text)?, (8 + length_width + length) as u64))
}

/// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse_header(text: &str) -> Result<Header, String> {
    let mut dtype = None;
    let mut order = None;
    let mut shape = None;
    let mut scan = Scan { rest: text };
    if !scan.accept('{') {
        return Err("its header does not begin with `{`".to_owned());
    }
    while !scan.accept('}') {
        let key = scan
            .quoted()
            .ok_or("its header is not a Python dictionary")?;
        if !scan.accept(':') {
            return Err(format!("its header has no value for `{key}`"));
        }
        match key {
            "descr" => {
                if scan.rest.trim_start().starts_with('[') {
                    return Err("it is a structured array, which is not read here".to_owned());
                }
                let name = scan
                    .quoted()
                    .ok_or("its header has a `descr` that is not a string")?;
                dtype = Some(name.parse().map_err(|_| {
                    format!("its type `{}` is not known here", name.escape_debug())
                })?);
            }
            "fortran_order" => {
                order = Some(match scan.word() {
                    "True" => Order::Fortran,
                    "False" => Order::C,
                    _ => {
                        return Err(
                            "its header has a `fortran_order` that is neither True nor False"
                                .to_owned(),
                        );
                    }
                });
            }
            "shape" => {
                shape = Some(
                    scan.tuple()
                        .ok_or("its header has a `shape` that is not a tuple of numbers")?,
                )
            }
            _ => {
                return Err(format!(
                    "its header has a key `{}` that is not known",
                    key.escape_debug()
                ));
            }
        }
        if !scan.accept(',') && !scan.rest.trim_start().starts_with('}') {
            return Err("its header is not a Python dictionary".to_owned());
        }
    }
    match (dtype, order, shape) {
        (Some(dtype), Some(order), Some(shape)) => Ok(Header {
            dtype,
            order,
            shape,
        }),
        _ => Err("its header lacks one of `descr`, `fortran_order` and `shape`".to_owned()),
    }
}

/// What is left of a header's text.
struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    /// Takes the character, and blanks before it, if it comes next.
    fn accept(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes a string in quotes; strings with escapes are not taken.
    fn quoted(&mut self) -> Option<&'a str> {
        let quote = if self.accept('\'') {
            '\''
        } else if self.accept('"') {
            '"'
        } else {
            return None;
        };
        let (text, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        (!text.contains('\\')).then_some(text)
    }

    /// Takes the letters and digits that come next.
    fn word(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let (word, rest) = text.split_at(
            text.find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(text.len()),
        );
        self.rest = rest;
        word
    }

    /// Takes a tuple of whole numbers, which Python 2 may have written with an `L` behind each.
    fn tuple(&mut self) -> Option<Vec<usize>> {
        let mut numbers = Vec::new();
        if !self.accept('(') {
            return None;
        }
        while !self.accept(')') {
            let word = self.word();
            numbers.push(word.strip_suffix('L').unwrap_or(word).parse().ok()?);
            if !self.accept(',') && !self.rest.trim_start().starts_with(')') {
                return None;
            }
        }
        Some(numbers)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let header =
            parse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n")
                .unwrap();
        assert_eq!(
            (header.dtype.to_string().as_str(), header.order),
            ("<f8", Order::C)
        );
        assert_eq!(header.shape, [3, 4]);
        assert_eq!(header.data_length(), Ok(96));
        let header = parse_header("{\"shape\":(7L,),'fortran_order':True,'descr':'|S3'}").unwrap();
        assert_eq!(
            (header.shape.as_slice(), header.order),
            (&[7][..], Order::Fortran)
        );
        assert_eq!(
            parse_header("{'shape': (), 'descr': '<U5', 'fortran_order': False}")
                .unwrap()
                .count(),
            Some(1)
        );
    }

    #[test]
    fn bad_headers() {
        for (text, part) in [
            ("", "begin"),
            ("{", "dictionary"),
            ("{}", "lacks"),
            ("{'descr': '<f8', 'fortran_order': False}", "lacks"),
            (
                "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}",
                "structured",
            ),
            (
                "{'descr': '<q9', 'fortran_order': False, 'shape': (3,)}",
                "not known",
            ),
            (
                "{'descr': '<f8', 'fortran_order': None, 'shape': (3,)}",
                "neither",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
                "tuple",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}",
                "tuple",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                "tuple",
            ),
            (
                "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
                "dictionary",
            ),
            ("{'other': 3}", "not known"),
        ] {
            let what = parse_header(text).unwrap_err();
            assert!(what.contains(part), "{text}: {what}");
        }
        let large = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}";
        assert!(
            parse_header(large)
                .unwrap()
                .data_length()
                .unwrap_err()
                .contains("large")
        );
    }
}
