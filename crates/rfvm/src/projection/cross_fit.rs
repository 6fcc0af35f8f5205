//! The whole way from data to small models, gone once with all rows and once without those of each fold (cross-fitting):
//! what is said of a row is said by models that did not know it, selection included.

use super::detect::chance_of_shuffles;
use super::full::{Full, moderated};
use super::held_back::{Plan, Said};
use super::nearest::nearest_outside;
use super::output::OutputScores;
use super::select::{ForwardSelection, select};
use super::small::{Scores, Small};
use crate::data::Task;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::{Dense, NotPositive};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::{Progress, Steps};
use crate::numerics::special::sigmoid;
use crate::params::{Projected, Size};
use crate::posterior::companions::MOST_ACCOMPANIED;
use crate::posterior::correction::Correction;
use crate::posterior::trace::StopReason;

/// Sizes of the points: from the sixth on each about a quarter larger than the one before.
const SIZES: [usize; 17] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 27, 34, 43, 55, 69, 87];
/// How many of them there are of two classes and of a number: several classes share a panel, and may need a larger one.
const OF_TWO: usize = 15;

/// Why there are no models.
pub(crate) enum Ended {
    Interrupted,
    Breakdown,
}

impl Ended {
    pub(crate) fn stop_reason(&self) -> StopReason {
        match self {
            Self::Interrupted => StopReason::Interrupted,
            Self::Breakdown => StopReason::Breakdown,
        }
    }
}

/// The sizes of the points: the usual ones, or up to the size that was asked for.
pub(crate) fn sizes(asked: Size, features: usize, classes: usize) -> Vec<usize> {
    let usual = if classes > 2 { SIZES.len() } else { OF_TWO };
    let usual = SIZES[..usual].iter().copied();
    let mut sizes: Vec<usize> = usual.filter(|&k| k <= features).collect();
    if let Size::Features(count) = asked {
        let count = count.min(features);
        sizes.retain(|&k| k < count);
        sizes.push(count);
    }
    sizes
}

/// What the models of all rows and of every fold are made of.
pub(crate) struct CrossFit<'r> {
    pub(crate) params: &'r Projected,
    pub(crate) sizes: &'r [usize],
    pub(crate) plan: &'r Plan,
    pub(crate) workers: &'r Workers,
}

/// What is left of a full posterior when its job is done: with a million features, twenty of them would fill the memory.
struct Distilled {
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

impl Distilled {
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

/// The models of all rows, and what those of every fold say of its rows.
pub(crate) struct CrossFitted {
    pub(crate) full: Full,
    /// Features and posterior of every size, on all rows.
    pub(crate) small: Vec<(Vec<usize>, Small)>,
    pub(crate) said: Vec<Said>,
    /// How often chance gives features as strong as these.
    pub(crate) chance: f64,
    /// Features that may stand in for those of a small model: among them is the one most like each, of all features.
    pub(crate) companions: Vec<usize>,
}

impl CrossFit<'_> {
    /// Rows that the job learns from and rows held back; the first job has all rows.
    pub(super) fn rows(&self, data: &Prepared, job: usize) -> (Vec<usize>, Vec<usize>) {
        match job.checked_sub(1) {
            None => ((0..data.samples).collect(), Vec::new()),
            Some(fold) => self.plan.split(fold),
        }
    }

