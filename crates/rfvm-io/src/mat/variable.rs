//! Variables of a MATLAB file that lie in memory as a whole.

use super::cursor::{Cursor, Element, Fault, Variable, storage};
use super::format::{
    CLASS_CHAR, CLASS_OPAQUE, CLASS_SPARSE, FLAG_COMPLEX, MI_INT8, MI_UINT32, MI_UTF8, MI_UTF16,
    MI_UTF32, MatArray, MatSkipped, MatText,
};
use crate::room::Held;
use crate::storage::Storage;

/// Reads one variable, the content of a matrix element.
pub(super) fn read_variable(cursor: &Cursor<'_>, held: &Held) -> Result<Variable, Fault> {
    let mut cursor = *cursor;
    let skip = |name: String, what: &str| {
        Ok(Variable::Skipped(MatSkipped {
            name,
            what: what.to_owned(),
        }))
    };
    if cursor.at_end() {
        // An empty element stands for an empty array.
        return skip(String::new(), "an empty unnamed array");
    }

    let flags = cursor.element("array flags")?;
    let flags_word = flags
        .data
        .first_chunk::<8>()
        .filter(|_| flags.kind == MI_UINT32);
    let Some([word @ .., _, _, _, _]) = flags_word else {
        return Err(flags.fault("the array flags should be two 32-bit integers"));
    };
    let mut word = *word;
    if cursor.big_endian {
        word.reverse();
    }
    let [class, flag_bits, _, _] = word;

    if class == CLASS_OPAQUE {
        // These have no dimensions; their name comes first.
        let name = cursor.element("name")?;
        return skip(text_of_name(name.data), "an object of a MATLAB class");
    }

    let (dimensions_element, dimensions) = cursor.indices("dimensions")?;
    let name_element = cursor.element("name")?;
    if !matches!(name_element.kind, MI_INT8 | MI_UTF8 | 2) {
        return Err(name_element.fault(format!(
            "the variable's name is data of type {}, not text",
            name_element.kind
        )));
    }
    let name = text_of_name(name_element.data);
    read_content(
        cursor,
        class,
        flag_bits,
        &dimensions,
        dimensions_element.at,
        &name,
        held,
    )
    .map_err(|fault| Fault {
        what: format!("variable `{}`: {}", name.escape_debug(), fault.what),
        ..fault
    })
}

/// Reads what comes after a variable's name.
pub(super) fn read_content(
    mut cursor: Cursor<'_>,
    class: u8,
    flag_bits: u8,
    dimensions: &[u32],
    dimensions_at: usize,
    name: &str,
    held: &Held,
) -> Result<Variable, Fault> {
    let skip = |what: String| {
        Ok(Variable::Skipped(MatSkipped {
            name: name.to_owned(),
            what,
        }))
    };
    let other = match class {
        1 => "a cell array",
        2 => "a struct",
        3 => "an object",
        16 => "a function handle",
        CLASS_CHAR..=15 => "",
        _ => {
            return Err(Fault {
                at: dimensions_at,
                what: format!("it is of a class {class} that does not exist"),
            });
        }
    };
    if !other.is_empty() {
        return skip(other.to_owned());
    }
    if name.is_empty() {
        return skip("unnamed, as MATLAB's own internal data is".to_owned());
    }
    let &[rows, cols] = dimensions else {
        if dimensions.len() < 2 {
            return Err(Fault {
                at: dimensions_at,
                what: format!("it has {} dimensions", dimensions.len()),
            });
        }
        return skip(format!("an array of {} dimensions", dimensions.len()));
    };
    let (rows, cols) = (rows as usize, cols as usize);
    let count = rows.checked_mul(cols).ok_or_else(|| Fault {
        at: dimensions_at,
        what: format!("its size {rows} x {cols} is impossible"),
    })?;
    if flag_bits & FLAG_COMPLEX != 0 {
        return skip("an array of complex numbers".to_owned());
    }

    if class == CLASS_CHAR {
        let element = cursor.element("characters")?;
        let lines = text_lines(&element, cursor.big_endian, rows, cols)
            .map_err(|what| element.fault(what))?;
        return Ok(Variable::Text(MatText {
            name: name.to_owned(),
            lines,
        }));
    }
    if class == CLASS_SPARSE {
        // It may be one that is not wanted.
        if let Err(what) = held.check_more((count as u64).saturating_mul(8)) {
            return skip(format!("a sparse array of {rows} x {cols}: {what}"));
        }
        let values = read_sparse(&mut cursor, rows, cols, count)?;
        return Ok(Variable::Numbers(MatArray {
            name: name.to_owned(),
            rows,
            cols,
            values,
        }));
    }

    let (element, values) = cursor.numbers("values")?;
    if values.len() != count {
        return Err(element.fault(format!(
            "its size {rows} x {cols} calls for {count} values, but it has {}",
            values.len()
        )));
    }
    Ok(Variable::Numbers(MatArray {
        name: name.to_owned(),
        rows,
        cols,
        values,
    }))
}

