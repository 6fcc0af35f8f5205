//! Arrays of Python as the engine wants them: one copy, each feature's values side by side.

use numpy::ndarray::{ArrayView2, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Features copied together: a row's part of them is eight cache lines.
const BLOCK: usize = 64;

/// Samples by features, in any memory order.
#[derive(FromPyObject)]
pub(crate) enum NumberArray<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
    /// Values, their rows, where each column begins among them, and the number of rows (compressed sparse columns).
    Sparse(
        PyReadonlyArray1<'py, f64>,
        PyReadonlyArray1<'py, i64>,
        PyReadonlyArray1<'py, i64>,
        usize,
    ),
}

impl NumberArray<'_> {
    /// Samples and features.
    pub(crate) fn shape(&self) -> (usize, usize) {
        match self {
            Self::Double(x) => x.as_array().dim(),
            Self::Single(x) => x.as_array().dim(),
            Self::Sparse(_, _, starts, rows) => (*rows, starts.as_array().len().saturating_sub(1)),
        }
    }

    /// `values[d * samples + n]` is feature `d` of sample `n`; the interpreter may go on meanwhile.
    pub(crate) fn feature_major(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        match self {
            Self::Double(x) => {
                let x = x.as_array();
                Ok(py.detach(|| feature_major(x)))
            }
            Self::Single(x) => {
                let x = x.as_array();
                Ok(py.detach(|| feature_major(x)))
            }
            Self::Sparse(values, rows, starts, samples) => dense(
                &values.as_array().to_vec(),
                &rows.as_array().to_vec(),
                &starts.as_array().to_vec(),
                *samples,
            )
            .ok_or_else(|| PyValueError::new_err("the sparse matrix is damaged")),
        }
    }
}

fn feature_major<T: Copy + Into<f64>>(x: ArrayView2<'_, T>) -> Vec<f64> {
    let (samples, features) = x.dim();
    if x.t().is_standard_layout() {
        return x.t().iter().map(|&value| value.into()).collect();
    }
    let mut values = vec![0.0; samples * features];
    if values.is_empty() {
        return values;
    }
    let blocks = values.chunks_mut(BLOCK * samples);
    for (block, from) in blocks.zip(x.axis_chunks_iter(Axis(1), BLOCK)) {
        for (n, row) in from.rows().into_iter().enumerate() {
            for (d, &value) in row.iter().enumerate() {
                block[d * samples + n] = value.into();
            }
        }
    }
    values
}

fn dense(values: &[f64], rows: &[i64], starts: &[i64], samples: usize) -> Option<Vec<f64>> {
    let features = starts.len().checked_sub(1)?;
    let mut dense = vec![0.0; samples.checked_mul(features)?];
    for d in 0..features {
        let (from, to) = (
            usize::try_from(starts[d]).ok()?,
            usize::try_from(starts[d + 1]).ok()?,
        );
        let column = dense.get_mut(d * samples..(d + 1) * samples)?;
        for (value, &row) in values.get(from..to)?.iter().zip(rows.get(from..to)?) {
            // An entry that is there twice counts twice, as scipy has it.
            *column.get_mut(usize::try_from(row).ok()?)? += value;
        }
    }
    Some(dense)
}
