//! The moments of every factor of q over the active sets, and the updates that do not touch the features' sweep.

use super::columns::{CandidateRows, Columns};
use super::latent::{LN_2PI, Latent, ard_bound, ard_mean};
use super::passes::{FeatureState, Passes, retain};
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};
use crate::numerics::parallel::Workers;
use crate::posterior::moments::{Moments, Spread, Vectors};
use crate::posterior::prior::Hyper;

/// Everything one iteration of the mean-field method or of the wide phase reads and writes.
#[derive(Debug)]
pub(crate) struct State<'a, 'p> {
    pub(crate) x: Columns<'a>,
    pub(crate) z: CandidateRows<'a>,
    pub(crate) hyper: Hyper,
    pub(crate) latent: Latent<'a>,
    pub(crate) features: FeatureState,
    pub(crate) a: Vec<f64>,
    /// S_a
    pub(crate) a_cov: Dense,
    a_log_det: f64,
    pub(crate) psi: Vec<f64>,
    /// K = X diag(v) Z'
    pub(crate) kernel: Dense,
    /// Z diag(var_v |x|²) Z'
    pub(crate) spread: Dense,
    /// f = K a
    pub(crate) f: Vec<f64>,
    /// (K S_a K')_nn: what the uncertainty of a adds to the variance of f_n.
    pub(crate) f_var: Vec<f64>,
    /// E Σ f_n²
    pub(crate) f_square: f64,
    /// Entropy of q(v), with ln 2 per feature where its prior lives on v >= 0
    pub(crate) v_entropy: f64,
    pub(crate) passes: Passes<'p>,
}

impl<'a, 'p> State<'a, 'p> {
    /// What a prediction needs.
    pub(crate) fn moments(&self) -> Moments {
        Moments {
            v: self.features.v.clone(),
            v_spread: Spread::Independent(self.features.v_var.clone()),
            a: self.a.clone(),
            a_cov: self.a_cov.clone(),
            z: Vectors::Values(self.candidate_values()),
            b: self.latent.b,
            b_var: self.latent.b_var,
            effects: None,
            noise: 1.0 / self.latent.tau,
        }
    }

    /// The starting point: weights v (Σ v² = 1), var = 1e-3/D, δ = 1/(v² + var), ψ = 1.
    pub(crate) fn start(
        x: Columns<'a>,
        z: CandidateRows<'a>,
        latent: Latent<'a>,
        hyper: Hyper,
        v: Vec<f64>,
        workers: &'p Workers,
    ) -> Self {
        let (n, m, d) = (x.rows(), z.len(), x.len());
        let v_var = vec![1e-3 / d as f64; d];
        let delta = v
            .iter()
            .zip(&v_var)
            .map(|(v, var)| 1.0 / (v * v + var))
            .collect();
        let mut state = Self {
            passes: Passes::new(workers, n, m, d),
            features: FeatureState {
                v,
                v_var,
                delta,
                precision: vec![0.0; d],
            },
            a: vec![0.0; m],
            a_cov: Dense::identity(m),
            a_log_det: 0.0,
            psi: vec![1.0; m],
            kernel: Dense::default(),
            spread: Dense::default(),
            f: vec![0.0; n],
            f_var: vec![0.0; n],
            f_square: 0.0,
            v_entropy: 0.0,
            x,
            z,
            hyper,
            latent,
        };
        state.rebuild_products();
        state
    }

    /// Shapes of K and of the spread.
    pub(crate) fn product_shape(&self) -> [(usize, usize); 2] {
        [(self.x.rows(), self.z.len()), (self.z.len(), self.z.len())]
    }

    /// K and the spread from the current v: at the start and after features were dropped.
    fn rebuild_products(&mut self) {
        let shape = self.product_shape();
        self.passes.run(
            &self.x,
            &self.z,
            &mut self.features,
            shape,
            |mut block, f| {
                block.add_kernel_and_spread(&f);
            },
        );
        self.collect_products();
    }

    /// Takes over the sums that a pass with `add_kernel_and_spread` left.
    pub(crate) fn collect_products(&mut self) {
        (self.kernel, self.spread) = self.passes.matrices();
        if self.z.is_data() {
            self.kernel.mirror_lower();
        }
        self.spread.mirror_lower();
    }

