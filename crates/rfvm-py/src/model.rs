//! A fitted model and what it is made of.

use std::path::PathBuf;

use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use rfvm::{Expected, FilledPredictions, Gaps, Names, Prediction, StopReason, Table};
use rfvm_report::ExportFormat;

use crate::error::of_engine;
use crate::input::NumberArray;
use crate::watch::Iteration;

/// A selected feature: name, weight and its standard deviation, relevance.
#[pyclass(frozen, get_all, module = "rfvm._core")]
pub(crate) struct Feature {
    name: String,
    weight: f64,
    sd: f64,
    relevance: f64,
}

/// A sample that defines a model, with its coefficient.
#[pyclass(frozen, get_all, module = "rfvm._core")]
pub(crate) struct Vector {
    sample: String,
    coefficient: f64,
}

/// One signature: its features and relevance vectors, largest first.
#[pyclass(frozen, module = "rfvm._core")]
pub(crate) struct Signature(pub(crate) rfvm::Signature);

#[pymethods]
impl Signature {
    /// The selected features, largest weight first.
    #[getter]
    fn features(&self) -> Vec<Feature> {
        let features = self.0.features().iter();
        features
            .map(|feature| Feature {
                name: feature.name.clone(),
                weight: feature.weight,
                sd: feature.sd,
                relevance: feature.relevance,
            })
            .collect()
    }

    /// The relevance vectors, largest coefficient first.
    #[getter]
    fn vectors(&self) -> Vec<Vector> {
        let vectors = self.0.vectors().iter();
        vectors
            .map(|vector| Vector {
                sample: vector.sample.clone(),
                coefficient: vector.coefficient,
            })
            .collect()
    }

    /// Every iteration; a model read from a file keeps at most 500.
    #[getter]
    fn trace(&self) -> Vec<Iteration> {
        self.0.trace().iter().map(Iteration::traced).collect()
    }

    /// The bound after the last iteration.
    #[getter]
    fn bound(&self) -> Option<f64> {
        self.0.bound()
    }

    /// Log Bayes factor against the base rate.
    #[getter]
    fn evidence(&self) -> Option<f64> {
        self.0.evidence()
    }

    /// Mean of the bias.
    #[getter]
    fn bias(&self) -> f64 {
        self.0.bias().0
    }

    /// Why the fit ended.
    #[getter]
    fn stop_reason(&self) -> &'static str {
        match self.0.stop_reason() {
            StopReason::Converged => "converged",
            StopReason::IterationLimit => "iteration_limit",
            StopReason::Interrupted => "interrupted",
            StopReason::NoSignal => "no_signal",
            StopReason::Breakdown => "breakdown",
        }
    }
}

/// A fitted model of the engine, immutable. It pickles as the text of its model file.
#[pyclass(frozen, module = "rfvm._core")]
pub(crate) struct Model(pub(crate) rfvm::Model);

type Predicted<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
);

/// Loss, its standard error, the base rate's loss, the standard error of the gain.
pub(crate) type Costs = (f64, f64, f64, f64);

pub(crate) fn costs(expected: Expected) -> Costs {
    (expected.loss, expected.se, expected.base, expected.gain_se)
}

impl Model {
    /// Rows of the features that a prediction needs, in that order, and where gaps may be filled of their stand-ins.
    fn table(&self, py: Python<'_>, x: &NumberArray<'_>, gaps: Gaps) -> PyResult<Table> {
        let (samples, _) = x.shape();
        let mut names = self.0.needed_features();
        let mut values = x.feature_major(py)?;
        if names.is_empty() {
            // The base rate needs no feature, and a table needs one.
            names.push(String::new());
            values = vec![0.0; samples];
        } else if gaps != Gaps::Refuse {
            names.extend(self.0.stand_ins());
        }
        let samples = Names::numbered('s', samples).to_vec();
        py.detach(|| Table::with_missing(values, names, samples))
            .map_err(of_engine)
    }

    fn said(
        &self,
        py: Python<'_>,
        x: &NumberArray<'_>,
        missing: Option<&str>,
    ) -> PyResult<FilledPredictions> {
        let gaps = gaps(missing)?;
        let table = self.table(py, x, gaps)?;
        py.detach(|| self.0.predict_with(&table, gaps))
            .map_err(of_engine)
    }
}

#[pymethods]
impl Model {
    /// Names of the negative and the positive class; empty in a regression.
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

    /// What its features cost, each panel once; None where nothing has a price.
    #[getter]
    fn cost(&self) -> Option<f64> {
        self.0.cost()
    }

