//! Parameters of a fit, checked once before any fit can start.

use serde::{Deserialize, Serialize};

use crate::ard::Hyperprior;
use crate::error::Error;
use crate::family::Family;
use crate::latent::Task;
use crate::path::Size;
use crate::scale::Scaling;
use crate::table::Table;

/// How the posterior is approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// One joint Gaussian over the feature weights: wide phase in the dual, then the exact narrow phase.
    Structured,
    /// q(v) = Π q(v_d): the paper's factorisation.
    MeanField {
        /// The one-dimensional posterior of each feature weight.
        family: Family,
        /// How the features are swept.
        sweep: Sweep,
    },
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

/// Shapes and rates of the three gamma hyperpriors: ψ over samples, δ over features, τ over the noise.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `psi_shape`, `psi_rate` | 1/(N max(M, D)²), 1e-6 | > 0 | ψ_m ~ Gamma: sparsity over samples |
/// | `delta_shape`, `delta_rate` | 1/(N D²), 1e-6 | > 0 | δ_d ~ Gamma: sparsity over features |
/// | `tau_shape`, `tau_rate` | 1e-6 | > 0 | τ ~ Gamma: noise precision, where it is learned |
///
/// In the structured scheme the shapes also set the price of a weight: a feature or a sample stays only if it
/// makes the data about 1/shape times likelier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Hyper {
    pub psi_shape: f64,
    pub psi_rate: f64,
    pub delta_shape: f64,
    pub delta_rate: f64,
    pub tau_shape: f64,
    pub tau_rate: f64,
}

impl Hyper {
    pub(crate) fn psi(&self) -> Hyperprior {
        Hyperprior {
            shape: self.psi_shape,
            rate: self.psi_rate,
        }
    }

    pub(crate) fn delta(&self) -> Hyperprior {
        Hyperprior {
            shape: self.delta_shape,
            rate: self.delta_rate,
        }
    }
}

impl Hyper {
    /// The default for N samples, M candidates and D features: shapes 1/(N D²) for features and 1/(N max(M, D)²)
    /// for candidates, at most 1e-2, and 1e-6 for the rest. So a feature must make the data about N D² times
    /// likelier to stay beside others: the search among D is paid for, and the freedom of one more weight. In a
    /// regression it is the square root of that: there the scores are data, while those of a classification
    /// follow the fit and so make its gains look larger than they are.
    pub fn for_size(task: Task, samples: usize, candidates: usize, features: usize) -> Self {
        let (n, d) = (samples as f64, features as f64);
        let power = match task {
            Task::Classification => 1.0,
            Task::Regression => 0.5,
        };
        let shape = |count: f64| (n * count * count).powf(-power).min(1e-2);
        Self {
            psi_shape: shape(d.max(candidates as f64)),
            psi_rate: 1e-6,
            delta_shape: shape(d),
            delta_rate: 1e-6,
            tau_shape: 1e-6,
            tau_rate: 1e-6,
        }
    }
}

/// The noise precision τ of the latent score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tau {
    /// Updated in every iteration (always so in a regression).
    Learned,
    /// Held at this value.
    Held(f64),
}

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

/// When a mean-field fit ends; a structured one ends when its weights settle to `tolerance`.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `tolerance` | 1e-5 | > 0 | largest relative change that counts as settled |
/// | `window` | 1 | >= 1 | mean-field: iterations over which the bound's change is measured |
/// | `max_iterations` | 2000 | >= 1 | the fit ends here with `IterationLimit` |
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

/// What is done to every raw value before anything else, in the fit and in every prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Nothing.
    None,
    /// log2(1 + x), for counts and raw intensities; x must be above -1.
    Log2,
}

/// What a fit does about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A missing value is an error.
    Refuse,
    /// Each feature's median over the training rows takes its place, in the fit and in every prediction.
    Median,
}

/// Weights of the classes in the likelihood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeight {
    /// Every row counts once.
    None,
    /// Each class counts N / (2 N_class), so that both weigh the same.
    Balanced,
    /// Weight of the negative and of the positive class.
    PerClass(f64, f64),
}

