//! What was retired, what changed and why, and the log.

use std::collections::BTreeSet;

use maud::{Markup, html};
use rfvm_report::{Cell, Column, DataTable, missing};
use serde_json::Value;

use super::log_values::{cell, count, list, number, plus_minus};
use crate::store::Event;
use crate::timeline::{Timeline, Turn};

/// Tests that were retired with the advice on a wave.
pub(super) fn retired_after(turn: &Turn) -> Vec<(&Event, &Value, &str)> {
    let accepted = turn
        .advice
        .iter()
        .filter(|(event, _)| event.summary["retired"] == Value::Bool(true));
    accepted
        .flat_map(|(event, detail)| {
            list(&event.summary["retire"])
                .into_iter()
                .map(move |test| (event, detail, test))
        })
        .collect()
}

pub(super) fn retired(timeline: &Timeline) -> Markup {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for turn in &timeline.turns {
        for (_, detail, test) in retired_after(turn) {
            let entry = detail["tests"]
                .as_array()
                .into_iter()
                .flatten()
                .find(|entry| entry["test"] == *test)
                .cloned()
                .unwrap_or_default();
            rows.push(vec![
                test.into(),
                turn.wave.wave.into(),
                cell(&entry["price"]["cost"]),
                cell(&entry["price"]["minutes"]),
                cell(&entry["price"]["burden"]),
                cell(&entry["measured"]),
                cell(&entry["used"]),
                cell(&entry["potential"]),
            ]);
        }
    }
    if rows.is_empty() {
        return missing(
            "No test has been retired; rfvm study advise --accept retires what it advises.",
        );
    }
    let table = DataTable::new(
        "retired-table",
        "Retired tests, with what spoke for it",
        vec![
            Column::text("test"),
            Column::number("after wave", 0),
            Column::number("cost", 2),
            Column::number("minutes", 0),
            Column::number("burden", 0),
            Column::number("measured on", 0),
            Column::number("used in", 2),
            Column::number("worth at most", 4),
        ],
        rows,
    );
    html! {
        p { "A test is retired when the model does not use it and, with 99 % confidence, it could not add more to it than the margin; all that go together are then dropped, and everything is fitted again without them." }
        (table)
    }
}

/// What each event changed, in sentences.
pub(super) fn changes(timeline: &Timeline) -> Markup {
    let mut before: Option<BTreeSet<String>> = None;
    let mut items: Vec<(usize, Vec<String>)> = Vec::new();
    let some = |names: Vec<String>| match names.len() {
        0 => "none".to_string(),
        1..=6 => names.join(", "),
        more => format!("{} and {} more", names[..6].join(", "), more - 6),
    };
    for turn in &timeline.turns {
        let wave = &turn.wave.summary;
        let mut said = vec![format!(
            "{} new subjects came, {} values of others were completed and {} corrected.",
            wave["new_subjects"], wave["completed"], wave["corrected"]
        )];
        if count(&wave["new_tests"]) > 0 && turn.wave.wave > 1 {
            said.push(format!(
                "Measured for the first time: {}.",
                some(
                    list(&wave["new_tests"])
                        .iter()
                        .map(|name| name.to_string())
                        .collect()
                )
            ));
        }
        for fit in &turn.fits {
            let now: BTreeSet<String> = list(&fit.summary["panel"])
                .iter()
                .map(|name| name.to_string())
                .collect();
            if let Some(before) = &before {
                let come = now.difference(before).cloned().collect();
                let gone = before.difference(&now).cloned().collect();
                said.push(format!(
                    "The fit on {} subjects took in: {}; left out: {}.",
                    fit.summary["subjects"],
                    some(come),
                    some(gone)
                ));
            } else {
                said.push(format!(
                    "The first fit, on {} subjects, uses {} tests.",
                    fit.summary["subjects"],
                    now.len()
                ));
            }
            before = Some(now);
        }
        for (event, _) in &turn.advice {
            let (loss, saved) = (
                &event.summary["without"]["log_loss"],
                &event.summary["saved"],
            );
            let names = list(&event.summary["retire"]);
            if names.is_empty() {
                said.push(match event.summary["why_nothing"].as_str() {
                    Some(reason) => format!("Nothing was retired: {reason}."),
                    None => "Nothing could be retired: too little was known, or too much would have been lost.".to_string(),
                });
                continue;
            }
            let done = if event.summary["retired"] == Value::Bool(true) {
                "were retired"
            } else {
                "were advised for retirement"
            };
            said.push(format!(
                "{} tests {done}; fits without them lose {} nats a subject, on subjects that they have not seen. That saves {:.2} in money, {:.0} minutes and {:.0} of burden for each subject.",
                names.len(),
                plus_minus(loss, 4),
                number(&saved["cost"]),
                number(&saved["minutes"]),
                number(&saved["burden"])
            ));
        }
        items.push((turn.wave.wave, said));
    }
    html! {
        @for (wave, said) in &items {
            h3 { "Wave " (wave) }
            ul { @for sentence in said { li { (sentence) } } }
        }
    }
}

/// Names and values in words that a narrow column can break.
fn parameters(value: &Value) -> String {
    let named = value.as_object().into_iter().flatten();
    let named = named.map(|(name, value)| format!("{name}: {value}"));
    named.collect::<Vec<_>>().join(", ")
}

pub(super) fn log(timeline: &Timeline) -> Markup {
    let row = |event: &Event| -> Vec<Cell> {
        vec![
            (event.id as f64).into(),
            event.at.clone().into(),
            event.kind.clone().into(),
            event.wave.into(),
            event.data_hash.chars().take(12).collect::<String>().into(),
            event.version.clone().into(),
            parameters(&event.parameters).into(),
        ]
    };
    let table = DataTable::new(
        "log-table",
        "Everything that was ever done",
        vec![
            Column::number("number", 0),
            Column::text("time (UTC)"),
            Column::text("what"),
            Column::number("wave", 0),
            Column::text("hash of the data"),
            Column::text("version"),
            Column::text("parameters"),
        ],
        timeline.log.iter().map(row).collect(),
    );
    html! {
        p { "The hashes are cut; rfvm study log --json has them whole, and what came of every event." }
        (table)
    }
}
