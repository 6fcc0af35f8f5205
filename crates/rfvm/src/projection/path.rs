//! The path: models of growing size beside the full one, each with an honest estimate of what it is worth.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::choose::choose;
use super::detect::chance_of_correlations;
use super::full::{Full, moderated};
use super::held_back::{HeldBack, Plan, Said, Seen, difference, mean_and_se};
use super::select::{Selection, select};
use super::size::Size;
use super::small::{Scores, Small};
use crate::calibrate::Correction;
use crate::dataset::Dataset;
use crate::error::Error;
use crate::fit::{Outcome, start_workers, threads};
use crate::latent::Task;
use crate::linalg::{Dense, NotPositive};
use crate::model::Model;
use crate::params::{CheckedParams, Method, Params, Projected};
use crate::passes::Workers;
use crate::prepare::{Prepared, prepare};
use crate::signature::{Iteration, Phase, StopReason};
use crate::special::sigmoid;
use crate::watched::{Progress, Steps};

/// Sizes of the points: from the sixth on each about a third larger than the one before.
const SIZES: [usize; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 18, 23, 30, 40, 55];

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

    fn of(loss: &[f64], base: &[f64]) -> Self {
        let (mean, se) = mean_and_se(loss);
        Self {
            loss: mean,
            se,
            base: mean_and_se(base).0,
            gain_se: difference(base, loss).1,
        }
    }
}

/// A point of the path: a complete model.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The model.
    pub model: Model,
    /// What a model of this size should cost on new samples.
    pub expected: Expected,
    /// How much more it costs than the full model, and the standard error of that difference over the rows.
    pub behind: (f64, f64),
    /// The share of what the full model tells that it keeps on rows neither has seen.
    pub share: f64,
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

/// Whether there is anything to find, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What follows from the two tests below and from what the full model should cost.
    pub verdict: Verdict,
    /// How far from chance the full model tells held-back rows apart, in standard errors of chance
    /// ([`crate::Projected::detection`] is what counts as anything at all).
    pub detection: f64,
    /// How often chance alone gives features that hang together with the labels as strongly as these (permutation test;
    /// [`crate::Projected::chance`] is what counts as anything at all).
    pub chance: f64,
}

/// The path, smallest model first.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    points: Vec<PathPoint>,
    /// The sizes by name, their positions, and what choosing by that rule should cost.
    chosen: Vec<(Size, usize, Expected)>,
    full: Option<Expected>,
    full_model: Option<Model>,
    judgement: Option<Judgement>,
    base: Model,
}

impl Path {
    /// The points, smallest first.
    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }

    /// Whether there is anything to find; `None` where the rows were too few to tell.
    pub fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }

    /// What the full model should cost on new samples; `None` where the rows were too few to tell.
    pub fn full(&self) -> Option<Expected> {
        self.full
    }

    /// The position of the point for a size; `None` for the full model and on a path without points.
    pub fn position(&self, size: Size) -> Option<usize> {
        self.choice(size).map(|(_, position, _)| *position)
    }

    fn choice(&self, size: Size) -> Option<&(Size, usize, Expected)> {
        self.chosen.iter().find(|(chosen, ..)| *chosen == size)
    }

    /// The model for a size, as a fit with that size gives it: the base rate where there is nothing to find, unless a number
    /// of features was asked for. Sizes other than the named ones, and the full model, only of a path that was asked for them.
    pub fn into_model(mut self, size: Size) -> Result<Model, Error> {
        let has = match size {
            Size::Full => self.full_model.is_some(),
            _ => self.choice(size).is_some(),
        };
        if !has && !self.points.is_empty() {
            return Err(Error::Parameter {
                name: "size",
                value: size.to_string(),
                rule: "compact, balanced, accurate or the size that the path was asked for",
            });
        }
        let sizes = self.sizes();
        let asked = matches!(size, Size::Features(_));
        let found = (self.judgement).is_some_and(|found| found.verdict != Verdict::Nothing);
        let nothing = !found && !asked;
        let choice = self.choice(size).copied();
        let model = match (choice, self.full_model) {
            (Some((_, position, expected)), _) if !nothing && !self.points.is_empty() => {
                let share = Some(self.points[position].share);
                Model {
                    expected: Some(expected),
                    share,
                    ..self.points.swap_remove(position).model
                }
            }
            (None, Some(model)) if !nothing => model,
            _ => self.base,
        };
        let mut parameters = model.parameters;
        if let Method::Projected(own) = &mut parameters.method {
            own.size = size;
        }
        Ok(Model {
            sizes,
            full: self.full,
            judgement: self.judgement,
            parameters,
            ..model
        })
    }

    /// What every point should cost, smallest first.
    pub fn sizes(&self) -> Vec<PathSize> {
        let size = |(position, point): (usize, &PathPoint)| PathSize {
            features: point.model.feature_count(),
            expected: point.expected,
            behind: point.behind,
            share: point.share,
            chosen_as: (self.chosen.iter())
                .filter(|(_, chosen, _)| *chosen == position)
                .map(|(size, ..)| *size)
                .collect(),
        };
        self.points.iter().enumerate().map(size).collect()
    }
}

