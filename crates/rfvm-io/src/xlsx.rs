//! Excel workbooks (`.xlsx`): a sheet is read twice, cell after cell, first to see what its columns hold and then into
//! the matrix, so that it never lies in memory as a whole.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use calamine::{DataRef, Reader as _, Xlsx};
use memchr::memmem;

use self::cell::{SheetCell, Words, cell_name, looks_like_date};
use self::survey::{Survey, Tally};
use crate::common::{distinct, finish, guard, known_orientation, one_line, open};
use crate::error::IoError;
use crate::matrix::Matrix;
use crate::room::{Held, Room};
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};

mod cell;
mod survey;

const FORMAT: &str = "an Excel workbook";

/// Reads a sheet of an Excel workbook: the one that `options.sheet` names (or numbers, from 1), or the first.
///
/// The first row holds names if none of its cells is a number, the first column if its texts are distinct. With samples
/// as rows, columns of numbers are features and those of text annotations; with features as rows, columns of text are
/// passed over. Cells with errors are missing values.
///
/// # Errors
///
/// Where the file cannot be read or is damaged, has no such sheet, or where text stands among numbers.
pub fn read_xlsx(path: &Path, options: &ReadOptions) -> Result<Source, IoError> {
    guard(path, FORMAT, || Sheet::open(path, options)?.read(options))
}

/// The shortest way to write a shared text: `<si/>`.
const SHORTEST_SHARED: u64 = 5;

/// Makes sure that a part of the workbook has room for as many shared texts as it declares: the decoder makes room for them
/// before it looks at what is there.
fn check_shared(start: &[u8], size: u64) -> Result<(), String> {
    for at in memmem::find_iter(start, b"uniqueCount") {
        let rest = start.get(at..).unwrap_or_default();
        let digits: Vec<u8> = rest
            .iter()
            .skip_while(|byte| !byte.is_ascii_digit() && **byte != b'>')
            .take_while(|byte| byte.is_ascii_digit())
            .copied()
            .collect();
        // A number too long to be read is too large.
        let declared = String::from_utf8_lossy(&digits).parse().unwrap_or(u64::MAX);
        if !digits.is_empty() && declared > size / SHORTEST_SHARED {
            return Err(format!(
                "it declares {} shared texts in {size} bytes",
                String::from_utf8_lossy(&digits)
            ));
        }
    }
    Ok(())
}

/// A sheet of an open workbook.
struct Sheet<'a> {
    path: &'a Path,
    room: Room,
    workbook: Xlsx<BufReader<File>>,
    name: String,
    words: Words,
}

/// What the columns of the sheet become.
struct SheetPlan {
    orientation: Orientation,
    certain: bool,
    /// The features or samples that are columns: the place of each among them.
    numeric: HashMap<u32, usize>,
    /// The columns that become annotations.
    texts: BTreeMap<u32, Vec<String>>,
}

impl<'a> Sheet<'a> {
    fn open(path: &'a Path, options: &ReadOptions) -> Result<Self, IoError> {
        crate::zip::verify(path, FORMAT, options, check_shared)?;
        let (file, length) = open(path)?;
        let workbook = Xlsx::new(BufReader::new(file))
            .map_err(|error| IoError::malformed(path, FORMAT, "its structure", one_line(error)))?;
        let names = workbook.sheet_names();
        let name = match options.sheet.as_deref() {
            None => names.first().cloned(),
            Some(wanted) => {
                let numbered = || names.get(wanted.parse::<usize>().ok()?.checked_sub(1)?);
                let named = names.iter().find(|name| *name == wanted);
                named.or_else(numbered).cloned()
            }
        };
        let name = name.ok_or_else(|| {
            let wanted = options.sheet.as_deref().unwrap_or("1");
            let what = format!(
                "it has no sheet `{wanted}`; its sheets are {}",
                names.join(", ")
            );
            IoError::unsupported(path, what)
        })?;
        Ok(Self {
            path,
            room: Room::new(length, options),
            workbook,
            name,
            words: Words::new(options),
        })
    }

    fn malformed(&self, place: &str, what: impl ToString) -> IoError {
        let place = format!("sheet `{}`, {place}", self.name.escape_debug());
        IoError::malformed(self.path, FORMAT, place, one_line(what))
    }

