//! The cross-validation behind the signature path: what each size and precision would have cost on rows not seen.

use std::sync::atomic::AtomicBool;

use crate::calibrate::Correction;
use crate::dataset::{Dataset, Target};
use crate::error::Error;
use crate::folds::Folds;
use crate::latent::Task;
use crate::params::Params;
use crate::path::{Expected, PRECISIONS};
use crate::prepare::{Prepared, numeric_target, weights};
use crate::ridge::loss;
use crate::table::{Table, transformed};
use crate::{forward, scale::Scale};

const FOLDS: usize = 5;
/// Few rows make noisy folds, so they are drawn more often.
const ROWS_IN_ALL: usize = 400;
const MAX_REPEATS: usize = 4;
/// The folds are part of the method: the same data give the same path.
const SEED: u64 = 1;

/// The folds and what their rows are judged by.
pub(crate) struct Plan {
    folds: Folds,
    pub(crate) jobs: Vec<(usize, usize)>,
    task: Task,
    target: Vec<f64>,
    target_scale: Scale,
    weight: Vec<f64>,
}

/// Scores of one fold's test rows for every size and precision, and those of the base rate.
pub(crate) struct FoldScores {
    rows: Vec<usize>,
    /// [size][precision][row]
    scores: Vec<f64>,
    base: f64,
}

/// What the folds showed.
pub(crate) struct Crossing {
    /// λ for each size, in units of the rows' total weight.
    pub(crate) precision: Vec<f64>,
    pub(crate) expected: Vec<Expected>,
    /// How each size's scores are corrected.
    pub(crate) correction: Vec<Correction>,
    /// What every row costs, by size.
    row_losses: Vec<Vec<f64>>,
}

impl Crossing {
    /// `None` where the rows are too few to hold some back.
    pub(crate) fn plan(params: &Params, data: &Dataset) -> Result<Option<Plan>, Error> {
        let (task, _, target, target_scale, counts) = numeric_target(data.target().clone())?;
        let weight = weights(params, task, &target, &counts)?;
        let zeros = vec![0; target.len()];
        let (strata, smallest) = match data.target() {
            Target::Classes { labels, .. } => (labels, counts.iter().copied().min().unwrap_or(0)),
            Target::Values(values) => (&zeros, values.len() / 2),
        };
        let groups = params.groups.as_deref();
        let distinct = groups.map(|g| g.iter().collect::<std::collections::HashSet<_>>().len());
        let count = FOLDS.min(smallest).min(distinct.unwrap_or(FOLDS));
        // Two of a class must stay for training.
        if smallest < 3 || count < 2 {
            return Ok(None);
        }
        let repeats = ROWS_IN_ALL.div_ceil(target.len()).min(MAX_REPEATS);
        let folds = Folds::stratified(strata, groups, count, repeats, SEED)?;
        let jobs = (0..repeats)
            .flat_map(|repeat| (0..count).map(move |fold| (repeat, fold)))
            .collect();
        Ok(Some(Plan {
            folds,
            jobs,
            task,
            target,
            target_scale,
            weight,
        }))
    }

    /// How much more point i costs than point j, and the standard error of that over the rows.
    pub(crate) fn behind(&self, i: usize, j: usize) -> (f64, f64) {
        difference(&self.row_losses[i], &self.row_losses[j])
    }
}

fn difference(of: &[f64], from: &[f64]) -> (f64, f64) {
    let rows = of.iter().zip(from).map(|(of, from)| of - from);
    mean_and_se(&rows.collect::<Vec<_>>())
}

fn mean_and_se(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n * (n - 1.0).max(1.0))).sqrt())
}

