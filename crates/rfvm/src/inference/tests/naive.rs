//! A literal scalar version of the mean-field iteration, for tests: every sum written out, D x D matrices and all.
//!
//! It knows what the golden cases do not cover: candidates other than the data, weights, and regression.
#![allow(clippy::needless_range_loop)]

use proptest::prelude::*;

use crate::data::Task;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::factors::MeanFieldFactors;
use crate::inference::few::Few;
use crate::inference::latent::Latent;
use crate::inference::state::State;
use crate::inference::sweep;
use crate::numerics::linalg::{Cholesky, Dense};
use crate::numerics::parallel::Workers;
use crate::numerics::special::jj_lambda;
use crate::params::{MeanField, Pruning, Sweep};
use crate::posterior::family::Family;
use crate::posterior::prior::Hyper;
use crate::posterior::trace::StopReason;

/// A random problem: X and Z row by row.
#[derive(Debug, Clone)]
struct Problem {
    x: Vec<Vec<f64>>,
    z: Vec<Vec<f64>>,
    t: Vec<f64>,
    weight: Vec<f64>,
    task: Task,
}

/// Moments as plain vectors.
struct Naive {
    v: Vec<f64>,
    v_var: Vec<f64>,
    a: Vec<f64>,
    a_cov: Dense,
    b: f64,
    b_var: f64,
    y: Vec<f64>,
    y_var: Vec<f64>,
    xi: Vec<f64>,
    psi: Vec<f64>,
    delta: Vec<f64>,
    tau: f64,
}

const HYPER: Hyper = Hyper {
    psi_shape: 1e-3,
    psi_rate: 2e-3,
    delta_shape: 1e-4,
    delta_rate: 3e-3,
    tau_shape: 0.5,
    tau_rate: 0.7,
};

impl Naive {
    fn start(p: &Problem) -> Self {
        let (n, m, d) = (p.x.len(), p.z.len(), p.x[0].len());
        let regression = p.task == Task::Regression;
        Self {
            v: vec![(d as f64).powf(-0.5); d],
            v_var: vec![1e-3 / d as f64; d],
            a: vec![0.0; m],
            a_cov: Dense::identity(m),
            b: 0.0,
            b_var: 1.0,
            y: p.t
                .iter()
                .map(|t| if regression { *t } else { 2.0 * t - 1.0 })
                .collect(),
            y_var: vec![if regression { 0.0 } else { 1.0 }; n],
            xi: vec![1.0; n],
            psi: vec![1.0; m],
            delta: vec![d as f64 / 1.001; d],
            tau: 1.0,
        }
    }

    fn second_a(&self, i: usize, j: usize) -> f64 {
        self.a[i] * self.a[j] + self.a_cov.at(i, j)
    }

    fn second_v(&self, d: usize, e: usize) -> f64 {
        self.v[d] * self.v[e] + if d == e { self.v_var[d] } else { 0.0 }
    }

    fn f(&self, p: &Problem, n: usize) -> f64 {
        let (m, d) = (self.a.len(), self.v.len());
        (0..d)
            .flat_map(|d| (0..m).map(move |m| (d, m)))
            .map(|(d, m)| p.x[n][d] * self.v[d] * p.z[m][d] * self.a[m])
            .sum()
    }

    /// Σ_n E f_n²
    fn f_square(&self, p: &Problem) -> f64 {
        let (m, dims) = (self.a.len(), self.v.len());
        let mut total = 0.0;
        for x in &p.x {
            for d in 0..dims {
                for e in 0..dims {
                    for i in 0..m {
                        for j in 0..m {
                            total += x[d]
                                * x[e]
                                * self.second_v(d, e)
                                * p.z[i][d]
                                * p.z[j][e]
                                * self.second_a(i, j);
                        }
                    }
                }
            }
        }
        total
    }

