//! The tables of all features and of all samples.

use maud::html;

use super::facts::Facts;
use crate::page::Section;
use crate::table::{Cell, Column, DataTable};

/// Features that the table holds at most; beyond them lies what has nothing to do with the target.
const MOST: usize = 10_000;

pub(super) fn features(facts: &Facts<'_>) -> Section {
    let table = facts.input.data.table();
    let names = table.feature_names();
    let weights: std::collections::HashMap<&str, (f64, f64)> = facts
        .features()
        .map(|(_, f)| (f.name.as_str(), (f.weight, f.sd)))
        .collect();
    let selected: std::collections::HashMap<&str, f64> = (facts.input.evaluation.iter())
        .flat_map(|evaluation| &evaluation.selection)
        .map(|s| (s.feature.as_str(), s.frequency))
        .collect();
    let strength = |d: usize| {
        let name = &names[d];
        // Features of the model first, the heaviest before; then those that any fit selected, then by correlation.
        (
            weights.get(name).map_or(-1.0, |(weight, _)| weight.abs()),
            selected.contains_key(name),
            facts.scan.features[d].with_target.abs(),
        )
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| {
        let (x, y) = (strength(a), strength(b));
        let by_selection = y.1.cmp(&x.1).then(y.2.total_cmp(&x.2));
        y.0.total_cmp(&x.0).then(by_selection)
    });
    order.truncate(MOST);
    let classes = !facts.regression();
    let missing = table.missing() > 0;
    // The full model selects nothing.
    let evaluated = facts.input.evaluation.is_some() && !facts.full();
    let row = |&d: &usize| {
        let seen = &facts.scan.features[d];
        let weight = weights.get(&names[d]);
        let mut row: Vec<Cell> = vec![
            (&names[d]).into(),
            weight.map(|w| brief(w.0)).into(),
            weight.map(|w| brief(w.1)).into(),
        ];
        if evaluated {
            row.push(selected.get(&names[d]).copied().into());
        }
        row.push(brief(seen.with_target));
        row.push(brief(seen.means[0]));
        if classes {
            row.push(brief(seen.means[1]));
        }
        row.push(seen.nearest.map(|(near, _)| &names[near]).into());
        row.push(seen.nearest.map_or(Cell::Empty, |(_, r)| brief(r)));
        if missing {
            row.push(seen.missing.into());
        }
        row
    };
    let digits = facts.weight_digits();
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
        true => columns
            .extend([0, 1].map(|class| Column::number(format!("mean, {}", facts.side(class)), 2))),
        false => columns.push(Column::number("mean", 2)),
    }
    columns.extend([
        Column::text("runs most with"),
        Column::number("correlation with that", 2),
    ]);
    if missing {
        columns.push(Column::number("missing", 0));
    }
    let total = names.len();
    let caption = match order.len() {
        shown if shown < total => {
            format!("The {shown} features that say most of the target, of {total}")
        }
        _ => "All features; those of the model first, then by correlation with the target"
            .to_string(),
    };
    let rows = order.iter().map(row).collect();
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

pub(super) fn samples(facts: &Facts<'_>) -> Section {
    let vectors = facts.vectors();
    let classes = !facts.regression();
    let evaluated = !facts.unseen.is_empty();
    let row = |n: usize| {
        let prediction = &facts.predictions[n];
        let name = facts.samples()[n].as_str();
        let mut row: Vec<Cell> = vec![name.into()];
        if classes {
            row.push(facts.side(facts.labels()[n]).into());
            row.push(prediction.probability.into());
        }
        row.extend([prediction.mean.into(), prediction.variance.sqrt().into()]);
        if evaluated {
            row.push(facts.unseen_mean(n).into());
        }
        if classes {
            row.push(if facts.wrong(n) { "yes" } else { "" }.into());
        }
        row.push(vectors.get(name).copied().into());
        row
    };
    let mut columns = vec![Column::text("sample")];
    if classes {
        columns.push(Column::text("true class"));
        columns.push(Column::number(
            format!("probability of {}", facts.side(1)),
            3,
        ));
    }
    columns.extend([
        Column::number(if classes { "score" } else { "predicted" }, 3),
        Column::number("sd", 3),
    ]);
    if evaluated {
        columns.push(Column::number(
            if classes {
                "probability, unseen"
            } else {
                "predicted, unseen"
            },
            3,
        ));
    }
    if classes {
        columns.push(Column::text("misclassified"));
    }
    columns.push(Column::number("vector's coefficient", 3));
    let caption = if evaluated {
        "All samples: the model's own predictions of the data that it was fitted on, the mean prediction of fits that had not seen them, and who defines the model"
    } else {
        "All samples: the model's own predictions of the data that it was fitted on, and who defines the model"
    };
    let rows = (0..facts.samples().len()).map(row).collect();
    Section::new(
        "samples",
        "All samples",
        html! { (DataTable::new("samples-table", caption, columns, rows)) },
    )
}
