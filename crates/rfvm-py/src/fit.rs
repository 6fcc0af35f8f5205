//! From arrays to a model.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rfvm::{Dataset, Method, Names, Path, Size, Table, Target, Verdict};

use crate::error::of_engine;
use crate::input::Numbers;
use crate::model::Model;
use crate::settings::Settings;
use crate::watch::watched;

/// Names of the negative and the positive class with a label per sample, or the numbers of a regression.
#[derive(FromPyObject)]
pub(crate) enum TargetArg {
    Classes(Vec<String>, Vec<usize>),
    Values(Vec<f64>),
}

/// What is known of the samples beside their values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Rows {
    names: Option<Vec<String>>,
    weight: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
}

/// Fits a model; the interpreter's lock is released meanwhile.
///
/// Returns the model and, for a size, the path it is a point of.
#[pyfunction]
#[pyo3(signature = (x, target, settings, *, feature_names, rows, callback))]
pub(crate) fn fit(
    py: Python<'_>,
    x: Numbers<'_>,
    target: TargetArg,
    settings: Settings,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Model, Option<Py<PyDict>>)> {
    let params = settings.params()?.check().map_err(of_engine)?;
    let class_weight = settings.class_weight()?;
    let values = x.feature_major(py)?;
    let fitted = watched(py, callback, move |see| -> PyResult<_> {
        let data = dataset(values, feature_names, target, rows)?;
        let data = data.with_class_weight(class_weight).map_err(of_engine)?;
        let Method::Projected(projected) = params.get().method else {
            let model = params.fit_with(data, see).map_err(of_engine)?;
            return Ok((model, None));
        };
        let path = params.path(data, see).map_err(of_engine)?;
        Ok((path.clone().into_model(projected.size), Some(path)))
    });
    let (model, path) = fitted??;
    let path = path.map(|path| describe(py, &path)).transpose()?;
    Ok((Model(model), path))
}

pub(crate) fn dataset(
    values: Vec<f64>,
    feature_names: Option<Vec<String>>,
    target: TargetArg,
    rows: Rows,
) -> PyResult<Dataset> {
    let samples = match &target {
        TargetArg::Classes(_, labels) => labels.len(),
        TargetArg::Values(values) => values.len(),
    };
    let features = values.len().checked_div(samples).unwrap_or(0);
    let feature_names = feature_names.map_or_else(|| Names::numbered('f', features), Names::from);
    let names = rows
        .names
        .unwrap_or_else(|| Names::numbered('s', samples).to_vec());
    let fits = |count: usize| count == samples;
    let counts_fit = fits(names.len())
        && rows.weight.as_ref().is_none_or(|weight| fits(weight.len()))
        && rows.groups.as_ref().is_none_or(|groups| fits(groups.len()))
        && values.len() == samples * feature_names.len();
    if !counts_fit {
        return Err(PyValueError::new_err(
            "names, weights, groups and target must have one entry per sample",
        ));
    }
    let target = match target {
        TargetArg::Values(target) => Target::Values(target),
        TargetArg::Classes(names, labels) => Target::Classes { names, labels },
    };
    let table = Table::with_missing(values, feature_names, names).map_err(of_engine)?;
    let mut data = Dataset::new(table, target).map_err(of_engine)?;
    if let Some(weight) = rows.weight {
        data = data.with_sample_weight(weight).map_err(of_engine)?;
    }
    if let Some(groups) = rows.groups {
        data = data.with_groups(groups).map_err(of_engine)?;
    }
    Ok(data)
}

/// The path as plain values: a list per column, and what is said of the whole.
fn describe(py: Python<'_>, path: &Path) -> PyResult<Py<PyDict>> {
    let points = path.points();
    let named = [
        (Size::Compact, "compact"),
        (Size::Balanced, "balanced"),
        (Size::Accurate, "accurate"),
    ];
    let chosen: Vec<String> = (0..points.len())
        .map(|i| {
            let here = named.iter().filter(|(size, _)| path.position(*size) == i);
            here.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
        })
        .collect();
    let signature = |i: usize| &points[i].model.signatures()[0];
    let described = PyDict::new(py);
    let column = |name: &str, of: &dyn Fn(usize) -> Option<f64>| {
        described.set_item(name, (0..points.len()).map(of).collect::<Vec<_>>())
    };
    let sizes: Vec<usize> = points.iter().map(|p| p.model.feature_count()).collect();
    let vectors: Vec<usize> = points.iter().map(|p| p.model.vector_count()).collect();
    described.set_item("size", sizes)?;
    described.set_item("vectors", vectors)?;
    column("bound", &|i| signature(i).bound())?;
    column("loss", &|i| Some(points[i].expected.loss))?;
    column("se", &|i| Some(points[i].expected.se))?;
    column("behind", &|i| Some(points[i].behind.0))?;
    column("behind_se", &|i| Some(points[i].behind.1))?;
    column("precision", &|i| Some(points[i].precision))?;
    described.set_item("chosen_as", chosen)?;
    let names = |i: usize| -> Vec<String> { points[i].model.needed_features() };
    described.set_item("features", (0..points.len()).map(names).collect::<Vec<_>>())?;
    let verdict = match path.verdict() {
        Verdict::Signal => "signal",
        Verdict::Weak => "weak",
        Verdict::Nothing => "nothing",
    };
    described.set_item("verdict", verdict)?;
    described.set_item("base_loss", points.first().map(|point| point.expected.base))?;
    Ok(described.unbind())
}
