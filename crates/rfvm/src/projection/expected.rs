//! What a model should cost on new samples, and whether there is anything to find.

use serde::{Deserialize, Serialize};

use super::held_back::{difference, mean_and_se};
use crate::data::Task;
use crate::numerics::special::{ndtr, sigmoid};
use crate::params::Size;

/// What a model should cost on a new sample: its log loss in nats (half the squared error, in units of the target's
/// variance, in a regression), by cross-validation on the training rows, selection included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// Mean over the training rows, each judged by fits that did not know it.
    pub loss: f64,
    /// Its standard error.
    pub se: f64,
    /// The same for the base rate alone.
    pub base: f64,
    /// The standard error of the difference between the two.
    pub gain_se: f64,
}

impl Expected {
    /// Whether it beats the base rate by more than one standard error of the difference.
    pub fn is_clear(&self) -> bool {
        self.base - self.loss > self.gain_se
    }

    pub(crate) fn of(loss: &[f64], base: &[f64]) -> Self {
        let (mean, se) = mean_and_se(loss);
        Self {
            loss: mean,
            se,
            base: mean_and_se(base).0,
            gain_se: difference(base, loss).1,
        }
    }

    /// The share of the full model in the mean of it and the base rate where nobody knows which of them is right: their odds
    /// are those of the held-back rows under each (Geisser and Eddy's pseudo-Bayes factor), rows of a group counting as one.
    pub(crate) fn share_beside_base(&self, task: Task, independent: usize) -> f64 {
        let each = match task {
            Task::Classification => self.base - self.loss,
            // Each with the noise that it leaves.
            Task::Regression => 0.5 * (self.base / self.loss).ln(),
        };
        match each.is_finite() {
            true => sigmoid(independent as f64 * each),
            false => 0.0,
        }
    }
}

/// What one size of a path should cost: what a model keeps of the path that it is a point of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathSize {
    /// Number of features.
    pub features: usize,
    /// What a model of this size should cost on new samples.
    pub expected: Expected,
    /// How much more it costs than the full model, and the standard error of that difference over the rows.
    pub behind: (f64, f64),
    /// The share of what the full model tells that it keeps.
    pub share: f64,
    /// What its features cost, each panel once; `None` where nothing has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The sizes by name that are this one.
    pub chosen_as: Vec<Size>,
}

/// Whether there is anything to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There is something, and the full model beats the base rate by more than one standard error.
    Signal,
    /// There is something, but the full model beats the base rate by less than that, or not at all.
    Weak,
    /// No feature is stronger, and held-back rows are told apart no better, than chance would have it.
    Nothing,
}

impl Verdict {
    /// As files and Python spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signal => "signal",
            Self::Weak => "weak",
            Self::Nothing => "nothing",
        }
    }
}

/// Whether there is anything to find, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What follows from the two tests below and from what the full model should cost.
    pub verdict: Verdict,
    /// How far from chance the full model tells held-back rows apart, in standard errors of chance.
    pub detection: f64,
    /// How often chance alone gives features that tell as much of the labels as these (permutation test).
    pub chance: f64,
}

impl Judgement {
    /// What both tests have to say against "nothing to find": the product of their chances, small where there is something
    /// ([`crate::Projected::evidence`] is what counts as anything at all).
    pub fn evidence(&self) -> f64 {
        self.chance * ndtr(-self.detection)
    }
}
