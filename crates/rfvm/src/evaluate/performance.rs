//! What given predictions are worth: those of a model that is there already, on rows that had no part in it.

use serde::{Deserialize, Serialize};

use super::clusters::{Clusters, Ratio, ValueWithEnds};
use super::evaluation::FoldResult;
use super::measures::{AtThreshold, CalibrationMeasures, Estimate, NetBenefit};
use super::metrics::row_loss;
use super::threshold::absent;
use super::unseen_rows::{ANY, SHARE, UnseenRows};
use crate::numerics::stats::slope;

const ABOVE_ZERO: (f64, f64) = (0.0, f64::INFINITY);

/// Measures of given predictions, each with its 95 % interval. What does not apply to the task, or has no value on these
/// rows, is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictionMeasures {
    /// Area under the ROC curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<Estimate>,
    /// Share of rows that are right by the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Estimate>,
    /// Mean negative log likelihood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<Estimate>,
    /// Mean squared distance between label and probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brier: Option<Estimate>,
    /// Share of the rows' variance that is explained, against their own mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r2: Option<Estimate>,
    /// Root mean squared error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmse: Option<Estimate>,
    /// Mean absolute error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mae: Option<Estimate>,
    /// How far probabilities can be believed; in a regression, predicted values in place of logits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationMeasures>,
    /// Sensitivity, specificity and predictive values at the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_threshold: Option<AtThreshold>,
    /// Net benefit at some thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub net_benefit: Vec<NetBenefit>,
    /// What has no value, and why, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One thing said of every row: the share of the positive class, or the mean of a regression's target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaseRate {
    /// What is said.
    pub says: f64,
    /// What it costs: log loss, or mean squared error.
    pub loss: f64,
    /// How much more it costs than the model; below 0, the model costs more.
    pub gain: Option<Estimate>,
}

/// Rows with what one model said of them, once or, cross-validated, in several repeats.
pub(crate) struct PredictedRows<'p> {
    pub(crate) truth: SeenTarget<'p>,
    pub(crate) groups: Option<&'p [usize]>,
    /// One list a repeat, one entry a row.
    pub(crate) repeats: &'p [Vec<f64>],
}

