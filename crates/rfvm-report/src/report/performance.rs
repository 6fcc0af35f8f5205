//! How well the model does on samples it has not seen: ROC, precision and recall, calibration, decisions.

use maud::{Markup, html};
use rfvm::Summary;
use rfvm::summary::{
    Bin, Calibration, Curve, CurvePoint, Curves, Decision, EvaluationSummary, SampleSummary,
};

use super::view::side;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

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
        Some(curves) => classes(evaluation, curves, side(summary, 1)),
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

fn classes(evaluation: &EvaluationSummary, curves: &Curves, positive: &str) -> Markup {
    let prevalence = curves.prevalence;
    let chance = |name: &str, points| Series {
        dashed: true,
        thin: true,
        ..Series::new(name, Color::Grey, points)
    };

    let auc = evaluation.auc.map_or(String::new(), |auc| {
        format!(
            "Area {:.3}, 95 % interval {:.3} to {:.3}.",
            auc.mean, auc.low, auc.high
        )
    });
    let roc = Chart::new(
        "roc",
        "ROC curve",
        format!("Share of {positive} found against share of the others taken for it. {auc}"),
        share("others taken for it (1 - specificity)"),
        share("found (sensitivity)"),
    );
    let roc = line(
        roc.line(chance("chance", vec![(0.0, 0.0), (1.0, 1.0)])),
        "mean of repeats",
        &curves.roc,
        |x, y| format!("1 - specificity {x:.2}\nsensitivity {y:.2}"),
    );

    let pr = Chart::new(
        "precision-recall",
        "Precision and recall",
        format!(
            "Share of true {positive} among those taken for it, against share of {positive} found. The base rate is {prevalence:.2}."
        ),
        share("found (recall)"),
        share("right among the found (precision)"),
    );
    let pr = line(
        pr.line(chance(
            "base rate",
            vec![(0.0, prevalence), (1.0, prevalence)],
        )),
        "mean of repeats",
        &curves.precision_recall,
        |x, y| format!("recall {x:.2}\nprecision {y:.2}"),
    );

    let slope = evaluation.calibration_slope.map_or(String::new(), |slope| {
        format!(" The calibration slope is {slope:.2}; below 1 is overconfident.")
    });
    html! {
        p { "Every prediction here is of a sample that its fit had not seen: " (evaluation.folds) " folds, repeated "
            (evaluation.repeats) " times, with everything (scaling, selection, tuning) done anew in each. Bands hold 95 % of curves of samples drawn anew." }
        (grid(&[
            figure(&roc, "ROC curve", &auc),
            figure(&pr, "Precision and recall", &format!("The dashed line is the base rate of {positive}: {prevalence:.2}.")),
            figure(&calibration(&curves.calibration, positive), "Calibration", &format!("On the diagonal, predicted probabilities are met. Intervals are Wilson's.{slope}")),
            figure(&decision(curves, positive), "Decision curve", "Net benefit of acting on the model, by the probability from which one would act, against acting on all or on none."),
        ]))
    }
}

fn calibration(calibration: &Calibration, positive: &str) -> Chart {
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
    Chart::new("calibration", "Calibration", format!("Predicted probability of {positive} against its share, in groups of equal size; the largest difference is {largest_gap:.2}."), share("predicted probability"), share("share seen"))
        .line(Series { dashed: true, thin: true, ..Series::new("perfect", Color::Grey, vec![(0.0, 0.0), (1.0, 1.0)]) })
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
        .line(Series { dashed: true, thin: true, ..Series::new("act on none", Color::Grey, vec![(0.0, 0.0), (0.9, 0.0)]) })
        .line(Series { thin: true, ..Series::new("act on all", Color::Orange, all) });
    line(chart, "act on the model", model, |x, y| {
        format!("threshold {x:.2}\nnet benefit {y:.3}")
    })
}

fn values_chart(summary: &Summary) -> Markup {
    let values = summary.samples.iter().filter_map(|sample| sample.value);
    let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let mark = |sample: &SampleSummary| {
        let (predicted, value) = (sample.unseen?, sample.value?);
        let tip = format!("{}\npredicted {predicted:.3}, seen {value:.3}", sample.name);
        Some(Mark::new(predicted, value, Color::Blue, tip))
    };
    let marks = summary.samples.iter().filter_map(mark).collect();
    let chart = Chart::new(
        "predicted",
        "Predicted against seen",
        "Mean prediction over the repeats against the true value of each sample.",
        Axis::new("predicted, unseen"),
        Axis::new("true value"),
    )
    .line(Series {
        dashed: true,
        thin: true,
        ..Series::new(
            "perfect",
            Color::Grey,
            vec![(ends.0, ends.0), (ends.1, ends.1)],
        )
    })
    .marks("sample", marks);
    grid(&[figure(
        &chart,
        "Predicted against seen",
        "Each prediction is the mean over the repeats of fits that had not seen the sample.",
    )])
}
