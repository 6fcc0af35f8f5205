//! Variables of a MATLAB file as they are read: large arrays of numbers go straight into their place in memory.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;

use super::cursor::{Cursor, Fault, Variable, storage};
use super::format::{CLASS_OPAQUE, CLASS_SPARSE, FLAG_COMPLEX, MI_MATRIX, MI_UINT32, MatArray};
use super::variable::{read_variable, text_of_name};
use crate::room::Held;
use crate::storage::{MAX_INFLATION, Storage};

/// Variables up to this length are read as a whole.
const PREFIX: u64 = 1 << 16;

/// Numbers are decoded in pieces of so many bytes.
const PIECE: usize = 1 << 16;

/// Reads a variable of `length` bytes behind its `tag`. Places are counted from the start of the tag.
pub(super) fn read_plain(
    tag: [u8; 8],
    reader: &mut impl Read,
    length: u64,
    big_endian: bool,
    held: &Held,
) -> Result<Variable, Fault> {
    let failed = |error: io::Error| Fault {
        at: 8,
        what: format!("the variable cannot be read ({error})"),
    };
    let too_much = |what| Fault { at: 8, what };
    let no_memory = || Fault {
        at: 8,
        what: format!("there is no memory for a variable of {length} bytes"),
    };
    let mut bytes = tag.to_vec();
    read_more(&mut bytes, reader, length.min(PREFIX)).map_err(failed)?;
    if length > PREFIX
        && let Some(plan) = StreamPlan::of(&bytes, length, big_endian)
    {
        let rest = length - (plan.at - 8) as u64 - plan.length;
        let values = (plan.rows as u64).saturating_mul(plan.cols as u64);
        held.check_more(values.saturating_mul(8))
            .map_err(too_much)?;
        let mut reader = bytes.get(plan.at..).unwrap_or_default().chain(reader);
        let array = plan.read(&mut reader, big_endian).map_err(failed)?;
        io::copy(&mut reader.take(rest), &mut io::sink()).map_err(failed)?;
        return array.map(Variable::Numbers).ok_or_else(no_memory);
    }
    // As it lies in the file, and as numbers or characters, which take eight bytes at most for each byte there.
    held.check_more(length.saturating_mul(9))
        .map_err(too_much)?;
    let more = length.saturating_sub(PREFIX);
    usize::try_from(more)
        .ok()
        .and_then(|more| bytes.try_reserve_exact(more).ok())
        .ok_or_else(no_memory)?;
    read_more(&mut bytes, reader, more).map_err(failed)?;
    let got = bytes.len() as u64 - 8;
    if got < length {
        return Err(Fault {
            at: 8,
            what: format!("{length} bytes of data are declared, but only {got} are left"),
        });
    }
    let cursor = Cursor {
        bytes: &bytes,
        position: 8,
        big_endian,
    };
    read_variable(&cursor, held)
}

fn read_more(bytes: &mut Vec<u8>, reader: &mut impl Read, count: u64) -> io::Result<usize> {
    reader.take(count).read_to_end(bytes)
}

/// Where the numbers of a large array lie.
struct StreamPlan {
    name: String,
    rows: usize,
    cols: usize,
    storage: Storage,
    /// Where its values begin.
    at: usize,
    /// Their length in bytes.
    length: u64,
}

impl StreamPlan {
    /// Looks at the start of a variable. `None` where it is not a sound array of numbers, which is then read (or
    /// refused) as a whole.
    fn of(bytes: &[u8], length: u64, big_endian: bool) -> Option<Self> {
        let mut cursor = Cursor {
            bytes,
            position: 8,
            big_endian,
        };
        let flags = cursor.element("array flags").ok()?;
        let mut word = *flags.data.first_chunk::<4>()?;
        if big_endian {
            word.reverse();
        }
        let [class, flag_bits, ..] = word;
        let numeric = class > CLASS_SPARSE && class <= 15 && class != CLASS_OPAQUE;
        if flags.kind != MI_UINT32 || !numeric || flag_bits & FLAG_COMPLEX != 0 {
            return None;
        }
        let (_, dimensions) = cursor.indices("dimensions").ok()?;
        let &[rows, cols] = dimensions.as_slice() else {
            return None;
        };
        let (rows, cols) = (rows as usize, cols as usize);
        let name = text_of_name(cursor.element("name").ok()?.data);
        let storage = storage(cursor.word().ok()?)?;
        let values = cursor.word().ok()?;
        let count = rows.checked_mul(cols)?;
        let at = cursor.position;
        let fits = count.checked_mul(storage.width())? as u64 == u64::from(values)
            && (at - 8) as u64 + u64::from(values) <= length;
        (fits && !name.is_empty()).then_some(Self {
            name,
            rows,
            cols,
            storage,
            at,
            length: u64::from(values),
        })
    }

    /// Reads the values; `None` where there is no memory for them.
    fn read(self, reader: &mut impl Read, big_endian: bool) -> io::Result<Option<MatArray>> {
        let mut values = Vec::new();
        if values.try_reserve_exact(self.rows * self.cols).is_err() {
            return Ok(None);
        }
        let mut piece = vec![0; PIECE];
        let mut left = self.length;
        while left > 0 {
            let count = left.min(PIECE as u64) as usize;
            reader.read_exact(&mut piece[..count])?;
            values.extend(self.storage.decode(&piece[..count], big_endian));
            left -= count as u64;
        }
        Ok(Some(MatArray {
            name: self.name,
            rows: self.rows,
            cols: self.cols,
            values,
        }))
    }
}

/// Reads a compressed variable of `packed` bytes. The outer error is one of the compression, the inner one of what was
/// compressed.
pub(super) fn read_compressed(
    reader: impl Read,
    packed: u64,
    big_endian: bool,
    held: &Held,
) -> Result<Result<Variable, Fault>, String> {
    let bad = |error| format!("the compressed variable cannot be inflated ({error})");
    let mut decoder = ZlibDecoder::new(reader);
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
    if length > packed.saturating_mul(MAX_INFLATION) {
        return Err(format!(
            "the variable declares {length} bytes, which {packed} compressed bytes cannot hold"
        ));
    }
    let variable = read_plain(tag, &mut decoder, length, big_endian, held);
    if variable.is_err() {
        return Ok(variable);
    }
    // Reading on to the end verifies the checksum; padding is all that may come there.
    let mut rest = Vec::new();
    decoder.take(8).read_to_end(&mut rest).map_err(bad)?;
    if rest.len() == 8 {
        return Err(format!(
            "the variable declares {length} bytes, but more were compressed"
        ));
    }
    Ok(variable)
}
