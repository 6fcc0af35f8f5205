//! A small RFVM that says what the full one says: the narrow phase on a few chosen features, fitted to scores.
//!
//! The full model's scores stand where the labels would, half of each row's own pull on its score left out (`full.rs`): y,
//! observed, with precision τ h_n, where h_n = p_n (1 - p_n) over its mean makes the fit the projection of least
//! Kullback-Leibler divergence to second order, and 1/τ is a share of the scores' variance. With ⟨vv'⟩ = vv' + S_v,
//! G = X'HX, c = X'H(y - b), g = Z'a and A = S_a + aa':
//!
//! ```text
//! S_a = [ τ Z (⟨vv'⟩ o G) Z' + diag ψ ]^-1,   a = τ S_a Z (v o c)        ψ at its fixed point: relevance vectors
//! S_v = [ τ (Z'AZ) o G + δ diag κ ]^-1,       v = τ S_v (g o c)          δ = k / Σ κ_d ⟨v_d²⟩: one for all
//! b   : var = 1/(τ Σh + 1),                   mean = τ var Σ h (y - f)
//! ```
//!
//! Covariates stand beside b in every small model, unpenalised (`posterior/effects.rs`).
//!
//! One δ for all (times a feature's cost factor κ), because a feature that was chosen for its fit must not also choose how
//! little it is shrunk.
//!
//! τ says how closely the full model is followed, not how much is known: with it the covariances would be those of a
//! projection whose target is certain. So the last covariances are made with the precision of the labels in its place,
//! which is Laplace's approximation around the projected means.
//!
//! With k features and M candidates everything about a is known from k x k matrices. Where U = Z' diag(1/ψ) Z,
//!
//! ```text
//! T = [ U + (τ ⟨vv'⟩ o G)^-1 ]^-1,   q = T (⟨vv'⟩ o G)^-1 (v o c)
//! Z'S_aZ = U - U T U,   g = U q,   a_m = z_m'q / ψ_m,   S_a,mm = 1/ψ_m - z_m'T z_m / ψ_m²
//! ```
//!
//! so that a change of one ψ_m is a rank-one change of T and q, and the sparsity and quality factors of Tipping and Faul's
//! relevance vector machine are z'Tz and z'q.

use crate::inference::ard::fixed_point;
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};
use crate::posterior::effects::Effects;
use crate::posterior::moments::{Moments, Spread, Vectors};

/// Iterations after which a fit ends whether or not its weights have settled.
const ITERATIONS: usize = 100;
/// The largest change of a weight, relative to the largest weight, that counts as settled.
const TOLERANCE: f64 = 1e-4;
/// One candidate in so many may be dropped in one iteration, the least relevant first.
const DROPPED: usize = 5;

/// What a small model is fitted to.
pub(crate) struct Scores<'s> {
    /// y_n: the full model's scores, half of each row's own pull left out.
    pub(crate) y: &'s [f64],
    /// h_n
    pub(crate) weight: &'s [f64],
    /// 1/τ as a share of the scores' variance.
    pub(crate) noise: f64,
    /// What stands for τ in the covariances: the precision that a label gives a score, on average.
    pub(crate) label_precision: f64,
    /// κ_d of the features.
    pub(crate) cost: &'s [f64],
    /// Ones, then covariates.
    pub(crate) design: &'s Dense,
}

/// The posterior of a small model.
#[derive(Debug, Clone)]
pub(crate) struct Small {
    v: Vec<f64>,
    v_cov: Dense,
    delta: f64,
    /// The candidates that are left, as rows of Z, with their precisions.
    active: Vec<usize>,
    psi: Vec<f64>,
    b: f64,
    b_var: f64,
    /// With covariates, whose effects b is then the first of; and what they make of each row's bias.
    effects: Option<Effects>,
    biases: Vec<f64>,
    tau: f64,
    /// Z'S_aZ and Z'a.
    spread: Dense,
    g: Vec<f64>,
    /// T and q.
    sparsity: Dense,
    quality: Vec<f64>,
    pub(crate) iterations: usize,
    pub(crate) settled: bool,
}

