//! Text in UTF-16, as some programs export it, turned into UTF-8 on the way.

use std::io::{self, BufRead, Read};

/// Bytes of UTF-16 that are turned at once.
const CHUNK: usize = 1 << 15;

/// The byte order that a text begins with; `None` where it is no UTF-16. UTF-32 begins alike and is none.
pub(crate) fn byte_order(start: &[u8]) -> Option<ByteOrder> {
    match start {
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(ByteOrder::Little),
        [0xfe, 0xff, ..] => Some(ByteOrder::Big),
        _ => None,
    }
}

/// Whether bytes look like UTF-16 that does not say so: nearly every other one is zero.
pub(crate) fn looks_like_utf16(start: &[u8]) -> bool {
    let zeros = |from: usize| {
        start
            .iter()
            .skip(from)
            .step_by(2)
            .filter(|&&b| b == 0)
            .count()
    };
    let half = start.len() / 2;
    let mostly = |zeros: usize, other: usize| 10 * zeros > 8 * half && 10 * other < half;
    half > 4 && (mostly(zeros(0), zeros(1)) || mostly(zeros(1), zeros(0)))
}

/// Which of two bytes comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// A reader of UTF-16 that gives UTF-8.
pub(crate) struct Utf16<R> {
    raw: R,
    order: ByteOrder,
    /// UTF-8 that has not yet been given out, from `at` on.
    text: Vec<u8>,
    at: usize,
    /// A byte, and the first half of a pair, whose second half is still to come.
    byte: Option<u8>,
    half: Option<u16>,
    started: bool,
}

impl<R: BufRead> Utf16<R> {
    pub(crate) fn new(raw: R, order: ByteOrder) -> Self {
        Self {
            raw,
            order,
            text: Vec::new(),
            at: 0,
            byte: None,
            half: None,
            started: false,
        }
    }

    fn push(&mut self, unit: u16) {
        let units = self.half.take().into_iter().chain([unit]);
        for decoded in char::decode_utf16(units) {
            let letter = match decoded {
                Ok(letter) => letter,
                // The first half of a pair waits for the second.
                Err(half) if (0xd800..0xdc00).contains(&half.unpaired_surrogate()) => {
                    if half.unpaired_surrogate() == unit {
                        self.half = Some(unit);
                        continue;
                    }
                    char::REPLACEMENT_CHARACTER
                }
                Err(_) => char::REPLACEMENT_CHARACTER,
            };
            let mark = !self.started && letter == '\u{feff}';
            self.started = true;
            if !mark {
                let mut bytes = [0; 4];
                self.text
                    .extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
            }
        }
    }

    /// Turns some more; `false` at the end.
    fn more(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() {
            let mut bytes: Vec<u8> = self.byte.take().into_iter().collect();
            let read = self
                .raw
                .by_ref()
                .take(CHUNK as u64)
                .read_to_end(&mut bytes)?;
            if read == 0 {
                return match bytes.is_empty() && self.half.is_none() {
                    true => Ok(false),
                    false => Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the file is cut short: its UTF-16 text stops in the middle of a letter",
                    )),
                };
            }
            let (units, rest) = bytes.as_chunks::<2>();
            self.byte = rest.first().copied();
            for &unit in units {
                self.push(match self.order {
                    ByteOrder::Little => u16::from_le_bytes(unit),
                    ByteOrder::Big => u16::from_be_bytes(unit),
                });
            }
        }
        Ok(true)
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.more()? {
            return Ok(0);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_lengths_survive_any_cut_of_the_input() {
        // Longer than a chunk, so that letters lie across its end.
        let text: String = "aé€🧬\t1,5\r\n".repeat(3000);
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytes = |unit: u16| match order {
                ByteOrder::Little => unit.to_le_bytes(),
                ByteOrder::Big => unit.to_be_bytes(),
            };
            for shift in ["", "x"] {
                let whole = format!("\u{feff}{shift}{text}");
                let raw: Vec<u8> = whole.encode_utf16().flat_map(bytes).collect();
                assert_eq!(byte_order(&raw), Some(order));
                let mut read = String::new();
                Utf16::new(&raw[..], order)
                    .read_to_string(&mut read)
                    .unwrap();
                assert!(read == format!("{shift}{text}"));
                assert!(looks_like_utf16(
                    &"abcdefghij"
                        .encode_utf16()
                        .flat_map(bytes)
                        .collect::<Vec<_>>()
                ));
                let mut cut = Utf16::new(&raw[..raw.len() - 1], order);
                let error = cut.read_to_end(&mut Vec::new()).unwrap_err();
                assert!(error.to_string().contains("cut short"));
            }
        }
        assert!(!looks_like_utf16(b"plain text, long enough"));
    }
}