impl Plan {
    /// Goes the whole road on the training rows of one fold and scores its test rows.
    pub(crate) fn scores(
        &self,
        params: &Params,
        data: &Dataset,
        sizes: &[usize],
        (repeat, fold): (usize, usize),
        stop: &AtomicBool,
    ) -> Option<FoldScores> {
        let (train, rows) = self.folds.split(repeat, fold);
        let kinds = sizes.len() * PRECISIONS.len();
        match self.road(params, data, sizes, &train, &rows, stop) {
            Ok(scores) => scores,
            // Groups can leave a fold's training rows with one class or constant features: the base rate is all they
            // tell.
            Err(_) => {
                let base = self.base_score(&train);
                Some(FoldScores {
                    scores: vec![base; kinds * rows.len()],
                    rows,
                    base,
                })
            }
        }
    }

    fn base_score(&self, train: &[usize]) -> f64 {
        let total: f64 = train.iter().map(|&n| self.weight[n]).sum();
        let mean = train
            .iter()
            .map(|&n| self.weight[n] * self.target[n])
            .sum::<f64>()
            / total;
        match self.task {
            Task::Regression => mean,
            // One observation's worth of doubt keeps a class that is not there possible.
            Task::Classification => ((mean * total + 0.5) / ((1.0 - mean) * total + 0.5)).ln(),
        }
    }

    fn road(
        &self,
        params: &Params,
        data: &Dataset,
        sizes: &[usize],
        train: &[usize],
        rows: &[usize],
        stop: &AtomicBool,
    ) -> Result<Option<FoldScores>, Error> {
        let mut params = params.clone();
        let own = |weights: &Vec<f64>| train.iter().map(|&n| weights[n]).collect();
        params.sample_weight = params.sample_weight.as_ref().map(own);
        let prepared = Prepared::new(&params.without_candidates(), data.rows(train)?)?;
        let most = sizes.last().copied().unwrap_or(0);
        let Some(order) = forward::order(&prepared, most, stop) else {
            return Ok(None);
        };
        let test = prepared.scaled_columns(&params, &order, data.table(), rows)?;
        let total: f64 = prepared.weight.iter().sum();
        let mut scores = Vec::with_capacity(sizes.len() * PRECISIONS.len() * rows.len());
        for &size in sizes {
            let size = size.min(order.len());
            let ridge = prepared.ridge(&order[..size]);
            let mut coefficients = Vec::new();
            for precision in PRECISIONS {
                coefficients = ridge.solve(precision * total, &coefficients);
                let from = scores.len();
                scores.resize(from + rows.len(), coefficients[0]);
                for (column, weight) in test[..size].iter().zip(&coefficients[1..]) {
                    let these = scores[from..].iter_mut().zip(column);
                    these.for_each(|(score, x)| *score += weight * x);
                }
            }
        }
        // A regression's scores are in units of its own training rows.
        let (own, all) = (prepared.target_scale, self.target_scale);
        for score in &mut scores {
            *score = (own.mean + own.sd * *score - all.mean) / all.sd;
        }
        Ok(Some(FoldScores {
            rows: rows.to_vec(),
            scores,
            base: self.base_score(train),
        }))
    }

