//! Sparse matrices in HDF5 files, row by row or column by column, made dense.

use std::path::Path;

use crate::error::IoError;
use crate::hdf::Hdf;
use crate::matrix::Matrix;

/// How many values are read at a time.
const STEP: usize = 1 << 18;

/// Where the parts of a sparse matrix lie and what size it has.
pub(crate) struct Sparse<'a> {
    /// The group they are in.
    pub(crate) place: &'a str,
    /// The names of the values, of their places along a line, and of the starts of the lines.
    pub(crate) parts: [&'a str; 3],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Whether the lines are rows.
    pub(crate) by_row: bool,
}

impl Sparse<'_> {
    /// Reads the first `most` columns as a matrix whose samples are the rows.
    pub(crate) fn read(
        &self,
        path: &Path,
        hdf: &Hdf<'_>,
        most: Option<usize>,
    ) -> Result<Matrix, IoError> {
        let [data, indices, starts] = self.parts.map(|part| format!("{}/{part}", self.place));
        let wrong = |what: String| hdf.malformed(self.place, what);
        let (lines, across) = if self.by_row {
            (self.rows, self.columns)
        } else {
            (self.columns, self.rows)
        };
        let ends = hdf.numbers(&starts, &hdf.dataset(&starts)?)?;
        if lines.checked_add(1) != Some(ends.len()) {
            return Err(wrong(format!(
                "it has {} starts for {lines} lines",
                ends.len()
            )));
        }
        let data_set = hdf.dataset(&data)?;
        let index_set = hdf.dataset(&indices)?;
        let count: usize = hdf.shape(&data, &data_set)?.iter().product();
        let index_count: usize = hdf.shape(&indices, &index_set)?.iter().product();
        let rise = ends.is_sorted() && ends.first() == Some(&0.0);
        if !rise || ends.last() != Some(&(count as f64)) || index_count != count {
            return Err(wrong(format!(
                "the starts of its lines do not rise from 0 to the number of its values, which is {count} (and {index_count} places)"
            )));
        }
        let samples = self.rows;
        let features = most.map_or(self.columns, |most| most.min(self.columns));
        let mut values = hdf.room.zeros(path, samples, features)?;

        // Values and places are read side by side.
        let mut line = 0;
        let mut taken = 0;
        let mut first = 0;
        while first < count {
            let size = STEP.min(count - first);
            let numbers = hdf.window(&data, &data_set, first, size)?;
            let places = hdf.window(&indices, &index_set, first, size)?;
            for (&number, &place) in numbers.iter().zip(&places) {
                while ends.get(line + 1).is_some_and(|&end| taken as f64 >= end) {
                    line += 1;
                }
                taken += 1;
                if !(0.0..across as f64).contains(&place) {
                    return Err(wrong(format!(
                        "it has a value at place {place} of line {line}, which has {across} places"
                    )));
                }
                let place = place as usize;
                let (row, column) = if self.by_row {
                    (line, place)
                } else {
                    (place, line)
                };
                if column < features
                    && let Some(value) = values.get_mut(column * samples + row)
                {
                    *value += number;
                }
            }
            first += size;
        }
        Ok(Matrix {
            samples,
            features,
            values,
        })
    }
}
