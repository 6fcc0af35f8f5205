//! Zip archives, as far as NumPy writes them: entries stored or deflated, of any size, with their checksums.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::common::open;
use crate::error::IoError;
use crate::storage::MAX_INFLATION;

const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
/// The longest comment an archive may end with.
const MAX_COMMENT: usize = 0xffff;

/// A file of an archive.
#[derive(Debug)]
pub(crate) struct ZipEntry {
    /// Its name, with `/` between folders.
    pub(crate) name: String,
    encrypted: bool,
    method: u16,
    crc: u32,
    packed: u64,
    /// Its length once unpacked.
    pub(crate) size: u64,
    /// Where its own header begins.
    at: u64,
}

/// An open archive.
#[derive(Debug)]
pub(crate) struct Zip {
    file: File,
    length: u64,
    /// Its files, in the order of the archive.
    pub(crate) entries: Vec<ZipEntry>,
}

/// A number of `width` bytes at a place, if the bytes reach so far.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)),
    )
}

impl Zip {
    /// Opens an archive and reads its directory.
    pub(crate) fn open(path: &Path, format: &'static str) -> Result<Self, IoError> {
        let (mut file, length) = open(path)?;
        let wrong = |what: String| IoError::malformed(path, format, "its zip directory", what);
        let directory = directory(&mut file, length).map_err(wrong)?;
        let entries = entries(&directory).map_err(wrong)?;
        Ok(Self {
            file,
            length,
            entries,
        })
    }

    /// Begins to read an entry. Its checksum and length are verified when its end is met.
    pub(crate) fn reader(&mut self, index: usize) -> Result<ZipReader<'_>, String> {
        let entry = self.entries.get(index).ok_or("there is no such entry")?;
        if entry.encrypted {
            return Err("it is encrypted".to_owned());
        }
        let most = match entry.method {
            0 => entry.packed,
            8 => entry.packed.saturating_mul(MAX_INFLATION),
            other => {
                return Err(format!(
                    "it is compressed by a method that is not read here ({other})"
                ));
            }
        };
        if entry.packed > self.length || entry.size > most {
            return Err(format!(
                "its entry declares {} bytes, packed into {}, which a file of {} bytes cannot hold",
                entry.size, entry.packed, self.length
            ));
        }
        let mut header = [0; 30];
        let damaged = |error: io::Error| format!("its entry cannot be read ({error})");
        self.file
            .seek(SeekFrom::Start(entry.at))
            .and_then(|_| self.file.read_exact(&mut header))
            .map_err(damaged)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(format!("there is no entry at byte {}", entry.at));
        }
        let skip = number(&header, 26, 2).unwrap_or(0) + number(&header, 28, 2).unwrap_or(0);
        self.file
            .seek(SeekFrom::Current(skip.cast_signed()))
            .map_err(damaged)?;
        let packed = BufReader::with_capacity(1 << 16, &mut self.file).take(entry.packed);
        Ok(ZipReader {
            content: if entry.method == 0 {
                Content::Stored(packed)
            } else {
                Content::Deflated(Box::new(DeflateDecoder::new(packed)))
            },
            left: entry.size,
            crc: Crc::new(),
            wanted: entry.crc,
        })
    }
}

/// Reads the central directory.
fn directory(file: &mut File, length: u64) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| format!("it cannot be read ({error})");
    let tail_length = length.min((END_LENGTH + MAX_COMMENT + 20) as u64);
    let mut tail = vec![0; tail_length as usize];
    file.seek(SeekFrom::Start(length - tail_length))
        .and_then(|_| file.read_exact(&mut tail))
        .map_err(failed)?;
    let end = (0..=tail.len().saturating_sub(END_LENGTH))
        .rev()
        .find(|&at| {
            let behind = tail.len().checked_sub(at + END_LENGTH);
            let comment = number(&tail, at + 20, 2);
            tail[at..].starts_with(END) && comment.is_some() && comment == behind.map(|n| n as u64)
        })
        .ok_or("there is none at the end of the file, which is no zip archive or was cut short")?;
    let short = |at| number(&tail, end + at, 4);
    let (mut size, mut start) = (short(12), short(16));
    // Archives of more than 4 GiB have another directory end before this one, and a pointer to it.
    let pointer = end.checked_sub(20).and_then(|at| tail.get(at..end));
    if let Some(pointer) = pointer.filter(|pointer| pointer.starts_with(b"PK\x06\x07")) {
        let at = number(pointer, 8, 8).filter(|&at| at < length);
        let mut long = [0; 56];
        file.seek(SeekFrom::Start(
            at.ok_or("its long form lies outside the file")?,
        ))
        .and_then(|_| file.read_exact(&mut long))
        .map_err(failed)?;
        if !long.starts_with(b"PK\x06\x06") {
            return Err("its long form is not where it should be".to_owned());
        }
        (size, start) = (number(&long, 40, 8), number(&long, 48, 8));
    }
    let (Some(size), Some(start)) = (size, start) else {
        return Err("it is cut short".to_owned());
    };
    if start.checked_add(size).is_none_or(|end| end > length) {
        return Err(format!(
            "it should lie at byte {start} with {size} bytes, in a file of {length}"
        ));
    }
    let mut bytes = vec![0; size as usize];
    file.seek(SeekFrom::Start(start))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(failed)?;
    Ok(bytes)
}