    /// All the models; the data lose the features that enter nowhere, unless the full model is asked for.
    pub(crate) fn run(
        &self,
        data: &mut Prepared,
        watch: &mut Progress,
    ) -> Result<CrossFitted, Ended> {
        let chance =
            chance_of_shuffles(data, self.plan.order(), watch).ok_or(Ended::Interrupted)?;
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
        let first = &orders[0][..most.min(orders[0].len()).min(MOST_ACCOMPANIED)];
        let mut companions = nearest_outside(data, first, watch).ok_or(Ended::Interrupted)?;
        companions.extend_from_slice(first);
        if self.params.size != Size::Full {
            keep_entered(data, &mut orders, &mut companions);
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
        Ok(CrossFitted {
            full,
            small: features.zip(of_all).collect(),
            said,
            chance,
            companions,
        })
    }

    /// The full posterior of every job; `None` where a fold's rows cannot carry one.
    fn fulls(
        &self,
        data: &Prepared,
        watch: &mut Progress,
    ) -> Result<Vec<Option<Distilled>>, Ended> {
        let fit = |job: usize, steps: &Steps| {
            let (rows, held) = self.rows(data, job);
            let full = data
                .has_two_classes(&rows)
                .then(|| Full::fit(data, self.params, &rows, self.workers, steps).ok())
                .flatten()?;
            Some(Distilled::new(data, full, &held, job == 0))
        };
        self.every_job(watch, fit)
    }

    /// What comes of every job: a job a thread, or all threads for one job.
    pub(super) fn every_job<T: Send>(
        &self,
        watch: &mut Progress,
        fit: impl Fn(usize, &Steps) -> Option<T> + Sync,
    ) -> Result<Vec<Option<T>>, Ended> {
        let jobs = self.plan.len() + 1;
        let made = if watch.threads() <= jobs {
            watch.run(jobs, fit)
        } else {
            let mut made = Vec::new();
            for job in 0..jobs {
                let one = watch.run(1, |_, steps| fit(job, steps));
                made.extend(one.ok_or(Ended::Interrupted)?);
            }
            Some(made)
        };
        made.ok_or(Ended::Interrupted)
    }

    /// What the order of entry is to explain: q between the full model's probabilities and the labels.
    fn target(&self, data: &Prepared, job: usize, full: &Option<Distilled>) -> ForwardSelection {
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
        ForwardSelection::new(vec![target], weight)
    }

    /// How timid the scores of a job's full model are, by what other folds' full models say of rows they did not know.
    fn stretch(&self, data: &Prepared, job: usize, fulls: &[Option<Distilled>]) -> Correction {
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
        (full, stretch): (&Distilled, Correction),
        order: &[usize],
        start: &[f64],
    ) -> Result<Vec<Small>, NotPositive> {
        let (rows, _) = self.rows(data, job);
        let given: Vec<f64> = rows.iter().map(|&n| data.weight[n]).collect();
        let weight = projection_weights(data.task, &full.scores, &given);
        let cost = data.entry_costs(order);
        // What a label tells of a timid score: that of the stretched one, in the timid one's units.
        let told: f64 = match data.task {
            Task::Classification => {
                let each = full
                    .scores
                    .iter()
                    .map(|&score| information(data.task, stretch.apply(score)));
                each.sum::<f64>() / full.scores.len() as f64
            }
            Task::Regression => 1.0 / full.noise,
        };
        let label_precision = stretch.slope.powi(2) * told;
        let design = data.design_of(&rows);
        let without = self.params.left_out;
        let both = full.scores.iter().zip(&full.left_out);
        let y: Vec<f64> = both
            .map(|(score, left_out)| (1.0 - without) * score + without * left_out)
            .collect();
        let outputs = [OutputScores { y, weight }];
        let fit = |&k: &usize| {
            let scores = Scores {
                outputs: &outputs,
                noise: self.params.noise,
                label_precision,
                cost: &cost[..k],
                design: &design,
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
        full: Option<&Distilled>,
        small: &Option<Result<Vec<Small>, NotPositive>>,
    ) -> Said {
        let (learned, rows) = self.rows(data, job);
        // Where a fold's rows cannot carry a model the base rate is all they tell.
        let base = base_scores(data, &learned, &rows);
        let none = || base.clone();
        let mut scores = vec![full.map_or_else(none, |full| full.held.clone())];
        for (i, &k) in self.sizes.iter().enumerate() {
            let Some(Ok(models)) = small else {
                scores.push(none());
                continue;
            };
            let z = values(data, &order[..k], &learned);
            let moments = models[i].moments(&z, 0);
            let latent = moments.latent();
            let x = values(data, &order[..k], &rows);
            let row = |n: usize| -> Vec<f64> {
                let features = (0..k).map(|j| x.at(n, j));
                features.chain(data.covariates_of(rows[n])).collect()
            };
            let said = (0..rows.len()).map(|n| predicted(data.task, latent(&row(n))));
            scores.push(said.collect());
        }
        Said { rows, base, scores }
    }
}

/// What a label of this score tells of it: the curvature of its log likelihood.
pub(super) fn information(task: Task, score: f64) -> f64 {
    match task {
        Task::Classification => sigmoid(score) * (1.0 - sigmoid(score)),
        Task::Regression => 1.0,
    }
}

/// How much each row counts in the projection: what its label tells, 1 on average, times the weight it was given.
fn projection_weights(task: Task, scores: &[f64], given: &[f64]) -> Vec<f64> {
    let told: Vec<f64> = scores.iter().map(|&f| information(task, f)).collect();
    let unit = told.len() as f64 / told.iter().sum::<f64>();
    let both = told.iter().zip(given);
    both.map(|(told, given)| unit * told * given).collect()
}

/// What some rows get by the base rate of others, or by their covariates alone.
fn base_scores(data: &Prepared, learned: &[usize], rows: &[usize]) -> Vec<f64> {
    if data.has_covariates() {
        let alone = data.covariates_alone(learned);
        return rows.iter().map(|&n| alone.score(data, n)).collect();
    }
    vec![base_score(data, learned); rows.len()]
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
pub(crate) fn values(data: &Prepared, features: &[usize], rows: &[usize]) -> Dense {
    let mut values = Vec::with_capacity(features.len() * rows.len());
    for &d in features {
        let column = data.column(d);
        values.extend(rows.iter().map(|&n| column[n]));
    }
    Dense::from_vec(rows.len(), features.len(), values)
}

/// Drops the features that entered nowhere and accompany none: from here on they are only weight.
pub(super) fn keep_entered(
    data: &mut Prepared,
    orders: &mut [Vec<usize>],
    companions: &mut [usize],
) {
    let mut entered: Vec<usize> = orders.iter().flatten().copied().collect();
    entered.extend_from_slice(companions);
    entered.sort_unstable();
    entered.dedup();
    data.keep(&entered);
    for d in orders.iter_mut().flatten().chain(companions) {
        *d = entered.partition_point(|&before| before < *d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_in_the_projection_by_its_doubt_and_its_weight() {
        // At scores of 0 and ln 3 the curvature is 1/4 and 3/16.
        let scores = [0.0, 3_f64.ln()];
        let plain = projection_weights(Task::Classification, &scores, &[1.0, 1.0]);
        let want = [8.0 / 7.0, 6.0 / 7.0];
        assert!((plain[0] - want[0]).abs() + (plain[1] - want[1]).abs() < 1e-15);
        let heavier = projection_weights(Task::Classification, &scores, &[1.0, 4.0]);
        assert_eq!(heavier, [plain[0], 4.0 * plain[1]]);
        let numbers = projection_weights(Task::Regression, &scores, &[1.0, 4.0]);
        assert_eq!(numbers, [1.0, 4.0]);
    }
}
