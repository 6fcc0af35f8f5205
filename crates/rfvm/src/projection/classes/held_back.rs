//! What the full model and every small one say of rows that they did not know, where there are several classes.

use super::detect::excess;
use crate::inference::prepare::Prepared;
use crate::posterior::class_correction::{ClassCorrection, ScoredRow};
use crate::projection::held_back::{FoldLosses, HeldBack, Plan};

/// What was said of one fold's held-back rows: moderated scores of the full model and of every small one.
pub(crate) struct SaidOfClasses {
    pub(crate) rows: Vec<usize>,
    /// ln of every class's share among the fold's training rows.
    pub(crate) base: Vec<f64>,
    /// [model][row][class]; the full model first, then the small ones by size.
    pub(crate) scores: Vec<Vec<Vec<f64>>>,
}

/// The correction of scores of held-back rows, as other folds of the same repeat have it, or for `None` as all do; `scores`
/// gives those of a fold's held-back rows.
pub(super) fn correction<'s>(
    data: &Prepared,
    plan: &Plan,
    without: Option<usize>,
    firmness: f64,
    scores: impl Fn(usize) -> &'s [Vec<f64>],
) -> ClassCorrection {
    let (folds, repeats) = plan.teachers(without);
    let mut rows = Vec::new();
    for fold in folds {
        let (_, held) = plan.split(fold);
        rows.extend(scores(fold).iter().zip(held).map(|(scores, n)| ScoredRow {
            scores,
            class: data.target[n] as usize,
            weight: data.weight[n],
        }));
    }
    ClassCorrection::learn(&rows, data.classes.len(), firmness * repeats as f64)
}

impl HeldBack<ClassCorrection> {
    pub(crate) fn of_classes(
        data: &Prepared,
        plan: Plan,
        said: &[SaidOfClasses],
        firmness: f64,
    ) -> Self {
        let models = said.first().map_or(0, |fold| fold.scores.len());
        let learn = |model: usize, without: Option<usize>| {
            let scores = |job: usize| &said[job].scores[model][..];
            correction(data, &plan, without, firmness, scores)
        };
        let folds = (0..said.len()).map(|job| {
            let corrected = (0..models).map(|model| {
                let correction = learn(model, Some(job));
                let rows = said[job].scores[model].iter();
                rows.map(|scores| correction.log_probabilities(scores))
                    .collect()
            });
            losses(data, &said[job], &corrected.collect::<Vec<_>>())
        });
        let folds = folds.collect();
        let correction = (0..models).map(|model| learn(model, None)).collect();
        let detection = plan.detection(said.iter().map(|fold| {
            let labels: Vec<usize> = fold.rows.iter().map(|&n| data.target[n] as usize).collect();
            excess(&labels, &fold.scores[0])
        }));
        Self {
            plan,
            folds,
            correction,
            base_correction: ClassCorrection::none(data.classes.len()),
            detection,
        }
    }
}

/// What a fold's rows cost, by every model's [row][class] logarithms of probabilities.
fn losses(data: &Prepared, said: &SaidOfClasses, models: &[Vec<Vec<f64>>]) -> FoldLosses {
    // Weights of mean 1, so that a row's loss is on the scale of the mean.
    let unit = data.samples as f64 / data.weight.iter().sum::<f64>();
    let base = vec![said.base.clone(); said.rows.len()];
    let loss = |model: &Vec<Vec<f64>>| -> Vec<f64> {
        let rows = said.rows.iter().zip(model);
        rows.map(|(&n, ln)| -unit * data.weight[n] * ln[data.target[n] as usize])
            .collect()
    };
    let divergence_of = |model: &Vec<Vec<f64>>| -> Vec<f64> {
        let rows = said.rows.iter().zip(&models[0]).zip(model);
        rows.map(|((&n, full), ln)| unit * data.weight[n] * divergence(full, ln))
            .collect()
    };
    FoldLosses {
        rows: said.rows.clone(),
        loss: models.iter().map(loss).collect(),
        divergence: models.iter().map(divergence_of).collect(),
        base_loss: loss(&base),
        base_divergence: divergence_of(&base),
    }
}

/// The Kullback-Leibler divergence of two categorical predictions by their logarithms, the first taken as true.
fn divergence(truth: &[f64], said: &[f64]) -> f64 {
    let each = truth.iter().zip(said);
    let sum: f64 = each.map(|(truth, said)| truth.exp() * (truth - said)).sum();
    sum.max(0.0)
}
