//! A score's last correction: t ~ sigmoid(intercept + slope · score), learned on rows the score did not know.

use crate::special::sigmoid;

/// How firmly the correction is held to "none" (slope 1, intercept 0), in rows' worth of doubt.
const FIRMNESS: f64 = 4.0;

/// intercept + slope · score
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correction {
    pub(crate) slope: f64,
    pub(crate) intercept: f64,
}

impl Correction {
    pub(crate) const NONE: Self = Self {
        slope: 1.0,
        intercept: 0.0,
    };

    /// Learns from (score, label, weight); `repeats` is how often each row comes in.
    pub(crate) fn learn(rows: &[(f64, f64, f64)], repeats: f64) -> Self {
        let firmness = FIRMNESS * repeats;
        let mut now = Self::NONE;
        for _ in 0..30 {
            let mut slope = [-firmness * (now.slope - 1.0), -firmness * now.intercept];
            let mut curve = [firmness, 0.0, firmness];
            for &(score, t, weight) in rows {
                let p = sigmoid(now.apply(score));
                let (residual, h) = (weight * (t - p), weight * p * (1.0 - p));
                slope[0] += residual * score;
                slope[1] += residual;
                curve[0] += h * score * score;
                curve[1] += h * score;
                curve[2] += h;
            }
            let determinant = curve[0] * curve[2] - curve[1] * curve[1];
            let step = [
                (curve[2] * slope[0] - curve[1] * slope[1]) / determinant,
                (curve[0] * slope[1] - curve[1] * slope[0]) / determinant,
            ];
            if !step.iter().all(|s| s.is_finite()) {
                return Self::NONE;
            }
            // Far from the optimum Newton's step can overshoot.
            let length = 1.0 / step[0].abs().max(step[1].abs()).max(1.0);
            now.slope += length * step[0];
            now.intercept += length * step[1];
            if step[0].abs().max(step[1].abs()) < 1e-10 {
                break;
            }
        }
        // A score that runs the wrong way is useless, not to be turned round.
        if now.slope > 0.0 { now } else { Self::NONE }
    }

    pub(crate) fn apply(&self, score: f64) -> f64 {
        self.intercept + self.slope * score
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
        let found = Correction::learn(&rows, 1.0);
        assert!((found.slope - 2.0).abs() < 0.01, "{found:?}");
        assert!((found.intercept - 0.5).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn few_rows_change_little_and_a_useless_score_nothing_wild() {
        let few = Correction::learn(&[(1.0, 1.0, 1.0), (-1.0, 0.0, 1.0)], 1.0);
        assert!(
            (few.slope - 1.0).abs() < 0.2 && few.intercept.abs() < 0.1,
            "{few:?}"
        );
        let wrong: Vec<(f64, f64, f64)> = (0..400)
            .map(|i| (if i % 2 == 0 { 3.0 } else { -3.0 }, f64::from(i % 2), 1.0))
            .collect();
        assert_eq!(Correction::learn(&wrong, 1.0), Correction::NONE);
    }
}
