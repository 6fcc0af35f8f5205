//! The buffers of a record batch: where they lie, and what they hold once unpacked.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};

use super::schema::{Field, FieldLayout};
use crate::flatbuffer::{FlatTable, i64_at};
use crate::room::Room;

/// How the buffers of a batch are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Lz4,
    Zstd,
}

/// A record batch, or a dictionary, which is one too.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) rows: usize,
    /// The number of the dictionary that this is.
    pub(super) dictionary: Option<i64>,
    /// Whether it adds to a dictionary that is there.
    pub(super) is_delta: bool,
    /// Where each buffer lies in the file, and its length there.
    buffers: Vec<(u64, usize)>,
    /// Rows and missing values of each column.
    nodes: Vec<(i64, i64)>,
    /// How many buffers of text each column of views has.
    variadic: Vec<usize>,
    /// How many the columns of views before each of them have together.
    shifts: Vec<usize>,
    packing: Packing,
    body: usize,
    room: Room,
}

/// Bits, of which those that are not there are set.
pub(super) struct Bits(Option<Vec<u8>>);

impl Bits {
    pub(super) fn get(&self, place: usize) -> bool {
        match &self.0 {
            None => true,
            Some(bytes) => {
                let byte = bytes.get(place / 8).copied().unwrap_or(0);
                byte >> (place % 8) & 1 == 1
            }
        }
    }
}

fn failed(error: io::Error) -> String {
    format!("it cannot be read ({error})")
}

impl Batch {
    /// Reads the description of a batch that a block of the footer points to.
    pub(super) fn read(
        file: &mut File,
        room: Room,
        block: &[u8; 24],
        wanted: u8,
    ) -> Result<Self, String> {
        let offset = u64::try_from(i64_at(block, 0)).ok();
        let [.., m0, m1, m2, m3] = *block.first_chunk::<12>().unwrap_or(&[0; 12]);
        let head = u64::from(u32::from_le_bytes([m0, m1, m2, m3]));
        let body = u64::try_from(i64_at(block, 16)).ok();
        let inside = |(offset, body): (u64, u64)| {
            let start = offset.checked_add(head)?;
            let end = start.checked_add(body)?;
            (end <= room.length).then_some((offset, start, body))
        };
        let (offset, start, body) = offset
            .zip(body)
            .and_then(inside)
            .ok_or("it lies outside the file")?;
        let mut bytes = vec![0; head as usize];
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(failed)?;
        // A mark and the length come first; before Arrow 0.15 only the length.
        let bytes = match bytes.strip_prefix(&[0xff; 4]) {
            Some(rest) => rest.get(4..),
            None => bytes.get(4..),
        }
        .unwrap_or_default();
        let batch = Self::parse(bytes, start, body, wanted, room)
            .ok_or_else(|| "its description is damaged".to_owned())??;
        room.check_rows(batch.rows)?;
        Ok(batch)
    }

    fn parse(
        bytes: &[u8],
        start: u64,
        body: u64,
        wanted: u8,
        room: Room,
    ) -> Option<Result<Self, String>> {
        let message = FlatTable::root(bytes)?;
        if message.u8(1) != wanted {
            return Some(Err("it is not what the footer says it is".to_owned()));
        }
        let header = message.table(2)?;
        let (batch, dictionary, is_delta) = if wanted == 2 {
            (header.table(1)?, Some(header.i64(0)), header.u8(2) != 0)
        } else {
            (header, None, false)
        };
        let packing = match batch.table(3).map(|packing| packing.u8(0)) {
            None => Packing::None,
            Some(0) => Packing::Lz4,
            Some(1) => Packing::Zstd,
            Some(_) => {
                return Some(Err(
                    "it is compressed by a method that is not read here".to_owned()
                ));
            }
        };
        let buffers = batch.structs::<16>(2)?.iter().map(|buffer| {
            let offset = u64::try_from(i64_at(buffer, 0)).ok()?;
            let size = u64::try_from(i64_at(buffer, 8)).ok()?;
            let end = offset.checked_add(size)?;
            (end <= body).then_some((start + offset, size as usize))
        });
        let nodes = batch.structs::<16>(1)?;
        let counts = batch.structs::<8>(4)?.iter();
        let variadic: Option<Vec<usize>> = counts
            .map(|count| usize::try_from(i64::from_le_bytes(*count)).ok())
            .collect();
        let variadic = variadic?;
        let mut shifts = vec![0_usize];
        for &count in &variadic {
            shifts.push(shifts.last()?.checked_add(count)?);
        }
        Some(Ok(Self {
            rows: usize::try_from(batch.i64(0)).ok()?,
            dictionary,
            is_delta,
            buffers: buffers.collect::<Option<Vec<_>>>()?,
            nodes: nodes
                .iter()
                .map(|node| (i64_at(node, 0), i64_at(node, 8)))
                .collect(),
            variadic,
            shifts,
            packing,
            body: body as usize,
            room,
        }))
    }

