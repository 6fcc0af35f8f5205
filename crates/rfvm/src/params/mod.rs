//! Parameters of a fit, checked once before any fit can start.

mod kept;
mod method;
mod preprocessing;
mod rounds;
mod size;

pub use kept::{DataParameters, Parameters};
pub use method::{Budget, MeanField, Method, Projected, Signatures, Sweep};
pub use preprocessing::{Missing, Preprocessing};
pub use rounds::{CandidateCount, Candidates, Pruning, Start, Stopping};
pub use size::Size;

pub(crate) use rounds::Rounds;

use crate::error::{Error, require};
use crate::posterior::family::Family;

/// Everything a fit can be told; what belongs to the data (weights, groups, costs) is with the [`crate::Dataset`].
/// [`Params::check`] it before a fit.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `preprocessing` | robust scaling, missing values refused | [`Preprocessing`] | what is done to the raw values |
/// | `method` | projected, balanced | [`Method`] | how the model is found |
/// | `threads` | none | >= 1 | worker threads; `None`: `OMP_NUM_THREADS`, else all cores |
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Params {
    pub preprocessing: Preprocessing,
    pub method: Method,
    pub threads: Option<usize>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            preprocessing: Preprocessing::default(),
            method: Method::Projected(Projected::default()),
            threads: None,
        }
    }
}

impl Params {
    /// One model of a chosen size.
    pub fn projected(size: Size) -> Self {
        Self {
            method: Method::Projected(Projected::of(size)),
            ..Self::default()
        }
    }

    /// Signatures of few features, by [`Signatures::default`], with plain scaling.
    pub fn signatures() -> Self {
        Self::from(Signatures::default())
    }

    /// The paper's model, as [`MeanField::default`] has it, with plain scaling.
    pub fn paper() -> Self {
        Self::mean_field(Family::Folded)
    }

    /// As the paper has it, with another family of q(v): [`MeanField::of`].
    pub fn mean_field(family: Family) -> Self {
        Self::from(MeanField::of(family))
    }

    /// Checks every range; only checked parameters can fit.
    pub fn check(self) -> Result<CheckedParams, Error> {
        self.method.check()?;
        let threads = self.threads.unwrap_or(1);
        require(threads >= 1, "threads", threads, "at least 1")?;
        Ok(CheckedParams(self))
    }
}

impl From<Projected> for Params {
    /// The method with the preprocessing that is usual for it.
    fn from(method: Projected) -> Self {
        Self {
            method: Method::Projected(method),
            ..Self::default()
        }
    }
}

impl From<Signatures> for Params {
    /// The method with the preprocessing that is usual for it.
    fn from(method: Signatures) -> Self {
        Self {
            preprocessing: Preprocessing::plain(),
            method: Method::Signatures(method),
            threads: None,
        }
    }
}

impl From<MeanField> for Params {
    /// The method with the preprocessing that is usual for it.
    fn from(method: MeanField) -> Self {
        Self {
            preprocessing: Preprocessing::plain(),
            method: Method::MeanField(method),
            threads: None,
        }
    }
}

/// Parameters that passed [`Params::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedParams(Params);

impl CheckedParams {
    /// The values.
    pub fn get(&self) -> &Params {
        &self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Task;
    use crate::posterior::prior::{Hyper, Tau};

    fn refusal(change: impl Fn(&mut Signatures)) -> String {
        let mut method = Signatures::default();
        change(&mut method);
        Params::from(method).check().unwrap_err().to_string()
    }

    #[test]
    fn every_methods_defaults_pass() {
        assert_eq!(Params::default(), Params::projected(Size::Balanced));
        assert_eq!(Params::paper(), Params::from(MeanField::default()));
        for params in [Params::default(), Params::signatures(), Params::paper()] {
            params.check().unwrap();
        }
    }

    #[test]
    fn every_range_is_checked_and_nan_does_not_slip_through() {
        assert_eq!(
            refusal(|p| {
                p.hyper = Some(Hyper {
                    delta_rate: f64::NAN,
                    ..Hyper::for_size(Task::Classification, 10, 10, 100)
                });
            }),
            "parameter hyper.delta_rate is NaN; it must be a finite number above 0"
        );
        assert_eq!(
            refusal(|p| p.pruning.features = 1.0),
            "parameter pruning.features is 1; it must be at least 0 and below 1"
        );
        assert_eq!(
            refusal(|p| p.count = 0),
            "parameter signatures is 0; it must be at least 1"
        );
        assert!(refusal(|p| p.tau = Tau::Held(0.0)).contains("tau is 0"));
        assert!(refusal(|p| p.narrow_at = 0).contains("narrow_at is 0"));
        assert!(
            refusal(|p| p.start = Start::Correlation { power: f64::NAN }).contains("start.power")
        );
        let warm = Start::Warm(vec![("f1".into(), 1.0), ("f2".into(), f64::NAN)]);
        assert!(refusal(|p| p.start = warm.clone()).contains("start.warm is NaN"));
        assert!(refusal(|p| p.candidates = Candidates::Rows(vec![1, 1])).contains("distinct"));
        let mean_field = MeanField {
            count: 0,
            ..MeanField::default()
        };
        let refused = Params::from(mean_field).check().unwrap_err();
        assert!(refused.to_string().contains("signatures is 0"));
        let none = Params::projected(Size::Features(0)).check().unwrap_err();
        assert!(none.to_string().contains("size is 0"));
        let threads = Params {
            threads: Some(0),
            ..Params::default()
        };
        let threads = threads.check().unwrap_err();
        assert!(threads.to_string().contains("threads is 0"));
    }
}
