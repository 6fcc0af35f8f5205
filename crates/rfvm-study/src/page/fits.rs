//! What the fits of a study were worth: cross-validated, and on those who came after them.

use maud::{Markup, html};
use rfvm_report::{Cell, Column, DataTable};

use super::log_values::{cell, count};
use crate::performance::Uncertain;
use crate::prospective::ProspectiveWave;
use crate::timeline::{Timeline, Turn};

pub(super) fn fits(timeline: &Timeline) -> Markup {
    html! { (cross_validated(timeline)) (prospective(timeline)) }
}

fn cross_validated(timeline: &Timeline) -> Markup {
    let row = |turn: &Turn| -> Option<Vec<Cell>> {
        let last = turn.fits.last()?;
        let shown = turn.shown_fit("auc", &timeline.log);
        let of = |key: &str, part: &str| -> Cell {
            shown.map_or(Cell::Empty, |fit| cell(&fit.summary[key][part]))
        };
        Some(vec![
            turn.wave.wave.into(),
            cell(&last.summary["subjects"]),
            count(&last.summary["panel"]).into(),
            of("auc", "mean"),
            of("auc", "low"),
            of("auc", "high"),
            of("log_loss", "mean"),
            of("basis", "subjects"),
        ])
    };
    let rows: Vec<Vec<Cell>> = timeline.turns.iter().filter_map(row).collect();
    if rows.is_empty() {
        return html! {};
    }
    let columns = vec![
        Column::number("wave", 0),
        Column::number("fitted on", 0),
        Column::number("tests in the model", 0),
        Column::number("AUC", 3),
        Column::number("at least", 3),
        Column::number("at most", 3),
        Column::number("log loss", 3),
        Column::number("measured on", 0),
    ];
    let caption = "The last fit on each wave, cross-validated, with 95 % intervals";
    html! { (DataTable::new("fits-table", caption, columns, rows)) }
}

/// How the last model before each wave did on it.
fn prospective(timeline: &Timeline) -> Markup {
    if timeline.prospective.is_empty() {
        return html! {};
    }
    let of = |value: Option<Uncertain>, get: fn(Uncertain) -> f64| Cell::from(value.map(get));
    let row = |wave: &ProspectiveWave| -> Vec<Cell> {
        let (loss, auc) = (wave.performance.log_loss, wave.performance.auc);
        vec![
            wave.wave.into(),
            (wave.fit as f64).into(),
            wave.subjects.into(),
            of(auc, |auc| auc.value),
            of(auc, |auc| auc.low),
            of(auc, |auc| auc.high),
            of(loss, |loss| loss.value),
            of(loss, |loss| loss.se),
        ]
    };
    let columns = vec![
        Column::number("wave", 0),
        Column::number("fit", 0),
        Column::number("subjects", 0),
        Column::number("AUC", 3),
        Column::number("at least", 3),
        Column::number("at most", 3),
        Column::number("log loss", 3),
        Column::number("se", 3),
    ];
    let rows = timeline.prospective.iter().map(row).collect();
    let caption = "Prospective: the last model before each wave, on the subjects of that wave";
    html! {
        p { "Nothing about a wave was known to the models before it, so that how they did on it needs no cross-validation. The limits hold with 95 % each." }
        (DataTable::new("prospective-table", caption, columns, rows))
    }
}