impl Small {
    /// Fits features `x` (N x k, the candidates among their own rows) from weights in proportion to `start`.
    pub(crate) fn fit(x: &Dense, scores: &Scores, start: &[f64]) -> Result<Self, NotPositive> {
        let gram = x.weighted_gram(scores.weight);
        let mut small = Self::start(x, scores, start)?;
        let mut weights = vec![0.0; small.v.len()];
        for iteration in 1..=ITERATIONS {
            let candidates = small.active.len();
            let pull = small.pull(x, scores);
            small.update_a(x, &gram, &pull, iteration > 1);
            small.update_v(&gram, &pull, scores.cost)?;
            let now = small.weights();
            small.update_b(x, scores, &now)?;
            small.iterations = iteration;
            let largest = now.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
            if !largest.is_finite() {
                return Err(NotPositive);
            }
            let close = |(now, before): (&f64, &f64)| (now - before).abs() <= TOLERANCE * largest;
            small.settled = candidates == small.active.len() && now.iter().zip(&weights).all(close);
            // The first iteration drops no candidate, so that the second cannot be the end.
            if small.settled && iteration > 2 {
                break;
            }
            weights = now;
        }
        small.widen(x, &gram, scores)?;
        Ok(small)
    }

    /// Covariances with the precision of the labels instead of τ; the means stay.
    fn widen(&mut self, z: &Dense, gram: &Dense, scores: &Scores) -> Result<(), NotPositive> {
        let tau = scores.label_precision;
        let v_precision = self.v_precision(gram, tau, scores.cost);
        let quality = self.quality.clone();
        self.sparsity = self.kernel(gram, tau);
        let rows = self.candidates(z);
        self.admit(&rows);
        self.quality = quality;
        self.v_cov = Cholesky::new(v_precision)?.inverse();
        self.b_var = 1.0 / (tau * scores.weight.iter().sum::<f64>() + 1.0);
        if let Some(effects) = &mut self.effects {
            effects.cov = Effects::covariance(scores.design, scores.weight, tau)?;
            self.b_var = effects.cov.at(0, 0);
        }
        Ok(())
    }

    /// τ ⟨vv'⟩ o G
    fn kernel(&self, gram: &Dense, tau: f64) -> Dense {
        weighed(&self.v, &self.v_cov, gram, tau)
    }

    /// τ (Z'AZ) o G + δ diag κ
    fn v_precision(&self, gram: &Dense, tau: f64, cost: &[f64]) -> Dense {
        let mut precision = weighed(&self.g, &self.spread, gram, tau);
        precision.add_diagonal(cost.iter().map(|cost| self.delta * cost));
        precision
    }

    fn start(x: &Dense, scores: &Scores, start: &[f64]) -> Result<Self, NotPositive> {
        let (n, k) = (x.rows(), x.cols());
        let total: f64 = scores.weight.iter().sum();
        let b = dot(scores.weight, scores.y) / total;
        // The noise is a share of what the features have to explain, so that strong covariates do not blur it.
        let effects = match scores.design.cols() {
            1 => None,
            _ => Some(Effects::update(
                scores.design,
                scores.weight,
                1.0,
                scores.y,
            )?),
        };
        let biases = match &effects {
            None => vec![b; n],
            Some(effects) => effects.biases(scores.design),
        };
        let squares = scores.y.iter().zip(&biases).zip(scores.weight);
        let variance = squares.map(|((y, b), h)| h * (y - b).powi(2)).sum::<f64>() / total;
        let norm = dot(start, start).sqrt();
        let v: Vec<f64> = match norm > 0.0 {
            true => start.iter().map(|v| v / norm).collect(),
            false => vec![(k as f64).powf(-0.5); k],
        };
        let mut v_cov = Dense::zeros(k, k);
        v_cov.add_diagonal(std::iter::repeat_n(1e-3 / k as f64, k));
        Ok(Self {
            delta: k as f64 / second_moment(&v, &v_cov, scores.cost),
            v,
            v_cov,
            active: (0..n).collect(),
            psi: vec![1.0; n],
            b,
            b_var: 0.0,
            effects,
            biases,
            tau: 1.0 / (scores.noise * variance).max(f64::MIN_POSITIVE),
            spread: Dense::default(),
            g: vec![0.0; k],
            sparsity: Dense::default(),
            quality: Vec::new(),
            iterations: 0,
            settled: false,
        })
    }

    /// c = X'H(y - b)
    fn pull(&self, x: &Dense, scores: &Scores) -> Vec<f64> {
        let rows = scores.y.iter().zip(&self.biases).zip(scores.weight);
        let weighted: Vec<f64> = rows.map(|((y, b), h)| h * (y - b)).collect();
        x.transpose_times(&weighted)
    }

