//! What is known of features beside their values.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use rfvm::{Dataset, FeatureFacts, FeatureSet, KnownFeatures};

use crate::error::{of_engine, of_reader};

/// Prices by name, how strongly they count, panels and blocks with their members, and annotation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Facts {
    prices: Vec<(String, f64)>,
    cost_prior: f64,
    panels: Vec<(String, Vec<String>)>,
    blocks: Vec<(String, Vec<String>)>,
    columns: Vec<String>,
    annotation: Vec<(String, Vec<String>)>,
}

impl Facts {
    /// The data with what is known of their features.
    pub(crate) fn attach(self, data: Dataset) -> PyResult<Dataset> {
        data.with_facts(self.into()).map_err(of_engine)
    }
}

impl From<Facts> for FeatureFacts {
    fn from(facts: Facts) -> Self {
        let sets = |sets: Vec<(String, Vec<String>)>| {
            let sets = sets.into_iter();
            sets.map(|(name, members)| FeatureSet { name, members })
                .collect()
        };
        Self {
            prices: facts.prices,
            cost_prior: facts.cost_prior,
            panels: sets(facts.panels),
            blocks: sets(facts.blocks),
            columns: facts.columns,
            annotation: facts.annotation,
        }
    }
}

/// What a user should know of how these facts and the names of features agree, a sentence each.
#[pyfunction]
pub(crate) fn notes_on_facts(facts: Facts, feature_names: Vec<String>) -> PyResult<Vec<String>> {
    let facts = FeatureFacts::from(facts);
    facts.check().map_err(of_engine)?;
    Ok(facts.notes(&rfvm::Names::from(feature_names)))
}

type Texts = (Vec<String>, Vec<(String, Vec<String>)>);

/// Prices from a file of two columns.
#[pyfunction]
pub(crate) fn read_prices(path: PathBuf) -> PyResult<Vec<(String, f64)>> {
    rfvm_io::read_prices(&path).map_err(of_reader)
}

/// Panels or blocks from a file.
#[pyfunction]
pub(crate) fn read_sets(path: PathBuf, what: &str) -> PyResult<Vec<(String, Vec<String>)>> {
    let what = match what {
        "panels" => "panels",
        _ => "blocks",
    };
    let sets = rfvm_io::read_sets(&path, what).map_err(of_reader)?;
    Ok(sets
        .into_iter()
        .map(|set| (set.name, set.members))
        .collect())
}

/// Texts about features from a file: names of the columns, and the rows.
#[pyfunction]
pub(crate) fn read_annotation(path: PathBuf) -> PyResult<Texts> {
    let texts = rfvm_io::read_annotation(&path).map_err(of_reader)?;
    Ok((texts.columns, texts.rows))
}

/// What is known of each feature, in the order of their names: columns of a table.
pub(crate) fn known(
    py: Python<'_>,
    known: &KnownFeatures,
    names: &[String],
) -> PyResult<Py<PyDict>> {
    let table = PyDict::new(py);
    let columns = known.table_columns();
    for (at, (title, _)) in columns.iter().enumerate() {
        let cells = names.iter().map(|name| -> PyResult<Py<PyAny>> {
            Ok(match known.table_cells(name).swap_remove(at) {
                rfvm::KnownCell::Price(price) => price.into_pyobject(py)?.into_any().unbind(),
                rfvm::KnownCell::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
                rfvm::KnownCell::Empty => py.None(),
            })
        });
        table.set_item(title, cells.collect::<PyResult<Vec<_>>>()?)?;
    }
    Ok(table.unbind())
}
