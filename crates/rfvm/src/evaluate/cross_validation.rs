//! Cross-validation: what a fit is worth on samples it has not seen.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::beside_covariates::added_value;
use super::evaluation::{Evaluation, FoldResult};
use super::metrics;
use super::summarise::summarise;
use crate::data::{Dataset, Folds, Target, Task};
use crate::error::Error;
use crate::inference::prepare::weights;
use crate::numerics::parallel::{lock, start_workers};
use crate::params::{CheckedParams, DataParameters, Parameters, Params};
use crate::posterior::prior::Hyper;

impl CheckedParams {
    /// Cross-validates over the given folds, folds in parallel and one thread a fit. `on_fold` hears how many folds are
    /// done and of how many; a break ends the work with `None`.
    pub fn evaluate(
        &self,
        data: &Dataset,
        folds: &Folds,
        on_fold: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
    ) -> Result<Option<Evaluation>, Error> {
        let jobs: Vec<(usize, usize)> = (0..folds.repeats())
            .flat_map(|repeat| (0..folds.count()).map(move |fold| (repeat, fold)))
            .collect();
        let params = Params {
            threads: Some(1),
            ..self.get().clone()
        }
        .check()?;
        let workers = start_workers(self.get().threads)?;
        let done = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let run = |(repeat, fold): (usize, usize)| -> Result<Option<FoldResult>, Error> {
            if stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let result = one_fold(&params, data, folds, repeat, fold);
            let result = result.inspect_err(|_| stopped.store(true, Ordering::Relaxed))?;
            let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
            if on_fold(finished, jobs.len()).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
            Ok(Some(result))
        };
        // Not rayon's own loop: a thread that waits for its fit would take up another fold meanwhile, and count that one's
        // seconds and memory as its own.
        let results: Vec<Mutex<_>> = jobs.iter().map(|_| Mutex::new(Ok(None))).collect();
        workers.for_each(jobs.iter().zip(&results), |(&job, result)| {
            *lock(result) = run(job);
        });
        let results: Result<Vec<Option<FoldResult>>, Error> = (results.into_iter())
            .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        let results: Option<Vec<FoldResult>> = results?.into_iter().collect();
        let parameters = self.parameters_for(data);
        Ok(results.map(|results| {
            let found = summarise(data, folds, results);
            Evaluation {
                data: Some(data.fingerprint()),
                parameters: Some(parameters),
                added_value: added_value(&found),
                ..found
            }
        }))
    }
}

impl CheckedParams {
    /// What a model of all rows would keep.
    fn parameters_for(&self, data: &Dataset) -> Parameters {
        let task = match data.target() {
            Target::Classes { .. } => Task::Classification,
            Target::Values(_) => Task::Regression,
        };
        let (n, d) = (data.table().samples(), data.table().features());
        let hyper = |given: Option<Hyper>| given.unwrap_or_else(|| Hyper::for_size(task, n, n, d));
        let params = self.get();
        Parameters {
            preprocessing: params.preprocessing,
            method: params.method.kept(hyper),
            data: DataParameters::of(data),
        }
    }
}

