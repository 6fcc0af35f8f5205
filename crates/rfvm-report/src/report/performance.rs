//! How well the model does on samples it has not seen: ROC, precision and recall, calibration, decisions.

use maud::{Markup, html};
use rfvm::summary::{
    Bin, Calibration, Curve, CurvePoint, Curves, Decision, EvaluationSummary, SampleSummary,
};
use rfvm::{Estimate, NetBenefit, Summary, Wanted};

use super::view::side;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};
use crate::table::{Cell, Column, DataTable};

const ID: &str = "performance";
const TITLE: &str = "Performance on unseen samples";

pub(super) fn section(summary: &Summary) -> Section {
    let Some(evaluation) = &summary.evaluation else {
        let what = format!(
            "ROC, precision-recall, calibration and decision curves need predictions of samples that the fit had not seen; those of its own data would flatter it. {}",
            super::words::how_to_evaluate(summary)
        );
        return Section::new(ID, TITLE, missing(&what));
    };
    let body = match &evaluation.curves {
        Some(curves) => classes(evaluation, curves, [side(summary, 0), side(summary, 1)]),
        None => values_chart(summary),
    };
    Section::new(ID, TITLE, body)
}

fn share(label: &str) -> Axis {
    Axis::new(label).range(0.0, 1.0)
}

fn line(chart: Chart, name: &str, curve: &Curve, tip: impl Fn(f64, f64) -> String) -> Chart {
    let hits = curve.points.iter().step_by(10);
    let marks = hits.filter_map(|point| {
        let (x, y) = (point.x, point.y?);
        Some(Mark {
            shape: Shape::Hidden,
            ..Mark::new(x, y, Color::Blue, tip(x, y))
        })
    });
    let marks = marks.collect();
    let known = |point: &CurvePoint| (point.x, point.y.unwrap_or(f64::NAN));
    let line = curve.points.iter().map(known).collect();
    chart
        .band(Color::Blue, band(curve).collect())
        .line(Series::new(name, Color::Blue, line))
        .marks("", marks)
}

/// Where the band is known: its place and its ends.
fn band(curve: &Curve) -> impl Iterator<Item = (f64, f64, f64)> {
    let known = |point: &CurvePoint| Some((point.x, point.low?, point.high?));
    curve.points.iter().filter_map(known)
}

pub(super) fn area(auc: Option<Estimate>) -> String {
    auc.map_or(String::new(), |auc| {
        format!(
            "Area {:.3}, 95 % interval {:.3} to {:.3}.",
            auc.mean, auc.low, auc.high
        )
    })
}

fn dashed(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        dashed: true,
        thin: true,
        ..Series::new(name, Color::Grey, points)
    }
}

fn roc(curves: &Curves, auc: Option<Estimate>, positive: &str, of: &str) -> Chart {
    let chart = Chart::new(
        "roc",
        "ROC curve",
        format!(
            "Share of {positive} found against share of the others taken for it. {}",
            area(auc)
        ),
        share("others taken for it (1 - specificity)"),
        share("found (sensitivity)"),
    );
    line(
        chart.line(dashed("chance", vec![(0.0, 0.0), (1.0, 1.0)])),
        of,
        &curves.roc,
        |x, y| format!("1 - specificity {x:.2}\nsensitivity {y:.2}"),
    )
}

fn precision_recall(curves: &Curves, positive: &str, of: &str) -> Chart {
    let prevalence = curves.prevalence;
    let chart = Chart::new(
        "precision-recall",
        "Precision and recall",
        format!(
            "Share of true {positive} among those taken for it, against share of {positive} found. The base rate is {prevalence:.2}."
        ),
        share("found (recall)"),
        share("right among the found (precision)"),
    );
    line(
        chart.line(dashed(
            "base rate",
            vec![(0.0, prevalence), (1.0, prevalence)],
        )),
        of,
        &curves.precision_recall,
        |x, y| format!("recall {x:.2}\nprecision {y:.2}"),
    )
}

