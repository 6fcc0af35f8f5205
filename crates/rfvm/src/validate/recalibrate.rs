//! A model's correction learned anew on other samples, and what that is worth there: on the rows it is learned from it looks
//! better than it is, so it is judged by rows that it was not learned from.

use serde::{Deserialize, Serialize};

use crate::data::{Folds, LabelledRows, Target, Task};
use crate::error::Error;
use crate::evaluate::PredictionMeasures;
use crate::evaluate::calibration::{intercept, logit};
use crate::evaluate::performance::{PredictedRows, SeenTarget};
use crate::model::Model;
use crate::numerics::special::sigmoid;
use crate::numerics::stats::slope;
use crate::posterior::correction::Correction;
use crate::posterior::recalibration::{Recalibrate, Recalibration};
use crate::summary::Curves;

/// Folds by which a recalibration is judged, fewer where a class or the groups are fewer.
const FOLDS: usize = 10;
/// How often rows are dealt to folds; to learn two numbers costs nothing.
const REPEATS: usize = 20;
const SEED: u64 = 1;
/// How firmly the logarithm of a slope is held to 0: as a normal prior of variance 1 does. A few rows that are told apart
/// without fault would ask for an infinite slope. The intercept is free, so that the mean probability is the share seen.
const FIRMNESS: [f64; 2] = [1.0, 0.0];

/// A recalibration and what it is worth on the rows it was learned from, cross-validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalibrationCheck {
    /// What was learned, on what.
    pub recalibration: Recalibration,
    /// Folds and repeats of the cross-validation; 0 where there was none.
    pub folds: usize,
    /// How often rows were dealt to folds.
    pub repeats: usize,
    /// Every row judged by what the other folds' rows taught. The AUC is that of before: a recalibration keeps the order of
    /// the rows. `None` where the rows are too few to hold some back.
    pub measures: Option<PredictionMeasures>,
    /// The curves of the same predictions; none of a regression.
    pub curves: Option<Curves>,
}

/// What a model said of rows, before anything is learned from them.
pub(super) struct Before<'b> {
    pub(super) model: &'b Model,
    pub(super) data: &'b LabelledRows,
    /// Probabilities or values.
    pub(super) predicted: &'b [f64],
    pub(super) measures: &'b PredictionMeasures,
    pub(super) threshold: f64,
}