    /// S_a = [τ (K'K + spread) + diag ψ]^-1, a = τ S_a K'(y - b)
    pub(crate) fn update_a(&mut self) -> Result<(), NotPositive> {
        let tau = self.latent.tau;
        let mut precision = self.kernel.gram_of_columns();
        precision.add(&self.spread);
        precision
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= tau);
        precision.add_diagonal(self.psi.iter().copied());
        let factor = Cholesky::new(precision)?;
        // The old one makes room, but only now: a fit that breaks down ends with it.
        self.a_cov = Dense::default();
        self.a_cov = factor.inverse();
        self.a_log_det = -factor.log_det();
        let pull = self.kernel.transpose_times(&self.latent.centred());
        self.a = self.a_cov.times(&pull);
        self.a.iter_mut().for_each(|a| *a *= tau);
        Ok(())
    }

    /// E a_m²
    fn a_second(&self) -> impl Iterator<Item = f64> + '_ {
        self.a
            .iter()
            .zip(self.a_cov.diagonal())
            .map(|(a, var)| a * a + var)
    }

    /// ψ_m = (shape + 1/2) / (rate + A_mm/2)
    pub(crate) fn update_psi(&mut self) {
        self.psi = self
            .a_second()
            .map(|second| ard_mean(self.hyper.psi_shape, self.hyper.psi_rate, second))
            .collect();
    }

    /// δ_d = (shape + 1/2) / (rate + E v_d²/2)
    pub(crate) fn update_delta(&mut self) {
        let FeatureState {
            v, v_var, delta, ..
        } = &mut self.features;
        for ((delta, v), var) in delta.iter_mut().zip(v).zip(v_var) {
            *delta = ard_mean(
                self.hyper.delta_shape,
                self.hyper.delta_rate,
                *v * *v + *var,
            );
        }
    }

    /// f = K a, and tr(K A K') as the first part of E Σ f²
    pub(crate) fn update_f(&mut self) {
        self.f = self.kernel.times(&self.a);
        let spread = self.kernel.product(&self.a_cov);
        self.f_var.fill(0.0);
        for m in 0..self.a.len() {
            let entries = spread.col(m).iter().zip(self.kernel.col(m));
            for (var, (spread, kernel)) in self.f_var.iter_mut().zip(entries) {
                *var += spread * kernel;
            }
        }
        self.f_square = dot(&self.f, &self.f) + self.f_var.iter().sum::<f64>();
    }

    /// b, τ, ξ and y, in this order
    pub(crate) fn update_latent(&mut self) {
        self.latent.update_b(&self.f);
        self.latent.update_tau(&self.f, self.f_square);
        self.latent.update_xi();
        self.latent.update_y(&self.f);
    }

    /// A = ⟨aa'⟩
    pub(crate) fn a_moment(&self) -> Dense {
        let m = self.a.len();
        let mut moment = self.a_cov.clone();
        for j in 0..m {
            let a_j = self.a[j];
            for (entry, a_i) in moment.col_mut(j).iter_mut().zip(&self.a) {
                *entry += a_i * a_j;
            }
        }
        moment
    }

    /// The bound with every constant, for the mean-field method
    pub(crate) fn bound(&self) -> f64 {
        let h = &self.hyper;
        let f = &self.features;
        let v_second = f.v.iter().zip(&f.v_var).map(|(v, var)| v * v + var);
        let psi = ard_bound(
            h.psi_shape,
            h.psi_rate,
            self.psi.iter().copied().zip(self.a_second()),
        );
        let delta = ard_bound(
            h.delta_shape,
            h.delta_rate,
            f.delta.iter().copied().zip(v_second),
        );
        let a_entropy = 0.5 * (self.a.len() as f64 * (LN_2PI + 1.0) + self.a_log_det);
        self.latent.bound(&self.f, self.f_square) + psi + delta + a_entropy + self.v_entropy
    }

    /// The active candidates' values of the active features, M x D.
    pub(crate) fn candidate_values(&self) -> Dense {
        let (n, m, d) = (self.x.rows(), self.z.len(), self.x.len());
        let (mut x, mut z) = (vec![0.0; n], vec![0.0; m]);
        let mut values = Vec::with_capacity(m * d);
        for d in 0..d {
            let x = self.x.block(d..d + 1, &mut x);
            values.extend_from_slice(self.z.block(d..d + 1, x, &mut z));
        }
        Dense::from_vec(m, d, values)
    }

    /// Standard deviations of the weights by Laplace's method, each feature for itself as in q(v).
    pub(crate) fn weight_sd(&self) -> Vec<f64> {
        let curvature = self.latent.curvature(&self.f);
        let z = self.candidate_values();
        (0..self.x.len())
            .map(|d| {
                let g = dot(z.col(d), &self.a);
                let information: f64 = self
                    .x
                    .column(d)
                    .iter()
                    .zip(&curvature)
                    .map(|(x, c)| c * x * x)
                    .sum();
                g.abs() / (g * g * information + self.features.delta[d]).sqrt()
            })
            .collect()
    }

    /// Whether every number that the model would keep is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let f = &self.features;
        let sum = [&f.v, &f.v_var, &self.a, &self.latent.y]
            .into_iter()
            .flatten();
        sum.sum::<f64>().is_finite() && self.latent.b.is_finite() && self.latent.tau.is_finite()
    }

    /// Drops features whose flag is false; K and the spread are made anew without them.
    pub(crate) fn retain_features(&mut self, keep: &[bool]) {
        if keep.iter().all(|&keep| keep) {
            return;
        }
        self.x.retain(keep);
        self.z.retain_features(keep);
        self.features.retain(keep);
        self.passes = Passes::new(
            self.passes.workers(),
            self.x.rows(),
            self.z.len(),
            self.x.len(),
        );
        self.rebuild_products();
    }

    /// Drops candidates whose flag is false.
    pub(crate) fn retain_candidates(&mut self, keep: &[bool]) {
        if keep.iter().all(|&keep| keep) {
            return;
        }
        let kept: Vec<usize> = (0..keep.len()).filter(|&m| keep[m]).collect();
        let rows: Vec<usize> = (0..self.kernel.rows()).collect();
        self.z.retain(keep);
        retain(&mut self.a, keep);
        retain(&mut self.psi, keep);
        self.a_cov = self.a_cov.select(&kept, &kept);
        self.kernel = self.kernel.select(&rows, &kept);
        self.spread = self.spread.select(&kept, &kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Task;

    #[test]
    fn an_update_that_breaks_down_leaves_the_covariance_as_it_was() {
        let x = [-1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
        let (target, weight) = ([0.0, 0.0, 1.0, 1.0], [1.0; 4]);
        let hyper = Hyper::for_size(Task::Classification, 4, 4, 2);
        let workers = Workers(None);
        let mut state = State::start(
            Columns::new(&x, 4),
            CandidateRows::new(4, None, None),
            Latent::start(Task::Classification, &target, &weight, hyper, None),
            hyper,
            vec![0.5; 2],
            &workers,
        );
        assert!(state.update_a().is_ok());
        let before = state.a_cov.clone();
        state.psi[0] = f64::NAN;
        assert!(state.update_a().is_err());
        assert_eq!(state.a_cov, before);
    }
}
