//! All there is to say of a model of several classes, its data and its evaluation.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::evaluation::other_parameters;
use super::input::quoted;
use super::overview::Overview;
use crate::data::{Dataset, Target};
use crate::error::Error;
use crate::evaluate::ClassesEvaluation;
use crate::model::MulticlassModel;
use crate::posterior::signature::RelevanceVector;

/// All there is to say of a model of several classes. It owns what it says and goes through JSON unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassesSummary {
    /// Version of the engine that made it.
    pub version: String,
    /// What the data are called.
    pub name: String,
    /// [`Dataset::fingerprint`] of the data.
    pub fingerprint: String,
    /// Whether they are the data that the model was fitted on; `None` where its file does not say.
    pub fitted_on: Option<bool>,
    /// What the reader said of the data.
    pub notes: Vec<String>,
    /// The model without its signatures.
    pub model: Overview,
    /// The shared panel, the feature with the largest weights first.
    pub panel: Vec<PanelRow>,
    /// The relevance vectors of every class, the largest coefficient first.
    pub vectors: Vec<Vec<RelevanceVector>>,
    /// All samples, in the order of the data.
    pub samples: Vec<ClassedSample>,
    /// The evaluation, where there is one.
    pub evaluation: Option<ClassesEvaluation>,
}

/// A feature of the panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PanelRow {
    /// Its name.
    pub name: String,
    /// v without its sign, which all classes share.
    pub relevance: f64,
    /// Weight and its standard deviation of every class.
    pub weights: Vec<(f64, f64)>,
    /// Share of the evaluation's fits that selected it.
    pub selected: Option<f64>,
}

/// A sample and what is said of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassedSample {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: usize,
    /// The likeliest class by the model.
    pub said: usize,
    /// Probability of every class.
    pub probability: Vec<f64>,
    /// The same by fits that had not seen it, a mean over the repeats.
    pub unseen: Option<Vec<f64>>,
}

impl ClassesSummary {
    /// Everything about a model of several classes; data and evaluation must be of its target.
    pub fn of(
        model: &MulticlassModel,
        data: &Dataset,
        evaluation: Option<&ClassesEvaluation>,
        name: &str,
        notes: &[String],
    ) -> Result<Self, Error> {
        check_target(model, data.target())?;
        let fingerprint = data.fingerprint();
        if let Some(evaluation) = evaluation {
            check_evaluation(evaluation, model, data, &fingerprint)?;
        }
        let selected: HashMap<&str, f64> = (evaluation.iter())
            .flat_map(|evaluation| &evaluation.selection)
            .map(|found| (found.feature.as_str(), found.frequency))
            .collect();
        let panel = model.features().into_iter().map(|feature| PanelRow {
            name: feature.name.to_string(),
            relevance: feature.relevance,
            weights: feature.weights,
            selected: evaluation.map(|_| selected.get(feature.name).copied().unwrap_or(0.0)),
        });
        let unseen = evaluation.map(unseen);
        let said = model.predict(data.table())?.into_iter().enumerate();
        let samples = said.map(|(n, said)| ClassedSample {
            name: data.table().sample_names()[n].clone(),
            class: data.labels()[n],
            said: said.class(),
            unseen: unseen.as_ref().and_then(|unseen| unseen[n].clone()),
            probability: said.probability,
        });
        let own = model.training().data.as_ref();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            name: name.to_string(),
            fitted_on: own.map(|own| *own == fingerprint),
            fingerprint,
            notes: notes.to_vec(),
            model: model.overview(),
            panel: panel.collect(),
            vectors: (model.signatures().iter())
                .map(|signature| signature.vectors().to_vec())
                .collect(),
            samples: samples.collect(),
            evaluation: evaluation.cloned(),
        })
    }
}

/// Refuses a target that is not the model's.
fn check_target(model: &MulticlassModel, target: &Target) -> Result<(), Error> {
    let refuse = |what: String| Err(Error::OtherTarget(what));
    match target {
        Target::Classes { names, .. } if names == model.classes() => Ok(()),
        Target::Classes { names, .. } => refuse(format!(
            "the model's classes are {}, but those of the target are {}",
            quoted(model.classes()),
            quoted(names)
        )),
        Target::Values(_) => {
            refuse("the model tells classes apart, but the target is a number".to_string())
        }
    }
}

/// Refuses an evaluation of other data, another target or other fits than the model's, and a damaged one.
fn check_evaluation(
    evaluation: &ClassesEvaluation,
    model: &MulticlassModel,
    data: &Dataset,
    fingerprint: &str,
) -> Result<(), Error> {
    let refuse = |what: &str| Err(Error::Evaluation(what.to_string()));
    if evaluation.data != fingerprint || evaluation.classes != model.classes() {
        return refuse(
            "is of other data or another target than the table; give the evaluation of this table and target",
        );
    }
    if other_parameters(&evaluation.parameters, model.parameters()) {
        return refuse(
            "is of fits with other options than the model's; evaluate with the options that the model was fitted with",
        );
    }
    let classes = model.classes().len();
    let whole = evaluation.results.iter().all(|fold| {
        fold.rows.len() == fold.predicted.len()
            && fold.rows.iter().all(|&row| row < data.table().samples())
            && fold.predicted.iter().all(|p| p.len() == classes)
    });
    let table =
        |rows: &Vec<Vec<f64>>| rows.len() == classes && rows.iter().all(|row| row.len() == classes);
    match whole && table(&evaluation.confusion) && evaluation.per_class.len() == classes {
        true => Ok(()),
        false => refuse("is damaged; run rfvm evaluate --json again"),
    }
}

/// Every sample's mean prediction by fits that had not seen it.
fn unseen(evaluation: &ClassesEvaluation) -> Vec<Option<Vec<f64>>> {
    let mut means = vec![(vec![0.0; evaluation.classes.len()], 0.0); evaluation.n];
    for fold in &evaluation.results {
        for (&row, p) in fold.rows.iter().zip(&fold.predicted) {
            let (sums, times) = &mut means[row];
            sums.iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
            *times += 1.0;
        }
    }
    let mean = |(sums, times): (Vec<f64>, f64)| {
        (times > 0.0).then(|| sums.iter().map(|sum| sum / times).collect())
    };
    means.into_iter().map(mean).collect()
}