    /// The bytes it takes in the file.
    pub(super) fn size(&self) -> usize {
        self.body
    }

    /// The number of a buffer, shifted by those of the columns of views before it.
    fn number(&self, field: &Field, buffer: usize) -> Result<usize, String> {
        let shift = self.shifts.get(field.views_before).copied();
        shift
            .and_then(|shift| shift.checked_add(buffer))
            .ok_or_else(|| "its buffers are not all there".to_owned())
    }

    /// A buffer, unpacked; `most` is the most it may hold.
    fn buffer(&self, file: &mut File, number: usize, most: usize) -> Result<Vec<u8>, String> {
        let &(offset, size) = self
            .buffers
            .get(number)
            .ok_or("its buffers are not all there")?;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut packed = file.take(size as u64);
        if self.packing == Packing::None || size == 0 {
            return read_all(packed, size.min(most));
        }
        let mut declared = [0; 8];
        packed.read_exact(&mut declared).map_err(failed)?;
        let declared = i64::from_le_bytes(declared);
        if declared == -1 {
            return read_all(packed, (size - 8).min(most));
        }
        let declared = usize::try_from(declared)
            .map_err(|_| "a buffer declares a negative length".to_owned())?;
        self.room.check(declared.min(most) as u64)?;
        let bytes = match self.packing {
            #[cfg(feature = "zstd")]
            Packing::Zstd => {
                let decoder = zstd::stream::read::Decoder::new(packed).map_err(failed)?;
                read_packed(decoder, declared, most)
            }
            #[cfg(not(feature = "zstd"))]
            Packing::Zstd => {
                Err("it is packed with zstd, and this program was built without it".to_owned())
            }
            _ => read_packed(lz4_flex::frame::FrameDecoder::new(packed), declared, most),
        }?;
        if bytes.len() < declared.min(most) {
            return Err(format!(
                "a buffer declares {declared} bytes, but only {} were packed",
                bytes.len()
            ));
        }
        Ok(bytes)
    }

    /// The rows, which must be those of the column's own node.
    pub(super) fn checked_rows(&self, field: &Field) -> Result<usize, String> {
        match self.nodes.get(field.first_node) {
            Some(&(rows, _)) if usize::try_from(rows).ok() == Some(self.rows) => Ok(self.rows),
            Some((rows, _)) => Err(format!("it has {rows} rows in a batch of {}", self.rows)),
            None => Err("it is missing in a batch".to_owned()),
        }
    }

    /// Which values of a column are there.
    pub(super) fn validity(&self, file: &mut File, field: &Field) -> Result<Bits, String> {
        let rows = self.checked_rows(field)?;
        let missing = self.nodes.get(field.first_node).map_or(0, |node| node.1);
        let number = self.number(field, field.first_buffer)?;
        let size = self.buffers.get(number).map_or(0, |buffer| buffer.1);
        if missing == 0 || size == 0 {
            return Ok(Bits(None));
        }
        let bytes = self.buffer(file, number, rows.div_ceil(8))?;
        Ok(Bits(Some(bytes)))
    }

    /// A buffer of bits.
    pub(super) fn bits(
        &self,
        file: &mut File,
        field: &Field,
        number: usize,
    ) -> Result<Bits, String> {
        let wanted = self.rows.div_ceil(8);
        let bytes = self.buffer(file, self.number(field, number)?, wanted)?;
        self.enough(bytes, wanted).map(|bytes| Bits(Some(bytes)))
    }

    fn enough(&self, bytes: Vec<u8>, wanted: usize) -> Result<Vec<u8>, String> {
        if bytes.len() < wanted {
            return Err(format!(
                "a buffer has {} bytes, where {} rows call for {wanted}",
                bytes.len(),
                self.rows
            ));
        }
        Ok(bytes)
    }

    /// A buffer of a value of `width` bytes for each row.
    pub(super) fn fixed(
        &self,
        file: &mut File,
        field: &Field,
        number: usize,
        width: usize,
    ) -> Result<Vec<u8>, String> {
        self.fixed_of(file, field, number, self.rows, width)
    }

