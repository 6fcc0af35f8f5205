//! How sure a probability is, and when it is better to say neither class.

use super::predict::{LogOdds, Prediction};
use crate::numerics::special::{sigmoid, two_sided};

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