/// How far the work on a path is: steps done, of how many.
fn step(done: usize, of: usize) -> Iteration {
    Iteration {
        signature: 1,
        number: done,
        phase: Phase::Path,
        bound: None,
        features: of,
        vectors: 0,
    }
}

/// Why there is no path.
enum Ended {
    Interrupted,
    Breakdown,
}

impl CheckedParams {
    /// The path of the method [`crate::Projected`]; any other is refused. The callback hears how many steps are done
    /// ([`Phase::Path`]: `number` of `features`) several times a second; a break ends the work with a path that has no points.
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
        let Some(plan) = Plan::new(method, &prepared)? else {
            return Ok(prepared.without_points(params, StopReason::NoSignal));
        };
        let sizes = sizes(method.size, prepared.names.len());
        let most = sizes.last().copied().unwrap_or(0);
        let fits = plan.len() + 1;
        let of = fits * (method.sweeps + 1) + most;
        let mut tell = |done: usize| callback(&step(done.min(of), of));
        let mut watch = Progress::new(threads(params.threads), &mut tell)?;
        // Either way the sums are the same: a fit a thread, or all threads for one fit.
        let workers = match watch.threads() <= fits {
            true => Workers(None),
            false => start_workers(params.threads)?,
        };
        let road = Road {
            params: method,
            sizes: &sizes,
            plan: &plan,
            workers: &workers,
        };
        let walked = road.walk(&mut prepared, &mut watch);
        Ok(match walked {
            Ok(walked) => {
                let held_back = HeldBack::new(&prepared, plan, &walked.said, method.firmness);
                prepared.path(params, method, &sizes, walked, &held_back)
            }
            Err(Ended::Interrupted) => prepared.without_points(params, StopReason::Interrupted),
            Err(Ended::Breakdown) => prepared.without_points(params, StopReason::Breakdown),
        })
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

/// The way from data to small models, gone once with all rows and once without those of each fold.
struct Road<'r> {
    params: &'r Projected,
    sizes: &'r [usize],
    plan: &'r Plan,
    workers: &'r Workers,
}

/// What is left of a full posterior when its job is done: with a million features, twenty of them would fill the memory.
struct Told {
    /// ⟨v⟩ of every feature, from which small models start.
    v: Vec<f32>,
    /// f + b of the rows it was learned on, and as the other rows have each.
    scores: Vec<f64>,
    left_out: Vec<f64>,
    /// 1/τ
    noise: f64,
    /// What it says of the rows held back: the mean of each score, and what that predicts.
    held_means: Vec<f64>,
    held: Vec<f64>,
    /// All of it, for the job with all rows.
    full: Option<Full>,
}

