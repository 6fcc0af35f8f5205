//! The methods of a fit, each with its own parameters and none of the others'.

use serde::{Deserialize, Serialize};

use super::rounds::{CandidateCount, Candidates, Pruning, Rounds, Start, Stopping};
use super::size::Size;
use crate::error::{Error, positive, require};
use crate::posterior::family::Family;
use crate::posterior::prior::{Hyper, Tau};

/// How the model is found.
///
/// `C` is what is known of the candidates for relevance vectors: the [`Candidates`] themselves before a fit, and their
/// count in what a model keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method<C = Candidates> {
    /// One model of a chosen size, with an estimate of what every size is worth.
    Projected(Projected),
    /// Signatures of few features, from one joint Gaussian over the feature weights.
    Signatures(Signatures<C>),
    /// Signatures by the paper's factorisation, q(v) = Π q(v_d).
    MeanField(MeanField<C>),
}

/// The default: the full posterior over all features, stopped early, and small models projected from it.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `size` | balanced | [`Size`] | which model: the full one, or how few features |
/// | `power` | 2.5 | > 0 | the full posterior starts from v_d in proportion to abs(corr(x_d, t)) to this power |
/// | `sweeps` | 4 | >= 1 | wide sweeps of the full posterior |
/// | `vague` | 0.01 | > 0 | shape and rate of δ's hyperprior there, divided by the number of features |
/// | `labels` | 0.5 | 0 to 1 | weight of the labels, beside the full model's probabilities, in what the selection explains |
/// | `strength` | 0.75 | > 0 | prior precision of the weights during selection, in units of the rows' weight |
/// | `noise` | 0.05 | > 0 | small models: noise of the full model's scores, as a share of their variance |
/// | `left_out` | 0.5 | 0 to 1 | small models: how much of a row's own pull on its score is taken out |
/// | `folds` | 5 | >= 2 | folds by which sizes, corrections and losses are found |
/// | `held_back_rows` | 400 | any | the folds are drawn anew until this many rows have been held back ... |
/// | `most_repeats` | 4 | >= 1 | ... but no more often than this |
/// | `firmness` | 4 | > 0 | how firmly Platt's correction is held to none, in rows' worth of doubt |
/// | `compact`, `balanced`, `accurate` | 3 (97 %), 27 (95 %), 55 (99 %) | [`Budget`] | the most features of the sizes of these names (of several classes: for every class beyond the first, 87 in all), and the explained share that is enough |
/// | `clear` | 1 | >= 0 | a size that costs this many standard errors less than the full model is taken for its loss instead |
/// | `evidence` | 4e-4 | 0 to 1 | a signal: the chances of the permutation test and of held-back rows, multiplied, are no larger |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Projected {
    pub size: Size,
    pub power: f64,
    pub sweeps: usize,
    pub vague: f64,
    pub labels: f64,
    pub strength: f64,
    pub noise: f64,
    pub left_out: f64,
    pub folds: usize,
    pub held_back_rows: usize,
    pub most_repeats: usize,
    pub firmness: f64,
    pub compact: Budget,
    pub balanced: Budget,
    pub accurate: Budget,
    pub clear: f64,
    pub evidence: f64,
}

/// How large a size of a name may be, and when it is large enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The most features.
    pub features: usize,
    /// The explained share that is enough, however few features keep it.
    pub keep: f64,
}

impl Budget {
    const fn new(features: usize, keep: f64) -> Self {
        Self { features, keep }
    }
}

impl Default for Projected {
    fn default() -> Self {
        Self {
            size: Size::Balanced,
            power: 2.5,
            sweeps: 4,
            vague: 0.01,
            labels: 0.5,
            strength: 0.75,
            noise: 0.05,
            left_out: 0.5,
            folds: 5,
            held_back_rows: 400,
            most_repeats: 4,
            firmness: 4.0,
            compact: Budget::new(3, 0.97),
            balanced: Budget::new(27, 0.95),
            accurate: Budget::new(55, 0.99),
            clear: 1.0,
            evidence: 4e-4,
        }
    }
}

impl Projected {
    /// The default parameters with another size.
    pub fn of(size: Size) -> Self {
        Self {
            size,
            ..Self::default()
        }
    }

    /// With the budgets of so many classes: one for every class beyond the first, as that of two classes is for one.
    pub(crate) fn for_classes(&self, classes: usize) -> Self {
        let times = classes.saturating_sub(1).max(1);
        let larger = |budget: Budget| Budget {
            features: budget.features.saturating_mul(times),
            ..budget
        };
        Self {
            compact: larger(self.compact),
            balanced: larger(self.balanced),
            accurate: larger(self.accurate),
            ..*self
        }
    }

