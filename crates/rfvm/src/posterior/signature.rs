//! One signature: the few features and relevance vectors of one fit, with their posterior moments.

use serde::{Deserialize, Serialize};

use crate::data::scale::Scale;
use crate::error::Error;
use crate::numerics::linalg::Dense;
use crate::posterior::moments::Moments;
use crate::posterior::trace::{Iteration, StopReason};

/// A selected feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Name of the column.
    pub name: String,
    /// Its scale on the training rows.
    pub scale: Scale,
    /// What takes the place of a missing value; `None`: a missing value is an error.
    pub median: Option<f64>,
    /// w = v (z · a), per standard deviation: above 0 it speaks for the positive class.
    pub weight: f64,
    /// Posterior standard deviation of w given the relevance vectors, the latent scores integrated out (Laplace).
    pub sd: f64,
    /// ⟨v⟩ without its sign. It is the size of w that the relevance vectors' own values do not explain: compare
    /// it within a signature, never between two.
    pub relevance: f64,
    /// Its smallest and largest value on the training rows (after the transform); `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

impl Feature {
    /// The class this feature speaks for when it is high, as a position in the model's classes.
    pub fn class(&self) -> usize {
        usize::from(self.weight > 0.0)
    }
}

/// A sample that defines the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelevanceVector {
    /// Name of the sample (or of the new point).
    pub sample: String,
    /// ⟨a⟩
    pub coefficient: f64,
}

/// One fitted signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    pub(crate) features: Vec<Feature>,
    pub(crate) vectors: Vec<RelevanceVector>,
    pub(crate) moments: Moments,
    /// The largest variance of a training row's score, where that is known.
    pub(crate) widest: Option<f64>,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) evidence: Option<f64>,
    pub(crate) stop: StopReason,
}

impl Signature {
    /// The selected features, largest |weight| first.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The relevance vectors, largest |coefficient| first.
    pub fn vectors(&self) -> &[RelevanceVector] {
        &self.vectors
    }

    /// Bound and active-set sizes, iteration by iteration (thinned in a model read from a file).
    pub fn trace(&self) -> &[Iteration] {
        &self.trace
    }

    /// Why the fit ended.
    pub fn stop_reason(&self) -> StopReason {
        self.stop
    }

    /// The bound after the last iteration.
    pub fn bound(&self) -> Option<f64> {
        self.trace.last().and_then(|iteration| iteration.bound)
    }

    /// Log Bayes factor (in nats, a lower bound of it) of this signature against the base rate; `None` for
    /// mean-field fits and for a base-rate model. It is given the selection: the best of D features that know
    /// nothing reaches up to about ln D, so less than that may be chance.
    pub fn evidence(&self) -> Option<f64> {
        self.evidence
    }

    /// The bias b: its mean and variance.
    pub fn bias(&self) -> (f64, f64) {
        (self.moments.b, self.moments.b_var)
    }

    /// The noise variance 1/τ of the latent score.
    pub fn noise(&self) -> f64 {
        self.moments.noise
    }

    /// Why a sample has no score: the value that lies farthest from the training rows.
    pub(crate) fn out_of_proportion(&self, columns: &[Vec<f64>], n: usize, sample: &str) -> Error {
        let far = |(feature, column): (&Feature, &Vec<f64>)| {
            // A gap is filled by the median; a distance that overflows is the farthest of all.
            let distance = match column[n].is_nan() {
                true => 0.0,
                false => feature.scale.apply(column[n]).abs(),
            };
            let distance = if distance.is_nan() {
                f64::INFINITY
            } else {
                distance
            };
            (distance, feature.name.clone(), column[n])
        };
        let features = self.features.iter().zip(columns).map(far);
        let farthest = features.max_by(|one, other| one.0.total_cmp(&other.0));
        let (_, feature, value) = farthest.unwrap_or_default();
        Error::OutOfProportion {
            feature,
            sample: sample.to_string(),
            value,
        }
    }

    /// Latent mean and variance of every sample, from the raw values of the selected features and the coded covariates (a
    /// column of ones, which is left out here, first).
    pub(crate) fn latent(
        &self,
        columns: &[Vec<f64>],
        design: Option<&Dense>,
        samples: usize,
    ) -> Vec<(f64, f64)> {
        let latent = self.moments.latent();
        let covariates = design.map_or(0, |design| design.cols() - 1);
        let (features, mut x) = (self.features.len(), Vec::new());
        x.resize(features + covariates, 0.0);
        (0..samples)
            .map(|n| {
                self.standardise(columns, n, &mut x[..features]);
                if let Some(design) = design {
                    for (j, x) in x[features..].iter_mut().enumerate() {
                        *x = design.at(n, j + 1);
                    }
                }
                latent(&x)
            })
            .collect()
    }

    /// One sample as the model sees it, gaps filled.
    pub(crate) fn standardise(&self, columns: &[Vec<f64>], n: usize, x: &mut [f64]) {
        for ((x, feature), column) in x.iter_mut().zip(&self.features).zip(columns) {
            let known = feature
                .median
                .filter(|_| column[n].is_nan())
                .unwrap_or(column[n]);
            *x = feature.scale.apply(known);
        }
    }
}
