//! What the full model and every small one say of rows that they did not know: losses, explained shares, corrections.
//!
//! The data are cut into folds, and the whole road (full posterior, order of entry, small models) is gone without the rows
//! of each. What knows the labels is learned without the rows it is judged on; the features' scales and medians, which do
//! not, are those of all rows, so that one table in memory serves every fold. A row's scores are corrected by what the
//! other folds of its repeat show, so that no correction is judged on the rows it was learned from.

use super::order::by_values;
use crate::data::{Folds, Task};
use crate::error::Error;
use crate::inference::prepare::Prepared;
use crate::numerics::special::{log1p_exp, sigmoid};
use crate::numerics::stats::mean_and_sd;
use crate::params::Projected;
use crate::posterior::correction::Correction;

/// The folds are part of the method: the same data give the same model.
const SEED: u64 = 1;

/// The folds of a data set.
pub(crate) struct Plan {
    /// Over the rows in the order of their values.
    folds: Folds,
    order: Vec<usize>,
    jobs: Vec<(usize, usize)>,
}

/// What was said of one fold's held-back rows: moderated scores of the full model and of every small one.
pub(crate) struct Said {
    pub(crate) rows: Vec<usize>,
    /// What the base gives them: the rate of the fold's training rows, or what covariates tell by these.
    pub(crate) base: Vec<f64>,
    /// [model][row]; the full model first, then the small ones by size.
    pub(crate) scores: Vec<Vec<f64>>,
}

impl Plan {
    /// `None` where the rows are too few to hold some back.
    pub(crate) fn new(params: &Projected, data: &Prepared) -> Result<Option<Self>, Error> {
        let order = by_values(data);
        let strata: Vec<usize> = match data.task {
            Task::Classification => order.iter().map(|&n| data.target[n] as usize).collect(),
            Task::Regression => vec![0; data.samples],
        };
        // Of several classes two must be there in every fold; rarer ones may be absent.
        let mut counts = data.training.class_counts.clone();
        counts.sort_unstable();
        let smallest = match counts.iter().rev().nth(1) {
            Some(&smallest) => smallest,
            None => data.samples / 2,
        };
        let groups: Option<Vec<usize>> =
            (data.groups.as_ref()).map(|groups| order.iter().map(|&n| groups[n]).collect());
        let groups = groups.as_deref();
        let independent = data.independent();
        let count = params.folds.min(smallest).min(independent);
        if groups.is_some() && independent == 1 {
            return Err(Error::Groups("all samples are in one"));
        }
        // Two of a class must stay for training.
        if smallest < 3 || count < 2 {
            return Ok(None);
        }
        // Few rows make noisy folds, so they are drawn more often.
        let repeats = params.held_back_rows.div_ceil(data.samples);
        let repeats = repeats.clamp(1, params.most_repeats);
        let folds = Folds::stratified(&strata, groups, count, repeats, SEED)?;
        let jobs = (0..repeats)
            .flat_map(|repeat| (0..count).map(move |fold| (repeat, fold)))
            .collect();
        let plan = Self { folds, order, jobs };
        if groups.is_some() && !plan.can_learn(data) {
            return Err(Error::Groups(
                "they go with the classes, so that without some of them one class is gone",
            ));
        }
        Ok(Some(plan))
    }

    /// Whether some fold leaves rows of both classes to learn from.
    fn can_learn(&self, data: &Prepared) -> bool {
        (0..self.len()).any(|job| data.has_two_classes(&self.split(job).0))
    }

    /// How many folds there are in all repeats.
    pub(crate) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Training and held-back rows of a fold.
    pub(crate) fn split(&self, job: usize) -> (Vec<usize>, Vec<usize>) {
        let (repeat, fold) = self.jobs[job];
        let (learned, held) = self.folds.split(repeat, fold);
        let rows = |places: Vec<usize>| {
            let mut rows: Vec<usize> = places.into_iter().map(|place| self.order[place]).collect();
            rows.sort_unstable();
            rows
        };
        (rows(learned), rows(held))
    }

