//! What the last advice says of the tests.

use maud::{Markup, html};
use rfvm_report::{
    Axis, Bar, Bars, Cell, Chart, Color, Column, DataTable, Mark, Series, figure, grid, missing,
};
use serde_json::Value;

use super::log_values::{cell, count, list, number, plus_minus, text};
use crate::store::Event;

fn standing(word: &str) -> String {
    match word {
        "must_keep" => "must be kept",
        "in_use" => "in the model",
        "retire" => "can be retired",
        "undecided" => "undecided",
        "too_early" => "too early to tell",
        other => other,
    }
    .to_string()
}

pub(super) fn tests(event: &Event, advice: &Value) -> Markup {
    let entries = advice["tests"].as_array().cloned().unwrap_or_default();
    let used: Vec<Bar> = {
        let mut sorted: Vec<&Value> = entries
            .iter()
            .filter(|entry| entry["loss"]["log_loss"].is_object() && entry["standing"] == "in_use")
            .collect();
        sorted.sort_by(|a, b| {
            number(&b["loss"]["log_loss"]["value"])
                .total_cmp(&number(&a["loss"]["log_loss"]["value"]))
        });
        let bar = |entry: &&Value| {
            let loss = &entry["loss"]["log_loss"];
            let tip = format!(
                "{}: {:.4} nats lost without it ({:.4} to {:.4})",
                text(&entry["test"]),
                number(&loss["value"]),
                number(&loss["low"]),
                number(&loss["high"])
            );
            Bar::new(
                text(&entry["test"]),
                number(&loss["value"]),
                Color::Blue,
                tip,
            )
            .between(number(&loss["low"]), number(&loss["high"]))
        };
        sorted.iter().map(bar).collect()
    };
    let row = |entry: &Value| -> Vec<Cell> {
        vec![
            text(&entry["test"]).into(),
            standing(entry["standing"].as_str().unwrap_or_default()).into(),
            cell(&entry["price"]["cost"]),
            cell(&entry["measured"]),
            cell(&entry["used"]),
            cell(&entry["loss"]["log_loss"]["value"]),
            cell(&entry["loss"]["log_loss"]["se"]),
            cell(&entry["loss"]["auc"]["value"]),
            cell(&entry["loss"]["auc"]["se"]),
            cell(&entry["potential"]),
        ]
    };
    let table = DataTable::new(
        "tests-table",
        "Every test in use when this was advised",
        vec![
            Column::text("test"),
            Column::text("stands"),
            Column::number("cost", 2),
            Column::number("measured on", 0),
            Column::number("used in", 2),
            Column::number("log loss if dropped", 4),
            Column::number("se", 4),
            Column::number("AUC if dropped", 4),
            Column::number("se", 4),
            Column::number("worth at most", 4),
        ],
        entries.iter().map(row).collect(),
    );
    let everything = &advice["everything"];
    let why_nothing = advice["retirement"]["why_nothing"].as_str();
    html! {
        p {
            "Advice number " (event.id) " of the log, on " (advice["subjects"].to_string()) " subjects. With every test, on subjects not seen: log loss "
            (plus_minus(&everything["log_loss"], 3)) ", AUC " (plus_minus(&everything["auc"], 3)) ". "
            (advice["basis"]["words"].as_str().unwrap_or("An older version gave this advice; it does not say whom its numbers are measured on."))
        }
        @if let Some(reason) = why_nothing { p { "Nothing is advised for retirement: " (reason) "." } }
        @if !used.is_empty() {
            (figure(
                &Bars::new("loss-if-dropped", "Loss if dropped", "What each test of the model is worth: the log loss that fits lose without it, everything else fitted again.", Axis::new("nats a subject"), used),
                "What is lost without each test of the model",
                "Everything else is fitted again, so a test with a substitute loses little; 90 % intervals from resampled subjects.",
            ))
        }
        (table)
    }
}

