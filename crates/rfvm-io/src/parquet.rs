//! Parquet files: column after column, so that beside the matrix only one page is in memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{CompressionCodec, ConvertedType, LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetStatisticsPolicy};
use ::parquet::file::reader::{ChunkReader, FileReader, Length};
use ::parquet::file::serialized_reader::{
    ReadOptionsBuilder, SerializedFileReader, SerializedPageReader,
};
use ::parquet::schema::types::{ColumnDescriptor, ColumnPath, Type as SchemaType};
use bytes::Bytes;

use crate::columns::{ColumnTable, Role, SourceColumn, assemble, half, pandas_roles};
use crate::common::{guard, number_text, one_line, open, short_number_text, truth_text};
use crate::error::IoError;
use crate::room::{Held, Room};
use crate::source::{ReadOptions, Source};

mod thrift;

const FORMAT: &str = "a Parquet file";

/// Bytes behind the footer: its length and a mark.
const FILE_END: u64 = 8;

/// How many values are decoded at a time.
const STEP: usize = 1 << 13;

/// Reads a Parquet file.
///
/// With samples as rows, columns of numbers are features, and those of text, categories and truth values annotations;
/// the index that pandas wrote, or a first column of distinct texts, names the samples. With features as rows, that
/// column names the features and the columns of numbers are the samples.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, or has no column of numbers.
pub fn read_parquet(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || {
        let (file, length) = open(path)?;
        let file = Bounded {
            file: Arc::new(file),
            length,
        };
        let wrong = |place: &str, error: ParquetError| malformed(path, place, error);
        // Minima, maxima and the like take more room than the names of the columns, and are not needed.
        let skip = ParquetStatisticsPolicy::SkipAll;
        let properties = ReadOptionsBuilder::new()
            .with_encoding_stats_policy(skip.clone())
            .with_column_stats_policy(skip.clone())
            .with_size_stats_policy(skip)
            .build();
        let reader = SerializedFileReader::new_with_options(file.clone(), properties)
            .map_err(|error| wrong("its footer", error))?;
        let room = Room::new(length, options);
        let mut table = ParquetTable::new(path, file, reader.metadata(), room)?;
        // For thousands of columns the decoded footer is as large as the numbers; it must not stand beside them.
        drop(reader);
        assemble(path, &mut table, options)
    })
}

fn malformed(path: &Path, place: &str, error: impl ToString) -> IoError {
    let error = one_line(error);
    // The decoder's mark for what was found here.
    let what = error.strip_prefix("External: ").unwrap_or(&error);
    IoError::malformed(path, FORMAT, place, what)
}

/// A file that hands out no more bytes than it has.
#[derive(Clone)]
struct Bounded {
    file: Arc<File>,
    length: u64,
}

/// Reading behind the end is an error here: the decoder would pass over numbers that are not there, however many.
struct ToTheEnd(BufReader<File>);

impl Read for ToTheEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

impl Length for Bounded {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Bounded {
    type T = ToTheEnd;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::with_capacity(512, file);
        // What is read from here are headers of pages (only for nested columns, which are not read, also what lies behind them),
        // and the end of the file, which says where the footer begins.
        if start.checked_add(FILE_END) != Some(self.length) {
            thrift::check_page(&mut reader)?;
            reader.seek(SeekFrom::Start(start))?;
        }
        Ok(ToTheEnd(reader))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes are wanted at byte {start} of {}",
                self.length
            )));
        }
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        if end == self.length.checked_sub(FILE_END) {
            thrift::check(&mut bytes.as_slice())?;
        }
        Ok(bytes.into())
    }
}

/// What a column is good for.
fn role(column: &ColumnDescriptor) -> Role {
    if column.path().parts().len() != 1 || column.max_rep_level() != 0 {
        return Role::Other("nested");
    }
    let converted = column.converted_type();
    let logical = column.logical_type_ref();
    let time = matches!(
        converted,
        ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
            | ConvertedType::INTERVAL
    ) || matches!(
        logical,
        Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_))
    );
    match column.physical_type() {
        _ if time => Role::Other("a date or a time"),
        Type::BOOLEAN => Role::Text,
        Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => match logical {
            Some(LogicalType::Unknown) => Role::Other("empty"),
            _ => Role::Number,
        },
        Type::INT96 => Role::Other("a date or a time"),
        Type::BYTE_ARRAY => match (converted, logical) {
            (ConvertedType::DECIMAL, _) => Role::Other("decimal numbers in bytes"),
            (ConvertedType::BSON, _) => Role::Other("binary"),
            _ => Role::Text,
        },
        Type::FIXED_LEN_BYTE_ARRAY => match logical {
            Some(LogicalType::Float16) => Role::Number,
            _ => Role::Other("bytes of a fixed length"),
        },
    }
}

