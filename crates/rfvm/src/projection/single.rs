//! A full posterior with one score a row, of two classes or of a number, and what small models are taught of it.

use super::cross_fit::{CrossFit, Distilled, JobModels};
use super::full::{Full, moderated};
use super::held_back::Said;
use super::output::OutputScores;
use super::select::ForwardSelection;
use crate::data::Task;
use crate::inference::prepare::Prepared;
use crate::numerics::progress::Steps;
use crate::numerics::special::sigmoid;
use crate::posterior::correction::Correction;

/// What is left of a full posterior with one score a row.
pub(crate) struct SingleScore {
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

impl SingleScore {
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

impl Distilled for SingleScore {
    type Full = Full;
    type Said = Said;
    const ACCOMPANIED: bool = true;

    fn fit(fit: &CrossFit, data: &Prepared, job: usize, steps: &Steps) -> Option<Self> {
        let (rows, held) = fit.rows(data, job);
        let full = data
            .has_two_classes(&rows)
            .then(|| Full::fit(data, fit.params, &rows, fit.workers, steps).ok())
            .flatten()?;
        Some(Self::new(data, full, &held, job == 0))
    }

    fn start(&self) -> &[f32] {
        &self.v
    }

    fn target(
        fit: &CrossFit,
        data: &Prepared,
        job: usize,
        full: Option<&Self>,
    ) -> ForwardSelection {
        let (rows, _) = fit.rows(data, job);
        let mut target = data.target.clone();
        let mut weight = vec![0.0; data.samples];
        let labels = fit.params.labels;
        if let Some(full) = full {
            for (&n, &score) in rows.iter().zip(&full.scores) {
                let said = match data.task {
                    Task::Classification => sigmoid(score),
                    Task::Regression => score,
                };
                target[n] = labels * target[n] + (1.0 - labels) * said;
                weight[n] = data.weight[n];
            }
        }
        ForwardSelection::new(vec![target], weight)
    }

    fn taught(
        fit: &CrossFit,
        data: &Prepared,
        job: usize,
        fulls: &[Option<Self>],
    ) -> Option<(Vec<OutputScores>, f64)> {
        let full = fulls[job].as_ref()?;
        let (rows, _) = fit.rows(data, job);
        let given: Vec<f64> = rows.iter().map(|&n| data.weight[n]).collect();
        // What a label tells of a timid score: that of the stretched one, in the timid one's units.
        let stretch = stretch(fit, data, job, fulls);
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
        let output = OutputScores {
            y: fit.partly_left_out(&full.scores, &full.left_out),
            weight: projection_weights(data.task, &full.scores, &given),
        };
        Some((vec![output], stretch.slope.powi(2) * told))
    }

    fn said(fit: &CrossFit, data: &Prepared, job: usize, models: JobModels<Self>) -> Said {
        let (learned, rows) = fit.rows(data, job);
        // Where a fold's rows cannot carry a model the base rate is all they tell.
        let base = base_scores(data, &learned, &rows);
        let mut scores = vec![
            models
                .full
                .map_or_else(|| base.clone(), |full| full.held.clone()),
        ];
        let small = fit.said_by_sizes(data, job, &models, &base, |small, z, x| {
            let moments = small.moments(z, 0);
            let latent = moments.latent();
            let row = |n: usize| -> Vec<f64> {
                let features = (0..x.cols()).map(|j| x.at(n, j));
                features.chain(data.covariates_of(rows[n])).collect()
            };
            (0..rows.len())
                .map(|n| predicted(data.task, latent(&row(n))))
                .collect()
        });
        scores.extend(small);
        Said { rows, base, scores }
    }

    fn into_full(self) -> Option<Full> {
        self.full
    }
}

/// What a latent mean and variance predict: the score that a correction takes.
fn predicted(task: Task, latent: (f64, f64)) -> f64 {
    match task {
        Task::Classification => moderated(latent),
        Task::Regression => latent.0,
    }
}

/// How timid the scores of a job's full model are, by what other folds' full models say of rows they did not know.
fn stretch(
    fit: &CrossFit,
    data: &Prepared,
    job: usize,
    fulls: &[Option<SingleScore>],
) -> Correction {
    let means = |fold: usize| match &fulls[fold + 1] {
        Some(full) => &full.held_means[..],
        None => &[],
    };
    fit.plan
        .correction(data, job.checked_sub(1), fit.params.firmness, means)
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
