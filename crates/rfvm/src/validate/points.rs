//! What rounding a model to points costs.

use serde::Serialize;

use crate::data::{Table, Target};
use crate::error::Error;
use crate::evaluate::metrics;
use crate::model::{Model, PointScore};
use crate::numerics::stats::correlation;

/// A score of points against the model that it was rounded from, on given samples. What the target cannot tell is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PointLoss {
    /// Number of samples.
    pub n: usize,
    /// Correlation of points and score; `None` where either does not vary.
    pub correlation: Option<f64>,
    /// Mean distance of the two probabilities, or values.
    pub distance: f64,
    /// Area under the ROC curve of the model and of the points.
    pub auc: Option<[f64; 2]>,
    /// Share of samples that are right by the model and by the points, above 0.5 or not.
    pub accuracy: Option<[f64; 2]>,
}

impl PointLoss {
    /// Compares the two; the target, where there is one, is the model's.
    pub fn of(
        model: &Model,
        points: &PointScore,
        table: &Table,
        target: Option<&Target>,
    ) -> Result<Self, Error> {
        let predictions = model.predict(table)?;
        let totals = points.of(table)?;
        let score: Vec<f64> = predictions.iter().map(|p| p.mean).collect();
        let by_model: Vec<f64> = (predictions.iter())
            .map(|p| p.probability.unwrap_or(p.mean))
            .collect();
        let by_points: Vec<f64> = (totals.iter())
            .map(|&total| points.predicted(total).unwrap_or(f64::NAN))
            .collect();
        let gaps = by_model.iter().zip(&by_points).map(|(m, p)| (m - p).abs());
        let n = predictions.len();
        let labels = match target {
            Some(Target::Classes { labels, .. }) => Some(labels),
            _ => None,
        };
        let totals: Vec<f64> = totals.iter().map(|&total| total as f64).collect();
        let pairs: Vec<(f64, f64)> = score.into_iter().zip(totals.iter().copied()).collect();
        let auc = labels.and_then(|labels| {
            Some([
                metrics::auc(labels, &by_model)?,
                metrics::auc(labels, &totals)?,
            ])
        });
        let accuracy = |by: &[f64], labels: &Vec<usize>| metrics::accuracy(labels, by);
        Ok(Self {
            n,
            correlation: correlation(&pairs).filter(|r| r.is_finite()),
            distance: gaps.sum::<f64>() / n as f64,
            auc,
            accuracy: labels
                .map(|labels| [accuracy(&by_model, labels), accuracy(&by_points, labels)]),
        })
    }
}
