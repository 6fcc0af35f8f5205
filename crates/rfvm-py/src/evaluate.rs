//! What a fit is worth on samples it has not seen.

use std::sync::Mutex;

use pyo3::prelude::*;
use rfvm::leakage::telling_features;
use rfvm::{Folds, Iteration};

use crate::error::of_engine;
use crate::facts::Facts;
use crate::fit::{Asked, Rows, TargetArg, has_several};
use crate::input::NumberArray;
use crate::settings::Settings;
use crate::watch::watched;

/// How samples are dealt to folds.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Dealing {
    /// The class of each sample, by which the folds are stratified.
    strata: Vec<usize>,
    folds: usize,
    repeats: usize,
    seed: u64,
}

/// Cross-validates; the text is what `rfvm evaluate --json` prints of the same data and folds. None where the callback
/// ended it.
#[pyfunction]
#[pyo3(signature = (x, target, settings, *, feature_names, rows, facts, dealing, callback))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn evaluate(
    py: Python<'_>,
    x: NumberArray<'_>,
    target: TargetArg,
    settings: Settings,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    facts: Facts,
    dealing: Dealing,
    callback: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let asked = Asked::new(py, &x, target, &settings, feature_names, (rows, facts))?;
    watched(py, callback, move |see| -> PyResult<_> {
        let (params, data) = asked.checked()?;
        let (strata, groups) = (&dealing.strata, data.groups());
        let folds = Folds::stratified(strata, groups, dealing.folds, dealing.repeats, dealing.seed);
        // Folds end on many threads, and one callback hears of them.
        let see = Mutex::new(see);
        let on_fold = |done: usize, of: usize| {
            let mut see = see.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            see(&Iteration::step(done, of))
        };
        let folds = folds.map_err(of_engine)?;
        if has_several(&data) {
            let evaluation = params.evaluate_classes(&data, &folds, on_fold);
            return Ok(evaluation.map_err(of_engine)?.map(|mut evaluation| {
                evaluation.provenance.warnings = telling_features(&data);
                serde_json::json!(evaluation).to_string()
            }));
        }
        let evaluation = params.evaluate(&data, &folds, on_fold).map_err(of_engine)?;
        Ok(evaluation.map(|mut evaluation| {
            evaluation.provenance.warnings = telling_features(&data);
            serde_json::json!(evaluation).to_string()
        }))
    })?
}
