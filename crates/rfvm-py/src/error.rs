//! The engine's errors as Python's: a file is an `OSError`, a user's mistake a `ValueError`.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};

pub(crate) fn of_engine(error: rfvm::Error) -> PyErr {
    let text = error.to_string();
    match error {
        // From the system's own error, so that Python gets FileNotFoundError and its relatives.
        rfvm::Error::File { path, source } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, reason(&source), path)),
            None => PyOSError::new_err(text),
        },
        rfvm::Error::Threads { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// The system's reason without the number that Python adds itself.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_string()
}

pub(crate) fn of_reader(error: rfvm_io::IoError) -> PyErr {
    match error.path().exists() {
        true => PyValueError::new_err(error.to_string()),
        false => pyo3::exceptions::PyFileNotFoundError::new_err(error.to_string()),
    }
}
