//! Platt's correction for several classes: one slope for all scores and an intercept a class, learned on rows that the scores
//! did not know, and the probabilities that follow.
//!
//! ```text
//! p_c = exp(intercept_c + slope · score_c) / Σ exp(intercept_k + slope · score_k)
//! ```
//!
//! The scores are those of each class against the rest, so that they need not agree with each other; the multinomial
//! likelihood of the held-back rows makes good for that as for their timidity.

use serde::{Deserialize, Serialize};

use crate::numerics::linalg::{Cholesky, Dense};

/// The most steps; ten are usual.
const STEPS: usize = 100;

/// The largest corrected score.
const LARGEST: f64 = 1e300;

/// What makes probabilities of the scores of several classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassCorrection {
    /// How much every score is stretched; above 1 where they were timid.
    pub slope: f64,
    /// What is added to each class's then.
    pub intercepts: Vec<f64>,
}

/// The scores of a row of a known class, and what it weighs.
pub(crate) struct ScoredRow<'s> {
    pub(crate) scores: &'s [f64],
    pub(crate) class: usize,
    pub(crate) weight: f64,
}

impl ClassCorrection {
    /// No correction.
    pub(crate) fn none(classes: usize) -> Self {
        Self {
            slope: 1.0,
            intercepts: vec![0.0; classes],
        }
    }

    /// Learns by the multinomial likelihood; `firmness` is how firmly it is held to "none", in rows' worth of doubt.
    pub(crate) fn learn(rows: &[ScoredRow], classes: usize, firmness: f64) -> Self {
        // The first parameter is ln slope, so that a score is never turned round.
        let mut parameters = vec![0.0; classes + 1];
        for _ in 0..STEPS {
            let now = Self::of(&parameters);
            let mut rise: Vec<f64> = parameters.iter().map(|value| -firmness * value).collect();
            let mut curve = Dense::zeros(classes + 1, classes + 1);
            curve.add_diagonal(std::iter::repeat_n(firmness, classes + 1));
            for row in rows {
                let p: Vec<f64> = (now.log_probabilities(row.scores).iter())
                    .map(|ln| ln.exp())
                    .collect();
                let stretched: Vec<f64> =
                    row.scores.iter().map(|score| now.slope * score).collect();
                // With J = [stretched, I] the gradient is J'(t - p) and the curvature J'(diag p - pp')J.
                let mean: f64 = p.iter().zip(&stretched).map(|(p, s)| p * s).sum();
                rise[0] += row.weight * (stretched[row.class] - mean);
                rise[row.class + 1] += row.weight;
                let column = curve.col_mut(0);
                for (c, (p, s)) in p.iter().zip(&stretched).enumerate() {
                    column[0] += row.weight * p * (s - mean).powi(2);
                    column[c + 1] += row.weight * p * (s - mean);
                    rise[c + 1] -= row.weight * p;
                }
                for (k, p_k) in p.iter().enumerate() {
                    let column = curve.col_mut(k + 1);
                    column[k + 1] += row.weight * p_k;
                    for (c, p_c) in p.iter().enumerate() {
                        column[c + 1] -= row.weight * p_k * p_c;
                    }
                }
            }
            // Held to none it is positive definite, but for scores that are no numbers.
            let Ok(factor) = Cholesky::new(curve) else {
                return Self::none(classes);
            };
            let step = factor.solve(&rise);
            let longest = step.iter().fold(0.0, |max: f64, s| max.max(s.abs()));
            if !longest.is_finite() {
                return Self::none(classes);
            }
            // Far from the optimum a step can overshoot.
            let length = 0.5 / longest.max(0.5);
            for (value, step) in parameters.iter_mut().zip(&step) {
                *value += length * step;
            }
            if longest < 1e-10 {
                break;
            }
        }
        Self::of(&parameters)
    }

    /// So far on the way from constant scores: this share of it.
    pub(crate) fn drawn_to(&self, constant: &[f64], share: f64) -> Self {
        let each = self.intercepts.iter().zip(constant);
        Self {
            slope: share * self.slope,
            intercepts: each
                .map(|(own, constant)| share * own + (1.0 - share) * constant)
                .collect(),
        }
    }

    fn of(parameters: &[f64]) -> Self {
        Self {
            slope: parameters[0].exp(),
            intercepts: parameters[1..].to_vec(),
        }
    }

    /// The logarithm of every class's probability.
    pub(crate) fn log_probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let each = self.intercepts.iter().zip(scores);
        // The difference of two is a number too, whatever a file has for slope and intercepts.
        let within = |f: f64| f.clamp(-LARGEST, LARGEST);
        let corrected = each.map(|(own, score)| within(own + self.slope * score));
        let corrected: Vec<f64> = corrected.collect();
        let largest = corrected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = corrected.iter().map(|f| (f - largest).exp()).sum();
        // In this order, for beside a very large score the logarithm is lost.
        let corrected = corrected.iter();
        corrected.map(|f| (f - largest) - total.ln()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_and_the_intercepts_that_the_labels_were_drawn_by_are_found() {
        let truth = ClassCorrection {
            slope: 2.0,
            intercepts: vec![0.5, -0.7, 0.2],
        };
        let scores: Vec<[f64; 3]> = (0..60)
            .map(|n| [n * 7 % 13, n * 5 % 11, n * 3 % 17].map(|k| f64::from(k) / 8.0 - 0.7))
            .collect();
        let mut rows = Vec::new();
        for scores in &scores {
            for (class, ln) in truth.log_probabilities(scores).iter().enumerate() {
                let weight = 400.0 * ln.exp();
                rows.push(ScoredRow {
                    scores,
                    class,
                    weight,
                });
            }
        }
        let found = ClassCorrection::learn(&rows, 3, 1e-6);
        assert!((found.slope - 2.0).abs() < 1e-6, "{found:?}");
        for (found, truth) in found.intercepts.iter().zip(&truth.intercepts) {
            assert!((found - truth).abs() < 1e-6, "{found} {truth}");
        }
    }

    #[test]
    fn probabilities_add_up_however_far_the_scores() {
        let some = ClassCorrection::none(3);
        let far = [1e305, -1e305, f64::MAX];
        for scores in [
            [0.0, 0.0, 0.0],
            [1e5, -1e5, 3.0],
            [-800.0, -801.0, -900.0],
            far,
        ] {
            let p: Vec<f64> = some
                .log_probabilities(&scores)
                .iter()
                .map(|ln| ln.exp())
                .collect();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{p:?}");
        }
    }

    #[test]
    fn rows_told_apart_without_fault_give_a_finite_slope() {
        let scores = [[3.0, -3.0, -3.0], [-3.0, 3.0, -3.0], [-3.0, -3.0, 3.0]];
        let rows: Vec<ScoredRow> = (0..300)
            .map(|n| ScoredRow {
                scores: &scores[n % 3],
                class: n % 3,
                weight: 1.0,
            })
            .collect();
        let found = ClassCorrection::learn(&rows, 3, 4.0);
        assert!(found.slope > 1.0 && found.slope < 10.0, "{found:?}");
    }
}