    fn fixed_of(
        &self,
        file: &mut File,
        field: &Field,
        number: usize,
        count: usize,
        width: usize,
    ) -> Result<Vec<u8>, String> {
        let wanted = count.checked_mul(width).ok_or("it has too many rows")?;
        let bytes = self.buffer(file, self.number(field, number)?, wanted)?;
        self.enough(bytes, wanted)
    }

    /// Hands out the texts of a column.
    pub(super) fn each_text(
        &self,
        file: &mut File,
        field: &Field,
        valid: &Bits,
        mut put: impl FnMut(String) -> Result<(), String>,
    ) -> Result<(), String> {
        let first = field.first_buffer;
        let not_text = || "it holds bytes that are not text".to_owned();
        if let FieldLayout::Text { long } = field.layout {
            let width = if long { 8 } else { 4 };
            let size = self
                .buffers
                .get(self.number(field, first + 1)?)
                .map_or(0, |b| b.1);
            if self.rows == 0 && size == 0 {
                return Ok(());
            }
            let bytes = self.fixed_of(file, field, first + 1, self.rows + 1, width)?;
            let offset = |row: usize| -> Option<usize> {
                let bytes = bytes.get(row * width..)?;
                if long {
                    usize::try_from(i64::from_le_bytes(*bytes.first_chunk()?)).ok()
                } else {
                    usize::try_from(i32::from_le_bytes(*bytes.first_chunk()?)).ok()
                }
            };
            let end = offset(self.rows).ok_or("its offsets are damaged")?;
            let data = self.buffer(file, self.number(field, first + 2)?, end)?;
            // Texts may not share bytes, so that all of them are no longer than what they lie in.
            let mut before = 0;
            for row in 0..self.rows {
                let range = offset(row).zip(offset(row + 1));
                let text = range
                    .filter(|&(start, _)| start >= before)
                    .and_then(|(start, end)| data.get(start..end))
                    .ok_or("its offsets are damaged")?;
                before = range.map_or(before, |range| range.0);
                put(if valid.get(row) {
                    std::str::from_utf8(text)
                        .map_err(|_| not_text())?
                        .to_owned()
                } else {
                    String::new()
                })?;
            }
            return Ok(());
        }
        let views = self.fixed(file, field, first + 1, 16)?;
        let count = self.variadic.get(field.views_before).copied().unwrap_or(0);
        if count > self.buffers.len() {
            return Err("its buffers are not all there".to_owned());
        }
        let mut pieces = Vec::new();
        for piece in 0..count {
            let number = self.number(field, first + 2)?.saturating_add(piece);
            let size = self.buffers.get(number).map_or(0, |buffer| buffer.1);
            let most = size.saturating_mul(1040);
            pieces.push(self.buffer(file, number, most)?);
        }
        let mut left: usize = pieces.iter().map(Vec::len).sum::<usize>() * 4 + (1 << 20);
        for (row, view) in views.as_chunks::<16>().0.iter().enumerate() {
            let word = |at: usize| {
                let bytes = view.get(at..at + 4).and_then(|b| b.first_chunk::<4>());
                bytes.map_or(0, |b| u32::from_le_bytes(*b)) as usize
            };
            let length = word(0);
            let bytes = if length <= 12 {
                view.get(4..4 + length)
            } else {
                let piece = pieces.get(word(8));
                piece.and_then(|piece| piece.get(word(12)..)?.get(..length))
            };
            let bytes = if valid.get(row) {
                bytes.ok_or("its text lies outside its buffers")?
            } else {
                &[]
            };
            left = left
                .checked_sub(bytes.len().saturating_sub(12))
                .ok_or("its texts are longer than their buffers")?;
            put(std::str::from_utf8(bytes)
                .map_err(|_| not_text())?
                .to_owned())?;
        }
        Ok(())
    }
}

/// Reads the bytes that are declared, up to `most`, and where that is all of them to the end of what was packed, which is
/// where a checksum is verified.
fn read_packed(mut reader: impl Read, declared: usize, most: usize) -> Result<Vec<u8>, String> {
    let bytes = read_all(reader.by_ref(), declared.min(most))?;
    if bytes.len() == declared {
        reader.read(&mut [0]).map_err(failed)?;
    }
    Ok(bytes)
}

/// Reads up to `most` bytes; room is made as they come.
fn read_all(reader: impl Read, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    reader
        .take(most as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}