/// Everything a fit can be told. Build it from [`Params::default`] or [`Params::paper`], then [`Params::check`] it.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `scheme` | structured | how the posterior is approximated |
/// | `hyper` | none | the gamma hyperpriors; `None`: [`Hyper::for_size`] |
/// | `tau` | held at 1 | noise precision of the latent score; learned in every regression |
/// | `pruning` | 1e-2, 1e-3 after 6 | the paper's thresholds |
/// | `stopping` | 1e-5 | when the fit ends |
/// | `candidates` | all rows | who may become a relevance vector |
/// | `start` | correlation, power 1 | where the feature weights start |
/// | `transform` | none | what is done to every raw value first |
/// | `missing` | refuse | what happens to missing values |
/// | `class_weight` | none | weight of each class |
/// | `sample_weight` | none | weight of each row, times its class's: k is k copies of it, 0 is none |
/// | `feature_cost` | none | what a feature must be worth: times its prior precision on the path, times its price in the structured scheme |
/// | `signatures` | 1 | rounds of disjoint signatures; more than one make a committee |
/// | `narrow_at` | 150 | structured: active features at which the exact phase takes over |
/// | `threads` | none | worker threads; `None`: `OMP_NUM_THREADS`, else all cores |
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Params {
    pub scheme: Scheme,
    pub hyper: Option<Hyper>,
    pub tau: Tau,
    pub pruning: Pruning,
    pub stopping: Stopping,
    pub candidates: Candidates,
    pub start: Start,
    pub transform: Transform,
    pub missing: Missing,
    pub class_weight: ClassWeight,
    pub sample_weight: Option<Vec<f64>>,
    /// Samples that belong together, one number each: the folds by which a size is chosen never split them.
    pub groups: Option<Vec<usize>>,
    /// A point of the signature path instead of a signature or a committee.
    pub size: Option<Size>,
    /// `None`: robust for a point of the path, plain for signatures (section 1).
    pub scaling: Option<Scaling>,
    /// Cost factors κ_d of named features; 1 for all others. A point of the path has the prior w_d ~ N(0, 1/(λ κ_d)), and
    /// the feature with the largest |x_d · residual| / √κ_d enters first; in the structured scheme a feature must make the
    /// data κ_d times likelier than others need to (its hyperprior has the shape `delta_shape` / κ_d).
    pub feature_cost: Option<Vec<(String, f64)>>,
    pub signatures: usize,
    pub narrow_at: usize,
    pub threads: Option<usize>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            scheme: Scheme::Structured,
            hyper: None,
            tau: Tau::Held(1.0),
            pruning: Pruning {
                features: 1e-2,
                vectors: 1e-3,
                after: 6,
            },
            stopping: Stopping {
                tolerance: 1e-5,
                window: 1,
                max_iterations: 2000,
            },
            candidates: Candidates::All,
            start: Start::Correlation { power: 1.0 },
            transform: Transform::None,
            missing: Missing::Refuse,
            class_weight: ClassWeight::None,
            sample_weight: None,
            groups: None,
            size: None,
            scaling: None,
            feature_cost: None,
            signatures: 1,
            narrow_at: 150,
            threads: None,
        }
    }
}

impl Params {
    /// The paper's model: folded posterior, simultaneous sweep, thresholds 1e-2 and 1e-3, hyperparameters
    /// 1e-12 (shapes) and 1e-14 (rates), τ learned, and a stop once the bound changed by less than 1e-8 of
    /// itself over 100 iterations.
    pub fn paper() -> Self {
        Self {
            scheme: Scheme::MeanField {
                family: Family::Folded,
                sweep: Sweep::Simultaneous,
            },
            hyper: Some(Hyper {
                psi_shape: 1e-12,
                psi_rate: 1e-14,
                delta_shape: 1e-12,
                delta_rate: 1e-14,
                tau_shape: 1e-12,
                tau_rate: 1e-14,
            }),
            tau: Tau::Learned,
            stopping: Stopping {
                tolerance: 1e-8,
                window: 100,
                max_iterations: 5000,
            },
            start: Start::Uniform,
            ..Self::default()
        }
    }

    /// As the paper has it, with another family of q(v). Only the folded one moves all features at once, as there; the
    /// others are exact one after the other.
    pub fn mean_field(family: Family) -> Self {
        let sweep = match family {
            Family::Folded => Sweep::Simultaneous,
            Family::Truncated | Family::Gaussian => Sweep::Sequential,
        };
        Self {
            scheme: Scheme::MeanField { family, sweep },
            ..Self::paper()
        }
    }

