//! Tagged data inside a MATLAB file, and where it lies.

use super::format::{MI_INT32, MI_UINT32, MatArray, MatSkipped, MatText};
use crate::storage::Storage;

/// What is wrong, and at which byte.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) what: String,
}

/// A variable of the file.
pub(super) enum Variable {
    Numbers(MatArray),
    Text(MatText),
    Skipped(MatSkipped),
}

/// Where the reader stands. All positions count from the start of the file, or of the compressed content.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// Everything up to the end of what may be read.
    pub(super) bytes: &'a [u8],
    pub(super) position: usize,
    pub(super) big_endian: bool,
}

/// A tagged piece of data.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) kind: u32,
    pub(super) data: &'a [u8],
    /// Where its data begins.
    pub(super) at: usize,
}

impl Element<'_> {
    pub(super) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault {
            at: self.at,
            what: what.into(),
        }
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    pub(super) fn word(&mut self) -> Result<u32, Fault> {
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
    pub(super) fn data(&mut self, kind: u32, length: usize) -> Result<Element<'a>, Fault> {
        let at = self.position;
        let left = self.bytes.len().saturating_sub(at);
        let end = at.checked_add(length).filter(|_| length <= left);
        let Some(data) = end.and_then(|end| self.bytes.get(at..end)) else {
            return Err(Fault {
                at,
                what: format!("{length} bytes of data are declared, but only {left} are left"),
            });
        };
        self.position = at + length;
        Ok(Element { kind, data, at })
    }

    /// Takes an element inside a variable, in its long or its short form, with its padding; `what` names it.
    pub(super) fn element(&mut self, what: &str) -> Result<Element<'a>, Fault> {
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
    pub(super) fn indices(&mut self, what: &str) -> Result<(Element<'a>, Vec<u32>), Fault> {
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
            i32::try_from(word).is_ok().then_some(word)
        });
        match indices.collect() {
            Some(indices) => Ok((element, indices)),
            None => Err(element.fault(format!("its {what} hold a negative number"))),
        }
    }

    /// Takes an element of numbers, whatever their storage.
    pub(super) fn numbers(&mut self, what: &str) -> Result<(Element<'a>, Vec<f64>), Fault> {
        let (element, storage) = self.stored_numbers(what)?;
        Ok((element, storage.decode(element.data, self.big_endian)))
    }

    /// Takes an element of numbers as it is stored.
    pub(super) fn stored_numbers(&mut self, what: &str) -> Result<(Element<'a>, Storage), Fault> {
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
        Ok((element, storage))
    }
}

/// The storage of a data type of the format.
pub(super) fn storage(kind: u32) -> Option<Storage> {
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
