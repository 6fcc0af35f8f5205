//! The signature path: models of growing size, each with an honest estimate of what it is worth on new samples.
//!
//! Features enter one at a time (`forward.rs`), the weights at each size share one precision (`ridge.rs`), and a point
//! of the path averages the fits of its own size and of the two sizes before it, which takes out most of the luck of
//! a single size; its scores are corrected by what the folds show of them (`calibrate.rs`). What a point is worth comes
//! from cross-validation of the whole road to it (`crossing.rs`).

use std::ops::ControlFlow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::calibrate::Correction;
use crate::carriers::{carriers, relevances};
use crate::crossing::{Crossing, Plan};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::fit::{Outcome, threads};
use crate::forward::{Road, walk};
use crate::latent::Task;
use crate::linalg::Dense;
use crate::model::Model;
use crate::params::{CheckedParams, Method, Params};
use crate::prepare::{Prepared, prepare};
use crate::signature::{Iteration, Moments, Phase, Spread, StopReason};
use crate::watched::watched;

/// Sizes of the points: each about 1.6 times the one before.
const SIZES: [usize; 10] = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
/// Precisions λ that are tried, in units of the rows' total weight.
pub(crate) const PRECISIONS: [f64; 5] = [3.0, 1.0, 0.3, 0.1, 0.03];
/// Fits that a point averages.
const WINDOW: usize = 3;
/// The most features of a compact model, the most and usual number of a balanced one, the usual one of an accurate one.
const COMPACT: usize = 3;
const BALANCED: usize = 21;
const ACCURATE: usize = 34;

/// Which point of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// The best of at most three features.
    Compact,
    /// 21 features, or fewer where fewer do better by more than one standard error.
    Balanced,
    /// 34 features, or another number where that does better by more than one standard error.
    Accurate,
    /// This many features.
    Features(usize),
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "compact" => Ok(Self::Compact),
            "balanced" => Ok(Self::Balanced),
            "accurate" => Ok(Self::Accurate),
            number => match number.parse() {
                Ok(count) if count > 0 => Ok(Self::Features(count)),
                _ => Err("compact, balanced, accurate or a number of features from 1"),
            },
        }
    }
}

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
    /// Whether the model beats the base rate, as far as the training rows can tell.
    pub fn verdict(&self) -> Verdict {
        match self.base - self.loss {
            gain if gain <= 0.0 => Verdict::Nothing,
            gain if gain < self.gain_se => Verdict::Weak,
            _ => Verdict::Signal,
        }
    }
}

/// A point of the path: a complete model.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The model.
    pub model: Model,
    /// What it should cost on new samples.
    pub expected: Expected,
    /// How much more it costs than the best point, and the standard error of that difference over the rows.
    pub behind: (f64, f64),
    /// The common prior precision λ of its weights.
    pub precision: f64,
}

/// What one size of a path should cost: what a model keeps of the path that it is a point of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathSize {
    /// Number of features.
    pub features: usize,
    /// What a model of this size should cost on new samples.
    pub expected: Expected,
    /// How much more it costs than the best size, and the standard error of that difference over the rows.
    pub behind: (f64, f64),
    /// The sizes by name that are this one.
    pub chosen_as: Vec<Size>,
}

/// Whether there is anything to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The best point beats the base rate by more than one standard error.
    Signal,
    /// It beats the base rate, but by less than that: it may be chance.
    Weak,
    /// It does not beat the base rate.
    Nothing,
}

/// The path, smallest model first.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    points: Vec<PathPoint>,
    /// Positions of the compact, the balanced and the most accurate point.
    chosen: [usize; 3],
    verdict: Verdict,
    base: Model,
}

impl Path {
    /// The points, smallest first.
    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }

    /// Whether there is anything to find.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The position of the point for a size (for a number of features: the last point, which has it).
    pub fn position(&self, size: Size) -> usize {
        match size {
            Size::Compact => self.chosen[0],
            Size::Balanced => self.chosen[1],
            Size::Accurate => self.chosen[2],
            Size::Features(_) => self.points.len().saturating_sub(1),
        }
    }

    /// The model for a size: the base rate where there is nothing to find, unless a number of features was asked for.
    pub fn into_model(mut self, size: Size) -> Model {
        let sizes = self.sizes();
        let asked = matches!(size, Size::Features(_));
        let model = if self.points.is_empty() || (self.verdict == Verdict::Nothing && !asked) {
            self.base
        } else {
            self.points.swap_remove(self.position(size)).model
        };
        Model { sizes, ..model }
    }

    /// What every point should cost, smallest first.
    pub fn sizes(&self) -> Vec<PathSize> {
        let named = [Size::Compact, Size::Balanced, Size::Accurate];
        let size = |(position, point): (usize, &PathPoint)| PathSize {
            features: point.model.feature_count(),
            expected: point.expected,
            behind: point.behind,
            chosen_as: (named.into_iter())
                .filter(|&size| self.position(size) == position)
                .collect(),
        };
        self.points.iter().enumerate().map(size).collect()
    }
}

