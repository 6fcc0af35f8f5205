//! What the last advice says of the subjects.

use maud::{Markup, html};
use rfvm_report::{Axis, Cell, Chart, Color, Column, DataTable, Mark, Series, figure, note};
use serde_json::Value;

use super::log_values::{cell, count, list, number, text};

pub(super) fn subjects(advice: &Value) -> Markup {
    let defining = &advice["defining"];
    let row = |subject: &Value| -> Vec<Cell> {
        vec![
            text(&subject["subject"]).into(),
            text(&subject["class"]).into(),
            cell(&subject["coefficient"]),
            cell(&subject["frequency"]),
        ]
    };
    let table = DataTable::new(
        "subjects-table",
        "Subjects that define the model",
        vec![
            Column::text("subject"),
            Column::text("class"),
            Column::number("coefficient", 4),
            Column::number("in models", 2),
        ],
        defining["subjects"]
            .as_array()
            .into_iter()
            .flatten()
            .map(row)
            .collect(),
    );
    let group = |group: &Value| -> Vec<Cell> {
        vec![
            count(&group["subjects"]).into(),
            text(&group["class"]).into(),
            list(&group["subjects"]).join(", ").into(),
            cell(&group["spread"]),
        ]
    };
    let groups: Vec<Vec<Cell>> = defining["near_equals"]
        .as_array()
        .into_iter()
        .flatten()
        .map(group)
        .collect();
    let cautions = list(&advice["cautions"]);
    html! {
        @if let Some(caution) = cautions.first() { (note(&html! { p { (caution) } })) }
        (table)
        @if groups.is_empty() { p { "No two subjects of a class are near-equals for the model." } }
        @else {
            (DataTable::new("near-equals-table", "Subjects that the model can hardly tell apart", vec![Column::number("subjects", 0), Column::text("class"), Column::text("who"), Column::number("spread", 2)], groups))
        }
    }
}

pub(super) fn recruit(advice: &Value) -> Markup {
    let recruitment = &advice["recruitment"];
    let regions = recruitment["regions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let curve = &recruitment["curve"];
    let points = curve["points"].as_array().cloned().unwrap_or_default();
    let points: Vec<Value> = points
        .into_iter()
        .filter(|point| point["performance"]["log_loss"].is_object())
        .collect();
    let measured: Vec<(f64, f64)> = points
        .iter()
        .map(|p| {
            (
                number(&p["subjects"]),
                number(&p["performance"]["log_loss"]["value"]),
            )
        })
        .collect();
    let gains = curve["gains"].as_array().cloned().unwrap_or_default();
    let chart = {
        let whiskers = points.iter().map(|p| {
            let loss = &p["performance"]["log_loss"];
            (
                number(&p["subjects"]),
                number(&loss["low"]),
                number(&loss["high"]),
            )
        });
        let marks = measured.iter().map(|&(x, y)| {
            Mark::new(
                x,
                y,
                Color::Blue,
                format!("{x:.0} training subjects: log loss {y:.3}"),
            )
        });
        let told: Vec<String> = gains
            .iter()
            .filter(|gain| gain["log_loss"].is_object())
            .map(|g| {
                format!(
                    "{} more should lower it by {:.4}",
                    g["further"],
                    number(&g["log_loss"]["value"])
                )
            })
            .collect();
        Chart::new(
            "learning-curve",
            "Learning curve",
            format!("Log loss against training subjects; {}.", told.join(", ")),
            Axis::new("training subjects"),
            Axis::new("log loss"),
        )
        .line(Series::new("", Color::Blue, measured.clone()))
        .intervals(Color::Blue, whiskers.collect())
        .marks("", marks.collect())
    };
    let region = |region: &Value| -> Vec<Cell> {
        vec![
            text(&region["description"]).into(),
            cell(&region["subjects"]),
            cell(&region["uncertainty"]),
            cell(&region["excess"]["value"]),
            cell(&region["excess"]["se"]),
        ]
    };
    let gain = |gain: &Value| -> Vec<Cell> {
        vec![
            cell(&gain["further"]),
            cell(&gain["log_loss"]["value"]),
            cell(&gain["log_loss"]["se"]),
            cell(&gain["auc"]["value"]),
            cell(&gain["auc"]["se"]),
        ]
    };
    let balance = |cell_of: &Value| -> Vec<Cell> {
        vec![
            text(&cell_of["variable"]).into(),
            text(&cell_of["value"]).into(),
            cell(&cell_of["counts"][0]),
            cell(&cell_of["counts"][1]),
            cell(&cell_of["log_loss"]["value"]),
            cell(&cell_of["log_loss"]["se"]),
        ]
    };
    let cells = recruitment["balance"].as_array().into_iter().flatten();
    html! {
        ul { @for sentence in list(&recruitment["wanted"]) { li { (sentence) } } }
        @if !measured.is_empty() {
            (figure(&chart, "Learning curve", "Log loss on subjects not seen, with 90 % intervals."))
            (DataTable::new("gains-table", "What further subjects should bring", vec![Column::number("further subjects", 0), Column::number("log loss falls by", 4), Column::number("se", 4), Column::number("AUC rises by", 4), Column::number("se", 4)], gains.iter().map(gain).collect()))
        }
        @if !regions.is_empty() {
            (DataTable::new("regions-table", "Where the model is unsure", vec![Column::text("where"), Column::number("subjects", 0), Column::number("probability ±", 3), Column::number("more than elsewhere", 4), Column::number("se", 4)], regions.iter().map(region).collect()))
        }
        (DataTable::new("balance-table", "Balance", vec![Column::text("variable"), Column::text("value"), Column::number(text(&advice["classes"][0]), 0), Column::number(text(&advice["classes"][1]), 0), Column::number("log loss", 4), Column::number("se", 4)], cells.map(balance).collect()))
    }
}