/// Curves of unseen samples: a name and a chart each. `of` is what the key calls a curve.
pub(super) fn charts(
    curves: &Curves,
    auc: Option<Estimate>,
    positive: &str,
    of: &str,
) -> [(&'static str, Chart); 4] {
    let calibrated = calibration("calibration", &curves.calibration, positive);
    [
        ("roc", roc(curves, auc, positive, of)),
        ("precision-recall", precision_recall(curves, positive, of)),
        ("calibration", calibrated),
        ("decision", decision(curves, positive)),
    ]
}

/// What the key calls the curve of an evaluation.
pub(super) const REPEATED: &str = "mean of repeats";

fn classes(
    evaluation: &EvaluationSummary,
    curves: &Curves,
    [negative, positive]: [&str; 2],
) -> Markup {
    let prevalence = curves.prevalence;
    let slope = evaluation.calibration_slope.map_or(String::new(), |slope| {
        format!(" The calibration slope is {slope:.2}; below 1 is overconfident.")
    });
    let [(_, roc), (_, pr), (_, calibration), (_, decision)] =
        charts(curves, evaluation.auc, positive, REPEATED);
    html! {
        p { "Every prediction here is of a sample that its fit had not seen: " (evaluation.folds) " folds, repeated "
            (evaluation.repeats) " times, with everything (scaling, selection, tuning) done anew in each. Bands hold 95 % of curves of samples drawn anew, whole groups where there are groups; intervals come from the same samples, each counted once however often it was predicted." }
        (measures(evaluation, negative, positive))
        @for note in &evaluation.notes { p { (note) } }
        (grid(&[
            figure(&roc, "ROC curve", &area(evaluation.auc)),
            figure(&pr, "Precision and recall", &format!("The dashed line is the base rate of {positive}: {prevalence:.2}.")),
            figure(&calibration, "Calibration", &format!("On the diagonal, predicted probabilities are met. Intervals are Wilson's.{slope}")),
            figure(&decision, "Decision curve", "Net benefit of acting on the model, by the probability from which one would act, against acting on all or on none."),
        ]))
    }
}

/// Every measure with its interval.
fn measures(evaluation: &EvaluationSummary, negative: &str, positive: &str) -> DataTable {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut add = |name: String, estimate: Option<Estimate>| {
        if let Some(e) = estimate {
            rows.push(vec![
                name.into(),
                e.mean.into(),
                e.low.into(),
                e.high.into(),
            ]);
        }
    };
    add("AUC".to_string(), evaluation.auc);
    add("accuracy".to_string(), evaluation.accuracy);
    add(
        "balanced accuracy".to_string(),
        evaluation.balanced_accuracy,
    );
    for at in &evaluation.thresholds {
        let above = match at.wanted {
            None => format!("above {}", at.threshold),
            Some(Wanted::Sensitivity(share)) => {
                format!("threshold chosen for a sensitivity of {share}")
            }
            Some(Wanted::Specificity(share)) => {
                format!("threshold chosen for a specificity of {share}")
            }
        };
        add(
            format!("sensitivity for {positive}, {above}"),
            at.sensitivity,
        );
        add(format!("specificity, {above}"), at.specificity);
        add(
            format!("PPV: {positive} among those taken for it, {above}"),
            at.ppv,
        );
        add(format!("NPV: {negative} among the others, {above}"), at.npv);
    }
    if let Some(rejection) = evaluation.rejection {
        let level = 100.0 * rejection.level;
        add(
            format!("coverage: not abstained on by the {level} % interval of the score"),
            Some(rejection.coverage),
        );
        add(
            "accuracy among those not abstained on".to_string(),
            rejection.accuracy,
        );
    }
    add("log loss".to_string(), evaluation.log_loss);
    add("Brier score".to_string(), evaluation.brier);
    if let Some(calibration) = evaluation.calibration {
        add(
            "calibration in the large (predicted less seen)".to_string(),
            calibration.in_the_large,
        );
        add("calibration intercept".to_string(), calibration.intercept);
        add("calibration slope".to_string(), calibration.slope);
    }
    for benefit in &evaluation.net_benefit {
        let NetBenefit {
            threshold,
            model,
            all,
        } = benefit;
        add(
            format!("net benefit above {threshold} (acting on all: {all:.3})"),
            Some(*model),
        );
    }
    let columns = vec![
        Column::text("measure"),
        Column::number("value", 3),
        Column::number("95 % from", 3),
        Column::number("to", 3),
    ];
    DataTable::new(
        "measures-table",
        "Measures on unseen samples",
        columns,
        rows,
    )
}

/// Predicted against seen; the id tells several such charts of a page apart.
pub(super) fn calibration(id: &str, calibration: &Calibration, positive: &str) -> Chart {
    let Calibration { bins, largest_gap } = calibration;
    let tip = |bin: &Bin| {
        format!(
            "predicted {:.2}, seen {:.2}\n({:.2} to {:.2}; about {:.0} samples)",
            bin.probability, bin.share, bin.low, bin.high, bin.samples
        )
    };
    let marks = bins
        .iter()
        .map(|bin| Mark {
            size: 5.0,
            ..Mark::new(bin.probability, bin.share, Color::Blue, tip(bin))
        })
        .collect();
    let between = bins
        .iter()
        .map(|bin| (bin.probability, bin.low, bin.high))
        .collect();
    Chart::new(id, "Calibration", format!("Predicted probability of {positive} against its share, in groups of equal size; the largest difference is {largest_gap:.2}."), share("predicted probability"), share("share seen"))
        .line(dashed("perfect", vec![(0.0, 0.0), (1.0, 1.0)]))
        .intervals(Color::Blue, between)
        .marks("groups of samples", marks)
}

fn decision(curves: &Curves, positive: &str) -> Chart {
    let Decision { model, all, better } = &curves.decision;
    let all = (model.points.iter().zip(all)).map(|(point, &gain)| (point.x, gain));
    // Treating all falls without end; what lies far below none is of no interest.
    let all: Vec<(f64, f64)> = all.take_while(|p| p.1 > -0.05).collect();
    let highest = band(model).map(|b| b.2).fold(curves.prevalence, f64::max);
    let share_better = 100.0 * better;
    let chart = Chart::new("decision", "Decision curve", format!("Net benefit by threshold probability of {positive}; the model does better than acting on all or on none at {share_better:.0} % of the thresholds."), Axis::new("threshold probability").range(0.0, 0.9), Axis::new("net benefit").range(-0.06, 1.03 * highest))
        .line(dashed("act on none", vec![(0.0, 0.0), (0.9, 0.0)]))
        .line(Series { thin: true, ..Series::new("act on all", Color::Orange, all) });
    line(chart, "act on the model", model, |x, y| {
        format!("threshold {x:.2}\nnet benefit {y:.3}")
    })
}

fn values_chart(summary: &Summary) -> Markup {
    let point = |sample: &SampleSummary| Some((sample.name.clone(), sample.unseen?, sample.value?));
    let chart = predicted(
        "Mean prediction over the repeats against the true value of each sample.",
        summary.samples.iter().filter_map(point).collect(),
    );
    grid(&[figure(
        &chart,
        "Predicted against seen",
        "Each prediction is the mean over the repeats of fits that had not seen the sample.",
    )])
}

/// Predicted values against true ones, by name.
pub(super) fn predicted(description: &str, points: Vec<(String, f64, f64)>) -> Chart {
    let values = points.iter().map(|point| point.2);
    let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let mark = |(name, predicted, value): (String, f64, f64)| {
        let tip = format!("{name}\npredicted {predicted:.3}, seen {value:.3}");
        Mark::new(predicted, value, Color::Blue, tip)
    };
    Chart::new(
        "predicted",
        "Predicted against seen",
        description,
        Axis::new("predicted, unseen"),
        Axis::new("true value"),
    )
    .line(dashed("perfect", vec![(ends.0, ends.0), (ends.1, ends.1)]))
    .marks("sample", points.into_iter().map(mark).collect())
}
