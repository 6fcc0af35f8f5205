//! Cross-validation: what a fit is worth on samples it has not seen.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::metrics;
use crate::data::{Dataset, Folds, HeldOut, Provenance, Target, Task};
use crate::error::Error;
use crate::numerics::parallel::{lock, start_workers};
use crate::numerics::stats::mean_and_sd;
use crate::params::{CheckedParams, DataParameters, Parameters, Params};
use crate::posterior::prior::Hyper;
use crate::posterior::trace::StopReason;

/// A mean over folds with its spread and a 95 % interval.
///
/// Folds share training rows, so their results hang together; the interval is the corrected resampled t interval
/// of Nadeau and Bengio, with variance sd² (1/k + n_test/n_train) for k folds in all, cut where the measure ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over the folds.
    pub mean: f64,
    /// Standard deviation over the folds.
    pub sd: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// What one fold gave. Measures that its test rows cannot tell (one class only, say) are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct FoldResult {
    pub repeat: usize,
    pub fold: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Root mean squared error of a regression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Share of the test rows' variance that a regression explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    pub features: usize,
    pub vectors: usize,
    pub fit_seconds: f64,
    pub stop: StopReason,
    /// Features that the fit selected.
    #[serde(default)]
    pub selected: Vec<String>,
    /// The test rows, as positions in [`Evaluation::samples`].
    #[serde(default)]
    pub rows: Vec<usize>,
    /// What the fit said of each of them: the probability of the positive class, or the value of a regression.
    #[serde(default)]
    pub predicted: Vec<f64>,
}

/// How often a feature was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// Name of the feature.
    pub feature: String,
    /// Share of the fits that selected it.
    pub frequency: f64,
}

/// The result of a cross-validation; measures that do not apply to the task are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Evaluation {
    pub n: usize,
    pub d: usize,
    pub repeats: usize,
    pub folds: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<Estimate>,
    /// Mean over repeats, each with all its test rows together; repeats share all their rows, so there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_slope: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<Estimate>,
    pub features: Estimate,
    pub features_percent: Estimate,
    pub vectors: Estimate,
    pub vectors_percent: Estimate,
    pub fit_seconds: Estimate,
    /// Fits that found no signal.
    pub no_signal: usize,
    pub selection: Vec<Selection>,
    pub results: Vec<FoldResult>,
    /// Names of the samples.
    #[serde(default)]
    pub samples: Vec<String>,
    /// [`Dataset::fingerprint`] of the data.
    #[serde(default)]
    pub data: Option<String>,
    /// Names of the negative and the positive class; empty in a regression.
    #[serde(default)]
    pub classes: Vec<String>,
    /// The parameters of the fits.
    #[serde(default)]
    pub parameters: Option<Parameters>,
    /// The same with shuffled targets, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permuted: Vec<Permuted>,
    /// The same with whole batches held out, where there is a column of batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// How the data came about, where whoever read them has said so.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// What the cross-validation of one shuffled data set gave, means over its folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Permuted {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
}

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
        Ok(results.map(|results| Evaluation {
            data: Some(data.fingerprint()),
            parameters: Some(parameters),
            ..summarise(data, folds, results)
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
    let start = Instant::now();
    let model = match params.fit(training) {
        // What is left may be one group, and nothing of it can be held back whole: the fold itself still is.
        Err(Error::Groups(_)) => params.fit(data.rows(&train)?.without_groups())?,
        fitted => fitted?,
    };
    let fit_seconds = start.elapsed().as_secs_f64();
    let predictions = model.predict(&data.table().rows(&test)?)?;
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
        vectors: model.vector_count(),
        fit_seconds,
        stop: model.stop_reason(),
        selected: model.needed_features(),
        predicted: Vec::new(),
        rows: test.clone(),
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
            result.rmse = Some((error / n).sqrt());
            result.r2 = (spread > 0.0).then(|| 1.0 - error / spread);
        }
    }
    Ok(result)
}

