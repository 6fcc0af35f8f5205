//! The page about a model, its data and its evaluation.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rfvm::summary::ClassesSummary;
use rfvm::{ClassesEvaluation, Evaluation, Summary};

use crate::error::of_engine;
use crate::facts::Facts;
use crate::fit::{Rows, TargetArg, dataset};
use crate::input::NumberArray;
use crate::model::Model;
use crate::model_of_classes::MulticlassModel;

/// Writes the page; the file appears whole or not at all. `evaluation` is the text that `rfvm evaluate --json` prints.
#[pyfunction]
#[pyo3(signature = (model, x, target, path, *, feature_names, rows, facts, evaluation, name))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn report(
    py: Python<'_>,
    model: &Model,
    x: NumberArray<'_>,
    target: TargetArg,
    path: PathBuf,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    facts: Facts,
    evaluation: Option<String>,
    name: String,
) -> PyResult<()> {
    let values = x.feature_major(py)?;
    let evaluation: Option<Evaluation> = evaluation
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(unread)?;
    py.detach(|| {
        let data = facts.attach(dataset(values, feature_names, target, rows)?)?;
        let summary = Summary::of(&model.0, &data, evaluation.as_ref(), &name, &[]);
        let page = rfvm_report::report(&summary.map_err(of_engine)?);
        rfvm::write_atomically(&path, page.as_bytes()).map_err(of_engine)
    })
}

/// The same of a model of several classes.
#[pyfunction]
#[pyo3(signature = (model, x, target, path, *, feature_names, rows, evaluation, name))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn report_classes(
    py: Python<'_>,
    model: &MulticlassModel,
    x: NumberArray<'_>,
    target: TargetArg,
    path: PathBuf,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    evaluation: Option<String>,
    name: String,
) -> PyResult<()> {
    let values = x.feature_major(py)?;
    let evaluation: Option<ClassesEvaluation> = evaluation
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(unread)?;
    py.detach(|| {
        let data = dataset(values, feature_names, target, rows)?;
        let summary = ClassesSummary::of(&model.0, &data, evaluation.as_ref(), &name, &[]);
        let page = rfvm_report::classes_report(&summary.map_err(of_engine)?);
        rfvm::write_atomically(&path, page.as_bytes()).map_err(of_engine)
    })
}

fn unread(reason: serde_json::Error) -> PyErr {
    PyValueError::new_err(format!(
        "the evaluation is not what rfvm evaluate --json prints ({reason})"
    ))
}
