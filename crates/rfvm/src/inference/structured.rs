//! The loop of [`Signatures`]: the wide phase until few features are left, then the exact narrow phase.

use std::ops::ControlFlow;

use super::factors::prune;
use super::narrow::Narrow;
use super::state::State;
use super::wide;
use crate::params::Signatures;
use crate::posterior::moments::Moments;
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Phase, StopReason, Watch};

/// `cost` gives the factors κ.
pub(crate) fn fit(
    mut state: State,
    cost: impl Fn(usize) -> f64,
    method: &Signatures,
    watch: &mut Watch,
) -> Outcome {
    let mut go_on = ControlFlow::Continue(());
    // After `wide_limit` the best features go on whether or not the rest fell away.
    while state.x.len() > method.narrow_at
        && watch.iterations() < method.wide_limit
        && go_on.is_continue()
    {
        if wide::iterate(&mut state).is_err() || !state.is_finite() {
            return Outcome::empty(Moments::constant(0.0, 0.0), StopReason::Breakdown);
        }
        go_on = watch.record(Phase::Wide, None, state.x.len(), state.a.len());
        if watch.iterations() > method.pruning.after {
            prune(&mut state, &method.pruning);
        }
    }
    keep_best(&mut state, method.narrow_at);
    narrow_phase(Narrow::from_state(state, cost), method, watch, go_on)
}

/// Keeps the `count` features of largest weight.
fn keep_best(state: &mut State, count: usize) {
    let v = &state.features.v;
    if v.len() <= count {
        return;
    }
    let mut order: Vec<usize> = (0..v.len()).collect();
    // Of equal ones the first.
    order.select_nth_unstable_by(count, |&i, &j| v[j].total_cmp(&v[i]).then(i.cmp(&j)));
    let mut keep = vec![false; v.len()];
    order[..count].iter().for_each(|&d| keep[d] = true);
    drop(order);
    state.retain_features(&keep);
}

/// Iterates until the weights settle. A fit that was already stopped gets one iteration, so that it is sound.
fn narrow_phase(
    mut narrow: Narrow,
    method: &Signatures,
    watch: &mut Watch,
    mut go_on: ControlFlow<()>,
) -> Outcome {
    let mut weights = narrow.weights();
    // Straight from the starting point the weights first need time to show what they are worth.
    let settle_after = if watch.iterations() == 0 {
        method.pruning.after
    } else {
        0
    };
    let mut sound: Option<Narrow> = None;
    loop {
        let settle = go_on.is_continue() && watch.iterations() >= settle_after;
        if narrow.iterate(settle).is_err() || !narrow.is_finite() {
            let broken = || Outcome::empty(Moments::constant(0.0, 0.0), StopReason::Breakdown);
            return sound.map_or_else(broken, |sound| outcome(&sound, StopReason::Breakdown));
        }
        if narrow.a.is_empty() || narrow.v.is_empty() {
            return Outcome::empty(Moments::constant(0.0, 0.0), StopReason::NoSignal);
        }
        let bound = Some(narrow.bound());
        let step = watch.record(Phase::Narrow, bound, narrow.v.len(), narrow.a.len());
        if step.is_break() {
            go_on = step;
        }
        let now = narrow.weights();
        let stop = if go_on.is_break() {
            Some(StopReason::Interrupted)
        } else if settled(&weights, &now, method.stopping.tolerance) {
            Some(StopReason::Converged)
        } else if watch.iterations() >= method.stopping.max_iterations {
            Some(StopReason::IterationLimit)
        } else {
            None
        };
        if let Some(stop) = stop {
            return outcome(&narrow, stop);
        }
        sound = Some(narrow.clone());
        weights = now;
    }
}

fn outcome(narrow: &Narrow, stop: StopReason) -> Outcome {
    Outcome {
        moments: narrow.moments(),
        features: narrow.position.clone(),
        candidates: narrow.candidate.clone(),
        weight_sd: narrow.weight_sd(),
        evidence: Some(narrow.evidence()),
        stop,
    }
}

/// Whether the same features kept their weights to within `tolerance` of the largest.
fn settled(before: &[f64], now: &[f64], tolerance: f64) -> bool {
    let largest = now.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
    let close = |(before, now): (&f64, &f64)| (before - now).abs() <= tolerance * largest;
    before.len() == now.len() && before.iter().zip(now).all(close)
}
