//! How good chance looks: the same with shuffled targets.

use serde::{Deserialize, Serialize};

use super::scan::FeatureScan;
use crate::evaluate::Evaluation;

/// What shuffled targets give, for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// The whole fit in cross-validation; `None` where the evaluation has no shuffled targets.
    pub whole_fit: Option<Permutation>,
    /// The largest correlation, without its sign, of any feature with the target.
    pub strongest: Permutation,
}

/// One number with the true target, and the same with shuffled ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Permutation {
    /// What is compared.
    pub measure: Measure,
    /// With the true target.
    pub real: f64,
    /// With each shuffled one.
    pub shuffled: Vec<f64>,
    /// How many of these are as good.
    pub as_good: usize,
    /// The permutation test's p.
    pub p: f64,
}

/// What is compared between the true target and shuffled ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Area under the ROC curve.
    Auc,
    /// Root mean squared error: less is better.
    Rmse,
    /// Correlation with the target.
    Correlation,
}

impl Chance {
    pub(super) fn new(evaluation: Option<&Evaluation>, scan: &FeatureScan) -> Self {
        let strongest = (scan.features.iter())
            .map(|seen| seen.with_target.abs())
            .fold(0.0, f64::max);
        Self {
            whole_fit: evaluation.and_then(whole_fit),
            strongest: Permutation::new(Measure::Correlation, strongest, scan.chance.clone()),
        }
    }
}

impl Permutation {
    fn new(measure: Measure, real: f64, shuffled: Vec<f64>) -> Self {
        let good = |&&value: &&f64| match measure {
            Measure::Rmse => value <= real,
            Measure::Auc | Measure::Correlation => value >= real,
        };
        let as_good = shuffled.iter().filter(good).count();
        Self {
            measure,
            real,
            as_good,
            p: (1 + as_good) as f64 / (1 + shuffled.len()) as f64,
            shuffled,
        }
    }
}

fn whole_fit(evaluation: &Evaluation) -> Option<Permutation> {
    let permuted = evaluation.permuted.iter();
    let (measure, real, shuffled): (_, _, Vec<f64>) = match (evaluation.auc, evaluation.rmse) {
        (Some(auc), _) => (
            Measure::Auc,
            auc.mean,
            permuted.filter_map(|p| p.auc).collect(),
        ),
        (_, Some(rmse)) => (
            Measure::Rmse,
            rmse.mean,
            permuted.filter_map(|p| p.rmse).collect(),
        ),
        _ => return None,
    };
    (!shuffled.is_empty()).then(|| Permutation::new(measure, real, shuffled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_good_is_no_worse_and_the_true_target_counts_once() {
        let shuffled = vec![0.5, 0.7, 0.9];
        let auc = Permutation::new(Measure::Auc, 0.7, shuffled.clone());
        assert_eq!((auc.as_good, auc.p), (2, 0.75));
        let rmse = Permutation::new(Measure::Rmse, 0.6, shuffled);
        assert_eq!((rmse.as_good, rmse.p), (1, 0.5));
    }
}
