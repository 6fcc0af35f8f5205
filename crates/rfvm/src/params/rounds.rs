//! What both methods that look for signatures are told: where a fit starts, what it may choose from, what it drops and when
//! it ends.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::data::Table;
use crate::error::{Error, positive, require};
use crate::posterior::prior::{Hyper, Tau};

/// The paper's pruning rule, applied after each iteration past the first `after`.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `features` | 1e-2 | 0 to 1 | features with abs(v_d) below this times the largest are dropped; 0: never |
/// | `vectors` | 1e-3 | 0 to 1 | candidates with abs(a_m) below this times the largest are dropped; 0: never |
/// | `after` | 6 | any | iterations before the rule starts |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Pruning {
    pub features: f64,
    pub vectors: f64,
    pub after: usize,
}

/// When the fit of a signature ends: of [`crate::MeanField`] when its bound settles, of [`crate::Signatures`] when its
/// weights do.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `tolerance` | 1e-5, paper 1e-8 | > 0 | largest relative change that counts as settled |
/// | `window` | 1, paper 100 | >= 1 | mean-field: iterations over which the bound's change is measured |
/// | `max_iterations` | 2000, paper 5000 | >= 1 | the fit ends here with `IterationLimit` |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Stopping {
    pub tolerance: f64,
    pub window: usize,
    pub max_iterations: usize,
}

/// The candidates for relevance vectors (Z in the formulas).
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Candidates {
    /// Every training row.
    #[default]
    All,
    /// These training rows.
    Rows(Vec<usize>),
    /// New points, in the raw units of the training table and with its features (matched by name).
    Points(Table),
}

/// How many candidates there were, which is what a model keeps of [`Candidates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateCount {
    /// Every training row.
    All,
    /// So many of the training rows.
    Rows(usize),
    /// So many new points.
    Points(usize),
}

impl Candidates {
    pub(super) fn count(&self) -> CandidateCount {
        match self {
            Self::All => CandidateCount::All,
            Self::Rows(rows) => CandidateCount::Rows(rows.len()),
            Self::Points(points) => CandidateCount::Points(points.samples()),
        }
    }
}

/// Where the feature weights start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// v_d = D^-1/2 for every feature.
    Uniform,
    /// v_d ∝ |corr(x_d, t)|^power with Σ v² = 1: features that are good on their own start ahead.
    Correlation {
        /// The exponent, above 0.
        power: f64,
    },
    /// v_d ∝ |N(0, 1)| with Σ v² = 1.
    Random {
        /// Seed of the random numbers; the same seed gives the same fit.
        seed: u64,
    },
    /// Named features at given weights, as [`crate::Model::warm_start`] returns them; all others start a
    /// hundred times smaller than the mean of those.
    Warm(Vec<(String, f64)>),
}

/// The fields that [`crate::Signatures`] and [`crate::MeanField`] have in common, by whichever of them is fitted.
#[derive(Clone, Copy)]
pub(crate) struct Rounds<'m> {
    pub(crate) count: usize,
    pub(crate) hyper: Option<Hyper>,
    pub(crate) tau: Tau,
    pub(crate) pruning: Pruning,
    pub(crate) stopping: Stopping,
    pub(crate) candidates: &'m Candidates,
    pub(crate) start: &'m Start,
}

impl Rounds<'_> {
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(hyper) = self.hyper {
            hyper.check()?;
        }
        positive("stopping.tolerance", self.stopping.tolerance)?;
        if let Tau::Held(tau) = self.tau {
            positive("tau", tau)?;
        }
        for (name, share) in [
            ("pruning.features", self.pruning.features),
            ("pruning.vectors", self.pruning.vectors),
        ] {
            let fine = (0.0..1.0).contains(&share);
            require(fine, name, share, "at least 0 and below 1")?;
        }
        for (name, count) in [
            ("stopping.window", self.stopping.window),
            ("stopping.max_iterations", self.stopping.max_iterations),
            ("signatures", self.count),
        ] {
            require(count >= 1, name, count, "at least 1")?;
        }
        self.start.check()?;
        self.candidates.check()
    }
}

impl Start {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Correlation { power } => positive("start.power", *power),
            Self::Warm(weights) => {
                let wrong = weights.iter().find(|(_, weight)| !weight.is_finite());
                let value = wrong.map_or(0.0, |(_, weight)| *weight);
                require(wrong.is_none(), "start.warm", value, "finite weights")
            }
            Self::Uniform | Self::Random { .. } => Ok(()),
        }
    }
}

impl Candidates {
    fn check(&self) -> Result<(), Error> {
        let Self::Rows(rows) = self else {
            return Ok(());
        };
        let (name, some) = ("candidates", !rows.is_empty());
        require(some, name, "an empty list", "at least one row")?;
        let distinct = rows.iter().collect::<HashSet<_>>().len() == rows.len();
        require(distinct, name, "a list with repeats", "distinct rows")
    }
}
