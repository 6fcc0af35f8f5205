//! What more subjects would bring: performance against the number of training subjects, drawn on.
//!
//! Each fold is also fitted on parts of its training subjects. The log loss of a model with fixed tests falls like
//! a + b / m with the number m of its training subjects, and so is drawn on; the AUC rises like a - b / m. The draws of
//! subjects that give every other interval give these too: each draw has a curve of its own.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rfvm::stats::slope;
use serde::Serialize;

use super::evidence::Evidence;
use crate::error::Error;
use crate::performance::{HeldBackScores, Performance, Uncertain, mean_over};
use crate::resample::{OutOfFold, parallel};

/// Parts of a fold's training subjects.
const PARTS: [f64; 3] = [0.35, 0.5, 0.7];
/// Numbers of further subjects.
const FURTHER: [usize; 3] = [10, 20, 50];

/// Performance with so many training subjects.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LearningPoint {
    /// Training subjects, on average over the folds.
    pub subjects: f64,
    /// On subjects not seen.
    pub performance: Performance,
}

/// What so many further subjects should bring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gain {
    /// How many more.
    pub further: usize,
    /// By how much the log loss should fall.
    pub log_loss: Option<Uncertain>,
    /// By how much the AUC should rise.
    pub auc: Option<Uncertain>,
}

/// The learning curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearningCurve {
    /// As measured.
    pub points: Vec<LearningPoint>,
    /// As expected.
    pub gains: Vec<Gain>,
}

pub(crate) fn learning_curve(evidence: &Evidence) -> Result<LearningCurve, Error> {
    let (cohort, resampling) = (evidence.cohort, &evidence.resampling);
    let jobs = resampling.jobs();
    let fits = parallel(
        evidence.choice.threads,
        "learning curve",
        jobs * PARTS.len(),
        evidence.watch,
        |at| {
            let (job, part) = (at % jobs, PARTS[at / jobs]);
            let (repeat, fold) = resampling.place(job);
            let (train, rows) = resampling.folds.split(repeat, fold);
            let some = draw(
                &train,
                &cohort.labels,
                cohort.groups.as_deref(),
                part,
                evidence.choice.seed + at as u64,
            );
            Ok((
                some.len(),
                resampling.fit(&some, &rows, &cohort.all_tests(), evidence.choice.size)?,
            ))
        },
    )?;
    let mut sizes: Vec<f64> = Vec::new();
    let mut scores: Vec<HeldBackScores> = Vec::new();
    for part in fits.chunks(jobs) {
        sizes.push(part.iter().map(|(count, _)| *count as f64).sum::<f64>() / jobs as f64);
        scores.push(evidence.scores(&part.iter().map(|(_, fit)| fit).collect::<Vec<&OutOfFold>>()));
    }
    let folds = resampling.folds.count() as f64;
    sizes.push(cohort.len() as f64 * (1.0 - 1.0 / folds));
    scores.push(evidence.full.clone());
    let judged = &evidence.judged;
    let on_judged = scores.iter().map(|scores| scores.of_rows(&judged.rows));
    let (all, labels) = (Vec::from_iter(0..judged.rows.len()), &judged.labels);
    let (scores, whole): (Vec<HeldBackScores>, _) = (on_judged.collect(), scores);
    let losses: Vec<Vec<f64>> = scores.iter().map(|scores| scores.losses(labels)).collect();
    let inverse: Vec<f64> = sizes.iter().map(|m| 1.0 / m).collect();
    let loss_slope = |rows: &[usize]| {
        let measured = losses.iter().map(|l| mean_over(l, rows));
        Some(slope(&Vec::from_iter(
            inverse.iter().copied().zip(measured),
        )))
    };
    let auc_slope = |rows: &[usize]| {
        let measured = inverse.iter().zip(&scores);
        let measured = measured.map(|(&m, scores)| Some((m, scores.auc(labels, rows)?)));
        Some(-slope(&measured.collect::<Option<Vec<_>>>()?))
    };
    let now = cohort.len() as f64;
    let gain = |&further: &usize| {
        let share = 1.0 / now - 1.0 / (now + further as f64);
        let of = |slope: &dyn Fn(&[usize]) -> Option<f64>| {
            (!all.is_empty()).then(|| {
                Uncertain::of(&judged.bootstrap, |rows| Some(share * slope(rows)?), &all)
            })?
        };
        Gain {
            further,
            log_loss: of(&loss_slope),
            auc: of(&auc_slope),
        }
    };
    let point = |(&subjects, scores): (&f64, &HeldBackScores)| LearningPoint {
        subjects,
        performance: judged.performance(scores),
    };
    Ok(LearningCurve {
        points: sizes.iter().zip(&whole).map(point).collect(),
        gains: FURTHER.iter().map(gain).collect(),
    })
}

/// A part of the rows, whole groups of them, that keeps the classes' shares as near as can be.
fn draw(
    rows: &[usize],
    labels: &[usize],
    groups: Option<&[usize]>,
    part: f64,
    seed: u64,
) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = rows.to_vec();
    for at in (1..order.len()).rev() {
        order.swap(at, random.random_range(0..=at));
    }
    if let Some(groups) = groups {
        // Groups in the order of their first member; the sort is stable.
        let mut first = std::collections::HashMap::new();
        for (at, &n) in order.iter().enumerate() {
            first.entry(groups[n]).or_insert(at);
        }
        order.sort_by_key(|&n| first[&groups[n]]);
    }
    let mut room = [0, 1].map(|class| {
        (part * rows.iter().filter(|&&n| labels[n] == class).count() as f64).ceil() as usize
    });
    order.retain(|&n| {
        let left = room[labels[n]] > 0;
        room[labels[n]] -= usize::from(left);
        left
    });
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_the_classes() {
        let labels: Vec<usize> = (0..40)
            .map(|n: usize| usize::from(n.is_multiple_of(4)))
            .collect();
        let rows: Vec<usize> = (0..40).collect();
        let some = draw(&rows, &labels, None, 0.5, 1);
        assert_eq!(some.len(), 20);
        assert_eq!(some.iter().filter(|&&n| labels[n] == 1).count(), 5);
        assert_ne!(some, draw(&rows, &labels, None, 0.5, 2));
    }
}
