//! Recalibration: the logistic regression of labels on predicted logits, and what each row does to it.

use crate::numerics::special::sigmoid;

/// A coefficient, and by how much each row moved it: the residuals of its sandwich variance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recalibrated {
    pub(crate) value: f64,
    pub(super) influence: Vec<f64>,
}

/// ln p/(1-p), kept within 35 of 0.
pub(crate) fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln().clamp(-35.0, 35.0)
}

/// The slope; `None` where it has no finite value (one class only, constant or separating logits).
pub(crate) fn recalibrate(labels: &[usize], probability: &[f64]) -> Option<Recalibrated> {
    let x: Vec<f64> = probability.iter().map(|&p| logit(p)).collect();
    let (mut intercept, mut slope) = (0.0, 1.0);
    for _ in 0..100 {
        // Newton's method for the two coefficients.
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (&x, &t) in x.iter().zip(labels) {
            let p = sigmoid(intercept + slope * x);
            let (gap, weight) = (t as f64 - p, p * (1.0 - p));
            g0 += gap;
            g1 += gap * x;
            h00 += weight;
            h01 += weight * x;
            h11 += weight * x * x;
        }
        let det = h00 * h11 - h01 * h01;
        if det.is_nan() || det <= 1e-12 * h00 * h11 {
            return None;
        }
        let step = ((h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det);
        // Probabilities that are far off on the whole would send a whole step beyond any return.
        let before = log_likelihood(&x, labels, (intercept, slope));
        let after = |length: f64| (intercept + length * step.0, slope + length * step.1);
        let mut length = 1.0;
        while length > 1e-6 && log_likelihood(&x, labels, after(length)) < before - 1e-9 {
            length *= 0.5;
        }
        (intercept, slope) = after(length);
        if step.0.abs() + step.1.abs() < 1e-9 {
            let influence = |(&x, &t): (&f64, &usize)| {
                let gap = t as f64 - sigmoid(intercept + slope * x);
                (h00 * x - h01) * gap / det
            };
            return (slope.abs() < 50.0).then(|| Recalibrated {
                value: slope,
                influence: x.iter().zip(labels).map(influence).collect(),
            });
        }
    }
    None
}

fn log_likelihood(x: &[f64], labels: &[usize], (intercept, slope): (f64, f64)) -> f64 {
    let row = |(&x, &t): (&f64, &usize)| {
        let f = intercept + slope * x;
        let against = if t == 1 { -f } else { f };
        // -ln(1 + exp(against)), whatever its size.
        -(against.max(0.0) + (-against.abs()).exp().ln_1p())
    };
    x.iter().zip(labels).map(row).sum()
}

/// The intercept with the slope held at 1: what all logits lack; `None` where one class is absent.
pub(crate) fn intercept(labels: &[usize], probability: &[f64]) -> Option<Recalibrated> {
    let positive = labels.iter().sum::<usize>();
    (positive > 0 && positive < labels.len()).then_some(())?;
    let x: Vec<f64> = probability.iter().map(|&p| logit(p)).collect();
    let excess = |intercept: f64| -> f64 {
        let rows = x.iter().zip(labels);
        rows.map(|(x, &t)| t as f64 - sigmoid(x + intercept)).sum()
    };
    // It falls in the intercept, and logits are within 35 of 0.
    let (mut low, mut high) = (-80.0, 80.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let value = 0.5 * (low + high);
    let p: Vec<f64> = x.iter().map(|x| sigmoid(x + value)).collect();
    let information: f64 = p.iter().map(|p| p * (1.0 - p)).sum();
    let influence = p
        .iter()
        .zip(labels)
        .map(|(p, &t)| (t as f64 - p) / information);
    (information > 1e-9).then(|| Recalibrated {
        value,
        influence: influence.collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What a coefficient becomes without each row is what its influence says, to first order.
    #[test]
    fn influences_are_those_of_leaving_rows_out() {
        let labels: Vec<usize> = (0..400).map(|n| usize::from(n * 7 % 11 < 5)).collect();
        let probability: Vec<f64> = (0..400)
            .map(|n| sigmoid((n * 37 % 101) as f64 / 40.0 - 1.5 + 0.8 * labels[n] as f64))
            .collect();
        for fit in [recalibrate, intercept] {
            let whole = fit(&labels, &probability).unwrap();
            assert!(whole.influence.iter().sum::<f64>().abs() < 1e-6);
            for left in [0, 17, 250] {
                let without = |n: &usize| *n != left;
                let rows: Vec<usize> = (0..400).filter(without).collect();
                let l: Vec<usize> = rows.iter().map(|&n| labels[n]).collect();
                let p: Vec<f64> = rows.iter().map(|&n| probability[n]).collect();
                let change = whole.value - fit(&l, &p).unwrap().value;
                let said = whole.influence[left];
                assert!(
                    (change - said).abs() < 0.1 * said.abs() + 1e-4,
                    "{change} {said}"
                );
            }
        }
    }

    #[test]
    fn probabilities_that_are_all_far_too_high_still_have_a_slope() {
        let labels: Vec<usize> = (0..40).map(|n| usize::from(n * 7 % 11 < 5)).collect();
        let logits: Vec<f64> = (0..40)
            .map(|n| (n * 37 % 101) as f64 / 40.0 - 1.5 + 0.8 * labels[n] as f64)
            .collect();
        for added in [0.0, 6.0, -6.0, 12.0] {
            let p: Vec<f64> = logits.iter().map(|x| sigmoid(x + added)).collect();
            let found = recalibrate(&labels, &p).unwrap().value;
            assert!((found - 2.552_057_437_884).abs() < 1e-6, "{added} {found}");
        }
    }

    #[test]
    fn the_intercept_is_what_the_logits_lack() {
        // A quarter are positive and all are said to be at one half: ln(1/3) is missing.
        let found = intercept(&[1, 0, 0, 0], &[0.5; 4]).unwrap();
        assert!((found.value - (1.0f64 / 3.0).ln()).abs() < 1e-9);
        assert_eq!(intercept(&[1, 1], &[0.5, 0.6]), None);
        assert_eq!(recalibrate(&[0, 1], &[0.5, 0.5]), None);
    }
}
