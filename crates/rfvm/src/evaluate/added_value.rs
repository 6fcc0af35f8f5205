//! What features add to covariates: the same measures of both on rows that neither fit had seen, and their differences.

use serde::{Deserialize, Serialize};

use super::delong::{self, ScoreBlock};
use super::evaluation::{Evaluation, FoldResult};
use super::measures::Estimate;
use super::metrics::row_loss;
use super::unseen_rows::UnseenRows;

/// Where the change of net benefit is told.
const THRESHOLDS: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];

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
    /// Of an evaluation with covariates; `None` where there are none, or folds that tell nothing.
    pub(super) fn of(evaluation: &Evaluation) -> Option<Self> {
        let folds = &evaluation.results;
        let whole = |fold: &FoldResult| fold.covariates_alone.len() == fold.predicted.len();
        (!folds.is_empty() && folds.iter().all(whole)).then_some(())?;
        let measures: Vec<AddedMeasure> = match evaluation.classes.is_empty() {
            true => regression(evaluation).into_iter().collect(),
            false => classification(&UnseenRows::of(evaluation)?),
        };
        let first = measures.first()?.better_by;
        let verdict = match (first.low > 0.0, first.high < 0.0) {
            (true, _) => AddedVerdict::Adds,
            (_, true) => AddedVerdict::Harms,
            _ => AddedVerdict::NotShown,
        };
        Some(Self { verdict, measures })
    }

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

fn classification(unseen: &UnseenRows) -> Vec<AddedMeasure> {
    let mut measures = Vec::new();
    measures.extend(paired(unseen, "log loss".to_string(), true, row_loss));
    measures.extend(areas(unseen));
    for threshold in THRESHOLDS {
        let odds = threshold / (1.0 - threshold);
        let acted = |label: usize, p: f64| match (p > threshold, label) {
            (false, _) => 0.0,
            (true, 1) => 1.0,
            (true, _) => -odds,
        };
        let name = format!("net benefit at {threshold}");
        measures.extend(paired(unseen, name, false, acted));
    }
    measures
}

fn paired(
    unseen: &UnseenRows,
    measure: String,
    less_is_better: bool,
    of: impl Fn(usize, f64) -> f64,
) -> Option<AddedMeasure> {
    let sign = if less_is_better { -1.0 } else { 1.0 };
    let mean = |of: &dyn Fn(usize, f64, f64) -> f64| unseen.paired_mean(of);
    Some(AddedMeasure {
        measure,
        covariates: mean(&|label, _, alone| of(label, alone))?.mean,
        model: mean(&|label, p, _| of(label, p))?.mean,
        better_by: mean(&|label, p, alone| sign * (of(label, p) - of(label, alone)))?,
    })
}

/// DeLong's interval of the difference of two AUCs of the same rows.
fn areas(unseen: &UnseenRows) -> Option<AddedMeasure> {
    let model = unseen.blocks();
    let alone: Vec<ScoreBlock> = unseen.blocks_of_covariates();
    let found = delong::difference(unseen.labels, unseen.groups(), &model, &alone)?;
    let (low, high) = found.difference_interval();
    let area = |blocks: &[ScoreBlock]| delong::auc(unseen.labels, unseen.groups(), blocks);
    Some(AddedMeasure {
        measure: "AUC".to_string(),
        covariates: area(&alone)?.value,
        model: area(&model)?.value,
        better_by: Estimate {
            mean: found.value,
            sd: 0.0,
            low: low.max(-1.0),
            high: high.min(1.0),
        },
    })
}

/// Root mean squared errors, fold by fold, with the corrected resampled t interval of their difference.
fn regression(evaluation: &Evaluation) -> Option<AddedMeasure> {
    let pairs = evaluation.results.iter();
    let pairs: Vec<(f64, f64)> = pairs
        .filter_map(|fold| fold.rmse.zip(fold.rmse_of_covariates))
        .collect();
    let differences: Vec<f64> = pairs.iter().map(|(model, alone)| alone - model).collect();
    let overlap = 1.0 / (evaluation.folds as f64 - 1.0);
    let any = (f64::NEG_INFINITY, f64::INFINITY);
    let count = pairs.len() as f64;
    Some(AddedMeasure {
        measure: "RMSE".to_string(),
        covariates: pairs.iter().map(|pair| pair.1).sum::<f64>() / count,
        model: pairs.iter().map(|pair| pair.0).sum::<f64>() / count,
        better_by: Estimate::resampled(&differences, overlap, any)?,
    })
}
