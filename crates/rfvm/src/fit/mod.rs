//! The driver: from a data set and checked parameters to a model.

mod classes;
mod companions;
mod path;

pub use classes::MulticlassPath;
pub use path::{Path, PathPoint};

use std::ops::ControlFlow;

use crate::data::scale::in_single_precision;
use crate::data::{Dataset, Task};
use crate::error::Error;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::latent::Latent;
use crate::inference::prepare::{Prepared, prepare};
use crate::inference::state::State;
use crate::inference::{mean_field, start, structured};
use crate::model::{CovariateBase, Model};
use crate::numerics::parallel::{Workers, start_workers};
use crate::numerics::stats::by_size;
use crate::params::{CheckedParams, MeanField, Method, Params, Rounds, Signatures};
use crate::posterior::correction::Correction;
use crate::posterior::moments::{Moments, Vectors};
use crate::posterior::outcome::Outcome;
use crate::posterior::prior::Tau;
use crate::posterior::signature::{Feature, RelevanceVector, Signature};
use crate::posterior::trace::{Iteration, StopReason, Watch};

/// The methods that look for signatures, one round after the other.
#[derive(Clone, Copy)]
enum Approximation<'m> {
    Structured(&'m Signatures),
    MeanField(&'m MeanField),
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
        let params = self.get();
        let (method, rounds) = match &params.method {
            Method::Projected(own) => return self.path(data, callback)?.into_model(own.size),
            Method::Signatures(own) => (Approximation::Structured(own), own.rounds()),
            Method::MeanField(own) => (Approximation::MeanField(own), own.rounds()),
        };
        let prepared = prepare(params, data)?;
        let workers = start_workers(params.threads)?;
        let mut taken: Vec<usize> = Vec::new();
        let mut signatures: Vec<Signature> = Vec::new();
        for number in 1..=rounds.count {
            let mut watch = Watch {
                signature: number,
                trace: Vec::new(),
                callback: &mut callback,
            };
            let outcome = prepared.fit_signature(method, rounds, &taken, &workers, &mut watch);
            // A committee ends where no further signature is found; its first one always stands.
            if number > 1 && outcome.features.is_empty() {
                break;
            }
            let interrupted = outcome.stop == StopReason::Interrupted;
            taken.extend_from_slice(&outcome.features);
            signatures.push(prepared.signature(outcome, watch.trace));
            let none_left = taken.len() == prepared.names.len();
            if interrupted || none_left || signatures[0].features.is_empty() {
                break;
            }
        }
        prepared
            .model(
                params,
                signatures,
                Correction::NONE,
                0..prepared.names.len(),
            )
            .checked()
    }
}

impl Prepared {
    /// The model of these signatures, with companions of its features from among some; what it should cost is for a path to say.
    fn model(
        &self,
        params: &Params,
        signatures: Vec<Signature>,
        correction: Correction,
        companions: impl Iterator<Item = usize>,
    ) -> Model {
        let features = signatures.iter().flat_map(Signature::features);
        Model {
            known: self.known(features.map(|feature| feature.name.as_str())),
            companions: match self.classes.len() {
                0..=2 => self.companions(&signatures, companions),
                _ => None,
            },
            task: self.task,
            classes: self.classes.clone(),
            target_scale: self.target_scale,
            training: self.training.clone(),
            parameters: self.parameters(params),
            correction,
            class_intercepts: Vec::new(),
            recalibrations: Vec::new(),
            expected: None,
            share: None,
            full: None,
            judgement: None,
            sizes: Vec::new(),
            covariates: self.covariate_base(),
            signatures,
        }
    }

    /// What the covariates alone tell; its correction is for a path to say.
    fn covariate_base(&self) -> Option<CovariateBase> {
        let rows: Vec<usize> = (0..self.samples).collect();
        let coding = self.coding.clone()?;
        let (alone, noise) = self.covariates_alone(&rows).into_parts();
        Some(CovariateBase {
            coding,
            alone,
            noise,
            correction: Correction::NONE,
        })
    }

