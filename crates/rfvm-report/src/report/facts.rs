//! What a report is made from, checked against each other, and what several of its sections need.

use std::collections::HashMap;

use rfvm::{
    Dataset, Evaluation, Feature, Method, Model, Prediction, Signature, Size, Target, Task,
};

use crate::palette::Color;
use crate::svg::Shape;

use super::error::ReportError;
use super::scan::{Scan, scan};

/// What a report is made from.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Input<'a> {
    pub model: &'a Model,
    /// The data that the model was fitted on, with the same target and features; no group of theirs is split between the
    /// folds by which a loss is judged.
    pub data: &'a Dataset,
    /// A cross-validation of the same fit on the same data.
    pub evaluation: Option<&'a Evaluation>,
    /// What the data are called: a file's name, say.
    pub name: &'a str,
    /// What there is to say of how the data were read, a sentence each.
    pub notes: &'a [String],
}

/// The input with what follows from it.
pub(crate) struct Facts<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) predictions: Vec<Prediction>,
    /// Out-of-sample predictions: one list a repeat, one entry a sample.
    pub(crate) unseen: Vec<Vec<f64>>,
    pub(crate) scan: Scan,
    pub(crate) fingerprint: String,
}

impl<'a> Facts<'a> {
    pub(crate) fn gather(input: &'a Input<'a>) -> Result<Self, ReportError> {
        check_target(input.model, input.data)?;
        let unseen = match input.evaluation {
            Some(evaluation) => unseen(evaluation, input.data)?,
            None => Vec::new(),
        };
        Ok(Self {
            input,
            predictions: input.model.predict(input.data.table())?,
            unseen,
            scan: scan(input.model, input.data)?,
            fingerprint: input.data.fingerprint(),
        })
    }

    pub(crate) fn model(&self) -> &'a Model {
        self.input.model
    }

    pub(crate) fn labels(&self) -> &'a [usize] {
        self.input.data.labels()
    }

    pub(crate) fn samples(&self) -> &'a [String] {
        self.input.data.table().sample_names()
    }

    pub(crate) fn regression(&self) -> bool {
        self.model().task() == Task::Regression
    }

    /// Whether the model is the full posterior: all features, and all samples define it.
    pub(crate) fn full(&self) -> bool {
        let full = matches!(&self.model().parameters().method, Method::Projected(own) if own.size == Size::Full);
        full && self.model().feature_count() > 0
    }

    /// Digits of a weight: those of the full model are many and small.
    pub(crate) fn weight_digits(&self) -> usize {
        if self.full() { 5 } else { 3 }
    }

    /// Features that the fit could use: those that are not constant.
    pub(crate) fn varying(&self) -> usize {
        let training = self.model().training();
        training.features.saturating_sub(training.constant_features)
    }

    /// The features of all signatures, with the number of theirs.
    pub(crate) fn features(&self) -> impl Iterator<Item = (usize, &'a Feature)> {
        let signatures = self.model().signatures().iter();
        (1..)
            .zip(signatures)
            .flat_map(|(number, s)| s.features().iter().map(move |f| (number, f)))
    }

    /// Coefficients of the relevance vectors by sample; of all signatures, the largest.
    pub(crate) fn vectors(&self) -> HashMap<&'a str, f64> {
        let mut found: HashMap<&str, f64> = HashMap::new();
        let all = self
            .model()
            .signatures()
            .iter()
            .flat_map(Signature::vectors);
        for vector in all {
            let entry = found.entry(&vector.sample).or_insert(0.0);
            if vector.coefficient.abs() > entry.abs() {
                *entry = vector.coefficient;
            }
        }
        found
    }

    /// What a feature or a sample speaks for: a class, or a direction in a regression.
    pub(crate) fn side(&self, class: usize) -> &'a str {
        match self.model().classes().get(class) {
            Some(name) => name,
            None => ["lower", "higher"][class.min(1)],
        }
    }

    /// The mean out-of-sample prediction of a sample over the repeats.
    pub(crate) fn unseen_mean(&self, sample: usize) -> Option<f64> {
        let repeats = self.unseen.len() as f64;
        let sum: f64 = self.unseen.iter().map(|repeat| repeat[sample]).sum();
        (!self.unseen.is_empty()).then(|| sum / repeats)
    }

    /// Whether a sample is predicted wrongly: on rows that the fits had not seen in most repeats, else by the model itself.
    pub(crate) fn wrong(&self, sample: usize) -> bool {
        let Some(&label) = self.labels().get(sample) else {
            return false;
        };
        let wrong = |p: f64| (p > 0.5) != (label == 1);
        if self.unseen.is_empty() {
            return self.predictions[sample].probability.is_some_and(wrong);
        }
        let misses = self
            .unseen
            .iter()
            .filter(|repeat| wrong(repeat[sample]))
            .count();
        2 * misses > self.unseen.len()
    }
}

