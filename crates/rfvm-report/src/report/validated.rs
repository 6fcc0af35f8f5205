//! How a model does on labelled new samples, in words.

use rfvm::{
    CalibrationMeasures, Estimate, FeatureShift, Recalibrate, Task, UnlikeRows, Validation,
};

use super::words::count;
use crate::worth::percent;

/// A few sentences on a validation: how well, how far to believe it, against what was expected, what has shifted, and what a
/// recalibration makes of it.
pub fn validated(validation: &Validation) -> Vec<String> {
    let mut sentences = vec![how_well(validation)];
    sentences.extend(calibrated(validation));
    sentences.extend(against_expected(validation));
    sentences.extend(against_base(validation));
    sentences.extend(shifted(validation));
    sentences.extend(recalibrated(validation));
    sentences
}

fn interval(estimate: Estimate) -> String {
    let Estimate {
        mean, low, high, ..
    } = estimate;
    format!("{mean:.3} ({low:.3} to {high:.3})")
}

fn how_well(validation: &Validation) -> String {
    let Validation {
        model, measures, n, ..
    } = validation;
    match (&model.classes[..], measures.auc, measures.accuracy) {
        ([negative, positive], Some(auc), Some(accuracy)) => format!(
            "On {n} new samples it tells {positive} from {negative} with an AUC of {}, and is right for {} of them.",
            interval(auc),
            percent(accuracy.mean)
        ),
        ([_, _], None, Some(accuracy)) => format!(
            "It is right for {} of {n} new samples.",
            percent(accuracy.mean)
        ),
        _ => match measures.r2 {
            Some(r2) => format!(
                "On {n} new samples it explains a share of {} of the variance.",
                interval(r2)
            ),
            None => {
                format!("{n} new samples are too few, or too much alike, to tell how well it does.")
            }
        },
    }
}

/// Which way predictions are off, as far as that is clear.
fn calibrated(validation: &Validation) -> Option<String> {
    let CalibrationMeasures {
        in_the_large,
        slope,
        ..
    } = validation.measures.calibration?;
    let off = in_the_large?;
    let what = match validation.model.task {
        Task::Classification => "probabilities",
        Task::Regression => "predictions",
    };
    let level = match (off.low > 0.0, off.high < 0.0) {
        (true, _) => format!("Its {what} are too high, by {} on average", interval(off)),
        (_, true) => {
            let below = Estimate {
                mean: -off.mean,
                low: -off.high,
                high: -off.low,
                ..off
            };
            format!("Its {what} are too low, by {} on average", interval(below))
        }
        _ => format!(
            "The mean of its {what} is not clearly off ({:+.3}, {:+.3} to {:+.3})",
            off.mean, off.low, off.high
        ),
    };
    let spread = match slope {
        None => match validation.model.task {
            Task::Classification => {
                ", and no slope can be told, since they separate the classes or do not differ"
                    .to_string()
            }
            Task::Regression => String::new(),
        },
        Some(slope) if slope.high < 1.0 => {
            format!(", and they are too extreme: slope {}", interval(slope))
        }
        Some(slope) if slope.low > 1.0 => {
            format!(", and they are too timid: slope {}", interval(slope))
        }
        Some(slope) => format!("; slope {}, not clearly off", interval(slope)),
    };
    Some(format!("{level}{spread}."))
}

fn against_expected(validation: &Validation) -> Option<String> {
    let against = validation.against_expected?;
    let (seen, expected) = (against.seen, against.expected);
    let verdict = match against.is_more() {
        Some(true) => "clearly more than expected",
        Some(false) => "clearly less than expected",
        None => "no clear difference",
    };
    Some(format!(
        "A sample costs {} here, where its training led to expect {:.3} ± {:.3}: {verdict}.",
        interval(seen),
        expected.loss,
        expected.se
    ))
}

fn against_base(validation: &Validation) -> Option<String> {
    let gain = validation.own_base.gain?;
    let base = match validation.model.task {
        Task::Classification => "the base rate of the new samples",
        Task::Regression => "the mean of the new samples",
    };
    Some(match (gain.low > 0.0, gain.high < 0.0) {
        (true, _) => format!("It costs less than {base}, by {}.", interval(gain)),
        (_, true) => format!("It costs MORE than {base} would: its predictions do harm here."),
        _ => format!(
            "It is not clearly better than {base} ({:+.3}, {:+.3} to {:+.3}).",
            gain.mean, gain.low, gain.high
        ),
    })
}

fn shifted(validation: &Validation) -> Option<String> {
    let UnlikeRows { rows, .. } = validation.unlike;
    let most = validation.shifts.first()?;
    let FeatureShift { name, shift, .. } = most;
    let beyond = |shift: &&FeatureShift| shift.outside.is_some_and(|share| share > 0.5);
    let outside = validation.shifts.iter().filter(beyond).count();
    let moved: f64 = validation
        .shifts
        .iter()
        .map(|shift| shift.moves_score)
        .sum();
    Some(format!(
        "{rows} of {} samples are unlike all that it was trained on; {outside} of its {} lie outside their training range in most samples, {name} has moved most, by {shift:+.1} standard deviations, and together the shifts move the mean score by {moved:+.2}.",
        validation.n,
        count(validation.model.feature_count, "feature")
    ))
}

fn recalibrated(validation: &Validation) -> Option<String> {
    let check = validation.recalibrated.as_ref()?;
    let what = match check.recalibration.how {
        Recalibrate::Intercept => "the intercept",
        Recalibrate::Slope => "intercept and slope",
    };
    let honest = match (&check.measures, check.recalibration.loss) {
        (Some(_), Some([before, after])) => format!(
            "on samples that it was not learned from ({} folds, {} times) a sample then costs {after:.3} in place of {before:.3}; the order of the samples, and with it {}, stays",
            check.folds,
            check.repeats,
            match validation.model.task {
                Task::Classification => "the AUC",
                Task::Regression => "their correlation",
            }
        ),
        _ => {
            "what that is worth cannot be told, since too few samples can be held back".to_string()
        }
    };
    let (became, from) = match validation.model.task {
        Task::Classification => ("logits become", "logit"),
        Task::Regression => ("predictions become", "prediction"),
    };
    let change = check.recalibration.change;
    Some(format!(
        "Recalibrated ({what}): {became} {:.3} x {from} {:+.3}; {honest}.",
        change.slope, change.intercept
    ))
}
