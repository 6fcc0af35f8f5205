//! Every wave: what was in use, what it cost, what came of it.

use maud::{Markup, html};
use rfvm_report::{
    Axis, Cell, Chart, Color, Column, DataTable, Mark, Series, figure, grid, missing,
};
use serde_json::Value;

use super::fits::fits;
use super::log_values::{cell, number, text};
use super::story::retired_after;
use crate::timeline::{Timeline, Turn};

pub(super) fn waves(timeline: &Timeline) -> Markup {
    let turns = &timeline.turns;
    if turns.is_empty() {
        return missing("There is no wave yet: rfvm study add brings one.");
    }
    let x = |turn: &Turn| turn.wave.wave as f64;
    let axis = |points: &[(f64, f64)]| {
        Axis::new("wave").ticks(points.iter().map(|(x, _)| (*x, x.to_string())).collect())
    };
    let line = |of: &dyn Fn(&Turn) -> f64| -> Vec<(f64, f64)> {
        turns.iter().map(|turn| (x(turn), of(turn))).collect()
    };
    let marks = |points: &[(f64, f64)], unit: &str| -> Vec<Mark> {
        points
            .iter()
            .map(|&(x, y)| Mark::new(x, y, Color::Blue, format!("wave {x}: {y} {unit}")))
            .collect()
    };
    let ends = |points: &[(f64, f64)], what: &str| match points {
        [first, .., last] => format!(
            "{what} goes from {} with wave {} to {} with wave {}.",
            first.1, first.0, last.1, last.0
        ),
        [only] => format!("{what} is {}.", only.1),
        [] => String::new(),
    };
    let tests = line(&|turn| turn.tests as f64);
    let cost = line(&|turn| turn.price.cost);
    let tests_chart = Chart::new(
        "tests-by-wave",
        "Tests in use by wave",
        ends(&tests, "The number of tests in use"),
        axis(&tests),
        Axis::new("tests in use"),
    )
    .line(Series {
        step: true,
        ..Series::new("", Color::Blue, tests.clone())
    })
    .marks("", marks(&tests, "tests"));
    let cost_chart = Chart::new(
        "cost-by-wave",
        "Cost of a subject by wave",
        ends(&cost, "The cost of a subject"),
        axis(&cost),
        Axis::new("cost a subject"),
    )
    .line(Series {
        step: true,
        ..Series::new("", Color::Blue, cost.clone())
    })
    .marks("", marks(&cost, "a subject"));
    let mut cards = vec![
        figure(
            &tests_chart,
            "Tests in use",
            "When the wave was collected, retired and excluded tests left out.",
        ),
        figure(
            &cost_chart,
            "Cost",
            "All tests in use, each panel paid once.",
        ),
    ];
    for (key, title, caption) in [
        (
            "auc",
            "AUC",
            "Cross-validated, with 95 % intervals; the last fit on each wave. Once tests are retired, on later subjects alone.",
        ),
        (
            "log_loss",
            "Log loss",
            "The same in nats a subject; lower is better.",
        ),
    ] {
        let points: Vec<(f64, &Value)> = turns
            .iter()
            .filter_map(|turn| Some((x(turn), &turn.shown_fit(key, &timeline.log)?.summary[key])))
            .collect();
        if points.is_empty() {
            continue;
        }
        let means: Vec<(f64, f64)> = points
            .iter()
            .map(|(x, e)| (*x, number(&e["mean"])))
            .collect();
        let marks = points.iter().map(|(x, e)| {
            let tip = format!(
                "wave {x}: {:.3} ({:.3} to {:.3})",
                number(&e["mean"]),
                number(&e["low"]),
                number(&e["high"])
            );
            Mark::new(*x, number(&e["mean"]), Color::Blue, tip)
        });
        let chart = Chart::new(
            format!("{key}-by-wave"),
            format!("{title} by wave"),
            ends(&means, title),
            axis(&means),
            Axis::new(title),
        )
        .line(Series::new("", Color::Blue, means.clone()))
        .intervals(
            Color::Blue,
            points
                .iter()
                .map(|(x, e)| (*x, number(&e["low"]), number(&e["high"])))
                .collect(),
        )
        .marks("", marks.collect());
        cards.push(figure(&chart, title, caption));
    }
    let row = |turn: &Turn| -> Vec<Cell> {
        vec![
            turn.wave.wave.into(),
            text(&turn.wave.parameters["file"]).into(),
            cell(&turn.wave.summary["new_subjects"]),
            cell(&turn.wave.summary["corrected"]),
            turn.tests.into(),
            turn.price.cost.into(),
            turn.price.minutes.into(),
            turn.price.burden.into(),
            retired_after(turn).len().into(),
        ]
    };
    let table = DataTable::new(
        "waves-table",
        "Every wave",
        vec![
            Column::number("wave", 0),
            Column::text("file"),
            Column::number("new subjects", 0),
            Column::number("corrected", 0),
            Column::number("tests in use", 0),
            Column::number("cost", 2),
            Column::number("minutes", 0),
            Column::number("burden", 0),
            Column::number("retired after", 0),
        ],
        turns.iter().map(row).collect(),
    );
    html! { (opening(timeline)) (grid(&cards)) (table) (fits(timeline)) }
}

/// What the charts show, in sentences.
fn opening(timeline: &Timeline) -> Markup {
    let turns = &timeline.turns;
    let (Some(first), Some(last)) = (turns.first(), turns.last()) else {
        return html! {};
    };
    let retired: usize = turns.iter().map(|turn| retired_after(turn).len()).sum();
    let in_use = match turns.len() {
        1 => format!(
            "{} tests are in use for {:.2} a subject",
            first.tests, first.price.cost
        ),
        _ => format!(
            "{} tests were in use for {:.2} a subject with the first, {} for {:.2} with the last",
            first.tests, first.price.cost, last.tests, last.price.cost
        ),
    };
    let waves = match turns.len() {
        1 => "One wave has".to_string(),
        many => format!("{many} waves have"),
    };
    let words = turns
        .iter()
        .rev()
        .find_map(|turn| turn.fits.last()?.summary["basis"]["words"].as_str());
    html! {
        p {
            (waves) " brought " (timeline.state.subjects.len()) " subjects; " (in_use) ", and " (retired) " were retired in all. "
            @if let Some(words) = words { "Of the last fit's performance: " (words) }
        }
    }
}
