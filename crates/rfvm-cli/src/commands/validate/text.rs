//! What `rfvm validate` prints.

use std::io::{self, Write};

use rfvm::{BaseRate, Estimate, PredictionMeasures, Task, Validation};
use rfvm_report::{thousands, validated};

use crate::measures::{threshold_measures, with_interval, write_net_benefit};
use crate::printer::{Align, PrintedTable};

/// Features whose shift is printed; JSON and the page have all.
const SHOWN: usize = 20;

pub(super) fn write(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    heading(out, validation)?;
    measures(out, validation)?;
    costs(out, validation)?;
    calibration(out, validation)?;
    write_net_benefit(out, &validation.measures.net_benefit)?;
    shifts(out, validation)?;
    for note in &validation.measures.notes {
        writeln!(out, "\n{note}")?;
    }
    writeln!(out)?;
    for sentence in validated(validation) {
        writeln!(out, "{sentence}")?;
    }
    Ok(())
}

fn heading(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let Validation { model, n, name, .. } = validation;
    let counted = |counts: &[usize]| match counts {
        [] => String::new(),
        counts => {
            let parts = model.classes.iter().zip(counts);
            let parts: Vec<String> = parts
                .map(|(class, count)| format!("{count} {class}"))
                .collect();
            format!(" ({})", parts.join(", "))
        }
    };
    let training = &model.training;
    writeln!(
        out,
        "model: {} feature(s), fitted on {} samples{}",
        thousands(model.feature_count),
        training.samples,
        counted(&training.class_counts)
    )?;
    let groups = (validation.groups).map_or(String::new(), |count| format!(" in {count} groups"));
    writeln!(
        out,
        "new data: {name}, {n} samples{}{groups}",
        counted(&validation.class_counts)
    )?;
    if let Some(positive) = model.classes.get(1) {
        writeln!(
            out,
            "positive class: {positive}; probabilities are P({positive})"
        )?;
    }
    writeln!(out)
}

/// Name and value of everything that is measured.
fn named(validation: &Validation, of: &PredictionMeasures) -> Vec<(String, Option<Estimate>)> {
    let name = |name: &str| name.to_string();
    let mut rows = Vec::new();
    if let ([negative, positive], Some(at)) = (&validation.model.classes[..], &of.at_threshold) {
        rows.push((name("AUC"), of.auc));
        rows.push((
            format!("accuracy (above {} or not)", at.threshold),
            of.accuracy,
        ));
        rows.extend(threshold_measures(at, negative, positive));
        rows.push((name("log loss"), of.log_loss));
        rows.push((name("Brier score"), of.brier));
    } else {
        rows.push((name("R²"), of.r2));
        rows.push((name("RMSE"), of.rmse));
        rows.push((name("mean absolute error"), of.mae));
    }
    if let Some(calibration) = of.calibration {
        rows.push((name("predicted less seen"), calibration.in_the_large));
        rows.push((name("calibration intercept"), calibration.intercept));
        rows.push((name("calibration slope"), calibration.slope));
    }
    rows
}

/// Everything that is measured, with what a recalibration makes of it.
fn measures(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let before = named(validation, &validation.measures);
    let check = validation.recalibrated.as_ref();
    let Some(after) = check.and_then(|check| check.measures.as_ref()) else {
        let mut table = PrintedTable::new([
            ("", Align::Left),
            ("value", Align::Right),
            ("95 % interval", Align::Left),
        ]);
        for (name, estimate) in before {
            let [value, ends] = with_interval(estimate);
            table.row([name, value, ends]);
        }
        return table.write(out);
    };
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("value", Align::Right),
        ("95 % interval", Align::Left),
        ("recalibrated", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    let after = named(validation, after);
    for ((name, before), (_, after)) in before.into_iter().zip(after) {
        let ([value, ends], [again, ends_again]) = (with_interval(before), with_interval(after));
        table.row([name, value, ends, again, ends_again]);
    }
    table.write(out)
}

/// What the model costs, against what its training led to expect and against base rates.
fn costs(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let (loss, base) = match validation.model.task {
        Task::Classification => ("log loss", "base rate"),
        Task::Regression => ("mean squared error", "mean"),
    };
    if let Some(against) = validation.against_expected {
        let unit = match validation.model.task {
            Task::Classification => "log loss",
            Task::Regression => "half the squared error over the training variance",
        };
        let expected = against.expected;
        writeln!(out, "\nWhat a sample costs ({unit})")?;
        let mut table = PrintedTable::new([
            ("", Align::Left),
            ("value", Align::Right),
            ("95 % interval", Align::Left),
        ]);
        let reach = 1.96 * expected.se;
        table.row([
            "expected from training".to_string(),
            format!("{:.4}", expected.loss),
            format!(
                "{:.4} to {:.4}",
                (expected.loss - reach).max(0.0),
                expected.loss + reach
            ),
        ]);
        let [value, ends] = with_interval(Some(against.seen));
        table.row(["here".to_string(), value, ends]);
        table.write(out)?;
    }
    writeln!(out, "\nAgainst saying one thing of every sample ({loss})")?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("says", Align::Right),
        ("costs", Align::Right),
        ("the model saves", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    for (name, rate) in [
        (format!("{base} of the training"), validation.training_base),
        (format!("{base} of the new samples"), validation.own_base),
    ] {
        let BaseRate { says, loss, gain } = rate;
        let [gain, ends] = with_interval(gain);
        table.row([name, format!("{says:.4}"), format!("{loss:.4}"), gain, ends]);
    }
    table.write(out)
}

/// Predicted against seen, in groups of equal size.
fn calibration(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let (Some(curves), Some(positive)) = (&validation.curves, validation.model.classes.get(1))
    else {
        return Ok(());
    };
    writeln!(out, "\nCalibration, groups of equal size")?;
    let seen = format!("share of {positive}");
    let mut table = PrintedTable::new([
        ("predicted", Align::Right),
        (&seen, Align::Right),
        ("95 % interval", Align::Left),
        ("samples", Align::Right),
    ]);
    for bin in &curves.calibration.bins {
        table.row([
            format!("{:.4}", bin.probability),
            format!("{:.4}", bin.share),
            format!("{:.4} to {:.4}", bin.low, bin.high),
            format!("{:.0}", bin.samples),
        ]);
    }
    table.write(out)
}

fn shifts(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let shifts = &validation.shifts;
    if shifts.is_empty() {
        return Ok(());
    }
    let shown = shifts.len().min(SHOWN);
    writeln!(
        out,
        "\nShift of the model's features against training, the largest {shown} of {}",
        thousands(validation.model.feature_count)
    )?;
    let mut table = PrintedTable::new([
        ("feature", Align::Left),
        ("weight", Align::Right),
        ("shift, sd", Align::Right),
        ("spread", Align::Right),
        ("outside", Align::Right),
        ("centre then", Align::Right),
        ("now", Align::Right),
        ("moves score", Align::Right),
    ]);
    let share = |share: f64| format!("{:.0} %", 100.0 * share);
    for shift in &shifts[..shown] {
        table.row([
            shift.name.clone(),
            format!("{:.4}", shift.weight),
            format!("{:+.2}", shift.shift),
            (shift.spread).map_or("-".to_string(), |spread| format!("{spread:.2}")),
            shift.outside.map_or("-".to_string(), share),
            format!("{:.4}", shift.training_centre),
            format!("{:.4}", shift.median),
            format!("{:+.3}", shift.moves_score),
        ]);
    }
    table.write(out)
}
