//! The moments of every factor of q over the active sets, and the updates that do not touch the features' sweep.

use super::columns::{CandidateRows, Columns};
use super::latent::{LN_2PI, Latent, ard_bound, ard_mean, second_moments};
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
        second_moments(&self.a, self.a_cov.diagonal())
    }

    /// ψ_m = (shape + 1/2) / (rate + A_mm/2)
    pub(crate) fn update_psi(&mut self) {
        self.psi = self
            .a_second()
            .map(|second| ard_mean(self.hyper.psi_shape, self.hyper.psi_rate, second))
            .collect();
    }

    pub(crate) fn update_delta(&mut self) {
        self.features.update_delta(&self.hyper);
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
        mean_field_bound(
            &self.hyper,
            &self.latent,
            (&self.f, self.f_square),
            &self.features,
            self.v_entropy,
            VectorTerms {
                psi: &self.psi,
                second: self.a_second().collect(),
                log_det: self.a_log_det,
            },
        )
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
        let delta = &self.features.delta;
        let sd = |d: usize| {
            let g = dot(z.col(d), &self.a);
            laplace_sd(g, delta[d], self.x.column(d), &curvature)
        };
        (0..self.x.len()).map(sd).collect()
    }

    /// Whether every number that the model would keep is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.features.is_finite(&self.a, &self.latent)
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

/// What the bound needs of q(a) and q(ψ).
pub(crate) struct VectorTerms<'s> {
    /// ⟨ψ_m⟩
    pub(crate) psi: &'s [f64],
    /// E a_m²
    pub(crate) second: Vec<f64>,
    /// ln |S_a|
    pub(crate) log_det: f64,
}

/// The bound of the mean-field method with every constant, given f and E Σ f_n².
pub(crate) fn mean_field_bound(
    hyper: &Hyper,
    latent: &Latent,
    (f, f_square): (&[f64], f64),
    features: &FeatureState,
    v_entropy: f64,
    vectors: VectorTerms,
) -> f64 {
    let FeatureState {
        v, v_var, delta, ..
    } = features;
    let v_second = v.iter().zip(v_var).map(|(v, var)| v * v + var);
    let a_entropy = 0.5 * (vectors.psi.len() as f64 * (LN_2PI + 1.0) + vectors.log_det);
    let psi = ard_bound(
        hyper.psi_shape,
        hyper.psi_rate,
        vectors.psi.iter().copied().zip(vectors.second),
    );
    let delta = ard_bound(
        hyper.delta_shape,
        hyper.delta_rate,
        delta.iter().copied().zip(v_second),
    );
    latent.bound(f, f_square) + psi + delta + a_entropy + v_entropy
}

/// The standard deviation of a feature's weight by Laplace's method, the feature for itself as in q(v).
pub(crate) fn laplace_sd(g: f64, delta: f64, column: &[f64], curvature: &[f64]) -> f64 {
    let terms = column.iter().zip(curvature).map(|(x, c)| c * x * x);
    let information: f64 = terms.sum();
    g.abs() / (g * g * information + delta).sqrt()
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
