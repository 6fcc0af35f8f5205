//! What could replace what: other signatures, and features that run with those of the signature.

use std::collections::HashSet;

use maud::{Markup, html};
use rfvm::{
    Dataset, Feature, Model, Names, Params, Preprocessing, Scaling, Signature, Size, Table,
};

use super::facts::Facts;
use super::scan::HEAVIEST;
use super::words::count;
use crate::page::{Section, missing};
use crate::table::{Cell, Column, DataTable};

/// Alternatives that are built from substitutes.
const BUILT: usize = 2;

pub(super) fn section(facts: &Facts<'_>) -> Section {
    if facts.full() {
        let what = "The full model uses every feature, so that none is left to stand in for another. What could replace what, the report of a smaller model tells (rfvm fit --size balanced).";
        return Section::new("alternatives", "Alternatives", missing(what));
    }
    let several = facts.model().signatures().len() > 1;
    let body = html! {
        @if several { (side_by_side(facts)) } @else { (built(facts)) }
        (substitutes(facts))
    };
    Section::new("alternatives", "Alternatives", body)
}

fn side_by_side(facts: &Facts<'_>) -> Markup {
    let signatures = facts.model().signatures();
    let evidence = |signature: &Signature| match signature.evidence() {
        Some(evidence) => format!("{evidence:.1} nats"),
        None => String::new(),
    };
    let heads: Vec<(String, String)> = (1..)
        .zip(signatures)
        .map(|(number, s)| (format!("Signature {number}"), evidence(s)))
        .collect();
    let longest = signatures.iter().map(|s| s.features().len()).max();
    let cell = |signature: &Signature, row: usize| match signature.features().get(row) {
        Some(feature) => weighted(feature, None),
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
fn weighted(feature: &Feature, correlation: Option<f64>) -> Markup {
    html! {
        code { (feature.name) } br; (format!("{:+.2} ± {:.2}", feature.weight, feature.sd))
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
fn built(facts: &Facts<'_>) -> Markup {
    let table = facts.input.data.table();
    let Ok(own) = table.find_features(&facts.model().needed_features()) else {
        return html! {};
    };
    if own.len() > HEAVIEST {
        return html! { p { "The model has too many features for others to stand in for all of them." } };
    }
    if own.is_empty() {
        return html! { p { "The model uses no feature, so there is nothing to replace." } };
    }
    let mut used: HashSet<usize> = own.iter().copied().collect();
    let mut choices: Vec<Vec<Option<(usize, f64)>>> =
        vec![own.iter().map(|&d| Some((d, 1.0))).collect()];
    for _ in 0..BUILT {
        let mut free = |found: &Vec<(usize, f64)>| {
            // A feature can replace only one other.
            let next = found.iter().copied().find(|(d, _)| !used.contains(d));
            next.inspect(|(d, _)| {
                used.insert(*d);
            })
        };
        choices.push(facts.scan.substitutes.iter().map(&mut free).collect());
    }
    let models: Vec<Option<Model>> = choices.iter().map(|choice| alone(facts, choice)).collect();
    let titles = ["The signature", "First substitutes", "Second substitutes"];
    let heads: Vec<(String, String)> = (titles.iter().zip(&models))
        .map(|(title, model)| {
            let loss = model.as_ref().and_then(Model::expected);
            let below = loss.map_or("could not be fitted".to_string(), |e| {
                format!("loss {:.3} ± {:.3}", e.loss, e.se)
            });
            ((*title).to_string(), below)
        })
        .collect();
    let cell = |choice: &[Option<(usize, f64)>], model: &Option<Model>, row: usize| {
        let Some((d, r)) = choice[row] else {
            return html! { "no further one" };
        };
        let name = &table.feature_names()[d];
        let features = model
            .as_ref()
            .map_or(&[][..], |model| model.signatures()[0].features());
        match features.iter().find(|feature| feature.name == *name) {
            Some(feature) => weighted(feature, (r != 1.0).then_some(r)),
            None => html! { code { (name) } },
        }
    };
    let rows: Vec<Vec<Markup>> = (0..own.len())
        .map(|row| {
            choices
                .iter()
                .zip(&models)
                .map(|(choice, model)| cell(choice, model, row))
                .collect()
        })
        .collect();
    let base = models
        .iter()
        .flatten()
        .filter_map(Model::expected)
        .map(|e| e.base)
        .next();
    html! {
        h3 { "The signature and what could stand in for it" }
        p { "Each column is a model of these features alone, all fitted in the same way, with its expected loss"
            @if let Some(base) = base { (format!(" (the base rate costs {base:.3})")) }
            ". The signature was chosen with all samples in view, so its own loss flatters, and the difference makes a replacement look dearer than it is." }
        (plain("Substitutes side by side", &heads, &rows))
    }
}

/// A model of the given features and no others.
fn alone(facts: &Facts<'_>, choice: &[Option<(usize, f64)>]) -> Option<Model> {
    let data = facts.input.data;
    let positions: Vec<usize> = choice.iter().flatten().map(|(d, _)| *d).collect();
    let parameters = facts.model().parameters();
    let params = Params {
        preprocessing: Preprocessing {
            scaling: Scaling::Robust,
            ..parameters.preprocessing
        },
        ..Params::projected(Size::Features(positions.len()))
    };
    let values = positions
        .iter()
        .flat_map(|&d| data.table().feature(d).iter().copied());
    let all = data.table().feature_names();
    let names: Names = positions.iter().map(|&d| &all[d]).collect();
    let table = Table::with_missing(values.collect(), names, facts.samples().to_vec()).ok()?;
    let mut alone = Dataset::new(table, data.target().clone()).ok()?;
    alone = alone
        .with_class_weight(parameters.data.class_weight.clone())
        .ok()?;
    if let Some(groups) = data.groups() {
        alone = alone.with_groups(groups.to_vec()).ok()?;
    }
    params.check().ok()?.fit(alone).ok()
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
                (&names[d]).into(),
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
        match needed.len() {
            several if several > HEAVIEST => format!("the {HEAVIEST} heaviest features"),
            few => count(few, "feature"),
        }
    );
    html! {
        h3 { "What replaces what" }
        p { "A close substitute measures much the same; whether the whole model stays as good without the original, a fit with --drop can tell." }
        (DataTable::new("substitutes", caption, columns, rows))
    }
}
