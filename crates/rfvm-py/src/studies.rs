//! Data without Python's help: simulated studies, and files by the readers of the command line.

use std::path::PathBuf;

use numpy::ndarray::{Array2, ShapeBuilder};
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rfvm::{Dataset, Simulation, Target};
use rfvm_io::{BeyondLimit, FeatureChoice, Orientation, ReadOptions, TargetChoice, load_dataset};

use crate::error::{of_engine, of_reader};

/// What to simulate.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SimulationArguments {
    samples: usize,
    features: usize,
    informative: usize,
    effect: f64,
    block: usize,
    correlation: f64,
    seed: u64,
}

/// Draws a study with known truth: its values (in Fortran order), names, labels, and where the informative features are.
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    wanted: SimulationArguments,
) -> PyResult<Bound<'py, PyDict>> {
    let simulation = Simulation {
        samples: wanted.samples,
        features: wanted.features,
        informative: wanted.informative,
        effect: wanted.effect,
        block: wanted.block,
        correlation: wanted.correlation,
        seed: wanted.seed,
    };
    let study = py.detach(|| simulation.draw()).map_err(of_engine)?;
    let described = describe(py, &study.data)?;
    described.set_item("truth", study.truth)?;
    Ok(described)
}

/// What is known of a file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Known {
    target: Option<String>,
    labels: Option<PathBuf>,
    positive: Option<Vec<String>>,
    regression: bool,
    group: Option<String>,
    samples: Option<String>,
    array: Option<String>,
    sheet: Option<String>,
    below: Option<String>,
    percent: bool,
    thousands: bool,
    drop: Vec<String>,
    max_memory: Option<u64>,
}

/// Reads tables of any format that the command line reads.
#[pyfunction]
pub(crate) fn read_study<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    known: Known,
) -> PyResult<Bound<'py, PyDict>> {
    let orientation = match known.samples.as_deref() {
        None => None,
        Some("rows") => Some(Orientation::SamplesAsRows),
        Some("columns") => Some(Orientation::FeaturesAsRows),
        Some(other) => {
            let text = format!("samples is '{other}'; it must be rows, columns or None");
            return Err(PyValueError::new_err(text));
        }
    };
    let below = match known.below.as_deref() {
        None => None,
        Some("half") => Some(BeyondLimit::Half),
        Some("limit") => Some(BeyondLimit::Limit),
        Some("missing") => Some(BeyondLimit::Missing),
        Some(other) => {
            let text = format!("below is '{other}'; it must be half, limit, missing or None");
            return Err(PyValueError::new_err(text));
        }
    };
    let options = ReadOptions {
        orientation,
        array: known.array,
        sheet: known.sheet,
        below,
        percent: known.percent,
        thousands: known.thousands,
        max_memory: known.max_memory,
        ..ReadOptions::default()
    };
    let choice = TargetChoice {
        column: known.target,
        labels: known.labels,
        positive: known.positive,
        regression: known.regression,
        group: known.group,
        ..TargetChoice::default()
    };
    let features = FeatureChoice {
        drop: known.drop,
        ..FeatureChoice::default()
    };
    let loaded = py
        .detach(|| load_dataset(&paths, &options, &choice, &features))
        .map_err(of_reader)?;
    let described = describe(py, &loaded.data)?;
    described.set_item("groups", loaded.data.groups())?;
    described.set_item("notes", loaded.notes)?;
    Ok(described)
}

fn describe<'py>(py: Python<'py>, data: &Dataset) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let table = data.table();
    let values: Vec<f64> = (0..table.features())
        .flat_map(|d| table.feature(d))
        .copied()
        .collect();
    let shape = (table.samples(), table.features());
    let array: Bound<'py, PyArray2<f64>> = Array2::from_shape_vec(shape.f(), values)
        .map_err(|error| PyValueError::new_err(error.to_string()))?
        .into_pyarray(py);
    described.set_item("x", array)?;
    described.set_item("feature_names", table.feature_names().to_vec())?;
    described.set_item("sample_names", table.sample_names())?;
    match data.target() {
        Target::Classes { names, labels } => {
            described.set_item("classes", names)?;
            described.set_item("labels", labels)?;
        }
        Target::Values(values) => described.set_item("values", values)?,
    }
    Ok(described)
}
