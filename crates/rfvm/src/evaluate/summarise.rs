//! From the results of all folds to an evaluation.

use std::collections::HashMap;

use super::evaluation::{Evaluation, FoldResult, Selection};
use super::measures::{AtThreshold, CalibrationMeasures, Estimate, NetBenefit, Rejection};
use super::metrics::row_loss;
use super::unseen_rows::{SHARE, UnseenRows};
use crate::data::{Dataset, Folds, Provenance, Target};
use crate::posterior::trace::StopReason;

pub(super) fn summarise(data: &Dataset, folds: &Folds, results: Vec<FoldResult>) -> Evaluation {
    let (n, d) = (data.table().samples(), data.table().features());
    // n_test / n_train of equal folds.
    let overlap = 1.0 / (folds.count() as f64 - 1.0);
    let over = |range: (f64, f64), of: &dyn Fn(&FoldResult) -> Option<f64>| {
        Estimate::resampled(
            &results.iter().filter_map(of).collect::<Vec<_>>(),
            overlap,
            range,
        )
    };
    let above_zero = (0.0, f64::INFINITY);
    let count = |of: &dyn Fn(&FoldResult) -> f64| {
        over(above_zero, &|result| Some(of(result))).unwrap_or(Estimate::ZERO)
    };
    let training = n as f64 * (1.0 - 1.0 / folds.count() as f64);
    let unseen = (!data.labels().is_empty())
        .then(|| UnseenRows::new(data.labels(), data.groups(), &results, folds.repeats()));
    let unseen = unseen.as_ref();
    let classified = unseen.map(Classified::new).unwrap_or_default();
    Evaluation {
        n,
        d,
        repeats: folds.repeats(),
        folds: folds.count(),
        accuracy: classified.accuracy,
        balanced_accuracy: classified.balanced_accuracy,
        auc: classified.auc,
        log_loss: classified.log_loss,
        brier: classified.brier,
        calibration_slope: (classified.calibration.and_then(|c| c.slope)).map(|slope| slope.mean),
        calibration: classified.calibration,
        thresholds: classified.thresholds,
        rejection: classified.rejection,
        net_benefit: classified.net_benefit,
        notes: classified.notes,
        labels: data.labels().to_vec(),
        groups: data.groups().map(<[usize]>::to_vec),
        rmse: over(above_zero, &|r| r.rmse),
        r2: over((f64::NEG_INFINITY, 1.0), &|r| r.r2),
        features: count(&|r| r.features as f64),
        cost: over(above_zero, &|r| r.cost),
        features_percent: count(&|r| 100.0 * r.features as f64 / d as f64),
        vectors: count(&|r| r.vectors as f64),
        vectors_percent: count(&|r| 100.0 * r.vectors as f64 / training),
        fit_seconds: count(&|r| r.fit_seconds),
        no_signal: results
            .iter()
            .filter(|r| r.stop == StopReason::NoSignal)
            .count(),
        selection: selection(results.iter().map(|result| &result.selected[..])),
        results,
        samples: data.table().sample_names().to_vec(),
        data: None,
        classes: match data.target() {
            Target::Classes { names, .. } => names.clone(),
            Target::Values(_) => Vec::new(),
        },
        added_value: None,
        parameters: None,
        permuted: Vec::new(),
        held_out: None,
        provenance: Provenance::default(),
    }
}

/// How often each feature was selected, most often first, ties by name.
pub(super) fn selection<'f>(fits: impl ExactSizeIterator<Item = &'f [String]>) -> Vec<Selection> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let all = fits.len();
    for name in fits.flatten() {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let share = |(feature, count): (&str, usize)| Selection {
        feature: feature.to_string(),
        frequency: count as f64 / all as f64,
    };
    counts.into_iter().map(share).collect()
}

/// The measures of a classification.
#[derive(Default)]
struct Classified {
    accuracy: Option<Estimate>,
    balanced_accuracy: Option<Estimate>,
    auc: Option<Estimate>,
    log_loss: Option<Estimate>,
    brier: Option<Estimate>,
    calibration: Option<CalibrationMeasures>,
    thresholds: Vec<AtThreshold>,
    rejection: Option<Rejection>,
    net_benefit: Vec<NetBenefit>,
    notes: Vec<String>,
}

impl Classified {
    fn new(unseen: &UnseenRows<'_>) -> Self {
        let calibration = unseen.calibration();
        let half = unseen.at_threshold(|_| 0.5, 0.5);
        let thresholds = vec![half];
        Self {
            accuracy: unseen.accuracy(),
            balanced_accuracy: unseen.balanced_accuracy(),
            auc: unseen.auc(),
            log_loss: unseen.mean(row_loss, (0.0, f64::INFINITY)),
            brier: unseen.mean(|label, p| (label as f64 - p).powi(2), SHARE),
            notes: unseen.notes(&calibration, &thresholds),
            calibration: Some(calibration),
            thresholds,
            rejection: Rejection::of(unseen, 0.95),
            net_benefit: unseen.net_benefits(0.5),
        }
    }
}
