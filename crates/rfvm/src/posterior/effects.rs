//! q(b, β): the intercept with the effects of covariates, unpenalised but for a prior N(0, 100 I), updated jointly.
//!
//! A row's bias is then c·(b, β) with c = (1, its covariates), and with weights h_n of the rows
//!
//! ```text
//! S = [ τ C'HC + I/100 ]^-1,   (b, β) = τ S C'H (y - f)
//! ```

use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};

/// Prior precision of the intercept and of every effect.
pub(crate) const PRECISION: f64 = 0.01;

/// The posterior of intercept and effects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Effects {
    /// Intercept first.
    pub(crate) mean: Vec<f64>,
    pub(crate) cov: Dense,
}

impl Effects {
    /// From what the features leave unexplained; `design` begins with a column of ones.
    pub(crate) fn update(
        design: &Dense,
        weight: &[f64],
        tau: f64,
        gap: &[f64],
    ) -> Result<Self, NotPositive> {
        let cov = Self::covariance(design, weight, tau)?;
        let pull: Vec<f64> = gap
            .iter()
            .zip(weight)
            .map(|(gap, h)| tau * h * gap)
            .collect();
        let mean = cov.times(&design.transpose_times(&pull));
        Ok(Self { mean, cov })
    }

    /// S of rows of these weights.
    pub(crate) fn covariance(
        design: &Dense,
        weight: &[f64],
        tau: f64,
    ) -> Result<Dense, NotPositive> {
        let scaled: Vec<f64> = weight.iter().map(|h| tau * h).collect();
        let mut precision = design.weighted_gram(&scaled);
        precision.add_diagonal(std::iter::repeat_n(PRECISION, design.cols()));
        let mut cov = Cholesky::new(precision)?.inverse();
        cov.mirror_lower();
        Ok(cov)
    }

    /// Mean and variance of a row's bias, from its covariates (without the one in front).
    pub(crate) fn of(&self, covariates: &[f64]) -> (f64, f64) {
        let row: Vec<f64> = std::iter::once(1.0)
            .chain(covariates.iter().copied())
            .collect();
        (dot(&row, &self.mean), dot(&row, &self.cov.times(&row)))
    }

    /// What the covariates add to the intercept, row by row.
    pub(crate) fn biases(&self, design: &Dense) -> Vec<f64> {
        design.times(&self.mean)
    }

    /// Of intercept + slope · score.
    pub(crate) fn stretch(&mut self, slope: f64, intercept: f64) {
        self.mean.iter_mut().for_each(|mean| *mean *= slope);
        self.mean[0] += intercept;
        self.cov
            .values_mut()
            .iter_mut()
            .for_each(|cov| *cov *= slope * slope);
    }
}