fn one_fold(
    params: &CheckedParams,
    data: &Dataset,
    folds: &Folds,
    repeat: usize,
    fold: usize,
) -> Result<FoldResult, Error> {
    let (train, test) = folds.split(repeat, fold);
    let training = data.rows(&train)?;
    let base = base_rate(&training);
    let start = Instant::now();
    let model = match params.fit(training) {
        // What is left may be one group, and nothing of it can be held back whole: the fold itself still is.
        Err(Error::Groups(_)) => params.fit(data.rows(&train)?.without_groups())?,
        fitted => fitted?,
    };
    let fit_seconds = start.elapsed().as_secs_f64();
    let unseen = data.table().rows(&test)?;
    let predictions = model.predict(&unseen)?;
    let covariates_alone = model.predict_covariates_alone(&unseen)?;
    let mut result = FoldResult {
        repeat,
        fold,
        accuracy: None,
        balanced_accuracy: None,
        auc: None,
        log_loss: None,
        brier: None,
        rmse: None,
        r2: None,
        features: model.feature_count(),
        cost: model.cost(),
        vectors: model.vector_count(),
        fit_seconds,
        stop: model.stop_reason(),
        selected: model.needed_features(),
        predicted: Vec::new(),
        log_odds_sd: Vec::new(),
        rows: test.clone(),
        base,
        covariates_alone: covariates_alone.unwrap_or_default(),
        rmse_of_covariates: None,
    };
    match data.target() {
        Target::Classes { labels, .. } => {
            let labels: Vec<usize> = test.iter().map(|&n| labels[n]).collect();
            let probability: Vec<f64> = predictions.iter().filter_map(|p| p.probability).collect();
            result.accuracy = Some(metrics::accuracy(&labels, &probability));
            result.balanced_accuracy = metrics::balanced_accuracy(&labels, &probability);
            result.auc = metrics::auc(&labels, &probability);
            result.log_loss = Some(metrics::log_loss(&labels, &probability));
            result.brier = Some(metrics::brier(&labels, &probability));
            result.predicted = probability;
            let log_odds = predictions.iter().filter_map(|p| p.log_odds);
            result.log_odds_sd = log_odds.map(|log_odds| log_odds.sd).collect();
        }
        Target::Values(values) => {
            let pairs = || {
                test.iter()
                    .zip(&predictions)
                    .map(|(&n, p)| (values[n], p.mean))
            };
            let n = test.len() as f64;
            let mean = pairs().map(|(y, _)| y).sum::<f64>() / n;
            let error: f64 = pairs().map(|(y, p)| (y - p).powi(2)).sum();
            let spread: f64 = pairs().map(|(y, _)| (y - mean).powi(2)).sum();
            result.predicted = predictions.iter().map(|p| p.mean).collect();
            let alone = (test.iter()).zip(&result.covariates_alone);
            let squares = alone.map(|(&row, p)| (values[row] - p).powi(2));
            let of_covariates = (squares.sum::<f64>() / n).sqrt();
            result.rmse_of_covariates =
                (!result.covariates_alone.is_empty()).then_some(of_covariates);
            result.rmse = Some((error / n).sqrt());
            result.r2 = (spread > 0.0).then(|| 1.0 - error / spread);
        }
    }
    Ok(result)
}

/// The share of the positive class, by weight; `None` in a regression.
fn base_rate(data: &Dataset) -> Option<f64> {
    let target: Vec<f64> = data.labels().iter().map(|&label| label as f64).collect();
    let weight = weights(&data.attached, &target);
    let positive: f64 = weight.iter().zip(&target).map(|(w, t)| w * t).sum();
    (!target.is_empty()).then(|| positive / weight.iter().sum::<f64>())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::simulate::Simulation;

    #[test]
    fn a_clear_signal_is_found_in_every_fold_and_threads_change_nothing() {
        let simulation = Simulation {
            samples: 60,
            features: 200,
            informative: 1,
            effect: 4.0,
            ..Simulation::default()
        };
        let data = simulation.draw().unwrap().data;
        let folds = Folds::stratified(data.labels(), None, 5, 2, 1).unwrap();
        let run = |threads| {
            let params = Params {
                threads: Some(threads),
                ..Params::signatures()
            };
            let go_on = |_, _| ControlFlow::Continue(());
            params
                .check()
                .unwrap()
                .evaluate(&data, &folds, go_on)
                .unwrap()
                .unwrap()
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one.accuracy, two.accuracy);
        assert_eq!(one.selection, two.selection);
        assert_eq!(one.selection[0].feature, "gene00001");
        assert_eq!(one.selection[0].frequency, 1.0);
        let accuracy = one.accuracy.unwrap();
        assert!(
            accuracy.mean > 0.9 && accuracy.low <= accuracy.mean && accuracy.mean <= accuracy.high
        );
        assert_eq!(one.results.len(), 10);
        assert!(one.rmse.is_none());
    }

    #[test]
    fn a_break_ends_the_work() {
        let data = Simulation::default().draw().unwrap().data;
        let folds = Folds::stratified(data.labels(), None, 5, 1, 1).unwrap();
        let ended = Params::signatures()
            .check()
            .unwrap()
            .evaluate(&data, &folds, |_, _| ControlFlow::Break(()));
        assert_eq!(ended.unwrap(), None);
    }
}