/// The colour and the shape of a class.
pub(crate) fn look(class: usize) -> (Color, Shape) {
    match class {
        0 => (Color::Blue, Shape::Circle),
        _ => (Color::Vermillion, Shape::Triangle),
    }
}

/// A raw value in the model's units: transformed, then scaled.
pub(crate) fn scaled(model: &Model, feature: &Feature, value: f64) -> f64 {
    feature
        .scale
        .apply(model.parameters().preprocessing.transform.apply(value))
}

fn check_target(model: &Model, data: &Dataset) -> Result<(), ReportError> {
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        names.join(" and ")
    };
    match (model.task(), data.target()) {
        (Task::Regression, Target::Values(_)) => Ok(()),
        (Task::Regression, Target::Classes { .. }) => Err(ReportError::Data(
            "the model is a regression, but the target has classes; give the target that it was fitted on".to_string(),
        )),
        (Task::Classification, Target::Values(_)) => Err(ReportError::Data(
            "the model tells classes apart, but the target is a number; give the target that it was fitted on".to_string(),
        )),
        (Task::Classification, Target::Classes { names, .. }) if names != model.classes() => {
            Err(ReportError::Data(format!(
                "the model's classes are {}, but those of the target are {}; give the target that it was fitted on",
                quoted(model.classes()),
                quoted(names)
            )))
        }
        (Task::Classification, Target::Classes { .. }) => Ok(()),
    }
}

/// The evaluation's predictions in the order of the data.
fn unseen(evaluation: &Evaluation, data: &Dataset) -> Result<Vec<Vec<f64>>, ReportError> {
    let (n, d) = (data.table().samples(), data.table().features());
    let refuse = |what: String| Err(ReportError::Evaluation(what));
    if (evaluation.n, evaluation.d) != (n, d) {
        return refuse(format!(
            "is of {} samples and {} features, but the table has {n} and {d}; give the evaluation of this table",
            evaluation.n, evaluation.d
        ));
    }
    // A number of repeats that the results do not back up is damage, not a reason to reserve memory.
    if evaluation.samples.is_empty() || evaluation.repeats > evaluation.results.len() {
        return refuse("holds no predictions; run rfvm evaluate --json again".to_string());
    }
    let place: HashMap<&str, usize> = (data.table().sample_names().iter())
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let mut repeats = vec![vec![f64::NAN; n]; evaluation.repeats];
    for result in &evaluation.results {
        for (&row, &predicted) in result.rows.iter().zip(&result.predicted) {
            let name = evaluation.samples.get(row).map_or("", String::as_str);
            let Some(&at) = place.get(name) else {
                return refuse(format!(
                    "knows a sample '{name}' that the table has not; give the evaluation of this table"
                ));
            };
            if let Some(repeat) = repeats.get_mut(result.repeat) {
                repeat[at] = predicted;
            }
        }
    }
    let complete = repeats.iter().flatten().all(|p| p.is_finite()) && !repeats.is_empty();
    match complete {
        true => Ok(repeats),
        false => refuse(
            "does not predict every sample in every repeat; run rfvm evaluate --json again"
                .to_string(),
        ),
    }
}
