//! What could replace what: other signatures, and features that run with those of the signature.

use maud::{Markup, html};
use rfvm::Summary;
use rfvm::summary::{SignatureSummary, StandIn, StandInFeature, Unavailable};

use super::view::other_data;
use super::words::count;
use crate::page::{Section, missing};
use crate::table::{Cell, Column, DataTable};

pub(super) fn section(summary: &Summary) -> Section {
    if summary.model.is_full {
        let what = match other_data(summary) {
            true => {
                "The full model uses every feature, so that none is left to stand in for another."
            }
            false => {
                "The full model uses every feature, so that none is left to stand in for another. What could replace what, the report of a smaller model tells (rfvm fit --size balanced)."
            }
        };
        return Section::new("alternatives", "Alternatives", missing(what));
    }
    let several = summary.signatures.len() > 1;
    let body = html! {
        @if several { (side_by_side(&summary.signatures)) } @else { (stand_ins(summary)) }
        (substitutes(summary))
        (unavailable(summary))
    };
    Section::new("alternatives", "Alternatives", body)
}

fn side_by_side(signatures: &[SignatureSummary]) -> Markup {
    let evidence = |signature: &SignatureSummary| match signature.evidence {
        Some(evidence) => format!("{evidence:.1} nats"),
        None => String::new(),
    };
    let heads: Vec<(String, String)> = (1..)
        .zip(signatures)
        .map(|(number, s)| (format!("Signature {number}"), evidence(s)))
        .collect();
    let longest = signatures.iter().map(|s| s.features.len()).max();
    let cell = |signature: &SignatureSummary, row: usize| match signature.features.get(row) {
        Some(feature) => weighted(&feature.name, feature.weight, feature.sd, None),
        None => html! {},
    };
    let rows: Vec<Vec<Markup>> = (0..longest.unwrap_or(0))
        .map(|row| signatures.iter().map(|s| cell(s, row)).collect())
        .collect();
    html! {
        h3 { "Signatures side by side" }
        p { "They share no feature, so that one can stand in for another; the evidence says how much likelier each makes the data than the base rate." }
        (plain("Signatures side by side", &heads, &rows))
    }
}

/// A feature with its weight, and with how it runs with the one that it replaces.
fn weighted(name: &str, weight: f64, sd: f64, correlation: Option<f64>) -> Markup {
    html! {
        code { (name) } br; (format!("{weight:+.2} ± {sd:.2}"))
        @if let Some(r) = correlation { (format!("; r = {r:.2}")) }
    }
}

fn plain(name: &str, heads: &[(String, String)], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div .card.plain { div .scroll tabindex="0" role="region" aria-label={ (name) " (rows)" } { table {
            thead { tr { @for (head, below) in heads { th scope="col" { (head) @if !below.is_empty() { br; (below) } } } } }
            tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
        } } }
    }
}

/// The signature beside signatures of its substitutes, each fitted alone and in the same way.
fn stand_ins(summary: &Summary) -> Markup {
    let built = &summary.alternatives.stand_ins;
    let Some(signature) = built.first() else {
        return match summary.model.feature_count {
            0 => html! { p { "The model uses no feature, so there is nothing to replace." } },
            _ => {
                html! { p { "The model has too many features for others to stand in for all of them." } }
            }
        };
    };
    let below = |stand_in: &StandIn| match (&stand_in.expected, &stand_in.failure) {
        (Some(expected), _) => format!("loss {:.3} ± {:.3}", expected.loss, expected.se),
        (None, reason) => reason.clone().unwrap_or_default(),
    };
    let titles = ["The signature", "First substitutes", "Second substitutes"];
    let heads: Vec<(String, String)> = (titles.iter().zip(built))
        .map(|(title, stand_in)| ((*title).to_string(), below(stand_in)))
        .collect();
    let cell = |feature: &Option<StandInFeature>| {
        let Some(feature) = feature else {
            return html! { "no further one" };
        };
        let r = feature.correlation;
        match (feature.weight, feature.sd) {
            (Some(weight), Some(sd)) => {
                weighted(&feature.name, weight, sd, (r != 1.0).then_some(r))
            }
            _ => html! { code { (feature.name) } },
        }
    };
    let rows: Vec<Vec<Markup>> = (0..signature.features.len())
        .map(|row| built.iter().map(|s| cell(&s.features[row])).collect())
        .collect();
    let base = built.iter().find_map(|s| s.expected).map(|e| e.base);
    html! {
        h3 { "The signature and what could stand in for it" }
        p { "Each column is a model of these features alone, all fitted in the same way, with its expected loss"
            @if let Some(base) = base { (format!(" (the base rate costs {base:.3})")) }
            @if other_data(summary) { ". They are fitted to the table, which is not the one that the signature was chosen on: they say what its features are worth there, and nothing of the model's own weights." }
            @else { ". The signature was chosen with all samples in view, so its own loss flatters, and the difference makes a replacement look dearer than it is." } }
        (plain("Substitutes side by side", &heads, &rows))
    }
}

