//! The loop of a mean-field fit: iterate, prune by the paper's rule, stop when the bound settles.

use std::ops::ControlFlow;

use super::few::Few;
use super::state::State;
use super::sweep;
use crate::numerics::linalg::NotPositive;
use crate::params::{MeanField, Pruning};
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Phase, StopReason, Watch};

/// The moments of the mean-field posterior, however they are kept.
pub(crate) trait Approximation {
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

impl Approximation for State<'_, '_> {
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

/// Goes on over the features once these are fewer than the candidates.
pub(crate) fn fit(mut state: State, method: &MeanField, watch: &mut Watch) -> Outcome {
    while !Few::suffices(&state) {
        if let Some(stop) = step(&mut state, method, watch) {
            return state.outcome(stop);
        }
    }
    let mut few = Few::from_state(state);
    loop {
        if let Some(stop) = step(&mut few, method, watch) {
            return few.outcome(stop);
        }
    }
}

/// One iteration with what follows it; tells whether the fit ends there.
fn step(
    state: &mut impl Approximation,
    method: &MeanField,
    watch: &mut Watch,
) -> Option<StopReason> {
    if state.iterate(method).is_err() || !state.is_finite() {
        return Some(StopReason::Breakdown);
    }
    let bound = state.bound();
    let (features, candidates) = state.sizes();
    let go_on = watch.record(Phase::MeanField, Some(bound), features, candidates);
    if go_on == ControlFlow::Break(()) {
        return Some(StopReason::Interrupted);
    }
    // |L_T - L_{T - window}| <= tolerance |L_T|
    let before = watch.bound_before(method.stopping.window);
    if before
        .is_some_and(|before| (bound - before).abs() <= method.stopping.tolerance * bound.abs())
    {
        return Some(StopReason::Converged);
    }
    if watch.iterations() >= method.stopping.max_iterations {
        return Some(StopReason::IterationLimit);
    }
    if watch.iterations() > method.pruning.after {
        state.prune(&method.pruning);
    }
    None
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
