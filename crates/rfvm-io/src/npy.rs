//! NumPy arrays (`.npy`): a header, which is a Python dictionary, and the values.
//!
//! The headers are parsed here, as a damaged one must not lead to an overflow, to deep recursion or to a large
//! allocation. Matrices are decoded a few rows at a time, so that nothing stands beside them in memory.

use std::io::{self, Read};

use crate::common::{put_rows, rows_at_a_time};
use crate::matrix::Matrix;
use crate::room::{Held, Room};
use crate::storage::Storage;

mod header;

pub(crate) use self::header::{Header, shape_text, wrong_dimensions};
use self::header::{Order, read_header};

/// The most strings of no width that are made: their number is not limited by the length of the file.
const MAX_EMPTY_STRINGS: usize = 1 << 20;

/// An array whose header was read and whose values come next.
pub(crate) struct Array<R> {
    pub(crate) header: Header,
    /// Bytes of the header.
    pub(crate) header_length: u64,
    room: Room,
    reader: R,
}

impl<R: Read> Array<R> {
    /// Reads the header.
    pub(crate) fn new(mut reader: R, room: Room) -> Result<Self, String> {
        let (header, header_length) = read_header(&mut reader)?;
        Ok(Self {
            header,
            header_length,
            room,
            reader,
        })
    }

    /// Reads over all values, so that the checksum is verified.
    pub(crate) fn pass_over(mut self) -> Result<(), String> {
        let copied = io::copy(&mut self.reader, &mut io::sink());
        copied.map(drop).map_err(|error| error.to_string())
    }

    /// Reads on to the end, which is where a checksum is verified.
    fn end(&mut self) -> Result<(), String> {
        match self.reader.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err("it has more bytes of data than are declared".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn storage(&self) -> Result<Storage, String> {
        let dtype = self.header.dtype;
        dtype.storage().ok_or_else(|| {
            format!(
                "its type is {dtype}, where numbers (f4, f8, i1 to i8, u1 to u8, bool) are read"
            )
        })
    }

    /// The values, in the order of the file.
    pub(crate) fn values(mut self) -> Result<Vec<f64>, String> {
        let storage = self.storage()?;
        let count = self.header.elements()?;
        let mut values = reserved(self.room, count)?;
        let big_endian = self.header.dtype.big_endian();
        self.windows(storage, count, 1 << 14, |window| {
            values.extend(storage.decode(window, big_endian));
        })?;
        Ok(values)
    }

    /// The values of a two-dimensional array, rows being the samples.
    pub(crate) fn matrix(mut self) -> Result<Matrix, String> {
        let &[samples, features] = self.header.shape.as_slice() else {
            return Err(wrong_dimensions(&self.header.shape, "2"));
        };
        if self.header.order == Order::Fortran {
            let values = self.values()?;
            return Ok(Matrix {
                samples,
                features,
                values,
            });
        }
        let storage = self.storage()?;
        let count = self.header.elements()?;
        let mut values = reserved(self.room, samples.saturating_mul(features))?;
        values.resize(samples * features, 0.0);
        let big_endian = self.header.dtype.big_endian();
        let mut first = 0;
        let rows = rows_at_a_time(samples, features);
        self.windows(
            storage,
            count,
            rows.saturating_mul(features.max(1)),
            |window| {
                let window = storage.decode(window, big_endian);
                put_rows(&mut values, samples, features, &window, features, first);
                first += rows;
            },
        )?;
        Ok(Matrix {
            samples,
            features,
            values,
        })
    }

    /// Hands out the bytes of `count` numbers, those of `window` numbers at a time.
    fn windows(
        &mut self,
        storage: Storage,
        count: usize,
        window: usize,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), String> {
        let mut buffer = vec![0; window.min(count).max(1) * storage.width()];
        let mut left = count * storage.width();
        while left > 0 {
            let length = buffer.len().min(left);
            let piece = &mut buffer[..length];
            self.reader.read_exact(piece).map_err(cut_short)?;
            take(piece);
            left -= length;
        }
        self.end()
    }

    /// The strings, in the order of the file.
    pub(crate) fn strings(mut self) -> Result<Vec<String>, String> {
        let dtype = self.header.dtype;
        if !dtype.is_text() {
            return Err(format!(
                "its type is {dtype}, where strings (U or S) are read"
            ));
        }
        let width = dtype.bytes().ok_or("its strings are too long")?;
        let count = self.header.elements()?;
        if width == 0 {
            if count > MAX_EMPTY_STRINGS {
                return Err("it declares too many empty strings".to_owned());
            }
            return Ok(vec![String::new(); count]);
        }
        self.room.check(width as u64)?;
        let mut held = Held::new(self.room);
        let mut strings = Vec::new();
        let mut bytes = vec![0; width];
        for number in 0..count {
            self.reader.read_exact(&mut bytes).map_err(cut_short)?;
            let text = if dtype.kind == 'U' {
                unicode_text(&bytes, dtype.big_endian())
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
            let text = text.ok_or_else(|| format!("its element {number} is not text"))?;
            held.add(&text)?;
            strings.push(text);
        }
        self.end()?;
        Ok(strings)
    }
}

fn cut_short(error: io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "it ends before all of its data".to_owned()
    } else {
        error.to_string()
    }
}

/// Room for so many values.
fn reserved(room: Room, count: usize) -> Result<Vec<f64>, String> {
    room.check((count as u64).saturating_mul(8))?;
    let mut values = Vec::new();
    values
        .try_reserve_exact(count)
        .map_err(|_| format!("there is no memory for its {count} values"))?;
    Ok(values)
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