/// Reads a sparse array into dense values.
pub(super) fn read_sparse(
    cursor: &mut Cursor<'_>,
    rows: usize,
    cols: usize,
    count: usize,
) -> Result<Vec<f64>, Fault> {
    let (row_element, row_of) = cursor.indices("row indices")?;
    let (start_element, starts) = cursor.indices("column starts")?;
    let (number_element, storage) = cursor.stored_numbers("values")?;
    let number_count = number_element.data.len() / storage.width();
    if cols.checked_add(1) != Some(starts.len()) {
        return Err(start_element.fault(format!("its {cols} columns have {} starts", starts.len())));
    }
    let used = starts.last().map_or(0, |&last| last as usize);
    if starts.first() != Some(&0) || !starts.is_sorted() || used > row_of.len() {
        return Err(start_element.fault(format!(
            "its column starts do not rise from 0 to at most {}, the number of its row indices",
            row_of.len()
        )));
    }
    if used > number_count {
        return Err(number_element.fault(format!(
            "it has {number_count} values where {used} are called for"
        )));
    }
    let mut values = vec![0.0; count];
    for (column, ends) in starts.windows(2).enumerate() {
        let &[start, end] = ends else { continue };
        let entries = start as usize..end as usize;
        // A column's values at a time: all of them decoded would stand beside the matrix.
        let bytes = entries.start * storage.width()..entries.end * storage.width();
        let numbers = storage.decode(&number_element.data[bytes], cursor.big_endian);
        for (&row, number) in row_of[entries].iter().zip(numbers) {
            let row = row as usize;
            match values.get_mut(column * rows + row).filter(|_| row < rows) {
                Some(value) => *value += number,
                None => {
                    return Err(row_element.fault(format!(
                        "it has a value in row {row} of {rows}, counted from 0"
                    )));
                }
            }
        }
    }
    Ok(values)
}

/// The rows of a character array.
pub(super) fn text_lines(
    element: &Element<'_>,
    big_endian: bool,
    rows: usize,
    cols: usize,
) -> Result<Vec<String>, String> {
    let units: Vec<u32> = match element.kind {
        MI_UTF8 => String::from_utf8_lossy(element.data)
            .chars()
            .map(u32::from)
            .collect(),
        MI_UTF16 => integers(Storage::U16, element.data, big_endian),
        MI_UTF32 => integers(Storage::U32, element.data, big_endian),
        // Bytes are not negative here, whatever their type says.
        MI_INT8 => integers(Storage::U8, element.data, big_endian),
        2 | 4 | 6 => storage(element.kind)
            .map_or_else(Vec::new, |kind| integers(kind, element.data, big_endian)),
        kind => return Err(format!("its characters are data of type {kind}, not text")),
    };
    if units.is_empty() {
        return Ok(Vec::new());
    }
    if rows == 1 {
        // MATLAB counts units of UTF-16, so that the number of characters may differ from that of columns.
        return Ok(vec![text(units.iter().copied())]);
    }
    if rows.checked_mul(cols) != Some(units.len()) {
        return Err(format!(
            "its size {rows} x {cols} does not fit its {} characters",
            units.len()
        ));
    }
    Ok((0..rows)
        .map(|row| text(units.iter().skip(row).step_by(rows).copied()))
        .collect())
}

pub(super) fn integers(storage: Storage, data: &[u8], big_endian: bool) -> Vec<u32> {
    storage
        .decode(data, big_endian)
        .into_iter()
        .map(|value| value as u32)
        .collect()
}

/// The text in units of UTF-16, or of UTF-32 where one is larger than those of UTF-16.
pub(super) fn text(units: impl Iterator<Item = u32> + Clone) -> String {
    let short: Option<Vec<u16>> = units.clone().map(|unit| u16::try_from(unit).ok()).collect();
    match short {
        Some(short) => String::from_utf16_lossy(&short),
        None => units
            .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    }
}

/// A variable's name, without the zeros that some writers put at its end.
pub(super) fn text_of_name(data: &[u8]) -> String {
    let end = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    String::from_utf8_lossy(data.get(..end).unwrap_or_default()).into_owned()
}
