//! The whole way from data to small models of several classes, with all rows and without those of each fold
//! (`projection/cross_fit.rs`).

use super::full::{self, indicators};
use super::held_back::{SaidOfClasses, correction};
use crate::data::Task;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::NotPositive;
use crate::numerics::progress::{Progress, Steps};
use crate::numerics::special::sigmoid;
use crate::params::Size;
use crate::posterior::class_correction::ClassCorrection;
use crate::projection::cross_fit::{CrossFit, Ended, information, keep_entered, values};
use crate::projection::detect::chance_of_shuffles;
use crate::projection::full::{Full, moderated};
use crate::projection::output::OutputScores;
use crate::projection::select::{ForwardSelection, select};
use crate::projection::small::{Scores, Small};

/// What is left of a full posterior when its job is done.
struct DistilledClasses {
    /// ⟨v⟩ of every feature, from which small models start.
    v: Vec<f32>,
    /// f + b of the rows it was learned on, class by class, and as the other rows have each.
    scores: Vec<Vec<f64>>,
    left_out: Vec<Vec<f64>>,
    /// Means of the scores of the rows held back, and the same moderated: [row][class].
    held_means: Vec<Vec<f64>>,
    held: Vec<Vec<f64>>,
    /// All of it, for the job with all rows.
    full: Option<Vec<Full>>,
}

impl DistilledClasses {
    fn new(data: &Prepared, mut full: Vec<Full>, held: &[usize], keep: bool) -> Self {
        let said: Vec<Vec<(f64, f64)>> = full.iter().map(|own| own.latent(data, held)).collect();
        let by_row = |of: &dyn Fn((f64, f64)) -> f64| -> Vec<Vec<f64>> {
            (0..held.len())
                .map(|row| said.iter().map(|class| of(class[row])).collect())
                .collect()
        };
        let take = |of: &mut dyn FnMut(&mut Full) -> Vec<f64>, full: &mut Vec<Full>| {
            full.iter_mut().map(of).collect()
        };
        Self {
            v: full[0].v.iter().map(|&v| v as f32).collect(),
            held_means: by_row(&|(mean, _)| mean),
            held: by_row(&moderated),
            scores: take(&mut |own| std::mem::take(&mut own.scores), &mut full),
            left_out: take(&mut |own| std::mem::take(&mut own.left_out), &mut full),
            full: keep.then_some(full),
        }
    }
}

/// The models of all rows, and what those of every fold say of its rows.
pub(crate) struct ClassesFitted {
    /// One of each class, all with the same v.
    pub(crate) full: Vec<Full>,
    /// Features and posterior of every size, on all rows.
    pub(crate) small: Vec<(Vec<usize>, Small)>,
    pub(crate) said: Vec<SaidOfClasses>,
    /// How often chance gives features as strong as these.
    pub(crate) chance: f64,
}

