//! A look through the headers of a Parquet file, which are structs of Thrift's compact protocol, before they are decoded.
//!
//! The decoder passes over lists of truth values in fields it does not know one by one, and without taking any bytes
//! for them, so that seven forged bytes keep it busy for seconds. No header has such lists.

use std::io::{self, Read};

/// How deep structs and lists may lie in each other; the decoder has the same limit.
const DEPTH: usize = 64;

const STRUCT: u8 = 12;

/// Goes through a struct, and says whether it is sound.
pub(super) fn check(reader: &mut impl Read) -> io::Result<()> {
    value(reader, STRUCT, DEPTH)
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn value(reader: &mut impl Read, kind: u8, depth: usize) -> io::Result<()> {
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| damaged("its parts lie too deep in each other"))?;
    match kind {
        // The value of a truth value is its type.
        1 | 2 => Ok(()),
        3 => byte(reader).map(|_| ()),
        4..=6 => number(reader).map(|_| ()),
        7 => pass_over(reader, 8),
        8 => {
            let length = number(reader)?;
            pass_over(reader, length)
        }
        9 | 10 => list(reader, depth),
        STRUCT => loop {
            let field = byte(reader)?;
            if field == 0 {
                return Ok(());
            }
            // The number of the field is in the upper half of its byte, or else behind it.
            if field >> 4 == 0 {
                number(reader)?;
            }
            value(reader, field & 15, depth)?;
        },
        _ => Err(damaged("a field of it has a type that is not known")),
    }
}

fn list(reader: &mut impl Read, depth: usize) -> io::Result<()> {
    let head = byte(reader)?;
    let count = match head >> 4 {
        15 => number(reader)?,
        few => u64::from(few),
    };
    let kind = head & 15;
    if count > 0 && kind < 3 {
        return Err(damaged("it has a list of truth values"));
    }
    // Whatever is in the list takes a byte at least, so that its length is limited by that of the file.
    (0..count).try_for_each(|_| value(reader, kind, depth))
}

fn byte(reader: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    reader.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// A whole number: seven bits a byte, the lowest first.
fn number(reader: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(reader)?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(damaged("a number of it is too long"))
}

fn pass_over(reader: &mut impl Read, length: u64) -> io::Result<()> {
    let passed = io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
    if passed == length {
        Ok(())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn lists_must_be_there() {
        let sound = |mut bytes: &[u8]| check(&mut bytes).is_ok();
        assert!(sound(b"\x15\x02\x19\x25\x04\x06\x18\x02ab\x00"));
        assert!(!sound(b"\x19\xf1\xff\xff\xff\xff\x07\x00"));
        assert!(!sound(b"\x19\xf7\xff\xff\xff\xff\x07\x00"));
        assert!(!sound(b"\x18\xff\xff\xff\xff\x07ab\x00"));
        assert!(!sound(&[0x1c; 100]));
        assert!(!sound(
            b"\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"
        ));
    }
}
