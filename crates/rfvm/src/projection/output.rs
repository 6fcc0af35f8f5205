//! One output of a small model: what its relevance vectors, its scores and its bias have to do with the features (`small.rs`).
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
use crate::inference::passes::retain;
use crate::numerics::linalg::{Dense, NotPositive, dot};
use crate::posterior::effects::Effects;

/// One candidate in so many may be dropped in one iteration, the least relevant first.
const DROPPED: usize = 5;

/// What one output of a small model is fitted to.
pub(crate) struct OutputScores {
    /// y_n: the full model's scores, half of each row's own pull left out.
    pub(crate) y: Vec<f64>,
    /// h_n
    pub(crate) weight: Vec<f64>,
}

/// q(a), ψ and q(b) of one output.
#[derive(Debug, Clone)]
pub(super) struct OutputPosterior {
    /// The candidates that are left, as rows of Z, with their precisions.
    active: Vec<usize>,
    psi: Vec<f64>,
    b: f64,
    b_var: f64,
    /// With covariates, whose effects b is then the first of; and what they make of each row's bias.
    effects: Option<Effects>,
    biases: Vec<f64>,
    /// Z'S_aZ and Z'a.
    spread: Dense,
    g: Vec<f64>,
    /// T and q.
    sparsity: Dense,
    quality: Vec<f64>,
}

impl OutputPosterior {
    pub(super) fn start(
        x: &Dense,
        scores: &OutputScores,
        design: &Dense,
    ) -> Result<Self, NotPositive> {
        let (n, k) = (x.rows(), x.cols());
        let (y, weight) = (&scores.y, &scores.weight);
        let b = dot(weight, y) / weight.iter().sum::<f64>();
        let effects = match design.cols() {
            1 => None,
            _ => Some(Effects::update(design, weight, 1.0, y)?),
        };
        let biases = match &effects {
            None => vec![b; n],
            Some(effects) => effects.biases(design),
        };
        Ok(Self {
            active: (0..n).collect(),
            psi: vec![1.0; n],
            b,
            b_var: 0.0,
            effects,
            biases,
            spread: Dense::default(),
            g: vec![0.0; k],
            sparsity: Dense::default(),
            quality: Vec::new(),
        })
    }

    /// Σ h (y - b)²
    pub(super) fn unexplained(&self, scores: &OutputScores) -> f64 {
        let squares = scores.y.iter().zip(&self.biases).zip(&scores.weight);
        squares.map(|((y, b), h)| h * (y - b).powi(2)).sum()
    }

    /// c = X'H(y - b)
    pub(super) fn pull(&self, x: &Dense, scores: &OutputScores) -> Vec<f64> {
        let rows = scores.y.iter().zip(&self.biases).zip(&scores.weight);
        let weighted: Vec<f64> = rows.map(|((y, b), h)| h * (y - b)).collect();
        x.transpose_times(&weighted)
    }

    /// τ (Z'AZ) o G
    pub(super) fn second_moments(&self, gram: &Dense, tau: f64) -> Dense {
        weighed(&self.g, &self.spread, gram, tau)
    }

    /// Covariances with another precision, whose kernel τ ⟨vv'⟩ o G is given; the means stay.
    pub(super) fn widen(
        &mut self,
        z: &Dense,
        kernel: Dense,
        scores: &OutputScores,
        design: &Dense,
        tau: f64,
    ) -> Result<(), NotPositive> {
        let quality = self.quality.clone();
        self.sparsity = kernel;
        let rows = self.candidates(z);
        self.admit(&rows);
        self.quality = quality;
        self.b_var = 1.0 / (tau * scores.weight.iter().sum::<f64>() + 1.0);
        if let Some(effects) = &mut self.effects {
            effects.cov = Effects::covariance(design, &scores.weight, tau)?;
            self.b_var = effects.cov.at(0, 0);
        }
        Ok(())
    }

    /// T and q for the present ψ from those without any candidate, then (with `settle`) ψ at its fixed points, then g and
    /// Z'S_aZ.
    pub(super) fn update_a(&mut self, z: &Dense, kernel: Dense, linear: Vec<f64>, settle: bool) {
        (self.sparsity, self.quality) = (kernel, linear);
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
        retain(&mut self.active, &keep);
        retain(&mut self.psi, &keep);
    }

    /// g = U q and Z'S_aZ = U - U T U.
    fn sum_up(&mut self, z: &Dense) {
        let k = z.cols();
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

    pub(super) fn update_b(
        &mut self,
        x: &Dense,
        scores: &OutputScores,
        design: &Dense,
        tau: f64,
        weights: &[f64],
    ) -> Result<(), NotPositive> {
        self.b_var = 1.0 / (tau * scores.weight.iter().sum::<f64>() + 1.0);
        let f = x.times(weights);
        if self.effects.is_some() {
            let gap: Vec<f64> = scores.y.iter().zip(&f).map(|(y, f)| y - f).collect();
            let effects = Effects::update(design, &scores.weight, tau, &gap)?;
            self.biases = effects.biases(design);
            (self.b, self.b_var) = (effects.mean[0], effects.cov.at(0, 0));
            self.effects = Some(effects);
            return Ok(());
        }
        let rows = scores.y.iter().zip(&f).zip(&scores.weight);
        let gap: f64 = rows.map(|((y, f), h)| h * (y - f)).sum();
        self.b = tau * self.b_var * gap;
        self.biases.fill(self.b);
        Ok(())
    }

    /// The relevance vectors, as rows of Z.
    pub(super) fn vectors(&self) -> &[usize] {
        &self.active
    }

    /// g = Z'a
    pub(super) fn gains(&self) -> &[f64] {
        &self.g
    }

    /// Mean and variance of b.
    pub(super) fn bias(&self) -> (f64, f64) {
        (self.b, self.b_var)
    }

    pub(super) fn effects(&self) -> Option<&Effects> {
        self.effects.as_ref()
    }

    /// Mean and covariance of a, and the relevance vectors' values from Z.
    pub(super) fn a(&self, z: &Dense) -> (Vec<f64>, Dense, Dense) {
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
        let means = quality.iter().zip(&self.psi).map(|(q, psi)| q / psi);
        (means.collect(), a_cov, values)
    }
}

/// τ (mean mean' + covariance) o G
pub(super) fn weighed(mean: &[f64], covariance: &Dense, gram: &Dense, tau: f64) -> Dense {
    let mut weighed = covariance.clone();
    for (j, mean_j) in mean.iter().enumerate() {
        let entries = weighed.col_mut(j).iter_mut();
        for ((entry, mean_i), gram) in entries.zip(mean).zip(gram.col(j)) {
            *entry = tau * (*entry + mean_i * mean_j) * gram;
        }
    }
    weighed
}
