//! One page that computes: values in, probability, its interval, contributions and abstention out.

use maud::{Markup, PreEscaped, html};
use rfvm::{Feature, Model, special};
use serde_json::json;

use super::words::{about, in_table_units};
use crate::page::{Page, Section};

pub(super) fn calculator(model: &Model) -> String {
    let what = match model.classes().get(1) {
        Some(positive) => format!("Calculator: probability of {positive}"),
        None => "Calculator: predicted value".to_string(),
    };
    let mut page = Page::new(what, about(model));
    page.lead = html! {
        style { (PreEscaped(include_str!("calculator.css"))) }
        noscript { p .missing { "This page computes by a few lines of script, which are switched off here." } }
    };
    page.sections = vec![
        Section::new("values", "Values", values(model)),
        Section::new("result", "Result", result(model)),
    ];
    page.footer = html! {
        "Made by rfvm " (env!("CARGO_PKG_VERSION"))
        ". This page is one file: it asks nothing of any network, and what is entered stays on this machine. It computes what a model says; it is no medical advice."
        (script(model))
    };
    page.render()
}

fn values(model: &Model) -> Markup {
    let transform = model.parameters().preprocessing.transform;
    let range = |feature: &Feature| {
        let ends = feature
            .range
            .map(|range| range.map(|end| in_table_units(transform, end)));
        ends.map(|[low, high]| format!("training: {low:.4} to {high:.4}"))
    };
    let features = || model.signatures().iter().flat_map(|s| s.features());
    html! {
        p { "In the units of the data that the model was fitted on. "
            @if features().any(|feature| feature.median.is_some()) {
                "What is left empty is taken as the median of the training samples."
            } @else { "All are needed." } }
        form id="calculator" autocomplete="off" {
            @for (at, feature) in features().enumerate() {
                div .field {
                    label for={ "value-" (at) } { (model.known().named(&feature.name)) }
                    input id={ "value-" (at) } type="text" inputmode="decimal" spellcheck="false" aria-describedby={ "about-" (at) };
                    span .about id={ "about-" (at) } { (range(feature).unwrap_or_default()) }
                }
            }
            button type="reset" { "Clear" }
        }
    }
}

fn result(model: &Model) -> Markup {
    html! {
        div id="answer" .answer role="status" { p { "Enter values." } }
        div id="why" .card hidden {
            h3 { "What each value adds to the score" }
            div .scroll tabindex="0" role="region" aria-label="Contributions" {
                table { thead { tr { th scope="col" { "feature" } th scope="col" { span .unseen { "bar" } } th scope="col" .number { "adds" } th scope="col" .number { "95 % from" } th scope="col" .number { "to" } } } tbody {} }
            }
            p .caption {
                @match model.classes() {
                    [negative, positive] => { "Against the average training sample; left speaks for " (negative) ", right for " (positive) "." }
                    _ => { "Against the average training sample." }
                }
            }
        }
    }
}

/// The formula as data, and what computes with it.
fn script(model: &Model) -> Markup {
    let data = json!({ "formula": model.formula(), "z": special::two_sided(0.95) });
    // Inside a script element only a "<" could end it.
    let data = data.to_string().replace('<', "\\u003c");
    html! {
        script type="application/json" id="formula" { (PreEscaped(data)) }
        script { (PreEscaped(include_str!("calculator.js"))) }
    }
}
