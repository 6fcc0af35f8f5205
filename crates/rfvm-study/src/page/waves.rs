//! Every wave: what was in use, what it cost, who came.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use rfvm_report::{
    Axis, Bar, Bars, Cell, Chart, Color, Column, DataTable, Mark, Series, figure, grid, missing,
};
use serde_json::Value;

use super::log_values::{cell, count, number, text};
use super::story::retired_after;
use crate::timeline::{Timeline, Turn};

pub(super) fn waves(timeline: &Timeline) -> Markup {
    let turns = &timeline.turns;
    if turns.is_empty() {
        return missing("There is no wave yet: rfvm study add brings one.");
    }
    let x = |turn: &Turn| turn.wave.wave as f64;
    let axis = || {
        Axis::new("wave").ticks(
            turns
                .iter()
                .map(|turn| (x(turn), turn.wave.wave.to_string()))
                .collect(),
        )
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
        axis(),
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
        axis(),
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
            "Cross-validated, with 95 % intervals; the last fit on each wave.",
        ),
        (
            "log_loss",
            "Log loss",
            "Cross-validated, in nats a subject, with 95 % intervals; lower is better.",
        ),
    ] {
        let points: Vec<(f64, &Value)> = turns
            .iter()
            .filter_map(|turn| Some((x(turn), &turn.fits.last()?.summary[key])))
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
            axis(),
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
        let fit = turn.fits.last().map(|fit| &fit.summary);
        vec![
            turn.wave.wave.into(),
            text(&turn.wave.parameters["file"]).into(),
            cell(&turn.wave.summary["new_subjects"]),
            cell(&turn.wave.summary["corrected"]),
            turn.tests.into(),
            turn.price.cost.into(),
            turn.price.minutes.into(),
            turn.price.burden.into(),
            fit.map(|fit| count(&fit["panel"])).into(),
            fit.map_or(Cell::Empty, |fit| cell(&fit["auc"]["mean"])),
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
            Column::number("in the model", 0),
            Column::number("AUC", 3),
            Column::number("retired after", 0),
        ],
        turns.iter().map(row).collect(),
    );
    html! { (grid(&cards)) (table) }
}

pub(super) fn cohort(timeline: &Timeline) -> Markup {
    let state = &timeline.state;
    if state.subjects.is_empty() {
        return missing("There are no subjects yet.");
    }
    let mut cards = Vec::new();
    let columns = [
        Some(&state.terms.outcome),
        state.terms.site.as_ref(),
        state.terms.group.as_ref(),
    ];
    for column in columns.into_iter().flatten() {
        let words = state.attribute(column);
        let values: BTreeSet<&str> = words.iter().map(String::as_str).collect();
        if values.len() > Color::SERIES.len() {
            continue;
        }
        let value_name = |value: &str| {
            if value.is_empty() {
                "unknown".to_string()
            } else {
                value.to_string()
            }
        };
        let mut by_wave: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (subject, word) in state.subjects.iter().zip(&words) {
            let counts = by_wave
                .entry(subject.wave)
                .or_insert_with(|| vec![0; values.len()]);
            let at = values.iter().position(|value| value == word).unwrap_or(0);
            counts[at] += 1;
        }
        let bar = |(wave, counts): (&usize, &Vec<usize>)| {
            let parts: Vec<(f64, Color)> = counts
                .iter()
                .zip(Color::SERIES)
                .map(|(&n, color)| (n as f64, color))
                .collect();
            let told: Vec<String> = values
                .iter()
                .zip(counts)
                .map(|(value, n)| format!("{n} {}", value_name(value)))
                .collect();
            Bar {
                parts,
                ..Bar::new(
                    wave.to_string(),
                    0.0,
                    Color::Grey,
                    format!("wave {wave}: {}", told.join(", ")),
                )
            }
        };
        let bars = by_wave.iter().map(bar).collect();
        let description = format!("Subjects of each wave by {column}: {} kinds.", values.len());
        let mut chart = Bars::new(
            format!("cohort-{}", cards.len()),
            format!("Subjects by {column}"),
            description,
            Axis::new("subjects"),
            bars,
        );
        for (value, color) in values.iter().zip(Color::SERIES) {
            chart = chart.key(value_name(value), color);
        }
        cards.push(figure(
            &chart,
            &format!("By {column}"),
            "Subjects that came with each wave (from top to bottom), as they are known now.",
        ));
    }
    html! { (grid(&cards)) }
}
