//! What the columns of an Arrow file are, and how many buffers each takes.

use crate::columns::Role;
use crate::flatbuffer::FlatTable;
use crate::storage::Storage;

/// How deep columns may be nested.
const MAX_DEPTH: usize = 16;

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldLayout {
    /// Numbers of a fixed width.
    Numbers(Storage),
    /// Numbers of 16 bits.
    Halves,
    /// Truth values, a bit each.
    Truths,
    /// Text with offsets of 32 or, where `long`, 64 bits.
    Text { long: bool },
    /// Text of which short pieces lie in place.
    Views,
    /// What is not read.
    Other(&'static str),
}

/// A column of the file.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    /// How its values are stored; of a dictionary column those of the dictionary.
    pub(super) layout: FieldLayout,
    /// The number of the dictionary its values are in, and how its keys are stored.
    pub(super) dictionary: Option<(i64, Storage)>,
    /// The first of its buffers among those of a record batch.
    pub(super) first_buffer: usize,
    /// The first of its nodes.
    pub(super) first_node: usize,
    /// Which of the columns of views it is.
    pub(super) views_before: usize,
}

impl Field {
    pub(super) fn role(&self) -> Role {
        match self.layout {
            FieldLayout::Other(what) => Role::Other(what),
            _ if self.dictionary.is_some() => Role::Text,
            FieldLayout::Numbers(_) | FieldLayout::Halves => Role::Number,
            FieldLayout::Truths | FieldLayout::Text { .. } | FieldLayout::Views => Role::Text,
        }
    }
}

/// Counters of what the columns so far take.
#[derive(Default)]
struct Count {
    buffers: usize,
    nodes: usize,
    views: usize,
}

/// The columns of a schema.
pub(super) fn fields(schema: FlatTable<'_>, room: usize) -> Result<Vec<Field>, &'static str> {
    if schema.i16(0) != 0 {
        return Err("it is big-endian, which is not read here");
    }
    let tables = schema.tables(1).ok_or("its list of columns is damaged")?;
    let mut count = Count::default();
    let mut fields = Vec::new();
    let mut letters = 0;
    for table in tables {
        let name = table.string(0).unwrap_or_default();
        letters += name.len();
        if letters > room {
            return Err("the names of its columns are longer than the file");
        }
        let dictionary = table.table(4);
        let layout = layout(table);
        fields.push(Field {
            name: name.to_owned(),
            layout,
            dictionary: match dictionary {
                Some(dictionary) => Some((dictionary.i64(0), keys(dictionary)?)),
                None => None,
            },
            first_buffer: count.buffers,
            first_node: count.nodes,
            views_before: count.views,
        });
        add(&mut count, table, 0)?;
    }
    Ok(fields)
}

/// How the keys into a dictionary are stored.
fn keys(dictionary: FlatTable<'_>) -> Result<Storage, &'static str> {
    match dictionary.table(1) {
        None => Ok(Storage::I32),
        Some(int) => integer(int).ok_or("the keys of a dictionary are of no known width"),
    }
}

fn integer(int: FlatTable<'_>) -> Option<Storage> {
    Some(match (int.i32(0), int.u8(1) != 0) {
        (8, true) => Storage::I8,
        (8, false) => Storage::U8,
        (16, true) => Storage::I16,
        (16, false) => Storage::U16,
        (32, true) => Storage::I32,
        (32, false) => Storage::U32,
        (64, true) => Storage::I64,
        (64, false) => Storage::U64,
        _ => return None,
    })
}

fn layout(field: FlatTable<'_>) -> FieldLayout {
    let kind = field.table(3);
    match field.u8(2) {
        2 => kind.and_then(integer).map_or(
            FieldLayout::Other("a number of no known width"),
            FieldLayout::Numbers,
        ),
        3 => match kind.map_or(-1, |kind| kind.i16(0)) {
            0 => FieldLayout::Halves,
            1 => FieldLayout::Numbers(Storage::F32),
            2 => FieldLayout::Numbers(Storage::F64),
            _ => FieldLayout::Other("a number of no known width"),
        },
        5 => FieldLayout::Text { long: false },
        20 => FieldLayout::Text { long: true },
        24 => FieldLayout::Views,
        6 => FieldLayout::Truths,
        1 => FieldLayout::Other("empty"),
        8..=11 | 18 => FieldLayout::Other("a date or a time"),
        4 | 15 | 19 | 23 => FieldLayout::Other("binary"),
        7 => FieldLayout::Other("decimal numbers in bytes"),
        _ => FieldLayout::Other("nested"),
    }
}

/// Counts the buffers and nodes of a column and all it consists of.
fn add(count: &mut Count, field: FlatTable<'_>, depth: usize) -> Result<(), &'static str> {
    if depth > MAX_DEPTH {
        return Err("its columns are nested too deep");
    }
    count.nodes += 1;
    if field.table(4).is_some() {
        count.buffers += 2;
        return Ok(());
    }
    count.buffers += match field.u8(2) {
        // Nothing, and runs, whose parts are their children.
        1 | 22 => 0,
        4 | 5 | 19 | 20 | 25 | 26 => 3,
        13 | 16 => 1,
        // A union has types, and where it is dense (1) offsets.
        14 => 1 + usize::from(field.table(3).is_some_and(|union| union.i16(0) == 1)),
        23 | 24 => {
            count.views += 1;
            2
        }
        2..=27 => 2,
        _ => return Err("a column is of a type that is not known"),
    };
    for child in field.tables(5).ok_or("its list of columns is damaged")? {
        add(count, child, depth + 1)?;
    }
    Ok(())
}
