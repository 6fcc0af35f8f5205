//! What an estimator is told, as parameters of the engine: by the rules of the command line, so that both agree.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rfvm::{
    ClassWeight, Family, MeanField, Missing, Params, Scaling, Signatures, Size, Start, Transform,
};

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
    method: String,
    size: Option<SizeSetting>,
    share: Option<f64>,
    signatures: Option<usize>,
    family: Option<String>,
    start_seed: Option<u64>,
    max_iterations: Option<usize>,
    scaling: Option<String>,
    class_weight: Option<WeightSetting>,
    impute: Option<String>,
    log2: bool,
    threads: Option<usize>,
}

fn wrong<T>(name: &str, value: &str, rule: &str) -> PyResult<T> {
    let text = format!("parameter {name} is '{value}'; it must be {rule}");
    Err(PyValueError::new_err(text))
}

impl Settings {
    pub(crate) fn params(&self) -> PyResult<Params> {
        let mut params = self.method()?;
        let preprocessing = &mut params.preprocessing;
        match self.scaling.as_deref() {
            None => {}
            Some("plain") => preprocessing.scaling = Scaling::Plain,
            Some("robust") => preprocessing.scaling = Scaling::Robust,
            Some(other) => return wrong("scaling", other, "plain, robust or None"),
        }
        preprocessing.missing = match self.impute.as_deref() {
            None => Missing::Refuse,
            Some("median") => Missing::Median,
            Some("conditional") => Missing::Conditional,
            Some(other) => return wrong("impute", other, "median, conditional or None"),
        };
        if self.log2 {
            preprocessing.transform = Transform::Log2;
        }
        params.threads = self.threads;
        Ok(params)
    }

    /// The weights of the classes, which belong to the data.
    pub(crate) fn class_weight(&self) -> PyResult<ClassWeight> {
        match &self.class_weight {
            None => Ok(ClassWeight::None),
            Some(WeightSetting::PerClass(negative, positive)) => {
                Ok(ClassWeight::PerClass(*negative, *positive))
            }
            Some(WeightSetting::Named(name)) if name == "balanced" => Ok(ClassWeight::Balanced),
            Some(WeightSetting::Named(other)) => {
                wrong("class_weight", other, "balanced, a dictionary or None")
            }
        }
    }

    fn method(&self) -> PyResult<Params> {
        if !["projected", "signatures", "mean-field"].contains(&self.method.as_str()) {
            let rule = "projected, signatures or mean-field";
            return wrong("method", &self.method, rule);
        }
        self.refuse_what_other_methods_take()?;
        let start = self.start_seed.map(|seed| Start::Random { seed });
        Ok(match self.method.as_str() {
            "signatures" => {
                let mut own = Signatures::default();
                own.count = self.signatures.unwrap_or(own.count);
                own.start = start.unwrap_or(own.start);
                let limit = &mut own.stopping.max_iterations;
                *limit = self.max_iterations.unwrap_or(*limit);
                Params::from(own)
            }
            "mean-field" => {
                let mut own = MeanField::of(match self.family.as_deref() {
                    None | Some("folded") => Family::Folded,
                    Some("truncated") => Family::Truncated,
                    Some("gaussian") => Family::Gaussian,
                    Some(other) => {
                        let rule = "folded, truncated, gaussian or None";
                        return wrong("family", other, rule);
                    }
                });
                own.count = self.signatures.unwrap_or(own.count);
                own.start = start.unwrap_or(own.start);
                let limit = &mut own.stopping.max_iterations;
                *limit = self.max_iterations.unwrap_or(*limit);
                Params::from(own)
            }
            _ => {
                let size = match (&self.size, self.share) {
                    (Some(_), Some(_)) => {
                        let text =
                            "size and share both say how large the model is; give one of them";
                        return Err(PyValueError::new_err(text));
                    }
                    (Some(given), None) => size(given)?,
                    (None, Some(share)) => Size::Share(share),
                    (None, None) => Size::Balanced,
                };
                Params::projected(size)
            }
        })
    }

    fn refuse_what_other_methods_take(&self) -> PyResult<()> {
        let both: &[&str] = &["signatures", "mean-field"];
        for (name, given, methods) in [
            ("size", self.size.is_some(), &["projected"][..]),
            ("share", self.share.is_some(), &["projected"]),
            ("signatures", self.signatures.is_some(), both),
            ("family", self.family.is_some(), &["mean-field"]),
            ("start_seed", self.start_seed.is_some(), both),
            ("max_iterations", self.max_iterations.is_some(), both),
        ] {
            if given && !methods.contains(&self.method.as_str()) {
                let methods: Vec<String> = methods.iter().map(|m| format!("'{m}'")).collect();
                return Err(PyValueError::new_err(format!(
                    "{name} is not a parameter of method='{}'; it belongs to method={}",
                    self.method,
                    methods.join(" or ")
                )));
            }
        }
        Ok(())
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
