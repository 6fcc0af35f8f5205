//! The mean-field method where there are fewer features than candidates: the same posterior without an M x M matrix.
//!
//! With W = τ (diag(v) X'X diag(v) + diag(var_v |x|²)), which is D x D, Ψ^-1/2 Z = Q U (Q'Q = I) and H = U W U':
//!
//! ```text
//! S_a      = [ Ψ + Z W Z' ]^-1 = Ψ^-1/2 [ I - Q (I - (I + H)^-1) Q' ] Ψ^-1/2
//! Z' S_a Z = U' (I + H)^-1 U = B,      ln |S_a| = - Σ ln ψ_m - ln |I + H|
//! a        = τ Ψ^-1/2 Q (I + H)^-1 U (v o X'(y - b)),      g = Z'a
//! G        = (B + gg') o X'X:  the coupling of the features in the sweep over v
//! ```
//!
//! An iteration costs O((N + M) D²) instead of O(M³), and every inverse is one of I and something that is not negative.

use super::factors::{MeanFieldFactors, above_share};
use super::latent::{Latent, ard_mean, second_moments};
use super::passes::{FeatureState, retain};
use super::state::{State, VectorTerms, laplace_sd, mean_field_bound};
use super::sweep::prior_constant;
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};
use crate::params::{MeanField, Pruning, Sweep};
use crate::posterior::family::Family;
use crate::posterior::moments::{Moments, Spread, Vectors};
use crate::posterior::outcome::Outcome;
use crate::posterior::prior::Hyper;
use crate::posterior::trace::StopReason;

/// Moments of every factor of q with those of a through the features.
pub(crate) struct Few<'a> {
    hyper: Hyper,
    pub(crate) latent: Latent<'a>,
    /// Original positions of the features and of the candidates.
    position: Vec<usize>,
    candidate: Vec<usize>,
    x: Dense,
    z: Dense,
    /// X'X
    gram: Dense,
    pub(crate) features: FeatureState,
    pub(crate) a: Vec<f64>,
    pub(crate) psi: Vec<f64>,
    vectors: Factored,
    f: Vec<f64>,
    f_square: f64,
    v_entropy: f64,
}

/// What stands for S_a.
struct Factored {
    /// Q
    basis: Dense,
    /// L^-1 Q' with I + H = LL'
    solved: Dense,
    /// ψ_m as it was when a was updated.
    psi: Vec<f64>,
    /// B = Z'S_a Z
    between: Dense,
    log_det: f64,
}

impl Factored {
    /// S_a = Ψ^-1, before a has been updated.
    fn prior(psi: &[f64], features: usize) -> Self {
        Self {
            basis: Dense::zeros(psi.len(), 0),
            solved: Dense::zeros(0, psi.len()),
            psi: psi.to_vec(),
            between: Dense::zeros(features, features),
            log_det: -psi.iter().map(|psi| psi.ln()).sum::<f64>(),
        }
    }

    fn retain_candidates(&mut self, keep: &[bool], kept: &[usize]) {
        let columns: Vec<usize> = (0..self.basis.cols()).collect();
        self.basis = self.basis.select(kept, &columns);
        self.solved = self.solved.select(&columns, kept);
        retain(&mut self.psi, keep);
    }

    /// The diagonal of S_a: (1 - |q_m|² + |L^-1 q_m|²) / ψ_m, two parts that are never negative.
    fn variances(&self) -> Vec<f64> {
        let mut left = vec![1.0; self.psi.len()];
        for k in 0..self.basis.cols() {
            for (left, q) in left.iter_mut().zip(self.basis.col(k)) {
                *left -= q * q;
            }
        }
        let each = left.iter().zip(&self.psi).enumerate();
        each.map(|(m, (left, psi))| {
            let solved = self.solved.col(m);
            (left.max(0.0) + dot(solved, solved)) / psi
        })
        .collect()
    }