    /// The rows in the order of their values, by which folds and shuffles go.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Platt's correction of scores of held-back rows, as other folds of the same repeat have it, or for `None` as all do;
    /// `scores` gives those of a fold's held-back rows. `firmness` is that of one repeat.
    pub(super) fn correction<'s>(
        &self,
        data: &Prepared,
        without: Option<usize>,
        firmness: f64,
        scores: impl Fn(usize) -> &'s [f64],
    ) -> Correction {
        let (folds, repeats) = self.teachers(without);
        let mut rows = Vec::new();
        for fold in folds {
            let (_, held) = self.split(fold);
            let said = scores(fold).iter().zip(held);
            rows.extend(said.map(|(&score, n)| (score, data.target[n], data.weight[n])));
        }
        Correction::learn(data.task, &rows, firmness * repeats as f64)
    }

    /// What other folds of the same repeat show, or for `None` all do: the folds, and how many repeats they are.
    pub(super) fn teachers(&self, without: Option<usize>) -> (Vec<usize>, usize) {
        match without {
            None => ((0..self.len()).collect(), self.folds.repeats()),
            Some(fold) => (self.others(fold).collect(), 1),
        }
    }

    /// By how many standard errors of chance all folds together are ordered better than by chance, from each fold's excess
    /// and the variance of that.
    pub(super) fn detection(&self, folds: impl Iterator<Item = (f64, f64)>) -> f64 {
        let repeats = self.folds.repeats() as f64;
        let (excess, variance) = folds.fold((0.0, 0.0), |sum, (excess, variance)| {
            (sum.0 + excess / repeats, sum.1 + variance / repeats)
        });
        match variance > 0.0 {
            true => excess / variance.sqrt(),
            false => 0.0,
        }
    }

    fn repeat(&self, job: usize) -> usize {
        self.jobs[job].0
    }

    /// Folds of the same repeat, but for this one.
    fn others(&self, job: usize) -> impl Iterator<Item = usize> + '_ {
        let repeat = self.repeat(job);
        (0..self.jobs.len()).filter(move |&other| other != job && self.repeat(other) == repeat)
    }
}

/// What one fold's rows cost, and how far each model is from the full one.
pub(super) struct FoldLosses {
    pub(super) rows: Vec<usize>,
    /// [model][row]: loss, and divergence from the full model, each times the row's weight.
    pub(super) loss: Vec<Vec<f64>>,
    pub(super) divergence: Vec<Vec<f64>>,
    pub(super) base_loss: Vec<f64>,
    pub(super) base_divergence: Vec<f64>,
}

/// What the folds showed.
pub(crate) struct HeldBack<C = Correction> {
    pub(super) plan: Plan,
    pub(super) folds: Vec<FoldLosses>,
    /// How each model's scores are corrected: the full one's, then those by size.
    pub(crate) correction: Vec<C>,
    /// That of the covariates' own scores; none where there are none.
    pub(crate) base_correction: C,
    /// How many standard errors of chance the full model's order of the rows is from chance.
    pub(crate) detection: f64,
}

/// Losses of some folds' rows, each averaged over the repeats in which it was held back, and the explained shares.
pub(crate) struct Seen {
    /// [model][row]; the full model first.
    pub(crate) loss: Vec<Vec<f64>>,
    pub(crate) base: Vec<f64>,
    /// E of every small model.
    pub(crate) share: Vec<f64>,
}