/// The entries that a central directory lists.
fn entries(bytes: &[u8]) -> Result<Vec<ZipEntry>, String> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        entries.push(
            entry(bytes, &mut at)
                .ok_or_else(|| format!("its entry {} is damaged", entries.len() + 1))?,
        );
    }
    Ok(entries)
}

fn entry(bytes: &[u8], at: &mut usize) -> Option<ZipEntry> {
    let head = bytes.get(*at..at.checked_add(46)?)?;
    if !head.starts_with(b"PK\x01\x02") {
        return None;
    }
    let field = |at, width| number(head, at, width);
    let [name_length, extra_length, comment_length] =
        [28, 30, 32].map(|at| field(at, 2).unwrap_or(0) as usize);
    let name = bytes.get(*at + 46..)?.get(..name_length)?;
    let extra = bytes.get(*at + 46 + name_length..)?.get(..extra_length)?;
    *at = *at + 46 + name_length + extra_length + comment_length;
    if *at > bytes.len() {
        return None;
    }
    // Sizes that do not fit 32 bits lie among the extra fields, in this order.
    let mut long = extra;
    let mut wide: &[u8] = &[];
    while long.len() >= 4 {
        let length = number(long, 2, 2)? as usize;
        if number(long, 0, 2)? == 1 {
            wide = long.get(4..)?.get(..length)?;
        }
        long = long.get(4 + length..)?;
    }
    let mut take = |at| {
        let short = field(at, 4)?;
        if short != 0xffff_ffff {
            return Some(short);
        }
        let number = number(wide, 0, 8)?;
        wide = wide.get(8..)?;
        Some(number)
    };
    let (size, packed, header) = (take(24)?, take(20)?, take(42)?);
    Some(ZipEntry {
        name: String::from_utf8_lossy(name).into_owned(),
        encrypted: field(8, 2)? & 1 == 1,
        method: field(10, 2)? as u16,
        crc: field(16, 4)? as u32,
        packed,
        size,
        at: header,
    })
}

enum Content<'a> {
    Stored(Take<BufReader<&'a mut File>>),
    Deflated(Box<DeflateDecoder<Take<BufReader<&'a mut File>>>>),
}

/// The unpacked bytes of an entry.
pub(crate) struct ZipReader<'a> {
    content: Content<'a>,
    left: u64,
    crc: Crc,
    wanted: u32,
}

impl Read for ZipReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = match &mut self.content {
            Content::Stored(reader) => reader.read(buffer),
            Content::Deflated(reader) => reader.read(buffer),
        }?;
        let bad = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return bad("it holds more bytes than it declares"),
        }
        self.crc.update(&buffer[..count]);
        if count == 0 && self.left > 0 {
            return bad("it holds fewer bytes than it declares");
        }
        if count == 0 && self.crc.sum() != self.wanted {
            return bad("its checksum does not fit its content");
        }
        Ok(count)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_whose_sizes_are_long() {
        let mut bytes = b"PK\x01\x02".to_vec();
        bytes.resize(46, 0);
        bytes[20..28].fill(0xff);
        bytes[28] = 1;
        bytes[30] = 20;
        bytes.extend(b"X\x01\x00\x10\x00");
        bytes.extend(5_000_000_000_u64.to_le_bytes());
        bytes.extend(4_000_000_000_u64.to_le_bytes());
        let entries = entries(&bytes).unwrap();
        assert_eq!(entries[0].size, 5_000_000_000);
        assert_eq!(entries[0].packed, 4_000_000_000);
        for length in 1..bytes.len() {
            let mut at = 0;
            assert!(entry(&bytes[..length], &mut at).is_none());
        }
    }
}