impl Told {
    fn new(data: &Prepared, mut full: Full, held: &[usize], keep: bool) -> Self {
        let said = full.latent(data, held);
        Self {
            held_means: said.iter().map(|(mean, _)| *mean).collect(),
            held: (said.iter())
                .map(|&latent| predicted(data.task, latent))
                .collect(),
            v: full.v.iter().map(|&v| v as f32).collect(),
            scores: std::mem::take(&mut full.scores),
            left_out: std::mem::take(&mut full.left_out),
            noise: full.floor.1,
            full: keep.then_some(full),
        }
    }
}

/// What a latent mean and variance predict: the score that a correction takes.
fn predicted(task: Task, latent: (f64, f64)) -> f64 {
    match task {
        Task::Classification => moderated(latent),
        Task::Regression => latent.0,
    }
}

/// What is met on it.
struct Walked {
    full: Full,
    /// Features and posterior of every size, on all rows.
    small: Vec<(Vec<usize>, Small)>,
    said: Vec<Said>,
    /// How often chance gives features as strong as these.
    chance: f64,
}

impl Road<'_> {
    /// Rows that the job learns from and rows held back; the first job has all rows.
    fn rows(&self, data: &Prepared, job: usize) -> (Vec<usize>, Vec<usize>) {
        match job.checked_sub(1) {
            None => ((0..data.samples).collect(), Vec::new()),
            Some(fold) => self.plan.split(fold),
        }
    }

    fn walk(&self, data: &mut Prepared, watch: &mut Progress) -> Result<Walked, Ended> {
        let chance =
            chance_of_correlations(data, self.plan.order(), watch).ok_or(Ended::Interrupted)?;
        let fulls = self.fulls(data, watch)?;
        let most = self.sizes.last().copied().unwrap_or(0);
        let orders = (0..fulls.len())
            .map(|job| self.target(data, job, &fulls[job]))
            .collect();
        let strength = self.params.strength;
        let orders = select(data, orders, most, strength, watch).ok_or(Ended::Interrupted)?;
        let mut orders: Vec<Vec<usize>> = orders.into_iter().map(|order| order.order).collect();
        let starts: Vec<Vec<f64>> = (fulls.iter().zip(&orders))
            .map(|(full, order)| match full {
                Some(full) => order.iter().map(|&d| f64::from(full.v[d])).collect(),
                None => Vec::new(),
            })
            .collect();
        if self.params.size != Size::Full {
            keep_entered(data, &mut orders);
        }
        let small = watch.run(fulls.len(), |job, steps| {
            let full = fulls[job].as_ref()?;
            let stretch = self.stretch(data, job, &fulls);
            let models = self.small(data, job, (full, stretch), &orders[job], &starts[job]);
            steps.step();
            Some(models)
        });
        let mut small = small.ok_or(Ended::Interrupted)?;
        let said = (1..fulls.len())
            .map(|job| self.said(data, job, &orders[job], fulls[job].as_ref(), &small[job]))
            .collect();
        let full = fulls
            .into_iter()
            .next()
            .flatten()
            .and_then(|first| first.full);
        let full = full.ok_or(Ended::Breakdown)?;
        let of_all = small.swap_remove(0).transpose().ok().flatten();
        let of_all = of_all.ok_or(Ended::Breakdown)?;
        let features = self.sizes.iter().map(|&k| orders[0][..k].to_vec());
        Ok(Walked {
            full,
            small: features.zip(of_all).collect(),
            said,
            chance,
        })
    }

    /// The full posterior of every job; `None` where a fold's rows cannot carry one.
    fn fulls(&self, data: &Prepared, watch: &mut Progress) -> Result<Vec<Option<Told>>, Ended> {
        let jobs = self.plan.len() + 1;
        let fit = |job: usize, steps: &Steps| {
            let (rows, held) = self.rows(data, job);
            let full = two_classes(data, &rows)
                .then(|| Full::fit(data, self.params, &rows, self.workers, steps).ok())
                .flatten()?;
            Some(Told::new(data, full, &held, job == 0))
        };
        let fulls = if watch.threads() <= jobs {
            watch.run(jobs, fit)
        } else {
            let mut fulls = Vec::new();
            for job in 0..jobs {
                let one = watch.run(1, |_, steps| fit(job, steps));
                fulls.extend(one.ok_or(Ended::Interrupted)?);
            }
            Some(fulls)
        };
        fulls.ok_or(Ended::Interrupted)
    }

    /// What the order of entry is to explain: q between the full model's probabilities and the labels.
    fn target(&self, data: &Prepared, job: usize, full: &Option<Told>) -> Selection {
        let (rows, _) = self.rows(data, job);
        let mut target = data.target.clone();
        let mut weight = vec![0.0; data.samples];
        if let Some(full) = full {
            for (&n, &score) in rows.iter().zip(&full.scores) {
                let said = match data.task {
                    Task::Classification => sigmoid(score),
                    Task::Regression => score,
                };
                target[n] = self.params.labels * target[n] + (1.0 - self.params.labels) * said;
                weight[n] = data.weight[n];
            }
        }
        Selection::new(target, weight)
    }

    /// How timid the scores of a job's full model are, by what other folds' full models say of rows they did not know.
    fn stretch(&self, data: &Prepared, job: usize, fulls: &[Option<Told>]) -> Correction {
        let means = |fold: usize| match &fulls[fold + 1] {
            Some(full) => &full.held_means[..],
            None => &[],
        };
        self.plan
            .correction(data, job.checked_sub(1), self.params.firmness, means)
    }

    /// The small models of one job, one a size.
    fn small(
        &self,
        data: &Prepared,
        job: usize,
        (full, stretch): (&Told, Correction),
        order: &[usize],
        start: &[f64],
    ) -> Result<Vec<Small>, NotPositive> {
        let (rows, _) = self.rows(data, job);
        let spread = |score: &f64| match data.task {
            Task::Classification => sigmoid(*score) * (1.0 - sigmoid(*score)),
            Task::Regression => 1.0,
        };
        let spreads: Vec<f64> = full.scores.iter().map(spread).collect();
        let unit = spreads.len() as f64 / spreads.iter().sum::<f64>();
        let weight = rows
            .iter()
            .zip(&spreads)
            .map(|(&n, spread)| unit * spread * data.weight[n]);
        let weight: Vec<f64> = weight.collect();
        let cost: Vec<f64> = order.iter().map(|&d| data.cost(d)).collect();
        // What a label tells of a timid score: that of the stretched one, in the timid one's units.
        let told: f64 = match data.task {
            Task::Classification => {
                let each = full
                    .scores
                    .iter()
                    .map(|&score| spread(&stretch.apply(score)));
                each.sum::<f64>() / full.scores.len() as f64
            }
            Task::Regression => 1.0 / full.noise,
        };
        let label_precision = stretch.slope.powi(2) * told;
        let without = self.params.left_out;
        let both = full.scores.iter().zip(&full.left_out);
        let y: Vec<f64> = both
            .map(|(score, left_out)| (1.0 - without) * score + without * left_out)
            .collect();
        let fit = |&k: &usize| {
            let scores = Scores {
                y: &y,
                weight: &weight,
                noise: self.params.noise,
                label_precision,
                cost: &cost[..k],
            };
            Small::fit(&values(data, &order[..k], &rows), &scores, &start[..k])
        };
        self.sizes.iter().map(fit).collect()
    }

    fn said(
        &self,
        data: &Prepared,
        job: usize,
        order: &[usize],
        full: Option<&Told>,
        small: &Option<Result<Vec<Small>, NotPositive>>,
    ) -> Said {
        let (learned, rows) = self.rows(data, job);
        let base = base_score(data, &learned);
        // Where a fold's rows cannot carry a model the base rate is all they tell.
        let none = || vec![base; rows.len()];
        let mut scores = vec![full.map_or_else(none, |full| full.held.clone())];
        for (i, &k) in self.sizes.iter().enumerate() {
            let Some(Ok(models)) = small else {
                scores.push(none());
                continue;
            };
            let z = values(data, &order[..k], &learned);
            let moments = models[i].moments(&z);
            let latent = moments.latent();
            let x = values(data, &order[..k], &rows);
            let row = |n: usize| -> Vec<f64> { (0..k).map(|j| x.at(n, j)).collect() };
            let said = (0..rows.len()).map(|n| predicted(data.task, latent(&row(n))));
            scores.push(said.collect());
        }
        Said { rows, base, scores }
    }
}