/// How far the work on a path is: steps done, of how many.
pub(crate) fn step(done: usize, of: usize) -> Iteration {
    Iteration {
        signature: 1,
        number: done,
        phase: Phase::Path,
        bound: None,
        features: of,
        vectors: 0,
    }
}

impl CheckedParams {
    /// The signature path of the method [`crate::Projected`]; any other is refused. The callback hears how many features have entered ([`Phase::Path`]: `number` of `features`)
    /// after each and several times a second; a break ends the work with a path that has no points.
    pub fn path(
        &self,
        data: Dataset,
        mut callback: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Path, Error> {
        let params = self.get();
        let Method::Projected(method) = &params.method else {
            return Err(Error::Parameter {
                name: "method",
                value: params.method.name().to_string(),
                rule: "projected, for no other method has a path",
            });
        };
        let mut prepared = prepare(params, data)?;
        let Some(plan) = Plan::new(&prepared)? else {
            return Ok(prepared.without_points(params, StopReason::NoSignal));
        };
        let sizes = sizes(method.size, prepared.names.len());
        let most = sizes.last().copied().unwrap_or(0);
        let mut go_on = |done: usize| callback(&step(done, most));
        let threads = threads(params.threads);
        let roads = plan.roads(&prepared);
        let roads = roads.chain([Road::new(prepared.weight.clone())]).collect();
        let Some(mut roads) = walk(&prepared, roads, most, threads, &mut go_on) else {
            return Ok(prepared.without_points(params, StopReason::Interrupted));
        };
        keep_entered(&mut prepared, &mut roads);
        let order = roads.pop().map_or_else(Vec::new, |all_rows| all_rows.order);
        let mut go_on = || go_on(most);
        let scores = |job: usize| plan.scores(&prepared, job, &roads[job], &sizes);
        let crossing = watched(threads, roads.len(), scores, &mut go_on)
            .map(|folds| plan.judge(&prepared, &folds, &sizes, WINDOW));
        // Watched too: with thousands of samples it takes a while.
        let path = crossing.and_then(|crossing| {
            let path = |_| prepared.path(params, &sizes, &order, &crossing);
            watched(1, 1, path, &mut go_on)?.pop()
        });
        Ok(path.unwrap_or_else(|| prepared.without_points(params, StopReason::Interrupted)))
    }
}

/// Drops the features that entered on no road: from here on they are only weight.
fn keep_entered(prepared: &mut Prepared, roads: &mut [Road]) {
    let orders = roads.iter().flat_map(|road| &road.order);
    let mut entered: Vec<usize> = orders.copied().collect();
    entered.sort_unstable();
    entered.dedup();
    prepared.keep(&entered);
    for d in roads.iter_mut().flat_map(|road| &mut road.order) {
        *d = entered.partition_point(|&before| before < *d);
    }
}

/// The sizes of the points: the usual ones, or up to the size that was asked for.
fn sizes(asked: Size, features: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = SIZES.iter().copied().filter(|&k| k <= features).collect();
    if let Size::Features(count) = asked {
        let count = count.min(features);
        sizes.retain(|&k| k < count);
        sizes.push(count);
    }
    sizes
}

/// The compact, the balanced and the most accurate point.
///
/// The losses of neighbouring sizes differ by less than the rows can tell, so to take the lowest is to follow chance,
/// most of all towards sizes too small. A usual size stands unless another beats it by more than a standard error.
fn choose(sizes: &[usize], crossing: &Crossing) -> [usize; 3] {
    let count = |limit: usize| sizes.iter().filter(|&&k| k <= limit).count().max(1);
    let better_than = |usual: usize, limit: usize| {
        let clearly = |&i: &usize| {
            let (behind, se) = crossing.behind(i, usual);
            behind < -se
        };
        crossing.best((0..limit).filter(clearly)).unwrap_or(usual)
    };
    let all = sizes.len();
    [
        crossing.best(0..count(COMPACT)).unwrap_or(0),
        better_than(count(BALANCED) - 1, count(BALANCED)),
        better_than(count(ACCURATE) - 1, all),
    ]
}

/// One fit of the path: b and w with their covariance, bound and λ.
struct Fit {
    coefficients: Vec<f64>,
    covariance: Dense,
    bound: f64,
    precision: f64,
}

impl Prepared {
    fn without_points(&self, params: &Params, stop: StopReason) -> Path {
        let base = self.model(
            params,
            Outcome::empty(self.base_rate(), stop),
            Vec::new(),
            None,
        );
        Path {
            points: Vec::new(),
            chosen: [0; 3],
            verdict: Verdict::Nothing,
            base,
        }
    }