impl CrossFit<'_> {
    /// All the models of several classes; the data lose the features that enter nowhere, unless the full model is asked for.
    pub(crate) fn run_classes(
        &self,
        data: &mut Prepared,
        watch: &mut Progress,
    ) -> Result<ClassesFitted, Ended> {
        let chance =
            chance_of_shuffles(data, self.plan.order(), watch).ok_or(Ended::Interrupted)?;
        let fulls = self.fulls_of_classes(data, watch)?;
        let most = self.sizes.last().copied().unwrap_or(0);
        let orders = (0..fulls.len())
            .map(|job| self.targets(data, job, fulls[job].as_ref()))
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
            keep_entered(data, &mut orders, &mut []);
        }
        let small = watch.run(fulls.len(), |job, steps| {
            let full = fulls[job].as_ref()?;
            let stretch = self.stretch_of_classes(data, job, &fulls);
            let models =
                self.small_of_classes(data, job, (full, stretch), &orders[job], &starts[job]);
            steps.step();
            Some(models)
        });
        let mut small = small.ok_or(Ended::Interrupted)?;
        let said = (1..fulls.len())
            .map(|job| {
                self.said_of_classes(data, job, &orders[job], fulls[job].as_ref(), &small[job])
            })
            .collect();
        let first = fulls.into_iter().next().flatten();
        let full = first.and_then(|first| first.full).ok_or(Ended::Breakdown)?;
        let of_all = small.swap_remove(0).transpose().ok().flatten();
        let of_all = of_all.ok_or(Ended::Breakdown)?;
        let features = self.sizes.iter().map(|&k| orders[0][..k].to_vec());
        Ok(ClassesFitted {
            full,
            small: features.zip(of_all).collect(),
            said,
            chance,
        })
    }

    /// The full posterior of every job; `None` where a fold's rows cannot carry one.
    fn fulls_of_classes(
        &self,
        data: &Prepared,
        watch: &mut Progress,
    ) -> Result<Vec<Option<DistilledClasses>>, Ended> {
        let fit = |job: usize, steps: &Steps| {
            let (rows, held) = self.rows(data, job);
            let full = data
                .has_two_classes(&rows)
                .then(|| full::fit(data, self.params, &rows, self.workers, steps).ok())
                .flatten()?;
            Some(DistilledClasses::new(data, full, &held, job == 0))
        };
        self.every_job(watch, fit)
    }

    /// What the order of entry is to explain of every class: q between the full model's probability and the label.
    fn targets(
        &self,
        data: &Prepared,
        job: usize,
        full: Option<&DistilledClasses>,
    ) -> ForwardSelection {
        let (rows, _) = self.rows(data, job);
        let every: Vec<usize> = (0..data.samples).collect();
        let mut targets = indicators(data, &every);
        let mut weight = vec![0.0; data.samples];
        let labels = self.params.labels;
        if let Some(full) = full {
            for (target, scores) in targets.iter_mut().zip(&full.scores) {
                for (&n, &score) in rows.iter().zip(scores) {
                    target[n] = labels * target[n] + (1.0 - labels) * sigmoid(score);
                }
            }
            rows.iter().for_each(|&n| weight[n] = data.weight[n]);
        }
        ForwardSelection::new(targets, weight)
    }

    /// How timid the scores of a job's full model are, by what other folds' full models say of rows they did not know.
    fn stretch_of_classes(
        &self,
        data: &Prepared,
        job: usize,
        fulls: &[Option<DistilledClasses>],
    ) -> ClassCorrection {
        let means = |fold: usize| match &fulls[fold + 1] {
            Some(full) => &full.held_means[..],
            None => &[],
        };
        let without = job.checked_sub(1);
        correction(data, self.plan, without, self.params.firmness, means)
    }

    /// The small models of one job, one a size.
    fn small_of_classes(
        &self,
        data: &Prepared,
        job: usize,
        (full, stretch): (&DistilledClasses, ClassCorrection),
        order: &[usize],
        start: &[f64],
    ) -> Result<Vec<Small>, NotPositive> {
        let (rows, _) = self.rows(data, job);
        let cost: Vec<f64> = order.iter().map(|&d| data.cost(d)).collect();
        let all = (full.scores.len() * rows.len()) as f64;
        let told = |scores: &Vec<f64>| -> Vec<f64> {
            let each = scores.iter().map(|&f| information(Task::Classification, f));
            each.collect()
        };
        let told: Vec<Vec<f64>> = full.scores.iter().map(told).collect();
        let unit = all / told.iter().flatten().sum::<f64>();
        // What a label tells of the timid scores: that of the stretched ones, in the timid ones' units.
        let mut precision = 0.0;
        for n in 0..rows.len() {
            let scores: Vec<f64> = full.scores.iter().map(|class| class[n]).collect();
            let p = stretch.log_probabilities(&scores).into_iter().map(f64::exp);
            precision += p.map(|p| p * (1.0 - p)).sum::<f64>();
        }
        let label_precision = stretch.slope.powi(2) * precision / all;
        let without = self.params.left_out;
        let outputs = (0..full.scores.len()).map(|class| {
            let both = full.scores[class].iter().zip(&full.left_out[class]);
            let told = told[class].iter().zip(&rows);
            OutputScores {
                y: both
                    .map(|(score, left_out)| (1.0 - without) * score + without * left_out)
                    .collect(),
                weight: told
                    .map(|(told, &n)| unit * told * data.weight[n])
                    .collect(),
            }
        });
        let outputs: Vec<OutputScores> = outputs.collect();
        let design = data.design_of(&rows);
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

    fn said_of_classes(
        &self,
        data: &Prepared,
        job: usize,
        order: &[usize],
        full: Option<&DistilledClasses>,
        small: &Option<Result<Vec<Small>, NotPositive>>,
    ) -> SaidOfClasses {
        let (learned, rows) = self.rows(data, job);
        // Where a fold's rows cannot carry a model the base rate is all they tell.
        let base = log_shares(data, &learned);
        let none = || vec![base.clone(); rows.len()];
        let mut scores = vec![full.map_or_else(none, |full| full.held.clone())];
        for (i, &k) in self.sizes.iter().enumerate() {
            let Some(Ok(models)) = small else {
                scores.push(none());
                continue;
            };
            let z = values(data, &order[..k], &learned);
            let x = values(data, &order[..k], &rows);
            let moments: Vec<_> = (0..data.classes.len())
                .map(|c| models[i].moments(&z, c))
                .collect();
            let latent: Vec<_> = moments.iter().map(|moments| moments.latent()).collect();
            let said = (0..rows.len()).map(|n| {
                let row: Vec<f64> = (0..k).map(|j| x.at(n, j)).collect();
                latent
                    .iter()
                    .map(|latent| moderated(latent(&row)))
                    .collect()
            });
            scores.push(said.collect());
        }
        SaidOfClasses { rows, base, scores }
    }
}

/// ln of each class's share of some rows, by weight.
pub(crate) fn log_shares(data: &Prepared, rows: &[usize]) -> Vec<f64> {
    // An observation's worth of doubt, shared by all, keeps a class that is not there possible.
    let doubt = 1.0 / data.classes.len() as f64;
    let mut weight = vec![doubt; data.classes.len()];
    for &n in rows {
        weight[data.target[n] as usize] += data.weight[n];
    }
    let total: f64 = weight.iter().sum();
    weight.iter().map(|weight| (weight / total).ln()).collect()
}
