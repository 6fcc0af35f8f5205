//! The full posterior: a few wide sweeps over all features, none of them dropped.
//!
//! From v_d ∝ |corr(x_d, t)|^power one sweep is: S_a, a, ψ; f = X (v o Z'a); b, then [`ROUNDS`] times ξ and y; and, unless
//! it is the last one, v jointly (`wide.rs`), δ, and once b, ξ, y. Automatic relevance determination run to its end gives
//! the most compact model; stopped after these sweeps it gives the most accurate one, whose scores are timid and are
//! stretched by what held-back rows show of them (`posterior/correction.rs`).
//!
//! What the posterior of w = v o Z'a says of a new sample's score is, with B = Z'S_aZ,
//!
//! ```text
//! mean = x·(v o g) + b,   variance = x'[ (vv') o B ]x + Σ x_d² var_v_d (B_dd + g_d²) + var b + 1/τ
//! ```
//!
//! The matrix in the middle has as many entries as features squared, or needs the training rows, so a model keeps its
//! diagonal alone, times the factor that makes the mean variance of the training rows exact.

use crate::data::Task;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::latent::Latent;
use crate::inference::passes::square_norm;
use crate::inference::prepare::Prepared;
use crate::inference::state::State;
use crate::inference::{start, wide};
use crate::numerics::linalg::{NotPositive, dot, multiply_lower};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::Steps;
use crate::params::{Projected, Start};
use crate::posterior::effects::Effects;
use crate::posterior::moments::{Moments, Spread, Vectors, moderation};
use crate::posterior::prior::Hyper;

/// Rounds of ξ and y in which the scores follow a.
pub(super) const ROUNDS: usize = 5;

/// The largest share that a row's own y may have in its score where it is taken out; beyond it the others say next to nothing.
const MOST_OWN: f64 = 0.99;

/// The full posterior of some rows.
pub(crate) struct Full {
    /// ⟨v⟩ and g = Z'a of every feature, and the variance of its weight as a model keeps it.
    pub(crate) v: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) spread: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) b: f64,
    /// b with the effects of covariates, where there are any.
    pub(super) effects: Option<Effects>,
    /// var b + 1/τ
    pub(super) floor: (f64, f64),
    /// f + b of the rows it was learned on, in their order.
    pub(crate) scores: Vec<f64>,
    /// The same for each row as the others have it.
    pub(crate) left_out: Vec<f64>,
}

/// Hyperpriors of the sweeps. The rate of δ falls with the number of features, so that what all of them together may move a
/// score without any evidence stays the same however many there are.
pub(super) fn hyper(params: &Projected, features: usize) -> Hyper {
    let vague = params.vague / features as f64;
    Hyper {
        psi_shape: 1e-6,
        psi_rate: 1e-6,
        delta_shape: vague,
        delta_rate: vague,
        tau_shape: 1e-6,
        tau_rate: 1e-6,
    }
}

impl Full {
    /// The posterior of the given rows of the data; an error where a factorisation breaks down or somebody has had enough.
    pub(crate) fn fit(
        data: &Prepared,
        params: &Projected,
        rows: &[usize],
        workers: &Workers,
        steps: &Steps,
    ) -> Result<Self, NotPositive> {
        let pick = |of: &[f64]| -> Vec<f64> { rows.iter().map(|&n| of[n]).collect() };
        let (target, weight) = (pick(&data.target), pick(&data.weight));
        let x = Columns::of_rows(&data.values, data.samples, rows);
        let z = CandidateRows::new(x.rows(), None, None);
        let hyper = hyper(params, x.len());
        // Of scores that are data the noise is learned; of those that follow a fit it would vanish.
        let held = (data.task == Task::Classification).then_some(1.0);
        let latent = Latent::start(data.task, &target, &weight, hyper, held);
        let latent = latent.adjusted_for(data.design_of(rows));
        let power = params.power;
        // What the covariates leave to be explained.
        let target = match data.has_covariates() {
            true => data.covariates_alone(rows).unexplained(data, rows),
            false => target.clone(),
        };
        let mut v = start::weights(
            &Start::Correlation { power },
            &x,
            &target,
            &weight,
            std::iter::empty(),
        );
        weigh_blocks(data, &mut v);
        let mut state = State::start(x, z, latent, hyper, v, workers);
        let pulled = sweep(&mut state, params.sweeps, steps)?;
        Ok(Self::of(state, &pulled))
    }

    fn of(mut state: State, pulled: &[f64]) -> Self {
        let left_out = left_out(&state, pulled);
        let (own, others) = own_variances(&mut state);
        let exact: f64 = state.f_var.iter().sum();
        let along: f64 = own.iter().sum();
        let factor = if along > 0.0 { exact / along } else { 0.0 };
        let n = state.x.rows() as f64;
        let spread = own.iter().zip(&others);
        let spread = spread
            .map(|(own, others)| factor * own / n + others)
            .collect();
        let b = state.latent.b;
        let scores = (0..).zip(&state.f);
        let scores = scores.map(|(n, f)| f + state.latent.bias(n)).collect();
        Self {
            g: gains(&state),
            spread,
            v: state.features.v,
            scores,
            effects: state.latent.adjusted.map(|own| own.effects),
            left_out,
            a: state.a,
            b,
            floor: (state.latent.b_var, 1.0 / state.latent.tau),
        }
    }

