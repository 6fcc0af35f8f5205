//! What could replace what: other signatures, and features that run with those of the signature.

use maud::{Markup, html};
use rfvm::{Feature, Signature};

use super::count;
use super::facts::Facts;
use crate::page::{Section, missing};
use crate::table::{Cell, Column, DataTable};

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let body = html! { (side_by_side(facts)) (substitutes(facts)) };
    Section::new("alternatives", "Alternatives", body)
}

fn side_by_side(facts: &Facts<'_>) -> Markup {
    let signatures = facts.model().signatures();
    if signatures.len() < 2 {
        return missing(
            "The model has one signature. A fit with --signatures 3 looks for further signatures that share no feature with the first, and a report of that model sets them side by side.",
        );
    }
    let longest = signatures
        .iter()
        .map(|s| s.features().len())
        .max()
        .unwrap_or(0);
    let cell = |signature: &Signature, row: usize| match signature.features().get(row) {
        Some(Feature {
            name, weight, sd, ..
        }) => html! { code { (name) } br; (format!("{weight:+.2} ± {sd:.2}")) },
        None => html! {},
    };
    html! {
        h3 { "Signatures side by side" }
        p { "They share no feature, so that one can stand in for another; the evidence says how much likelier each makes the data than the base rate." }
        div .card.plain { div .scroll tabindex="0" role="region" aria-label="Signatures side by side" { table {
            thead { tr {
                @for (number, signature) in (1..).zip(signatures) {
                    th scope="col" { "Signature " (number)
                        @if let Some(evidence) = signature.evidence() { br; span { (format!("{evidence:.1} nats")) } } }
                }
            } }
            tbody { @for row in 0..longest { tr { @for signature in signatures { td { (cell(signature, row)) } } } } }
        } } }
    }
}

fn substitutes(facts: &Facts<'_>) -> Markup {
    let names = facts.input.data.table().feature_names();
    let needed = facts.model().needed_features();
    if needed.is_empty() {
        return html! {};
    }
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (feature, found) in needed.iter().zip(&facts.scan.substitutes) {
        for (rank, &(d, r)) in (1usize..).zip(found) {
            let with_target = facts.scan.features[d].with_target;
            rows.push(vec![
                feature.as_str().into(),
                rank.into(),
                names[d].as_str().into(),
                r.into(),
                (100.0 * r * r).into(),
                with_target.into(),
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
        count(needed.len(), "feature")
    );
    html! {
        h3 { "What replaces what" }
        p { "A close substitute measures much the same; whether the model stays as good with it, only another fit can tell (--drop leaves the original out)." }
        (DataTable::new("substitutes", caption, columns, rows))
    }
}
