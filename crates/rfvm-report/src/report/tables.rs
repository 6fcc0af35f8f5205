//! The tables of all features and of all samples.

use maud::html;
use rfvm::summary::{FeatureSummary, SampleSummary};
use rfvm::{Summary, Task};

use super::view::{other_data, selects, side, weight_digits};
use crate::known;
use crate::page::Section;
use crate::table::{Cell, Column, DataTable};

pub(super) fn features(summary: &Summary) -> Section {
    let classes = summary.model.task == Task::Classification;
    let missing = summary.data.missing.values > 0;
    let evaluated = selects(summary);
    let row = |feature: &FeatureSummary| {
        let mut row: Vec<Cell> = vec![
            feature.name.as_str().into(),
            feature.weight.map(brief).into(),
            feature.sd.map(brief).into(),
        ];
        if evaluated {
            row.push(feature.selected.filter(|&share| share > 0.0).into());
        }
        row.push(brief(feature.correlation));
        row.extend(feature.means.iter().map(|mean| mean.map(brief).into()));
        let nearest = feature.nearest.as_ref();
        row.push(nearest.map(|near| near.name.as_str()).into());
        row.push(nearest.map(|near| brief(near.correlation)).into());
        if missing {
            row.push(feature.missing.into());
        }
        row.extend(known::cells(&summary.known, &feature.name));
        row
    };
    let digits = weight_digits(summary);
    let mut columns = vec![
        Column::text("feature"),
        Column::number("weight", digits),
        Column::number("sd", digits),
    ];
    if evaluated {
        columns.push(Column::number("selected in", 2));
    }
    columns.push(Column::number("correlation with target", 2));
    match classes {
        true => columns.extend(
            [0, 1].map(|class| Column::number(format!("mean, {}", side(summary, class)), 2)),
        ),
        false => columns.push(Column::number("mean", 2)),
    }
    columns.extend([
        Column::text("runs most with"),
        Column::number("correlation with that", 2),
    ]);
    if missing {
        columns.push(Column::number("missing", 0));
    }
    columns.extend(known::columns(&summary.known));
    let total = summary.data.features;
    let caption = match summary.features.len() {
        shown if shown < total => {
            format!("The {shown} features that say most of the target, of {total}")
        }
        _ => "All features; those of the model first, then by correlation with the target"
            .to_string(),
    };
    let rows = summary.features.iter().map(row).collect();
    Section::new(
        "features",
        "All features",
        html! { (DataTable::new("features-table", caption, columns, rows)) },
    )
}

/// Three digits: with thousands of rows every character counts.
fn brief(value: f64) -> Cell {
    Cell::Number(format!("{value:.2e}").parse().unwrap_or(value))
}

pub(super) fn samples(summary: &Summary) -> Section {
    let classes = summary.model.task == Task::Classification;
    let evaluated = summary.evaluation.is_some();
    let row = |sample: &SampleSummary| {
        let mut row: Vec<Cell> = vec![sample.name.as_str().into()];
        if classes {
            row.push(sample.class.map(|class| side(summary, class)).into());
            row.push(sample.probability.into());
        }
        row.extend([sample.score.into(), sample.sd.into()]);
        if evaluated {
            row.push(sample.unseen.into());
        }
        if let Some(wrong) = sample.misclassified {
            row.push(if wrong { "yes" } else { "" }.into());
        }
        row.push(sample.coefficient.into());
        row
    };
    let mut columns = vec![Column::text("sample")];
    if classes {
        columns.push(Column::text("true class"));
        columns.push(Column::number(
            format!("probability of {}", side(summary, 1)),
            3,
        ));
    }
    columns.extend([
        Column::number(if classes { "score" } else { "predicted" }, 3),
        Column::number("sd", 3),
    ]);
    if evaluated {
        columns.push(Column::number(
            match classes {
                true => format!("probability of {}, unseen", side(summary, 1)),
                false => "predicted, unseen".to_string(),
            },
            3,
        ));
    }
    if classes {
        columns.push(Column::text("misclassified"));
    }
    columns.push(Column::number("vector's coefficient", 3));
    let caption = if other_data(summary) {
        "All samples of the table, which the model was not fitted on, with what the model says of them; those of the names of relevance vectors have their coefficients"
    } else if evaluated {
        "All samples: the model's own predictions of the data that it was fitted on, the mean prediction of fits that had not seen them, and who defines the model"
    } else {
        "All samples: the model's own predictions of the data that it was fitted on, and who defines the model"
    };
    let rows = summary.samples.iter().map(row).collect();
    Section::new(
        "samples",
        "All samples",
        html! { (DataTable::new("samples-table", caption, columns, rows)) },
    )
}