    /// Mean and variance of the scores of some rows of the data.
    pub(crate) fn latent(&self, data: &Prepared, rows: &[usize]) -> Vec<(f64, f64)> {
        let floor = self.floor.0 + self.floor.1;
        let mut latent = vec![(self.b, floor); rows.len()];
        for (d, column) in data.values.chunks_exact(data.samples).enumerate() {
            let (weight, spread) = (self.v[d] * self.g[d], self.spread[d]);
            for ((mean, variance), &n) in latent.iter_mut().zip(rows) {
                let x = column[n];
                *mean += weight * x;
                *variance += spread * x * x;
            }
        }
        if let Some(effects) = &self.effects {
            for (own, &n) in latent.iter_mut().zip(rows) {
                let (bias, variance) = effects.of(&data.covariates_of(n));
                own.0 += bias - self.b;
                own.1 += variance - self.floor.0;
            }
        }
        latent
    }

    /// The moments of the model that keeps all features. Single precision is enough for them, and lets its file stay small.
    pub(crate) fn moments(&self) -> Moments {
        let single = |values: &[f64]| {
            values
                .iter()
                .map(|&value| f64::from(value as f32))
                .collect()
        };
        Moments {
            v: single(&self.v),
            v_spread: Spread::Weights(single(&self.spread)),
            a: self.a.clone(),
            a_cov: Default::default(),
            z: Vectors::Sums(single(&self.g)),
            b: self.b,
            b_var: self.floor.0,
            effects: self.effects.clone(),
            noise: self.floor.1,
        }
    }
}

/// Blocks of very different sizes start with the same weight, sum of squares 1 again over all.
fn weigh_blocks(data: &Prepared, v: &mut [f64]) {
    if data.block_start(0).is_none() {
        return;
    }
    for (d, v) in v.iter_mut().enumerate() {
        *v *= data.block_start(d).unwrap_or(1.0);
    }
    let norm = dot(v, v).sqrt();
    if norm > 0.0 {
        v.iter_mut().for_each(|v| *v /= norm);
    }
}

/// What a score moves a probability: the mean, moderated by its variance.
pub(crate) fn moderated((mean, variance): (f64, f64)) -> f64 {
    mean / moderation(variance)
}

/// The sweeps, up to the a of the last one; gives the y - b that this a was made from.
pub(super) fn sweep(
    state: &mut State,
    sweeps: usize,
    steps: &Steps,
) -> Result<Vec<f64>, NotPositive> {
    let mut pulled = Vec::new();
    for left in (0..sweeps).rev() {
        if steps.stopped() {
            return Err(NotPositive);
        }
        pulled = state.latent.centred();
        state.update_a()?;
        state.update_psi();
        state.update_f();
        state.latent.update_b(&state.f);
        for _ in 0..ROUNDS {
            state.latent.update_xi();
            state.latent.update_y(&state.f);
        }
        steps.step();
        if left > 0 {
            wide::update_v(state)?;
            if !state.is_finite() {
                return Err(NotPositive);
            }
        }
    }
    state.is_finite().then_some(pulled).ok_or(NotPositive)
}

/// f_n + b as the other rows have it, given v. With R = τ K S_a K' the scores are f = R (y - b), so that without row n its
/// own score is (f_n - R_nn (y_n - b)) / (1 - R_nn): leave-one-out of a linear smoother.
pub(super) fn left_out(state: &State, pulled: &[f64]) -> Vec<f64> {
    smoothed_by_others(&state.latent, &state.f, &state.f_var, pulled)
}

/// The same from the scores and what the uncertainty of a adds to their variances.
pub(super) fn smoothed_by_others(
    latent: &Latent,
    f: &[f64],
    f_var: &[f64],
    pulled: &[f64],
) -> Vec<f64> {
    let rows = f.iter().zip(f_var).zip(pulled).enumerate();
    rows.map(|(n, ((f, var), pulled))| {
        let own = (latent.tau * var).min(MOST_OWN);
        latent.bias(n) + (f - own * pulled) / (1.0 - own)
    })
    .collect()
}

/// v_d² B_dd |x_d|² and var_v_d (B_dd + g_d²) of every feature, B = Z'S_aZ.
fn own_variances(state: &mut State) -> (Vec<f64>, Vec<f64>) {
    let covariance = state.a_cov.quadratic_lower();
    let (n, a) = (state.x.rows(), &state.a);
    state.passes.run(
        &state.x,
        &state.z,
        &mut state.features,
        [(0, 0), (0, 0)],
        |block, f| {
            let out = &mut block.room[..f.v.len() * n];
            multiply_lower(out, &covariance, block.z);
            let columns = block.z.chunks_exact(n).zip(out.chunks_exact(n));
            for (d, (z, sz)) in columns.enumerate() {
                let (quadratic, g) = (dot(z, sz), dot(z, a));
                f.precision[d] = f.v[d].powi(2) * quadratic * square_norm(block.x, n, d);
                f.v_var[d] *= quadratic + g * g;
            }
        },
    );
    let features = &mut state.features;
    (
        std::mem::take(&mut features.precision),
        std::mem::take(&mut features.v_var),
    )
}

/// g_d = z_:d · a of every feature.
fn gains(state: &State) -> Vec<f64> {
    let mut scratch = Vec::new();
    (0..state.x.len())
        .map(|d| dot(state.x.block(d..d + 1, &mut scratch), &state.a))
        .collect()
}
