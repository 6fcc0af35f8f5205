//! Cost against performance: panels of growing size.

use serde::Serialize;

use super::evidence::Evidence;
use crate::catalogue::Price;
use crate::performance::Performance;
use crate::resample::OutOfFold;

/// A panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelPoint {
    /// Its tests, heaviest first; those that must be kept come with every panel.
    pub tests: Vec<String>,
    /// What it costs for one subject, must-keeps included.
    pub price: Price,
    /// How good fits of this size are on subjects they have not seen, the choice of their tests included.
    pub performance: Performance,
    /// How much worse than the best panel of all they are.
    pub behind: Performance,
    /// Whether no cheaper panel has a lower log loss.
    pub efficient: bool,
}

/// Panels from the smallest to the largest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Frontier {
    /// The panels.
    pub panels: Vec<PanelPoint>,
    /// Position of the panel with the lowest log loss; `None` where nobody is there to measure it on.
    pub best: Option<usize>,
    /// Position of the best panel within the budget; `None` without a budget, or where none is cheap enough or none can be
    /// judged.
    pub within_budget: Option<usize>,
}

pub(crate) fn frontier(evidence: &Evidence) -> Frontier {
    let (cohort, judged) = (evidence.cohort, &evidence.judged);
    let jobs = 0..evidence.points.len();
    let scores: Vec<_> = (0..evidence.models.len())
        .map(|size| {
            let of = |job: usize| -> &OutOfFold {
                &evidence.points[job][size.min(evidence.points[job].len() - 1)]
            };
            evidence.scores(&jobs.clone().map(of).collect::<Vec<_>>())
        })
        .collect();
    let performances: Vec<Performance> = scores
        .iter()
        .map(|scores| judged.performance(scores))
        .collect();
    let loss = |at: usize| {
        performances[at]
            .log_loss
            .map_or(f64::INFINITY, |loss| loss.value)
    };
    let known = (0..scores.len()).filter(|&at| loss(at).is_finite());
    let best = known.clone().min_by(|&a, &b| loss(a).total_cmp(&loss(b)));
    let tests: Vec<Vec<String>> = evidence
        .models
        .iter()
        .map(|model| model.needed_features())
        .collect();
    let prices: Vec<Price> = tests
        .iter()
        .map(|tests| evidence.price_with_kept(&cohort.find(tests)))
        .collect();
    let cheaper_and_better = |at: usize| {
        (0..scores.len())
            .any(|other| prices[other].cost <= prices[at].cost && loss(other) < loss(at))
    };
    let panels: Vec<PanelPoint> = (0..scores.len())
        .map(|at| PanelPoint {
            tests: tests[at].clone(),
            price: prices[at],
            performance: performances[at],
            behind: best.map_or(Performance::UNKNOWN, |best| {
                judged.difference(&scores[at], &scores[best])
            }),
            efficient: !cheaper_and_better(at),
        })
        .collect();
    let affordable = |budget: f64| {
        let within = known.clone().filter(|&at| prices[at].cost <= budget);
        within.min_by(|&a, &b| loss(a).total_cmp(&loss(b)))
    };
    Frontier {
        within_budget: evidence.choice.budget.and_then(affordable),
        best,
        panels,
    }
}
