//! The narrow phase of [`crate::Signatures`]: few features, everything exact, the bound monotone.
//!
//! ```text
//! S_v = [ τ (Z'AZ) o (X'X) + diag δ ]^-1,    v = S_v τ (X'(y-b) o Z'a),   ⟨vv'⟩ = vv' + S_v
//! S_a = [ τ Z (⟨vv'⟩ o X'X) Z' + diag ψ ]^-1, a = τ S_a Z (v o X'(y-b))
//! ```

use super::ard;
use super::latent::{LN_2PI, Latent, ard_bound, ard_mean, second_moments};
use super::passes::retain;
use super::state::State;
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};
use crate::posterior::moments::{Moments, Spread, Vectors};
use crate::posterior::prior::Hyper;

/// Moments over the few features that survived, with q(v) one joint Gaussian. v may be negative here.
#[derive(Debug, Clone)]
pub(crate) struct Narrow<'a> {
    hyper: Hyper,
    pub(crate) latent: Latent<'a>,
    /// Original positions of the features and of the candidates.
    pub(crate) position: Vec<usize>,
    pub(crate) candidate: Vec<usize>,
    x: Dense,
    pub(crate) z: Dense,
    /// X'X
    gram: Dense,
    pub(crate) v: Vec<f64>,
    /// S_v
    pub(crate) v_cov: Dense,
    v_log_det: f64,
    pub(crate) delta: Vec<f64>,
    /// ln κ of every feature: what its price has beyond that of others.
    surcharge: Vec<f64>,
    pub(crate) a: Vec<f64>,
    /// S_a
    pub(crate) a_cov: Dense,
    a_log_det: f64,
    pub(crate) psi: Vec<f64>,
    /// (Z'AZ) o (X'X)
    moment: Dense,
    f: Vec<f64>,
    f_square: f64,
}

impl<'a> Narrow<'a> {
    /// What a prediction needs.
    pub(crate) fn moments(&self) -> Moments {
        Moments {
            v: self.v.clone(),
            v_spread: Spread::Joint(self.v_cov.clone()),
            a: self.a.clone(),
            a_cov: self.a_cov.clone(),
            z: Vectors::Values(self.z.clone()),
            b: self.latent.b,
            b_var: self.latent.b_var,
            effects: None,
            noise: 1.0 / self.latent.tau,
        }
    }

    /// Takes over where the wide phase (or the starting point) left off; `cost` gives the factors κ.
    pub(crate) fn from_state(state: State<'a, '_>, cost: impl Fn(usize) -> f64) -> Self {
        let (n, m, d) = (state.x.rows(), state.z.len(), state.x.len());
        let z = state.candidate_values();
        let position = state.x.positions();
        let x = state.x.block(0..d, &mut vec![0.0; n * d]).to_vec();
        let x = Dense::from_vec(n, d, x);
        let mut gram = x.gram_of_columns();
        gram.mirror_lower();
        let mut v_cov = Dense::zeros(d, d);
        v_cov.add_diagonal(state.features.v_var.iter().copied());
        Self {
            hyper: state.hyper,
            latent: state.latent,
            candidate: (0..m).map(|m| state.z.position(m)).collect(),
            surcharge: position.iter().map(|&d| cost(d).ln()).collect(),
            position,
            gram,
            v_log_det: state.features.v_var.iter().map(|var| var.ln()).sum(),
            v: state.features.v,
            v_cov,
            delta: state.features.delta,
            a: state.a,
            a_cov: state.a_cov,
            a_log_det: 0.0,
            psi: state.psi,
            moment: Dense::default(),
            f: state.f,
            f_square: state.f_square,
            z,
            x,
        }
    }

    /// One iteration: a, ψ, v, δ, b, τ, ξ, y. With `settle`, ψ and δ jump to their fixed points and the
    /// candidates and features that are not worth their price are dropped; when none is left it ends early.
    pub(crate) fn iterate(&mut self, settle: bool) -> Result<(), NotPositive> {
        self.update_a()?;
        if settle {
            self.settle_psi()?;
        } else {
            self.update_psi();
        }
        if self.a.is_empty() {
            return Ok(());
        }
        self.update_v()?;
        if settle {
            self.settle_delta()?;
        } else {
            self.update_delta();
        }
        if self.v.is_empty() {
            return Ok(());
        }
        if settle {
            self.join_means()?;
        }
        self.latent.update_b(&self.f);
        self.latent.update_tau(&self.f, self.f_square);
        self.latent.update_xi();
        self.latent.update_y(&self.f);
        Ok(())
    }

    /// X'(y - b)
    fn pull(&self) -> Vec<f64> {
        self.x.transpose_times(&self.latent.centred())
    }

