//! HDF5 files, for the formats that lie in them: sizes are checked before anything is read, and large arrays are handed
//! out a few rows at a time.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use hdf5_pure::{
    AttrValue, ChunkIndex, Dataset, Datatype, DatatypeByteOrder, File, FileAccessProperties,
    FixedPointLayout, FloatingPointLayout, Group, MetadataCacheConfig, VlenStringReadOptions,
};

use crate::common::{number_text, one_line, open, rows_at_a_time, short_number_text, truth_text};
use crate::error::IoError;
use crate::room::Room;
use crate::source::ReadOptions;
use crate::storage::{MAX_INFLATION, Storage};

/// What is kept of the file's own structure, so that it is not read again for every name.
const METADATA_CACHE: usize = 8 << 20;

/// The most bytes that are read at a time.
const WINDOW: usize = 4 << 20;

/// What the elements of a dataset are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers, and whether they are big-endian.
    Number(Storage, bool),
    /// Truth values, as h5py stores them.
    Truth,
    /// Strings.
    Text,
    /// References to other objects of the file.
    Reference,
    /// Anything else.
    Other,
}

/// An open file.
pub(crate) struct Hdf<'a> {
    path: &'a Path,
    format: &'static str,
    pub(crate) room: Room,
    file: File,
}

impl<'a> Hdf<'a> {
    pub(crate) fn open(
        path: &'a Path,
        format: &'static str,
        options: &ReadOptions,
    ) -> Result<Self, IoError> {
        let (mut raw, length) = open(path)?;
        if let Some(end) = declared_end(&mut raw).filter(|&end| end > length) {
            let what = format!("it should have {end} bytes and has {length}, so it was cut short");
            return Err(IoError::malformed(path, format, "its end", what));
        }
        let cache = MetadataCacheConfig::new(METADATA_CACHE);
        let properties = FileAccessProperties::new().with_metadata_cache(cache);
        let file = File::open_streaming_with_options(path, properties)
            .map_err(|error| IoError::malformed(path, format, "its structure", one_line(error)))?;
        Ok(Self {
            path,
            format,
            room: Room::new(length, options),
            file,
        })
    }

    pub(crate) fn root(&self) -> Group {
        self.file.root()
    }

    /// An error about an object of the file.
    pub(crate) fn malformed(&self, place: &str, what: impl ToString) -> IoError {
        let place = format!("`{}`", place.escape_debug());
        IoError::malformed(self.path, self.format, place, one_line(what))
    }

    pub(crate) fn dataset(&self, place: &str) -> Result<Dataset, IoError> {
        self.file
            .dataset(place)
            .map_err(|error| self.malformed(place, error))
    }

    pub(crate) fn group(&self, place: &str) -> Result<Group, IoError> {
        self.file
            .group(place)
            .map_err(|error| self.malformed(place, error))
    }

    /// Whether there is a group of this path.
    pub(crate) fn has_group(&self, place: &str) -> bool {
        self.file.group(place).is_ok()
    }

    /// Whether there is a dataset of this path.
    pub(crate) fn has_dataset(&self, place: &str) -> bool {
        self.file.dataset(place).is_ok()
    }

    pub(crate) fn attributes(&self, place: &str) -> Result<HashMap<String, AttrValue>, IoError> {
        if let Ok(group) = self.file.group(place) {
            group.attrs()
        } else {
            self.dataset(place)?.attrs()
        }
        .map_err(|error| self.malformed(place, error))
    }

    /// The sides of a dataset, where the file can hold that many elements.
    pub(crate) fn shape(&self, place: &str, dataset: &Dataset) -> Result<Vec<usize>, IoError> {
        let wrong = |error| self.malformed(place, error);
        let shape = dataset.shape().map_err(wrong)?;
        let width = dataset.element_size().map_err(wrong)?;
        // A side of zero does not excuse the others, which are the lengths of names.
        let bytes = |sides: &[u64]| {
            sides
                .iter()
                .try_fold(width.max(1), |bytes, &side| bytes.checked_mul(side.max(1)))
        };
        let most = if dataset.filters().is_empty() {
            self.room.length
        } else {
            self.room.length.saturating_mul(MAX_INFLATION)
        };
        let chunk = dataset.chunk_shape().map_err(wrong)?.unwrap_or_default();
        // A chunk may reach beyond the array, and is unpacked as a whole.
        let chunk_most = most.max(1 << 24);
        if bytes(&shape).is_none_or(|bytes| bytes > most)
            || bytes(&chunk).is_none_or(|bytes| bytes > chunk_most)
        {
            return Err(self.malformed(
                place,
                format!(
                    "it declares a size of {}, which a file of {} bytes cannot hold",
                    sides(&shape),
                    self.room.length
                ),
            ));
        }
        self.check_chunks(place, dataset)?;
        let shape = shape.iter().map(|&side| usize::try_from(side).ok());
        shape
            .collect::<Option<Vec<usize>>>()
            .ok_or_else(|| self.malformed(place, "it is too large"))
    }

