//! A model of several classes: one panel of features for all of them, a signature for each against the rest.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use super::file::read;
use super::predict::Model;
use crate::data::{KnownFeatures, Provenance, Table, Training};
use crate::error::Error;
use crate::params::Parameters;
use crate::posterior::class_correction::ClassCorrection;
use crate::posterior::moments::moderation;
use crate::posterior::signature::{Feature, Signature};
use crate::posterior::trace::StopReason;
use crate::projection::{Expected, Judgement, PathSize};

/// A fitted model of more than two classes: v, and so the panel of features, is one for all of them, and each class has relevance
/// vectors, weights and a bias of its own, against the rest. It shares the file format of [`Model`].
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassModel(Model);

/// What a model of several classes says about one sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassPrediction {
    /// Mean and variance (the noise 1/τ included) of the latent score of every class against the rest.
    pub scores: Vec<(f64, f64)>,
    /// Probability of every class; they add up to one.
    pub probability: Vec<f64>,
}

impl ClassPrediction {
    /// The likeliest class, as a position in [`MulticlassModel::classes`]; the first of several that are level.
    pub fn class(&self) -> usize {
        likeliest(&self.probability)
    }
}

/// The position of the largest probability, the first of several that are level.
pub(crate) fn likeliest(probability: &[f64]) -> usize {
    let mut best = 0;
    for (class, p) in probability.iter().enumerate() {
        if *p > probability[best] {
            best = class;
        }
    }
    best
}

/// A feature of the shared panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelFeature<'m> {
    /// Its name.
    pub name: &'m str,
    /// v without its sign, which all classes share.
    pub relevance: f64,
    /// Weight and its standard deviation of every class: above 0 a high value speaks for the class against the rest.
    pub weights: Vec<(f64, f64)>,
}

/// A model of any kind, as a file has it.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Of two classes, or of a number.
    Single(Model),
    /// Of more than two classes.
    Several(MulticlassModel),
}

impl AnyModel {
    /// Reads a model file of any kind.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        read(path.as_ref(), Self::from_json)
    }

    /// The text of a model file.
    pub fn to_json(&self) -> String {
        match self {
            Self::Single(model) => model.to_json(),
            Self::Several(model) => model.to_json(),
        }
    }

    /// Reads the text of a model file of any kind; the error says what is wrong with it and what to do.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let model = Model::of_any_kind(bytes)?;
        Ok(match model.classes.len() {
            0..=2 => Self::Single(model),
            _ => Self::Several(MulticlassModel(model)),
        })
    }
}

impl MulticlassModel {
    /// Of the signatures of several classes.
    pub(crate) fn of(model: Model) -> Self {
        debug_assert!(model.classes.len() > 2);
        Self(model)
    }

    /// Its signatures as those of one model: for what asks nothing of the classes.
    pub(crate) fn as_one(&self) -> &Model {
        &self.0
    }

