//! The driver: from a data set and checked parameters to a model.

use std::ops::ControlFlow;

use crate::columns::{CandidateRows, Columns};
use crate::dataset::{Dataset, Table, Target};
use crate::error::{Error, join_names};
use crate::latent::{Latent, Task};
use crate::model::{Model, Parameters, Training};
use crate::params::{Candidates, CheckedParams, ClassWeight, Hyper, Params, Scheme, Tau};
use crate::passes::Workers;
use crate::scale::{Scale, Standardizer};
use crate::signature::{Feature, Iteration, Moments, RelevanceVector, Signature, StopReason};
use crate::state::State;
use crate::{mean_field, start, structured};

/// What a scheme hands back: the moments, which features and candidates they are over, and how it ended.
pub(crate) struct Outcome {
    pub(crate) moments: Moments,
    pub(crate) features: Vec<usize>,
    pub(crate) candidates: Vec<usize>,
    pub(crate) stop: StopReason,
}

impl Outcome {
    /// No features and no vectors.
    pub(crate) fn empty(moments: Moments, stop: StopReason) -> Self {
        Self {
            moments,
            features: Vec::new(),
            candidates: Vec::new(),
            stop,
        }
    }
}

/// Records every iteration and asks the callback whether to go on.
pub(crate) struct Watch<'w> {
    signature: usize,
    trace: Vec<Iteration>,
    callback: &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>,
}

impl Watch<'_> {
    pub(crate) fn iterations(&self) -> usize {
        self.trace.len()
    }

    pub(crate) fn bound_before(&self, iterations: usize) -> Option<f64> {
        let at = self.trace.len().checked_sub(iterations + 1)?;
        self.trace[at].bound
    }

    pub(crate) fn record(
        &mut self,
        phase: crate::signature::Phase,
        bound: Option<f64>,
        features: usize,
        vectors: usize,
    ) -> ControlFlow<()> {
        let iteration = Iteration {
            signature: self.signature,
            number: self.trace.len() + 1,
            phase,
            bound,
            features,
            vectors,
        };
        self.trace.push(iteration);
        (self.callback)(&iteration)
    }
}

impl CheckedParams {
    /// Fits a model. The data set is taken over, so that it can be standardised in place: a fit needs the
    /// data once. Fit on a part of the rows with [`Dataset::rows`].
    pub fn fit(&self, data: Dataset) -> Result<Model, Error> {
        self.fit_with(data, |_| ControlFlow::Continue(()))
    }

    /// As [`CheckedParams::fit`], with a callback that sees every iteration and can stop the fit; the model is
    /// then the last iteration's, with stop reason [`StopReason::Interrupted`].
    pub fn fit_with(
        &self,
        data: Dataset,
        mut callback: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Model, Error> {
        let workers = start_workers(self.get().threads)?;
        let prepared = Prepared::new(self.get(), data)?;
        let mut free: Vec<usize> = (0..prepared.names.len()).collect();
        let mut signatures: Vec<Signature> = Vec::new();
        for number in 1..=self.get().signatures {
            let mut watch = Watch {
                signature: number,
                trace: Vec::new(),
                callback: &mut callback,
            };
            let outcome = prepared.fit_signature(self.get(), &free, &workers, &mut watch);
            // A committee ends where no further signature is found; its first one always stands.
            if number > 1 && outcome.features.is_empty() {
                break;
            }
            let interrupted = outcome.stop == StopReason::Interrupted;
            free.retain(|d| !outcome.features.contains(d));
            signatures.push(prepared.signature(outcome, watch.trace));
            if interrupted || free.is_empty() || signatures[0].features.is_empty() {
                break;
            }
        }
        let parameters = Parameters::of(self.get(), prepared.hyper(self.get()));
        Ok(Model {
            task: prepared.task,
            classes: prepared.classes,
            target_scale: prepared.target_scale,
            training: prepared.training,
            parameters,
            signatures,
        })
    }
}

/// The parameter, else `OMP_NUM_THREADS`, else all cores.
fn start_workers(threads: Option<usize>) -> Result<Workers, Error> {
    let from_environment = || {
        let value = std::env::var("OMP_NUM_THREADS").ok()?;
        value
            .split(',')
            .next()?
            .trim()
            .parse()
            .ok()
            .filter(|&n| n > 0)
    };
    let all_cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.or_else(from_environment).unwrap_or_else(all_cores);
    if threads == 1 {
        return Ok(Workers(None));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads {
        threads,
        reason: error.to_string(),
    })?;
    Ok(Workers(Some(pool)))
}

/// The data set in the engine's terms: standardised columns, numbers for the target, weights.
struct Prepared {
    task: Task,
    classes: Vec<String>,
    target: Vec<f64>,
    target_scale: Scale,
    weight: Vec<f64>,
    training: Training,
    values: Vec<f64>,
    samples: usize,
    names: Vec<String>,
    scales: Vec<Scale>,
    candidate_names: Vec<String>,
    candidate_rows: Option<Vec<usize>>,
    points: Option<(Vec<f64>, usize)>,
}

impl Prepared {
    fn new(params: &Params, data: Dataset) -> Result<Self, Error> {
        let (table, target) = data.into_parts();
        let standardizer = Standardizer::fit(&table)?;
        let samples = table.samples();
        let (task, classes, target, target_scale, class_counts) = numeric_target(target)?;
        let weight = weights(params, task, &target, &class_counts)?;
        let training = Training {
            samples,
            features: table.features(),
            constant_features: standardizer.constant().len(),
            class_counts,
        };
        let (candidate_rows, points) = match &params.candidates {
            Candidates::All => (None, None),
            Candidates::Rows(rows) => (Some(check_rows(rows, samples)?), None),
            Candidates::Points(points) => (
                None,
                Some(standardised_points(points, &table, &standardizer)?),
            ),
        };
        let (mut values, mut names, sample_names) = table.into_parts();
        standardizer.apply_in_place(&mut values, samples);
        let names = standardizer
            .kept()
            .iter()
            .map(|&d| std::mem::take(&mut names[d]))
            .collect();
        let candidate_names = match &params.candidates {
            Candidates::Points(points) => points.sample_names().to_vec(),
            Candidates::All | Candidates::Rows(_) => sample_names,
        };
        Ok(Self {
            task,
            classes,
            target,
            target_scale,
            weight,
            training,
            values,
            samples,
            names,
            scales: standardizer.scales().to_vec(),
            candidate_names,
            candidate_rows,
            points,
        })
    }