    fn iterate(&mut self, p: &Problem, family: Family, sweep: Sweep) {
        let (n, m, dims) = (p.x.len(), p.z.len(), self.v.len());
        // a
        let mut precision = Dense::zeros(m, m);
        precision.add_diagonal(self.psi.iter().copied());
        let mut linear = vec![0.0; m];
        for i in 0..m {
            for (x, y) in p.x.iter().zip(&self.y) {
                for d in 0..dims {
                    linear[i] += self.tau * p.z[i][d] * self.v[d] * x[d] * (y - self.b);
                    for e in 0..dims {
                        for j in 0..m {
                            precision.col_mut(j)[i] += self.tau
                                * p.z[i][d]
                                * x[d]
                                * self.second_v(d, e)
                                * x[e]
                                * p.z[j][e];
                        }
                    }
                }
            }
        }
        self.a_cov = Cholesky::new(precision)
            .map(|c| c.inverse())
            .unwrap_or_default();
        self.a = self.a_cov.times(&linear);
        // psi
        for i in 0..m {
            self.psi[i] = (HYPER.psi_shape + 0.5) / (HYPER.psi_rate + 0.5 * self.second_a(i, i));
        }
        // v
        let moment = |d: usize, e: usize| {
            let of_a: f64 = (0..m)
                .flat_map(|i| (0..m).map(move |j| (i, j)))
                .map(|(i, j)| p.z[i][d] * self.second_a(i, j) * p.z[j][e])
                .sum();
            of_a * p.x.iter().map(|x| x[d] * x[e]).sum::<f64>()
        };
        let g: Vec<f64> = (0..dims)
            .map(|d| (0..m).map(|i| p.z[i][d] * self.a[i]).sum())
            .collect();
        let coupling: Vec<Vec<f64>> = (0..dims)
            .map(|d| (0..dims).map(|e| moment(d, e)).collect())
            .collect();
        let old = self.v.clone();
        for d in 0..dims {
            let current = if sweep == Sweep::Sequential {
                self.v.clone()
            } else {
                old.clone()
            };
            let cross: f64 = (0..dims)
                .filter(|&e| e != d)
                .map(|e| coupling[d][e] * current[e])
                .sum();
            let pull: f64 =
                p.x.iter()
                    .zip(&self.y)
                    .map(|(x, y)| x[d] * (y - self.b))
                    .sum();
            let s2 = 1.0 / (self.tau * coupling[d][d] + self.delta[d]);
            let moments = family.moments(s2 * self.tau * (pull * g[d] - cross), s2);
            (self.v[d], self.v_var[d]) = (moments.mean, moments.var);
        }
        // delta, b, tau, xi, y
        for d in 0..dims {
            self.delta[d] =
                (HYPER.delta_shape + 0.5) / (HYPER.delta_rate + 0.5 * self.second_v(d, d));
        }
        let f: Vec<f64> = (0..n).map(|i| self.f(p, i)).collect();
        self.b_var = 1.0 / (n as f64 * self.tau + 1.0);
        self.b = self.tau * self.b_var * (0..n).map(|i| self.y[i] - f[i]).sum::<f64>();
        let plain: f64 = (0..n)
            .map(|i| {
                let (y, b) = (self.y[i], self.b);
                y * y + self.y_var[i] + b * b + self.b_var - 2.0 * y * f[i] - 2.0 * y * b
                    + 2.0 * b * f[i]
            })
            .sum();
        self.tau = (HYPER.tau_shape + 0.5 * n as f64)
            / (HYPER.tau_rate + 0.5 * (plain + self.f_square(p)));
        for i in 0..n {
            self.xi[i] = (self.y[i].powi(2) + self.y_var[i]).sqrt();
            if p.task == Task::Classification {
                self.y_var[i] = 1.0 / (self.tau + 2.0 * p.weight[i] * jj_lambda(self.xi[i]));
                self.y[i] =
                    self.y_var[i] * (p.weight[i] * (p.t[i] - 0.5) + self.tau * (f[i] + self.b));
            }
        }
    }
}