    /// Makes sure that all pieces of a dataset lie inside the file: the decoder makes room for them as they declare.
    fn check_chunks(&self, place: &str, dataset: &Dataset) -> Result<(), IoError> {
        let wrong = |error| self.malformed(place, error);
        let index = dataset.chunk_index().map_err(wrong)?;
        // The pieces of this index cannot be listed.
        if matches!(index, None | Some(ChunkIndex::BTreeV2)) {
            return Ok(());
        }
        for chunk in dataset.chunks().map_err(wrong)? {
            let end = chunk.address.checked_add(chunk.storage_size);
            if end.is_none_or(|end| end > self.room.length) {
                let what = format!(
                    "a piece of {} bytes at byte {} lies outside the file",
                    chunk.storage_size, chunk.address
                );
                return Err(self.malformed(place, what));
            }
        }
        Ok(())
    }

    /// The number of elements of a dataset.
    pub(crate) fn count(&self, place: &str) -> Result<usize, IoError> {
        Ok(self.shape(place, &self.dataset(place)?)?.iter().product())
    }

    /// What the elements of a dataset are.
    pub(crate) fn kind(&self, place: &str, dataset: &Dataset) -> Result<Kind, IoError> {
        let datatype = dataset
            .datatype()
            .map_err(|error| self.malformed(place, error))?;
        Ok(kind_of(&datatype))
    }

    /// Hands out the values of a dataset, some rows of it (along its first side) at a time, each time with the number
    /// of the first; all that are not numbers or truth values are refused.
    pub(crate) fn each_rows(
        &self,
        place: &str,
        dataset: &Dataset,
        mut take: impl FnMut(usize, &[f64]) -> Result<(), IoError>,
    ) -> Result<(), IoError> {
        let shape = self.shape(place, dataset)?;
        let (storage, big_endian) = self.stored(place, dataset)?;
        let wrong = |error| self.malformed(place, error);
        let rows = shape.first().copied().unwrap_or(1);
        let width: usize = shape.iter().skip(1).product();
        let row_bytes = width.max(1).saturating_mul(storage.width());
        let chunk = dataset.chunk_shape().map_err(wrong)?.unwrap_or_default();
        let chunk_rows = chunk.first().map_or(1, |&rows| rows.max(1)) as usize;
        // Whole chunks, so that none is unpacked twice.
        let window = rows_at_a_time(rows, width)
            .min((WINDOW / row_bytes).max(1))
            .next_multiple_of(chunk_rows);
        let mut first = 0;
        while first < rows && width > 0 {
            let count = window.min(rows - first);
            let raw = dataset
                .read_raw_rows(first as u64, count as u64)
                .map_err(wrong)?;
            if raw.len() != count * row_bytes {
                return Err(self.malformed(place, "it holds fewer values than it declares"));
            }
            take(first, &storage.decode(&raw, big_endian))?;
            first += count;
        }
        Ok(())
    }

    fn stored(&self, place: &str, dataset: &Dataset) -> Result<(Storage, bool), IoError> {
        match self.kind(place, dataset)? {
            Kind::Number(storage, big_endian) => Ok((storage, big_endian)),
            Kind::Truth => Ok((Storage::Bool, false)),
            _ => Err(self.malformed(place, "it does not hold numbers")),
        }
    }

    /// Some values of a dataset of one dimension, whose shape was looked at before.
    pub(crate) fn window(
        &self,
        place: &str,
        dataset: &Dataset,
        first: usize,
        count: usize,
    ) -> Result<Vec<f64>, IoError> {
        let (storage, big_endian) = self.stored(place, dataset)?;
        let raw = dataset
            .read_raw_rows(first as u64, count as u64)
            .map_err(|error| self.malformed(place, error))?;
        if raw.len() != count * storage.width() {
            return Err(self.malformed(place, "it holds fewer values than it declares"));
        }
        Ok(storage.decode(&raw, big_endian))
    }

    /// All values of a dataset, in the order of the file.
    pub(crate) fn numbers(&self, place: &str, dataset: &Dataset) -> Result<Vec<f64>, IoError> {
        let count: usize = self.shape(place, dataset)?.iter().product();
        let bytes = (count as u64).saturating_mul(8);
        (self.room.check(bytes)).map_err(|what| self.malformed(place, what))?;
        let mut values = Vec::new();
        values
            .try_reserve_exact(count)
            .map_err(|_| self.malformed(place, "there is no memory for its values"))?;
        self.each_rows(place, dataset, |_, rows| {
            values.extend_from_slice(rows);
            Ok(())
        })?;
        Ok(values)
    }

    /// All strings of a dataset, in the order of the file.
    pub(crate) fn strings(&self, place: &str, dataset: &Dataset) -> Result<Vec<String>, IoError> {
        let count: usize = self.shape(place, dataset)?.iter().product();
        let wrong = |error| self.malformed(place, error);
        self.check_texts(place, count)?;
        let datatype = dataset.datatype().map_err(wrong)?;
        if matches!(datatype, Datatype::VariableLength { .. }) {
            // Strings may share what they say, but not without bounds.
            let most = self.room.length.saturating_mul(4).max(1 << 20) as usize;
            let options = VlenStringReadOptions::new()
                .with_max_elements(count)
                .with_max_payload_bytes(most);
            dataset.read_vlen_strings(options).map_err(wrong)
        } else {
            dataset.read_string().map_err(wrong)
        }
    }