    fn check(&self) -> Result<(), Error> {
        let share = |name, value: f64| {
            let fine = (0.0..=1.0).contains(&value);
            require(fine, name, value, "between 0 and 1")
        };
        match self.size {
            Size::Features(count) => require(count > 0, "size", count, "at least one feature")?,
            Size::Share(wanted) => share("share", wanted)?,
            Size::Compact | Size::Balanced | Size::Accurate | Size::Full => {}
        }
        positive("power", self.power)?;
        positive("vague", self.vague)?;
        positive("strength", self.strength)?;
        positive("noise", self.noise)?;
        positive("firmness", self.firmness)?;
        share("labels", self.labels)?;
        share("left_out", self.left_out)?;
        share("evidence", self.evidence)?;
        let fine = self.clear >= 0.0 && self.clear.is_finite();
        require(fine, "clear", self.clear, "a finite number from 0")?;
        require(self.folds >= 2, "folds", self.folds, "at least 2")?;
        for (name, Budget { features, keep }) in [
            ("compact", self.compact),
            ("balanced", self.balanced),
            ("accurate", self.accurate),
        ] {
            require(features >= 1, name, features, "at least 1")?;
            share(name, keep)?;
        }
        for (name, count) in [("sweeps", self.sweeps), ("most_repeats", self.most_repeats)] {
            require(count >= 1, name, count, "at least 1")?;
        }
        Ok(())
    }
}

/// The method that looks for the fewest features that make the data likely: one joint Gaussian over the feature weights,
/// a wide phase in the dual and then an exact narrow phase.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `count` | 1 | >= 1 | rounds of disjoint signatures; more than one make a committee |
/// | `hyper` | none | [`Hyper`] | the gamma hyperpriors; `None`: [`Hyper::for_size`] |
/// | `tau` | held at 1 | > 0 | noise precision of the latent score; learned in every regression |
/// | `pruning` | 1e-2, 1e-3 after 6 | [`Pruning`] | what the wide phase drops |
/// | `stopping` | 1e-5, at most 2000 | [`Stopping`] | when the fit ends |
/// | `candidates` | all rows | [`Candidates`] | who may become a relevance vector |
/// | `start` | correlation, power 1 | [`Start`] | where the feature weights start |
/// | `narrow_at` | 150 | >= 1 | active features at which the exact phase takes over |
/// | `wide_limit` | 60 | any | wide iterations after which it takes over with the best features in any case |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Signatures<C = Candidates> {
    pub count: usize,
    pub hyper: Option<Hyper>,
    pub tau: Tau,
    pub pruning: Pruning,
    pub stopping: Stopping,
    pub candidates: C,
    pub start: Start,
    pub narrow_at: usize,
    pub wide_limit: usize,
}

impl Default for Signatures {
    fn default() -> Self {
        Self {
            count: 1,
            hyper: None,
            tau: Tau::Held(1.0),
            pruning: PAPER_PRUNING,
            stopping: Stopping {
                tolerance: 1e-5,
                window: 1,
                max_iterations: 2000,
            },
            candidates: Candidates::All,
            start: Start::Correlation { power: 1.0 },
            narrow_at: 150,
            wide_limit: 60,
        }
    }
}

/// The paper's method: every feature weight has a posterior of its own.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `family` | folded | [`Family`] | the one-dimensional posterior of each feature weight |
/// | `sweep` | simultaneous | [`Sweep`] | the order in which the feature weights are updated |
/// | `count` | 1 | >= 1 | rounds of disjoint signatures; more than one make a committee |
/// | `hyper` | shapes 1e-12, rates 1e-14 | [`Hyper`] | the gamma hyperpriors; `None`: [`Hyper::for_size`] |
/// | `tau` | learned | > 0 | noise precision of the latent score; learned in every regression |
/// | `pruning` | 1e-2, 1e-3 after 6 | [`Pruning`] | the paper's thresholds |
/// | `stopping` | 1e-8 over 100, at most 5000 | [`Stopping`] | when the fit ends |
/// | `candidates` | all rows | [`Candidates`] | who may become a relevance vector |
/// | `start` | uniform | [`Start`] | where the feature weights start |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MeanField<C = Candidates> {
    pub family: Family,
    pub sweep: Sweep,
    pub count: usize,
    pub hyper: Option<Hyper>,
    pub tau: Tau,
    pub pruning: Pruning,
    pub stopping: Stopping,
    pub candidates: C,
    pub start: Start,
}

impl Default for MeanField {
    /// The paper's model: folded posterior, simultaneous sweep, thresholds 1e-2 and 1e-3, hyperparameters 1e-12 (shapes)
    /// and 1e-14 (rates), τ learned, and a stop once the bound changed by less than 1e-8 of itself over 100 iterations.
    fn default() -> Self {
        Self {
            family: Family::Folded,
            sweep: Sweep::Simultaneous,
            count: 1,
            hyper: Some(Hyper {
                psi_shape: 1e-12,
                psi_rate: 1e-14,
                delta_shape: 1e-12,
                delta_rate: 1e-14,
                tau_shape: 1e-12,
                tau_rate: 1e-14,
            }),
            tau: Tau::Learned,
            pruning: PAPER_PRUNING,
            stopping: Stopping {
                tolerance: 1e-8,
                window: 100,
                max_iterations: 5000,
            },
            candidates: Candidates::All,
            start: Start::Uniform,
        }
    }
}

