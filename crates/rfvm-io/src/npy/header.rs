//! The header of a NumPy array: its type, its order and its shape.

use std::fmt;
use std::io::Read;
use std::str::FromStr;

use crate::storage::Storage;

/// The longest array header that is read; NumPy itself accepts 10 000 characters.
const MAX_HEADER: usize = 1 << 16;

/// In which order the values of an array lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    C,
    Fortran,
}

/// The type of an array's elements, as NumPy writes it: `<f8`, `|S3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dtype {
    order: char,
    pub(super) kind: char,
    size: usize,
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.order, self.kind, self.size)
    }
}

impl FromStr for Dtype {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut characters = text.chars();
        let (order, kind) = match characters.next().ok_or(())? {
            order @ ('<' | '>' | '|' | '=') => (order, characters.next().ok_or(())?),
            kind => ('=', kind),
        };
        let rest = characters.as_str();
        let size = match rest.split_once('[') {
            // Dates have a unit behind their size.
            Some((size, unit)) if matches!(kind, 'm' | 'M') && unit.ends_with(']') => size,
            _ => rest,
        };
        let size = if size.is_empty() && kind == 'O' {
            8
        } else {
            size.parse().map_err(|_| ())?
        };
        let known = match kind {
            'b' => size == 1,
            'i' | 'u' => matches!(size, 1 | 2 | 4 | 8),
            'f' => matches!(size, 2 | 4 | 8 | 12 | 16),
            'c' => matches!(size, 8 | 16 | 24 | 32),
            'm' | 'M' => size == 8,
            'O' | 'S' | 'a' | 'U' | 'V' => true,
            _ => false,
        };
        known.then_some(Self { order, kind, size }).ok_or(())
    }
}

impl Dtype {
    pub(super) fn big_endian(self) -> bool {
        self.order == '>' || self.order == '=' && cfg!(target_endian = "big")
    }

    /// Bytes per element.
    pub(super) fn bytes(self) -> Option<usize> {
        self.size.checked_mul(if self.kind == 'U' { 4 } else { 1 })
    }

    /// Whether the elements are strings.
    pub(crate) fn is_text(self) -> bool {
        matches!(self.kind, 'U' | 'S' | 'a')
    }

    /// Whether the elements are truth values.
    pub(crate) fn is_bool(self) -> bool {
        self.kind == 'b'
    }

    /// How the elements are stored, where they are numbers that are read.
    pub(crate) fn storage(self) -> Option<Storage> {
        Some(match (self.kind, self.size) {
            ('b', 1) => Storage::Bool,
            ('i', 1) => Storage::I8,
            ('i', 2) => Storage::I16,
            ('i', 4) => Storage::I32,
            ('i', 8) => Storage::I64,
            ('u', 1) => Storage::U8,
            ('u', 2) => Storage::U16,
            ('u', 4) => Storage::U32,
            ('u', 8) => Storage::U64,
            ('f', 4) => Storage::F32,
            ('f', 8) => Storage::F64,
            _ => return None,
        })
    }
}

pub(crate) fn wrong_dimensions(shape: &[usize], wanted: &str) -> String {
    format!(
        "its shape is {}, where {wanted} dimensions are wanted",
        shape_text(shape)
    )
}

pub(crate) fn shape_text(shape: &[usize]) -> String {
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
pub(crate) struct Header {
    pub(crate) dtype: Dtype,
    pub(crate) order: Order,
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// The number of elements.
    fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |count, &side| {
            count.checked_mul(u64::try_from(side).ok()?)
        })
    }

    /// The number of elements, as far as memory can hold them.
    pub(super) fn elements(&self) -> Result<usize, String> {
        self.data_length()?;
        self.count()
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| format!("its shape {} is impossibly large", shape_text(&self.shape)))
    }

    /// The length in bytes that the data must have.
    pub(crate) fn data_length(&self) -> Result<u64, String> {
        if self.dtype.kind == 'O' {
            return Err("it is an array of Python objects, which only Python can read; save it with a fixed type \
                        instead, such as array.astype(str) for strings or array.astype(float) for numbers"
                .to_owned());
        }
        let width = self
            .dtype
            .bytes()
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
pub(super) fn read_header(reader: &mut impl Read) -> Result<(Header, u64), String> {
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
    let mut scan = HeaderScan { rest: text };
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
struct HeaderScan<'a> {
    rest: &'a str,
}

impl<'a> HeaderScan<'a> {
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
#[path = "header_tests.rs"]
mod tests;
