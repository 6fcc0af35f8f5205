//! The whole way from data to small models, gone once with all rows and once without those of each fold (cross-fitting):
//! what is said of a row is said by models that did not know it, selection included.

use super::detect::chance_of_shuffles;
use super::held_back::Plan;
use super::nearest::nearest_outside;
use super::output::OutputScores;
use super::select::{ForwardSelection, select};
use super::small::{Scores, Small};
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::{Dense, NotPositive};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::{Progress, Steps};
use crate::params::{Projected, Size};
use crate::posterior::companions::MOST_ACCOMPANIED;
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

/// What is left of a full posterior when its job is done, and what small models are made of: with a million features, twenty
/// whole ones would fill the memory. One number or two classes have one score a row (`single.rs`), several classes one for each
/// (`classes/distilled.rs`); the rest of the way is the same.
pub(crate) trait Distilled: Sized + Send + Sync {
    /// The posterior itself.
    type Full;
    /// What is said of one fold's held-back rows.
    type Said;
    /// Whether features outside of the models are kept that can stand in for theirs.
    const ACCOMPANIED: bool;

    /// The full posterior of the rows that a job learns from, and what it says of those held back; `None` where it breaks
    /// down. The posterior itself is kept by the job with all rows.
    fn fit(fit: &CrossFit, data: &Prepared, job: usize, steps: &Steps) -> Option<Self>;

    /// ⟨v⟩ of every feature, from which small models start.
    fn start(&self) -> &[f32];

    /// What the order of entry is to explain: q between the full model's probabilities and the labels.
    fn target(fit: &CrossFit, data: &Prepared, job: usize, full: Option<&Self>)
    -> ForwardSelection;

    /// What the small models of a job are fitted to, one an output, and the precision of a label in the units of that.
    fn taught(
        fit: &CrossFit,
        data: &Prepared,
        job: usize,
        fulls: &[Option<Self>],
    ) -> Option<(Vec<OutputScores>, f64)>;

    /// What the models of a job say of the rows it holds back.
    fn said(fit: &CrossFit, data: &Prepared, job: usize, models: JobModels<Self>) -> Self::Said;

    /// The posterior, of the job that keeps it.
    fn into_full(self) -> Option<Self::Full>;
}

/// The models of one job.
pub(crate) struct JobModels<'j, D> {
    order: &'j [usize],
    /// None where the job's rows cannot carry one.
    pub(super) full: Option<&'j D>,
    /// One a size.
    small: Option<&'j [Small]>,
}

/// The models of all rows, and what those of every fold say of its rows.
pub(crate) struct CrossFitted<D: Distilled> {
    pub(crate) full: D::Full,
    /// Features and posterior of every size, on all rows.
    pub(crate) small: Vec<(Vec<usize>, Small)>,
    pub(crate) said: Vec<D::Said>,
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
    pub(crate) fn run<D: Distilled>(
        &self,
        data: &mut Prepared,
        watch: &mut Progress,
    ) -> Result<CrossFitted<D>, Ended> {
        let chance =
            chance_of_shuffles(data, self.plan.order(), watch).ok_or(Ended::Interrupted)?;
        let fulls = self.every_job(watch, |job, steps| D::fit(self, data, job, steps))?;
        let most = self.sizes.last().copied().unwrap_or(0);
        let orders = (0..fulls.len())
            .map(|job| D::target(self, data, job, fulls[job].as_ref()))
            .collect();
        let strength = self.params.strength;
        let orders = select(data, orders, most, strength, watch).ok_or(Ended::Interrupted)?;
        let mut orders: Vec<Vec<usize>> = orders.into_iter().map(|order| order.order).collect();
        let starts: Vec<Vec<f64>> = (fulls.iter().zip(&orders))
            .map(|(full, order)| match full.as_ref().map(D::start) {
                Some(v) => order.iter().map(|&d| f64::from(v[d])).collect(),
                None => Vec::new(),
            })
            .collect();
        let mut companions = Vec::new();
        if D::ACCOMPANIED {
            let first = &orders[0][..most.min(orders[0].len()).min(MOST_ACCOMPANIED)];
            companions = nearest_outside(data, first, watch).ok_or(Ended::Interrupted)?;
            companions.extend_from_slice(first);
        }
        if self.params.size != Size::Full {
            keep_entered(data, &mut orders, &mut companions);
        }
        let small = watch.run(fulls.len(), |job, steps| {
            let (outputs, precision) = D::taught(self, data, job, &fulls)?;
            let models = self.small(data, job, (&outputs, precision), &orders[job], &starts[job]);
            steps.step();
            Some(models)
        });
        let mut small: Vec<Option<Vec<Small>>> = (small.ok_or(Ended::Interrupted)?.into_iter())
            .map(|models| models?.ok())
            .collect();
        let said = (1..fulls.len()).map(|job| {
            let models = JobModels {
                order: &orders[job],
                full: fulls[job].as_ref(),
                small: small[job].as_deref(),
            };
            D::said(self, data, job, models)
        });
        let said = said.collect();
        let full = fulls.into_iter().next().flatten().and_then(D::into_full);
        let of_all = small.swap_remove(0).ok_or(Ended::Breakdown)?;
        let features = self.sizes.iter().map(|&k| orders[0][..k].to_vec());
        Ok(CrossFitted {
            full: full.ok_or(Ended::Breakdown)?,
            small: features.zip(of_all).collect(),
            said,
            chance,
            companions,
        })
    }

