//! Feather files, which are Arrow IPC files (version 2): the buffers of one column are read at a time.
//!
//! Not through `arrow-ipc` (60.1), which reads a record batch whole, so that it lies beside the matrix, into a buffer as
//! large as the footer declares, and which brings eight further crates to build.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

use self::schema::{Field, FieldLayout, fields};
use crate::columns::{ColumnTable, SourceColumn, assemble, half, pandas_roles};
use crate::common::{guard, number_text, open, short_number_text, truth_text};
use crate::error::IoError;
use crate::flatbuffer::FlatTable;
use crate::room::{Held, Room};
use crate::source::{ReadOptions, Source};
use crate::storage::Storage;

mod buffers;
mod schema;

use self::buffers::{Batch, Bits};

const FORMAT: &str = "a Feather file";
const MAGIC: &[u8; 6] = b"ARROW1";

/// Reads a Feather file (version 2, an Arrow IPC file), compressed or not.
///
/// What its columns become is as in [`read_parquet`](crate::parquet::read_parquet).
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no column of numbers.
pub fn read_feather(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || {
        let mut table = Arrow::open(path, options)?;
        assemble(path, &mut table, options)
    })
}

/// An open file.
struct Arrow<'a> {
    path: &'a Path,
    file: File,
    room: Room,
    fields: Vec<Field>,
    columns: Vec<SourceColumn>,
    batches: Vec<Batch>,
    dictionaries: HashMap<i64, Vec<String>>,
    rows: usize,
}

impl<'a> Arrow<'a> {
    fn open(path: &'a Path, options: &ReadOptions) -> Result<Self, IoError> {
        let (mut file, length) = open(path)?;
        let wrong = |place: &str, what: String| IoError::malformed(path, FORMAT, place, what);
        let mut start = Vec::new();
        file.by_ref()
            .take(6)
            .read_to_end(&mut start)
            .map_err(|error| IoError::read(path, error))?;
        if start.starts_with(b"FEA1") {
            return Err(IoError::unsupported(
                path,
                "it is a Feather file of version 1, which is not read here; write it again with a current pandas or pyarrow",
            ));
        }
        if start != MAGIC {
            return Err(wrong("byte 0", "the mark ARROW1 is not there".to_owned()));
        }
        let footer = footer(&mut file, length).map_err(|what| wrong("its footer", what))?;
        let damaged = || "it is damaged".to_owned();
        let root = FlatTable::root(&footer).ok_or_else(|| wrong("its footer", damaged()))?;
        let schema = root
            .table(1)
            .ok_or_else(|| wrong("its footer", "it has no schema".to_owned()))?;
        let fields =
            fields(schema, footer.len()).map_err(|what| wrong("its schema", what.to_owned()))?;
        let mut columns: Vec<SourceColumn> = fields
            .iter()
            .map(|field| SourceColumn {
                name: field.name.clone(),
                role: field.role(),
            })
            .collect();
        let pandas = schema.tables(2).and_then(|pairs| {
            let pair = pairs.iter().find(|pair| pair.string(0) == Some("pandas"))?;
            pair.string(1)
        });
        pandas_roles(&mut columns, pandas);
        let mut this = Self {
            path,
            file,
            room: Room::new(length, options),
            fields,
            columns,
            batches: Vec::new(),
            dictionaries: HashMap::new(),
            rows: 0,
        };
        this.read_blocks(root)?;
        Ok(this)
    }

    /// Reads the descriptions of all record batches, and the dictionaries.
    fn read_blocks(&mut self, footer: FlatTable<'_>) -> Result<(), IoError> {
        let path = self.path;
        let wrong = |place: String, what: String| IoError::malformed(path, FORMAT, place, what);
        let blocks = |slot| {
            let blocks = footer.structs::<24>(slot);
            blocks.ok_or_else(|| wrong("its footer".to_owned(), "it is damaged".to_owned()))
        };
        let mut taken = 0;
        for (number, block) in blocks(2)?.iter().enumerate() {
            let place = || format!("dictionary {number}");
            let batch = Batch::read(&mut self.file, self.room, block, 2)
                .map_err(|what| wrong(place(), what))?;
            taken += batch.size();
            self.add_dictionary(&batch)
                .map_err(|what| wrong(place(), what))?;
        }
        for (number, block) in blocks(3)?.iter().enumerate() {
            let place = || format!("record batch {number}");
            let batch = Batch::read(&mut self.file, self.room, block, 3)
                .map_err(|what| wrong(place(), what))?;
            taken += batch.size();
            // Blocks lie one after the other; a footer that names one many times is forged.
            if taken as u64 > self.room.length.saturating_mul(2) {
                return Err(wrong(place(), "it lies where another one does".to_owned()));
            }
            self.rows = self
                .rows
                .checked_add(batch.rows)
                .ok_or_else(|| wrong(place(), "it has too many rows".to_owned()))?;
            self.batches.push(batch);
        }
        Ok(())
    }

    fn add_dictionary(&mut self, batch: &Batch) -> Result<(), String> {
        let id = batch.dictionary.unwrap_or(0);
        let has = |field: &&Field| field.dictionary.is_some_and(|(other, _)| other == id);
        let Some(field) = self.fields.iter().find(has) else {
            return Ok(());
        };
        let plain = Field {
            dictionary: None,
            first_buffer: 0,
            first_node: 0,
            views_before: 0,
            ..field.clone()
        };
        if matches!(plain.layout, FieldLayout::Other(_)) {
            return Ok(());
        }
        let mut texts = Vec::new();
        let mut held = Held::new(self.room);
        each_text(&mut self.file, batch, &plain, |text| {
            held.add(&text)?;
            texts.push(text);
            Ok(())
        })?;
        let present = self.dictionaries.entry(id).or_default();
        if batch.is_delta {
            present.extend(texts);
        } else {
            *present = texts;
        }
        Ok(())
    }

