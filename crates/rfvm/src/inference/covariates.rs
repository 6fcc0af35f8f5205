//! The base that covariates alone give: what features have to add to.

use super::penalised::Penalised;
use super::prepare::Prepared;
use crate::data::Task;
use crate::numerics::linalg::{Dense, dot};
use crate::numerics::special::sigmoid;
use crate::posterior::effects::{Effects, PRECISION};
use crate::posterior::moments::Moments;

/// The fit of the covariates alone: logistic, or linear, regression under the vague prior that their effects have everywhere.
pub(crate) struct CovariatesAlone {
    effects: Effects,
    /// What it leaves of a regression's target.
    noise: f64,
    task: Task,
}

impl Prepared {
    pub(crate) fn has_covariates(&self) -> bool {
        self.design.cols() > 1
    }

    /// Ones and covariates of some rows.
    pub(crate) fn design_of(&self, rows: &[usize]) -> Dense {
        let columns: Vec<usize> = (0..self.design.cols()).collect();
        self.design.select(rows, &columns)
    }

    /// The covariates of a row, as they follow its features' values.
    pub(crate) fn covariates_of(&self, n: usize) -> Vec<f64> {
        (1..self.design.cols())
            .map(|j| self.design.at(n, j))
            .collect()
    }

    pub(crate) fn covariates_alone(&self, rows: &[usize]) -> CovariatesAlone {
        let pick = |of: &[f64]| -> Vec<f64> { rows.iter().map(|&n| of[n]).collect() };
        let (target, weight) = (pick(&self.target), pick(&self.weight));
        let design = self.design_of(rows);
        let prior = vec![PRECISION; design.cols()];
        let fit = Penalised {
            task: self.task,
            target: &target,
            weight: &weight,
            regressors: &design,
            prior: &prior,
        };
        let (mean, residual) = fit.fit(&[]);
        let cov = fit.covariance(&mean);
        let mut cov = cov.unwrap_or_else(|| Dense::zeros(mean.len(), mean.len()));
        let noise = match self.task {
            Task::Classification => 0.0,
            Task::Regression => {
                let noise = dot(&residual, &residual) / rows.len() as f64;
                cov.values_mut().iter_mut().for_each(|cov| *cov *= noise);
                noise
            }
        };
        CovariatesAlone {
            effects: Effects { mean, cov },
            noise,
            task: self.task,
        }
    }
}

impl CovariatesAlone {
    /// Score of a row.
    pub(crate) fn score(&self, data: &Prepared, n: usize) -> f64 {
        self.effects.of(&data.covariates_of(n)).0
    }

    /// What it predicts of a row: a probability, or a number.
    pub(crate) fn predicted(&self, data: &Prepared, n: usize) -> f64 {
        match self.task {
            Task::Classification => sigmoid(self.score(data, n)),
            Task::Regression => self.score(data, n),
        }
    }

    /// t - p of some rows.
    pub(crate) fn unexplained(&self, data: &Prepared, rows: &[usize]) -> Vec<f64> {
        let gap = |&n: &usize| data.target[n] - self.predicted(data, n);
        rows.iter().map(gap).collect()
    }

    pub(crate) fn into_parts(self) -> (Effects, f64) {
        (self.effects, self.noise)
    }

    /// As a model without features.
    pub(crate) fn moments(&self) -> Moments {
        Moments {
            b_var: self.effects.cov.at(0, 0),
            effects: Some(self.effects.clone()),
            ..Moments::constant(self.effects.mean[0], self.noise)
        }
    }
}