    /// What comes of every job: a job a thread, or all threads for one job.
    fn every_job<T: Send>(
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

    /// y of the small models: the scores, from which part of a row's own pull is left out.
    pub(super) fn partly_left_out(&self, scores: &[f64], left_out: &[f64]) -> Vec<f64> {
        let without = self.params.left_out;
        let both = scores.iter().zip(left_out);
        both.map(|(score, left_out)| (1.0 - without) * score + without * left_out)
            .collect()
    }

    /// The small models of one job, one a size.
    fn small(
        &self,
        data: &Prepared,
        job: usize,
        (outputs, label_precision): (&[OutputScores], f64),
        order: &[usize],
        start: &[f64],
    ) -> Result<Vec<Small>, NotPositive> {
        let (rows, _) = self.rows(data, job);
        let cost = data.entry_costs(order);
        let design = data.design_of(&rows);
        let fit = |&k: &usize| {
            let scores = Scores {
                outputs,
                noise: self.params.noise,
                label_precision,
                cost: &cost[..k],
                design: &design,
            };
            Small::fit(&values(data, &order[..k], &rows), &scores, &start[..k])
        };
        self.sizes.iter().map(fit).collect()
    }

    /// What the small models of a job say of the rows it holds back, one after the other; `say` hears a model, its features'
    /// values of the rows it learned from, and those of the rows held back. What the job cannot carry says `none`.
    pub(super) fn said_by_sizes<D, T: Clone>(
        &self,
        data: &Prepared,
        job: usize,
        models: &JobModels<D>,
        none: &T,
        say: impl Fn(&Small, &Dense, &Dense) -> T,
    ) -> Vec<T> {
        let (learned, rows) = self.rows(data, job);
        let of_size = |(i, &k): (usize, &usize)| match models.small {
            None => none.clone(),
            Some(small) => {
                let of = |rows: &[usize]| values(data, &models.order[..k], rows);
                say(&small[i], &of(&learned), &of(&rows))
            }
        };
        self.sizes.iter().enumerate().map(of_size).collect()
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
fn keep_entered(data: &mut Prepared, orders: &mut [Vec<usize>], companions: &mut [usize]) {
    let mut entered: Vec<usize> = orders.iter().flatten().copied().collect();
    entered.extend_from_slice(companions);
    entered.sort_unstable();
    entered.dedup();
    data.keep(&entered);
    for d in orders.iter_mut().flatten().chain(companions) {
        *d = entered.partition_point(|&before| before < *d);
    }
}
