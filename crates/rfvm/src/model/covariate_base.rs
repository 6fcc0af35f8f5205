//! What a model keeps of its covariates: how they are coded, and the fit of them alone.

use crate::data::{CovariateCoding, CovariateColumn};
use crate::posterior::correction::Correction;
use crate::posterior::effects::Effects;

/// The covariates of a model, with the fit of them alone: the base that its features add to.
#[derive(Debug, Clone, PartialEq)]
pub struct CovariateBase {
    pub(crate) coding: CovariateCoding,
    /// Of the fit without any feature.
    pub(crate) alone: Effects,
    /// What that leaves of a regression's target; 0 in a classification.
    pub(crate) noise: f64,
    /// Of its scores.
    pub(crate) correction: Correction,
}

impl CovariateBase {
    /// How the covariates are coded.
    pub fn coding(&self) -> &CovariateCoding {
        &self.coding
    }

    /// The effect of every column but the intercept in a posterior, per unit of the covariate.
    pub(super) fn per_unit(&self, effects: &Effects) -> Vec<(f64, f64)> {
        let columns = self.coding.columns().iter().enumerate();
        let effect = |(at, column): (usize, &CovariateColumn)| {
            let unit = column.scale.sd;
            let variance = effects.cov.at(at + 1, at + 1).max(0.0);
            (effects.mean[at + 1] / unit, variance.sqrt() / unit)
        };
        columns.map(effect).collect()
    }
}