    /// The same for some of the rows.
    pub fn rows(&self, rows: &[usize]) -> Self {
        fn of<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().filter_map(|&n| all.get(n).copied()).collect()
        }
        Self {
            sample_weight: self.sample_weight.as_ref().map(|all| of(all, rows)),
            groups: self.groups.as_ref().map(|all| of(all, rows)),
            ..self.clone()
        }
    }

    /// The scaling that goes with the rest of the parameters.
    pub(crate) fn scaling(&self) -> Scaling {
        let usual = match self.size {
            Some(_) => Scaling::Robust,
            None => Scaling::Plain,
        };
        self.scaling.unwrap_or(usual)
    }

    /// Checks every range; only checked parameters can fit.
    pub fn check(self) -> Result<CheckedParams, Error> {
        let positive = |name, value: f64| {
            let fine = value > 0.0 && value.is_finite();
            require(fine, name, value, "a finite number above 0")
        };
        if let Some(hyper) = self.hyper {
            positive("hyper.psi_shape", hyper.psi_shape)?;
            positive("hyper.psi_rate", hyper.psi_rate)?;
            positive("hyper.delta_shape", hyper.delta_shape)?;
            positive("hyper.delta_rate", hyper.delta_rate)?;
            positive("hyper.tau_shape", hyper.tau_shape)?;
            positive("hyper.tau_rate", hyper.tau_rate)?;
        }
        positive("stopping.tolerance", self.stopping.tolerance)?;
        if let Tau::Held(tau) = self.tau {
            positive("tau", tau)?;
        }
        match &self.start {
            Start::Correlation { power } => positive("start.power", *power)?,
            Start::Warm(weights) => {
                for (_, weight) in weights {
                    require(weight.is_finite(), "start.warm", weight, "finite weights")?;
                }
            }
            Start::Uniform | Start::Random { .. } => {}
        }
        if let ClassWeight::PerClass(negative, above) = self.class_weight {
            positive("class_weight (negative class)", negative)?;
            positive("class_weight (positive class)", above)?;
        }
        for &weight in self.sample_weight.iter().flatten() {
            let fine = weight >= 0.0 && weight.is_finite();
            require(fine, "sample_weight", weight, "a finite number from 0")?;
        }
        for (name, share) in [
            ("pruning.features", self.pruning.features),
            ("pruning.vectors", self.pruning.vectors),
        ] {
            let fine = (0.0..1.0).contains(&share);
            require(fine, name, share, "at least 0 and below 1")?;
        }
        for (_, cost) in self.feature_cost.iter().flatten() {
            positive("feature_cost", *cost)?;
        }
        // With the paper's hyperprior a mean-field fit forgets any prior on a precision, so a cost would do nothing.
        require(
            self.feature_cost.is_none() || self.scheme == Scheme::Structured,
            "feature_cost",
            "given together with a mean-field scheme",
            "given to the path or to the structured scheme",
        )?;
        if let Candidates::Rows(rows) = &self.candidates {
            require(
                !rows.is_empty(),
                "candidates",
                "an empty list",
                "at least one row",
            )?;
            let distinct: std::collections::HashSet<_> = rows.iter().collect();
            require(
                distinct.len() == rows.len(),
                "candidates",
                "a list with repeats",
                "distinct rows",
            )?;
        }
        if let Some(size) = self.size {
            let none = size == Size::Features(0);
            require(!none, "size", "0", "at least one feature")?;
            require(
                self.signatures == 1 && self.scheme == Scheme::Structured,
                "size",
                "given together with several signatures or another scheme",
                "given alone: the path is a scheme of its own",
            )?;
        }
        for (name, count) in [
            ("stopping.window", self.stopping.window),
            ("stopping.max_iterations", self.stopping.max_iterations),
            ("signatures", self.signatures),
            ("narrow_at", self.narrow_at),
            ("threads", self.threads.unwrap_or(1)),
        ] {
            require(count >= 1, name, count, "at least 1")?;
        }
        Ok(CheckedParams(self))
    }
}

fn require(
    fine: bool,
    name: &'static str,
    value: impl ToString,
    rule: &'static str,
) -> Result<(), Error> {
    let wrong = || Error::Parameter {
        name,
        value: value.to_string(),
        rule,
    };
    fine.then_some(()).ok_or_else(wrong)
}

/// Parameters that passed [`Params::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedParams(Params);

impl CheckedParams {
    /// The values.
    pub fn get(&self) -> &Params {
        &self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refusal(change: impl Fn(&mut Params)) -> String {
        let mut params = Params::default();
        change(&mut params);
        params.check().unwrap_err().to_string()
    }

    #[test]
    fn defaults_and_the_paper_pass() {
        Params::default().check().unwrap();
        Params::paper().check().unwrap();
    }

    #[test]
    fn every_range_is_checked_and_nan_does_not_slip_through() {
        assert_eq!(
            refusal(|p| {
                p.hyper = Some(Hyper {
                    delta_rate: f64::NAN,
                    ..Hyper::for_size(Task::Classification, 10, 10, 100)
                });
            }),
            "parameter hyper.delta_rate is NaN; it must be a finite number above 0"
        );
        assert_eq!(
            refusal(|p| p.pruning.features = 1.0),
            "parameter pruning.features is 1; it must be at least 0 and below 1"
        );
        assert_eq!(
            refusal(|p| p.signatures = 0),
            "parameter signatures is 0; it must be at least 1"
        );
        assert!(refusal(|p| p.tau = Tau::Held(0.0)).contains("tau is 0"));
        assert!(
            refusal(|p| p.start = Start::Correlation { power: f64::NAN }).contains("start.power")
        );
        assert!(
            refusal(|p| p.sample_weight = Some(vec![1.0, -1.0])).contains("sample_weight is -1")
        );
        assert!(refusal(|p| p.candidates = Candidates::Rows(vec![1, 1])).contains("distinct"));
        assert!(refusal(|p| p.threads = Some(0)).contains("threads is 0"));
        let cost = |cost| move |p: &mut Params| p.feature_cost = Some(vec![("f1".into(), cost)]);
        assert!(refusal(cost(f64::NAN)).contains("feature_cost is NaN"));
        let mean_field = |p: &mut Params| {
            *p = Params::paper();
            cost(2.0)(p);
        };
        assert!(refusal(mean_field).contains("structured"));
    }
}
