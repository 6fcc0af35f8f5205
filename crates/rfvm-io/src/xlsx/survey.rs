//! What the rows and columns of a sheet hold, found out before the matrix is filled.

use std::collections::BTreeMap;

use super::cell::SheetCell;
use crate::common::distinct;
use crate::room::{Held, NAMED};
use crate::source::{ReadOptions, column_at};

/// The most rows of a title above the table.
const MAX_TITLES: usize = 10;

/// How many cells of each kind a column has.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    numbers: usize,
    texts: usize,
    truths: usize,
    dates: usize,
    /// The first text: its row, and what it says.
    first_text: Option<(u32, String)>,
}

impl Tally {
    fn add(&mut self, row: u32, cell: &SheetCell<'_>) {
        match cell {
            SheetCell::Number(_) => self.numbers += 1,
            SheetCell::Truth(_) => self.truths += 1,
            SheetCell::Date(_) => self.dates += 1,
            SheetCell::Text(text) => {
                self.texts += 1;
                self.first_text
                    .get_or_insert_with(|| (row, (*text).to_owned()));
            }
            SheetCell::Error | SheetCell::Missing => {}
        }
    }

    pub(super) fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.texts + self.truths + self.dates == 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers + self.texts + self.truths + self.dates == 0
    }

    /// The text that stands among numbers, where texts are so few that they are mistakes.
    pub(super) fn stray(&self) -> Option<(u32, &str)> {
        let text = self
            .first_text
            .as_ref()
            .filter(|_| self.numbers > 9 * self.texts)?;
        Some((text.0, &text.1))
    }
}

/// Looks at all cells, as they come row by row.
pub(super) struct Survey {
    /// Rows above the table.
    titles: usize,
    target: Option<String>,
    first_row: Option<u32>,
    /// The first row that is not empty.
    top: BTreeMap<u32, (String, bool)>,
    /// The first column that is not empty, and its texts by row.
    left: Option<u32>,
    side: BTreeMap<u32, (String, bool)>,
    rows: Vec<u32>,
    columns: BTreeMap<u32, Tally>,
    target_row: Option<u32>,
    /// What its texts take.
    held: Held,
}

/// What was found.
pub(super) struct SheetTable {
    pub(super) has_header: bool,
    pub(super) names: Option<Vec<String>>,
    /// The rows of the table, without header and target.
    pub(super) rows: Vec<u32>,
    /// Its columns, without that of the names.
    pub(super) columns: BTreeMap<u32, Tally>,
    /// How many rows above the table were passed over.
    pub(super) titles: usize,
    /// The column that is the target by its name or its position.
    pub(super) target_column: Option<u32>,
    /// The row that is named as the target.
    pub(super) target_row: Option<u32>,
    header: BTreeMap<u32, (String, bool)>,
}

impl SheetTable {
    /// The name of a column, or a number where it has none.
    pub(super) fn header_of(&self, column: u32) -> String {
        match self.header.get(&column) {
            Some((name, _)) if self.has_header && !name.is_empty() => name.clone(),
            _ => format!("column {}", column + 1),
        }
    }
}

impl Survey {
    pub(super) fn new(target: Option<String>, held: Held) -> Self {
        Self {
            titles: 0,
            target,
            first_row: None,
            top: BTreeMap::new(),
            left: None,
            side: BTreeMap::new(),
            rows: Vec::new(),
            columns: BTreeMap::new(),
            target_row: None,
            held,
        }
    }

