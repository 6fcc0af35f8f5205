//! Penalised regression on a few columns, by Newton's method: the scores of forward selection, and the base that covariates
//! alone give.

use crate::data::Task;
use crate::numerics::linalg::{Cholesky, Dense};
use crate::numerics::special::sigmoid;

/// The most steps of Newton's method; a warm start takes three or four.
const STEPS: usize = 50;

/// Rows to be explained by a few columns, each coefficient under its own prior precision.
pub(crate) struct Penalised<'r> {
    pub(crate) task: Task,
    /// q_n: a label, a probability, or a number.
    pub(crate) target: &'r [f64],
    /// c_n; 0 where a row is held back.
    pub(crate) weight: &'r [f64],
    pub(crate) regressors: &'r Dense,
    pub(crate) prior: &'r [f64],
}

impl Penalised<'_> {
    /// The coefficients, from where they were (what is new starts at 0), and the residual c (q - σ(f)).
    pub(crate) fn fit(&self, start: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut coefficients = start.to_vec();
        coefficients.resize(self.prior.len(), 0.0);
        for _ in 0..STEPS {
            let (residual, curvature) = self.slopes(&coefficients);
            let pull = self.regressors.transpose_times(&residual);
            let held = self.prior.iter().zip(&coefficients).map(|(p, c)| p * c);
            let slope: Vec<f64> = pull
                .iter()
                .zip(held)
                .map(|(pull, held)| pull - held)
                .collect();
            // With a prior on every coefficient it is positive definite whatever the data.
            let Ok(factor) = Cholesky::new(self.precision(&curvature)) else {
                break;
            };
            let step = factor.solve(&slope);
            let longest = step.iter().fold(0.0, |max: f64, s| max.max(s.abs()));
            // Far from the optimum of a logistic fit Newton's step can overshoot.
            let length = match self.task {
                Task::Classification => 1.0 / (0.5 * longest).max(1.0),
                Task::Regression => 1.0,
            };
            for (c, s) in coefficients.iter_mut().zip(&step) {
                *c += length * s;
            }
            if longest < 1e-10 {
                break;
            }
        }
        let (residual, _) = self.slopes(&coefficients);
        (coefficients, residual)
    }

    /// The covariance of the coefficients (Laplace).
    pub(crate) fn covariance(&self, coefficients: &[f64]) -> Option<Dense> {
        let (_, curvature) = self.slopes(coefficients);
        let mut covariance = Cholesky::new(self.precision(&curvature)).ok()?.inverse();
        covariance.mirror_lower();
        Some(covariance)
    }

    fn precision(&self, curvature: &[f64]) -> Dense {
        let mut precision = self.regressors.weighted_gram(curvature);
        precision.add_diagonal(self.prior.iter().copied());
        precision
    }

    /// c (q - σ(f)) and c σ(f) (1 - σ(f)) of every row; c (q - f) and c in a regression.
    fn slopes(&self, coefficients: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let rows = self.regressors.times(coefficients).into_iter();
        let rows = rows.zip(self.target.iter().zip(self.weight));
        rows.map(|(f, (q, c))| match self.task {
            Task::Classification => {
                let p = sigmoid(f);
                (c * (q - p), c * p * (1.0 - p))
            }
            Task::Regression => (c * (q - f), *c),
        })
        .unzip()
    }
}