    /// What is known of some features beside the data, as columns of a table in their order.
    fn known(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Py<PyDict>> {
        crate::facts::known(py, self.0.known(), &names)
    }

    /// Slope and intercept of Platt's correction of the moderated scores; 1 and 0 where there is none.
    #[getter]
    fn correction(&self) -> (f64, f64) {
        let correction = self.0.correction();
        (correction.slope, correction.intercept)
    }

    /// How much of what the full model tells it keeps; only a projected model knows.
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

    /// The signatures, best first.
    #[getter]
    fn signatures(&self) -> Vec<Signature> {
        let signatures = self.0.signatures().iter().cloned();
        signatures.map(Signature).collect()
    }

    /// Whether names of features and of samples are made up and say where these stand; None in files of older versions.
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

    /// Names of the features outside of the model that stand in for those a sample lacks.
    #[getter]
    fn stand_ins(&self) -> Vec<String> {
        self.0.stand_ins()
    }

    /// Mean and variance of the latent score, and the probability of the positive class, of every row. Where something is to be
    /// done about missing values, the columns of the stand-ins follow those of the features.
    #[pyo3(signature = (x, missing=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: NumberArray<'_>,
        missing: Option<&str>,
    ) -> PyResult<Predicted<'py>> {
        let predictions = self.said(py, &x, missing)?.predictions;
        let array = |of: &dyn Fn(&Prediction) -> f64| {
            predictions
                .iter()
                .map(of)
                .collect::<Vec<_>>()
                .to_pyarray(py)
        };
        let probability: Option<Vec<f64>> = predictions.iter().map(|p| p.probability).collect();
        Ok((
            array(&|p| p.mean),
            array(&|p| p.variance),
            probability.map(|probability| probability.to_pyarray(py)),
        ))
    }

    /// What every feature adds to the score of every row: as `rfvm predict --explain --json` prints it, a list a row.
    fn explain(&self, py: Python<'_>, x: NumberArray<'_>) -> PyResult<String> {
        let table = self.table(py, &x, Gaps::Refuse)?;
        let explained = py.detach(|| self.0.explain(&table)).map_err(of_engine)?;
        let parts = explained.iter().map(|row| &row.contributions);
        Ok(serde_json::json!(parts.collect::<Vec<_>>()).to_string())
    }

    /// Ends of the interval of the probability, and whether it holds both classes, of every row; None in a regression.
    fn intervals(
        &self,
        py: Python<'_>,
        x: NumberArray<'_>,
        level: f64,
        missing: Option<&str>,
    ) -> PyResult<Option<Vec<(f64, f64, bool)>>> {
        let predictions = self.said(py, &x, missing)?.predictions;
        let one = |p: &Prediction| {
            let [low, high] = p.interval(level)?;
            Some((low, high, p.abstains(level)?))
        };
        Ok(predictions.iter().map(one).collect())
    }

    /// The score as text, latex, points, pmml or html.
    fn export(&self, format: &str) -> PyResult<String> {
        let known = ExportFormat::ALL.into_iter();
        let Some(format) = known.into_iter().find(|known| known.name() == format) else {
            let names = ExportFormat::ALL.map(ExportFormat::name).join("', '");
            return Err(PyValueError::new_err(format!(
                "format is '{format}'; it must be one of '{names}'"
            )));
        };
        rfvm_report::export(&self.0, format, None).map_err(of_engine)
    }

    /// What every row lacks and was integrated over, with the stand-in where there was one.
    fn filled(
        &self,
        py: Python<'_>,
        x: NumberArray<'_>,
        missing: Option<&str>,
    ) -> PyResult<Vec<Vec<String>>> {
        let said = self.said(py, &x, missing)?;
        let row = |n: usize| said.filled(n).iter().map(ToString::to_string).collect();
        Ok((0..said.predictions.len()).map(row).collect())
    }

    /// The text of a model file, the same that the command line writes.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// A model from the text of its file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let model = rfvm::Model::from_json(text.as_bytes());
        model.map(Self).map_err(PyValueError::new_err)
    }

    /// Writes a model file; it appears whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_engine)
    }

    /// Reads a model file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        rfvm::Model::load(path).map(Self).map_err(of_engine)
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
            "<Model of {} features and {} relevance vectors>",
            self.0.feature_count(),
            self.0.vector_count()
        )
    }
}

/// What is done about missing values, by its name.
pub(crate) fn gaps(missing: Option<&str>) -> PyResult<Gaps> {
    let Some(name) = missing else {
        return Ok(Gaps::Refuse);
    };
    name.parse().map_err(|rule| {
        PyValueError::new_err(format!(
            "parameter missing is '{name}'; it must be {rule}, or None"
        ))
    })
}
