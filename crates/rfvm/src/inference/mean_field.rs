//! The loop of a mean-field fit: iterate, prune by the paper's rule, stop when the bound settles.

use std::ops::ControlFlow;

use super::factors::MeanFieldFactors;
use super::few::Few;
use super::state::State;
use crate::params::MeanField;
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Phase, StopReason, Watch};

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
    state: &mut impl MeanFieldFactors,
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
