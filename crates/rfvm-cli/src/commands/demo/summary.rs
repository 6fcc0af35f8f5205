//! What the demo found, as data: the JSON object, and what the text is written from.

use std::path::PathBuf;

use rfvm::{Error, Expected, Judgement, Model, Path, PathSize, Signature, StopReason};
use rfvm_report::worth;
use serde::Serialize;

use super::study::{DemoScores, DemoStudy, FeatureTruth, StudySummary, classes};

#[derive(Debug, Serialize)]
pub(super) struct DemoSummary {
    pub(super) version: &'static str,
    pub(super) seed: u64,
    pub(super) study: StudySummary,
    /// The default model.
    pub(super) balanced: ModelSummary,
    pub(super) compact: ModelSummary,
    pub(super) full: ModelSummary,
    pub(super) path: PathSummary,
    pub(super) known_truth: DemoScores,
    pub(super) files: Vec<PathBuf>,
    pub(super) seconds: Seconds,
}

#[derive(Debug, Serialize)]
pub(super) struct ModelSummary {
    pub(super) stop_reason: StopReason,
    pub(super) feature_count: usize,
    pub(super) vector_count: usize,
    /// The heaviest, all of a small model.
    pub(super) features: Vec<DemoFeature>,
    /// Those of a small model; all subjects define the full one.
    pub(super) vectors: Vec<VectorSummary>,
    /// What the model should cost on new subjects.
    pub(super) expected: Option<Expected>,
    /// How much of what the full model tells it keeps.
    pub(super) share: Option<f64>,
    /// What it is worth, in words.
    #[serde(skip)]
    pub(super) worth: Option<String>,
    /// The full model selects nothing, so that it has no findings.
    pub(super) found: Option<FoundFeatures>,
    pub(super) test: DemoScores,
}

/// The path, without its models.
#[derive(Debug, Serialize)]
pub(super) struct PathSummary {
    pub(super) judgement: Option<Judgement>,
    pub(super) full: Option<Expected>,
    pub(super) sizes: Vec<PathSize>,
}

impl PathSummary {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            judgement: path.judgement(),
            full: path.full(),
            sizes: path.sizes(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct DemoFeature {
    pub(super) name: String,
    pub(super) weight: f64,
    pub(super) sd: f64,
    pub(super) relevance: f64,
    /// The class it speaks for when it is high.
    pub(super) speaks_for: String,
    pub(super) truth: FeatureTruth,
}

#[derive(Debug, Serialize)]
pub(super) struct VectorSummary {
    pub(super) sample: String,
    pub(super) class: String,
    pub(super) coefficient: f64,
}

/// Selected features, counted by their truth.
#[derive(Debug, Serialize)]
pub(super) struct FoundFeatures {
    pub(super) informative: usize,
    pub(super) informative_of: usize,
    pub(super) correlated: usize,
    pub(super) false_findings: usize,
}

/// The only part that differs between two runs with one seed.
#[derive(Debug, Serialize)]
pub(super) struct Seconds {
    pub(super) simulation: f64,
    /// The whole path, full model and held-back folds included.
    pub(super) fit: f64,
}

impl ModelSummary {
    pub(super) fn new(model: &Model, study: &DemoStudy) -> Result<Self, Error> {
        let signature = &model.signatures()[0];
        let selects = model.feature_count() < study.train.table().features();
        let features = match selects {
            true => features(signature, model, study)?,
            false => Vec::new(),
        };
        let vectors = match selects {
            true => vectors(signature, study),
            false => Vec::new(),
        };
        let probability = model.predict_probability(study.test.table())?;
        Ok(Self {
            stop_reason: model.stop_reason(),
            feature_count: model.feature_count(),
            vector_count: model.vector_count(),
            found: selects.then(|| FoundFeatures::of(&features, study)),
            features,
            vectors,
            expected: model.expected(),
            share: model.share(),
            worth: worth(&model.overview()),
            test: study.scores(&probability),
        })
    }

    /// It fits the base rate only: no feature carries signal.
    pub(super) fn no_signal(&self) -> bool {
        self.stop_reason == StopReason::NoSignal
    }
}

impl FoundFeatures {
    fn of(features: &[DemoFeature], study: &DemoStudy) -> Self {
        let mut found = Self {
            informative: 0,
            informative_of: study.informative_count(),
            correlated: 0,
            false_findings: 0,
        };
        for feature in features {
            *match feature.truth {
                FeatureTruth::Informative => &mut found.informative,
                FeatureTruth::CorrelatedWith(_) => &mut found.correlated,
                FeatureTruth::Noise => &mut found.false_findings,
            } += 1;
        }
        found
    }
}

fn features(
    signature: &Signature,
    model: &Model,
    study: &DemoStudy,
) -> Result<Vec<DemoFeature>, Error> {
    let names: Vec<String> = signature
        .features()
        .iter()
        .map(|f| f.name.clone())
        .collect();
    let positions = study.train.table().find_features(&names)?;
    let features = signature.features().iter().zip(positions).map(|(f, d)| {
        let class = &model.classes()[f.class()];
        DemoFeature {
            name: f.name.clone(),
            weight: f.weight,
            sd: f.sd,
            relevance: f.relevance,
            speaks_for: class.clone(),
            truth: study.truth(d),
        }
    });
    Ok(features.collect())
}

fn vectors(signature: &Signature, study: &DemoStudy) -> Vec<VectorSummary> {
    let table = study.train.table();
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
    vectors.collect()
}
