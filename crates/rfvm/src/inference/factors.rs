//! What the mean-field loop asks of the posterior's factors, however they are kept; the paper's pruning rule.

use super::state::State;
use super::sweep;
use crate::numerics::linalg::NotPositive;
use crate::params::{MeanField, Pruning};
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::StopReason;

/// The factors of the mean-field posterior.
pub(crate) trait MeanFieldFactors {
    /// One iteration in this order: a, ψ, v, δ, b, τ, ξ, y.
    fn iterate(&mut self, method: &MeanField) -> Result<(), NotPositive>;
    /// The bound with every constant.
    fn bound(&self) -> f64;
    /// Active features and candidates.
    fn sizes(&self) -> (usize, usize);
    /// Whether every number that the model would keep is finite.
    fn is_finite(&self) -> bool;
    /// Drops features and candidates by the paper's rule.
    fn prune(&mut self, pruning: &Pruning);
    /// What the model keeps.
    fn outcome(self, stop: StopReason) -> Outcome;
}

impl MeanFieldFactors for State<'_, '_> {
    fn iterate(&mut self, method: &MeanField) -> Result<(), NotPositive> {
        sweep::iterate(self, method.family, method.sweep)
    }

    fn bound(&self) -> f64 {
        self.bound()
    }

    fn sizes(&self) -> (usize, usize) {
        (self.features.v.len(), self.a.len())
    }

    fn is_finite(&self) -> bool {
        self.is_finite()
    }

    fn prune(&mut self, pruning: &Pruning) {
        prune(self, pruning);
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        Outcome {
            weight_sd: self.weight_sd(),
            evidence: None,
            moments: self.moments(),
            candidates: (0..self.z.len()).map(|m| self.z.position(m)).collect(),
            features: self.x.positions(),
            stop,
        }
    }
}

/// Drops features and candidates by the paper's rule.
pub(crate) fn prune(state: &mut State, pruning: &Pruning) {
    let keep = above_share(&state.features.v, pruning.features);
    state.retain_features(&keep);
    let keep = above_share(&state.a, pruning.vectors);
    state.retain_candidates(&keep);
}

/// Which entries are at least `share` of the largest; all of them where every entry is zero.
pub(crate) fn above_share(values: &[f64], share: f64) -> Vec<bool> {
    let largest = values
        .iter()
        .fold(0.0, |max: f64, value| max.max(value.abs()));
    values
        .iter()
        .map(|value| value.abs() >= share * largest)
        .collect()
}