    fn wrong(&self, column: usize, what: String) -> IoError {
        let name = self.columns.get(column).map_or("", |c| c.name.as_str());
        let place = format!("column `{}`", name.escape_debug());
        IoError::malformed(self.path, FORMAT, place, what)
    }
}

/// Reads the footer, whose length stands before the mark at the end.
fn footer(file: &mut File, length: u64) -> Result<Vec<u8>, String> {
    let mut end = [0; 10];
    let failed = |error: io::Error| format!("it cannot be read ({error})");
    if length < 18 {
        return Err(format!("the file has only {length} bytes"));
    }
    file.seek(SeekFrom::Start(length - 10))
        .and_then(|_| file.read_exact(&mut end))
        .map_err(failed)?;
    if !end.ends_with(MAGIC) {
        return Err("the mark ARROW1 is not at the end, so the file was cut short".to_owned());
    }
    let [a, b, c, d, ..] = end;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    if size > length - 18 {
        return Err(format!(
            "it declares {size} bytes in a file of {length} bytes"
        ));
    }
    let mut bytes = vec![0; size as usize];
    file.seek(SeekFrom::Start(length - 10 - size))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(failed)?;
    Ok(bytes)
}

/// The values of a column of numbers in a batch, NaN where there is none.
fn numbers(file: &mut File, batch: &Batch, field: &Field) -> Result<Vec<f64>, String> {
    let (storage, halves) = match field.layout {
        FieldLayout::Numbers(storage) => (storage, false),
        FieldLayout::Halves => (Storage::U16, true),
        _ => return Err("it does not hold numbers".to_owned()),
    };
    let valid = batch.validity(file, field)?;
    let bytes = batch.fixed(file, field, field.first_buffer + 1, storage.width())?;
    let mut numbers = storage.decode(&bytes, false);
    for (row, number) in numbers.iter_mut().enumerate() {
        *number = match (valid.get(row), halves) {
            (false, _) => f64::NAN,
            (true, true) => half(*number as u16),
            (true, false) => *number,
        };
    }
    Ok(numbers)
}

/// Hands out the values of a column without dictionary as text.
fn each_text(
    file: &mut File,
    batch: &Batch,
    field: &Field,
    mut put: impl FnMut(String) -> Result<(), String>,
) -> Result<(), String> {
    let valid = batch.validity(file, field)?;
    let first = field.first_buffer;
    match field.layout {
        FieldLayout::Numbers(_) | FieldLayout::Halves => {
            let short = field.layout == FieldLayout::Numbers(Storage::F32);
            for number in numbers(file, batch, field)? {
                put(if short {
                    short_number_text(number as f32)
                } else {
                    number_text(number)
                })?;
            }
        }
        FieldLayout::Truths => {
            let bits = batch.bits(file, field, first + 1)?;
            let text = |row| {
                if valid.get(row) {
                    truth_text(bits.get(row))
                } else {
                    String::new()
                }
            };
            (0..batch.rows).map(text).try_for_each(put)?;
        }
        FieldLayout::Text { .. } | FieldLayout::Views => {
            batch.each_text(file, field, &valid, put)?
        }
        FieldLayout::Other(what) => return Err(format!("it is {what}")),
    }
    Ok(())
}

impl ColumnTable for Arrow<'_> {
    fn format(&self) -> &str {
        "Feather"
    }

    fn room(&self) -> Room {
        self.room
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    fn numbers(&mut self, column: usize, out: &mut [f64]) -> Result<(), IoError> {
        let mut rest = out;
        for batch in &self.batches {
            let (here, after) = rest.split_at_mut(batch.rows.min(rest.len()));
            rest = after;
            let Some(field) = self.fields.get(column) else {
                return Err(self.wrong(column, "there is no such column".to_owned()));
            };
            let numbers =
                numbers(&mut self.file, batch, field).map_err(|what| self.wrong(column, what))?;
            here.iter_mut()
                .zip(numbers)
                .for_each(|(out, number)| *out = number);
        }
        Ok(())
    }

    fn texts(&mut self, column: usize, held: &mut Held) -> Result<Vec<String>, IoError> {
        let mut texts = Vec::new();
        for batch in &self.batches {
            let Some(field) = self.fields.get(column) else {
                return Err(self.wrong(column, "there is no such column".to_owned()));
            };
            let mut put = |text: String| {
                held.add(&text)?;
                texts.push(text);
                Ok(())
            };
            let done = match field.dictionary {
                None => each_text(&mut self.file, batch, field, put),
                Some((id, keys)) => {
                    let empty = Vec::new();
                    let words = self.dictionaries.get(&id).unwrap_or(&empty);
                    each_key(&mut self.file, batch, field, keys, words, &mut put)
                }
            };
            done.map_err(|what| self.wrong(column, what))?;
        }
        Ok(texts)
    }
}

/// Looks up the keys of a dictionary column.
fn each_key(
    file: &mut File,
    batch: &Batch,
    field: &Field,
    keys: Storage,
    words: &[String],
    put: &mut impl FnMut(String) -> Result<(), String>,
) -> Result<(), String> {
    let valid: Bits = batch.validity(file, field)?;
    let bytes = batch.fixed(file, field, field.first_buffer + 1, keys.width())?;
    for (row, key) in keys.decode(&bytes, false).into_iter().enumerate() {
        put(match words.get(key as usize).filter(|_| key >= 0.0) {
            _ if !valid.get(row) => String::new(),
            Some(word) => word.clone(),
            None => {
                return Err(format!(
                    "its value {key} is beyond the {} words of its dictionary",
                    words.len()
                ));
            }
        })?;
    }
    Ok(())
}
