//! Weights that share one prior precision λ: the fit at a point of the signature path.
//!
//! With the features given, the means of w and b maximise
//!
//! ```text
//! Σ c_n ln p(t_n | f_n) - λ/2 Σ κ_d w_d² - b²/200,     f = Xw + b
//! ```
//!
//! by Newton's method; the cost factors κ are 1 unless they were given. One precision for all, and not one each: what was
//! chosen for its fit to these very rows must not also choose how little it is shrunk. λ is found by cross-validation
//! over the choosing too (`path.rs`).

use crate::latent::Task;
use crate::linalg::{Cholesky, Dense, dot};
use crate::special::{log1p_exp, sigmoid};

/// The prior precision of b. Section 1 has 1, which pulls the scores of separable classes off centre.
const BIAS_PRECISION: f64 = 0.01;

/// p(t | f) of every row, with the rows' weights c.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likelihood<'a> {
    pub(crate) task: Task,
    pub(crate) target: &'a [f64],
    pub(crate) weight: &'a [f64],
}

/// -ln p(t | f) of a class; half the squared error of a number.
pub(crate) fn loss(task: Task, target: f64, score: f64) -> f64 {
    match task {
        Task::Classification => log1p_exp(if target > 0.5 { -score } else { score }),
        Task::Regression => 0.5 * (target - score).powi(2),
    }
}

impl Likelihood<'_> {
    /// The slope of ln p: c (t - p), or c (y - f).
    fn residual(&self, f: &[f64]) -> Vec<f64> {
        let fitted = |f: f64| match self.task {
            Task::Classification => sigmoid(f),
            Task::Regression => f,
        };
        let rows = self.target.iter().zip(self.weight).zip(f);
        rows.map(|((t, c), &f)| c * (t - fitted(f))).collect()
    }

    /// Minus the curvature of ln p: c p (1 - p), or c.
    fn curvature(&self, f: &[f64]) -> Vec<f64> {
        let of = |f: f64| match self.task {
            Task::Classification => sigmoid(f) * sigmoid(-f),
            Task::Regression => 1.0,
        };
        self.weight.iter().zip(f).map(|(c, &f)| c * of(f)).collect()
    }

    fn total_loss(&self, f: &[f64]) -> f64 {
        let rows = self.target.iter().zip(self.weight).zip(f);
        rows.map(|((&t, c), &f)| c * loss(self.task, t, f)).sum()
    }
}

/// The features of a point with b's column of ones before them, and what is to be explained.
pub(crate) struct Ridge<'a> {
    regressors: Dense,
    /// κ of every feature.
    cost: Vec<f64>,
    likelihood: Likelihood<'a>,
}

