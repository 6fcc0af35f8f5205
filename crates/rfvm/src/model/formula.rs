//! A model as numbers that anyone can compute with, without this program.

use serde::Serialize;

use super::predict::Model;
use crate::data::{Task, Transform};
use crate::posterior::correction::Correction;
use crate::posterior::moments::WeightCovariance;
use crate::posterior::signature::{Feature, Signature};

/// All that a prediction is computed from. With x the standardised values of a signature's features,
///
/// ```text
/// mean        m = bias + Σ weight x
/// variance    s = x' covariance x + bias_variance + noise
/// log odds    intercept + slope · m / sqrt(1 + π/8 s), the mean over the signatures before intercept and slope
/// regression  intercept + slope · (target_mean + target_sd · m)
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Formula {
    /// Classification or regression.
    pub task: Task,
    /// Names of the negative and the positive class; empty in a regression.
    pub classes: Vec<String>,
    /// What is done to every raw value first.
    pub transform: Transform,
    /// Mean of a regression's target; 0 in a classification.
    pub target_mean: f64,
    /// Standard deviation of a regression's target; 1 in a classification.
    pub target_sd: f64,
    /// The last step.
    pub correction: Correction,
    /// One, or those of a committee.
    pub signatures: Vec<SignatureFormula>,
}

/// One signature's part of a [`Formula`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignatureFormula {
    /// Its features, with the scale that standardises each.
    pub features: Vec<Feature>,
    /// Mean of b.
    pub bias: f64,
    /// Variance of b.
    pub bias_variance: f64,
    /// The noise variance 1/τ.
    pub noise: f64,
    /// Variance of every weight.
    pub variances: Vec<f64>,
    /// Covariance of the weights, row by row; `None` where they are independent (the full model).
    pub covariance: Option<Vec<Vec<f64>>>,
}

impl SignatureFormula {
    fn of(signature: &Signature) -> Self {
        let moments = &signature.moments;
        let covariance = moments.weight_covariance();
        let features = signature.features.iter().zip(moments.weights());
        Self {
            features: features
                .map(|(feature, weight)| Feature {
                    weight,
                    ..feature.clone()
                })
                .collect(),
            bias: moments.b,
            bias_variance: moments.b_var,
            noise: moments.noise,
            variances: covariance.diagonal(),
            covariance: match &covariance {
                WeightCovariance::Independent(_) => None,
                WeightCovariance::Joint(cov) => {
                    let count = signature.features.len();
                    let row = |i| (0..count).map(|j| cov.at(i, j)).collect();
                    Some((0..count).map(row).collect())
                }
            },
        }
    }

    /// Mean and variance of the latent score of standardised values.
    pub fn latent(&self, x: &[f64]) -> (f64, f64) {
        let weights = self.features.iter().map(|feature| feature.weight);
        let mean: f64 = weights.zip(x).map(|(weight, x)| weight * x).sum();
        let spread: f64 = match &self.covariance {
            None => (self.variances.iter().zip(x)).map(|(v, x)| v * x * x).sum(),
            Some(rows) => rows
                .iter()
                .zip(x)
                .map(|(row, x_i)| x_i * row.iter().zip(x).map(|(v, x)| v * x).sum::<f64>())
                .sum(),
        };
        (
            mean + self.bias,
            spread.max(0.0) + self.bias_variance + self.noise,
        )
    }
}

impl Model {
    /// All that its predictions are computed from.
    pub fn formula(&self) -> Formula {
        Formula {
            task: self.task,
            classes: self.classes.clone(),
            transform: self.parameters.preprocessing.transform,
            target_mean: self.target_scale.mean,
            target_sd: self.target_scale.sd,
            correction: self.correction,
            signatures: self.signatures.iter().map(SignatureFormula::of).collect(),
        }
    }
}
