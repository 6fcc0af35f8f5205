//! Why a few typical samples have their scores: a waterfall each, from the average training sample to the score.

use maud::html;
use rfvm::summary::ExplainedSample;
use rfvm::{Contribution, ScorePart, Summary};

use super::view::{look, side};
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars};
use crate::table::{Cell, Column, DataTable};

const ID: &str = "explained";
const TITLE: &str = "Why these samples";
/// Features drawn at most; the table has all.
const DRAWN: usize = 12;

pub(super) fn section(summary: &Summary) -> Section {
    if summary.explained.is_empty() {
        return Section::new(ID, TITLE, missing("The model uses no feature."));
    }
    let cards: Vec<_> = (summary.explained.iter().zip(waterfalls(summary)))
        .map(|(sample, chart)| {
            let name = &summary.samples[sample.sample].name;
            figure(
                &chart,
                &capital(&sample.typical),
                &caption(summary, sample, name),
            )
        })
        .collect();
    let known = &summary.known;
    // Prices and panels have their place in the table of the signature.
    let texts = |feature: &str| -> Vec<Cell> {
        let texts = (0..known.columns.len()).map(|at| Cell::from(known.text(feature, at)));
        texts.collect()
    };
    let rows = summary.explained.iter().flat_map(|sample| {
        let name = &summary.samples[sample.sample].name;
        let parts = sample.explanation.contributions.iter();
        let texts = &texts;
        parts.map(move |part| -> Vec<Cell> {
            let own: [Cell; 6] = [
                name.as_str().into(),
                part.feature.as_str().into(),
                part.value.into(),
                part.contribution.into(),
                part.low.into(),
                part.high.into(),
            ];
            own.into_iter().chain(texts(&part.feature)).collect()
        })
    });
    let mut columns = vec![
        Column::text("sample"),
        Column::text("feature"),
        Column::number("value", 3),
        Column::number("contribution", 3),
        Column::number("95 % from", 3),
        Column::number("to", 3),
    ];
    columns.extend(known.columns.iter().map(Column::text));
    let words = "What every feature adds to the score of these samples";
    let body = html! {
        p { "A score is a sum: what the average training sample has, and what each feature adds to it, its weight times how far the sample is from that average. Intervals are of the weights; they say how sure a contribution is given the selection, not that the feature causes anything. "
            code { "rfvm predict --explain" } " gives the same for every sample." }
        (grid(&cards))
        (DataTable::new("explained-table", words, columns, rows.collect()))
    };
    Section::new(ID, TITLE, body)
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn caption(summary: &Summary, sample: &ExplainedSample, name: &str) -> String {
    let seen = &summary.samples[sample.sample];
    match (seen.probability, seen.class) {
        (Some(p), Some(class)) => format!(
            "{name}, {}: probability of {} {p:.2}.",
            side(summary, class),
            side(summary, 1)
        ),
        _ => format!("{name}: predicted {:.3}.", seen.score),
    }
}

/// From the average training sample to the score, a picture each.
pub(super) fn waterfalls(summary: &Summary) -> Vec<Bars> {
    let one = |(number, sample): (usize, &ExplainedSample)| {
        let parts = &sample.explanation.contributions;
        let of = |part: ScorePart| parts.iter().filter(move |found| found.part == part);
        let (mut bars, mut at) = (Vec::new(), 0.0);
        let mut add = |part: &Contribution, color: Color| {
            let tip = format!(
                "{}{}\nadds {:+.3} ({:+.3} to {:+.3})",
                part.feature,
                part.value
                    .map_or(String::new(), |value| format!(" = {value}")),
                part.contribution,
                part.low,
                part.high
            );
            let bar = Bar::new(&part.feature, part.contribution, color, tip)
                .starting(at)
                .between(at + part.low, at + part.high);
            at += part.contribution;
            bars.push(bar);
        };
        of(ScorePart::Base).for_each(|part| add(part, Color::Grey));
        for part in of(ScorePart::Covariate).chain(of(ScorePart::Feature).take(DRAWN)) {
            add(part, look(usize::from(part.contribution > 0.0)).0);
        }
        let undrawn: f64 = (of(ScorePart::Feature).skip(DRAWN))
            .chain(of(ScorePart::Others))
            .map(|part| part.contribution)
            .sum();
        let rest = summary.model.feature_count.saturating_sub(DRAWN);
        if rest > 0 {
            let tip = format!("all {rest} others\nadd {undrawn:+.3}");
            let color = look(usize::from(undrawn > 0.0)).0;
            bars.push(Bar::new(format!("all {rest} others"), undrawn, color, tip).starting(at));
        }
        let score = sample.explanation.mean;
        let what = if summary.model.classes.is_empty() {
            "prediction"
        } else {
            "score"
        };
        bars.push(Bar::new(
            what,
            score,
            Color::Grey,
            format!("{what} {score:.3}"),
        ));
        let description = format!(
            "{}: from the average training sample to a {what} of {score:.2}, in order of size.",
            capital(&sample.typical)
        );
        Bars::new(
            format!("explained-{number}"),
            format!("Why: {}", sample.typical),
            description,
            Axis::new(what),
            bars,
        )
        .key(format!("speaks for {}", side(summary, 0)), Color::Blue)
        .key(
            format!("speaks for {}", side(summary, 1)),
            Color::Vermillion,
        )
    };
    (1..).zip(&summary.explained).map(one).collect()
}
