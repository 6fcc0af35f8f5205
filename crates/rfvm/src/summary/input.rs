//! What a summary is made from, checked against each other.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, Provenance, Target, Task};
use crate::error::Error;
use crate::evaluate::Evaluation;
use crate::model::Model;

/// Features with missing values that a summary names at most.
const WORST: usize = 5;

/// The data of a summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataSummary {
    /// What the data are called: a file's name, say.
    pub name: String,
    /// What there is to say of how they were read, a sentence each.
    pub notes: Vec<String>,
    /// Number of samples.
    pub samples: usize,
    /// Number of features.
    pub features: usize,
    /// [`Dataset::fingerprint`].
    pub fingerprint: String,
    /// Whether the model was fitted on these data; `None` where it does not say.
    pub fitted_on: Option<bool>,
    /// Missing values.
    pub missing: MissingValues,
    /// How they came about: warnings, columns that are not used, a panel that was given. Of the data that the model was
    /// fitted on, what the model knows; whoever read the table may [`Provenance::merge`] more.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// How many values are missing, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingValues {
    /// How many values.
    pub values: usize,
    /// How many features lack some.
    pub features: usize,
    /// The features that lack most, at most five.
    pub worst: Vec<MissingIn>,
}

/// How many values of a feature are missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MissingIn {
    pub feature: String,
    pub values: usize,
}

impl DataSummary {
    pub(super) fn new(model: &Model, data: &Dataset, name: &str, notes: &[String]) -> Self {
        let table = data.table();
        let fingerprint = data.fingerprint();
        let known = model.training().data.as_ref();
        let missing = match table.missing() {
            0 => Vec::new(),
            _ => table.missing_by_feature(),
        };
        let worst = missing.iter().take(WORST);
        let fitted_on = known.map(|known| *known == fingerprint);
        let provenance = match fitted_on {
            Some(false) => Provenance::default(),
            _ => model.training().provenance.clone(),
        };
        Self {
            name: name.to_string(),
            notes: notes.to_vec(),
            samples: table.samples(),
            features: table.features(),
            fitted_on,
            provenance,
            missing: MissingValues {
                values: table.missing(),
                features: missing.len(),
                worst: worst
                    .map(|&(feature, values)| MissingIn {
                        feature: feature.to_string(),
                        values,
                    })
                    .collect(),
            },
            fingerprint,
        }
    }
}

pub(super) fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(" and ")
}

/// Refuses a target that is not the model's.
pub(crate) fn check_target(model: &Model, target: &Target) -> Result<(), Error> {
    let refuse = |what: String| Err(Error::OtherTarget(what));
    match (model.task(), target) {
        (Task::Regression, Target::Values(_)) => Ok(()),
        (Task::Regression, Target::Classes { .. }) => {
            refuse("the model is a regression, but the target has classes".to_string())
        }
        (Task::Classification, Target::Values(_)) => {
            refuse("the model tells classes apart, but the target is a number".to_string())
        }
        (Task::Classification, Target::Classes { names, .. }) if names != model.classes() => {
            refuse(format!(
                "the model's classes are {}, but those of the target are {}",
                quoted(model.classes()),
                quoted(names)
            ))
        }
        (Task::Classification, Target::Classes { .. }) => Ok(()),
    }
}

/// The evaluation's predictions in the order of the data: one list a repeat, one entry a sample.
pub(super) fn unseen(evaluation: &Evaluation, data: &Dataset) -> Result<Vec<Vec<f64>>, Error> {
    let n = data.table().samples();
    let refuse = |what: String| Err(Error::Evaluation(what));
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
