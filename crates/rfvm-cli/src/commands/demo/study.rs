//! The study: drawn once, split into subjects to fit and subjects to test on.

use std::fmt;

use rfvm::{Dataset, Error, Simulation, Table, Target, metrics};
use serde::{Serialize, Serializer};

/// Subjects the models are fitted on.
const TRAINING: usize = 100;
/// Subjects they are tested on.
const TESTING: usize = 1000;

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
pub(super) struct DemoScores {
    pub(super) accuracy: f64,
    pub(super) auc: Option<f64>,
    pub(super) log_loss: f64,
}

/// A simulated study with its truth.
pub(super) struct DemoStudy {
    pub(super) simulation: Simulation,
    pub(super) train: Dataset,
    pub(super) test: Dataset,
    /// Positions of the informative features.
    informative: Vec<usize>,
}

/// What is true of a feature.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FeatureTruth {
    /// The classes differ in it.
    Informative,
    /// The classes do not differ in it, but it is correlated with this informative feature.
    CorrelatedWith(String),
    /// It knows nothing of the classes.
    Noise,
}

impl fmt::Display for FeatureTruth {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Informative => f.write_str("yes"),
            Self::CorrelatedWith(name) => write!(f, "correlated with {name}"),
            Self::Noise => f.write_str("no"),
        }
    }
}

impl Serialize for FeatureTruth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl DemoStudy {
    pub(super) fn draw(seed: u64) -> Result<Self, Error> {
        let simulation = Simulation {
            samples: TRAINING + TESTING,
            features: 5000,
            informative: 5,
            effect: 1.2,
            block: 20,
            correlation: 0.6,
            seed,
        };
        let study = simulation.draw()?;
        let part = |rows: std::ops::Range<usize>| rounded(&study.data.rows(&Vec::from_iter(rows))?);
        Ok(Self {
            train: part(0..TRAINING)?,
            test: part(TRAINING..TRAINING + TESTING)?,
            informative: study.truth,
            simulation,
        })
    }

    /// What is true of the feature at this position.
    pub(super) fn truth(&self, position: usize) -> FeatureTruth {
        if self.informative.contains(&position) {
            return FeatureTruth::Informative;
        }
        let block = |d: usize| d / self.simulation.block;
        let partner = self
            .informative
            .iter()
            .find(|&&d| block(d) == block(position));
        partner.map_or(FeatureTruth::Noise, |&d| {
            FeatureTruth::CorrelatedWith(self.train.table().feature_names()[d].to_owned())
        })
    }

    pub(super) fn informative_count(&self) -> usize {
        self.informative.len()
    }

    pub(super) fn describe(&self) -> StudySummary {
        let table = self.train.table();
        let (names, labels) = classes(&self.train);
        let count = |class| labels.iter().filter(|&&label| label == class).count();
        StudySummary {
            subjects: table.samples(),
            classes: names
                .iter()
                .enumerate()
                .map(|(class, name)| ClassCount {
                    name: name.clone(),
                    subjects: count(class),
                })
                .collect(),
            features: table.features(),
            block: self.simulation.block,
            correlation: self.simulation.correlation,
            effect: self.simulation.effect,
            informative: self
                .informative
                .iter()
                .map(|&d| table.feature_names()[d].to_owned())
                .collect(),
            test_subjects: self.test.table().samples(),
        }
    }

    /// How good these probabilities of the test subjects are.
    pub(super) fn scores(&self, probability: &[f64]) -> DemoScores {
        let (_, labels) = classes(&self.test);
        DemoScores {
            accuracy: metrics::accuracy(labels, probability),
            auc: metrics::auc(labels, probability),
            log_loss: metrics::log_loss(labels, probability),
        }
    }

    /// The scores of someone who knows the informative features, their effect and where the classes' means lie:
    /// logit = Σ ±effect (x - centre) for unit variances and independent blocks.
    pub(super) fn scores_of_the_truth(&self) -> DemoScores {
        let (_, labels) = classes(&self.test);
        let mut logit = vec![0.0; labels.len()];
        for &d in &self.informative {
            let x = self.test.table().feature(d);
            let mean = |class| {
                let of_class = x.iter().zip(labels).filter(|&(_, &label)| label == class);
                let (sum, count) =
                    of_class.fold((0.0, 0.0), |(sum, count), (x, _)| (sum + x, count + 1.0));
                sum / count
            };
            let (low, high): (f64, f64) = (mean(0), mean(1));
            let slope = self.simulation.effect.copysign(high - low);
            let centre = 0.5 * (low + high);
            logit
                .iter_mut()
                .zip(x)
                .for_each(|(logit, x)| *logit += slope * (x - centre));
        }
        let probability: Vec<f64> = logit.iter().map(|z| 1.0 / (1.0 + (-z).exp())).collect();
        self.scores(&probability)
    }
}

/// Names of the classes and the class of each row.
pub(super) fn classes(data: &Dataset) -> (&[String], &[usize]) {
    match data.target() {
        Target::Classes { names, labels } => (names, labels),
        Target::Values(_) => (&[], &[]),
    }
}

/// The same data with three decimals, as an instrument would report them: the files then hold exactly what was
/// fitted, at a third of the size.
fn rounded(data: &Dataset) -> Result<Dataset, Error> {
    let table = data.table();
    let values = (0..table.features())
        .flat_map(|d| table.feature(d))
        .map(|value| (value * 1000.0).round() / 1000.0)
        .collect();
    let table = Table::new(
        values,
        table.feature_names().to_vec(),
        table.sample_names().to_vec(),
    )?;
    Dataset::new(table, data.target().clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_share_the_truth_and_the_best_scores_are_the_theory_s() {
        let study = DemoStudy::draw(3).unwrap();
        assert_eq!(study.train.table().samples(), 100);
        assert_eq!(study.test.table().samples(), 1000);
        assert_eq!(study.truth(0), FeatureTruth::Informative);
        assert_eq!(
            study.truth(1),
            FeatureTruth::CorrelatedWith("gene00001".into())
        );
        assert_eq!(study.truth(20), FeatureTruth::Noise);
        assert_eq!(study.informative, [0, 1000, 2000, 3000, 4000]);
        // Five independent features, each 1.2 apart: accuracy Φ(1.2 √5 / 2) = 0.910, within three standard errors.
        let scores = study.scores_of_the_truth();
        assert!((scores.accuracy - 0.910).abs() < 0.03);
        assert!(scores.log_loss < 0.30);
    }
}
