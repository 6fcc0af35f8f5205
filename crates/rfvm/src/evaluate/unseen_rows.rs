//! What the fits of a cross-validation said of rows that they had not seen, and how good that is.

use super::calibration::{Recalibrated, intercept, logit, recalibrate};
use super::clusters::{Clusters, Ratio, ValueWithEnds};
use super::delong::{self, ScoreBlock};
use super::evaluation::{Evaluation, FoldResult};
use super::measures::{CalibrationMeasures, Estimate};
use super::metrics;

pub(super) const SHARE: (f64, f64) = (0.0, 1.0);
pub(super) const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Predictions of unseen rows, in a classification.
pub(super) struct UnseenRows<'e> {
    pub(super) labels: &'e [usize],
    groups: Option<&'e [usize]>,
    clusters: Clusters,
    pub(super) results: &'e [FoldResult],
    repeats: usize,
}

impl<'e> UnseenRows<'e> {
    pub(super) fn new(
        labels: &'e [usize],
        groups: Option<&'e [usize]>,
        results: &'e [FoldResult],
        repeats: usize,
    ) -> Self {
        Self {
            labels,
            groups,
            clusters: Clusters::new(labels.len(), groups),
            results,
            repeats,
        }
    }

    /// The same rows with other predictions.
    pub(super) fn with<'r>(&self, results: &'r [FoldResult]) -> UnseenRows<'r>
    where
        'e: 'r,
    {
        UnseenRows::new(self.labels, self.groups, results, self.repeats)
    }

    /// Those of an evaluation; `None` for a regression, and where labels or predictions are not there or damaged.
    pub(super) fn of(evaluation: &'e Evaluation) -> Option<Self> {
        let Evaluation {
            n,
            labels,
            groups,
            results,
            repeats,
            ..
        } = evaluation;
        let groups = groups.as_deref();
        let whole = |fold: &FoldResult| {
            fold.repeat < *repeats
                && !fold.rows.is_empty()
                && fold.rows.len() == fold.predicted.len()
                && fold.rows.iter().all(|row| row < n)
        };
        let sound = labels.len() == *n
            && labels.iter().all(|&label| label < 2)
            && groups.is_none_or(|groups| groups.len() == *n)
            && (1..=results.len()).contains(repeats)
            && results.iter().all(whole);
        (sound && *n > 0).then(|| Self::new(labels, groups, results, *repeats))
    }

    /// The rows whose scores can be compared: those of a fold, or, in a repeat where a fold lacks a class, all of the repeat.
    pub(super) fn blocks(&self) -> Vec<ScoreBlock> {
        self.blocks_by(&|fold| &fold.predicted)
    }

    /// The same with what covariates alone said.
    pub(super) fn blocks_of_covariates(&self) -> Vec<ScoreBlock> {
        self.blocks_by(&|fold| &fold.covariates_alone)
    }

    pub(super) fn groups(&self) -> Option<&'e [usize]> {
        self.groups
    }

    fn blocks_by(&self, said: &dyn Fn(&FoldResult) -> &[f64]) -> Vec<ScoreBlock> {
        let mut blocks = Vec::new();
        for repeat in 0..self.repeats {
            let folds: Vec<&FoldResult> = (self.results.iter())
                .filter(|result| result.repeat == repeat)
                .collect();
            if folds.iter().all(|fold| self.has_both(fold)) {
                blocks.extend(folds.iter().map(|fold| ScoreBlock {
                    rows: fold.rows.clone(),
                    score: said(fold).to_vec(),
                    weight: 1.0 / folds.len() as f64,
                }));
            } else {
                let of = |of: &dyn Fn(&FoldResult) -> Vec<f64>| {
                    folds.iter().flat_map(|f| of(f)).collect()
                };
                blocks.push(ScoreBlock {
                    rows: folds.iter().flat_map(|fold| fold.rows.clone()).collect(),
                    score: of(&|fold| self.relative(fold, said(fold))),
                    weight: 1.0,
                });
            }
        }
        blocks
    }

    /// Whether some repeat's scores are compared across folds.
    pub(super) fn is_pooled(&self) -> bool {
        !self.results.iter().all(|fold| self.has_both(fold))
    }

    fn has_both(&self, fold: &FoldResult) -> bool {
        let positive = fold
            .rows
            .iter()
            .filter(|&&row| self.labels[row] == 1)
            .count();
        positive > 0 && positive < fold.rows.len()
    }

    /// What the fold's fit added to the base rate of its training rows, in logits. Scores of several fits are compared by
    /// it: without a sample its own class is rarer among the rest, so that by bare probabilities a base rate would be worse
    /// than chance.
    fn relative(&self, fold: &FoldResult, said: &[f64]) -> Vec<f64> {
        if fold.features == 0 && fold.covariates_alone.is_empty() {
            return vec![0.0; fold.rows.len()];
        }
        let base = fold.base.unwrap_or_else(|| {
            let positive = |rows: &mut dyn Iterator<Item = usize>| {
                rows.filter(|&n| self.labels[n] == 1).count()
            };
            let (all, own) = (
                positive(&mut (0..self.labels.len())),
                positive(&mut fold.rows.iter().copied()),
            );
            (all - own) as f64 / (self.labels.len() - fold.rows.len()) as f64
        });
        // Equal scores stay equal whatever the last bits of their base rates.
        let round = |score: f64| (score * 1e9).round() / 1e9;
        let above = |p: &f64| round(logit(*p) - logit(base));
        said.iter().map(above).collect()
    }

    pub(super) fn auc(&self) -> Option<Estimate> {
        let blocks = self.blocks();
        let found = delong::auc(self.labels, self.groups, &blocks)?;
        let areas = blocks.iter().filter_map(|block| {
            let labels: Vec<usize> = block.rows.iter().map(|&row| self.labels[row]).collect();
            metrics::auc(&labels, &block.score)
        });
        let (low, high) = found.interval();
        let known = ValueWithEnds {
            value: found.value,
            low,
            high,
        };
        Some(Estimate::new(known, &Vec::from_iter(areas), SHARE))
    }

    /// A ratio over all rows of all folds, each row averaged over the repeats; `of` gives a row's two parts from its fold,
    /// its label and its probability.
    fn pooled(&self, of: impl Fn(&FoldResult, usize, f64) -> (f64, f64)) -> Ratio {
        self.ratio(|_| 1.0 / self.repeats as f64, of)
    }

    fn ratio(
        &self,
        weight: impl Fn(&FoldResult) -> f64,
        of: impl Fn(&FoldResult, usize, f64) -> (f64, f64),
    ) -> Ratio {
        let mut ratio = Ratio {
            above: vec![0.0; self.labels.len()],
            below: vec![0.0; self.labels.len()],
        };
        for fold in self.results {
            let weight = weight(fold);
            for (&row, &p) in fold.rows.iter().zip(&fold.predicted) {
                let (above, below) = of(fold, self.labels[row], p);
                ratio.above[row] += weight * above;
                ratio.below[row] += weight * below;
            }
        }
        ratio
    }

    /// The ratio of every fold that has one.
    fn fold_ratios(&self, of: impl Fn(&FoldResult, usize, f64) -> (f64, f64)) -> Vec<f64> {
        let ratio = |fold: &FoldResult| {
            let rows = fold.rows.iter().zip(&fold.predicted);
            let parts = rows.map(|(&row, &p)| of(fold, self.labels[row], p));
            let (above, below) =
                parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            (below > 0.0).then(|| above / below)
        };
        self.results.iter().filter_map(ratio).collect()
    }

    /// The share of rows that are right among those that count.
    pub(super) fn share(
        &self,
        of: impl Fn(&FoldResult, usize, f64) -> (bool, bool),
    ) -> Option<Estimate> {
        let parts = |fold: &FoldResult, label, p| {
            let (right, counts) = of(fold, label, p);
            (f64::from(right && counts), f64::from(counts))
        };
        let known = self.clusters.share(&self.pooled(parts))?;
        Some(Estimate::new(known, &self.fold_ratios(parts), SHARE))
    }

    /// The mean over folds of a value of their rows.
    fn fold_mean(&self, of: impl Fn(usize, f64) -> f64) -> Ratio {
        // Rows that are never tested on (in a study, say) are no evidence.
        let tested: usize = self.results.iter().map(|fold| fold.rows.len()).sum();
        let even = tested as f64 / (self.repeats * self.results.len()) as f64;
        self.ratio(
            |fold| even / fold.rows.len() as f64,
            |_, label, p| (of(label, p), 1.0),
        )
    }

    /// The mean over folds of a value of their rows' labels, probabilities and what covariates alone said.
    pub(super) fn paired_mean(&self, of: &dyn Fn(usize, f64, f64) -> f64) -> Option<Estimate> {
        let tested: usize = self.results.iter().map(|fold| fold.rows.len()).sum();
        let even = tested as f64 / (self.repeats * self.results.len()) as f64;
        let mut ratio = Ratio {
            above: vec![0.0; self.labels.len()],
            below: vec![0.0; self.labels.len()],
        };
        let mut folds = Vec::new();
        for fold in self.results {
            let weight = even / fold.rows.len() as f64;
            let said = fold.predicted.iter().zip(&fold.covariates_alone);
            let mut sum = 0.0;
            for (&row, (&p, &alone)) in fold.rows.iter().zip(said) {
                let value = of(self.labels[row], p, alone);
                ratio.above[row] += weight * value;
                ratio.below[row] += weight;
                sum += value;
            }
            folds.push(sum / fold.rows.len() as f64);
        }
        Some(Estimate::new(
            self.clusters.mean_difference(&ratio)?,
            &folds,
            ANY,
        ))
    }

    pub(super) fn accuracy(&self) -> Option<Estimate> {
        let right = |label, p| f64::from(metrics::right(label, p));
        let known = self.clusters.share(&self.fold_mean(right))?;
        let folds = self.fold_ratios(|_, label, p| (right(label, p), 1.0));
        Some(Estimate::new(known, &folds, SHARE))
    }

    /// Half the sum of sensitivity and specificity; its interval joins theirs (Zou and Donner's MOVER).
    pub(super) fn balanced_accuracy(&self) -> Option<Estimate> {
        let of = |class: usize| {
            self.share(move |_, label, p| (metrics::right(label, p), label == class))
        };
        let (negative, positive) = (of(0)?, of(1)?);
        let folds: Vec<f64> = (self.results.iter())
            .filter_map(|result| result.balanced_accuracy)
            .collect();
        let value = match self.is_pooled() {
            true => 0.5 * (negative.mean + positive.mean),
            false => folds.iter().sum::<f64>() / folds.len() as f64,
        };
        let reach = |end: &dyn Fn(&Estimate) -> f64| {
            let gap = |of: &Estimate| (of.mean - end(of)).powi(2);
            0.5 * (gap(&negative) + gap(&positive)).sqrt()
        };
        let known = ValueWithEnds {
            value,
            low: value - reach(&|e| e.low),
            high: value + reach(&|e| e.high),
        };
        Some(Estimate::new(known, &folds, SHARE))
    }

    /// The mean over folds of a value of their rows, with t by rows or groups.
    pub(super) fn mean(
        &self,
        of: impl Fn(usize, f64) -> f64,
        range: (f64, f64),
    ) -> Option<Estimate> {
        let known = self.clusters.mean(&self.fold_mean(&of))?;
        let folds = self.fold_ratios(|_, label, p| (of(label, p), 1.0));
        Some(Estimate::new(known, &folds, range))
    }

    /// Calibration in the large, intercept and slope; the last two by repeats, all rows of a repeat together.
    pub(super) fn calibration(&self) -> CalibrationMeasures {
        CalibrationMeasures {
            in_the_large: self.mean(|label, p| p - label as f64, (-1.0, 1.0)),
            intercept: self.recalibrated(intercept),
            slope: self.recalibrated(recalibrate),
        }
    }

    fn recalibrated(&self, fit: fn(&[usize], &[f64]) -> Option<Recalibrated>) -> Option<Estimate> {
        let (mut sum, mut residuals, mut values) = (0.0, vec![0.0; self.labels.len()], Vec::new());
        for repeat in 0..self.repeats {
            let folds = self.results.iter().filter(|fold| fold.repeat == repeat);
            let pairs = folds.flat_map(|fold| fold.rows.iter().zip(&fold.predicted));
            let (rows, probability): (Vec<usize>, Vec<f64>) = pairs.unzip();
            let labels: Vec<usize> = rows.iter().map(|&row| self.labels[row]).collect();
            let Some(found) = fit(&labels, &probability) else {
                continue;
            };
            sum += found.value;
            for (&row, influence) in rows.iter().zip(&found.influence) {
                residuals[row] += influence;
            }
            values.push(found.value);
        }
        let count = values.len() as f64;
        residuals.iter_mut().for_each(|residual| *residual /= count);
        (!values.is_empty()).then_some(())?;
        let known = self
            .clusters
            .around(sum / count, &residuals, self.clusters.count)?;
        Some(Estimate {
            sd: 0.0,
            ..Estimate::new(known, &[], ANY)
        })
    }
}
