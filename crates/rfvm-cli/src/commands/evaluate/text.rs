//! What `rfvm evaluate` prints.

use std::io::{self, Write};

use rfvm::{Estimate, Evaluation, Selection, Wanted};

use crate::measures::{threshold_measures, with_interval, write_net_benefit};
use crate::printer::{Align, PrintedTable};

pub(super) fn write(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let Evaluation {
        n,
        d,
        repeats,
        folds,
        ..
    } = evaluation;
    writeln!(
        out,
        "{n} samples, {d} features; {folds} folds, {repeats} repeat(s)"
    )?;
    if let Some(positive) = evaluation.classes.get(1) {
        writeln!(
            out,
            "positive class: {positive}; probabilities are P({positive})"
        )?;
    }
    if evaluation.no_signal > 0 {
        writeln!(
            out,
            "{} of {} fits found no signal",
            evaluation.no_signal,
            folds * repeats
        )?;
    }
    writeln!(out)?;
    per_fold(out, evaluation)?;
    writeln!(out)?;
    overall(out, evaluation)?;
    at_thresholds(out, evaluation)?;
    added_value(out, evaluation)?;
    abstaining(out, evaluation)?;
    for note in &evaluation.notes {
        writeln!(out, "\n{note}")?;
    }
    chance(out, evaluation)?;
    writeln!(out)?;
    write_selection(out, &evaluation.selection, evaluation.features.mean)
}

/// What the features add to the covariates, where there are any: the first thing to ask.
fn added_value(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let Some(added) = &evaluation.added_value else {
        return Ok(());
    };
    writeln!(out, "\n{}", added.sentence())?;
    let mut table = PrintedTable::new([
        ("measure", Align::Left),
        ("covariates", Align::Right),
        ("with features", Align::Right),
        ("better by", Align::Right),
        ("95 % from", Align::Right),
        ("to", Align::Right),
    ]);
    for measure in &added.measures {
        let Estimate {
            mean, low, high, ..
        } = measure.better_by;
        table.row([
            measure.measure.clone(),
            format!("{:.4}", measure.covariates),
            format!("{:.4}", measure.model),
            format!("{mean:.4}"),
            format!("{low:.4}"),
            format!("{high:.4}"),
        ]);
    }
    table.write(out)
}

/// The same with shuffled labels, where that was asked for.
fn chance(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let shuffled = &evaluation.permuted;
    let (measure, real, chance): (_, _, Vec<f64>) = match (evaluation.auc, evaluation.rmse) {
        (Some(auc), _) => (
            "AUC",
            auc.mean,
            shuffled.iter().filter_map(|p| p.auc).collect(),
        ),
        (_, Some(rmse)) => (
            "RMSE",
            rmse.mean,
            shuffled.iter().filter_map(|p| p.rmse).collect(),
        ),
        _ => return Ok(()),
    };
    if chance.is_empty() {
        return Ok(());
    }
    let ends = |ends: (f64, f64), v: &f64| (ends.0.min(*v), ends.1.max(*v));
    let (low, high) = chance.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    writeln!(
        out,
        "\nWith shuffled labels, {} times: {measure} {low:.4} to {high:.4}, against {real:.4}",
        chance.len()
    )
}

fn per_fold(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let regression = evaluation.rmse.is_some();
    let measures = if regression {
        ["RMSE", "R²", ""]
    } else {
        ["accuracy", "AUC", "log loss"]
    };
    let own = [
        ("repeat", Align::Right),
        ("fold", Align::Right),
        (measures[0], Align::Right),
        (measures[1], Align::Right),
        (measures[2], Align::Right),
        ("features", Align::Right),
        ("vectors", Align::Right),
        ("seconds", Align::Right),
    ];
    let priced = evaluation.cost.is_some();
    let mut table = PrintedTable::new(
        own.into_iter()
            .chain(priced.then_some(("cost", Align::Right))),
    );
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    for result in &evaluation.results {
        let shown = if regression {
            [result.rmse, result.r2, None]
        } else {
            [result.accuracy, result.auc, result.log_loss]
        };
        let own = [
            result.repeat.to_string(),
            result.fold.to_string(),
            number(shown[0]),
            number(shown[1]),
            number(shown[2]),
            result.features.to_string(),
            result.vectors.to_string(),
            format!("{:.3}", result.fit_seconds),
        ];
        let cost = result.cost.map(|cost| format!("{cost:.2}"));
        table.row(own.into_iter().chain(cost));
    }
    table.write(out)
}