/// How the values of a column are stored.
struct ColumnStorage {
    physical: Type,
    /// Bytes of a value of fixed length.
    length: i32,
    /// Definition level of a value that is there; 0 where all are.
    optional: i16,
    unsigned: bool,
    /// What a decimal number is divided by.
    divisor: f64,
}

impl ColumnStorage {
    fn of(column: &ColumnDescriptor) -> Self {
        Self {
            physical: column.physical_type(),
            length: column.type_length(),
            optional: column.max_def_level(),
            unsigned: is_unsigned(column),
            divisor: match column.converted_type() {
                ConvertedType::DECIMAL => 10_f64.powi(column.type_scale()),
                _ => 1.0,
            },
        }
    }

    fn descriptor(&self) -> ParquetResult<Arc<ColumnDescriptor>> {
        let value = SchemaType::primitive_type_builder("value", self.physical);
        let value = Arc::new(value.with_length(self.length).build()?);
        let path = ColumnPath::new(Vec::new());
        Ok(Arc::new(ColumnDescriptor::new(
            value,
            self.optional,
            0,
            path,
        )))
    }
}

/// Where the values of a column lie in a row group.
struct ChunkPlace {
    codec: CompressionCodec,
    values: i64,
    bytes: i64,
    data_at: i64,
    dictionary_at: Option<i64>,
}

impl ChunkPlace {
    fn of(chunk: &ColumnChunkMetaData) -> Self {
        Self {
            codec: chunk.compression_codec(),
            values: chunk.num_values(),
            bytes: chunk.compressed_size(),
            data_at: chunk.data_page_offset(),
            dictionary_at: chunk.dictionary_page_offset(),
        }
    }

    fn reader(
        &self,
        file: &Arc<Bounded>,
        descriptor: &Arc<ColumnDescriptor>,
        rows: usize,
    ) -> ParquetResult<ColumnReader> {
        let chunk = ColumnChunkMetaData::builder(descriptor.clone())
            .set_compression_codec(self.codec)
            .set_num_values(self.values)
            .set_total_compressed_size(self.bytes)
            .set_data_page_offset(self.data_at)
            .set_dictionary_page_offset(self.dictionary_at)
            .build()?;
        let pages = SerializedPageReader::new(file.clone(), &chunk, rows, None)?;
        Ok(get_column_reader(descriptor.clone(), Box::new(pages)))
    }
}

struct ParquetTable<'a> {
    path: &'a Path,
    file: Arc<Bounded>,
    room: Room,
    rows: usize,
    columns: Vec<SourceColumn>,
    storage: Vec<ColumnStorage>,
    /// Rows of every row group, and the places of its columns.
    groups: Vec<(usize, Vec<ChunkPlace>)>,
}

impl<'a> ParquetTable<'a> {
    /// Takes what is needed out of the footer.
    fn new(
        path: &'a Path,
        file: Bounded,
        footer: &ParquetMetaData,
        room: Room,
    ) -> Result<Self, IoError> {
        let wrong = |what: &str| IoError::malformed(path, FORMAT, "its row groups", what);
        let schema = footer.file_metadata().schema_descr();
        let (mut rows, mut groups) = (0_usize, Vec::new());
        for group in footer.row_groups() {
            if group.num_columns() != schema.num_columns() {
                return Err(wrong(
                    "a row group has another number of columns than the schema",
                ));
            }
            let count = usize::try_from(group.num_rows()).ok();
            let all = count.and_then(|count| Some((count, rows.checked_add(count)?)));
            let (count, all) = all.ok_or_else(|| wrong("the number of rows is impossible"))?;
            rows = all;
            groups.push((count, group.columns().iter().map(ChunkPlace::of).collect()));
        }
        let column = |column: &Arc<ColumnDescriptor>| SourceColumn {
            name: column.path().parts().join("."),
            role: role(column),
        };
        let mut columns: Vec<SourceColumn> = schema.columns().iter().map(column).collect();
        let pairs = footer.file_metadata().key_value_metadata();
        let pandas = pairs.and_then(|pairs| {
            let pair = pairs.iter().find(|pair| pair.key == "pandas")?;
            pair.value.as_deref()
        });
        pandas_roles(&mut columns, pandas);
        let storage = schema
            .columns()
            .iter()
            .map(|column| ColumnStorage::of(column));
        Ok(Self {
            path,
            file: Arc::new(file),
            room,
            rows,
            columns,
            storage: storage.collect(),
            groups,
        })
    }
}

