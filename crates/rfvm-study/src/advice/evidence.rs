//! What all parts of the advice are made from: fits on parts of the cohort, judged on subjects they have not seen.

use rfvm::{Bootstrap, Judgement, Model};
use serde::Serialize;

use crate::basis::Judged;
use crate::catalogue::{Price, Ruling};
use crate::cohort::Cohort;
use crate::performance::HeldBackScores;
use crate::resample::{OutOfFold, Resampling, StageWatch};
use crate::state::StudyState;

/// How to advise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdviceChoice {
    /// Tests in a fit, at most.
    pub size: usize,
    /// The log loss, in nats a subject, that may be lost to a retirement.
    pub margin: f64,
    /// The AUC that may be lost to a retirement.
    pub auc_margin: f64,
    /// The most that the tests of one subject may cost.
    pub budget: Option<f64>,
    /// How strongly cost enters the prior of the features; `None`: not at all.
    pub cost_prior: Option<f64>,
    /// The least share of subjects that a test must have a value of.
    pub coverage: f64,
    /// Folds of the resampling.
    pub folds: usize,
    /// Repeats of the resampling.
    pub repeats: usize,
    /// Whether to leave out what takes longest: the loss of each single test, replacements and the learning curve.
    pub quick: bool,
    /// Whether the tests advised for retirement are retired at once.
    pub accept: bool,
    /// Seed of the folds and draws.
    pub seed: u64,
    /// Worker threads.
    #[serde(skip)]
    pub threads: Option<usize>,
}

impl Default for AdviceChoice {
    fn default() -> Self {
        Self {
            size: 21,
            margin: 0.02,
            auc_margin: 0.02,
            budget: None,
            cost_prior: None,
            coverage: 0.1,
            folds: 5,
            repeats: 4,
            quick: false,
            accept: false,
            seed: 1,
            threads: None,
        }
    }
}

/// What all parts of the advice are made from.
pub(crate) struct Evidence<'a> {
    pub(crate) choice: &'a AdviceChoice,
    pub(crate) state: &'a StudyState,
    pub(crate) cohort: &'a Cohort,
    pub(crate) resampling: Resampling<'a>,
    /// Draws of all subjects.
    pub(crate) bootstrap: Bootstrap,
    /// Whom performance is measured on.
    pub(crate) judged: Judged,
    /// The points of the path on every fold's training subjects.
    pub(crate) points: Vec<Vec<OutOfFold>>,
    /// The largest point's out-of-fold probabilities, of all subjects.
    pub(crate) full: HeldBackScores,
    /// What all subjects' outcomes say of the path on them.
    pub(crate) judgement: Option<Judgement>,
    /// The path on all subjects.
    pub(crate) models: Vec<Model>,
    /// Tests of the largest of these, as positions in the cohort.
    pub(crate) panel: Vec<usize>,
    pub(crate) watch: StageWatch<'a>,
}

impl Evidence<'_> {
    /// The out-of-fold probabilities of one fit a fold, of the first `repeats`.
    pub(crate) fn scores(&self, fits: &[&OutOfFold]) -> HeldBackScores {
        let folds = self.resampling.folds.count();
        let mut scores = vec![vec![0.0; self.cohort.len()]; fits.len().div_ceil(folds)];
        for (job, fit) in fits.iter().enumerate() {
            let (repeat, fold) = self.resampling.place(job);
            let (_, test) = self.resampling.folds.split(repeat, fold);
            test.iter()
                .zip(&fit.probability)
                .for_each(|(&n, &p)| scores[repeat][n] = p);
        }
        HeldBackScores(scores)
    }

    /// The largest point of a fold.
    pub(crate) fn largest(&self, job: usize) -> &OutOfFold {
        &self.points[job][self.points[job].len() - 1]
    }

    /// Whether the study must keep a test of the cohort.
    pub(crate) fn must_keep(&self, test: usize) -> bool {
        self.state.verdicts[self.cohort.places[test]] == Ruling::Keep
    }

    /// The price of tests of the cohort, with those that must be kept.
    pub(crate) fn price_with_kept(&self, tests: &[usize]) -> Price {
        let kept = self
            .state
            .active()
            .into_iter()
            .filter(|&place| self.state.verdicts[place] == Ruling::Keep);
        let mut places: Vec<usize> = tests
            .iter()
            .map(|&test| self.cohort.places[test])
            .chain(kept)
            .collect();
        places.sort_unstable();
        places.dedup();
        self.state.price(&places)
    }
}