    /// Reads a model file; one of two classes or of a number is refused.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        read(path.as_ref(), Self::from_json)
    }

    /// Reads the text of a model file; the error says what is wrong with it and what to do.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        match AnyModel::from_json(bytes)? {
            AnyModel::Several(model) => Ok(model),
            AnyModel::Single(_) => {
                Err("this is no model of more than two classes; read it as one of two".to_string())
            }
        }
    }

    /// Writes the model to a file. The file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.0.save(path)
    }

    /// The text of a model file.
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.0.classes
    }

    /// What the model was fitted on.
    pub fn training(&self) -> &Training {
        &self.0.training
    }

    /// The same model with how its data came about, which its file keeps.
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Self(self.0.with_provenance(provenance))
    }

    /// The parameters that it was fitted with.
    pub fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// What makes probabilities of its moderated scores.
    pub fn correction(&self) -> ClassCorrection {
        ClassCorrection {
            slope: self.0.correction.slope,
            intercepts: self.0.class_intercepts.clone(),
        }
    }

    /// What the model should cost on new samples (multinomial log loss), the choice of its size included.
    pub fn expected(&self) -> Option<Expected> {
        self.0.expected
    }

    /// How much of what the full model tells it keeps, on rows neither has seen.
    pub fn share(&self) -> Option<f64> {
        self.0.share
    }

    /// What the full model should cost on new samples.
    pub fn full(&self) -> Option<Expected> {
        self.0.full
    }

    /// Whether there was anything to find; `None` where the rows were too few to tell.
    pub fn judgement(&self) -> Option<Judgement> {
        self.0.judgement
    }

    /// What every size of the path should cost, smallest first.
    pub fn sizes(&self) -> &[PathSize] {
        &self.0.sizes
    }

    /// The signature of every class against the rest: its weights, relevance vectors and bias. The features are the same ones, in
    /// the same order, for all.
    pub fn signatures(&self) -> &[Signature] {
        &self.0.signatures
    }

    /// The shared panel, the feature with the largest weights first.
    pub fn features(&self) -> Vec<PanelFeature<'_>> {
        let signatures = self.signatures();
        let first = signatures[0].features().iter().enumerate();
        let of_class = |d: usize| {
            move |signature: &Signature| {
                let Feature { weight, sd, .. } = signature.features()[d];
                (weight, sd)
            }
        };
        first
            .map(|(d, feature)| PanelFeature {
                name: &feature.name,
                relevance: feature.relevance,
                weights: signatures.iter().map(of_class(d)).collect(),
            })
            .collect()
    }

    /// Number of features of the panel.
    pub fn feature_count(&self) -> usize {
        self.0.feature_count()
    }

    /// Names of all features that prediction needs.
    pub fn needed_features(&self) -> Vec<String> {
        self.0.needed_features()
    }

    /// Number of distinct relevance vectors over all classes.
    pub fn vector_count(&self) -> usize {
        let all = self.signatures().iter().flat_map(Signature::vectors);
        let names: HashSet<&str> = all.map(|vector| vector.sample.as_str()).collect();
        names.len()
    }

    /// Whether it is the full posterior: all features, and all samples define it.
    pub fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// What is known of its features beside the data: prices, panels, blocks, annotation.
    pub fn known(&self) -> &KnownFeatures {
        &self.0.known
    }

    /// What its panel costs, features that are bought together once; `None` where nothing has a price.
    pub fn cost(&self) -> Option<f64> {
        self.0.cost()
    }

    /// Why the fit ended.
    pub fn stop_reason(&self) -> StopReason {
        self.0.stop_reason()
    }

    /// Predicts every row; features are matched by name, in any order, and extra ones are ignored.
    pub fn predict(&self, table: &Table) -> Result<Vec<ClassPrediction>, Error> {
        let positions = table.find_features(&self.needed_features())?;
        self.0.check_missing(table, &positions)?;
        let columns = self.0.columns_of(&positions, table)?;
        let correction = self.correction();
        let classes: Vec<Vec<(f64, f64)>> = (self.signatures().iter())
            .map(|signature| signature.latent(&columns, None, table.samples()))
            .collect();
        (0..table.samples())
            .map(|n| {
                let scores: Vec<(f64, f64)> = classes.iter().map(|class| class[n]).collect();
                let finite = |(mean, variance): &(f64, f64)| (mean + variance).is_finite();
                if !scores.iter().all(finite) {
                    let sample = &table.sample_names()[n];
                    return Err(self.signatures()[0].out_of_proportion(&columns, n, sample));
                }
                let moderated: Vec<f64> = (scores.iter())
                    .map(|(mean, variance)| mean / moderation(*variance))
                    .collect();
                let ln = correction.log_probabilities(&moderated);
                Ok(ClassPrediction {
                    scores,
                    probability: ln.into_iter().map(f64::exp).collect(),
                })
            })
            .collect()
    }
}