/// Whether some rows have more than one class (or are of a regression).
fn two_classes(data: &Prepared, rows: &[usize]) -> bool {
    let positive = rows.iter().filter(|&&n| data.target[n] > 0.5).count();
    data.task == Task::Regression || (positive > 0 && positive < rows.len())
}

/// The score of the base rate of some rows.
fn base_score(data: &Prepared, rows: &[usize]) -> f64 {
    let total: f64 = rows.iter().map(|&n| data.weight[n]).sum();
    let positive: f64 = rows.iter().map(|&n| data.weight[n] * data.target[n]).sum();
    match data.task {
        Task::Regression => positive / total,
        // One observation's worth of doubt keeps a class that is not there possible.
        Task::Classification => ((positive + 0.5) / (total - positive + 0.5)).ln(),
    }
}

/// Some features of some rows, rows x features.
fn values(data: &Prepared, features: &[usize], rows: &[usize]) -> Dense {
    let mut values = Vec::with_capacity(features.len() * rows.len());
    for &d in features {
        let column = data.column(d);
        values.extend(rows.iter().map(|&n| column[n]));
    }
    Dense::from_vec(rows.len(), features.len(), values)
}

/// Drops the features that entered nowhere: from here on they are only weight.
fn keep_entered(data: &mut Prepared, orders: &mut [Vec<usize>]) {
    let mut entered: Vec<usize> = orders.iter().flatten().copied().collect();
    entered.sort_unstable();
    entered.dedup();
    data.keep(&entered);
    for d in orders.iter_mut().flatten() {
        *d = entered.partition_point(|&before| before < *d);
    }
}