    fn path(&self, params: &Params, sizes: &[usize], order: &[usize], crossing: &Crossing) -> Path {
        let mut fits: Vec<Fit> = Vec::with_capacity(sizes.len());
        let none = self.fit_features(&[], 1.0).bound;
        let chosen = choose(sizes, crossing);
        let best = crossing.best(0..sizes.len()).unwrap_or(0);
        let mut trace = Vec::new();
        let mut points = Vec::new();
        for (i, (&size, &precision)) in sizes.iter().zip(&crossing.precision).enumerate() {
            if let Some(before) = fits.last_mut() {
                // The next points need the coefficients alone.
                before.covariance = Dense::default();
            }
            fits.push(self.fit_features(&order[..size], precision));
            let window = &fits[(i + 1).saturating_sub(WINDOW)..=i];
            let judged = (crossing.expected[i], crossing.correction[i]);
            let outcome = self.point(&order[..size], window, none, judged);
            trace.push(Iteration {
                bound: Some(fits[i].bound),
                features: size,
                vectors: outcome.candidates.len(),
                ..step(i + 1, size)
            });
            points.push(PathPoint {
                model: self.model(params, outcome, trace.clone(), Some(crossing.expected[i])),
                expected: crossing.expected[i],
                behind: crossing.behind(i, best),
                precision: fits[i].precision,
            });
        }
        let none = self.without_points(params, StopReason::NoSignal);
        Path {
            points,
            chosen,
            verdict: crossing.expected[best].verdict(),
            ..none
        }
    }

    fn fit_features(&self, features: &[usize], precision: f64) -> Fit {
        let precision = precision * self.weight.iter().sum::<f64>();
        let ridge = self.ridge(features, &self.weight);
        let coefficients = ridge.solve(precision, &[]);
        let covariance = ridge
            .covariance(&coefficients, precision)
            .unwrap_or_else(|| Dense::identity(coefficients.len()));
        let bound = ridge.bound(&coefficients, &covariance, precision);
        Fit {
            coefficients,
            covariance,
            bound,
            precision,
        }
    }

    /// The mean of the window's fits as moments of the model: a held, v joint.
    fn point(
        &self,
        features: &[usize],
        window: &[Fit],
        base_bound: f64,
        (expected, correction): (Expected, Correction),
    ) -> Outcome {
        let count = window.len() as f64;
        let mut mean = vec![0.0; features.len() + 1];
        for fit in window {
            for (mean, c) in mean.iter_mut().zip(&fit.coefficients) {
                *mean += c / count;
            }
        }
        for c in &mut mean {
            *c *= correction.slope;
        }
        let weights = mean.split_off(1);
        let own = &window[window.len() - 1];
        // A regression's covariance is in units of the noise, which the folds have shown; a class's score is stretched.
        let noise = match self.task {
            Task::Classification => correction.slope * correction.slope,
            Task::Regression => 2.0 * expected.loss,
        };
        let all = self.candidate_values(features);
        let (candidates, a) = carriers(&all, &weights);
        let columns: Vec<usize> = (0..features.len()).collect();
        let z = all.select(&candidates, &columns);
        let v = relevances(&z, &a, &weights);
        let g: Vec<f64> = z.transpose_times(&a);
        let mut v_cov = Dense::zeros(v.len(), v.len());
        for j in columns.iter().copied().filter(|&j| v[j] != 0.0) {
            for i in columns.iter().copied().filter(|&i| v[i] != 0.0) {
                v_cov.col_mut(j)[i] = noise * own.covariance.at(i + 1, j + 1) / (g[i] * g[j]);
            }
        }
        let weight_sd = own.covariance.diagonal().skip(1);
        Outcome {
            weight_sd: weight_sd.map(|var| (noise * var).sqrt()).collect(),
            moments: Moments {
                v,
                v_spread: Spread::Joint(v_cov),
                a_cov: Dense::zeros(a.len(), a.len()),
                a,
                z,
                b: mean[0] + correction.intercept,
                b_var: noise * own.covariance.at(0, 0),
                noise: match self.task {
                    Task::Classification => 0.0,
                    Task::Regression => noise,
                },
            },
            features: features.to_vec(),
            candidates: candidates
                .iter()
                .map(|&m| self.candidate_position(m))
                .collect(),
            evidence: Some(own.bound - base_bound),
            stop: StopReason::Converged,
        }
    }

    fn model(
        &self,
        params: &Params,
        outcome: Outcome,
        trace: Vec<Iteration>,
        expected: Option<Expected>,
    ) -> Model {
        Model {
            task: self.task,
            classes: self.classes.clone(),
            target_scale: self.target_scale,
            training: self.training.clone(),
            parameters: self.parameters(params),
            expected,
            sizes: Vec::new(),
            signatures: vec![self.signature(outcome, trace)],
        }
    }
}
