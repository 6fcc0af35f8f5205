//! What a cross-validation gives, as plain data.

use serde::{Deserialize, Serialize};

use super::added_value::AddedValue;
use super::measures::{AtThreshold, CalibrationMeasures, Estimate, NetBenefit, Rejection};
use crate::data::{HeldOut, Provenance};
use crate::params::Parameters;
use crate::posterior::trace::StopReason;

/// What one fold gave. Measures that its test rows cannot tell (one class only, say) are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct FoldResult {
    pub repeat: usize,
    pub fold: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Root mean squared error of a regression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Share of the test rows' variance that a regression explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    pub features: usize,
    /// What these cost, each panel once; `None` where nothing has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    pub vectors: usize,
    pub fit_seconds: f64,
    pub stop: StopReason,
    /// Features that the fit selected.
    #[serde(default)]
    pub selected: Vec<String>,
    /// The test rows, as positions in [`Evaluation::samples`].
    #[serde(default)]
    pub rows: Vec<usize>,
    /// What the fit said of each of them: the probability of the positive class, or the value of a regression.
    #[serde(default)]
    pub predicted: Vec<f64>,
    /// Standard deviation of the log odds of each ([`crate::LogOdds`]); empty in a regression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_odds_sd: Vec<f64>,
    /// The share of the positive class among the training rows, by weight: what the base rate says of every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// What covariates alone said of each row; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covariates_alone: Vec<f64>,
    /// Root mean squared error of that, in a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmse_of_covariates: Option<f64>,
}

impl FoldResult {
    /// What a model that is not of this cross-validation said of rows 0, 1, ...; its own measures are left out.
    pub(super) fn given(repeat: usize, predicted: &[f64]) -> Self {
        Self {
            repeat,
            fold: 0,
            accuracy: None,
            balanced_accuracy: None,
            auc: None,
            log_loss: None,
            brier: None,
            rmse: None,
            r2: None,
            features: 0,
            cost: None,
            vectors: 0,
            fit_seconds: 0.0,
            stop: StopReason::Converged,
            selected: Vec::new(),
            rows: (0..predicted.len()).collect(),
            predicted: predicted.to_vec(),
            log_odds_sd: Vec::new(),
            base: None,
            covariates_alone: Vec::new(),
            rmse_of_covariates: None,
        }
    }
}

/// How often a feature was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// Name of the feature.
    pub feature: String,
    /// Share of the fits that selected it.
    pub frequency: f64,
}

/// The result of a cross-validation; measures that do not apply to the task are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Evaluation {
    pub n: usize,
    pub d: usize,
    pub repeats: usize,
    pub folds: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<Estimate>,
    /// Mean over repeats, each with all its test rows together; its interval is in `calibration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_slope: Option<f64>,
    /// How far probabilities can be believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationMeasures>,
    /// Sensitivity, specificity and what follows, at one half or where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<AtThreshold>,
    /// What abstaining where the interval of a score holds both classes leaves, at 0.95 or where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Net benefit at some thresholds; the report has the whole curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub net_benefit: Vec<NetBenefit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<Estimate>,
    pub features: Estimate,
    /// What the features cost; `None` where nothing has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Estimate>,
    pub features_percent: Estimate,
    pub vectors: Estimate,
    pub vectors_percent: Estimate,
    pub fit_seconds: Estimate,
    /// Fits that found no signal.
    pub no_signal: usize,
    pub selection: Vec<Selection>,
    pub results: Vec<FoldResult>,
    /// Names of the samples.
    #[serde(default)]
    pub samples: Vec<String>,
    /// [`crate::Dataset::fingerprint`] of the data.
    #[serde(default)]
    pub data: Option<String>,
    /// Names of the negative and the positive class; empty in a regression.
    #[serde(default)]
    pub classes: Vec<String>,
    /// The class of every sample, as a position in `classes`; empty in a regression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<usize>,
    /// The group of every sample, where there are groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<usize>>,
    /// What could not be computed or was computed otherwise, and why, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the features add to the covariates, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_value: Option<AddedValue>,
    /// The parameters of the fits.
    #[serde(default)]
    pub parameters: Option<Parameters>,
    /// The same with shuffled targets, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permuted: Vec<Permuted>,
    /// The same with whole batches held out, where there is a column of batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// How the data came about, where whoever read them has said so.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// What the cross-validation of one shuffled data set gave, means over its folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Permuted {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
}
