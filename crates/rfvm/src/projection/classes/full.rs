//! The full posterior of several classes: the wide sweeps of `projection/full.rs`, a for each class and v for all.
//!
//! With P_d = δ_d + τ |x_d|² Σ z_d'S_a^c z_d and the rows of all classes stacked, Φ_cn,d = x_nd g_cd, v is updated jointly in the
//! dual as in the wide phase of two classes; C is then of as many rows as there are classes times samples:
//!
//! ```text
//! C   = I/τ + Φ diag(1/P) Φ' = LL'
//! mu  = diag(1/P) Φ' C^-1 (y - b),       s2_d = 1/P_d - |L^-1 Φ_d / P_d|²,   folded to v_d >= 0
//! ```

use crate::data::Task;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::latent::{Latent, ard_mean};
use crate::inference::passes::{FeatureState, Passes, square_norm};
use crate::inference::prepare::Prepared;
use crate::inference::start;
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, add_outer_lower, dot, multiply_lower};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::Steps;
use crate::params::Projected;
use crate::posterior::family::Family;
use crate::posterior::prior::Hyper;
use crate::projection::full::{Full, ROUNDS, hyper, smoothed_by_others};

/// Samples times classes: the dual matrix of v has as many rows, and every thread has some of its kind.
pub(crate) const MOST_SCORES: usize = 4000;

/// a, ψ and the scores of one class.
pub(super) struct ClassState<'a> {
    pub(super) latent: Latent<'a>,
    pub(super) a: Vec<f64>,
    a_cov: Dense,
    pub(super) psi: Vec<f64>,
    pub(super) f: Vec<f64>,
    f_var: Vec<f64>,
}

/// Everything that a sweep reads and writes.
pub(super) struct ClassesState<'a, 'p> {
    x: Columns<'a>,
    z: CandidateRows<'a>,
    hyper: Hyper,
    pub(super) features: FeatureState,
    passes: Passes<'p>,
    /// K = X diag(v) X'
    kernel: Dense,
    /// X diag(var_v |x|²) X'
    spread: Dense,
    pub(super) classes: Vec<ClassState<'a>>,
}

/// The full posterior of the given rows of the data, one of each class with the same v; an error where a factorisation breaks
/// down or somebody has had enough.
pub(super) fn fit(
    data: &Prepared,
    params: &Projected,
    rows: &[usize],
    workers: &Workers,
    steps: &Steps,
) -> Result<Vec<Full>, NotPositive> {
    let weight: Vec<f64> = rows.iter().map(|&n| data.weight[n]).collect();
    let targets = indicators(data, rows);
    let x = Columns::of_rows(&data.values, data.samples, rows);
    let hyper = hyper(params, x.len());
    let v = start::of_classes(&x, &targets, &weight, params.power);
    let mut state = ClassesState::start(x, hyper, &targets, &weight, v, workers);
    let pulled = state.sweep(params.sweeps, steps)?;
    Ok(state.into_fulls(&pulled))
}

/// 1[t_n = c] of some rows, class by class.
pub(super) fn indicators(data: &Prepared, rows: &[usize]) -> Vec<Vec<f64>> {
    let of = |class: usize| {
        let is = |&n: &usize| f64::from(data.target[n] as usize == class);
        rows.iter().map(is).collect()
    };
    (0..data.classes.len()).map(of).collect()
}

