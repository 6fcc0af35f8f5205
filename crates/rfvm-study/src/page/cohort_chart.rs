//! Who is in the study.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use rfvm_report::{Axis, Bar, Bars, Color, figure, grid, missing};

use crate::timeline::Timeline;

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