impl<'a> Ridge<'a> {
    pub(crate) fn new<'c>(
        columns: impl IntoIterator<Item = &'c [f64]>,
        likelihood: Likelihood<'a>,
    ) -> Self {
        let rows = likelihood.target.len();
        let mut values = vec![1.0; rows];
        let mut count = 1;
        for column in columns {
            values.extend_from_slice(column);
            count += 1;
        }
        Self {
            regressors: Dense::from_vec(rows, count, values),
            cost: vec![1.0; count - 1],
            likelihood,
        }
    }

    /// The same with a cost factor for every feature.
    pub(crate) fn with_costs(self, cost: Vec<f64>) -> Self {
        Self { cost, ..self }
    }

    /// Scores f of the rows.
    pub(crate) fn scores(&self, coefficients: &[f64]) -> Vec<f64> {
        self.regressors.times(coefficients)
    }

    /// The slope of ln p at the rows' scores.
    pub(crate) fn residual(&self, coefficients: &[f64]) -> Vec<f64> {
        self.likelihood.residual(&self.scores(coefficients))
    }

    fn prior(&self, precision: f64) -> impl Iterator<Item = f64> + '_ {
        let weights = self.cost.iter().map(move |cost| precision * cost);
        std::iter::once(BIAS_PRECISION).chain(weights)
    }

    fn objective(&self, coefficients: &[f64], precision: f64) -> f64 {
        let pull: f64 = self
            .prior(precision)
            .zip(coefficients)
            .map(|(p, c)| p * c * c)
            .sum();
        self.likelihood.total_loss(&self.scores(coefficients)) + 0.5 * pull
    }

    /// The factor of X' diag(curvature) X + diag(prior): the posterior precision of b and w by Laplace's method.
    fn precision(&self, f: &[f64], precision: f64) -> Option<Cholesky> {
        let mut system = self.regressors.weighted_gram(&self.likelihood.curvature(f));
        system.add_diagonal(self.prior(precision));
        Cholesky::new(system).ok()
    }

    /// b and w at their optimum, from a starting point that may lack the last features.
    pub(crate) fn solve(&self, precision: f64, start: &[f64]) -> Vec<f64> {
        let mut now = start.to_vec();
        now.resize(self.regressors.cols(), 0.0);
        let mut height = self.objective(&now, precision);
        for _ in 0..50 {
            let f = self.scores(&now);
            let slope = self
                .regressors
                .transpose_times(&self.likelihood.residual(&f));
            let slope: Vec<f64> = slope
                .iter()
                .zip(self.prior(precision).zip(&now))
                .map(|(slope, (p, c))| slope - p * c)
                .collect();
            let Some(factor) = self.precision(&f, precision) else {
                break;
            };
            let step = factor.solve(&slope);
            // Half the squared length of the step is what it promises; below rounding it is the end.
            let promise = dot(&step, &slope);
            let mut length = 1.0;
            let next = loop {
                let next: Vec<f64> = now.iter().zip(&step).map(|(c, s)| c + length * s).collect();
                let reached = self.objective(&next, precision);
                if reached <= height || length < 1e-6 {
                    height = height.min(reached);
                    break next;
                }
                length *= 0.5;
            };
            now = next;
            if promise <= 1e-12 * (1.0 + height.abs()) {
                break;
            }
        }
        now
    }

    /// The posterior covariance of b and w by Laplace's method.
    pub(crate) fn covariance(&self, coefficients: &[f64], precision: f64) -> Option<Dense> {
        let factor = self.precision(&self.scores(coefficients), precision)?;
        Some(factor.inverse())
    }

    /// The bound on the log evidence with q(w, b) = N(coefficients, covariance), ξ_n² = E f_n² and noise-free scores:
    /// section 4's terms for y, a and ψ fall away.
    pub(crate) fn bound(&self, coefficients: &[f64], covariance: &Dense, precision: f64) -> f64 {
        let f = self.scores(coefficients);
        let spread = self.regressors.product(covariance);
        let columns = 0..self.regressors.cols();
        let variance = |n: usize| -> f64 {
            columns
                .clone()
                .map(|j| spread.at(n, j) * self.regressors.at(n, j))
                .sum()
        };
        let likelihood = &self.likelihood;
        let rows = (0..f.len()).map(|n| {
            let (t, var) = (likelihood.target[n], variance(n).max(0.0));
            likelihood.weight[n]
                * match likelihood.task {
                    Task::Classification => {
                        let xi = (f[n] * f[n] + var).sqrt();
                        (t - 0.5) * f[n] - 0.5 * xi - log1p_exp(-xi)
                    }
                    Task::Regression => -0.5 * (crate::latent::LN_2PI + (t - f[n]).powi(2) + var),
                }
        });
        let second = coefficients
            .iter()
            .zip(covariance.diagonal())
            .map(|(c, var)| c * c + var);
        let pull: f64 = self.prior(precision).zip(second).map(|(p, s)| p * s).sum();
        let size = coefficients.len() as f64;
        let log_prior: f64 = self.prior(precision).map(f64::ln).sum();
        let log_det = Cholesky::new(covariance.clone()).map_or(f64::NEG_INFINITY, |c| c.log_det());
        rows.sum::<f64>() + 0.5 * (log_prior - pull + log_det + size)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const X: [f64; 8] = [-1.2, 0.3, 0.9, -0.4, 1.5, -0.7, 0.1, -0.5];
    const T: [f64; 8] = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0];

    fn ridge(task: Task) -> Ridge<'static> {
        let likelihood = Likelihood {
            task,
            target: &T,
            weight: &[1.0, 1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 1.0],
        };
        Ridge::new([&X[..]], likelihood)
    }

    #[test]
    fn the_optimum_is_where_the_slope_is_zero_whatever_the_start() {
        for task in [Task::Classification, Task::Regression] {
            let ridge = ridge(task);
            let best = ridge.solve(0.3, &[]);
            for start in [[5.0, -5.0], [-40.0, 40.0]] {
                for (a, b) in ridge.solve(0.3, &start).iter().zip(&best) {
                    assert!((a - b).abs() < 1e-9, "{a} {b}");
                }
            }
            let height = ridge.objective(&best, 0.3);
            for (d_b, d_w) in [(1e-4, 0.0), (-1e-4, 0.0), (0.0, 1e-4), (0.0, -1e-4)] {
                assert!(ridge.objective(&[best[0] + d_b, best[1] + d_w], 0.3) > height);
            }
        }
    }

    /// ln ∫ p(t | w, b) p(w) p(b) on a grid fine enough for six digits.
    fn log_evidence(task: Task, precision: f64) -> f64 {
        let ridge = ridge(task);
        let (step, half) = (0.02, 600);
        let mut sum = 0.0;
        for i in -half..=half {
            for j in -half..=half {
                let (b, w) = (f64::from(i) * step, f64::from(j) * step);
                let constant = match task {
                    Task::Classification => 0.0,
                    Task::Regression => 4.25 * crate::latent::LN_2PI,
                };
                sum += (-ridge.objective(&[b, w], precision) - constant).exp();
            }
        }
        (sum * step * step).ln() + 0.5 * (precision * BIAS_PRECISION).ln() - crate::latent::LN_2PI
    }

    #[test]
    fn the_bound_is_below_the_evidence_and_close_and_exact_for_a_regression() {
        for (task, gap) in [(Task::Classification, 0.2), (Task::Regression, 1e-6)] {
            let ridge = ridge(task);
            let best = ridge.solve(0.7, &[]);
            let covariance = ridge.covariance(&best, 0.7).unwrap();
            let bound = ridge.bound(&best, &covariance, 0.7);
            let evidence = log_evidence(task, 0.7);
            assert!(
                bound <= evidence + 1e-6 && bound > evidence - gap,
                "{bound} {evidence}"
            );
        }
    }
}