fn feature_major(rows: &[Vec<f64>]) -> Vec<f64> {
    (0..rows[0].len())
        .flat_map(|d| rows.iter().map(move |row| row[d]))
        .collect()
}

fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-2.0..2.0f64, cols), rows)
}

fn problem() -> impl Strategy<Value = (Problem, Option<Vec<usize>>)> {
    (4..7usize, 2..6usize, 1..4usize, any::<bool>()).prop_flat_map(|(n, d, m, regression)| {
        let weights = prop::collection::vec(0.3..3.0f64, n);
        let own_points = prop::option::of(matrix(m, d));
        let some_rows = prop::sample::subsequence((0..n).collect::<Vec<_>>(), 1..=n);
        (matrix(n, d), own_points, some_rows, weights).prop_map(move |(x, points, rows, weight)| {
            let task = if regression {
                Task::Regression
            } else {
                Task::Classification
            };
            let t = (0..n)
                .map(|i| {
                    if regression {
                        x[i][0] - 0.3
                    } else {
                        (i % 2) as f64
                    }
                })
                .collect();
            let weight = if regression { vec![1.0; n] } else { weight };
            let (z, rows) = match points {
                Some(points) => (points, None),
                None => (rows.iter().map(|&row| x[row].clone()).collect(), Some(rows)),
            };
            (
                Problem {
                    x,
                    z,
                    t,
                    weight,
                    task,
                },
                rows,
            )
        })
    })
}

/// The engine on the same problem; `rows` says which rows of X the candidates are, if they are.
fn with_engine<R>(p: &Problem, rows: &Option<Vec<usize>>, run: impl FnOnce(State) -> R) -> R {
    let (x, z) = (feature_major(&p.x), feature_major(&p.z));
    let (n, d) = (p.x.len(), p.x[0].len());
    let points = rows.is_none().then(|| Columns::new(&z, p.z.len()));
    let latent = Latent::start(p.task, &p.t, &p.weight, HYPER, None);
    let candidates = CandidateRows::new(n, points, rows.clone());
    let workers = Workers(None);
    let v = vec![(d as f64).powf(-0.5); d];
    run(State::start(
        Columns::new(&x, n),
        candidates,
        latent,
        HYPER,
        v,
        &workers,
    ))
}

