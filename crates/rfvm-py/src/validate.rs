//! A model on labelled new samples, and its recalibration there.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rfvm::{Recalibrate, Validation};

use crate::error::of_engine;
use crate::fit::{Rows, TargetArg, labelled};
use crate::input::NumberArray;
use crate::model::{Model, gaps};

/// What `rfvm validate` is asked beside model and data.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ValidationArgs {
    threshold: f64,
    /// "intercept", "slope" or nothing.
    recalibrate: Option<String>,
    /// "integrate", "substitute" or nothing.
    missing: Option<String>,
    name: String,
    /// Where the page goes.
    page: Option<PathBuf>,
}

/// Validates a model; the text is what `rfvm validate --json` prints, and the model the recalibrated one, where that was
/// asked for.
#[pyfunction]
#[pyo3(signature = (model, x, target, *, feature_names, rows, asked))]
pub(crate) fn validate(
    py: Python<'_>,
    model: &Model,
    x: NumberArray<'_>,
    target: TargetArg,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    asked: ValidationArgs,
) -> PyResult<(String, Option<Model>)> {
    let how = match asked.recalibrate.as_deref() {
        None => None,
        Some("intercept") => Some(Recalibrate::Intercept),
        Some("slope") => Some(Recalibrate::Slope),
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "parameter recalibrate is '{other}'; it must be 'intercept' or 'slope', or None"
            )));
        }
    };
    let missing = gaps(asked.missing.as_deref())?;
    let values = x.feature_major(py)?;
    py.detach(|| {
        let data = labelled(values, feature_names, target, rows)?;
        let (name, threshold) = (&asked.name, asked.threshold);
        let validation = Validation::with_gaps(&model.0, &data, name, threshold, missing);
        let mut validation = validation.map_err(of_engine)?;
        let recalibrated = match how {
            Some(how) => {
                let found = validation.recalibrate(&model.0, &data, how);
                Some(Model(found.map_err(of_engine)?))
            }
            None => None,
        };
        if let Some(path) = &asked.page {
            let page = rfvm_report::validation_page(&validation);
            rfvm::write_atomically(path, page.as_bytes()).map_err(of_engine)?;
        }
        Ok((serde_json::json!(validation).to_string(), recalibrated))
    })
}