    /// T and q for the present ψ, then (with `settle`) ψ at its fixed points, then g and Z'S_aZ.
    fn update_a(&mut self, z: &Dense, gram: &Dense, pull: &[f64], settle: bool) {
        // Without any candidate T = τ ⟨vv'⟩ o G and q = τ (v o c).
        self.sparsity = self.kernel(gram, self.tau);
        let linear = self.v.iter().zip(pull).map(|(v, c)| self.tau * v * c);
        self.quality = linear.collect();
        let rows = self.candidates(z);
        self.admit(&rows);
        if settle {
            self.settle(&rows);
        } else {
            // ψ_m = 1 / E a_m²
            let along = self.sparsity.product(&rows);
            let second = (0..rows.cols()).map(|m| {
                let (mean, var) = self.moments_of(m, rows.col(m), along.col(m));
                mean * mean + var
            });
            let psi: Vec<f64> = second.map(|second| 1.0 / second).collect();
            for (m, &new) in psi.iter().enumerate() {
                let along = self.sparsity.times(rows.col(m));
                self.change(rows.col(m), &along, 1.0 / new - 1.0 / self.psi[m]);
            }
            self.psi = psi;
        }
        self.sum_up(z);
    }

    /// The candidates that are left, a column each.
    fn candidates(&self, z: &Dense) -> Dense {
        let rows = self.active.iter();
        let values = rows.flat_map(|&m| (0..z.cols()).map(move |j| z.at(m, j)));
        Dense::from_vec(z.cols(), self.active.len(), values.collect())
    }

    /// Mean and variance of a_m, where `along` is Tz.
    fn moments_of(&self, m: usize, z: &[f64], along: &[f64]) -> (f64, f64) {
        let psi = self.psi[m];
        let (s, q) = (dot(z, along), dot(z, &self.quality));
        (q / psi, 1.0 / psi - s / (psi * psi))
    }

    /// U += change · zz', where `along` is Tz.
    fn change(&mut self, z: &[f64], along: &[f64], change: f64) {
        let share = change / (1.0 + change * dot(z, along));
        let quality = dot(z, &self.quality) * share;
        for (entry, along) in self.quality.iter_mut().zip(along) {
            *entry -= along * quality;
        }
        self.sparsity.add_square(-share, along);
    }

    /// U from nothing to that of all candidates.
    fn admit(&mut self, rows: &Dense) {
        for m in 0..rows.cols() {
            let along = self.sparsity.times(rows.col(m));
            self.change(rows.col(m), &along, 1.0 / self.psi[m]);
        }
    }

