//! What a summary keeps of an evaluation: how well unseen samples are predicted, and what its fits selected.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::curves::Curves;
use super::input::{DataSummary, quoted};
use crate::data::{Dataset, HeldOut, Target};
use crate::error::Error;
use crate::evaluate::{
    AtThreshold, CalibrationMeasures, Estimate, Evaluation, NetBenefit, Rejection, Stability,
    stability,
};
use crate::model::Model;
use crate::params::{CandidateCount, MeanField, Method, Parameters, Signatures};

/// An evaluation, without what it says of single folds. Measures that do not apply to the task are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EvaluationSummary {
    pub folds: usize,
    pub repeats: usize,
    /// How many fits it made.
    pub fits: usize,
    /// How many of them found no signal.
    pub no_signal: usize,
    /// How many shuffled targets it was repeated with.
    pub permuted: usize,
    pub accuracy: Option<Estimate>,
    pub balanced_accuracy: Option<Estimate>,
    pub auc: Option<Estimate>,
    pub log_loss: Option<Estimate>,
    pub brier: Option<Estimate>,
    pub calibration_slope: Option<f64>,
    /// How far probabilities can be believed.
    #[serde(default)]
    pub calibration: Option<CalibrationMeasures>,
    /// Sensitivity, specificity and predictive values.
    #[serde(default)]
    pub thresholds: Vec<AtThreshold>,
    /// What abstaining leaves, and how much of that is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Net benefit at some thresholds.
    #[serde(default)]
    pub net_benefit: Vec<NetBenefit>,
    /// What could not be computed or was computed otherwise, and why.
    #[serde(default)]
    pub notes: Vec<String>,
    pub rmse: Option<Estimate>,
    /// What the features of its fits cost; `None` where nothing has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Estimate>,
    pub r2: Option<Estimate>,
    /// Curves of the unseen samples; none in a regression.
    pub curves: Option<Curves>,
    /// What the fits selected, most often first; empty for the full model, which selects nothing.
    pub selection: Vec<SelectedFeature>,
    /// How alike their selections are (Nogueira's measure).
    pub stability: Option<Stability>,
    /// The same with whole batches held out, where there was a column of batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

/// How often a feature was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectedFeature {
    /// Its name.
    pub name: String,
    /// Share of the fits that selected it.
    pub frequency: f64,
    /// Whether the model uses it.
    pub in_model: bool,
}

impl EvaluationSummary {
    pub(super) fn new(
        evaluation: &Evaluation,
        unseen: &[Vec<f64>],
        model: &Model,
        data: &Dataset,
    ) -> Self {
        let curves = match data.target() {
            Target::Classes { labels, .. } => {
                // A table may be given without its groups; their fingerprints say that it is the evaluation's.
                let known = evaluation.groups.as_deref();
                let known = known.filter(|groups| groups.len() == labels.len());
                Some(Curves::new(labels, unseen, data.groups().or(known)))
            }
            Target::Values(_) => None,
        };
        let (selection, stability) = match model.is_full() {
            true => (Vec::new(), None),
            false => (selection(evaluation, model), agreement(evaluation)),
        };
        Self {
            folds: evaluation.folds,
            repeats: evaluation.repeats,
            fits: evaluation.results.len(),
            no_signal: evaluation.no_signal,
            permuted: evaluation.permuted.len(),
            accuracy: evaluation.accuracy,
            balanced_accuracy: evaluation.balanced_accuracy,
            auc: evaluation.auc,
            log_loss: evaluation.log_loss,
            brier: evaluation.brier,
            calibration_slope: evaluation.calibration_slope,
            calibration: evaluation.calibration,
            thresholds: evaluation.thresholds.clone(),
            rejection: evaluation.rejection,
            net_benefit: evaluation.net_benefit.clone(),
            notes: evaluation.notes.clone(),
            rmse: evaluation.rmse,
            cost: evaluation.cost,
            r2: evaluation.r2,
            curves,
            selection,
            stability,
            held_out: evaluation.held_out.clone(),
        }
    }
}

fn selection(evaluation: &Evaluation, model: &Model) -> Vec<SelectedFeature> {
    let needed: HashSet<String> = model.needed_features().into_iter().collect();
    let selected = evaluation.selection.iter().map(|found| SelectedFeature {
        name: found.feature.clone(),
        frequency: found.frequency,
        in_model: needed.contains(&found.feature),
    });
    selected.collect()
}

fn agreement(evaluation: &Evaluation) -> Option<Stability> {
    let selections: Vec<&[String]> = (evaluation.results.iter())
        .map(|result| result.selected.as_slice())
        .collect();
    stability(&selections, evaluation.d)
}

/// Refuses an evaluation of other data, another target or other fits than the model's.
pub(super) fn check_evaluation(
    evaluation: &Evaluation,
    model: &Model,
    data: &DataSummary,
) -> Result<(), Error> {
    let refuse = |what: String| Err(Error::Evaluation(what));
    let (n, d) = (data.samples, data.features);
    if (evaluation.n, evaluation.d) != (n, d) {
        return refuse(format!(
            "is of {} samples and {} features, but the table has {n} and {d}; give the evaluation of this table",
            evaluation.n, evaluation.d
        ));
    }
    if evaluation.classes != model.classes() {
        let of = |classes: &[String]| match classes {
            [] => "a number".to_string(),
            classes => quoted(classes),
        };
        return refuse(format!(
            "is of another target ({}) than the model's ({}); give the evaluation of this target",
            of(&evaluation.classes),
            of(model.classes())
        ));
    }
    let (Some(fingerprint), Some(_)) = (&evaluation.data, &evaluation.parameters) else {
        return refuse(
            "does not say what data it is of; run rfvm evaluate --json again".to_string(),
        );
    };
    if *fingerprint != data.fingerprint {
        return refuse(
            "is of other data or another target than the table: their fingerprints differ; give the evaluation of this table and target"
                .to_string(),
        );
    }
    if other_fit(evaluation, model.parameters()) {
        return refuse(
            "is of fits with other options than the model's; evaluate with the options that the model was fitted with"
                .to_string(),
        );
    }
    Ok(())
}

/// Whether the evaluation is known to be of another fit. Hyperpriors follow the number of rows, so they may differ.
fn other_fit(evaluation: &Evaluation, own: &Parameters) -> bool {
    let parameters = evaluation.parameters.as_ref();
    parameters.is_some_and(|parameters| other_parameters(parameters, own))
}

/// The same of the parameters of an evaluation.
pub(super) fn other_parameters(evaluated: &Parameters, own: &Parameters) -> bool {
    let comparable = Parameters {
        method: comparable(evaluated.method.clone(), &own.method),
        ..evaluated.clone()
    };
    comparable != *own
}

/// The evaluated method with the hyperpriors of the model's own.
fn comparable(
    evaluated: Method<CandidateCount>,
    own: &Method<CandidateCount>,
) -> Method<CandidateCount> {
    match (evaluated, own) {
        (Method::Signatures(evaluated), Method::Signatures(own)) => {
            Method::Signatures(Signatures {
                hyper: own.hyper,
                ..evaluated
            })
        }
        (Method::MeanField(evaluated), Method::MeanField(own)) => Method::MeanField(MeanField {
            hyper: own.hyper,
            ..evaluated
        }),
        (evaluated, _) => evaluated,
    }
}