    fn fit_signature(
        &self,
        params: &Params,
        free: &[usize],
        workers: &Workers,
        watch: &mut Watch,
    ) -> Outcome {
        let columns = |values, rows| {
            if free.len() == self.names.len() {
                Columns::new(values, rows)
            } else {
                Columns::some(values, rows, free.to_vec())
            }
        };
        let x = columns(&self.values, self.samples);
        let points = self
            .points
            .as_ref()
            .map(|(values, rows)| columns(values, *rows));
        let z = CandidateRows::new(self.samples, points, self.candidate_rows.clone());
        let tau_held = match (self.task, params.tau) {
            (Task::Classification, Tau::Held(tau)) => Some(tau),
            _ => None,
        };
        let hyper = self.hyper(params);
        let latent = Latent::start(self.task, &self.target, &self.weight, hyper, tau_held);
        let names: Vec<&str> = free.iter().map(|&d| self.names[d].as_str()).collect();
        let v = start::weights(&params.start, &x, &self.target, &names);
        let state = State::start(x, z, latent, hyper, v, workers);
        let mut outcome = match params.scheme {
            Scheme::Structured => structured::fit(state, params, watch),
            Scheme::MeanField { family, sweep } => {
                mean_field::fit(state, family, sweep, params, watch)
            }
        };
        for position in &mut outcome.features {
            *position = free[*position];
        }
        if has_signal(&outcome.moments) {
            return outcome;
        }
        let stop = match outcome.stop {
            StopReason::Breakdown => StopReason::Breakdown,
            _ => StopReason::NoSignal,
        };
        Outcome::empty(self.base_rate(), stop)
    }

    /// The hyperparameters: as given, else those for this number of candidates and features.
    fn hyper(&self, params: &Params) -> Hyper {
        let rows = self.candidate_rows.as_ref().map_or(self.samples, Vec::len);
        let candidates = self.points.as_ref().map_or(rows, |(_, rows)| *rows);
        let by_size = Hyper::for_size(self.samples, candidates, self.names.len());
        params.hyper.unwrap_or(by_size)
    }

    /// The model that knows no features: the (weighted) share of the positive class, or the target's mean.
    fn base_rate(&self) -> Moments {
        match self.task {
            Task::Regression => Moments::constant(0.0, 1.0),
            Task::Classification => {
                let positive: f64 = self
                    .weight
                    .iter()
                    .zip(&self.target)
                    .map(|(c, t)| c * t)
                    .sum();
                let share = positive / self.weight.iter().sum::<f64>();
                Moments::constant((share / (1.0 - share)).ln(), 0.0)
            }
        }
    }