impl Prepared {
    /// The standardised values of one feature.
    pub(crate) fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    fn without_points(&self, params: &Params, stop: StopReason) -> Path {
        let outcome = Outcome::empty(self.base_rate(), stop);
        Path {
            points: Vec::new(),
            chosen: Vec::new(),
            full: None,
            full_model: None,
            judgement: None,
            base: self.projected_model(params, outcome, Vec::new(), Correction::NONE),
        }
    }

    fn path(
        &self,
        params: &Params,
        method: &Projected,
        sizes: &[usize],
        walked: Walked,
        held_back: &HeldBack,
    ) -> Path {
        let Walked {
            full,
            small,
            chance,
            ..
        } = walked;
        let seen = held_back.all();
        let expected = |model: usize| Expected::of(&seen.loss[model], &seen.base);
        let sweeps = |last: Option<&Small>| {
            let sweep = |number: usize| Iteration {
                number,
                phase: Phase::Wide,
                vectors: self.samples,
                ..step(
                    number,
                    self.training.features - self.training.constant_features,
                )
            };
            let projection = last.map(|small| Iteration {
                vectors: small.vectors().len(),
                ..step(method.sweeps + 1, small.weights().len())
            });
            (1..=method.sweeps)
                .map(sweep)
                .chain(projection)
                .collect::<Vec<_>>()
        };
        let mut points = Vec::with_capacity(small.len());
        for (i, (features, small)) in small.into_iter().enumerate() {
            let rows: Vec<usize> = (0..self.samples).collect();
            let moments = small.moments(&values(self, &features, &rows));
            let outcome = Outcome {
                weight_sd: moments.weight_sd(),
                features,
                candidates: small.vectors().to_vec(),
                evidence: None,
                stop: match small.settled {
                    true => StopReason::Converged,
                    false => StopReason::IterationLimit,
                },
                moments,
            };
            let judged = (expected(i + 1), held_back.correction[i + 1]);
            let model = self.judged_model(params, outcome, sweeps(Some(&small)), judged);
            points.push(PathPoint {
                model: Model {
                    share: Some(seen.share[i]),
                    ..model
                },
                expected: judged.0,
                behind: difference(&seen.loss[i + 1], &seen.loss[0]),
                share: seen.share[i],
            });
        }
        let full_model = (method.size == Size::Full).then(|| {
            let moments = full.moments();
            let outcome = Outcome {
                weight_sd: moments.weight_sd(),
                features: (0..self.names.len()).collect(),
                candidates: (0..self.samples).collect(),
                evidence: None,
                stop: StopReason::Converged,
                moments,
            };
            let judged = (expected(0), held_back.correction[0]);
            let model = self.judged_model(params, outcome, sweeps(None), judged);
            Model {
                share: Some(1.0),
                ..model
            }
        });
        let verdict = match expected(0) {
            _ if held_back.detection < method.detection && chance > method.chance => {
                Verdict::Nothing
            }
            full if full.is_clear() => Verdict::Signal,
            _ => Verdict::Weak,
        };
        Path {
            chosen: chosen(method, sizes, held_back, &seen),
            points,
            full: Some(expected(0)),
            full_model,
            judgement: Some(Judgement {
                verdict,
                detection: held_back.detection,
                chance,
            }),
            ..self.without_points(params, StopReason::NoSignal)
        }
    }