    /// All of S_a, as a prediction needs it.
    fn covariance(&self) -> Dense {
        let mut cov = self.solved.transposed_product(&self.solved);
        let along = self.basis.product_transposed(&self.basis);
        for (entry, along) in cov.values_mut().iter_mut().zip(along.values()) {
            *entry -= along;
        }
        cov.add_diagonal(std::iter::repeat_n(1.0, self.psi.len()));
        for j in 0..self.psi.len() {
            for (entry, psi) in cov.col_mut(j).iter_mut().zip(&self.psi) {
                *entry /= (psi * self.psi[j]).sqrt();
            }
        }
        cov
    }
}

impl<'a> Few<'a> {
    /// Whether this is the shorter way.
    pub(crate) fn suffices(state: &State) -> bool {
        2 * state.x.len() <= state.z.len()
    }

    /// Takes over between two iterations.
    pub(crate) fn from_state(state: State<'a, '_>) -> Self {
        let (n, d) = (state.x.rows(), state.x.len());
        let x = state.x.block(0..d, &mut Vec::new()).to_vec();
        let x = Dense::from_vec(n, d, x);
        let mut gram = x.gram_of_columns();
        gram.mirror_lower();
        Self {
            hyper: state.hyper,
            position: state.x.positions(),
            candidate: (0..state.z.len()).map(|m| state.z.position(m)).collect(),
            z: state.candidate_values(),
            latent: state.latent,
            features: state.features,
            a: state.a,
            vectors: Factored::prior(&state.psi, d),
            psi: state.psi,
            f: state.f,
            f_square: state.f_square,
            v_entropy: state.v_entropy,
            gram,
            x,
        }
    }

    /// |x_d|²
    fn norm(&self, d: usize) -> f64 {
        self.gram.at(d, d)
    }

    /// X'(y - b)
    fn pull(&self) -> Vec<f64> {
        self.x.transpose_times(&self.latent.centred())
    }

    fn update_a(&mut self) -> Result<(), NotPositive> {
        let (v, tau) = (&self.features.v, self.latent.tau);
        let mut weighted = self.gram.clone();
        for j in 0..v.len() {
            for (entry, v_i) in weighted.col_mut(j).iter_mut().zip(v) {
                *entry *= tau * v_i * v[j];
            }
        }
        let spread = self.features.v_var.iter().enumerate();
        weighted.add_diagonal(spread.map(|(d, var)| tau * var * self.norm(d)));

        let mut scaled = self.z.clone();
        for d in 0..v.len() {
            for (entry, psi) in scaled.col_mut(d).iter_mut().zip(&self.psi) {
                *entry /= psi.sqrt();
            }
        }
        let (basis, upper) = scaled.qr();
        let mut inner = upper.product(&weighted).product_transposed(&upper);
        inner.add_diagonal(std::iter::repeat_n(1.0, upper.rows()));
        let factor = Cholesky::new(inner)?;

        let linear: Vec<f64> = self.pull().iter().zip(v).map(|(p, v)| p * v).collect();
        self.a = basis.times(&factor.solve(&upper.times(&linear)));
        for (a, psi) in self.a.iter_mut().zip(&self.psi) {
            *a *= tau / psi.sqrt();
        }
        let mut between = factor.inverse_factor().product(&upper).gram_of_columns();
        between.mirror_lower();
        self.vectors = Factored {
            solved: factor.inverse_factor().product_transposed(&basis),
            log_det: -factor.log_det() - self.psi.iter().map(|psi| psi.ln()).sum::<f64>(),
            psi: self.psi.clone(),
            between,
            basis,
        };
        Ok(())
    }

    /// E a_m²
    fn a_second(&self) -> Vec<f64> {
        second_moments(&self.a, self.vectors.variances()).collect()
    }

