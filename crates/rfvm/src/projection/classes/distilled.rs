//! The full posterior of several classes, with a score for each of them a row, and what small models are taught of it.

use super::full::{self, indicators};
use super::held_back::{SaidOfClasses, correction};
use crate::data::Task;
use crate::inference::prepare::Prepared;
use crate::numerics::progress::Steps;
use crate::numerics::special::sigmoid;
use crate::posterior::class_correction::ClassCorrection;
use crate::projection::cross_fit::{CrossFit, Distilled, JobModels};
use crate::projection::full::{Full, moderated};
use crate::projection::output::OutputScores;
use crate::projection::select::ForwardSelection;
use crate::projection::single::information;

/// What is left of a full posterior of several classes.
pub(crate) struct ClassScores {
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

impl ClassScores {
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

impl Distilled for ClassScores {
    /// One of each class, all with the same v.
    type Full = Vec<Full>;
    type Said = SaidOfClasses;
    const ACCOMPANIED: bool = false;

    fn fit(fit: &CrossFit, data: &Prepared, job: usize, steps: &Steps) -> Option<Self> {
        let (rows, held) = fit.rows(data, job);
        let full = data
            .has_two_classes(&rows)
            .then(|| full::fit(data, fit.params, &rows, fit.workers, steps).ok())
            .flatten()?;
        Some(Self::new(data, full, &held, job == 0))
    }

    fn start(&self) -> &[f32] {
        &self.v
    }

    /// Of every class against the rest.
    fn target(
        fit: &CrossFit,
        data: &Prepared,
        job: usize,
        full: Option<&Self>,
    ) -> ForwardSelection {
        let (rows, _) = fit.rows(data, job);
        let every: Vec<usize> = (0..data.samples).collect();
        let mut targets = indicators(data, &every);
        let mut weight = vec![0.0; data.samples];
        let labels = fit.params.labels;
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

    fn taught(
        fit: &CrossFit,
        data: &Prepared,
        job: usize,
        fulls: &[Option<Self>],
    ) -> Option<(Vec<OutputScores>, f64)> {
        let full = fulls[job].as_ref()?;
        let (rows, _) = fit.rows(data, job);
        let stretch = stretch(fit, data, job, fulls);
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
        let outputs = (0..full.scores.len()).map(|class| OutputScores {
            y: fit.partly_left_out(&full.scores[class], &full.left_out[class]),
            weight: (told[class].iter().zip(&rows))
                .map(|(told, &n)| unit * told * data.weight[n])
                .collect(),
        });
        Some((outputs.collect(), stretch.slope.powi(2) * precision / all))
    }

    fn said(fit: &CrossFit, data: &Prepared, job: usize, models: JobModels<Self>) -> SaidOfClasses {
        let (learned, rows) = fit.rows(data, job);
        // Where a fold's rows cannot carry a model the base rate is all they tell.
        let base = log_shares(data, &learned);
        let none = vec![base.clone(); rows.len()];
        let mut scores = vec![
            models
                .full
                .map_or_else(|| none.clone(), |full| full.held.clone()),
        ];
        let small = fit.said_by_sizes(data, job, &models, &none, |small, z, x| {
            let moments: Vec<_> = (0..data.classes.len())
                .map(|c| small.moments(z, c))
                .collect();
            let latent: Vec<_> = moments.iter().map(|moments| moments.latent()).collect();
            let said = (0..x.rows()).map(|n| {
                let row: Vec<f64> = (0..x.cols()).map(|j| x.at(n, j)).collect();
                latent
                    .iter()
                    .map(|latent| moderated(latent(&row)))
                    .collect()
            });
            said.collect()
        });
        scores.extend(small);
        SaidOfClasses { rows, base, scores }
    }

    fn into_full(self) -> Option<Vec<Full>> {
        self.full
    }
}

/// How timid the scores of a job's full model are, by what other folds' full models say of rows they did not know.
fn stretch(
    fit: &CrossFit,
    data: &Prepared,
    job: usize,
    fulls: &[Option<ClassScores>],
) -> ClassCorrection {
    let means = |fold: usize| match &fulls[fold + 1] {
        Some(full) => &full.held_means[..],
        None => &[],
    };
    let without = job.checked_sub(1);
    correction(data, fit.plan, without, fit.params.firmness, means)
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