    fn judged_model(
        &self,
        params: &Params,
        mut outcome: Outcome,
        trace: Vec<Iteration>,
        (expected, mut correction): (Expected, Correction),
    ) -> Model {
        if self.task == Task::Regression {
            // A regression's correction is part of its moments, and its noise is what the folds have shown.
            outcome.moments.stretch(correction, 2.0 * expected.loss);
            outcome
                .weight_sd
                .iter_mut()
                .for_each(|sd| *sd *= correction.slope.abs());
            correction = Correction::NONE;
        }
        Model {
            expected: Some(expected),
            ..self.projected_model(params, outcome, trace, correction)
        }
    }

    fn projected_model(
        &self,
        params: &Params,
        outcome: Outcome,
        trace: Vec<Iteration>,
        correction: Correction,
    ) -> Model {
        Model {
            task: self.task,
            classes: self.classes.clone(),
            target_scale: self.target_scale,
            training: self.training.clone(),
            parameters: self.parameters(params),
            correction,
            expected: None,
            share: None,
            full: None,
            judgement: None,
            sizes: Vec::new(),
            signatures: vec![self.signature(outcome, trace)],
        }
    }
}

/// The sizes by name (and the one that was asked for) with what each rule should cost: it is judged on rows that had no
/// part in its choice.
fn chosen(
    method: &Projected,
    sizes: &[usize],
    held_back: &HeldBack,
    seen: &Seen,
) -> Vec<(Size, usize, Expected)> {
    let mut named = vec![Size::Compact, Size::Balanced, Size::Accurate];
    if !named.contains(&method.size) {
        named.push(method.size);
    }
    let mut chosen = Vec::new();
    for size in named {
        let Some(position) = choose(size, sizes, method, seen) else {
            continue;
        };
        let pick = |seen: &Seen| choose(size, sizes, method, seen).map_or(0, |i| i + 1);
        let cost = held_back.cost_of_choice(pick);
        chosen.push((size, position, Expected::of(&cost, &seen.base)));
    }
    chosen
}