    /// All features, from the old weights or from the newest; then f and E Σ f².
    fn update_v(&mut self, family: Family, order: Sweep) {
        let g = self.z.transpose_times(&self.a);
        let mut coupling = self.vectors.between.clone();
        for (j, g_j) in g.iter().enumerate() {
            let entries = coupling.col_mut(j).iter_mut().zip(self.gram.col(j));
            for ((entry, gram), g_i) in entries.zip(&g) {
                *entry = (*entry + g_i * g_j) * gram;
            }
        }
        let (pull, tau) = (self.pull(), self.latent.tau);
        let old = self.features.v.clone();
        self.v_entropy = 0.0;
        let mut trace = 0.0;
        for d in 0..g.len() {
            let f = &mut self.features;
            let current = match order {
                Sweep::Simultaneous => &old,
                Sweep::Sequential => &f.v,
            };
            let own = coupling.at(d, d);
            let cross = dot(coupling.col(d), current);
            let s2 = 1.0 / (tau * own + f.delta[d]);
            let mu = s2 * tau * (pull[d] * g[d] - cross + old[d] * own);
            let moments = family.moments(mu, s2);
            (f.v[d], f.v_var[d], f.precision[d]) = (moments.mean, moments.var, own);
            trace += moments.var * own;
            self.v_entropy += family.entropy(mu, s2) + prior_constant(family);
        }
        let v = &self.features.v;
        let weights: Vec<f64> = v.iter().zip(&g).map(|(v, g)| v * g).collect();
        self.f = self.x.times(&weights);
        // tr(K S_a K') = v' (B o X'X) v
        let mut through_a = self.vectors.between.clone();
        let entries = through_a.values_mut().iter_mut().zip(self.gram.values());
        entries.for_each(|(entry, gram)| *entry *= gram);
        self.f_square = dot(&self.f, &self.f) + dot(v, &through_a.times(v)) + trace;
    }
}

impl MeanFieldFactors for Few<'_> {
    fn iterate(&mut self, method: &MeanField) -> Result<(), NotPositive> {
        self.update_a()?;
        self.psi = self
            .a_second()
            .into_iter()
            .map(|second| ard_mean(self.hyper.psi_shape, self.hyper.psi_rate, second))
            .collect();
        self.update_v(method.family, method.sweep);
        self.features.update_delta(&self.hyper);
        self.latent.update_b(&self.f);
        self.latent.update_tau(&self.f, self.f_square);
        self.latent.update_xi();
        self.latent.update_y(&self.f);
        Ok(())
    }

    fn bound(&self) -> f64 {
        mean_field_bound(
            &self.hyper,
            &self.latent,
            (&self.f, self.f_square),
            &self.features,
            self.v_entropy,
            VectorTerms {
                psi: &self.psi,
                second: self.a_second(),
                log_det: self.vectors.log_det,
            },
        )
    }

    fn sizes(&self) -> (usize, usize) {
        (self.features.v.len(), self.a.len())
    }

    fn is_finite(&self) -> bool {
        self.features.is_finite(&self.a, &self.latent)
    }

    fn prune(&mut self, pruning: &Pruning) {
        let keep = above_share(&self.features.v, pruning.features);
        if keep.contains(&false) {
            let kept: Vec<usize> = (0..keep.len()).filter(|&d| keep[d]).collect();
            let (n, m) = (self.x.rows(), self.z.rows());
            self.x = self.x.select(&Vec::from_iter(0..n), &kept);
            self.z = self.z.select(&Vec::from_iter(0..m), &kept);
            self.gram = self.gram.select(&kept, &kept);
            self.features.retain(&keep);
            retain(&mut self.position, &keep);
        }
        let keep = above_share(&self.a, pruning.vectors);
        if keep.contains(&false) {
            let kept: Vec<usize> = (0..keep.len()).filter(|&m| keep[m]).collect();
            self.z = self.z.select(&kept, &Vec::from_iter(0..self.z.cols()));
            retain(&mut self.a, &keep);
            retain(&mut self.psi, &keep);
            retain(&mut self.candidate, &keep);
            self.vectors.retain_candidates(&keep, &kept);
        }
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let curvature = self.latent.curvature(&self.f);
        let g = self.z.transpose_times(&self.a);
        let delta = &self.features.delta;
        let sd = |d: usize| laplace_sd(g[d], delta[d], self.x.col(d), &curvature);
        Outcome {
            weight_sd: (0..g.len()).map(sd).collect(),
            evidence: None,
            moments: Moments {
                v: self.features.v,
                v_spread: Spread::Independent(self.features.v_var),
                a: self.a,
                a_cov: self.vectors.covariance(),
                z: Vectors::Values(self.z),
                b: self.latent.b,
                b_var: self.latent.b_var,
                effects: None,
                noise: 1.0 / self.latent.tau,
            },
            candidates: self.candidate,
            features: self.position,
            stop,
        }
    }
}