impl HeldBack {
    pub(crate) fn new(data: &Prepared, plan: Plan, said: &[Said], firmness: f64) -> Self {
        let models = said.first().map_or(0, |fold| fold.scores.len());
        let learn = |model: usize, without: Option<usize>| {
            plan.correction(data, without, firmness, |job| &said[job].scores[model])
        };
        // Weights of mean 1, so that a row's loss is on the scale of the mean.
        let unit = data.samples as f64 / data.weight.iter().sum::<f64>();
        let folds = (0..said.len()).map(|job| {
            let fold = &said[job];
            let weight = |n: usize| unit * data.weight[n];
            let corrected: Vec<Vec<f64>> = (0..models)
                .map(|model| {
                    let correction = learn(model, Some(job));
                    let scores = fold.scores[model].iter();
                    scores.map(|&score| correction.apply(score)).collect()
                })
                .collect();
            let losses = |scores: &[f64]| -> Vec<f64> {
                let rows = fold.rows.iter().zip(scores);
                rows.map(|(&n, &score)| weight(n) * loss(data.task, data.target[n], score))
                    .collect()
            };
            let divergences = |scores: &[f64]| -> Vec<f64> {
                let rows = fold.rows.iter().zip(&corrected[0]).zip(scores);
                rows.map(|((&n, &full), &score)| weight(n) * divergence(data.task, full, score))
                    .collect()
            };
            // Covariates get the correction that every model gets; a rate needs none.
            let base: Vec<f64> = match data.has_covariates() {
                true => {
                    let correction =
                        plan.correction(data, Some(job), firmness, |job| &said[job].base);
                    fold.base
                        .iter()
                        .map(|&score| correction.apply(score))
                        .collect()
                }
                false => fold.base.clone(),
            };
            FoldLosses {
                rows: fold.rows.clone(),
                loss: corrected.iter().map(|scores| losses(scores)).collect(),
                divergence: corrected.iter().map(|scores| divergences(scores)).collect(),
                base_loss: losses(&base),
                base_divergence: divergences(&base),
            }
        });
        let folds = folds.collect();
        let correction = (0..models).map(|model| learn(model, None)).collect();
        let base_correction = match data.has_covariates() {
            true => plan.correction(data, None, firmness, |job| &said[job].base),
            false => Correction::NONE,
        };
        let detection = plan.detection(said.iter().map(|fold| detect(data, fold)));
        Self {
            plan,
            folds,
            correction,
            base_correction,
            detection,
        }
    }
}

impl<C> HeldBack<C> {
    /// What all folds showed.
    pub(crate) fn all(&self) -> Seen {
        self.seen(0..self.folds.len())
    }

    /// Every row's mean over those folds in which it was held back; `of` gives the values of a fold's rows.
    fn row_means(&self, jobs: &[usize], of: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
        let mut means = vec![(0.0, 0.0); self.plan.order.len()];
        for &job in jobs {
            for (&n, value) in self.folds[job].rows.iter().zip(of(job)) {
                means[n].0 += value;
                means[n].1 += 1.0;
            }
        }
        let seen = means.into_iter().filter(|(_, times)| *times > 0.0);
        seen.map(|(sum, times)| sum / times).collect()
    }

    fn seen(&self, jobs: impl Iterator<Item = usize>) -> Seen {
        let jobs: Vec<usize> = jobs.collect();
        let models = self.folds.first().map_or(0, |fold| fold.loss.len());
        let total = |of: &dyn Fn(usize) -> f64| -> f64 { jobs.iter().map(|&job| of(job)).sum() };
        let whole = total(&|job| self.folds[job].base_divergence.iter().sum());
        let share = |model: usize| {
            let lost = total(&|job| self.folds[job].divergence[model].iter().sum());
            // A full model that says no more than the base rate has nothing to be explained.
            if whole > 0.0 { 1.0 - lost / whole } else { 0.0 }
        };
        Seen {
            loss: (0..models)
                .map(|model| self.row_means(&jobs, |job| self.folds[job].loss[model].clone()))
                .collect(),
            base: self.row_means(&jobs, |job| self.folds[job].base_loss.clone()),
            share: (1..models).map(share).collect(),
        }
    }

    /// What a rule that picks a model costs on rows that had no part in the picking, row by row.
    pub(crate) fn cost_of_choice(&self, pick: impl Fn(&Seen) -> usize) -> Vec<f64> {
        let jobs: Vec<usize> = (0..self.folds.len()).collect();
        self.row_means(&jobs, |job| {
            let model = pick(&self.seen(self.plan.others(job)));
            self.folds[job].loss[model].clone()
        })
    }
}

/// The mean of some rows' values and its standard error.
pub(crate) fn mean_and_se(values: &[f64]) -> (f64, f64) {
    let (mean, sd) = mean_and_sd(values);
    (mean, sd / (values.len() as f64).sqrt())
}

