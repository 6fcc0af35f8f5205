//! How sure a probability is, and when it is better to say neither class.

use serde::Serialize;

use super::predict::Prediction;
use crate::numerics::special::{sigmoid, two_sided};

/// The log odds of the positive class: the score, moderated by its variance and corrected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogOdds {
    /// intercept + slope · mean / sqrt(1 + π/8 variance), of which σ is the probability; a committee's is the mean.
    pub mean: f64,
    /// slope · sd / sqrt(1 + π/8 variance), with the same variance, the noise included; a committee's is the mean, since
    /// errors of signatures that see the same subjects are taken as fully dependent.
    pub sd: f64,
}

impl Prediction {
    /// The interval of the probability that an interval of the score gives: mean ± z sd, moderated and corrected as the mean
    /// is. `level` is its probability, between 0 and 1; `None` in a regression.
    pub fn interval(&self, level: f64) -> Option<[f64; 2]> {
        let LogOdds { mean, sd } = self.log_odds?;
        let reach = two_sided(level) * sd;
        Some([sigmoid(mean - reach), sigmoid(mean + reach)])
    }

    /// Whether both classes lie within the interval of this level, so that the model had better abstain; `None` in a
    /// regression.
    pub fn abstains(&self, level: f64) -> Option<bool> {
        let LogOdds { mean, sd } = self.log_odds?;
        Some(mean.abs() <= two_sided(level) * sd)
    }
}
