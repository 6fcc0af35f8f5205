//! What features add to covariates, as plain data.

use serde::{Deserialize, Serialize};

use super::measures::Estimate;

/// Whether features add anything to the covariates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddedVerdict {
    /// The interval of the loss that they save lies above 0.
    Adds,
    /// It holds 0: it may be nothing.
    NotShown,
    /// It lies below 0: without the features the predictions are better.
    Harms,
}

/// One measure of covariates alone and of the model, on the same unseen rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddedMeasure {
    /// Its name: `log loss`, `AUC`, `net benefit at 0.2`, `RMSE`.
    pub measure: String,
    /// Of the covariates alone.
    pub covariates: f64,
    /// Of the model.
    pub model: f64,
    /// How much better the model is, with its 95 % interval: above 0 the features help, whatever the measure.
    pub better_by: Estimate,
}

/// What features add to covariates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddedValue {
    /// By the log loss, or the root mean squared error of a regression.
    pub verdict: AddedVerdict,
    /// The measures; the one that the verdict goes by first.
    pub measures: Vec<AddedMeasure>,
}

impl AddedValue {
    /// In one sentence.
    pub fn sentence(&self) -> String {
        let Some(first) = self.measures.first() else {
            return String::new();
        };
        let Estimate {
            mean, low, high, ..
        } = first.better_by;
        let numbers = format!(
            "{} {:.3} with the covariates alone, {:.3} with the features too; better by {mean:.3} (95 % {low:.3} to {high:.3})",
            first.measure, first.covariates, first.model
        );
        match self.verdict {
            AddedVerdict::Adds => format!("The features add to the covariates: {numbers}."),
            AddedVerdict::NotShown => {
                format!(
                    "It is not shown that the features add anything to the covariates: {numbers}."
                )
            }
            AddedVerdict::Harms => {
                format!("Without the features the predictions are better: {numbers}.")
            }
        }
    }
}
