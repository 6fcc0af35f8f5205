//! What is measured on new samples: tables, curves, and what training and base rates would have said.

use maud::{Markup, html};
use rfvm::{Estimate, PredictionMeasures, Task, Validation};

use crate::page::{Section, figure, grid};
use crate::report::performance::{area, charts, predicted};
use crate::svg::Chart;
use crate::table::{Cell, Column, DataTable};

pub(super) fn class(validation: &Validation, class: usize) -> &str {
    validation
        .model
        .classes
        .get(class)
        .map_or("", String::as_str)
}

/// All curves, or of one class alone those that do not need both.
pub(super) fn drawn_curves(validation: &Validation) -> Vec<(&'static str, Chart)> {
    let Some(curves) = &validation.curves else {
        return Vec::new();
    };
    let auc = validation.measures.auc;
    let both = !validation.class_counts.contains(&0);
    let all = charts(curves, auc, class(validation, 1), "the model");
    let needs_both = |name: &str| name == "roc" || name == "precision-recall";
    all.into_iter()
        .filter(|(name, _)| both || !needs_both(name))
        .collect()
}

pub(super) fn value_chart(validation: &Validation) -> Option<Chart> {
    let samples = validation.samples.iter();
    (validation.model.task == Task::Regression).then(|| {
        predicted(
            "The model's prediction against the true value of each new sample.",
            samples
                .map(|sample| (sample.name.clone(), sample.predicted, sample.truth))
                .collect(),
        )
    })
}

/// Name and value of everything that is measured.
pub(super) fn named(
    validation: &Validation,
    of: &PredictionMeasures,
) -> Vec<(String, Option<Estimate>)> {
    let (negative, positive) = (class(validation, 0), class(validation, 1));
    let mut rows = vec![
        ("AUC".to_string(), of.auc),
        (
            format!("accuracy, above {} or not", validation.threshold),
            of.accuracy,
        ),
    ];
    if let Some(at) = &of.at_threshold {
        rows.extend([
            (format!("sensitivity for {positive}"), at.sensitivity),
            ("specificity".to_string(), at.specificity),
            (format!("PPV: {positive} among those taken for it"), at.ppv),
            (format!("NPV: {negative} among the others"), at.npv),
        ]);
    }
    rows.extend([
        ("log loss".to_string(), of.log_loss),
        ("Brier score".to_string(), of.brier),
        ("R²".to_string(), of.r2),
        ("RMSE".to_string(), of.rmse),
        ("mean absolute error".to_string(), of.mae),
    ]);
    if let Some(calibration) = of.calibration {
        rows.extend([
            (
                "calibration in the large (predicted less seen)".to_string(),
                calibration.in_the_large,
            ),
            ("calibration intercept".to_string(), calibration.intercept),
            ("calibration slope".to_string(), calibration.slope),
        ]);
    }
    let benefits = of.net_benefit.iter();
    rows.extend(benefits.map(|benefit| {
        let name = format!(
            "net benefit above {} (acting on all: {:.3})",
            benefit.threshold, benefit.all
        );
        (name, Some(benefit.model))
    }));
    rows.retain(|(_, estimate)| estimate.is_some());
    rows
}

pub(super) fn measure_table(
    id: &str,
    caption: &str,
    rows: Vec<(String, Option<Estimate>)>,
) -> DataTable {
    let row = |(name, estimate): (String, Option<Estimate>)| -> Vec<Cell> {
        let of = |of: fn(Estimate) -> f64| Cell::from(estimate.map(of));
        vec![name.into(), of(|e| e.mean), of(|e| e.low), of(|e| e.high)]
    };
    let columns = vec![
        Column::text("measure"),
        Column::number("value", 3),
        Column::number("95 % from", 3),
        Column::number("to", 3),
    ];
    DataTable::new(id, caption, columns, rows.into_iter().map(row).collect())
}

fn caption(name: &str, validation: &Validation) -> (&'static str, String) {
    match name {
        "roc" => ("ROC curve", area(validation.measures.auc)),
        "precision-recall" => (
            "Precision and recall",
            "The dashed line is the base rate of the new samples.".to_string(),
        ),
        "calibration" => (
            "Calibration",
            "On the diagonal, predicted probabilities are met. Intervals are Wilson's.".to_string(),
        ),
        _ => (
            "Decision curve",
            "Net benefit of acting on the model, by the probability from which one would act, against acting on all or on none.".to_string(),
        ),
    }
}

pub(super) fn performance(validation: &Validation) -> Section {
    let rows = named(validation, &validation.measures);
    let mut cards: Vec<Markup> = (drawn_curves(validation).iter())
        .map(|(name, chart)| {
            let (heading, words) = caption(name, validation);
            figure(chart, heading, &words)
        })
        .collect();
    cards.extend(value_chart(validation).map(|chart| {
        figure(
            &chart,
            "Predicted against seen",
            "On the dashed line, predictions are met.",
        )
    }));
    let body = html! {
        p { "The model is as its file has it; none of these samples had a part in it. Intervals come from the new samples alone, whole groups being what was drawn where there are groups." }
        (measure_table("measures-table", "Measures on the new samples", rows))
        (grid(&cards))
    };
    Section::new("performance", "Performance on the new samples", body)
}

pub(super) fn expectation(validation: &Validation) -> Section {
    let (loss, base) = match validation.model.task {
        Task::Classification => ("log loss", "base rate"),
        Task::Regression => ("mean squared error", "mean"),
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (name, rate) in [
        (
            format!("{base} of the training samples"),
            validation.training_base,
        ),
        (format!("{base} of the new samples"), validation.own_base),
    ] {
        let gain = rate.gain;
        rows.push(vec![
            name.into(),
            rate.says.into(),
            rate.loss.into(),
            gain.map(|e| e.mean).into(),
            gain.map(|e| e.low).into(),
            gain.map(|e| e.high).into(),
        ]);
    }
    let columns = vec![
        Column::text("said of every sample"),
        Column::number("value", 3),
        Column::number(loss, 3),
        Column::number("the model saves", 3),
        Column::number("95 % from", 3),
        Column::number("to", 3),
    ];
    let table = DataTable::new("base-table", "Against base rates", columns, rows);
    let expected = validation.against_expected.map(|against| {
        let (expected, seen) = (against.expected, against.seen);
        format!(
            "From samples that were held back in its training the model was expected to cost {:.3} (standard error {:.3}; base rate there {:.3}); here it costs {:.3}, {:.3} to {:.3}.",
            expected.loss, expected.se, expected.base, seen.mean, seen.low, seen.high
        )
    });
    let body = html! {
        @if let Some(sentence) = expected { p { (sentence) } }
        (table)
    };
    Section::new("expectation", "Against training and base rates", body)
}