impl<'a, 'p> ClassesState<'a, 'p> {
    pub(super) fn start(
        x: Columns<'a>,
        hyper: Hyper,
        targets: &'a [Vec<f64>],
        weight: &'a [f64],
        v: Vec<f64>,
        workers: &'p Workers,
    ) -> Self {
        let (n, d) = (x.rows(), x.len());
        let v_var = vec![1e-3 / d as f64; d];
        let delta = v.iter().zip(&v_var).map(|(v, var)| 1.0 / (v * v + var));
        let class = |target: &'a Vec<f64>| ClassState {
            latent: Latent::start(Task::Classification, target, weight, hyper, Some(1.0)),
            a: vec![0.0; n],
            a_cov: Dense::default(),
            psi: vec![1.0; n],
            f: vec![0.0; n],
            f_var: vec![0.0; n],
        };
        let mut state = Self {
            z: CandidateRows::new(n, None, None),
            hyper,
            features: FeatureState {
                delta: delta.collect(),
                v,
                v_var,
                precision: vec![0.0; d],
            },
            passes: Passes::new(workers, n, n, d),
            kernel: Dense::default(),
            spread: Dense::default(),
            classes: targets.iter().map(class).collect(),
            x,
        };
        let shape = [(n, n), (n, n)];
        state.passes.run(
            &state.x,
            &state.z,
            &mut state.features,
            shape,
            |mut block, f| block.add_kernel_and_spread(&f),
        );
        state.collect_products();
        state
    }

    fn collect_products(&mut self) {
        (self.kernel, self.spread) = self.passes.matrices();
        self.kernel.mirror_lower();
        self.spread.mirror_lower();
    }

    /// The sweeps, up to the a of the last one; gives every class's y - b that this a was made from.
    pub(super) fn sweep(
        &mut self,
        sweeps: usize,
        steps: &Steps,
    ) -> Result<Vec<Vec<f64>>, NotPositive> {
        let mut pulled = Vec::new();
        for left in (0..sweeps).rev() {
            if steps.stopped() {
                return Err(NotPositive);
            }
            pulled = self
                .classes
                .iter()
                .map(|own| own.latent.centred())
                .collect();
            let mut gram = self.kernel.gram_of_columns();
            gram.add(&self.spread);
            for own in &mut self.classes {
                own.update_a(&gram, &self.kernel, self.hyper)?;
                own.update_f(&self.kernel);
                own.latent.update_b(&own.f);
                for _ in 0..ROUNDS {
                    own.latent.update_xi();
                    own.latent.update_y(&own.f);
                }
            }
            steps.step();
            if left > 0 {
                self.update_v()?;
            }
            if !self.is_finite() {
                return Err(NotPositive);
            }
        }
        Ok(pulled)
    }

    /// v jointly, δ, then once b, ξ, y of every class.
    fn update_v(&mut self) -> Result<(), NotPositive> {
        let dual = self.precisions_and_dual()?;
        self.moments(&dual);
        drop(dual);
        let Hyper {
            delta_shape,
            delta_rate,
            ..
        } = self.hyper;
        let FeatureState {
            v, v_var, delta, ..
        } = &mut self.features;
        for ((delta, v), var) in delta.iter_mut().zip(v).zip(v_var) {
            *delta = ard_mean(delta_shape, delta_rate, *v * *v + *var);
        }
        for own in &mut self.classes {
            own.update_f(&self.kernel);
            own.latent.update_b(&own.f);
            own.latent.update_xi();
            own.latent.update_y(&own.f);
        }
        Ok(())
    }

    /// P_d of every feature, and the factor of C.
    fn precisions_and_dual(&mut self) -> Result<Cholesky, NotPositive> {
        // Both are made anew with the moments.
        (self.kernel, self.spread) = Default::default();
        let (n, classes) = (self.x.rows(), &self.classes);
        let tau = classes[0].latent.tau;
        let covariances: Vec<Dense> = classes
            .iter()
            .map(|own| own.a_cov.quadratic_lower())
            .collect();
        let stacked_rows = n * classes.len();
        self.passes.run(
            &self.x,
            &self.z,
            &mut self.features,
            [(stacked_rows, stacked_rows), (0, 0)],
            |block, f| {
                f.precision.copy_from_slice(f.delta);
                for covariance in &covariances {
                    let out = &mut block.room[..f.v.len() * n];
                    multiply_lower(out, covariance, block.z);
                    let columns = block.z.chunks_exact(n).zip(out.chunks_exact(n));
                    for (d, (z, sz)) in columns.enumerate() {
                        f.precision[d] += tau * square_norm(block.x, n, d) * dot(z, sz);
                    }
                }
                let stacked = stacked(classes, block.x, n);
                let mut scaled = stacked.clone();
                let columns = scaled.chunks_exact_mut(stacked_rows);
                for (column, precision) in columns.zip(&*f.precision) {
                    column.iter_mut().for_each(|value| *value /= precision);
                }
                add_outer_lower(block.first, &scaled, &stacked);
            },
        );
        let (mut dual, _) = self.passes.matrices();
        dual.add_diagonal(std::iter::repeat_n(1.0 / tau, stacked_rows));
        Cholesky::new(dual)
    }

    /// Joint means and marginal variances, folded.
    fn moments(&mut self, dual: &Cholesky) {
        let centred = self.classes.iter().flat_map(|own| own.latent.centred());
        let solved = dual.solve(&centred.collect::<Vec<_>>());
        let factor = dual.inverse_factor();
        let (n, classes) = (self.x.rows(), &self.classes);
        let tau = classes[0].latent.tau;
        let stacked_rows = n * classes.len();
        self.passes.run(
            &self.x,
            &self.z,
            &mut self.features,
            [(n, n), (n, n)],
            |mut block, f| {
                let stacked = stacked(classes, block.x, n);
                let mut whitened = vec![0.0; stacked.len()];
                multiply_lower(&mut whitened, factor, &stacked);
                let columns = stacked.chunks_exact(stacked_rows);
                for (d, (phi, whitened)) in
                    columns.zip(whitened.chunks_exact(stacked_rows)).enumerate()
                {
                    let precision = f.precision[d];
                    let mu = dot(phi, &solved) / precision;
                    let marginal = 1.0 / precision - dot(whitened, whitened) / precision.powi(2);
                    // Never below the variance given all other features, whatever the rounding.
                    let given_others = 1.0 / (precision + tau * dot(phi, phi));
                    let moments = Family::Folded.moments(mu, marginal.max(given_others));
                    f.v[d] = moments.mean;
                    f.v_var[d] = moments.var;
                }
                block.add_kernel_and_spread(&f);
            },
        );
        self.collect_products();
    }

    fn is_finite(&self) -> bool {
        let of_features = [&self.features.v, &self.features.v_var].into_iter();
        let of_classes = self.classes.iter().flat_map(|own| [&own.a, &own.latent.y]);
        let sum: f64 = of_features.chain(of_classes).flatten().sum();
        sum.is_finite() && self.classes.iter().all(|own| own.latent.b.is_finite())
    }

    /// x_d' S_a x_d of a class, and |x_d|², of every feature.
    fn quadratics(&mut self, class: usize) -> Vec<f64> {
        let covariance = self.classes[class].a_cov.quadratic_lower();
        let n = self.x.rows();
        self.passes.run(
            &self.x,
            &self.z,
            &mut self.features,
            [(0, 0), (0, 0)],
            |block, f| {
                let out = &mut block.room[..f.v.len() * n];
                multiply_lower(out, &covariance, block.z);
                let columns = block.z.chunks_exact(n).zip(out.chunks_exact(n));
                for (precision, (z, sz)) in f.precision.iter_mut().zip(columns) {
                    *precision = dot(z, sz);
                }
            },
        );
        self.features.precision.clone()
    }

    fn into_fulls(mut self, pulled: &[Vec<f64>]) -> Vec<Full> {
        let mut scratch = Vec::new();
        let n = self.x.rows();
        let norms: Vec<f64> = (0..self.x.len())
            .map(|d| square_norm(self.x.block(d..d + 1, &mut scratch), n, 0))
            .collect();
        (0..self.classes.len())
            .map(|class| {
                let quadratics = self.quadratics(class);
                let own = &self.classes[class];
                let g: Vec<f64> = (0..norms.len())
                    .map(|d| dot(self.x.block(d..d + 1, &mut scratch), &own.a))
                    .collect();
                let FeatureState { v, v_var, .. } = &self.features;
                let along = |d: usize| v[d].powi(2) * quadratics[d] * norms[d];
                let exact: f64 = own.f_var.iter().sum();
                let total: f64 = (0..v.len()).map(along).sum();
                let factor = if total > 0.0 { exact / total } else { 0.0 };
                let spread = (0..v.len()).map(|d| {
                    factor * along(d) / n as f64 + v_var[d] * (quadratics[d] + g[d] * g[d])
                });
                Full {
                    spread: spread.collect(),
                    g,
                    v: v.clone(),
                    a: own.a.clone(),
                    b: own.latent.b,
                    effects: None,
                    floor: (own.latent.b_var, 1.0 / own.latent.tau),
                    scores: own.f.iter().map(|f| f + own.latent.b).collect(),
                    left_out: smoothed_by_others(&own.latent, &own.f, &own.f_var, &pulled[class]),
                }
            })
            .collect()
    }
}