impl Before<'_> {
    /// The recalibrated model, and what recalibrating is worth.
    pub(super) fn recalibrated(
        &self,
        how: Recalibrate,
    ) -> Result<(Model, RecalibrationCheck), Error> {
        let labels = self.data.target().labels();
        let all: Vec<usize> = (0..self.predicted.len()).collect();
        let change = self.learn(how, &all).map_err(Error::Recalibration)?;
        let folds = self.folds();
        let repeats = folds.as_ref().and_then(|folds| self.held_out(how, folds));
        let judged = repeats.as_ref().map(|repeats| PredictedRows {
            truth: self.truth(),
            groups: self.data.groups(),
            repeats,
        });
        let measures = judged.map(|judged| PredictionMeasures {
            auc: self.measures.auc,
            ..judged.measures(self.threshold)
        });
        let curves = match (labels, &repeats) {
            ([_, ..], Some(repeats)) => Some(Curves::new(labels, repeats, self.data.groups())),
            _ => None,
        };
        let loss = |of: &PredictionMeasures| match of.log_loss {
            Some(loss) => Some(loss.mean),
            None => of.rmse.map(|rmse| rmse.mean.powi(2)),
        };
        let after = measures.as_ref().and_then(loss);
        let recalibration = Recalibration {
            how,
            change,
            data: self.data.fingerprint(),
            samples: self.predicted.len(),
            positive: (!labels.is_empty()).then(|| labels.iter().sum()),
            loss: loss(self.measures).zip(after).map(|(a, b)| [a, b]),
            version: env!("CARGO_PKG_VERSION").to_string(),
        };
        let dealt = measures.as_ref().and(folds.as_ref());
        let check = RecalibrationCheck {
            recalibration: recalibration.clone(),
            folds: dealt.map_or(0, Folds::count),
            repeats: dealt.map_or(0, Folds::repeats),
            measures,
            curves,
        };
        Ok((self.model.recalibrated(recalibration).checked()?, check))
    }

    fn truth(&self) -> SeenTarget<'_> {
        match self.data.target() {
            Target::Classes { labels, .. } => SeenTarget::Labels(labels),
            Target::Values(values) => SeenTarget::Values(values),
        }
    }

    /// `None` where rows or groups are too few to be held back.
    fn folds(&self) -> Option<Folds> {
        let n = self.predicted.len();
        let labels = self.data.target().labels();
        let positive = labels.iter().sum::<usize>();
        let (strata, most) = match labels {
            [] => (vec![0; n], n),
            labels => (labels.to_vec(), positive.min(n - positive)),
        };
        let groups = self.data.groups();
        let deal = |count| Folds::stratified(&strata, groups, count, REPEATS, SEED).ok();
        (2..=FOLDS.min(most)).rev().find_map(deal)
    }

    /// Every row with the correction that the other folds teach; `None` where they teach none.
    fn held_out(&self, how: Recalibrate, folds: &Folds) -> Option<Vec<Vec<f64>>> {
        let mut repeats = vec![vec![0.0; self.predicted.len()]; folds.repeats()];
        for (number, repeat) in repeats.iter_mut().enumerate() {
            for fold in 0..folds.count() {
                let (others, own) = folds.split(number, fold);
                let change = self.learn(how, &others).ok()?;
                for row in own {
                    let before = self.predicted[row];
                    repeat[row] = match self.model.task() {
                        Task::Classification => sigmoid(change.apply(logit(before))),
                        Task::Regression => change.apply(before),
                    };
                }
            }
        }
        Some(repeats)
    }

    /// What these rows ask for, or why they cannot be asked.
    fn learn(&self, how: Recalibrate, rows: &[usize]) -> Result<Correction, String> {
        match self.data.target() {
            Target::Classes { names, labels } => self.learn_classes(how, rows, names, labels),
            Target::Values(values) => self.learn_values(how, rows, values),
        }
    }

    fn learn_classes(
        &self,
        how: Recalibrate,
        rows: &[usize],
        names: &[String],
        labels: &[usize],
    ) -> Result<Correction, String> {
        let own: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
        for (class, name) in names.iter().enumerate() {
            if !own.contains(&class) {
                return Err(format!(
                    "none of them is of class '{name}'; give samples of both classes"
                ));
            }
        }
        let predicted: Vec<f64> = rows.iter().map(|&row| self.predicted[row]).collect();
        match how {
            Recalibrate::Intercept => intercept(&own, &predicted)
                .map(|found| Correction {
                    slope: 1.0,
                    intercept: found.value,
                })
                .ok_or_else(|| "its probabilities leave no intercept to be found".to_string()),
            Recalibrate::Slope => {
                let rows = predicted.iter().zip(&own);
                let rows: Vec<(f64, f64, f64)> =
                    rows.map(|(&p, &t)| (logit(p), t as f64, 1.0)).collect();
                Ok(Correction::held(Task::Classification, &rows, FIRMNESS))
            }
        }
    }

    fn learn_values(
        &self,
        how: Recalibrate,
        rows: &[usize],
        values: &[f64],
    ) -> Result<Correction, String> {
        let pairs: Vec<(f64, f64)> = (rows.iter())
            .map(|&row| (self.predicted[row], values[row]))
            .collect();
        let stretch = match how {
            Recalibrate::Intercept => 1.0,
            Recalibrate::Slope => slope(&pairs),
        };
        if stretch <= 0.0 || rows.len() < 3 {
            return Err(match rows.len() {
                0..3 => "they are too few; give three or more".to_string(),
                _ => "the predictions do not rise with the true values there; recalibrate the intercept alone, or fit anew".to_string(),
            });
        }
        let gaps = pairs.iter().map(|(p, y)| y - stretch * p);
        Ok(Correction {
            slope: stretch,
            intercept: gaps.sum::<f64>() / pairs.len() as f64,
        })
    }
}
