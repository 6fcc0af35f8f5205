//! The cross-validation behind the signature path: what each size and precision would have cost on rows not seen.
//!
//! Held back means a weight of 0. What knows the labels (the order of entry, weights, precision, correction) is learned
//! without the rows it is judged on; the features' scales and medians, which do not, are those of all rows, so that one
//! table in memory serves every fold.

use crate::calibrate::Correction;
use crate::error::Error;
use crate::folds::Folds;
use crate::forward::Road;
use crate::latent::Task;
use crate::metrics::mean_and_sd;
use crate::path::{Expected, PRECISIONS};
use crate::prepare::Prepared;
use crate::ridge::loss;

const FOLDS: usize = 5;
/// Few rows make noisy folds, so they are drawn more often.
const ROWS_IN_ALL: usize = 400;
const MAX_REPEATS: usize = 4;
/// The folds are part of the method: the same data give the same path.
const SEED: u64 = 1;

/// The folds of a data set.
pub(crate) struct Plan {
    folds: Folds,
    jobs: Vec<(usize, usize)>,
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
    /// How much more point i costs than point j, and the standard error of that over the rows.
    pub(crate) fn behind(&self, i: usize, j: usize) -> (f64, f64) {
        difference(&self.row_losses[i], &self.row_losses[j])
    }

    /// The point of lowest loss among some.
    pub(crate) fn best(&self, among: impl Iterator<Item = usize>) -> Option<usize> {
        let loss = |i: usize| self.expected[i].loss;
        among.min_by(|&a, &b| loss(a).total_cmp(&loss(b)))
    }
}

fn difference(of: &[f64], from: &[f64]) -> (f64, f64) {
    let rows = of.iter().zip(from).map(|(of, from)| of - from);
    mean_and_se(&rows.collect::<Vec<_>>())
}

fn mean_and_se(values: &[f64]) -> (f64, f64) {
    let (mean, sd) = mean_and_sd(values);
    (mean, sd / (values.len() as f64).sqrt())
}

impl Plan {
    /// `None` where the rows are too few to hold some back.
    pub(crate) fn new(data: &Prepared) -> Result<Option<Self>, Error> {
        let strata: Vec<usize> = match data.task {
            Task::Classification => data.target.iter().map(|&t| t as usize).collect(),
            Task::Regression => vec![0; data.samples],
        };
        let smallest = match data.training.class_counts.iter().min() {
            Some(&smallest) => smallest,
            None => data.samples / 2,
        };
        let groups = data.groups.as_deref();
        let distinct = groups.map(|g| g.iter().collect::<std::collections::HashSet<_>>().len());
        let count = FOLDS.min(smallest).min(distinct.unwrap_or(FOLDS));
        // Two of a class must stay for training.
        if smallest < 3 || count < 2 {
            return Ok(None);
        }
        let repeats = ROWS_IN_ALL.div_ceil(data.samples).min(MAX_REPEATS);
        let folds = Folds::stratified(&strata, groups, count, repeats, SEED)?;
        let jobs = (0..repeats)
            .flat_map(|repeat| (0..count).map(move |fold| (repeat, fold)))
            .collect();
        Ok(Some(Self { folds, jobs }))
    }

    /// A road for every fold.
    pub(crate) fn roads(&self, data: &Prepared) -> impl Iterator<Item = Road> {
        self.jobs.iter().map(|&(repeat, fold)| {
            let mut weight = data.weight.clone();
            for n in self.folds.split(repeat, fold).1 {
                weight[n] = 0.0;
            }
            Road::new(weight)
        })
    }

    /// Fits every size with every precision on the features that entered in one fold and scores its test rows.
    pub(crate) fn scores(
        &self,
        data: &Prepared,
        job: usize,
        road: &Road,
        sizes: &[usize],
    ) -> FoldScores {
        let (repeat, fold) = self.jobs[job];
        let (_, rows) = self.folds.split(repeat, fold);
        let total: f64 = road.weight.iter().sum();
        let positive: f64 = (road.weight.iter().zip(&data.target))
            .map(|(weight, target)| weight * target)
            .sum();
        let base = match data.task {
            Task::Regression => positive / total,
            // One observation's worth of doubt keeps a class that is not there possible.
            Task::Classification => ((positive + 0.5) / (total - positive + 0.5)).ln(),
        };
        // Groups can leave a fold's training rows with one class: the base rate is all they tell.
        let one_class = data.task == Task::Classification
            && (positive == 0.0 || total - positive <= 1e-12 * total);
        let mut scores = Vec::with_capacity(sizes.len() * PRECISIONS.len() * rows.len());
        if one_class || total == 0.0 {
            scores.resize(scores.capacity(), base);
            return FoldScores { rows, scores, base };
        }
        for &size in sizes {
            let ridge = data.ridge(&road.order[..size], &road.weight);
            let mut coefficients = Vec::new();
            for precision in PRECISIONS {
                coefficients = ridge.solve(precision * total, &coefficients);
                let all = ridge.scores(&coefficients);
                scores.extend(rows.iter().map(|&n| all[n]));
            }
        }
        FoldScores { rows, scores, base }
    }

    /// Picks λ and the correction of every size and estimates what every point costs. A row is judged with the λ and the
    /// correction that the other folds of its repeat would have picked.
    pub(crate) fn judge(
        &self,
        data: &Prepared,
        folds: &[FoldScores],
        sizes: &[usize],
        window: usize,
    ) -> Crossing {
        let kinds = PRECISIONS.len();
        let row_loss =
            |n: usize, score: f64| data.weight[n] * loss(data.task, data.target[n], score);
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
        let samples = data.samples;
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
            if data.task == Task::Regression {
                return Correction::NONE;
            }
            let mut rows = Vec::new();
            for f in (0..folds.len()).filter(|&f| of(f)) {
                let scores = averaged[f][size].iter().zip(&folds[f].rows);
                rows.extend(scores.map(|(&score, &n)| (score, data.target[n], data.weight[n])));
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
        let unit = samples as f64 / data.weight.iter().sum::<f64>();
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