    /// ⟨vv'⟩ o X'X
    fn weighted_gram(&self) -> Dense {
        let mut weighted = self.v_cov.clone();
        for j in 0..self.v.len() {
            let (v_j, gram) = (self.v[j], self.gram.col(j));
            for ((entry, v_i), gram) in weighted.col_mut(j).iter_mut().zip(&self.v).zip(gram) {
                *entry = (*entry + v_i * v_j) * gram;
            }
        }
        weighted
    }

    fn update_a(&mut self) -> Result<(), NotPositive> {
        let tau = self.latent.tau;
        let mut precision = self
            .z
            .product(&self.weighted_gram())
            .product_transposed(&self.z);
        precision
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= tau);
        precision.add_diagonal(self.psi.iter().copied());
        let factor = Cholesky::new(precision)?;
        self.a_cov = factor.inverse();
        self.a_log_det = -factor.log_det();
        let pulled: Vec<f64> = self
            .pull()
            .iter()
            .zip(&self.v)
            .map(|(pull, v)| tau * pull * v)
            .collect();
        self.a = self.a_cov.times(&self.z.times(&pulled));
        Ok(())
    }

    fn a_second(&self) -> impl Iterator<Item = f64> + '_ {
        second_moments(&self.a, self.a_cov.diagonal())
    }

    fn update_psi(&mut self) {
        self.psi = self
            .a_second()
            .map(|second| ard_mean(self.hyper.psi_shape, self.hyper.psi_rate, second))
            .collect();
    }

    /// ψ at its fixed point, candidate by candidate; a and S_a are then made anew.
    fn settle_psi(&mut self) -> Result<(), NotPositive> {
        let price = |p| self.hyper.psi().price(p);
        let keep = ard::settle(&mut self.a, &mut self.a_cov, &mut self.psi, price, |_| 0.0);
        self.retain_candidates(&keep);
        if self.a.is_empty() {
            return Ok(());
        }
        self.update_a()
    }

    fn update_v(&mut self) -> Result<(), NotPositive> {
        let tau = self.latent.tau;
        let g = self.z.transpose_times(&self.a);
        // Z'AZ = Z'S_a Z + gg'
        let mut moment = self.z.transposed_product(&self.a_cov.product(&self.z));
        for j in 0..g.len() {
            let g_j = g[j];
            for ((entry, g_i), gram) in moment.col_mut(j).iter_mut().zip(&g).zip(self.gram.col(j)) {
                *entry = (*entry + g_i * g_j) * gram;
            }
        }
        let mut precision = moment.clone();
        precision
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= tau);
        precision.add_diagonal(self.delta.iter().copied());
        let factor = Cholesky::new(precision)?;
        self.v_cov = factor.inverse();
        self.v_log_det = -factor.log_det();
        let linear: Vec<f64> = self
            .pull()
            .iter()
            .zip(&g)
            .map(|(pull, g)| tau * pull * g)
            .collect();
        self.v = self.v_cov.times(&linear);
        self.moment = moment;
        self.update_f();
        Ok(())
    }

    /// f = X w, and E Σ f² = Σ ⟨vv'⟩ o (Z'AZ) o (X'X)
    fn update_f(&mut self) {
        self.f = self.x.times(&self.weights());
        let of_mean = dot(&self.v, &self.moment.times(&self.v));
        self.f_square = of_mean + dot(self.moment.values(), self.v_cov.values());
    }

    /// δ at its fixed point, feature by feature; v and S_v are then made anew.
    fn settle_delta(&mut self) -> Result<(), NotPositive> {
        let (price, extra) = (|p| self.hyper.delta().price(p), |d| self.surcharge[d]);
        let keep = ard::settle(&mut self.v, &mut self.v_cov, &mut self.delta, price, extra);
        self.retain_features(&keep);
        if self.v.is_empty() {
            return Ok(());
        }
        self.update_v()
    }

    fn update_delta(&mut self) {
        let second = self
            .v
            .iter()
            .zip(self.v_cov.diagonal())
            .map(|(v, var)| v * v + var);
        self.delta = second
            .map(|second| ard_mean(self.hyper.delta_shape, self.hyper.delta_rate, second))
            .collect();
    }

    /// The means of v, b and y at their joint optimum, everything else held.
    ///
    /// One after the other they crawl towards it, because a score y_n mostly follows its own f_n. With
    /// ω_n = 2 c λ τ / (τ + 2 c λ) and y eliminated, the optimum solves
    ///
    /// ```text
    /// [ τ (Z'S_aZ) o X'X + diag δ ] v + g o X' ω (f + b) = g o X' r,    b + Σ ω (f + b) = Σ r,
    /// r_n = τ c (t - 1/2) / (τ + 2 c λ),   f = X (v o g)
    /// ```
    fn join_means(&mut self) -> Result<(), NotPositive> {
        let Some((omega, r)) = self.latent.eliminated() else {
            return Ok(());
        };
        let (d, tau) = (self.v.len(), self.latent.tau);
        let regressors = self.regressors();
        let mut system = regressors.weighted_gram(&omega);
        let spread = self.z.transposed_product(&self.a_cov.product(&self.z));
        for j in 0..d {
            for i in 0..d {
                system.col_mut(j)[i] += tau * spread.at(i, j) * self.gram.at(i, j);
            }
        }
        system.add_diagonal(self.delta.iter().copied().chain([1.0]));
        let mut solution = Cholesky::new(system)?.solve(&regressors.transpose_times(&r));
        self.latent.b = solution.pop().unwrap_or_default();
        self.v = solution;
        self.update_f();
        self.latent.update_y(&self.f);
        Ok(())
    }

    /// The regressors of v and b: columns x_d g_d, and ones.
    fn regressors(&self) -> Dense {
        let (n, d) = (self.x.rows(), self.v.len());
        let mut columns = Vec::with_capacity(n * (d + 1));
        for (j, g) in self.z.transpose_times(&self.a).into_iter().enumerate() {
            columns.extend(self.x.col(j).iter().map(|x| x * g));
        }
        columns.resize(n * (d + 1), 1.0);
        Dense::from_vec(n, d + 1, columns)
    }

    /// Standard deviations of the weights by Laplace's method at their means: a and the precisions held, the
    /// latent scores integrated out. q(v) itself takes y as known and is far too narrow for this.
    pub(crate) fn weight_sd(&self) -> Vec<f64> {
        let g = self.z.transpose_times(&self.a);
        let mut precision = self
            .regressors()
            .weighted_gram(&self.latent.curvature(&self.f));
        precision.add_diagonal(self.delta.iter().copied().chain([1.0]));
        let Ok(factor) = Cholesky::new(precision) else {
            return self
                .v_cov
                .diagonal()
                .zip(&g)
                .map(|(var, g)| var.sqrt() * g.abs())
                .collect();
        };
        let covariance = factor.inverse();
        g.iter()
            .zip(covariance.diagonal())
            .map(|(g, var)| var.sqrt() * g.abs())
            .collect()
    }

    /// w_d = v_d (z_:d · a)
    pub(crate) fn weights(&self) -> Vec<f64> {
        let g = self.z.transpose_times(&self.a);
        self.v.iter().zip(&g).map(|(v, g)| v * g).collect()
    }

    /// The bound with every constant
    pub(crate) fn bound(&self) -> f64 {
        let h = &self.hyper;
        let v_second = self
            .v
            .iter()
            .zip(self.v_cov.diagonal())
            .map(|(v, var)| v * v + var);
        let psi = ard_bound(
            h.psi_shape,
            h.psi_rate,
            self.psi.iter().copied().zip(self.a_second()),
        );
        let delta = ard_bound(
            h.delta_shape,
            h.delta_rate,
            self.delta.iter().copied().zip(v_second),
        );
        let weights = (self.a.len() + self.v.len()) as f64;
        let entropies = 0.5 * (weights * (LN_2PI + 1.0) + self.a_log_det + self.v_log_det);
        self.latent.bound(&self.f, self.f_square) + psi + delta + entropies
    }

    /// The log Bayes factor of the signature against the base rate alone, for the features and vectors it has:
    /// the bound, less the base rate's bound, with the prices of the weights given back.
    pub(crate) fn evidence(&self) -> f64 {
        let (psi, delta) = (self.hyper.psi(), self.hyper.delta());
        let prices = self.psi.iter().map(|&p| psi.price(p)).sum::<f64>()
            + self.delta.iter().map(|&p| delta.price(p)).sum::<f64>();
        self.bound() + prices - self.latent.base_rate_bound()
    }

    pub(crate) fn is_finite(&self) -> bool {
        let all = [&self.v, &self.a, &self.latent.y].into_iter().flatten();
        all.sum::<f64>().is_finite() && self.latent.b.is_finite() && self.latent.tau.is_finite()
    }

    pub(crate) fn retain_candidates(&mut self, keep: &[bool]) {
        let kept: Vec<usize> = (0..keep.len()).filter(|&m| keep[m]).collect();
        let features: Vec<usize> = (0..self.v.len()).collect();
        retain(&mut self.candidate, keep);
        retain(&mut self.a, keep);
        retain(&mut self.psi, keep);
        self.a_cov = self.a_cov.select(&kept, &kept);
        self.z = self.z.select(&kept, &features);
    }

    pub(crate) fn retain_features(&mut self, keep: &[bool]) {
        let kept: Vec<usize> = (0..keep.len()).filter(|&d| keep[d]).collect();
        let rows: Vec<usize> = (0..self.x.rows()).collect();
        let candidates: Vec<usize> = (0..self.z.rows()).collect();
        retain(&mut self.position, keep);
        retain(&mut self.v, keep);
        retain(&mut self.delta, keep);
        retain(&mut self.surcharge, keep);
        self.v_cov = self.v_cov.select(&kept, &kept);
        self.gram = self.gram.select(&kept, &kept);
        self.x = self.x.select(&rows, &kept);
        self.z = self.z.select(&candidates, &kept);
    }
}
