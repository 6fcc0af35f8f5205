//! What an estimator is told, as parameters of the engine: by the rules of the command line, so that both agree.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rfvm::{ClassWeight, Family, Missing, Params, Scaling, Size, Start, Transform};

/// A named size or a number of features.
#[derive(FromPyObject)]
pub(crate) enum SizeSetting {
    Features(usize),
    Named(String),
}

/// `"balanced"` or the weights of the negative and the positive class.
#[derive(FromPyObject)]
pub(crate) enum WeightSetting {
    PerClass(f64, f64),
    Named(String),
}

/// A dictionary with every parameter that the engine knows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    size: Option<SizeSetting>,
    signatures: Option<usize>,
    scheme: Option<String>,
    preset: Option<String>,
    scaling: Option<String>,
    class_weight: Option<WeightSetting>,
    impute: Option<String>,
    log2: bool,
    seed: Option<u64>,
    max_iterations: Option<usize>,
    threads: Option<usize>,
}

fn wrong<T>(name: &str, value: &str, rule: &str) -> PyResult<T> {
    let text = format!("parameter {name} is '{value}'; it must be {rule}");
    Err(PyValueError::new_err(text))
}

impl Settings {
    pub(crate) fn params(&self) -> PyResult<Params> {
        let mut params = match self.preset.as_deref() {
            None => Params::default(),
            Some("paper") => Params::paper(),
            Some(other) => return wrong("preset", other, "paper or None"),
        };
        match self.scheme.as_deref() {
            None | Some("structured") => {}
            Some("folded") => params = Params::mean_field(Family::Folded),
            Some("truncated") => params = Params::mean_field(Family::Truncated),
            Some("gaussian") => params = Params::mean_field(Family::Gaussian),
            Some(other) => {
                let rule = "structured, folded, truncated, gaussian or None";
                return wrong("scheme", other, rule);
            }
        }
        params.size = self.size.as_ref().map(size).transpose()?;
        params.signatures = self.signatures.unwrap_or(1);
        params.scaling = match self.scaling.as_deref() {
            None => None,
            Some("plain") => Some(Scaling::Plain),
            Some("robust") => Some(Scaling::Robust),
            Some(other) => return wrong("scaling", other, "plain, robust or None"),
        };
        params.missing = match self.impute.as_deref() {
            None => Missing::Refuse,
            Some("median") => Missing::Median,
            Some(other) => return wrong("impute", other, "median or None"),
        };
        params.class_weight = match &self.class_weight {
            None => ClassWeight::None,
            Some(WeightSetting::PerClass(negative, positive)) => {
                ClassWeight::PerClass(*negative, *positive)
            }
            Some(WeightSetting::Named(name)) if name == "balanced" => ClassWeight::Balanced,
            Some(WeightSetting::Named(other)) => {
                return wrong("class_weight", other, "balanced, a dictionary or None");
            }
        };
        if let Some(seed) = self.seed {
            params.start = Start::Random { seed };
        }
        if let Some(limit) = self.max_iterations {
            params.stopping.max_iterations = limit;
        }
        if self.log2 {
            params.transform = Transform::Log2;
        }
        params.threads = self.threads;
        Ok(params)
    }
}

fn size(given: &SizeSetting) -> PyResult<Size> {
    match given {
        SizeSetting::Features(count) => Ok(Size::Features(*count)),
        SizeSetting::Named(name) => match name.parse() {
            Ok(size) => Ok(size),
            Err(rule) => wrong("size", name, &format!("{rule}, or None")),
        },
    }
}
