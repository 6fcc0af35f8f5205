//! All there is to say of a model, its data and its evaluation: what a report draws, computed before anything is drawn.
//!
//! ```text
//! input.rs         model, data and evaluation checked against each other
//! overview.rs      the model without its signatures
//! classes.rs       the same of a model of several classes
//! signatures.rs    its signatures and relevance vectors
//! scan.rs          one walk over all features: correlations, shuffled targets, substitutes
//! features.rs      all features
//! samples.rs       all samples, seen and unseen
//! explained.rs     why a few typical samples have their scores
//! heat_map.rs      the signature's values over the samples
//! evaluation.rs    measures, selection and stability
//! curves.rs        ROC, precision and recall, calibration, decisions, with bands
//! chance.rs        the same with shuffled targets
//! alternatives.rs  substitutes, and models of them
//! unavailable.rs   what a prediction loses without each feature
//! finite.rs        numbers that JSON can hold
//! ```

mod alternatives;
mod chance;
mod classes;
pub(crate) mod curves;
mod evaluation;
mod explained;
mod features;
mod finite;
mod heat_map;
pub(crate) mod input;
mod overview;
mod samples;
mod scan;
mod signatures;
mod unavailable;

use serde::{Deserialize, Serialize};

pub use alternatives::{Alternatives, StandIn, StandInFeature, Substitute, Substitutes};
pub use chance::{Chance, Measure, Permutation};
pub use classes::{ClassedSample, ClassesSummary, PanelRow};
pub use curves::{Bin, Calibration, Curve, CurvePoint, Curves, Decision};
pub use evaluation::{EvaluationSummary, SelectedFeature};
pub use explained::ExplainedSample;
pub use features::{FeatureSummary, Nearest};
pub use heat_map::HeatMapSummary;
pub use input::{DataSummary, MissingIn, MissingValues};
pub use overview::Overview;
pub use samples::{MapPoint, SampleSummary};
pub use signatures::{SignatureFeature, SignatureSummary};
pub use unavailable::{Told, Unavailable};

use crate::data::{Dataset, KnownFeatures, Task};
use crate::error::Error;
use crate::evaluate::Evaluation;
use crate::model::Model;
use crate::posterior::signature::RelevanceVector;
use signatures::Frequencies;

/// All there is to say of a model, its data and its evaluation. It owns what it says and goes through JSON unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the engine that made it.
    pub version: String,
    /// The data.
    pub data: DataSummary,
    /// The model without its signatures.
    pub model: Overview,
    /// Its signatures.
    pub signatures: Vec<SignatureSummary>,
    /// The relevance vectors of all signatures, the largest coefficient first.
    pub vectors: Vec<RelevanceVector>,
    /// The signature's values over the samples.
    pub heat_map: HeatMapSummary,
    /// All samples, in the order of the data.
    pub samples: Vec<SampleSummary>,
    /// Why a few typical samples have their scores; empty where the model has no feature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<ExplainedSample>,
    /// Where both classes are as likely, by score and uncertainty; empty in a regression.
    pub boundary: Vec<MapPoint>,
    /// All features, those of the model first and then by what they say of the target; of very many, the first 10,000.
    pub features: Vec<FeatureSummary>,
    /// How the same fit does on samples that it has not seen, where that was evaluated.
    pub evaluation: Option<EvaluationSummary>,
    /// How good chance looks.
    pub chance: Chance,
    /// What could replace what.
    pub alternatives: Alternatives,
    /// What is known of the listed features beside the data: prices, panels, blocks, annotation.
    #[serde(default, skip_serializing_if = "KnownFeatures::is_empty")]
    pub known: KnownFeatures,
    /// What a prediction loses without each of the model's features; empty for a model of more than 60.
    #[serde(default)]
    pub unavailable: Vec<Unavailable>,
}

impl Summary {
    /// Computes everything. `data` are those that the model was fitted on, with the same target and features; no group of
    /// theirs is split between the folds by which a stand-in is judged. `evaluation` is a cross-validation of the same fit
    /// on the same data. `name` is what the data are called, and `notes` say how they were read, a sentence each.
    pub fn of(
        model: &Model,
        data: &Dataset,
        evaluation: Option<&Evaluation>,
        name: &str,
        notes: &[String],
    ) -> Result<Self, Error> {
        input::check_target(model, data.target())?;
        let mut about_data = DataSummary::new(model, data, name, notes);
        let unseen = match evaluation {
            Some(evaluation) => {
                evaluation::check_evaluation(evaluation, model, &about_data)?;
                about_data.provenance.merge(&evaluation.provenance);
                input::unseen(evaluation, data)?
            }
            None => Vec::new(),
        };
        let predictions = model.predict(data.table())?;
        let scan = scan::scan(model, data)?;
        let selected = Frequencies::new(evaluation, model);
        let vectors = signatures::vectors(model);
        let samples = samples::samples(data, &predictions, &unseen, &vectors);
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            data: about_data,
            model: model.overview(),
            signatures: (model.signatures().iter())
                .map(|signature| SignatureSummary::new(signature, &selected))
                .collect(),
            heat_map: HeatMapSummary::new(model, data, &samples)?,
            explained: explained::explained(model, data, &samples)?,
            boundary: match model.task() {
                Task::Classification => samples::boundary(model, &samples),
                Task::Regression => Vec::new(),
            },
            features: features::features(model, data, &scan, &selected),
            evaluation: evaluation
                .map(|evaluation| EvaluationSummary::new(evaluation, &unseen, model, data)),
            chance: Chance::new(evaluation, &scan),
            alternatives: Alternatives::new(model, data, &scan),
            unavailable: unavailable::unavailable(model, data)?,
            known: known(model, data),
            vectors,
            samples,
        })
    }
}

/// What the model knows of its features, and what these data tell of the others.
fn known(model: &Model, data: &Dataset) -> KnownFeatures {
    let own = model.known().clone();
    let Some(facts) = data.facts() else {
        return own;
    };
    let names = data.table().feature_names();
    own.with_others(facts.of(names.iter(), names))
}