    /// Hands out all cells that are not empty.
    fn each(
        &mut self,
        mut take: impl FnMut(u32, u32, SheetCell<'_>) -> Result<(), String>,
    ) -> Result<(), IoError> {
        let wrong = |name: &str, path: &Path, what: String| {
            let place = format!("sheet `{}`", name.escape_debug());
            IoError::malformed(path, FORMAT, place, what)
        };
        let (name, path) = (&self.name, self.path);
        let mut cells = self
            .workbook
            .worksheet_cells_reader(name)
            .map_err(|error| wrong(name, path, one_line(error)))?;
        let mut last = (0, 0);
        loop {
            let cell = cells.next_cell().map_err(|error| {
                let what = format!("after cell {}: {}", cell_name(last), one_line(error));
                wrong(name, path, what)
            })?;
            let Some(cell) = cell else {
                return Ok(());
            };
            let value = cell.get_value();
            if matches!(value, DataRef::Empty) {
                continue;
            }
            last = cell.get_position();
            let value = self.words.cell(value);
            take(last.0, last.1, value).map_err(|what| wrong(name, path, what))?;
        }
    }

    fn read(mut self, options: &ReadOptions) -> Result<Source, IoError> {
        let mut survey = Survey::new(options.target.clone(), Held::new(self.room));
        self.each(|row, column, cell| survey.take(row, column, &cell))?;
        let table = survey.settle(options);
        if table.rows.is_empty() || table.columns.is_empty() {
            return Err(self.malformed("its cells", "there is no table in it"));
        }
        let mut notes = Vec::new();
        if table.titles > 0 {
            notes.push(format!(
                "{} rows above the table were passed over",
                table.titles
            ));
        }
        let mut plan = self.plan(&table, options, &mut notes)?;
        let (rows, columns) = (table.rows.len(), plan.numeric.len());
        let by_row = plan.orientation == Orientation::SamplesAsRows;
        let (samples, features) = if by_row {
            (rows, columns)
        } else {
            (columns, rows)
        };
        let mut values = self.room.zeros(self.path, samples, features)?;
        values.fill(f64::NAN);
        let row_places: HashMap<u32, usize> = table.rows.iter().copied().zip(0..).collect();
        let mut errors = 0;
        let mut held = Held::new(self.room);
        held.add_bytes(8 * values.len() as u64)
            .map_err(|what| self.malformed("its cells", what))?;
        let target_row = table.target_row;
        let mut target_texts = vec![String::new(); if by_row { 0 } else { samples }];
        self.each(|row, column, cell| {
            if !by_row
                && target_row == Some(row)
                && let Some(text) = plan
                    .numeric
                    .get(&column)
                    .and_then(|&at| target_texts.get_mut(at))
            {
                *text = cell.text();
                held.add(text)?;
            }
            let Some(&at) = row_places.get(&row) else {
                return Ok(());
            };
            errors += usize::from(matches!(cell, SheetCell::Error));
            if let Some(&place) = plan.numeric.get(&column) {
                let (feature, sample) = if by_row { (place, at) } else { (at, place) };
                if let (Some(number), Some(value)) =
                    (cell.number(), values.get_mut(feature * samples + sample))
                {
                    *value = number;
                }
            }
            if let Some(text) = plan
                .texts
                .get_mut(&column)
                .and_then(|texts| texts.get_mut(at))
            {
                *text = cell.text();
                held.add(text)?;
            }
            Ok(())
        })?;
        if errors > 0 {
            notes.push(format!(
                "{errors} cells hold errors of formulas (such as #N/A) and were read as missing values"
            ));
        }
        let header = |column: u32| table.header_of(column);
        let mut ordered: Vec<(usize, u32)> = plan.numeric.iter().map(|(&c, &p)| (p, c)).collect();
        ordered.sort_unstable();
        let along: Option<Vec<String>> = table
            .has_header
            .then(|| ordered.iter().map(|&(_, column)| header(column)).collect());
        let mut annotations: Vec<Annotation> = plan
            .texts
            .into_iter()
            .map(|(column, values)| {
                let mut name = header(column);
                if Some(column) == table.target_column {
                    name = options.name_target(name, &mut notes);
                }
                Annotation { name, values }
            })
            .collect();
        if let (Some(_), Some(name), false) = (target_row, options.target.as_ref(), by_row) {
            annotations.push(Annotation {
                name: name.clone(),
                values: target_texts,
            });
        }
        let (feature_names, sample_names) = if by_row {
            (along, table.names)
        } else {
            (table.names, along)
        };
        warn_of_dates(feature_names.as_deref().unwrap_or_default(), &mut notes);
        Ok(finish(
            Source {
                feature_names_made_up: false,
                about_features: FeatureTexts::default(),
                format: "Excel workbook".to_owned(),
                orientation: plan.orientation,
                orientation_certain: plan.certain,
                matrix: Matrix {
                    samples,
                    features,
                    values,
                },
                feature_names,
                sample_names,
                annotations,
                notes,
            },
            options,
        ))
    }

    /// Decides what the columns become.
    fn plan(
        &self,
        table: &survey::SheetTable,
        options: &ReadOptions,
        notes: &mut Vec<String>,
    ) -> Result<SheetPlan, IoError> {
        let headers: Vec<String> = table.columns.keys().map(|&c| table.header_of(c)).collect();
        let (orientation, certain) = orient(table, &headers, options);
        let by_row = orientation == Orientation::SamplesAsRows;
        let target = table.target_column.filter(|_| by_row);
        let mut plan = SheetPlan {
            orientation,
            certain,
            numeric: HashMap::new(),
            texts: BTreeMap::new(),
        };
        for (&column, tally) in &table.columns {
            // Every column of texts gets room for all rows, however few of its cells are there.
            let texts = (plan.texts.len() + 1).saturating_mul(table.rows.len());
            (self.room.check_rows(texts)).map_err(|what| self.malformed("its cells", what))?;
            let name = table.header_of(column);
            if Some(column) == target {
                plan.texts
                    .insert(column, vec![String::new(); table.rows.len()]);
            } else if tally.is_numeric() {
                let place = plan.numeric.len();
                plan.numeric.insert(column, place);
            } else if let Some((row, text)) = tally.stray()
                && !(by_row && options.drop.contains(&name))
            {
                let place = format!("cell {}", cell_name((row, column)));
                let what = format!("`{}` is text in a number column", text.escape_debug());
                return Err(self.malformed(&place, what));
            } else if tally.is_empty() {
                notes.push(format!("column `{name}` was not read: it is empty"));
            } else if by_row {
                plan.texts
                    .insert(column, vec![String::new(); table.rows.len()]);
            } else {
                notes.push(format!(
                    "column `{name}` was not used: it is text about the features"
                ));
            }
        }
        if plan.numeric.is_empty() {
            return Err(self.malformed("its cells", "there is no column of numbers in it"));
        }
        Ok(plan)
    }
}

/// Which way the samples lie, and whether that is certain.
fn orient(
    table: &survey::SheetTable,
    headers: &[String],
    options: &ReadOptions,
) -> (Orientation, bool) {
    let names = table.names.as_deref().unwrap_or_default();
    if let Some(forced) = options.orientation {
        return (forced, true);
    }
    if table.target_column.is_some() {
        return (Orientation::SamplesAsRows, true);
    }
    if table.target_row.is_some()
        || options
            .target
            .as_ref()
            .is_some_and(|target| names.contains(target))
    {
        return (Orientation::FeaturesAsRows, true);
    }
    let headers = if table.has_header { headers } else { &[] };
    if let Some(known) = known_orientation(options, &[names], &[headers]) {
        return (known, true);
    }
    let numbers = table
        .columns
        .values()
        .filter(|t| !t.is_empty())
        .all(Tally::is_numeric);
    let tall = table.rows.len() > table.columns.len();
    if numbers && tall && distinct(names) && !names.is_empty() && table.has_header {
        (Orientation::FeaturesAsRows, false)
    } else {
        (Orientation::SamplesAsRows, false)
    }
}

/// Warns where names of features look like dates.
fn warn_of_dates(names: &[String], notes: &mut Vec<String>) {
    let mut dates = names.iter().filter(|name| looks_like_date(name));
    if let Some(first) = dates.next() {
        notes.push(format!(
            "{} feature names look like dates (`{first}`): Excel turns names of genes such as SEPT2 and MARCH1 into dates",
            1 + dates.count()
        ));
    }
}