/// How much more some rows cost here than there, and the standard error of that.
pub(crate) fn difference(of: &[f64], from: &[f64]) -> (f64, f64) {
    let rows = of.iter().zip(from).map(|(of, from)| of - from);
    mean_and_se(&rows.collect::<Vec<_>>())
}

/// -ln p(t | score) in nats, or half the squared error.
fn loss(task: Task, target: f64, score: f64) -> f64 {
    match task {
        Task::Classification => log1p_exp(score) - target * score,
        Task::Regression => 0.5 * (target - score).powi(2),
    }
}

/// The Kullback-Leibler divergence of what two scores predict, the first taken as true; in a regression half the squared
/// difference, which it is in units of the noise.
fn divergence(task: Task, truth: f64, score: f64) -> f64 {
    match task {
        Task::Classification => {
            let p = sigmoid(truth);
            let gap = log1p_exp(score) - log1p_exp(truth) - p * (score - truth);
            gap.max(0.0)
        }
        Task::Regression => 0.5 * (truth - score).powi(2),
    }
}

/// The same where the question is what the features add: do the scores' changes go with what the covariates leave
/// unexplained? Of the changes only what the covariates do not tell counts.
fn beyond_covariates(data: &Prepared, fold: &Said) -> (f64, f64) {
    let rows = fold.scores[0].iter().zip(&fold.base).zip(&fold.rows);
    let rows: Vec<(f64, f64, f64)> = rows
        .map(|((full, base), &n)| {
            let (told, variance) = match data.task {
                Task::Classification => (sigmoid(*base), sigmoid(*base) * (1.0 - sigmoid(*base))),
                Task::Regression => (*base, 1.0),
            };
            (full - base, data.target[n] - told, variance)
        })
        .collect();
    let total: f64 = rows.iter().map(|row| row.2).sum();
    let mean = rows.iter().map(|row| row.0 * row.2).sum::<f64>() / total.max(f64::MIN_POSITIVE);
    let residuals = rows.iter().map(|row| row.1 * row.1).sum::<f64>() / rows.len().max(1) as f64;
    let unit = match data.task {
        Task::Classification => 1.0,
        Task::Regression => residuals,
    };
    let excess = rows.iter().map(|row| (row.0 - mean) * row.1).sum();
    let variance: f64 = rows.iter().map(|row| (row.0 - mean).powi(2) * row.2).sum();
    (excess, unit * variance)
}

/// By how much the full model orders a fold's rows better than chance would, and the variance of that under chance:
/// the (weighted) Mann-Whitney statistic of two classes, or the covariance of scores and targets.
fn detect(data: &Prepared, fold: &Said) -> (f64, f64) {
    let scores = &fold.scores[0];
    if data.has_covariates() {
        return beyond_covariates(data, fold);
    }
    match data.task {
        Task::Classification => {
            let class = |wanted: bool| {
                let rows = fold.rows.iter().zip(scores);
                rows.filter(move |(n, _)| (data.target[**n] > 0.5) == wanted)
                    .map(|(_, &score)| score)
                    .collect::<Vec<f64>>()
            };
            let (below, above) = (class(false), class(true));
            let mut wins = 0.0;
            for high in &above {
                for low in &below {
                    wins += match high.total_cmp(low) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
            let pairs = (below.len() * above.len()) as f64;
            let rows = (below.len() + above.len() + 1) as f64;
            (wins - 0.5 * pairs, pairs * rows / 12.0)
        }
        Task::Regression => {
            let target: Vec<f64> = fold.rows.iter().map(|&n| data.target[n]).collect();
            let ((m_s, sd_s), (m_t, sd_t)) = (mean_and_sd(scores), mean_and_sd(&target));
            let products = scores
                .iter()
                .zip(&target)
                .map(|(s, t)| (s - m_s) * (t - m_t));
            let n = scores.len() as f64;
            match sd_s * sd_t > 0.0 {
                true => (products.sum::<f64>() / (sd_s * sd_t), n),
                false => (0.0, n),
            }
        }
    }
}
