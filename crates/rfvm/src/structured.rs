//! The loop of a structured fit: the wide phase until few features are left, then the exact narrow phase.

use std::ops::ControlFlow;

use crate::fit::{Outcome, Watch};
use crate::mean_field::{above_share, prune};
use crate::narrow::Narrow;
use crate::params::Params;
use crate::signature::{Moments, Phase, StopReason};
use crate::state::State;
use crate::wide;

/// Wide iterations after which the best features go on to the narrow phase whether or not the rest fell away.
const WIDE_LIMIT: usize = 60;

pub(crate) fn fit(mut state: State, params: &Params, watch: &mut Watch) -> Outcome {
    let mut interrupted = false;
    while state.features.v.len() > params.narrow_at && watch.iterations() < WIDE_LIMIT && !interrupted {
        let before = state.features.clone();
        if wide::iterate(&mut state).is_err() || !state.is_finite() {
            state.features = before;
            break;
        }
        let sizes = (state.features.v.len(), state.a.len());
        interrupted = watch.record(Phase::Wide, None, sizes.0, sizes.1) == ControlFlow::Break(());
        prune(&mut state, &params.pruning, watch.iterations());
    }
    keep_best(&mut state, params.narrow_at);
    let mut narrow = Narrow::from_state(state);
    let stop = narrow_phase(&mut narrow, params, watch, interrupted);
    Outcome {
        moments: Moments::from_narrow(&narrow),
        features: narrow.position,
        candidates: narrow.candidate,
        stop,
    }
}

/// Keeps the `count` features of largest weight.
fn keep_best(state: &mut State, count: usize) {
    let v = &state.features.v;
    if v.len() <= count {
        return;
    }
    let mut order: Vec<usize> = (0..v.len()).collect();
    order.sort_by(|&i, &j| v[j].total_cmp(&v[i]));
    let mut keep = vec![false; v.len()];
    order[..count].iter().for_each(|&d| keep[d] = true);
    state.retain_features(&keep);
}

fn narrow_phase(narrow: &mut Narrow, params: &Params, watch: &mut Watch, interrupted: bool) -> StopReason {
    let mut weights = narrow.weights();
    let started = watch.iterations();
    loop {
        let before = narrow.clone();
        if narrow.iterate(true).is_err() || !narrow.is_finite() {
            *narrow = before;
            return StopReason::Breakdown;
        }
        if narrow.a.is_empty() {
            return StopReason::NoSignal;
        }
        let bound = narrow.bound();
        let sizes = (narrow.v.len(), narrow.a.len());
        let go_on = watch.record(Phase::Narrow, Some(bound), sizes.0, sizes.1);
        if interrupted || go_on == ControlFlow::Break(()) {
            return StopReason::Interrupted;
        }
        if watch.iterations() - started > params.pruning.after {
            narrow.retain_features(&above_share(&narrow.v, params.pruning.features));
        }
        let now = narrow.weights();
        if settled(&weights, &now, params.stopping.tolerance) {
            return StopReason::Converged;
        }
        if watch.iterations() >= params.stopping.max_iterations {
            return StopReason::IterationLimit;
        }
        weights = now;
    }
}

/// Whether the same features kept their weights to within `tolerance` of the largest.
fn settled(before: &[f64], now: &[f64], tolerance: f64) -> bool {
    let largest = now.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
    before.len() == now.len()
        && before.iter().zip(now).all(|(before, now)| (before - now).abs() <= tolerance * largest)
}