fn summarise(data: &Dataset, folds: &Folds, results: Vec<FoldResult>) -> Evaluation {
    let (n, d) = (data.table().samples(), data.table().features());
    // n_test / n_train of equal folds.
    let overlap = 1.0 / (folds.count() as f64 - 1.0);
    let over = |range: (f64, f64), of: &dyn Fn(&FoldResult) -> Option<f64>| {
        estimate(
            &results.iter().filter_map(of).collect::<Vec<_>>(),
            overlap,
            range,
        )
    };
    let (share, above_zero) = ((0.0, 1.0), (0.0, f64::INFINITY));
    let count = |of: &dyn Fn(&FoldResult) -> f64| {
        over(above_zero, &|result| Some(of(result))).unwrap_or(Estimate::ZERO)
    };
    let training = n as f64 * (1.0 - 1.0 / folds.count() as f64);
    let slopes: Vec<f64> = (0..folds.repeats())
        .filter_map(|repeat| {
            let labels = data.labels();
            (!labels.is_empty()).then_some(())?;
            let of_repeat = results.iter().filter(|result| result.repeat == repeat);
            let pairs = of_repeat.flat_map(|r| r.rows.iter().zip(&r.predicted));
            let (labels, probability): (Vec<usize>, Vec<f64>) =
                pairs.map(|(&row, &p)| (labels[row], p)).unzip();
            metrics::calibration_slope(&labels, &probability)
        })
        .collect();
    Evaluation {
        n,
        d,
        repeats: folds.repeats(),
        folds: folds.count(),
        accuracy: over(share, &|r| r.accuracy),
        balanced_accuracy: over(share, &|r| r.balanced_accuracy),
        auc: over(share, &|r| r.auc),
        log_loss: over(above_zero, &|r| r.log_loss),
        brier: over(share, &|r| r.brier),
        calibration_slope: (!slopes.is_empty())
            .then(|| slopes.iter().sum::<f64>() / slopes.len() as f64),
        rmse: over(above_zero, &|r| r.rmse),
        r2: over((f64::NEG_INFINITY, 1.0), &|r| r.r2),
        features: count(&|r| r.features as f64),
        features_percent: count(&|r| 100.0 * r.features as f64 / d as f64),
        vectors: count(&|r| r.vectors as f64),
        vectors_percent: count(&|r| 100.0 * r.vectors as f64 / training),
        fit_seconds: count(&|r| r.fit_seconds),
        no_signal: results
            .iter()
            .filter(|r| r.stop == StopReason::NoSignal)
            .count(),
        selection: selection(&results),
        results,
        samples: data.table().sample_names().to_vec(),
        data: None,
        classes: match data.target() {
            Target::Classes { names, .. } => names.clone(),
            Target::Values(_) => Vec::new(),
        },
        parameters: None,
        permuted: Vec::new(),
        held_out: None,
        provenance: Provenance::default(),
    }
}

/// How often each feature was selected, most often first, ties by name.
fn selection(results: &[FoldResult]) -> Vec<Selection> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in results.iter().flat_map(|result| &result.selected) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let share = |(feature, count): (&str, usize)| Selection {
        feature: feature.to_string(),
        frequency: count as f64 / results.len() as f64,
    };
    counts.into_iter().map(share).collect()
}

impl Estimate {
    const ZERO: Self = Self {
        mean: 0.0,
        sd: 0.0,
        low: 0.0,
        high: 0.0,
    };
}

fn estimate(values: &[f64], overlap: f64, range: (f64, f64)) -> Option<Estimate> {
    let k = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let (mean, sd) = mean_and_sd(values);
    let reach = if values.len() > 1 {
        t_quantile(k - 1.0) * sd * (1.0 / k + overlap).sqrt()
    } else {
        0.0
    };
    Some(Estimate {
        mean,
        sd,
        low: (mean - reach).max(range.0),
        high: (mean + reach).min(range.1),
    })
}

/// The 97.5 % quantile of Student's t, by bisection on the integral of its density (Simpson's rule).
fn t_quantile(freedom: f64) -> f64 {
    use crate::numerics::special::ln_gamma;
    let constant = (ln_gamma(0.5 * (freedom + 1.0)) - ln_gamma(0.5 * freedom)).exp()
        / (freedom * std::f64::consts::PI).sqrt();
    let density = |x: f64| constant * (1.0 + x * x / freedom).powf(-0.5 * (freedom + 1.0));
    let above_zero = |to: f64| {
        let steps = 2000;
        let width = to / steps as f64;
        let inner: f64 = (1..steps)
            .map(|i| density(i as f64 * width) * if i % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        width / 3.0 * (density(0.0) + inner + density(to))
    };
    let (mut low, mut high) = (1.0, 13.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if above_zero(middle) < 0.475 {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::simulate::Simulation;

    #[test]
    fn quantiles_agree_with_the_tables() {
        for (freedom, table) in [
            (1.0, 12.706),
            (4.0, 2.776),
            (9.0, 2.262),
            (49.0, 2.010),
            (1e6, 1.960),
        ] {
            assert!((t_quantile(freedom) - table).abs() < 6e-4, "{freedom}");
        }
    }

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
