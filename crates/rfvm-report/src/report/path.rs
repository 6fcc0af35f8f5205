//! The path of sizes: what a model of every size should cost on new samples.

use maud::html;
use rfvm::{Method, PathSize, Size, Task};

use super::facts::Facts;
use crate::page::{Section, fitted_figure, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series};
use crate::table::{Column, DataTable};

/// Size against expected loss with standard errors, the base rate, and the sizes that have names.
pub fn path_chart(sizes: &[PathSize], task: Task) -> Chart {
    let measure = match task {
        Task::Classification => "expected log loss",
        Task::Regression => "expected half squared error",
    };
    let loss = |size: &PathSize| (size.features as f64, size.expected.loss);
    let ends = sizes
        .iter()
        .flat_map(|s| [s.expected.loss, s.expected.base]);
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let mut labels = 0;
    let mark = |size: &PathSize| {
        let (x, y) = loss(size);
        let (se, names) = (size.expected.se, names(size));
        let tip = format!(
            "{x} features: {y:.4} ± {se:.4}{}{}",
            if names.is_empty() { "" } else { "\n" },
            names
        );
        match names.is_empty() {
            true => Mark::new(x, y, Color::Blue, tip),
            false => {
                labels += 1;
                // Every other label stands higher: named sizes may be neighbours.
                let raised = f64::from(labels % 2) * 0.1 * (high - low);
                Mark {
                    size: 7.0,
                    label: Some(names),
                    label_y: Some(y + se + raised),
                    ..Mark::new(x, y, Color::Vermillion, tip)
                }
            }
        }
    };
    let best = sizes
        .iter()
        .min_by(|a, b| a.expected.loss.total_cmp(&b.expected.loss));
    let description = match best {
        Some(best) => format!(
            "The lowest {measure} is {:.3} with {} features; the base rate costs {:.3}.",
            best.expected.loss, best.features, best.expected.base
        ),
        None => "There are no sizes to show.".to_string(),
    };
    let ticks = sizes
        .iter()
        .map(|size| (size.features as f64, size.features.to_string()))
        .collect();
    let intervals = sizes
        .iter()
        .map(|s| {
            (
                s.features as f64,
                s.expected.loss - s.expected.se,
                s.expected.loss + s.expected.se,
            )
        })
        .collect();
    let mut chart = Chart::new(
        "path",
        format!("Number of features against {measure}"),
        description,
        Axis::new("features").log().ticks(ticks),
        Axis::new(measure),
    )
    .size(640.0, 400.0)
    .intervals(Color::Blue, intervals)
    .line(Series::new(
        "",
        Color::Blue,
        sizes.iter().map(loss).collect(),
    ))
    .marks("", sizes.iter().map(mark).collect());
    if let Some(first) = sizes.first() {
        chart = chart.level(first.expected.base, "base rate");
    }
    chart
}

fn names(size: &PathSize) -> String {
    let names: Vec<&str> = size
        .chosen_as
        .iter()
        .map(|size| match size {
            Size::Compact => "compact",
            Size::Balanced => "balanced",
            Size::Accurate => "accurate",
            Size::Features(_) => "as asked",
        })
        .collect();
    names.join(", ")
}

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let model = facts.model();
    let body = match (model.sizes(), &model.parameters().method) {
        ([], Method::Signatures(_) | Method::MeanField(_)) => missing(
            "The model is a signature or a committee of signatures, not a point of the path; rfvm path shows what every size should cost.",
        ),
        ([], Method::Projected(_)) => missing(
            "The samples were too few to hold some back, so nothing can be said of any size.",
        ),
        (sizes, _) => {
            let chart = path_chart(sizes, model.task()).size(940.0, 380.0);
            let own = model.feature_count();
            let caption = format!(
                "This model has {own} features. Whiskers are standard errors. The losses come from cross-validation within the fit, selection included; they are of the training samples, each judged by fits that did not know it."
            );
            let row = |size: &PathSize| {
                vec![
                    size.features.into(),
                    size.expected.loss.into(),
                    size.expected.se.into(),
                    size.behind.0.into(),
                    size.behind.1.into(),
                    names(size).into(),
                ]
            };
            let columns = vec![
                Column::number("features", 0),
                Column::number("expected loss", 4),
                Column::number("se", 4),
                Column::number("behind the best", 4),
                Column::number("se of that", 4),
                Column::text("known as"),
            ];
            let table = DataTable::new(
                "path-table",
                "Every size of the path",
                columns,
                sizes.iter().map(row).collect(),
            );
            html! { (fitted_figure(&chart, &chart.narrow(), "How many features are worth having", &caption)) (table) }
        }
    };
    Section::new("sizes", "Path of sizes", body)
}
