//! What the demo found, as data: the JSON object, and what the text is written from.

use std::path::PathBuf;

use rfvm::{Error, Model, Signature, StopReason};
use serde::Serialize;

use super::study::{DemoStudy, Truth, classes};

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) version: &'static str,
    pub(super) seed: u64,
    pub(super) study: StudySummary,
    pub(super) signature: ModelSummary,
    pub(super) committee: ModelSummary,
    pub(super) known_truth: Scores,
    pub(super) files: Vec<PathBuf>,
    pub(super) seconds: Seconds,
}

#[derive(Debug, Serialize)]
pub(super) struct StudySummary {
    pub(super) subjects: usize,
    pub(super) classes: Vec<ClassCount>,
    pub(super) features: usize,
    pub(super) block: usize,
    pub(super) correlation: f64,
    pub(super) effect: f64,
    pub(super) informative: Vec<String>,
    pub(super) test_subjects: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ClassCount {
    pub(super) name: String,
    pub(super) subjects: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ModelSummary {
    pub(super) signatures: Vec<SignatureSummary>,
    pub(super) found: Found,
    pub(super) test: Scores,
}

#[derive(Debug, Serialize)]
pub(super) struct SignatureSummary {
    pub(super) stop_reason: StopReason,
    pub(super) iterations: usize,
    pub(super) bound: Option<f64>,
    /// Log Bayes factor against the base rate, in nats.
    pub(super) evidence: Option<f64>,
    pub(super) features: Vec<FeatureSummary>,
    pub(super) vectors: Vec<VectorSummary>,
}

#[derive(Debug, Serialize)]
pub(super) struct FeatureSummary {
    pub(super) name: String,
    pub(super) weight: f64,
    pub(super) sd: f64,
    pub(super) relevance: f64,
    /// The class it speaks for when it is high.
    pub(super) speaks_for: String,
    pub(super) truth: Truth,
}

#[derive(Debug, Serialize)]
pub(super) struct VectorSummary {
    pub(super) sample: String,
    pub(super) class: String,
    pub(super) coefficient: f64,
}

/// Selected features, counted by their truth.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) informative: usize,
    pub(super) informative_of: usize,
    pub(super) correlated: usize,
    pub(super) false_findings: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Scores {
    pub(super) accuracy: f64,
    pub(super) auc: Option<f64>,
    pub(super) log_loss: f64,
}

/// The only part that differs between two runs with one seed.
#[derive(Debug, Serialize)]
pub(super) struct Seconds {
    pub(super) simulation: f64,
    pub(super) signature: f64,
    pub(super) committee: f64,
}

impl ModelSummary {
    pub(super) fn new(model: &Model, study: &DemoStudy) -> Result<Self, Error> {
        let signatures = model
            .signatures()
            .iter()
            .map(|signature| SignatureSummary::new(signature, model, study))
            .collect::<Result<Vec<_>, _>>()?;
        let mut found = Found {
            informative: 0,
            informative_of: study.informative_count(),
            correlated: 0,
            false_findings: 0,
        };
        for feature in signatures.iter().flat_map(|s| &s.features) {
            *match feature.truth {
                Truth::Informative => &mut found.informative,
                Truth::CorrelatedWith(_) => &mut found.correlated,
                Truth::Noise => &mut found.false_findings,
            } += 1;
        }
        let probability = model.predict_probability(study.test.table())?;
        Ok(Self {
            signatures,
            found,
            test: study.scores(&probability),
        })
    }

    /// The part that fits the base rate only: no feature carries signal.
    pub(super) fn no_signal(&self) -> bool {
        self.signatures
            .iter()
            .all(|s| s.stop_reason == StopReason::NoSignal)
    }
}

impl SignatureSummary {
    fn new(signature: &Signature, model: &Model, study: &DemoStudy) -> Result<Self, Error> {
        let table = study.train.table();
        let names: Vec<String> = signature
            .features()
            .iter()
            .map(|f| f.name.clone())
            .collect();
        let positions = table.find_features(&names)?;
        let features = signature.features().iter().zip(positions).map(|(f, d)| {
            let class = &model.classes()[f.class()];
            FeatureSummary {
                name: f.name.clone(),
                weight: f.weight,
                sd: f.sd,
                relevance: f.relevance,
                speaks_for: class.clone(),
                truth: study.truth(d),
            }
        });
        let (class_names, labels) = classes(&study.train);
        let class_of = |sample: &String| {
            let row = table.sample_names().iter().position(|name| name == sample);
            row.map_or_else(String::new, |row| class_names[labels[row]].clone())
        };
        let vectors = signature.vectors().iter().map(|vector| VectorSummary {
            sample: vector.sample.clone(),
            class: class_of(&vector.sample),
            coefficient: vector.coefficient,
        });
        Ok(Self {
            stop_reason: signature.stop_reason(),
            iterations: signature.trace().len(),
            bound: signature.bound(),
            evidence: signature.evidence(),
            features: features.collect(),
            vectors: vectors.collect(),
        })
    }
}