    /// Every ψ at its fixed point, one after the other; the least relevant candidates that explain nothing go.
    fn settle(&mut self, rows: &Dense) {
        let count = rows.cols();
        let all_along = self.sparsity.product(rows);
        let relevance = |m: usize| {
            let (mean, var) = self.moments_of(m, rows.col(m), all_along.col(m));
            let (s, h) = (1.0 / var - self.psi[m], mean / var);
            h * h / s.max(f64::MIN_POSITIVE)
        };
        let mut order: Vec<(f64, usize)> = (0..count).map(|m| (relevance(m), m)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut keep = vec![true; count];
        let mut may_go = count.div_ceil(DROPPED).min(count - 1);
        for (_, m) in order {
            let z = rows.col(m);
            let along = self.sparsity.times(z);
            let (mean, var) = self.moments_of(m, z, &along);
            match fixed_point(mean, var, self.psi[m]) {
                Some(psi) => {
                    self.change(z, &along, 1.0 / psi - 1.0 / self.psi[m]);
                    self.psi[m] = psi;
                }
                None if may_go > 0 => {
                    self.change(z, &along, -1.0 / self.psi[m]);
                    keep[m] = false;
                    may_go -= 1;
                }
                None => {}
            }
        }
        crate::inference::passes::retain(&mut self.active, &keep);
        crate::inference::passes::retain(&mut self.psi, &keep);
    }

    /// g = U q and Z'S_aZ = U - U T U.
    fn sum_up(&mut self, z: &Dense) {
        let k = self.v.len();
        let mut prior = Dense::zeros(k, k);
        let rows = self.candidates(z);
        for (m, psi) in self.psi.iter().enumerate() {
            prior.add_square(1.0 / psi, rows.col(m));
        }
        self.g = prior.times(&self.quality);
        let shrunk = prior.product(&self.sparsity).product(&prior);
        self.spread = prior;
        for (entry, shrunk) in self.spread.values_mut().iter_mut().zip(shrunk.values()) {
            *entry -= shrunk;
        }
    }

    fn update_v(&mut self, gram: &Dense, pull: &[f64], cost: &[f64]) -> Result<(), NotPositive> {
        let k = self.v.len();
        self.v_cov = Cholesky::new(self.v_precision(gram, self.tau, cost))?.inverse();
        let linear: Vec<f64> = self
            .g
            .iter()
            .zip(pull)
            .map(|(g, c)| self.tau * g * c)
            .collect();
        self.v = self.v_cov.times(&linear);
        self.delta = k as f64 / second_moment(&self.v, &self.v_cov, cost);
        Ok(())
    }

    fn update_b(&mut self, x: &Dense, scores: &Scores, weights: &[f64]) -> Result<(), NotPositive> {
        self.b_var = 1.0 / (self.tau * scores.weight.iter().sum::<f64>() + 1.0);
        let f = x.times(weights);
        if self.effects.is_some() {
            let gap: Vec<f64> = scores.y.iter().zip(&f).map(|(y, f)| y - f).collect();
            let effects = Effects::update(scores.design, scores.weight, self.tau, &gap)?;
            self.biases = effects.biases(scores.design);
            (self.b, self.b_var) = (effects.mean[0], effects.cov.at(0, 0));
            self.effects = Some(effects);
            return Ok(());
        }
        let rows = scores.y.iter().zip(&f).zip(scores.weight);
        let gap: f64 = rows.map(|((y, f), h)| h * (y - f)).sum();
        self.b = self.tau * self.b_var * gap;
        self.biases.fill(self.b);
        Ok(())
    }

    /// w_d = v_d g_d
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.v.iter().zip(&self.g).map(|(v, g)| v * g).collect()
    }

    /// The relevance vectors, as rows of Z.
    pub(crate) fn vectors(&self) -> &[usize] {
        &self.active
    }

    /// The moments that a prediction needs, with the relevance vectors' values from Z.
    pub(crate) fn moments(&self, z: &Dense) -> Moments {
        let columns: Vec<usize> = (0..z.cols()).collect();
        let values = z.select(&self.active, &columns);
        let quality = values.times(&self.quality);
        // S_a = Ψ^-1 - Ψ^-1 Z T Z' Ψ^-1
        let mut a_cov = values.product(&self.sparsity).product_transposed(&values);
        for j in 0..self.psi.len() {
            for i in 0..self.psi.len() {
                let own = if i == j { 1.0 / self.psi[i] } else { 0.0 };
                let entry = &mut a_cov.col_mut(j)[i];
                *entry = own - *entry / (self.psi[i] * self.psi[j]);
            }
        }
        // A file keeps one triangle.
        a_cov.mirror_lower();
        Moments {
            v: self.v.clone(),
            v_spread: Spread::Joint(self.v_cov.clone()),
            a: quality
                .iter()
                .zip(&self.psi)
                .map(|(q, psi)| q / psi)
                .collect(),
            a_cov,
            z: Vectors::Values(values),
            b: self.b,
            b_var: self.b_var,
            effects: self.effects.clone(),
            noise: 1.0 / self.tau,
        }
    }
}

/// τ (mean mean' + covariance) o G
fn weighed(mean: &[f64], covariance: &Dense, gram: &Dense, tau: f64) -> Dense {
    let mut weighed = covariance.clone();
    for (j, mean_j) in mean.iter().enumerate() {
        let entries = weighed.col_mut(j).iter_mut();
        for ((entry, mean_i), gram) in entries.zip(mean).zip(gram.col(j)) {
            *entry = tau * (*entry + mean_i * mean_j) * gram;
        }
    }
    weighed
}

/// Σ κ_d ⟨v_d²⟩
fn second_moment(v: &[f64], v_cov: &Dense, cost: &[f64]) -> f64 {
    let each = v.iter().zip(v_cov.diagonal()).zip(cost);
    each.map(|((v, var), cost)| cost * (v * v + var)).sum()
}