    /// Picks λ and the correction of every size and estimates what every point costs. A row is judged with the λ and the
    /// correction that the other folds of its repeat would have picked.
    pub(crate) fn judge(&self, folds: &[FoldScores], sizes: &[usize], window: usize) -> Crossing {
        let kinds = PRECISIONS.len();
        let row_loss =
            |n: usize, score: f64| self.weight[n] * loss(self.task, self.target[n], score);
        // Total loss of every fold by size and precision.
        let totals: Vec<Vec<f64>> = folds
            .iter()
            .map(|fold| {
                let blocks = fold.scores.chunks_exact(fold.rows.len());
                let total = |block: &[f64]| {
                    fold.rows
                        .iter()
                        .zip(block)
                        .map(|(&n, &s)| row_loss(n, s))
                        .sum()
                };
                blocks.map(total).collect()
            })
            .collect();
        let pick = |size: usize, of: &dyn Fn(usize) -> bool| {
            let total = |p: &usize| -> f64 {
                let kind = size * kinds + p;
                (0..folds.len())
                    .filter(|&f| of(f))
                    .map(|f| totals[f][kind])
                    .sum()
            };
            (0..kinds)
                .min_by(|a, b| total(a).total_cmp(&total(b)))
                .unwrap_or(0)
        };
        let samples = self.target.len();
        let repeats = self.folds.repeats() as f64;
        let same_repeat = |f: usize, other: usize| self.jobs[other].0 == self.jobs[f].0;
        // Scores of every fold's rows by size, averaged over the window.
        let averaged: Vec<Vec<Vec<f64>>> = (0..folds.len())
            .map(|f| {
                let fold = &folds[f];
                let picked: Vec<usize> = (0..sizes.len())
                    .map(|size| pick(size, &|other| other != f && same_repeat(f, other)))
                    .collect();
                let rows = fold.rows.len();
                let score =
                    |size: usize, i: usize| fold.scores[(size * kinds + picked[size]) * rows + i];
                let mean = |size: usize, i: usize| {
                    let members = (size + 1).saturating_sub(window)..=size;
                    let count = members.clone().count() as f64;
                    members.map(|s| score(s, i)).sum::<f64>() / count
                };
                let of_size = |size: usize| (0..rows).map(|i| mean(size, i)).collect();
                (0..sizes.len()).map(of_size).collect()
            })
            .collect();
        let correct = |size: usize, of: &dyn Fn(usize) -> bool, repeats: f64| {
            if self.task == Task::Regression {
                return Correction::NONE;
            }
            let mut rows = Vec::new();
            for f in (0..folds.len()).filter(|&f| of(f)) {
                let scores = averaged[f][size].iter().zip(&folds[f].rows);
                rows.extend(scores.map(|(&score, &n)| (score, self.target[n], self.weight[n])));
            }
            Correction::learn(&rows, repeats)
        };
        let (mut row_losses, mut base) =
            (vec![vec![0.0; samples]; sizes.len()], vec![0.0; samples]);
        for (f, fold) in folds.iter().enumerate() {
            for (size, losses) in row_losses.iter_mut().enumerate() {
                let others = |other: usize| other != f && same_repeat(f, other);
                let correction = correct(size, &others, 1.0);
                for (&n, &score) in fold.rows.iter().zip(&averaged[f][size]) {
                    losses[n] += row_loss(n, correction.apply(score)) / repeats;
                }
            }
            for &n in &fold.rows {
                base[n] += row_loss(n, fold.base) / repeats;
            }
        }
        // Weights of mean 1, so that a row's loss is on the scale of the mean.
        let unit = samples as f64 / self.weight.iter().sum::<f64>();
        for losses in row_losses.iter_mut().chain([&mut base]) {
            losses.iter_mut().for_each(|loss| *loss *= unit);
        }
        let base_loss = mean_and_se(&base).0;
        let expected = row_losses.iter().map(|losses| {
            let (loss, se) = mean_and_se(losses);
            Expected {
                loss,
                se,
                base: base_loss,
                gain_se: difference(&base, losses).1,
            }
        });
        Crossing {
            precision: (0..sizes.len())
                .map(|size| PRECISIONS[pick(size, &|_| true)])
                .collect(),
            correction: (0..sizes.len())
                .map(|size| correct(size, &|_| true, repeats))
                .collect(),
            expected: expected.collect(),
            row_losses,
        }
    }
}

impl Prepared {
    /// Features of other rows on the scale of these.
    fn scaled_columns(
        &self,
        params: &Params,
        features: &[usize],
        table: &Table,
        rows: &[usize],
    ) -> Result<Vec<Vec<f64>>, Error> {
        let names: Vec<String> = features.iter().map(|&d| self.names[d].clone()).collect();
        let positions = table.find_features(&names)?;
        let scaled = |(&d, position): (&usize, usize)| {
            let column = transformed(table, position, params.transform)?;
            let known = |value: f64| match &self.medians {
                Some(medians) if value.is_nan() => medians[d],
                _ => value,
            };
            Ok(rows
                .iter()
                .map(|&n| self.scales[d].apply(known(column[n])))
                .collect())
        };
        features.iter().zip(positions).map(scaled).collect()
    }
}