fn substitutes(summary: &Summary) -> Markup {
    let found = &summary.alternatives.substitutes;
    if found.is_empty() {
        return html! {};
    }
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for substitutes in found {
        for (rank, by) in (1usize..).zip(&substitutes.by) {
            let r = by.correlation;
            rows.push(vec![
                substitutes.feature.as_str().into(),
                rank.into(),
                by.name.as_str().into(),
                r.into(),
                (100.0 * r * r).into(),
                by.with_target.into(),
            ]);
        }
    }
    let columns = vec![
        Column::text("feature"),
        Column::number("rank", 0),
        Column::text("could be replaced by"),
        Column::number("correlation", 2),
        Column::number("shared variance, %", 0),
        Column::number("its correlation with the target", 2),
    ];
    let caption = format!(
        "For {} of the model, the features outside it that run with it most closely",
        match summary.model.feature_count {
            several if several > found.len() => format!("the {} heaviest features", found.len()),
            few => count(few, "feature"),
        }
    );
    html! {
        h3 { "What replaces what" }
        p { "A close substitute measures much the same"
            @if other_data(summary) { "; likenesses are those of the table, which the model was not fitted on." }
            @else { "; whether the whole model stays as good without the original, a fit with --drop can tell." } }
        (DataTable::new("substitutes", caption, columns, rows))
    }
}

/// What a prediction loses where a test of the model is not available.
fn unavailable(summary: &Summary) -> Markup {
    if summary.unavailable.is_empty() {
        return html! {};
    }
    let row = |one: &Unavailable| -> Vec<Cell> {
        let by = one.by_stand_in.as_ref();
        let told = by.map(|(_, told)| told);
        vec![
            one.feature.as_str().into(),
            (100.0 * one.by_others.r2).into(),
            one.by_others.sd_added.into(),
            one.by_others.loss_added.into(),
            by.map(|(name, _)| name.as_str()).into(),
            told.map(|told| 100.0 * told.r2).into(),
            told.map(|told| told.sd_added).into(),
            told.and_then(|told| told.loss_added).into(),
        ]
    };
    let columns = vec![
        Column::text("without"),
        Column::number("told by the others, %", 0),
        Column::number("sd added", 3),
        Column::number("log loss added", 3),
        Column::text("stand-in"),
        Column::number("told with it, %", 0),
        Column::number("sd added with it", 3),
        Column::number("log loss added with it", 3),
    ];
    let caption = "What each feature of the model costs where it is not available".to_string();
    html! {
        h3 { "What if a test is not available" }
        p { "A prediction without one of the tests integrates over what it might have been, given the others (rfvm predict --missing integrate) or given also the stand-in (--missing substitute). How much of the test the others tell is from the training samples' shrunk correlations; what the uncertainty of a score and the log loss gain is a mean over the samples of this table"
            @if other_data(summary) { ", which the model was not fitted on." }
            @else { ", which the model was fitted on: on new samples both can be more." } }
        (DataTable::new("unavailable", caption, columns, summary.unavailable.iter().map(row).collect()))
    }
}
