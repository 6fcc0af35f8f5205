//! How the report was made: data, preprocessing, parameters, versions.

use maud::{Markup, html};
use rfvm::{
    Correction, Method, Missing, Panel, Projected, Provenance, Recalibration, Scaling, Size, Start,
    Summary, Transform,
};
use serde_json::Value;

use super::view::{other_data, warnings};
use super::words::{count, listed};
use crate::page::Section;
use crate::worth::percent;

pub(super) fn section(summary: &Summary) -> Section {
    let row =
        |(what, how): &(&str, Markup)| html! { tr { th scope="row" { (what) } td { (how) } } };
    let rows = rows(summary);
    let body = html! {
        div .card.plain { div .scroll tabindex="0" role="region" aria-label="How it was made (rows)" {
            table { tbody { @for entry in &rows { (row(entry)) } } }
        } }
    };
    Section::new("making", "How it was made", body)
}

fn rows(summary: &Summary) -> Vec<(&'static str, Markup)> {
    let Summary { data, model, .. } = summary;
    let (training, parameters) = (&model.training, &model.parameters);
    let same = match data.fitted_on {
        Some(true) => "the data that the model was fitted on",
        Some(false) => "NOT the data that the model was fitted on",
        None => "the model file does not say what it was fitted on",
    };
    let classes: Vec<String> = (model.classes.iter())
        .zip(&training.class_counts)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let target = if classes.is_empty() {
        "a number (regression)".to_string()
    } else {
        classes.join(", ")
    };
    let mut rows = vec![
        ("Data", html! { (data.name) }),
        (
            "Data fingerprint",
            html! { code { (data.fingerprint) } br; (same) },
        ),
        (
            "Rows used",
            html! { (count(training.samples, "sample")) ": " (target) },
        ),
        (
            "Columns used",
            html! { (count(training.varying(), "feature")) "; " (training.constant_features) " constant and set aside" },
        ),
        ("Missing values", html! { (missing(summary)) }),
    ];
    let Provenance { unused, panel, .. } = match other_data(summary) {
        true => &training.provenance,
        false => &data.provenance,
    };
    if !unused.is_empty() {
        rows.push((
            "Columns not used",
            html! { @for columns in unused { div { (columns.sentence()) } } },
        ));
    }
    if let Some(Panel { features, from }) = panel {
        let from = from.as_deref().unwrap_or("not said where it came from; if it was chosen on these data, what is claimed here is too good");
        rows.push((
            "Panel",
            html! { (count(*features, "feature")) " given, not left to the fit: " (from) },
        ));
    }
    let told = warnings(summary);
    if !told.is_empty() {
        rows.push((
            "To be checked",
            html! { @for warning in told { div { (warning.message) } } },
        ));
    }
    if let Some(found) = summary
        .evaluation
        .as_ref()
        .and_then(|e| e.held_out.as_ref())
    {
        rows.push(("Batches held out", html! { (found.message) }));
    }
    if !data.notes.is_empty() {
        rows.push((
            "Reading the table",
            html! { @for note in &data.notes { div { (note) } } },
        ));
    }
    let transform = match parameters.preprocessing.transform {
        Transform::None => "none",
        Transform::Log2 => "log2(1 + x) of every value",
    };
    let scaling = match parameters.preprocessing.scaling {
        Scaling::Plain => "mean 0, standard deviation 1, from the training rows",
        Scaling::Robust => {
            "mean 0, standard deviation 1 after bending the tails, from the training rows"
        }
    };
    rows.push((
        "Preprocessing",
        html! { "transform: " (transform) br; "scaling: " (scaling) },
    ));
    rows.push(("Model", html! { (kind(summary)) }));
    if let Method::Projected(own) = &parameters.method {
        rows.push(("Parameters of the method", html! { (listing(own)) }));
        rows.push(("Correction", html! { (correction(model.correction)) }));
    }
    if !model.recalibrations.is_empty() {
        let told = model.recalibrations.iter().map(Recalibration::sentence);
        let told: Vec<String> = told.collect();
        rows.push((
            "Recalibration",
            html! { @for sentence in told { div { (sentence) } } },
        ));
    }
    rows.push(("Seed", html! { (seed(summary)) }));
    if let Some(evaluation) = &summary.evaluation {
        rows.push(("Evaluation", html! {
            (evaluation.folds) " folds, " (count(evaluation.repeats, "repeat")) ", " (count(evaluation.permuted, "shuffled target"))
            @if evaluation.no_signal > 0 { "; " (evaluation.no_signal) " fits found no signal" }
        }));
    }
    rows.push(("Parameters", html! { details { summary { "all of them" } pre .code { (serde_json::to_string_pretty(parameters).unwrap_or_default()) } } }));
    rows.push(("Version", html! {
        "fitted by rfvm " (training.version.as_deref().unwrap_or("(not recorded)")) ", report by rfvm " (summary.version)
    }));
    rows
}

