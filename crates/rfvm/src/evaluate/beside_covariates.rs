//! What features add to covariates: the same measures of both on rows that neither fit had seen, and their differences.

use super::added_value::{AddedMeasure, AddedValue, AddedVerdict};
use super::delong::{self, ScoreBlock};
use super::evaluation::{Evaluation, FoldResult};
use super::measures::Estimate;
use super::metrics::row_loss;
use super::unseen_rows::UnseenRows;

/// Where the change of net benefit is told.
const THRESHOLDS: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];

/// Of an evaluation with covariates; `None` where there are none, or folds that tell nothing.
pub(super) fn added_value(evaluation: &Evaluation) -> Option<AddedValue> {
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
    Some(AddedValue { verdict, measures })
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