    fn fit_signature(
        &self,
        method: Approximation,
        rounds: Rounds,
        taken: &[usize],
        workers: &Workers,
        watch: &mut Watch,
    ) -> Outcome {
        let columns = |values, rows| {
            if taken.is_empty() {
                return Columns::new(values, rows);
            }
            let free = (0..self.names.len()).filter(|d| !taken.contains(d));
            Columns::some(values, rows, free.collect())
        };
        let x = columns(&self.values, self.samples);
        let points = self
            .points
            .as_ref()
            .map(|(values, rows)| columns(values, *rows));
        let z = CandidateRows::new(self.samples, points, self.candidate_rows.clone());
        let tau_held = match (self.task, rounds.tau) {
            (Task::Classification, Tau::Held(tau)) => Some(tau),
            _ => None,
        };
        let hyper = self.hyper(rounds.hyper);
        let latent = Latent::start(self.task, &self.target, &self.weight, hyper, tau_held);
        let names = (0..x.len()).map(|d| &self.names[x.position(d)]);
        let v = start::weights(rounds.start, &x, &self.target, &self.weight, names);
        let state = State::start(x, z, latent, hyper, v, workers);
        let outcome = match method {
            Approximation::Structured(own) => structured::fit(state, |d| self.cost(d), own, watch),
            Approximation::MeanField(own) => mean_field::fit(state, own, watch),
        };
        // A fit that was stopped has no evidence to show yet.
        let likelier = outcome.stop == StopReason::Interrupted
            || outcome.evidence.is_none_or(|evidence| evidence > 0.0);
        if likelier && has_signal(&outcome.moments) {
            return outcome;
        }
        let stop = match outcome.stop {
            StopReason::Breakdown => StopReason::Breakdown,
            _ => StopReason::NoSignal,
        };
        Outcome::empty(self.base_rate(), stop)
    }

    /// Names and orders what an outcome selected.
    pub(crate) fn signature(&self, outcome: Outcome, trace: Vec<Iteration>) -> Signature {
        let order = by_size(&outcome.moments.weights());
        self.signature_in_order(outcome, trace, &order)
    }

    /// The same with the features in a given order.
    fn signature_in_order(
        &self,
        outcome: Outcome,
        trace: Vec<Iteration>,
        feature_order: &[usize],
    ) -> Signature {
        let Outcome {
            moments,
            features,
            candidates,
            weight_sd,
            evidence,
            stop,
        } = outcome;
        let weights = moments.weights();
        let widest = self.widest(&moments, &features);
        let packed = matches!(moments.z, Vectors::Sums(_));
        let scale = |d: usize| match packed {
            true => in_single_precision(self.scales.get(d)),
            false => self.scales.get(d),
        };
        let features: Vec<Feature> = (0..features.len())
            .map(|d| Feature {
                name: self.names[features[d]].to_owned(),
                scale: scale(features[d]),
                range: Some(
                    self.extremes(features[d], packed)
                        .map(|end| scale(features[d]).invert(end)),
                ),
                median: self.medians.as_ref().map(|medians| medians[features[d]]),
                weight: weights[d],
                sd: weight_sd[d],
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
        let vector_order = by_size(&moments.a);
        Signature {
            features: feature_order.iter().map(|&d| features[d].clone()).collect(),
            vectors: vector_order.iter().map(|&m| vectors[m].clone()).collect(),
            moments: moments.reordered(feature_order, &vector_order),
            widest,
            trace,
            evidence,
            stop,
        }
    }

    /// The smallest and largest scaled value of a feature, as exactly as a file will keep them.
    fn extremes(&self, d: usize, packed: bool) -> [f64; 2] {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let wider = |(low, high): (f64, f64), &x: &f64| (low.min(x), high.max(x));
        let (low, high) = self.column(d).iter().fold(ends, wider);
        match packed {
            true => [low, high].map(|end| f64::from(end as f32)),
            false => [low, high],
        }
    }

    /// The largest variance of a training row's score. Not of a full model, for which it takes a pass over the table.
    fn widest(&self, moments: &Moments, features: &[usize]) -> Option<f64> {
        if features.is_empty() || matches!(moments.z, Vectors::Sums(_)) {
            return None;
        }
        let latent = moments.latent();
        let row = |n: usize| -> Vec<f64> {
            let features = features.iter().map(|&d| self.column(d)[n]);
            features.chain(self.covariates_of(n)).collect()
        };
        (0..self.samples)
            .map(|n| latent(&row(n)).1)
            .reduce(f64::max)
    }
}

/// Whether any weight moves a standardised sample's score by more than rounding would.
fn has_signal(moments: &Moments) -> bool {
    let weights = moments.weights();
    let norm: f64 = weights.iter().map(|w| w * w).sum();
    let finite = norm.is_finite() && moments.b.is_finite() && moments.noise.is_finite();
    finite && norm.sqrt() > 1e-6
}