fn missing(summary: &Summary) -> String {
    let data = &summary.data;
    let rule = match summary.model.parameters.preprocessing.missing {
        Missing::Refuse => "a missing value would have been refused",
        Missing::Median => "each is replaced by the median of its feature over the training rows",
        Missing::Conditional => {
            "each is replaced by what the features most like it tell of it on the training rows, and integrated over in new samples"
        }
    };
    match data.missing.values {
        0 => format!("none; {rule}"),
        total => {
            let lacking = data.missing.features;
            let share = 100.0 * total as f64 / (data.samples * data.features) as f64;
            let worst: Vec<String> = (data.missing.worst.iter())
                .map(|worst| format!("{} ({})", worst.feature, worst.values))
                .collect();
            format!(
                "{total} ({share:.2} %) in {}: {}; {rule}",
                count(lacking, "feature"),
                listed(worst.iter().map(String::as_str), lacking, 5)
            )
        }
    }
}

fn kind(summary: &Summary) -> String {
    match &summary.model.parameters.method {
        Method::Projected(own) => {
            let which = match own.size {
                Size::Full => "the model itself".to_string(),
                Size::Features(count) => format!(
                    "then projected onto {} as asked for: a small model that says what the full one says",
                    super::words::count(count, "feature")
                ),
                Size::Share(share) => format!(
                    "then projected onto the fewest features that keep {} of what it tells",
                    percent(share)
                ),
                named => format!(
                    "then projected onto few features (size {named}): a small model that says what the full one says"
                ),
            };
            format!(
                "Relevance Feature and Vector Machine: the full posterior over all features, stopped early, {which}; losses, shares and the correction come from cross-validation within the fit"
            )
        }
        Method::Signatures(own) => format!(
            "Relevance Feature and Vector Machine, structured posterior, {} asked for",
            count(own.count, "signature")
        ),
        Method::MeanField(own) => format!(
            "Relevance Feature and Vector Machine, mean-field posterior, {} asked for",
            count(own.count, "signature")
        ),
    }
}

/// Name and value of every parameter, the size first.
fn listing(own: &Projected) -> String {
    let mut listed = vec![format!("size {}", own.size)];
    if let Ok(Value::Object(all)) = serde_json::to_value(own) {
        let others = all.into_iter().filter(|(name, _)| name != "size");
        listed.extend(others.map(|(name, value)| format!("{name} {value}")));
    }
    listed.join(", ")
}

fn correction(Correction { slope, intercept }: Correction) -> String {
    match (Correction { slope, intercept }) == Correction::NONE {
        true => "none".to_string(),
        false => format!(
            "moderated scores are stretched by {slope:.3} and shifted by {intercept:+.3} before they become probabilities (Platt's correction, learned on samples held back; what has been learned since is in it)"
        ),
    }
}

fn seed(summary: &Summary) -> String {
    match summary.model.parameters.method.start() {
        None => "the fit draws nothing at random but the folds of its own cross-validation, always the same; the report's shuffles and bands have seed 1".to_string(),
        Some(Start::Random { seed }) => format!("the fit started at random with seed {seed}; the report's shuffles and bands have seed 1"),
        Some(_) => "the fit draws nothing at random; the report's shuffles and bands have seed 1".to_string(),
    }
}