/// What is true of rows.
#[derive(Clone, Copy)]
pub(crate) enum SeenTarget<'p> {
    Labels(&'p [usize]),
    Values(&'p [f64]),
}

impl PredictedRows<'_> {
    /// Everything that is measured; the threshold is for classes alone.
    pub(crate) fn measures(&self, threshold: f64) -> PredictionMeasures {
        match self.truth {
            SeenTarget::Labels(labels) => self.of_classes(labels, threshold),
            SeenTarget::Values(values) => self.of_values(values),
        }
    }

    /// What saying one thing of every row costs.
    pub(crate) fn base_rate(&self, says: f64) -> BaseRate {
        let count = match self.truth {
            SeenTarget::Labels(labels) => labels.len(),
            SeenTarget::Values(values) => values.len(),
        };
        let (base, gain) = match self.truth {
            SeenTarget::Labels(labels) => {
                let results = self.results();
                let unseen = UnseenRows::new(labels, self.groups, &results, self.repeats.len());
                let gain = |label, p| row_loss(label, says) - row_loss(label, p);
                let losses = labels.iter().map(|&label| row_loss(label, says));
                (losses.sum::<f64>(), unseen.mean(gain, ANY))
            }
            SeenTarget::Values(values) => {
                let base = |y: f64| (y - says).powi(2);
                let gain = self.mean(values, |y, p| base(y) - (y - p).powi(2), ANY);
                (values.iter().map(|&y| base(y)).sum(), gain)
            }
        };
        BaseRate {
            says,
            loss: base / count as f64,
            gain,
        }
    }

    /// What the model costs in the units of [`crate::Expected`]: log loss, or half the squared error over a variance.
    pub(crate) fn loss(&self, variance: f64) -> Option<Estimate> {
        match self.truth {
            SeenTarget::Labels(_) => self.measures(0.5).log_loss,
            SeenTarget::Values(values) => {
                self.mean(values, |y, p| 0.5 * (y - p).powi(2) / variance, ABOVE_ZERO)
            }
        }
    }

    fn results(&self) -> Vec<FoldResult> {
        let repeats = self.repeats.iter().enumerate();
        let result = |(repeat, predicted): (usize, &Vec<f64>)| FoldResult::given(repeat, predicted);
        repeats.map(result).collect()
    }

    fn of_classes(&self, labels: &[usize], threshold: f64) -> PredictionMeasures {
        let results = self.results();
        let unseen = UnseenRows::new(labels, self.groups, &results, self.repeats.len());
        let positive = labels.iter().sum::<usize>();
        let both = positive > 0 && positive < labels.len();
        let auc = both.then(|| unseen.auc()).flatten();
        let calibration = unseen.calibration();
        let at_threshold = unseen.at_threshold(|_| threshold, threshold);
        let mut notes = Vec::new();
        if auc.is_none() {
            let few = positive.min(labels.len() - positive);
            notes.push(match few {
                0 => {
                    "There is no AUC, ROC curve or calibration slope: all samples are of one class."
                        .to_string()
                }
                _ => "There is no AUC: a class has a single sample.".to_string(),
            });
        }
        let absent = absent(&calibration, std::slice::from_ref(&at_threshold));
        // Of one class the first note says it all.
        let told = |note: &String| both || !note.contains("calibration slope");
        notes.extend(absent.into_iter().filter(told));
        let right = |label: usize, p: f64| (p > threshold) == (label == 1);
        PredictionMeasures {
            auc,
            accuracy: unseen.share(|_, label, p| (right(label, p), true)),
            log_loss: unseen.mean(row_loss, ABOVE_ZERO),
            brier: unseen.mean(|label, p| (label as f64 - p).powi(2), SHARE),
            calibration: Some(calibration),
            at_threshold: Some(at_threshold),
            net_benefit: unseen.net_benefits(threshold),
            notes,
            ..PredictionMeasures::default()
        }
    }

    fn of_values(&self, values: &[f64]) -> PredictionMeasures {
        let square = |y: f64, p: f64| (y - p).powi(2);
        let root = |e: Estimate| Estimate {
            mean: e.mean.sqrt(),
            low: e.low.sqrt(),
            high: e.high.sqrt(),
            ..e
        };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let unexplained = Ratio {
            above: self.each(values, square),
            below: values.iter().map(|&y| square(y, mean)).collect(),
        };
        let r2 = self.clusters(values).mean(&unexplained);
        let r2 = r2.map(|found| ValueWithEnds {
            value: 1.0 - found.value,
            low: 1.0 - found.high,
            high: 1.0 - found.low,
        });
        let calibration = CalibrationMeasures {
            in_the_large: self.mean(values, |y, p| p - y, ANY),
            intercept: self.mean(values, |y, p| y - p, ANY),
            slope: self.value_slope(values),
        };
        let mut notes = Vec::new();
        if r2.is_none() {
            notes.push("There is no R²: the true values do not vary.".to_string());
        }
        if calibration.slope.is_none() {
            notes.push("There is no calibration slope: the predictions do not vary.".to_string());
        }
        PredictionMeasures {
            r2: r2.map(|known| Estimate::new(known, &[], (f64::NEG_INFINITY, 1.0))),
            rmse: self.mean(values, square, ABOVE_ZERO).map(root),
            mae: self.mean(values, |y, p| (y - p).abs(), ABOVE_ZERO),
            calibration: Some(calibration),
            notes,
            ..PredictionMeasures::default()
        }
    }

    fn clusters(&self, values: &[f64]) -> Clusters {
        Clusters::new(values.len(), self.groups)
    }

    /// A number of every row, the mean over the repeats.
    fn each(&self, values: &[f64], of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut all = vec![0.0; values.len()];
        for repeat in self.repeats {
            for ((sum, &y), &p) in all.iter_mut().zip(values).zip(repeat) {
                *sum += of(y, p) / self.repeats.len() as f64;
            }
        }
        all
    }

    fn mean(
        &self,
        values: &[f64],
        of: impl Fn(f64, f64) -> f64,
        range: (f64, f64),
    ) -> Option<Estimate> {
        let ratio = Ratio {
            above: self.each(values, of),
            below: vec![1.0; values.len()],
        };
        let known = self.clusters(values).mean(&ratio)?;
        Some(Estimate::new(known, &[], range))
    }

    /// The slope of the true values on the predicted ones, with the sandwich variance by groups.
    fn value_slope(&self, values: &[f64]) -> Option<Estimate> {
        let count = self.repeats.len() as f64;
        let (mut sum, mut residuals) = (0.0, vec![0.0; values.len()]);
        for predicted in self.repeats {
            let n = values.len() as f64;
            let (x, y) = (
                predicted.iter().sum::<f64>() / n,
                values.iter().sum::<f64>() / n,
            );
            let squares: f64 = predicted.iter().map(|p| (p - x).powi(2)).sum();
            (squares > 1e-24 * n * (x * x).max(f64::MIN_POSITIVE)).then_some(())?;
            let pairs: Vec<(f64, f64)> = (predicted.iter().copied())
                .zip(values.iter().copied())
                .collect();
            let slope = slope(&pairs);
            sum += slope / count;
            for (residual, (p, value)) in residuals.iter_mut().zip(pairs) {
                let gap = value - y - slope * (p - x);
                *residual += (p - x) * gap / squares / count;
            }
        }
        let clusters = self.clusters(values);
        let known = clusters.around(sum, &residuals, clusters.count)?;
        Some(Estimate::new(known, &[], ANY))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "performance_tests.rs"]
mod tests;