impl ParquetTable<'_> {
    /// Hands every value of a column, row after row, to `put`; `None` where there is none.
    fn each(
        &self,
        column: usize,
        mut put: impl FnMut(usize, Option<ParquetValue<'_>>) -> Result<(), String>,
    ) -> Result<(), IoError> {
        let name = self.columns.get(column).map_or("", |c| c.name.as_str());
        let wrong = |what: String| {
            malformed(
                self.path,
                &format!("column `{}`", name.escape_debug()),
                what,
            )
        };
        let (Some(storage), mut row) = (self.storage.get(column), 0) else {
            return Err(wrong("it is not in the schema".to_owned()));
        };
        let (unsigned, divisor) = (storage.unsigned, storage.divisor);
        let descriptor = storage.descriptor();
        let descriptor = descriptor.map_err(|error| wrong(error.to_string()))?;
        for (rows, places) in &self.groups {
            let rows = *rows;
            let reader = places[column].reader(&self.file, &descriptor, rows);
            let reader = reader.map_err(|error| wrong(error.to_string()))?;
            let end = row + rows;
            macro_rules! values {
                ($reader:expr, $value:expr) => {
                    each_of(&descriptor, $reader, rows, |value| {
                        row += 1;
                        put(row - 1, value.map($value))
                    })
                };
            }
            match reader {
                ColumnReader::BoolColumnReader(reader) => {
                    values!(reader, |&v| ParquetValue::Truth(v))
                }
                ColumnReader::Int32ColumnReader(reader) => values!(reader, |&v: &i32| {
                    let number = if unsigned {
                        f64::from(v.cast_unsigned())
                    } else {
                        f64::from(v)
                    };
                    ParquetValue::Number(number / divisor)
                }),
                ColumnReader::Int64ColumnReader(reader) => values!(reader, |&v: &i64| {
                    let number = if unsigned {
                        v.cast_unsigned() as f64
                    } else {
                        v as f64
                    };
                    ParquetValue::Number(number / divisor)
                }),
                ColumnReader::FloatColumnReader(reader) => {
                    values!(reader, |&v| ParquetValue::Short(v))
                }
                ColumnReader::DoubleColumnReader(reader) => {
                    values!(reader, |&v| ParquetValue::Number(v))
                }
                ColumnReader::ByteArrayColumnReader(reader) => {
                    values!(reader, |v: &ByteArray| ParquetValue::Text(v.data()))
                }
                ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                    values!(reader, |v: &FixedLenByteArray| {
                        let bits = v.data().first_chunk::<2>().copied().unwrap_or_default();
                        ParquetValue::Number(half(u16::from_le_bytes(bits)))
                    })
                }
                ColumnReader::Int96ColumnReader(_) => Err("it holds dates".to_owned()),
            }
            .map_err(wrong)?;
            if row != end {
                return Err(wrong(format!(
                    "it has {row} values, where {end} rows are declared"
                )));
            }
        }
        Ok(())
    }
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    matches!(
        column.converted_type(),
        ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
    ) || matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed)
}

enum ParquetValue<'a> {
    Number(f64),
    Short(f32),
    Truth(bool),
    Text(&'a [u8]),
}

/// Reads a column of a row group, some values at a time.
fn each_of<T: DataType>(
    descriptor: &ColumnDescriptor,
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    mut put: impl FnMut(Option<&T::T>) -> Result<(), String>,
) -> Result<(), String> {
    let optional = descriptor.max_def_level();
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut left = rows;
    while left > 0 {
        values.clear();
        levels.clear();
        let (records, _, _) = reader
            .read_records(STEP.min(left), Some(&mut levels), None, &mut values)
            .map_err(|error| error.to_string())?;
        if records == 0 || records > left {
            break;
        }
        if optional == 0 {
            for value in values.iter().take(records) {
                put(Some(value))?;
            }
        } else {
            let mut values = values.iter();
            for &level in levels.iter().take(records) {
                if level == optional {
                    put(Some(
                        values
                            .next()
                            .ok_or("it has fewer values than it declares")?,
                    ))?;
                } else {
                    put(None)?;
                }
            }
        }
        left -= records;
    }
    Ok(())
}

impl ColumnTable for ParquetTable<'_> {
    fn format(&self) -> &str {
        "Parquet"
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
        self.each(column, |row, value| {
            let place = out.get_mut(row).ok_or("it has more values than rows")?;
            *place = match value {
                None => f64::NAN,
                Some(ParquetValue::Number(number)) => number,
                Some(ParquetValue::Short(number)) => f64::from(number),
                Some(ParquetValue::Truth(truth)) => f64::from(u8::from(truth)),
                Some(ParquetValue::Text(_)) => return Err("it holds text".to_owned()),
            };
            Ok(())
        })
    }

    fn texts(&mut self, column: usize, held: &mut Held) -> Result<Vec<String>, IoError> {
        let mut texts = Vec::new();
        self.each(column, |_, value| {
            let text = match value {
                None => String::new(),
                Some(ParquetValue::Number(number)) => number_text(number),
                Some(ParquetValue::Short(number)) => short_number_text(number),
                Some(ParquetValue::Truth(truth)) => truth_text(truth),
                Some(ParquetValue::Text(bytes)) => std::str::from_utf8(bytes)
                    .map_err(|_| "it holds bytes that are not text")?
                    .to_owned(),
            };
            held.add(&text)?;
            texts.push(text);
            Ok(())
        })?;
        Ok(texts)
    }
}
