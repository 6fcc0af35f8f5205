//! A look through the headers of a Parquet file, which are structs of Thrift's compact protocol, before they are decoded.
//!
//! The decoder passes over lists of truth values in fields it does not know one by one, and without taking any bytes
//! for them, so that seven forged bytes keep it busy for seconds. No header has such lists. Nor does it look at the types
//! of fields that it knows, and takes one for another where a forged header has it so: the header of a page, of which a
//! file has many, is held to what it should be. And it makes room for as many bytes and values as a header declares,
//! before it looks at what is there.

use std::io::{self, Read};

/// How deep structs and lists may lie in each other; the decoder has the same limit.
const DEPTH: usize = 64;

const TRUTH: u8 = 1;
const I32: u8 = 5;
const I64: u8 = 6;
const BYTES: u8 = 8;
const STRUCT: u8 = 12;

/// The number of a field, its type, and the fields it has itself.
struct ThriftField(u64, u8, &'static [ThriftField]);

const STATISTICS: &[ThriftField] = &[
    ThriftField(1, BYTES, &[]),
    ThriftField(2, BYTES, &[]),
    ThriftField(3, I64, &[]),
    ThriftField(4, I64, &[]),
    ThriftField(5, BYTES, &[]),
    ThriftField(6, BYTES, &[]),
    ThriftField(7, TRUTH, &[]),
    ThriftField(8, TRUTH, &[]),
];
const DATA_PAGE: &[ThriftField] = &[
    ThriftField(1, I32, &[]),
    ThriftField(2, I32, &[]),
    ThriftField(3, I32, &[]),
    ThriftField(4, I32, &[]),
    ThriftField(5, STRUCT, STATISTICS),
];
const DICTIONARY_PAGE: &[ThriftField] = &[
    ThriftField(1, I32, &[]),
    ThriftField(2, I32, &[]),
    ThriftField(3, TRUTH, &[]),
];
const DATA_PAGE_V2: &[ThriftField] = &[
    ThriftField(1, I32, &[]),
    ThriftField(2, I32, &[]),
    ThriftField(3, I32, &[]),
    ThriftField(4, I32, &[]),
    ThriftField(5, I32, &[]),
    ThriftField(6, I32, &[]),
    ThriftField(7, TRUTH, &[]),
    ThriftField(8, STRUCT, STATISTICS),
];
/// The header of a page, as the format's definition has it.
const PAGE_HEADER: &[ThriftField] = &[
    ThriftField(1, I32, &[]),
    ThriftField(PAGE_SIZE, I32, &[]),
    ThriftField(PAGE_SIZE_IN_FILE, I32, &[]),
    ThriftField(4, I32, &[]),
    ThriftField(5, STRUCT, DATA_PAGE),
    ThriftField(6, STRUCT, &[]),
    ThriftField(DICTIONARY, STRUCT, DICTIONARY_PAGE),
    ThriftField(8, STRUCT, DATA_PAGE_V2),
];

/// Bytes of a page that are always believed, and how many times its bytes in the file a larger one may have: no stream of
/// gzip grows further. Only a page of millions of equal values can be larger still.
const PAGE: u64 = 64 << 20;
const PAGE_GROWTH: u64 = 1032;

const PAGE_SIZE: u64 = 2;
const PAGE_SIZE_IN_FILE: u64 = 3;
const DICTIONARY: u64 = 7;
const DICTIONARY_VALUES: u64 = inside(DICTIONARY, 1);
/// The fewest bytes that a value of a dictionary has.
const LEAST_VALUE: u64 = 2;

/// Goes through a struct, and says whether it is sound.
pub(super) fn check(reader: &mut impl Read) -> io::Result<()> {
    let mut walk = Walk {
        reader,
        each: |_, _| (),
    };
    walk.fields(&[], 0, DEPTH)
}

/// Goes through the header of a page, and says whether it is sound and the page of a size that can be.
pub(super) fn check_page(reader: &mut impl Read) -> io::Result<()> {
    let (mut size, mut in_file, mut values) = (0, u64::MAX, 0);
    let each = |field, number: u64| match field {
        PAGE_SIZE => size = number.max(size),
        PAGE_SIZE_IN_FILE => in_file = number.min(in_file),
        DICTIONARY_VALUES => values = number.max(values),
        _ => {}
    };
    Walk { reader, each }.fields(PAGE_HEADER, 0, DEPTH)?;
    let grown = in_file.saturating_mul(PAGE_GROWTH);
    let too_many = |count: u64, what: &str| {
        let declared = format!("a page declares {count} {what}");
        Err(damaged(&format!(
            "{declared}, and has {in_file} bytes in the file"
        )))
    };
    if size > PAGE.max(grown) {
        return too_many(size, "bytes");
    }
    if values > size.min(grown) / LEAST_VALUE {
        return too_many(values, "values");
    }
    Ok(())
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A field inside another.
const fn inside(outer: u64, field: u64) -> u64 {
    outer << 16 | field
}

/// `each` is handed the fields that are whole numbers; one below zero becomes a huge one.
struct Walk<'r, R, F> {
    reader: &'r mut R,
    each: F,
}

impl<R: Read, F: FnMut(u64, u64)> Walk<'_, R, F> {
    /// The fields of a struct: some are known, and it is itself the field `outer`.
    fn fields(&mut self, known: &[ThriftField], outer: u64, depth: usize) -> io::Result<()> {
        let mut field = 0_u64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            // How far the field is behind the last is in the upper half of its byte, or else its number follows.
            field = match head >> 4 {
                0 => signed(self.number()?),
                step => field + u64::from(step),
            };
            if field > i16::MAX.unsigned_abs().into() {
                return Err(damaged("a field of it has an impossible number"));
            }
            let kind = head & 15;
            let own = known.iter().find(|known| known.0 == field);
            // Both truth values are types.
            if own.is_some_and(|own| own.1 != if kind == 2 { TRUTH } else { kind }) {
                return Err(damaged("a field of it has another type than it should"));
            }
            let place = inside(outer, field);
            match kind {
                4..=6 => {
                    let number = self.number()?;
                    (self.each)(place, signed(number));
                }
                _ => self.value(kind, own.map_or(&[], |own| own.2), place, depth)?,
            }
        }
    }

    fn value(
        &mut self,
        kind: u8,
        known: &[ThriftField],
        place: u64,
        depth: usize,
    ) -> io::Result<()> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| damaged("its parts lie too deep in each other"))?;
        match kind {
            // The value of a truth value is its type.
            1 | 2 => Ok(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.number().map(|_| ()),
            7 => self.pass_over(8),
            BYTES => {
                let length = self.number()?;
                self.pass_over(length)
            }
            9 | 10 => self.list(place, depth),
            STRUCT => self.fields(known, place, depth),
            _ => Err(damaged("a field of it has a type that is not known")),
        }
    }

    fn list(&mut self, place: u64, depth: usize) -> io::Result<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.number()?,
            few => u64::from(few),
        };
        let kind = head & 15;
        if count > 0 && kind < 3 {
            return Err(damaged("it has a list of truth values"));
        }
        // Whatever is in the list takes a byte at least, so that its length is limited by that of the file.
        (0..count).try_for_each(|_| self.value(kind, &[], place, depth))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    /// A whole number: seven bits a byte, the lowest first.
    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(damaged("a number of it is too long"))
    }

    fn pass_over(&mut self, length: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink())?;
        if passed == length {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// What a whole number says, whose lowest bit is its sign.
fn signed(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::{check, check_page};

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

    #[test]
    fn pages_must_be_of_a_size_that_can_be() {
        // Fields 1 to 3 of a header: type, size and size in the file.
        let sound = |size: &[u8], in_file: &[u8]| {
            let header = [b"\x15\x00\x15", size, b"\x15", in_file, b"\x00"].concat();
            check_page(&mut header.as_slice()).is_ok()
        };
        // 10 bytes, 64 MiB and one byte more, 2^30 bytes, and a number below zero.
        let [ten, most, more, huge, below] = [
            b"\x14".as_slice(),
            b"\x80\x80\x80\x40",
            b"\x82\x80\x80\x40",
            b"\x80\x80\x80\x80\x08",
            b"\x01",
        ];
        assert!(sound(ten, ten));
        assert!(sound(most, ten));
        assert!(!sound(more, ten));
        assert!(!sound(huge, ten));
        assert!(sound(huge, most));
        assert!(!sound(below, ten));
        // 4 values in a dictionary of 10 bytes, and 6.
        let sound = |values: u8| {
            let header = [0x15, 0x04, 0x15, 0x14, 0x15, 0x14, 0x4c, 0x15, values, 0, 0];
            check_page(&mut header.as_slice()).is_ok()
        };
        assert!(sound(8) && !sound(12));
        // A size that is a text, and a list of pages where their number should be.
        assert!(check_page(&mut b"\x15\x00\x18\x01a\x15\x14\x00".as_slice()).is_err());
        assert!(check_page(&mut b"\x5c\x19\x15\x02\x00\x00".as_slice()).is_err());
        assert!(check_page(&mut b"\x5c\x15\x02\x00\x00".as_slice()).is_ok());
        assert!(check(&mut b"\x15\x00\x15\x80\x80\x80\x80\x08\x00".as_slice()).is_ok());
    }
}
