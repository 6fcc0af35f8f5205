//! A fitted model of several classes.

use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use rfvm::{ClassPrediction, Names, Table};

use crate::error::of_engine;
use crate::input::NumberArray;
use crate::model::{Costs, Signature, costs};

/// A fitted model of more than two classes, immutable: one panel of features, a signature for each class against the rest. It
/// pickles as the text of its model file.
#[pyclass(frozen, module = "rfvm._core")]
pub(crate) struct MulticlassModel(pub(crate) rfvm::MulticlassModel);

type Predicted<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
);

#[pymethods]
impl MulticlassModel {
    /// Names of the classes.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.classes().to_vec()
    }

    /// Number of features of the training data.
    #[getter]
    fn features_in(&self) -> usize {
        self.0.training().features
    }

    /// Number of training rows.
    #[getter]
    fn samples_in(&self) -> usize {
        self.0.training().samples
    }

    /// How missing values are filled in; None where they are refused.
    #[getter]
    fn imputes(&self) -> Option<&'static str> {
        self.0.parameters().preprocessing.missing.name()
    }

    /// What its panel costs, features that are bought together once; None where nothing has a price.
    #[getter]
    fn cost(&self) -> Option<f64> {
        self.0.cost()
    }

    /// What is known of some features beside the data, as columns of a table in their order.
    fn known(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Py<PyDict>> {
        crate::facts::known(py, self.0.known(), &names)
    }

    /// Slope of the correction of the moderated scores, and the intercept of every class.
    #[getter]
    fn correction(&self) -> (f64, Vec<f64>) {
        let correction = self.0.correction();
        (correction.slope, correction.intercepts)
    }

    /// How much of what the full model tells it keeps.
    #[getter]
    fn share(&self) -> Option<f64> {
        self.0.share()
    }

    /// Expected loss on new samples, its standard error, the base rate's loss, the standard error of the gain.
    #[getter]
    fn expected(&self) -> Option<Costs> {
        self.0.expected().map(costs)
    }

    /// The same of the full model.
    #[getter]
    fn full(&self) -> Option<Costs> {
        self.0.full().map(costs)
    }

    /// Whether there was anything to find: signal, weak or nothing. None where that is not known.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.0.judgement().map(|found| found.verdict.name())
    }

    /// What in its data may make it look better than it is, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.0.training().provenance.warnings.iter();
        warnings.map(|warning| warning.message.clone()).collect()
    }

    /// The signature of every class against the rest.
    #[getter]
    fn signatures(&self) -> Vec<Signature> {
        let signatures = self.0.signatures().iter().cloned();
        signatures.map(Signature).collect()
    }

    /// Whether names of features and of samples are made up and say where these stand.
    #[getter]
    fn made_up_names(&self) -> Option<(bool, bool)> {
        let names = self.0.training().made_up_names;
        names.map(|names| (names.features, names.samples))
    }

    /// Names of the features that a prediction needs, in the order in which `predict` takes them.
    #[getter]
    fn needed_features(&self) -> Vec<String> {
        self.0.needed_features()
    }

    /// Means and variances of the latent scores, and probabilities: rows by classes.
    fn predict<'py>(&self, py: Python<'py>, x: NumberArray<'_>) -> PyResult<Predicted<'py>> {
        let (samples, _) = x.shape();
        let mut names = self.0.needed_features();
        let mut values = x.feature_major(py)?;
        if names.is_empty() {
            // The base rate needs no feature, and a table needs one.
            names.push(String::new());
            values = vec![0.0; samples];
        }
        let said = py.detach(|| {
            let samples = Names::numbered('s', samples).to_vec();
            let table = Table::with_missing(values, names, samples)?;
            self.0.predict(&table)
        });
        let said = said.map_err(of_engine)?;
        let classes = self.0.classes().len();
        let array = |of: &dyn Fn(&ClassPrediction, usize) -> f64| {
            Array2::from_shape_fn((said.len(), classes), |(n, class)| of(&said[n], class))
                .to_pyarray(py)
        };
        Ok((
            array(&|said, class| said.scores[class].0),
            array(&|said, class| said.scores[class].1),
            array(&|said, class| said.probability[class]),
        ))
    }

    /// The text of a model file, the same that the command line writes.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// A model from the text of its file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let model = rfvm::MulticlassModel::from_json(text.as_bytes());
        model.map(Self).map_err(PyValueError::new_err)
    }

    /// Writes a model file; it appears whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_engine)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class = PyType::new::<Self>(py);
        let text = PyBytes::new(py, self.0.to_json().as_bytes());
        Ok((class.getattr("from_json")?, (text,)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<MulticlassModel of {} classes, {} features and {} relevance vectors>",
            self.0.classes().len(),
            self.0.feature_count(),
            self.0.vector_count()
        )
    }
}

/// A model of any kind.
#[derive(IntoPyObject)]
pub(crate) enum AnyModel {
    Single(crate::model::Model),
    Several(MulticlassModel),
}

impl From<rfvm::AnyModel> for AnyModel {
    fn from(model: rfvm::AnyModel) -> Self {
        match model {
            rfvm::AnyModel::Single(model) => Self::Single(crate::model::Model(model)),
            rfvm::AnyModel::Several(model) => Self::Several(MulticlassModel(model)),
        }
    }
}

/// A model of any kind from the text of its file.
#[pyfunction]
pub(crate) fn read_model(text: &Bound<'_, PyBytes>) -> PyResult<AnyModel> {
    let model = rfvm::AnyModel::from_json(text.as_bytes());
    model.map(AnyModel::from).map_err(PyValueError::new_err)
}