impl MeanField {
    /// As the paper has it, with another family of q(v). Only the folded one moves all features at once, as there; the
    /// others are exact one after the other.
    pub fn of(family: Family) -> Self {
        let sweep = match family {
            Family::Folded => Sweep::Simultaneous,
            Family::Truncated | Family::Gaussian => Sweep::Sequential,
        };
        Self {
            family,
            sweep,
            ..Self::default()
        }
    }
}

/// The order in which mean-field feature weights are updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sweep {
    /// All features from the old weights: pure matrix products; the bound may fall.
    Simultaneous,
    /// One after the other, in exact blocks: the bound never falls for `truncated` and `gaussian`.
    Sequential,
}

const PAPER_PRUNING: Pruning = Pruning {
    features: 1e-2,
    vectors: 1e-3,
    after: 6,
};

impl<C> Method<C> {
    /// The same with something else known of the candidates.
    fn with_candidates<D>(self, of: impl FnOnce(C) -> D) -> Method<D> {
        match self {
            Self::Projected(own) => Method::Projected(own),
            Self::Signatures(own) => Method::Signatures(Signatures {
                hyper: own.hyper,
                candidates: of(own.candidates),
                count: own.count,
                tau: own.tau,
                pruning: own.pruning,
                stopping: own.stopping,
                start: own.start,
                narrow_at: own.narrow_at,
                wide_limit: own.wide_limit,
            }),
            Self::MeanField(own) => Method::MeanField(MeanField {
                hyper: own.hyper,
                candidates: of(own.candidates),
                family: own.family,
                sweep: own.sweep,
                count: own.count,
                tau: own.tau,
                pruning: own.pruning,
                stopping: own.stopping,
                start: own.start,
            }),
        }
    }

    /// Its name, as the program and the Python package have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Projected(_) => "projected",
            Self::Signatures(_) => "signatures",
            Self::MeanField(_) => "mean-field",
        }
    }

    /// How many signatures were asked for; `None` where the method does not look for signatures.
    pub fn signatures(&self) -> Option<usize> {
        match self {
            Self::Projected(_) => None,
            Self::Signatures(own) => Some(own.count),
            Self::MeanField(own) => Some(own.count),
        }
    }

    /// Where the feature weights start; `None` where the method needs no start.
    pub fn start(&self) -> Option<&Start> {
        match self {
            Self::Projected(_) => None,
            Self::Signatures(own) => Some(&own.start),
            Self::MeanField(own) => Some(&own.start),
        }
    }
}

impl Method<CandidateCount> {
    /// Whether what a file says of it is within the ranges of a fit.
    pub(crate) fn check_kept(&self) -> Result<(), Error> {
        self.clone().with_candidates(|_| Candidates::All).check()
    }
}

impl Method {
    /// What the methods that look for signatures share.
    pub(crate) fn rounds(&self) -> Option<Rounds<'_>> {
        match self {
            Self::Projected(_) => None,
            Self::Signatures(own) => Some(own.rounds()),
            Self::MeanField(own) => Some(own.rounds()),
        }
    }

    /// What a model keeps: the hyperpriors as `hyper` makes them from those given, the candidates counted.
    pub(crate) fn kept(
        &self,
        hyper: impl FnOnce(Option<Hyper>) -> Hyper,
    ) -> Method<CandidateCount> {
        let mut kept = self.clone();
        match &mut kept {
            Self::Projected(_) => {}
            Self::Signatures(Signatures { hyper: own, .. })
            | Self::MeanField(MeanField { hyper: own, .. }) => *own = Some(hyper(*own)),
        }
        kept.with_candidates(|candidates| candidates.count())
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Projected(own) => own.check(),
            Self::Signatures(own) => {
                own.rounds().check()?;
                let at = own.narrow_at;
                require(at >= 1, "narrow_at", at, "at least 1")
            }
            Self::MeanField(own) => own.rounds().check(),
        }
    }
}

impl Signatures {
    pub(crate) fn rounds(&self) -> Rounds<'_> {
        Rounds {
            count: self.count,
            hyper: self.hyper,
            tau: self.tau,
            pruning: self.pruning,
            stopping: self.stopping,
            candidates: &self.candidates,
            start: &self.start,
        }
    }
}

impl MeanField {
    pub(crate) fn rounds(&self) -> Rounds<'_> {
        Rounds {
            count: self.count,
            hyper: self.hyper,
            tau: self.tau,
            pruning: self.pruning,
            stopping: self.stopping,
            candidates: &self.candidates,
            start: &self.start,
        }
    }
}
