//! The model's signatures with their features, and the relevance vectors of all of them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::evaluate::Evaluation;
use crate::model::Model;
use crate::posterior::signature::{Feature, RelevanceVector, Signature};
use crate::posterior::trace::{Iteration, StopReason};

/// Features that a list of a summary holds at most; beyond them lies what has next to nothing to do with the target.
pub(super) const LISTED: usize = 10_000;

/// One signature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignatureSummary {
    /// How many features it has.
    pub feature_count: usize,
    /// How many of them speak for the positive class, or for higher values in a regression.
    pub positive: usize,
    /// Its features, the heaviest first; of very many, the 10,000 heaviest.
    pub features: Vec<SignatureFeature>,
    /// [`Signature::evidence`].
    pub evidence: Option<f64>,
    /// Why its fit ended.
    pub stop_reason: StopReason,
    /// Bound and active-set sizes, iteration by iteration.
    pub trace: Vec<Iteration>,
}

/// A feature of a signature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignatureFeature {
    /// Its name.
    pub name: String,
    /// [`Feature::weight`].
    pub weight: f64,
    /// [`Feature::sd`].
    pub sd: f64,
    /// [`Feature::relevance`].
    pub relevance: f64,
    /// The class that it speaks for when it is high, as a position in the model's classes.
    pub class: usize,
    /// Share of the evaluation's fits that selected it; `None` without an evaluation and for the full model.
    pub selected: Option<f64>,
}

/// How often the evaluation's fits selected each feature.
pub(super) struct Frequencies<'e>(Option<HashMap<&'e str, f64>>);

impl<'e> Frequencies<'e> {
    pub(super) fn new(evaluation: Option<&'e Evaluation>, model: &Model) -> Self {
        // The full model selects nothing.
        let evaluation = evaluation.filter(|_| !model.is_full());
        Self(evaluation.map(|evaluation| {
            let selection = evaluation.selection.iter();
            selection
                .map(|found| (found.feature.as_str(), found.frequency))
                .collect()
        }))
    }

    pub(super) fn of(&self, feature: &str) -> Option<f64> {
        let known = self.0.as_ref()?;
        Some(known.get(feature).copied().unwrap_or(0.0))
    }
}

impl SignatureSummary {
    pub(super) fn new(signature: &Signature, selected: &Frequencies<'_>) -> Self {
        let all = signature.features();
        let feature = |feature: &Feature| SignatureFeature {
            name: feature.name.clone(),
            weight: feature.weight,
            sd: feature.sd,
            relevance: feature.relevance,
            class: feature.class(),
            selected: selected.of(&feature.name),
        };
        Self {
            feature_count: all.len(),
            positive: all.iter().filter(|feature| feature.class() == 1).count(),
            features: all.iter().take(LISTED).map(feature).collect(),
            evidence: signature.evidence(),
            stop_reason: signature.stop_reason(),
            trace: signature.trace().to_vec(),
        }
    }
}

/// The relevance vectors of all signatures, the largest coefficient of each; the largest first.
pub(super) fn vectors(model: &Model) -> Vec<RelevanceVector> {
    let mut found: HashMap<&str, f64> = HashMap::new();
    for vector in model.signatures().iter().flat_map(Signature::vectors) {
        let entry = found.entry(&vector.sample).or_insert(0.0);
        if vector.coefficient.abs() > entry.abs() {
            *entry = vector.coefficient;
        }
    }
    let mut vectors: Vec<RelevanceVector> = found
        .into_iter()
        .map(|(sample, coefficient)| RelevanceVector {
            sample: sample.to_string(),
            coefficient,
        })
        .collect();
    vectors.sort_by(|a, b| {
        let larger = b.coefficient.abs().total_cmp(&a.coefficient.abs());
        larger.then(a.sample.cmp(&b.sample))
    });
    vectors
}
