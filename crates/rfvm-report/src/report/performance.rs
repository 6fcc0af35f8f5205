//! How well the model does on samples it has not seen: ROC, precision and recall, calibration, decisions.

use maud::{Markup, html};
use rfvm::{Evaluation, Target};

use super::curves::{Curve, Curves};
use super::facts::Facts;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

const ID: &str = "performance";
const TITLE: &str = "Performance on unseen samples";

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let Some(evaluation) = facts.input.evaluation else {
        let what = format!(
            "ROC, precision-recall, calibration and decision curves need predictions of samples that the fit had not seen; those of its own data would flatter it. {}",
            super::words::EVALUATE
        );
        return Section::new(ID, TITLE, missing(&what));
    };
    let body = match facts.input.data.target() {
        Target::Classes { labels, .. } => classes(facts, evaluation, labels),
        Target::Values(values) => values_chart(facts, values),
    };
    Section::new(ID, TITLE, body)
}

fn share(label: &str) -> Axis {
    Axis::new(label).range(0.0, 1.0)
}

fn line(chart: Chart, name: &str, curve: &Curve, tip: impl Fn(f64, f64) -> String) -> Chart {
    let hits = curve.points.iter().step_by(10).filter(|p| p.1.is_finite());
    let marks = hits.map(|&(x, y)| Mark {
        shape: Shape::Hidden,
        ..Mark::new(x, y, Color::Blue, tip(x, y))
    });
    let marks = marks.collect();
    chart
        .band(Color::Blue, curve.band.clone())
        .line(Series::new(name, Color::Blue, curve.points.clone()))
        .marks("", marks)
}

fn classes(facts: &Facts<'_>, evaluation: &Evaluation, labels: &[usize]) -> Markup {
    let curves = Curves::new(labels, &facts.unseen, facts.input.data.groups());
    let positive = facts.side(1);
    let prevalence = labels.iter().sum::<usize>() as f64 / labels.len() as f64;
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
        &curves.roc(),
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
        &curves.precision_recall(),
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
            figure(&calibration(&curves, positive), "Calibration", &format!("On the diagonal, predicted probabilities are met. Intervals are Wilson's.{slope}")),
            figure(&decision(&curves, prevalence, positive), "Decision curve", "Net benefit of acting on the model, by the probability from which one would act, against acting on all or on none."),
        ]))
    }
}

fn calibration(curves: &Curves<'_>, positive: &str) -> Chart {
    let bins = curves.calibration(8);
    let worst = bins
        .iter()
        .map(|bin| (bin.probability - bin.share).abs())
        .fold(0.0, f64::max);
    let tip = |bin: &super::curves::Bin| {
        format!(
            "predicted {:.2}, seen {:.2}\n({:.2} to {:.2}; about {:.0} samples)",
            bin.probability, bin.share, bin.interval.0, bin.interval.1, bin.samples
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
        .map(|bin| (bin.probability, bin.interval.0, bin.interval.1))
        .collect();
    Chart::new("calibration", "Calibration", format!("Predicted probability of {positive} against its share, in groups of equal size; the largest difference is {worst:.2}."), share("predicted probability"), share("share seen"))
        .line(Series { dashed: true, thin: true, ..Series::new("perfect", Color::Grey, vec![(0.0, 0.0), (1.0, 1.0)]) })
        .intervals(Color::Blue, between)
        .marks("groups of samples", marks)
}

fn decision(curves: &Curves<'_>, prevalence: f64, positive: &str) -> Chart {
    let curve = curves.decision();
    let all = curve
        .points
        .iter()
        .map(|&(t, _)| (t, prevalence - (1.0 - prevalence) * t / (1.0 - t)));
    // Treating all falls without end; what lies far below none is of no interest.
    let all: Vec<(f64, f64)> = all.take_while(|p| p.1 > -0.05).collect();
    let better = curve
        .points
        .iter()
        .filter(|(t, gain)| *gain > (prevalence - (1.0 - prevalence) * t / (1.0 - t)).max(0.0))
        .count();
    let highest = curve.band.iter().map(|b| b.2).fold(prevalence, f64::max);
    let share_better = 100.0 * better as f64 / curve.points.len() as f64;
    let chart = Chart::new("decision", "Decision curve", format!("Net benefit by threshold probability of {positive}; the model does better than acting on all or on none at {share_better:.0} % of the thresholds."), Axis::new("threshold probability").range(0.0, 0.9), Axis::new("net benefit").range(-0.06, 1.03 * highest))
        .line(Series { dashed: true, thin: true, ..Series::new("act on none", Color::Grey, vec![(0.0, 0.0), (0.9, 0.0)]) })
        .line(Series { thin: true, ..Series::new("act on all", Color::Orange, all) });
    line(chart, "act on the model", &curve, |x, y| {
        format!("threshold {x:.2}\nnet benefit {y:.3}")
    })
}

fn values_chart(facts: &Facts<'_>, values: &[f64]) -> Markup {
    let pairs: Vec<(f64, f64, usize)> = (values.iter().enumerate())
        .filter_map(|(n, &value)| Some((facts.unseen_mean(n)?, value, n)))
        .collect();
    let ends = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        });
    let marks = pairs
        .iter()
        .map(|&(predicted, value, n)| {
            Mark::new(
                predicted,
                value,
                Color::Blue,
                format!(
                    "{}\npredicted {predicted:.3}, seen {value:.3}",
                    facts.samples()[n]
                ),
            )
        })
        .collect();
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