impl ClassState<'_> {
    /// S_a = [τ (K'K + spread) + diag ψ]^-1, a = τ S_a K'(y - b), ψ_m = (shape + 1/2) / (rate + A_mm/2)
    fn update_a(&mut self, gram: &Dense, kernel: &Dense, hyper: Hyper) -> Result<(), NotPositive> {
        let tau = self.latent.tau;
        let mut precision = gram.clone();
        precision
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= tau);
        precision.add_diagonal(self.psi.iter().copied());
        self.a_cov = Cholesky::new(precision)?.inverse();
        let pull = kernel.transpose_times(&self.latent.centred());
        self.a = self.a_cov.times(&pull);
        self.a.iter_mut().for_each(|a| *a *= tau);
        let second = self.a.iter().zip(self.a_cov.diagonal());
        self.psi = second
            .map(|(a, var)| ard_mean(hyper.psi_shape, hyper.psi_rate, a * a + var))
            .collect();
        Ok(())
    }

    /// f = K a, and (K S_a K')_nn
    fn update_f(&mut self, kernel: &Dense) {
        self.f = kernel.times(&self.a);
        // K is symmetric.
        self.f_var = kernel.transposed_products_diagonal(&self.a_cov);
    }
}

/// x_nd g_cd: a column for every feature of a block, the classes below each other.
fn stacked(classes: &[ClassState], block: &[f64], n: usize) -> Vec<f64> {
    let mut stacked = Vec::with_capacity(block.len() * classes.len());
    for x in block.chunks_exact(n) {
        for own in classes {
            let g = dot(x, &own.a);
            stacked.extend(x.iter().map(|x| g * x));
        }
    }
    stacked
}