fn close(got: &[f64], want: &[f64]) -> bool {
    let scale = want.iter().fold(1e-6, |max: f64, w| max.max(w.abs()));
    got.len() == want.len()
        && got
            .iter()
            .zip(want)
            .all(|(g, w)| (g - w).abs() <= 1e-9 * scale)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_engine_agrees_with_every_sum_written_out((p, rows) in problem(), family in 0..3usize, sequential: bool) {
        let family = [Family::Folded, Family::Truncated, Family::Gaussian][family];
        let order = if sequential { Sweep::Sequential } else { Sweep::Simultaneous };
        let mut naive = Naive::start(&p);
        with_engine(&p, &rows, |mut state| {
            for _ in 0..4 {
                naive.iterate(&p, family, order);
                prop_assert!(sweep::iterate(&mut state, family, order).is_ok());
                let (f, latent) = (&state.features, &state.latent);
                prop_assert!(close(&state.a, &naive.a), "a {:?} {:?}", state.a, naive.a);
                prop_assert!(close(state.a_cov.values(), naive.a_cov.values()), "a_cov");
                prop_assert!(close(&f.v, &naive.v), "v {:?} {:?}", f.v, naive.v);
                prop_assert!(close(&f.v_var, &naive.v_var), "v_var");
                prop_assert!(close(&f.delta, &naive.delta), "delta");
                prop_assert!(close(&state.psi, &naive.psi), "psi");
                prop_assert!(close(&latent.y, &naive.y), "y {:?} {:?}", latent.y, naive.y);
                prop_assert!(close(&latent.xi, &naive.xi), "xi");
                prop_assert!(close(&[latent.b, latent.b_var, latent.tau], &[naive.b, naive.b_var, naive.tau]));
            }
            Ok(())
        })?;
    }

    #[test]
    fn the_posterior_is_the_same_through_features_and_through_candidates(
        (p, rows) in problem(), family in 0..3usize, sequential: bool, before in 0..2usize
    ) {
        let method = MeanField {
            family: [Family::Folded, Family::Truncated, Family::Gaussian][family],
            sweep: if sequential { Sweep::Sequential } else { Sweep::Simultaneous },
            ..MeanField::default()
        };
        let pruning = Pruning { features: 0.3, vectors: 0.1, ..method.pruning };
        with_engine(&p, &rows, |mut state| with_engine(&p, &rows, |mut other| {
            for _ in 0..before {
                prop_assert!(state.iterate(&method).is_ok());
                prop_assert!(other.iterate(&method).is_ok());
            }
            let mut few = Few::from_state(other);
            for iteration in 0..6 {
                prop_assert!(state.iterate(&method).is_ok());
                prop_assert!(few.iterate(&method).is_ok());
                prop_assert!(close(&[MeanFieldFactors::bound(&few)], &[state.bound()]), "bound");
                prop_assert_eq!(few.sizes(), state.sizes());
                if iteration == 3 {
                    MeanFieldFactors::prune(&mut state, &pruning);
                    few.prune(&pruning);
                }
            }
            let (got, want) = (few.outcome(StopReason::Converged), state.outcome(StopReason::Converged));
            prop_assert_eq!((got.features, got.candidates), (want.features, want.candidates));
            prop_assert!(close(&got.weight_sd, &want.weight_sd), "weight_sd");
            let (got, want) = (got.moments, want.moments);
            prop_assert!(close(&got.v, &want.v), "v {:?} {:?}", got.v, want.v);
            prop_assert!(close(&got.a, &want.a), "a {:?} {:?}", got.a, want.a);
            prop_assert!(close(got.a_cov.values(), want.a_cov.values()), "a_cov");
            prop_assert!(close(&got.weight_sd(), &want.weight_sd()), "sd of the weights");
            prop_assert!(close(&[got.b, got.b_var, got.noise], &[want.b, want.b_var, want.noise]));
            Ok(())
        }))?;
    }

    #[test]
    fn the_bound_never_falls_in_the_exact_sweeps((p, rows) in problem(), truncated: bool) {
        let family = if truncated { Family::Truncated } else { Family::Gaussian };
        with_engine(&p, &rows, |mut state| {
            let mut last = f64::NEG_INFINITY;
            for _ in 0..40 {
                prop_assert!(sweep::iterate(&mut state, family, Sweep::Sequential).is_ok());
                let bound = state.bound();
                prop_assert!(bound >= last - 1e-9 * last.abs(), "{last} -> {bound}");
                last = bound;
            }
            Ok(())
        })?;
    }

    #[test]
    fn every_update_of_the_latent_part_maximises_the_bound((p, rows) in problem()) {
        with_engine(&p, &rows, |mut state| {
            for _ in 0..3 {
                prop_assert!(sweep::iterate(&mut state, Family::Gaussian, Sweep::Sequential).is_ok());
            }
            // After an update no small step along any of its moments raises the bound.
            let best = state.bound();
            let slack = 1e-9 * best.abs();
            if p.task == Task::Classification {
                for n in 0..p.x.len() {
                    for step in [-1e-3, 1e-3] {
                        let mut moved = state.latent.clone();
                        moved.y[n] += step;
                        prop_assert!(moved.bound(&state.f, state.f_square) <= state.latent.bound(&state.f, state.f_square) + slack);
                        let mut moved = state.latent.clone();
                        moved.y_var[n] *= 1.0 + step;
                        prop_assert!(moved.bound(&state.f, state.f_square) <= state.latent.bound(&state.f, state.f_square) + slack);
                    }
                }
            }
            Ok(())
        })?;
    }
}