    /// Makes sure that so many texts can be believed of the file.
    pub(crate) fn check_texts(&self, place: &str, count: usize) -> Result<(), IoError> {
        self.room
            .check_rows(count)
            .map_err(|what| self.malformed(place, what))
    }

    /// The elements of a dataset as text; `None` where they are neither strings nor numbers.
    pub(crate) fn texts(
        &self,
        place: &str,
        dataset: &Dataset,
    ) -> Result<Option<Vec<String>>, IoError> {
        self.check_texts(place, self.shape(place, dataset)?.iter().product())?;
        Ok(Some(match self.kind(place, dataset)? {
            Kind::Text => self.strings(place, dataset)?,
            Kind::Truth => {
                let values = self.numbers(place, dataset)?;
                values.into_iter().map(|v| truth_text(v != 0.0)).collect()
            }
            Kind::Number(Storage::F32, _) => {
                let values = self.numbers(place, dataset)?;
                values
                    .into_iter()
                    .map(|v| short_number_text(v as f32))
                    .collect()
            }
            Kind::Number(..) => {
                let values = self.numbers(place, dataset)?;
                values.into_iter().map(number_text).collect()
            }
            Kind::Reference | Kind::Other => return Ok(None),
        }))
    }
}

/// Where the file ends by its own account; nothing where that is not to be found.
fn declared_end(file: &mut std::fs::File) -> Option<u64> {
    // The file begins with its superblock, or MATLAB's 512 bytes come before.
    [0, 512].into_iter().find_map(|place| {
        let mut block = [0; 56];
        file.seek(SeekFrom::Start(place)).ok()?;
        file.read_exact(&mut block).ok()?;
        let rest = block.strip_prefix(b"\x89HDF\r\n\x1a\n")?;
        // The version settles where the width of addresses and the end stand.
        let (width, end) = match rest.first()? {
            0 => (5, 32),
            1 => (5, 36),
            2 | 3 => (1, 20),
            _ => return None,
        };
        let end = rest.get(end..)?.first_chunk()?;
        (rest.get(width) == Some(&8)).then(|| u64::from_le_bytes(*end))
    })
}

/// Sides as text: `3 x 4`.
fn sides(shape: &[u64]) -> String {
    let sides: Vec<String> = shape.iter().map(u64::to_string).collect();
    sides.join(" x ")
}

fn kind_of(datatype: &Datatype) -> Kind {
    match datatype {
        Datatype::FixedPoint {
            size,
            byte_order,
            layout,
        } => fixed_point(*size, *layout)
            .zip(big_endian(*byte_order))
            .map_or(Kind::Other, |(storage, big)| Kind::Number(storage, big)),
        Datatype::FloatingPoint {
            size,
            byte_order,
            layout,
        } => {
            let storage = match (size, layout) {
                (4, &FloatingPointLayout::IEEE754_BINARY32) => Some(Storage::F32),
                (8, &FloatingPointLayout::IEEE754_BINARY64) => Some(Storage::F64),
                _ => None,
            };
            storage
                .zip(big_endian(*byte_order))
                .map_or(Kind::Other, |(storage, big)| Kind::Number(storage, big))
        }
        // How h5py stores truth values: FALSE is 0, TRUE is 1.
        Datatype::Enumeration {
            size: 1, members, ..
        } => {
            let known = |name: &str, value: u8| {
                members
                    .iter()
                    .any(|member| member.name == name && member.value == [value])
            };
            if members.len() == 2 && known("FALSE", 0) && known("TRUE", 1) {
                Kind::Truth
            } else {
                Kind::Other
            }
        }
        Datatype::String { .. }
        | Datatype::VariableLength {
            is_string: true, ..
        } => Kind::Text,
        Datatype::Reference { .. } => Kind::Reference,
        _ => Kind::Other,
    }
}

fn fixed_point(size: u32, layout: FixedPointLayout) -> Option<Storage> {
    let plain = layout.bit_offset == 0 && u32::from(layout.bit_precision) == size.checked_mul(8)?;
    Some(match (size, layout.signed) {
        _ if !plain => return None,
        (1, true) => Storage::I8,
        (1, false) => Storage::U8,
        (2, true) => Storage::I16,
        (2, false) => Storage::U16,
        (4, true) => Storage::I32,
        (4, false) => Storage::U32,
        (8, true) => Storage::I64,
        (8, false) => Storage::U64,
        _ => return None,
    })
}

fn big_endian(order: DatatypeByteOrder) -> Option<bool> {
    match order {
        DatatypeByteOrder::LittleEndian => Some(false),
        DatatypeByteOrder::BigEndian => Some(true),
        DatatypeByteOrder::Vax => None,
    }
}