    /// Takes a cell; they must come row by row.
    pub(super) fn take(
        &mut self,
        row: u32,
        column: u32,
        cell: &SheetCell<'_>,
    ) -> Result<(), String> {
        let mut first = *self.first_row.get_or_insert(row);
        let is_number = matches!(cell, SheetCell::Number(_));
        // A title above the table stands alone, and not to the right of where the rows below it begin.
        if row > first
            && self.rows.is_empty()
            && self.top.len() == 1
            && self.top.keys().all(|&title| title <= column)
            && self.titles < MAX_TITLES
        {
            self.top.clear();
            self.titles += 1;
            self.first_row = Some(row);
            first = row;
        }
        if row == first {
            let text = cell.text();
            self.held.add_bytes(NAMED + text.len() as u64)?;
            self.top.insert(column, (text, is_number));
            return Ok(());
        }
        match self.rows.last() {
            Some(&last) if last == row => {}
            Some(&last) if last > row => {
                return Err(format!("row {} comes after row {}", row + 1, last + 1));
            }
            _ if row < first => return Err(format!("row {} comes too late", row + 1)),
            _ => self.rows.push(row),
        }
        let begin = self
            .top
            .keys()
            .next()
            .map_or(column, |&top| top.min(column));
        let left = match self.left {
            Some(left) if left <= column => left,
            // The rows so far had no name.
            _ => {
                self.side.clear();
                begin
            }
        };
        self.left = Some(left);
        if column == left {
            let text = cell.text();
            self.held.add_bytes(NAMED + text.len() as u64)?;
            if self.target.as_ref() == Some(&text) && !is_number {
                self.target_row = Some(row);
            }
            self.side.insert(row, (text, is_number));
        }
        if self.target_row != Some(row) || column == left {
            let tally = self.columns.entry(column).or_default();
            if tally.first_text.is_none()
                && let SheetCell::Text(text) = cell
            {
                self.held.add(text)?;
            }
            tally.add(row, cell);
        }
        Ok(())
    }

    /// Decides about header and names.
    pub(super) fn settle(mut self, options: &ReadOptions) -> SheetTable {
        let left = self.left.unwrap_or(0);
        let others = || self.top.iter().filter(|&(&column, _)| column != left);
        let has_header = options
            .header
            .unwrap_or_else(|| others().count() > 0 && others().all(|(_, (_, number))| !number));
        if !has_header && let Some(first) = self.first_row {
            self.rows.insert(0, first);
            for (&column, (text, number)) in &self.top {
                let cell = match text.parse() {
                    Ok(value) if *number => SheetCell::Number(value),
                    _ if text.is_empty() => SheetCell::Missing,
                    _ => SheetCell::Text(text),
                };
                self.columns.entry(column).or_default().add(first, &cell);
                if column == left {
                    self.side.insert(first, (text.clone(), *number));
                }
            }
        }
        let side: Vec<String> = self
            .rows
            .iter()
            .map(|row| self.side.get(row).map_or_else(String::new, |s| s.0.clone()))
            .collect();
        let corner = self.top.get(&left).map_or("", |corner| corner.0.as_str());
        let target_column = options.target.as_deref().and_then(|target| {
            let named = self.top.iter().find(|(_, (name, _))| name == target);
            let width = self.columns.keys().chain(self.top.keys()).max()? + 1;
            let at = || u32::try_from(column_at(target, width as usize)?).ok();
            named
                .filter(|_| has_header)
                .map(|(&column, _)| column)
                .or_else(at)
        });
        let is_target = target_column == Some(left);
        let texts = self.side.values().all(|(_, number)| !number);
        let by_itself = distinct(&side) && (texts || has_header && corner.is_empty());
        let has_names = options.row_names.unwrap_or(by_itself) && !is_target;
        let target_row = self.target_row.filter(|_| has_names);
        let keep = |row: &u32| Some(*row) != target_row;
        let names = has_names.then(|| {
            let rows = self.rows.iter().zip(side);
            rows.filter(|(row, _)| keep(row))
                .map(|(_, name)| name)
                .collect()
        });
        let mut rows = self.rows;
        rows.retain(keep);
        let mut columns = self.columns;
        if has_header {
            for &column in self.top.keys() {
                columns.entry(column).or_default();
            }
        }
        if has_names {
            columns.remove(&left);
        }
        SheetTable {
            has_header,
            names,
            rows,
            titles: self.titles,
            target_column: target_column.filter(|column| columns.contains_key(column)),
            target_row,
            columns,
            header: self.top,
        }
    }
}
