//! The loop of a mean-field fit: iterate, prune by the paper's rule, stop when the bound settles.

use std::ops::ControlFlow;

use super::state::State;
use super::sweep;
use crate::params::{MeanField, Pruning};
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Phase, StopReason, Watch};

pub(crate) fn fit(mut state: State, method: &MeanField, watch: &mut Watch) -> Outcome {
    let stop = loop {
        if sweep::iterate(&mut state, method.family, method.sweep).is_err() || !state.is_finite() {
            break StopReason::Breakdown;
        }
        let bound = state.bound();
        let sizes = (state.features.v.len(), state.a.len());
        if watch.record(Phase::MeanField, Some(bound), sizes.0, sizes.1) == ControlFlow::Break(()) {
            break StopReason::Interrupted;
        }
        // |L_T - L_{T - window}| <= tolerance |L_T|
        let before = watch.bound_before(method.stopping.window);
        if before
            .is_some_and(|before| (bound - before).abs() <= method.stopping.tolerance * bound.abs())
        {
            break StopReason::Converged;
        }
        if watch.iterations() >= method.stopping.max_iterations {
            break StopReason::IterationLimit;
        }
        prune(&mut state, &method.pruning, watch.iterations());
    };
    Outcome {
        weight_sd: state.weight_sd(),
        evidence: None,
        moments: state.moments(),
        candidates: (0..state.z.len()).map(|m| state.z.position(m)).collect(),
        features: state.x.positions(),
        stop,
    }
}

/// Drops features and candidates by the paper's rule.
pub(crate) fn prune(state: &mut State, pruning: &Pruning, iterations: usize) {
    if iterations > pruning.after {
        let keep = above_share(&state.features.v, pruning.features);
        state.retain_features(&keep);
        let keep = above_share(&state.a, pruning.vectors);
        state.retain_candidates(&keep);
    }
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
