//! What a model says of its covariates: the effect of each, and what they alone predict.

use serde::{Deserialize, Serialize};

use super::covariate_base::CovariateBase;
use super::predict::Model;
use crate::data::{CovariateColumn, Table, Task};
use crate::error::Error;
use crate::numerics::linalg::Dense;
use crate::numerics::special::sigmoid;
use crate::posterior::moments::moderation;

/// What one column of the covariates does to the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CovariateEffect {
    /// Name of the column: the covariate, with level and reference where it has levels.
    pub column: String,
    /// Change of the log odds (of the target, in a regression) per unit, or from the reference to the level, the features held
    /// fixed: the model's correction is applied, what uncertainty takes off is not.
    pub effect: f64,
    /// Its posterior standard deviation.
    pub sd: f64,
    /// The same of the fit of the covariates alone.
    pub alone: f64,
    /// And its standard deviation.
    pub alone_sd: f64,
}

impl Model {
    /// Its covariates; `None` where it allows for none.
    pub fn covariates(&self) -> Option<&CovariateBase> {
        self.covariates.as_ref()
    }

    /// Names of the covariates that prediction needs.
    pub fn covariate_names(&self) -> Vec<String> {
        let base = self.covariates.as_ref();
        base.map_or_else(Vec::new, |base| base.coding.names())
    }

    /// The effects of the covariates, column by column; empty where it allows for none.
    pub fn covariate_effects(&self) -> Vec<CovariateEffect> {
        let (Some(base), Some(effects)) = (&self.covariates, &self.signatures[0].moments.effects)
        else {
            return Vec::new();
        };
        // In a regression the score has the unit of the standardised target.
        let (unit, alone_unit) = match self.task {
            Task::Classification => (self.correction.slope, base.correction.slope),
            Task::Regression => {
                let sd = self.target_scale.sd;
                (self.correction.slope * sd, sd)
            }
        };
        let (with, alone) = (base.per_unit(effects), base.per_unit(&base.alone));
        let effect = |(at, column): (usize, &CovariateColumn)| CovariateEffect {
            column: column.name(),
            effect: unit * with[at].0,
            sd: unit * with[at].1,
            alone: alone_unit * alone[at].0,
            alone_sd: alone_unit * alone[at].1,
        };
        let columns = base.coding.columns().iter().enumerate();
        columns.map(effect).collect()
    }

    /// The coded covariates of a table, ones first; `None` where the model allows for none.
    pub(super) fn design(&self, table: &Table) -> Result<Option<Dense>, Error> {
        let Some(base) = &self.covariates else {
            return Ok(None);
        };
        let given = table
            .covariates()
            .ok_or_else(|| base.coding.refuse_none())?;
        base.coding.design(given, table.sample_names()).map(Some)
    }

    /// What the covariates alone predict of every row: probabilities of the positive class, or numbers; `None` where the model
    /// allows for none.
    pub fn predict_covariates_alone(&self, table: &Table) -> Result<Option<Vec<f64>>, Error> {
        let (Some(base), Some(design)) = (&self.covariates, self.design(table)?) else {
            return Ok(None);
        };
        let row = |n: usize| -> Vec<f64> { (1..design.cols()).map(|j| design.at(n, j)).collect() };
        let predict = |n: usize| {
            let (mean, variance) = base.alone.of(&row(n));
            match self.task {
                Task::Classification => sigmoid(
                    base.correction
                        .apply(mean / moderation(variance + base.noise)),
                ),
                Task::Regression => self.target_scale.mean + self.target_scale.sd * mean,
            }
        };
        Ok(Some((0..table.samples()).map(predict).collect()))
    }
}
