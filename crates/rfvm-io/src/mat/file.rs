//! The file: its header, and the variables one after the other.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::cursor::{Cursor, Fault, Variable};
use super::format::{
    MI_COMPRESSED, MI_MATRIX, MatArray, MatSkipped, MatText, START_LENGTH, is_version_73,
};
use super::stream::{read_compressed, read_plain};
use crate::common::open;
use crate::error::IoError;
use crate::room::{Held, Room, TEXT};
use crate::source::ReadOptions;

const FORMAT: &str = "a MATLAB file";
const HEADER_LENGTH: usize = 128;

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
    read_within(path.as_ref(), &ReadOptions::default())
}

/// The same with a limit on memory.
pub(super) fn read_within(path: &Path, options: &ReadOptions) -> Result<MatFile, IoError> {
    let (mut file, length) = open(path)?;
    let mut held = Held::new(Room::new(length, options));
    let unreadable = |error| IoError::read(path, error);
    let mut start = Vec::new();
    file.by_ref()
        .take(START_LENGTH)
        .read_to_end(&mut start)
        .map_err(unreadable)?;
    let big_endian = check_file_header(path, &start)?;

    let mut found = MatFile {
        path: path.to_owned(),
        arrays: Vec::new(),
        texts: Vec::new(),
        skipped: Vec::new(),
    };
    let mut position = HEADER_LENGTH as u64;
    while position < length {
        file.seek(SeekFrom::Start(position)).map_err(unreadable)?;
        let mut reader = BufReader::new(file.by_ref().take(length - position));
        let (variable, taken) = read_top(&mut reader, length - position, big_endian, &held)
            .map_err(|fault| {
                let place = format!("byte {}", position + fault.at as u64);
                IoError::malformed(path, FORMAT, place, fault.what)
            })?;
        let kept = match &variable {
            Variable::Numbers(array) => 8 * array.values.len() as u64,
            Variable::Text(text) => {
                let bytes = text.lines.iter().map(|line| TEXT + line.len() as u64);
                bytes.sum()
            }
            Variable::Skipped(_) => TEXT,
        };
        let too_much = |what| IoError::unsupported(path, what);
        held.add_bytes(kept).map_err(too_much)?;
        position += taken;
        match variable {
            Variable::Numbers(array) => found.arrays.push(array),
            Variable::Text(text) => found.texts.push(text),
            Variable::Skipped(skipped) => found.skipped.push(skipped),
        }
    }
    Ok(found)
}

/// Reads a variable at the top of the file, where `left` bytes are left; gives also the bytes it takes there.
fn read_top(
    reader: &mut impl Read,
    left: u64,
    big_endian: bool,
    held: &Held,
) -> Result<(Variable, u64), Fault> {
    let mut tag = Vec::new();
    let unreadable = |error| Fault {
        at: 0,
        what: format!("it cannot be read ({error})"),
    };
    reader.take(8).read_to_end(&mut tag).map_err(unreadable)?;
    let mut cursor = Cursor {
        bytes: &tag,
        position: 0,
        big_endian,
    };
    let kind = cursor.word()?;
    let length = u64::from(cursor.word()?);
    if length > left.saturating_sub(8) {
        return Err(Fault {
            at: 8,
            what: format!(
                "{length} bytes of data are declared, but only {} are left",
                left.saturating_sub(8)
            ),
        });
    }
    let tag = tag.first_chunk::<8>().copied().unwrap_or_default();
    let variable = match kind {
        MI_MATRIX => read_plain(tag, reader, length, big_endian, held)?,
        MI_COMPRESSED => read_compressed(reader.take(length), length, big_endian, held)
            .map_err(|what| Fault { at: 8, what })?
            // Places inside are counted from the start of what was compressed.
            .map_err(|fault| Fault {
                at: 0,
                what: format!(
                    "{} (byte {} of its compressed content)",
                    fault.what, fault.at
                ),
            })?,
        kind => {
            return Err(Fault {
                at: 0,
                what: format!("a variable should begin here, but this is data of type {kind}"),
            });
        }
    };
    Ok((variable, 8 + length))
}

/// Checks the first 128 bytes of a file, and says whether it is big-endian.
fn check_file_header(path: &Path, bytes: &[u8]) -> Result<bool, IoError> {
    let hdf5 = "it is a MATLAB v7.3 file, which is an HDF5 file and not read here; save it again with \
                save(..., '-v7') in MATLAB or scipy.io.savemat in Python";
    let start = bytes.first_chunk::<HEADER_LENGTH>();
    if is_version_73(bytes) {
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
