//! The engine's errors as Python's: a file is an `OSError`, a user's mistake a `ValueError`.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyRuntimeError, PyValueError};

pub(crate) fn of_engine(error: rfvm::Error) -> PyErr {
    let text = error.to_string();
    match error {
        // By its kind Python knows FileNotFoundError and its relatives.
        rfvm::Error::File { source, .. } => std::io::Error::new(source.kind(), text).into(),
        rfvm::Error::Threads { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

pub(crate) fn of_reader(error: rfvm_io::IoError) -> PyErr {
    match error.path().exists() {
        true => PyValueError::new_err(error.to_string()),
        false => PyFileNotFoundError::new_err(error.to_string()),
    }
}
