//! All samples: what the model says of each, what fits said that had not seen it, and who defines the model.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, Target};
use crate::model::{Model, Prediction};
use crate::posterior::correction::Correction;
use crate::posterior::moments::moderation;
use crate::posterior::signature::RelevanceVector;

/// Pieces of the line where both classes are as likely.
const STEPS: u32 = 20;

/// One sample of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSummary {
    /// Its name.
    pub name: String,
    /// Its true class, as a position in the model's classes; `None` in a regression.
    pub class: Option<usize>,
    /// Its true value in a regression.
    pub value: Option<f64>,
    /// The model's probability of the positive class; `None` in a regression.
    pub probability: Option<f64>,
    /// The model's latent score, or the predicted value of a regression.
    pub score: f64,
    /// The score's standard deviation.
    pub sd: f64,
    /// Mean probability, or value, from fits that had not seen it; `None` without an evaluation.
    pub unseen: Option<f64>,
    /// Whether it is taken for the other class: by most repeats of the evaluation without having been seen, else by the
    /// model itself. `None` in a regression.
    pub misclassified: Option<bool>,
    /// Its coefficient where it is a relevance vector.
    pub coefficient: Option<f64>,
}

/// A place of the subject map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MapPoint {
    /// Latent score.
    pub score: f64,
    /// Its standard deviation.
    pub sd: f64,
}

pub(super) fn samples(
    data: &Dataset,
    predictions: &[Prediction],
    unseen: &[Vec<f64>],
    vectors: &[RelevanceVector],
) -> Vec<SampleSummary> {
    let coefficients: HashMap<&str, f64> = (vectors.iter())
        .map(|vector| (vector.sample.as_str(), vector.coefficient))
        .collect();
    let names = data.table().sample_names();
    let sample = |(n, prediction): (usize, &Prediction)| {
        let repeats = || unseen.iter().map(|repeat| repeat[n]);
        let mean = repeats().sum::<f64>() / unseen.len() as f64;
        let class = data.labels().get(n).copied();
        let value = match data.target() {
            Target::Classes { .. } => None,
            Target::Values(values) => Some(values[n]),
        };
        let misclassified = class.map(|class| {
            let wrong = |p: f64| (p > 0.5) != (class == 1);
            match unseen {
                [] => prediction.probability.is_some_and(wrong),
                _ => 2 * repeats().filter(|&p| wrong(p)).count() > unseen.len(),
            }
        });
        SampleSummary {
            name: names[n].clone(),
            class,
            value,
            probability: prediction.probability,
            score: prediction.mean,
            sd: prediction.variance.sqrt(),
            unseen: (!unseen.is_empty()).then_some(mean),
            misclassified,
            coefficient: coefficients.get(names[n].as_str()).copied(),
        }
    };
    predictions.iter().enumerate().map(sample).collect()
}

/// Where both classes are as likely: σ(intercept + slope · score / sqrt(1 + π/8 sd²)) = 1/2, from the smallest uncertainty
/// of the samples to the largest.
pub(super) fn boundary(model: &Model, samples: &[SampleSummary]) -> Vec<MapPoint> {
    let sds = samples.iter().map(|sample| sample.sd);
    let (low, high) = sds.fold((f64::INFINITY, 0.0_f64), |(low, high), sd| {
        (low.min(sd), high.max(sd))
    });
    let Correction { slope, intercept } = model.correction();
    let point = |step: u32| {
        let sd = low + (high - low) * f64::from(step) / f64::from(STEPS);
        MapPoint {
            score: -intercept / slope * moderation(sd * sd),
            sd,
        }
    };
    (0..=STEPS).map(point).collect()
}
