//! The page about a model on labelled new samples.

mod measured;
mod shift;

use maud::html;
use rfvm::summary::Curves;
use rfvm::{Estimate, RecalibrationCheck, Task, Validation};

use super::figures::FigureFile;
use super::performance::calibration;
use super::validated::validated;
use super::words::{count, footer};
use crate::page::{Page, Section, Tile, figure, grid, note, tiles};
use crate::svg::Chart;
use crate::table::{Cell, Column, DataTable};
use measured::{class, drawn_curves, expectation, measure_table, named, performance, value_chart};
use shift::{shift, shift_chart};

/// A validation as one HTML file.
pub fn validation_page(validation: &Validation) -> String {
    let model = &validation.model;
    let subtitle = format!(
        "A model of {}, fitted on {}, on {} new ones",
        count(model.feature_count, "feature"),
        count(model.training.samples, "sample"),
        validation.n
    );
    let mut page = Page::new(format!("Validation: {}", validation.name), subtitle);
    page.lead = html! {
        div .answer { @for sentence in validated(validation) { p { (sentence) } } }
        @for told in &validation.measures.notes { (note(&html! { (told) })) }
        (tiles(&numbers(validation)))
    };
    page.sections = vec![performance(validation), expectation(validation)];
    page.sections.extend(shift(validation));
    page.sections.extend(recalibration(validation));
    page.sections
        .extend([samples(validation), making(validation)]);
    page.footer = footer();
    page.render()
}

/// The curves, the features' shifts and, of a regression, predicted against true values, as files.
pub fn validation_figures(validation: &Validation) -> Vec<FigureFile> {
    let drawn = drawn_curves(validation);
    let mut files: Vec<FigureFile> = (drawn.iter())
        .map(|(name, chart)| FigureFile::new(name, chart))
        .collect();
    if let Some(values) = value_chart(validation) {
        files.push(FigureFile::new("predicted", &values));
    }
    if let Some(bars) = shift_chart(validation) {
        files.push(FigureFile::new("shifts", &bars));
    }
    let recalibrated = validation.recalibrated.as_ref();
    if let Some(chart) = recalibrated.and_then(|check| after_chart(validation, check)) {
        files.push(FigureFile::new("calibration-recalibrated", &chart));
    }
    files
}

fn numbers(validation: &Validation) -> Vec<Tile> {
    let measures = &validation.measures;
    let interval =
        |e: Estimate, digits: usize| format!("{:.digits$} to {:.digits$}", e.low, e.high);
    let mut found = Vec::new();
    let mut add = |label: &str, estimate: Option<Estimate>, about: &str| {
        if let Some(e) = estimate {
            let value = format!("{:.2}", e.mean);
            found.push(Tile::new(
                label,
                value,
                format!("{}{about}", interval(e, 2)),
            ));
        }
    };
    add("AUC", measures.auc, "");
    add("accuracy", measures.accuracy, "");
    let expected = validation.against_expected.map(|against| against.expected);
    let expected = expected.map_or(String::new(), |e| format!("; expected {:.2}", e.loss));
    add("log loss", measures.log_loss, &expected);
    add("R²", measures.r2, "");
    add("RMSE", measures.rmse, "");
    let calibration = measures.calibration;
    add(
        "calibration slope",
        calibration.and_then(|c| c.slope),
        "; 1 is right",
    );
    found.push(Tile::new(
        "unlike training",
        format!("{} of {}", validation.unlike.rows, validation.n),
        "samples",
    ));
    found
}

fn after_chart(validation: &Validation, check: &RecalibrationCheck) -> Option<Chart> {
    let Curves {
        calibration: bins, ..
    } = check.curves.as_ref()?;
    let id = "calibration-recalibrated";
    Some(calibration(id, bins, class(validation, 1)))
}

fn recalibration(validation: &Validation) -> Option<Section> {
    let check = validation.recalibrated.as_ref()?;
    let chart = after_chart(validation, check);
    let body = html! {
        p { (check.recalibration.sentence()) }
        @if let Some(measures) = &check.measures {
            p { "To judge a recalibration on the samples that taught it would flatter it. So each sample is judged here by what the others taught: "
                (check.folds) " folds, " (check.repeats) " times. The order of the samples stays, and the AUC with it." }
            (measure_table("recalibrated-table", "Measures after recalibration, cross-validated", named(validation, measures)))
        }
        @if let Some(chart) = chart {
            (grid(&[figure(&chart, "Calibration after recalibration", "Of samples that had no part in what was learned.")]))
        }
    };
    Some(Section::new("recalibration", "After recalibration", body))
}

fn samples(validation: &Validation) -> Section {
    let classes = validation.model.task == Task::Classification;
    let rows = validation.samples.iter().map(|sample| -> Vec<Cell> {
        let truth = match classes {
            true => class(validation, usize::from(sample.truth > 0.5)).into(),
            false => sample.truth.into(),
        };
        vec![
            sample.name.as_str().into(),
            truth,
            sample.predicted.into(),
            sample.sd.into(),
            sample.far.into(),
            if sample.uncertain { "yes" } else { "" }.into(),
        ]
    });
    let columns = vec![
        Column::text("sample"),
        match classes {
            true => Column::text("true class"),
            false => Column::number("true value", 3),
        },
        match classes {
            true => Column::number(format!("probability of {}", class(validation, 1)), 3),
            false => Column::number("predicted", 3),
        },
        Column::number("sd", 3),
        Column::number("values far out of range", 0),
        Column::text("more uncertain than any training sample"),
    ];
    let table = DataTable::new("samples-table", "All new samples", columns, rows.collect());
    Section::new("samples", "All new samples", html! { (table) })
}

fn making(validation: &Validation) -> Section {
    let training = &validation.model.training;
    let correction = validation.model.correction;
    let not_known = "not recorded";
    let rows: Vec<(&str, String)> = vec![
        (
            "New data",
            format!("{}, {}", validation.name, validation.data),
        ),
        (
            "Training data",
            training.data.clone().unwrap_or(not_known.to_string()),
        ),
        ("Threshold", validation.threshold.to_string()),
        (
            "Correction of the model",
            format!(
                "slope {:.3}, intercept {:+.3}",
                correction.slope, correction.intercept
            ),
        ),
        (
            "Versions",
            format!(
                "fitted by rfvm {}, validated by rfvm {}",
                training.version.as_deref().unwrap_or(not_known),
                validation.version
            ),
        ),
    ];
    let earlier = validation.model.recalibrations.iter();
    let rows = rows
        .into_iter()
        .chain(earlier.map(|r| ("Recalibrated before", r.sentence())));
    let body = html! {
        div .card.plain { div .scroll tabindex="0" role="region" aria-label="How it was made (rows)" {
            table { tbody { @for (what, how) in rows { tr { th scope="row" { (what) } td { (how) } } } } }
        } }
    };
    Section::new("making", "How it was made", body)
}
