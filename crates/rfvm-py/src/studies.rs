//! Data without Python's help: simulated studies, and files by the readers of the command line.

use std::path::PathBuf;

use numpy::ndarray::{Array2, ShapeBuilder};
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rfvm::{Dataset, Simulation, Target};
use rfvm_io::{FeatureChoice, Orientation, ReadOptions, TargetChoice, load_dataset};

use crate::error::{of_engine, of_reader};

/// Draws a study with known truth: values in Fortran order, labels, positions of the informative features, feature
/// names, sample names.
#[pyfunction]
#[pyo3(signature = (samples, features, informative, effect, block, correlation, seed))]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    samples: usize,
    features: usize,
    informative: usize,
    effect: f64,
    block: usize,
    correlation: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let study = py.detach(|| {
        let simulation = Simulation {
            samples,
            features,
            informative,
            effect,
            block,
            correlation,
            seed,
        };
        simulation.draw()
    });
    let study = study.map_err(of_engine)?;
    let described = describe(py, &study.data)?;
    described.set_item("truth", study.truth)?;
    Ok(described)
}

/// Reads tables of any format that the command line reads.
#[pyfunction]
#[pyo3(signature = (paths, *, target=None, labels=None, positive=None, regression=false, group=None, samples=None, array=None, sheet=None))]
pub(crate) fn read_study<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    target: Option<String>,
    labels: Option<PathBuf>,
    positive: Option<Vec<String>>,
    regression: bool,
    group: Option<String>,
    samples: Option<&str>,
    array: Option<String>,
    sheet: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let orientation = match samples {
        None => None,
        Some("rows") => Some(Orientation::SamplesAsRows),
        Some("columns") => Some(Orientation::FeaturesAsRows),
        Some(other) => {
            let text = format!("samples is '{other}'; it must be rows, columns or None");
            return Err(PyValueError::new_err(text));
        }
    };
    let options = ReadOptions {
        orientation,
        array,
        sheet,
        ..ReadOptions::default()
    };
    let choice = TargetChoice {
        column: target,
        labels,
        positive,
        positive_not: None,
        regression,
        group,
    };
    let features = FeatureChoice::default();
    let loaded = py
        .detach(|| load_dataset(&paths, &options, &choice, &features))
        .map_err(of_reader)?;
    let described = describe(py, &loaded.data)?;
    described.set_item("groups", loaded.groups)?;
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
    described.set_item("feature_names", table.feature_names())?;
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