pub(super) fn frontier(advice: &Value) -> Markup {
    let panels = advice["frontier"]["panels"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let judged = panels
        .iter()
        .any(|panel| panel["performance"]["log_loss"].is_object());
    let best = advice["frontier"]["best"].as_u64().map(|at| at as usize);
    let point = |panel: &Value, key: &str| {
        (
            number(&panel["price"]["cost"]),
            number(&panel["performance"][key]["value"]),
        )
    };
    let chart = |key: &str, title: &str| {
        let mut line: Vec<(f64, f64)> = panels.iter().map(|panel| point(panel, key)).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        let marks = panels.iter().enumerate().map(|(at, panel)| {
            let (x, y) = point(panel, key);
            let tip = format!(
                "{} tests for {x:.2}: {title} {y:.3} ± {:.3}",
                count(&panel["tests"]),
                number(&panel["performance"][key]["se"])
            );
            Mark {
                ring: best == Some(at),
                hollow: panel["efficient"] == Value::Bool(false),
                ..Mark::new(x, y, Color::Blue, tip)
            }
        });
        let whiskers = panels.iter().map(|panel| {
            let interval = &panel["performance"][key];
            (
                number(&panel["price"]["cost"]),
                number(&interval["low"]),
                number(&interval["high"]),
            )
        });
        let description = format!("{title} of {} panels against their cost.", panels.len());
        Chart::new(
            format!("frontier-{key}"),
            format!("{title} against cost"),
            description,
            Axis::new("cost a subject"),
            Axis::new(title),
        )
        .line(Series {
            thin: true,
            ..Series::new("", Color::Blue, line)
        })
        .intervals(Color::Blue, whiskers.collect())
        .marks("", marks.collect())
    };
    let row = |panel: &Value| -> Vec<Cell> {
        vec![
            count(&panel["tests"]).into(),
            cell(&panel["price"]["cost"]),
            cell(&panel["performance"]["log_loss"]["value"]),
            cell(&panel["performance"]["auc"]["value"]),
            cell(&panel["behind"]["log_loss"]["value"]),
            cell(&panel["behind"]["log_loss"]["se"]),
            list(&panel["tests"]).join(", ").into(),
        ]
    };
    let table = DataTable::new(
        "frontier-table",
        "Panels of growing size",
        vec![
            Column::number("tests", 0),
            Column::number("cost", 2),
            Column::number("log loss", 4),
            Column::number("AUC", 4),
            Column::number("behind the best", 4),
            Column::number("se", 4),
            Column::text("its tests"),
        ],
        panels.iter().map(row).collect(),
    );
    let caption = "On subjects not seen, the choice of tests made anew in every fold; 90 % intervals. Ringed: the best; hollow: another is cheaper and better.";
    html! {
        @if judged { (grid(&[figure(&chart("log_loss", "log loss"), "Log loss", caption), figure(&chart("auc", "AUC"), "AUC", caption)])) }
        @else { (missing("What the panels are worth cannot be told yet: too few outcomes came after the last retirement.")) }
        (table)
    }
}

pub(super) fn replacements(advice: &Value) -> Markup {
    let found = advice["replacements"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if found.is_empty() {
        return missing(
            "Quick advice leaves this out: rfvm study advise without --quick gives it.",
        );
    }
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for replacement in &found {
        for by in replacement["by"].as_array().into_iter().flatten() {
            let mut remarks = Vec::new();
            if by["in_use"] == Value::Bool(true) {
                remarks.push("in the model".to_string());
            }
            if by["retired"] == Value::Bool(true) {
                remarks.push("retired".to_string());
            }
            if let Some(signature) = by["signature"].as_u64() {
                remarks.push(format!("alternative signature {signature}"));
            }
            rows.push(vec![
                text(&replacement["test"]).into(),
                cell(&replacement["price"]["cost"]),
                cell(&replacement["loss"]["log_loss"]["value"]),
                cell(&replacement["loss"]["log_loss"]["se"]),
                text(&by["test"]).into(),
                cell(&by["price"]["cost"]),
                cell(&by["correlation"]["value"]),
                cell(&by["correlation"]["se"]),
                cell(&by["entered"]),
                remarks.join(", ").into(),
            ]);
        }
    }
    let table = DataTable::new(
        "replacements-table",
        "Tests of the model and what could stand in for them",
        vec![
            Column::text("test"),
            Column::number("cost", 2),
            Column::number("log loss", 4),
            Column::number("se", 4),
            Column::text("replaced by"),
            Column::number("its cost", 2),
            Column::number("correlation", 2),
            Column::number("se", 2),
            Column::number("came in", 2),
            Column::text("remarks"),
        ],
        rows,
    );
    html! { (table) }
}
