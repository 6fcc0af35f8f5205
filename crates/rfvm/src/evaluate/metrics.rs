//! How good predicted probabilities are: the measures every table of this project reports.

use super::calibration::recalibrate;

/// Share of samples whose class (probability above one half) is right.
pub fn accuracy(labels: &[usize], probability: &[f64]) -> f64 {
    mean(
        labels
            .iter()
            .zip(probability)
            .map(|(&t, &p)| f64::from(right(t, p))),
    )
}

/// Mean of the two classes' shares of right answers; `None` where a class is absent.
pub fn balanced_accuracy(labels: &[usize], probability: &[f64]) -> Option<f64> {
    let share = |class| {
        let of_class = labels
            .iter()
            .zip(probability)
            .filter(move |(t, _)| **t == class);
        let (rows, right) = of_class.fold((0, 0), |(rows, sum), (&t, &p)| {
            (rows + 1, sum + usize::from(right(t, p)))
        });
        (rows > 0).then(|| right as f64 / rows as f64)
    };
    Some(0.5 * (share(0)? + share(1)?))
}

/// Area under the ROC curve, ties counted half; `None` where a class is absent.
pub fn auc(labels: &[usize], score: &[f64]) -> Option<f64> {
    let mut order: Vec<usize> = (0..score.len()).collect();
    order.sort_by(|&i, &j| score[i].total_cmp(&score[j]));
    let (mut below, mut concordant) = (0.0, 0.0);
    for tie in order.chunk_by(|&i, &j| score[i] == score[j]) {
        let positive = tie.iter().filter(|&&i| labels[i] == 1).count() as f64;
        let negative = tie.len() as f64 - positive;
        concordant += positive * (below + 0.5 * negative);
        below += negative;
    }
    let positive = labels.len() as f64 - below;
    (below > 0.0 && positive > 0.0).then(|| concordant / (below * positive))
}

/// Mean negative log likelihood of the labels, probabilities kept 1e-15 away from 0 and 1.
pub fn log_loss(labels: &[usize], probability: &[f64]) -> f64 {
    let rows = labels.iter().zip(probability);
    mean(rows.map(|(&t, &p)| row_loss(t, p)))
}

/// Mean squared distance between label and probability.
pub fn brier(labels: &[usize], probability: &[f64]) -> f64 {
    mean(
        labels
            .iter()
            .zip(probability)
            .map(|(&t, &p)| (t as f64 - p).powi(2)),
    )
}

/// The slope of a logistic regression of the labels on the predicted logits: 1 for calibrated probabilities, below 1
/// for overconfident ones. `None` where it has no finite value (one class only, constant or separating logits).
pub fn calibration_slope(labels: &[usize], probability: &[f64]) -> Option<f64> {
    recalibrate(labels, probability).map(|found| found.value)
}

/// The loss of one row.
pub(super) fn row_loss(label: usize, probability: f64) -> f64 {
    let p = probability.clamp(1e-15, 1.0 - 1e-15);
    if label == 1 { -p.ln() } else { -(-p).ln_1p() }
}

pub(super) fn right(label: usize, probability: f64) -> bool {
    (probability > 0.5) == (label == 1)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [usize; 5] = [0, 0, 1, 1, 1];
    const PROBABILITY: [f64; 5] = [0.1, 0.6, 0.6, 0.9, 0.4];

    #[test]
    fn measures_agree_with_hand_counts() {
        assert_eq!(accuracy(&LABELS, &PROBABILITY), 0.6);
        let balanced = 0.5 * (0.5 + 2.0 / 3.0);
        assert!((balanced_accuracy(&LABELS, &PROBABILITY).unwrap_or(0.0) - balanced).abs() < 1e-15);
        // Pairs: 0.1 below all three; 0.6 ties one, is below 0.9, above 0.4.
        assert!((auc(&LABELS, &PROBABILITY).unwrap_or(0.0) - 4.5 / 6.0).abs() < 1e-15);
        let squares = (0.01 + 0.36 + 0.16 + 0.01 + 0.36) / 5.0;
        assert!((brier(&LABELS, &PROBABILITY) - squares).abs() < 1e-15);
        let logs: f64 = [0.9f64, 0.4, 0.6, 0.9, 0.4].iter().map(|p| -p.ln()).sum();
        assert!((log_loss(&LABELS, &PROBABILITY) - logs / 5.0).abs() < 1e-15);
    }

    #[test]
    fn the_calibration_slope_is_one_for_true_probabilities_and_halves_when_logits_double() {
        // Every probability is met exactly: 3 of 4 at 0.75, 1 of 4 at 0.25.
        let labels = [1, 1, 1, 0, 0, 0, 0, 1];
        let honest = [0.75, 0.75, 0.75, 0.75, 0.25, 0.25, 0.25, 0.25];
        assert!((calibration_slope(&labels, &honest).unwrap_or(0.0) - 1.0).abs() < 1e-9);
        let bold = honest.map(|p: f64| p * p / (p * p + (1.0 - p) * (1.0 - p)));
        assert!((calibration_slope(&labels, &bold).unwrap_or(0.0) - 0.5).abs() < 1e-9);
        assert_eq!(
            calibration_slope(&[0, 0, 1, 1], &[0.1, 0.2, 0.8, 0.9]),
            None
        );
        assert_eq!(calibration_slope(&[0, 1], &[0.5, 0.5]), None);
    }

    #[test]
    fn one_class_alone_has_no_auc_and_certainty_no_infinite_loss() {
        assert_eq!(auc(&[1, 1], &[0.1, 0.2]), None);
        assert_eq!(balanced_accuracy(&[0, 0], &[0.1, 0.2]), None);
        assert!(log_loss(&[0, 1], &[1.0, 0.0]) < 35.0);
    }
}
