//! A score's last correction, learned on rows the score did not know: Platt's correction, t ~ σ(intercept + slope · score),
//! and the same without σ in a regression.

use serde::{Deserialize, Serialize};

use crate::data::Task;
use crate::numerics::special::sigmoid;

/// The most steps; ten are usual.
const STEPS: usize = 100;

/// intercept + slope · score
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// How much a score is stretched; above 1 where it was timid.
    pub slope: f64,
    /// What is added then.
    pub intercept: f64,
}

impl Correction {
    /// No correction.
    pub const NONE: Self = Self {
        slope: 1.0,
        intercept: 0.0,
    };

    /// Learns from (score, target, weight); `firmness` is how firmly it is held to "none", in rows' worth of doubt.
    pub(crate) fn learn(task: Task, rows: &[(f64, f64, f64)], firmness: f64) -> Self {
        Self::held(task, rows, [firmness, firmness])
    }

    /// The same with a firmness each for slope and intercept.
    pub(crate) fn held(task: Task, rows: &[(f64, f64, f64)], firmness: [f64; 2]) -> Self {
        // Steps are taken in ln slope, so that a score is never turned round: one that runs the wrong way is useless.
        let (mut log_slope, mut intercept) = (0.0, 0.0);
        for _ in 0..STEPS {
            let slope = f64::exp(log_slope);
            let mut rise = [-firmness[0] * log_slope, -firmness[1] * intercept];
            let mut curve = [firmness[0], 0.0, firmness[1]];
            for &(score, t, weight) in rows {
                let stretched = slope * score;
                let f = stretched + intercept;
                let (p, curvature) = match task {
                    Task::Classification => (sigmoid(f), sigmoid(f) * (1.0 - sigmoid(f))),
                    Task::Regression => (f, 1.0),
                };
                let (residual, h) = (weight * (t - p), weight * curvature);
                rise[0] += residual * stretched;
                rise[1] += residual;
                curve[0] += h * stretched * stretched;
                curve[1] += h * stretched;
                curve[2] += h;
            }
            let determinant = curve[0] * curve[2] - curve[1] * curve[1];
            let step = [
                (curve[2] * rise[0] - curve[1] * rise[1]) / determinant,
                (curve[0] * rise[1] - curve[1] * rise[0]) / determinant,
            ];
            if !step.iter().all(|s| s.is_finite()) {
                return Self::NONE;
            }
            // Far from the optimum a step can overshoot.
            let longest = step[0].abs().max(step[1].abs());
            let length = 0.5 / longest.max(0.5);
            log_slope += length * step[0];
            intercept += length * step[1];
            if longest < 1e-10 {
                break;
            }
        }
        Self {
            slope: log_slope.exp(),
            intercept,
        }
    }

    /// The corrected score.
    pub fn apply(&self, score: f64) -> f64 {
        self.intercept + self.slope * score
    }

    /// So far on the way from a constant score: this share of it.
    pub(crate) fn drawn_to(&self, constant: f64, share: f64) -> Self {
        self.then(Self {
            slope: share,
            intercept: (1.0 - share) * constant,
        })
    }

    /// This correction and then another, as one.
    pub fn then(&self, next: Self) -> Self {
        Self {
            slope: next.slope * self.slope,
            intercept: next.apply(self.intercept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_twice_too_timid_is_stretched_and_a_shift_is_found() {
        // Every score with the share of labels that a logit of 2 s + 0.5 asks for.
        let rows: Vec<(f64, f64, f64)> = (-20..=20)
            .map(|i| f64::from(i) / 10.0)
            .flat_map(|s| {
                let p = sigmoid(2.0 * s + 0.5);
                [(s, 1.0, 200.0 * p), (s, 0.0, 200.0 * (1.0 - p))]
            })
            .collect();
        let found = Correction::learn(Task::Classification, &rows, 4.0);
        assert!((found.slope - 2.0).abs() < 0.01, "{found:?}");
        assert!((found.intercept - 0.5).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn few_rows_change_little_and_a_useless_score_nothing_wild() {
        let few = Correction::learn(
            Task::Classification,
            &[(1.0, 1.0, 1.0), (-1.0, 0.0, 1.0)],
            4.0,
        );
        assert!(
            (few.slope - 1.0).abs() < 0.2 && few.intercept.abs() < 0.1,
            "{few:?}"
        );
        let wrong: Vec<(f64, f64, f64)> = (0..400)
            .map(|i| (if i % 2 == 0 { 3.0 } else { -3.0 }, f64::from(i % 2), 1.0))
            .collect();
        let found = Correction::learn(Task::Classification, &wrong, 4.0);
        assert!(found.slope > 0.0 && found.slope < 0.05, "{found:?}");
    }

    #[test]
    fn a_slope_held_alone_leaves_the_mean_free_and_stays_finite() {
        // The optimum by SciPy, with a normal prior of variance 1 on ln slope.
        let rows: Vec<(f64, f64, f64)> = (0..40_usize)
            .map(|n| {
                let label = f64::from(n * 7 % 11 < 5);
                let score = (n * 37 % 101) as f64 / 40.0 - 1.5 + 0.8 * label;
                (score, label, 1.0)
            })
            .collect();
        let found = Correction::held(Task::Classification, &rows, [1.0, 0.0]);
        assert!((found.intercept + 0.323_798_5).abs() < 1e-6, "{found:?}");
        assert!((found.slope - 2.363_069_8).abs() < 1e-6, "{found:?}");
        let excess = |row: &(f64, f64, f64)| row.1 - sigmoid(found.apply(row.0));
        assert!(rows.iter().map(excess).sum::<f64>().abs() < 1e-8);
        // Told apart without fault: the best slope would be infinite.
        let apart: Vec<(f64, f64, f64)> = (-10..10)
            .map(|n| (f64::from(n) + 0.5, f64::from(n >= 0), 1.0))
            .collect();
        let found = Correction::held(Task::Classification, &apart, [1.0, 0.0]);
        assert!(found.slope > 1.0 && found.slope < 10.0, "{found:?}");
    }

    #[test]
    fn a_score_is_drawn_to_a_constant() {
        let own = Correction {
            slope: 2.0,
            intercept: 0.5,
        };
        let halfway = own.drawn_to(-1.0, 0.5);
        assert_eq!(halfway.apply(3.0), 0.5 * (own.apply(3.0) - 1.0));
        assert_eq!(own.drawn_to(-1.0, 0.0).apply(3.0), -1.0);
        assert_eq!(own.drawn_to(-1.0, 1.0), own);
    }

    #[test]
    fn two_corrections_are_one() {
        let (first, second) = (
            Correction {
                slope: 2.0,
                intercept: 0.5,
            },
            Correction {
                slope: 0.25,
                intercept: -1.0,
            },
        );
        let both = first.then(second);
        assert_eq!(both.apply(3.0), second.apply(first.apply(3.0)));
        assert_eq!(Correction::NONE.then(first), first);
    }
}