    /// Names and orders what an outcome selected.
    fn signature(&self, outcome: Outcome, trace: Vec<Iteration>) -> Signature {
        let Outcome {
            moments,
            features,
            candidates,
            stop,
        } = outcome;
        let weights = moments.weights();
        let features: Vec<Feature> = (0..features.len())
            .map(|d| Feature {
                name: self.names[features[d]].clone(),
                scale: self.scales[features[d]],
                weight: weights[d].0,
                sd: weights[d].1,
                relevance: moments.v[d].abs(),
            })
            .collect();
        let vectors: Vec<RelevanceVector> = candidates
            .iter()
            .zip(&moments.a)
            .map(|(&m, &coefficient)| RelevanceVector {
                sample: self.candidate_names[m].clone(),
                coefficient,
            })
            .collect();
        let by_size = |sizes: Vec<f64>| {
            let mut order: Vec<usize> = (0..sizes.len()).collect();
            order.sort_by(|&i, &j| sizes[j].abs().total_cmp(&sizes[i].abs()));
            order
        };
        let feature_order = by_size(features.iter().map(|f| f.weight).collect());
        let vector_order = by_size(moments.a.clone());
        Signature {
            features: feature_order.iter().map(|&d| features[d].clone()).collect(),
            vectors: vector_order.iter().map(|&m| vectors[m].clone()).collect(),
            moments: moments.reordered(&feature_order, &vector_order),
            trace,
            stop,
        }
    }
}

/// Whether any weight moves a standardised sample's score by more than rounding would.
fn has_signal(moments: &Moments) -> bool {
    let weights = moments.weights();
    let norm: f64 = weights.iter().map(|(w, _)| w * w).sum();
    let finite = norm.is_finite() && moments.b.is_finite() && moments.noise.is_finite();
    finite && norm.sqrt() > 1e-6
}

type NumericTarget = (Task, Vec<String>, Vec<f64>, Scale, Vec<usize>);

fn numeric_target(target: Target) -> Result<NumericTarget, Error> {
    match target {
        Target::Classes { names, labels } => {
            if names.len() > 2 {
                return Err(Error::TooManyClasses {
                    found: names.len(),
                    names: join_names(names.iter().map(String::as_str)),
                });
            }
            let positive = labels.iter().filter(|&&label| label == 1).count();
            let counts = vec![labels.len() - positive, positive];
            let target = labels.iter().map(|&label| label as f64).collect();
            let unit = Scale { mean: 0.0, sd: 1.0 };
            Ok((Task::Classification, names, target, unit, counts))
        }
        Target::Values(values) => {
            let scale = Scale::of(&values).ok_or(Error::TargetConstant { value: values[0] })?;
            let target = values.iter().map(|&value| scale.apply(value)).collect();
            Ok((Task::Regression, Vec::new(), target, scale, Vec::new()))
        }
    }
}

/// c_n: the class's weight times the sample's.
fn weights(
    params: &Params,
    task: Task,
    target: &[f64],
    counts: &[usize],
) -> Result<Vec<f64>, Error> {
    let weighted = params.class_weight != ClassWeight::None || params.sample_weight.is_some();
    if task == Task::Regression && weighted {
        return Err(Error::Target(
            "class and sample weights multiply the class likelihood; a regression takes none",
        ));
    }
    let (negative, positive) = match params.class_weight {
        ClassWeight::None => (1.0, 1.0),
        ClassWeight::PerClass(negative, positive) => (negative, positive),
        ClassWeight::Balanced => {
            let half = target.len() as f64 / 2.0;
            (half / counts[0] as f64, half / counts[1] as f64)
        }
    };
    let mut weight: Vec<f64> = target
        .iter()
        .map(|&t| if t > 0.5 { positive } else { negative })
        .collect();
    if let Some(own) = &params.sample_weight {
        if own.len() != target.len() {
            return Err(Error::Length {
                what: "sample weights, one per sample",
                expected: target.len(),
                got: own.len(),
            });
        }
        weight
            .iter_mut()
            .zip(own)
            .for_each(|(weight, own)| *weight *= own);
    }
    Ok(weight)
}

fn check_rows(rows: &[usize], samples: usize) -> Result<Vec<usize>, Error> {
    match rows.iter().find(|&&row| row >= samples) {
        Some(&row) => Err(Error::RowOutOfRange { row, samples }),
        None => Ok(rows.to_vec()),
    }
}

/// New points in the units of the standardised training columns.
fn standardised_points(
    points: &Table,
    table: &Table,
    standardizer: &Standardizer,
) -> Result<(Vec<f64>, usize), Error> {
    let kept = standardizer.kept();
    let names: Vec<String> = kept
        .iter()
        .map(|&d| table.feature_names()[d].clone())
        .collect();
    let mut values = Vec::with_capacity(points.samples() * names.len());
    for (d, scale) in points
        .find_features(&names)?
        .into_iter()
        .zip(standardizer.scales())
    {
        values.extend(points.feature(d).iter().map(|&value| scale.apply(value)));
    }
    Ok((values, points.samples()))
}
