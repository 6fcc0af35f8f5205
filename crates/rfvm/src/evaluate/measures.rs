//! What is measured on unseen rows, as plain data.

use serde::{Deserialize, Serialize};

use super::clusters::ValueWithEnds;
use crate::numerics::stats::mean_and_sd;
use crate::numerics::student::t_quantile;

/// A mean over folds with its spread and a 95 % interval: where the measure of these very fits would lie on very many
/// new samples.
///
/// Measures of a classification have it from the predictions of unseen rows, whole groups being what was drawn and each
/// row counting once however often it was predicted: an AUC by [`DeLong::interval`](crate::delong::DeLong::interval), a
/// share by Wilson's interval, a mean by t. It is cut where the measure ends, and is never a point where all went well.
/// Other numbers (errors of a regression, numbers of features, seconds) have the corrected resampled t interval of Nadeau
/// and Bengio over the folds, with variance sd² (1/k + n_test/n_train) for k folds in all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over the folds. Of a share of some rows only (sensitivity, say) it is over all such rows of all folds, and so is
    /// an AUC over all rows of a repeat in which a fold lacks a class.
    pub mean: f64,
    /// Standard deviation over the folds that have the measure; it tells how folds differ, not how sure the mean is.
    pub sd: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// A threshold that is chosen on training rows for what it should reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// This share of the positives found.
    Sensitivity(f64),
    /// This share of the negatives left alone.
    Specificity(f64),
}

/// What happens on unseen rows when those with a probability above a threshold are taken for the positive class. What no
/// row can tell is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtThreshold {
    /// The threshold; where it was chosen in every fold, their mean.
    pub threshold: f64,
    /// The lowest and the highest of the folds' thresholds, where they were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
    /// What it was chosen for, by fits to parts of the training rows alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// Share of the positives taken for positive.
    pub sensitivity: Option<Estimate>,
    /// Share of the negatives not taken for positive.
    pub specificity: Option<Estimate>,
    /// Share of positives among those taken for positive, at the data's share of positives.
    pub ppv: Option<Estimate>,
    /// Share of negatives among those not taken for positive.
    pub npv: Option<Estimate>,
}

/// What is left of unseen rows when those are abstained on whose interval holds both classes
/// ([`crate::Prediction::abstains`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rejection {
    /// The probability of the interval.
    pub level: f64,
    /// Share of the rows that are not abstained on.
    pub coverage: Estimate,
    /// Share of those that are right; `None` where all are abstained on.
    pub accuracy: Option<Estimate>,
}

/// Net benefit of acting on rows above a threshold (Vickers and Elkin 2006), in true positives a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NetBenefit {
    /// The probability from which one would act.
    pub threshold: f64,
    /// Acting on the model.
    pub model: Estimate,
    /// Acting on every row; acting on none is 0.
    pub all: f64,
}

/// How far probabilities can be believed; what has no finite value is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationMeasures {
    /// Calibration in the large: mean predicted probability less the share seen; 0 is right.
    pub in_the_large: Option<Estimate>,
    /// What must be added to all logits for the mean to be right; 0 is right, below 0 the probabilities are too high.
    pub intercept: Option<Estimate>,
    /// Slope of the labels on the predicted logits; 1 is right, below 1 is overconfident.
    pub slope: Option<Estimate>,
}

impl Estimate {
    pub(super) const ZERO: Self = Self {
        mean: 0.0,
        sd: 0.0,
        low: 0.0,
        high: 0.0,
    };

    /// From a value with its interval, cut where the measure ends, and the folds' own values.
    pub(super) fn new(known: ValueWithEnds, folds: &[f64], range: (f64, f64)) -> Self {
        Self {
            mean: known.value,
            sd: if folds.len() > 1 {
                mean_and_sd(folds).1
            } else {
                0.0
            },
            low: known.low.max(range.0),
            high: known.high.min(range.1),
        }
    }

    /// The mean of the folds' values with the corrected resampled t interval; `overlap` is n_test / n_train.
    pub(super) fn resampled(values: &[f64], overlap: f64, range: (f64, f64)) -> Option<Self> {
        let k = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let (mean, sd) = mean_and_sd(values);
        let reach = if values.len() > 1 {
            t_quantile(k - 1.0) * sd * (1.0 / k + overlap).sqrt()
        } else {
            0.0
        };
        Some(Self {
            mean,
            sd,
            low: (mean - reach).max(range.0),
            high: (mean + reach).min(range.1),
        })
    }
}