fn overall(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("mean", Align::Right),
        ("sd", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    let calibration = evaluation.calibration;
    let rows: [(&str, Option<Estimate>); 16] = [
        ("accuracy", evaluation.accuracy),
        ("balanced accuracy", evaluation.balanced_accuracy),
        ("AUC", evaluation.auc),
        ("log loss", evaluation.log_loss),
        ("Brier score", evaluation.brier),
        (
            "predicted less seen",
            calibration.and_then(|c| c.in_the_large),
        ),
        (
            "calibration intercept",
            calibration.and_then(|c| c.intercept),
        ),
        ("calibration slope", calibration.and_then(|c| c.slope)),
        ("RMSE", evaluation.rmse),
        ("R²", evaluation.r2),
        ("features", Some(evaluation.features)),
        ("features, %", Some(evaluation.features_percent)),
        ("cost of the features", evaluation.cost),
        ("vectors", Some(evaluation.vectors)),
        ("vectors, %", Some(evaluation.vectors_percent)),
        ("seconds a fit", Some(evaluation.fit_seconds)),
    ];
    for (name, estimate) in rows {
        if let Some(Estimate {
            mean,
            sd,
            low,
            high,
        }) = estimate
        {
            table.row([
                name.to_string(),
                format!("{mean:.4}"),
                // Intercept and slope are of all folds together.
                match name.starts_with("calibration") {
                    true => String::new(),
                    false => format!("{sd:.4}"),
                },
                format!("{low:.4} to {high:.4}"),
            ]);
        }
    }
    table.write(out)
}

/// What is found and missed above each threshold, and what acting on it is worth.
fn at_thresholds(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let [negative, positive] = evaluation.classes.as_slice() else {
        return Ok(());
    };
    for at in &evaluation.thresholds {
        let chosen = match (at.wanted, at.range) {
            (Some(wanted), Some((low, high))) => {
                let (what, share) = match wanted {
                    Wanted::Sensitivity(share) => ("sensitivity", share),
                    Wanted::Specificity(share) => ("specificity", share),
                };
                format!(
                    "Thresholds chosen on training samples for a {what} of {share}: {low:.3} to {high:.3}, mean {:.3}; reached on the others",
                    at.threshold
                )
            }
            _ => format!("Above a probability of {}", at.threshold),
        };
        writeln!(out, "\n{chosen}")?;
        let mut table = PrintedTable::new([
            ("", Align::Left),
            ("share", Align::Right),
            ("95 % interval", Align::Left),
        ]);
        for (name, estimate) in threshold_measures(at, negative, positive) {
            let [share, ends] = with_interval(estimate);
            table.row([name, share, ends]);
        }
        table.write(out)?;
    }
    write_net_benefit(out, &evaluation.net_benefit)
}

/// What is left when the model may abstain.
fn abstaining(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let Some(rejection) = evaluation.rejection else {
        return Ok(());
    };
    writeln!(
        out,
        "\nAbstaining where the {} % interval of the score holds both classes",
        100.0 * rejection.level
    )?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("share", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    let coverage = Some(rejection.coverage);
    for (name, estimate) in [
        ("coverage (not abstained on)", coverage),
        ("accuracy among those", rejection.accuracy),
    ] {
        let [share, ends] = with_interval(estimate);
        table.row([name.to_string(), share, ends]);
    }
    table.write(out)
}

/// How often features were selected, of so many a fit.
pub(super) fn write_selection(
    out: &mut dyn Write,
    found: &[Selection],
    features: f64,
) -> io::Result<()> {
    if found.is_empty() {
        let full = features > 0.0;
        return writeln!(
            out,
            "{}",
            match full {
                true => "The full model uses every feature: it selects nothing.",
                false => "No fit selected a feature.",
            }
        );
    }
    let shown = found.len().min(20);
    writeln!(
        out,
        "Selected features, the {shown} most frequent of {}",
        found.len()
    )?;
    let mut table = PrintedTable::new([("feature", Align::Left), ("share of fits", Align::Right)]);
    for selection in &found[..shown] {
        table.row([
            selection.feature.clone(),
            format!("{:.2}", selection.frequency),
        ]);
    }
    table.write(out)
}
