//! Which items of TRIPOD+AI (Collins and others, BMJ 2024) the report answers, and which it cannot.

use maud::{Markup, html};
use rfvm::Summary;

use super::view::other_data;
use crate::page::Section;

/// How far a report can answer an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Here.
    Yes(&'static str),
    /// Here, where an evaluation was given.
    Evaluated(&'static str),
    /// In part here; the rest is for the authors.
    Partly(&'static str, &'static str),
    /// Here, where the model was recalibrated; else for the authors.
    Updated(&'static str, &'static str),
    /// Not by any program.
    No(&'static str),
}

use Answer::{Evaluated, No, Partly, Updated, Yes};

/// Item, what it asks for in short, who answers it.
const ITEMS: [(&str, &str, Answer); 52] = [
    (
        "1",
        "Title",
        No("name the population, the outcome and that it is a prediction model"),
    ),
    (
        "2",
        "Abstract",
        No("write it after TRIPOD+AI for abstracts; the first three sentences help"),
    ),
    (
        "3a",
        "Health context and rationale",
        No("say why the prediction is wanted and what exists"),
    ),
    (
        "3b",
        "Target population and users",
        No("say for whom, where in care, and used by whom"),
    ),
    (
        "3c",
        "Known health inequalities",
        No("say what is known between groups"),
    ),
    (
        "4",
        "Objectives",
        No("say whether the model is developed, evaluated or both"),
    ),
    (
        "5a",
        "Sources of data",
        No("say where the data come from and whom they represent"),
    ),
    (
        "5b",
        "Dates",
        No("give start and end of recruitment and follow-up"),
    ),
    (
        "6a",
        "Setting and centres",
        No("name the setting, number and place of the centres"),
    ),
    ("6b", "Eligibility", No("give who could take part")),
    (
        "6c",
        "Treatments",
        No("say which were received and how that was handled"),
    ),
    (
        "7",
        "Data preparation",
        Partly(
            "making",
            "what was done before the table, and whether alike for all groups",
        ),
    ),
    (
        "8a",
        "Outcome: definition",
        No("define it, its time horizon and how it was assessed"),
    ),
    (
        "8b",
        "Outcome: assessors",
        No("say who judged it, with which training"),
    ),
    ("8c", "Outcome: blinding", No("say what the assessors knew")),
    (
        "9a",
        "Predictors: choice",
        Partly("features", "why these were measured"),
    ),
    (
        "9b",
        "Predictors: measurement",
        No("define them, how and when they were measured"),
    ),
    (
        "9c",
        "Predictors: assessors",
        No("say who judged subjective ones"),
    ),
    (
        "10",
        "Sample size",
        Partly("making", "how it was arrived at and whether it is enough"),
    ),
    (
        "11",
        "Missing data",
        Partly("making", "why values are missing"),
    ),
    ("12a", "Use of the data", Evaluated("performance")),
    ("12b", "Handling of predictors", Yes("making")),
    (
        "12c",
        "Type of model and all steps of building",
        Yes("making"),
    ),
    (
        "12d",
        "Clusters",
        No("say how centres or families were handled (--group keeps them whole)"),
    ),
    ("12e", "Measures of performance", Evaluated("performance")),
    (
        "12f",
        "Model updating",
        Updated("making", "say whether it was updated; here it was not"),
    ),
    ("12g", "How predictions were calculated", Yes("making")),
    (
        "13",
        "Class imbalance",
        Partly(
            "making",
            "why classes were weighted or not, and what that does to calibration",
        ),
    ),
    (
        "14",
        "Fairness",
        No("say how fairness was approached; the table holds no groups for it"),
    ),
    ("15", "Model output", Yes("subjects")),
    (
        "16",
        "Training against evaluation data",
        Partly(
            "performance",
            "differences to data from elsewhere; here both are the same study",
        ),
    ),
    (
        "17",
        "Ethical approval",
        No("name the committee and the consent"),
    ),
    ("18a", "Funding", No("give source and role")),
    ("18b", "Conflicts of interest", No("declare them")),
    (
        "18c",
        "Protocol",
        No("say where it is, or that there is none"),
    ),
    (
        "18d",
        "Registration",
        No("give the register and number, or say that there is none"),
    ),
    (
        "18e",
        "Data sharing",
        Partly(
            "making",
            "where the data can be had; their fingerprint is here",
        ),
    ),
    (
        "18f",
        "Code sharing",
        Partly(
            "making",
            "where the analysis can be had; program and version are here",
        ),
    ),
    (
        "19",
        "Patient and public involvement",
        No("say how, or that there was none"),
    ),
    (
        "20a",
        "Flow of participants",
        Partly("making", "who was left out before the table, and follow-up"),
    ),
    (
        "20b",
        "Characteristics of participants",
        No("describe them, overall and by group"),
    ),
    (
        "20c",
        "Comparison with development data",
        No("only for an evaluation on other data"),
    ),
    (
        "21",
        "Participants and events in each analysis",
        Yes("making"),
    ),
    ("22", "The full model", Yes("signature")),
    (
        "23a",
        "Performance with intervals",
        Evaluated("performance"),
    ),
    (
        "23b",
        "Heterogeneity between clusters",
        No("compare the performance between centres"),
    ),
    (
        "24",
        "Results of updating",
        Updated("making", "only where the model was updated"),
    ),
    (
        "25",
        "Interpretation",
        No("discuss the main results, fairness included"),
    ),
    (
        "26",
        "Limitations",
        Partly(
            "chance",
            "those of the study; chance and stability are here",
        ),
    ),
    (
        "27a",
        "Poor or missing input in use",
        Partly("making", "what a user should do about it"),
    ),
    (
        "27b",
        "Interaction with the user",
        No("say what a user must know and do"),
    ),
    (
        "27c",
        "Next steps",
        Partly("alternatives", "further evaluation, elsewhere and later"),
    ),
];

pub(super) fn section(summary: &Summary) -> Section {
    let evaluated = summary.evaluation.is_some();
    let updated = !summary.model.recalibrations.is_empty();
    let is_answered = |answer: Answer| match answer {
        Yes(_) => true,
        Evaluated(_) => evaluated,
        Updated(..) => updated,
        Partly(..) | No(_) => false,
    };
    let answered = ITEMS.iter().filter(|item| is_answered(item.2)).count();
    let partly = ITEMS
        .iter()
        .filter(|item| matches!(item.2, Partly(..)))
        .count();
    let body = html! {
        p { "TRIPOD+AI asks what a paper on a prediction model must tell. Of its " (ITEMS.len()) " items this page answers " (answered)
            " and a part of " (partly) "; the others are for the authors." }
        div .card.plain { div .scroll tabindex="0" role="region" aria-label="TRIPOD+AI checklist (rows)" { table {
            thead { tr { th scope="col" { "item" } th scope="col" { "about" } th scope="col" { "here" } th scope="col" { "left to the authors" } } }
            tbody { @for (item, about, answer) in ITEMS { tr {
                th scope="row" { (item) } td { (about) } (cells(answer, (evaluated, updated), other_data(summary)))
            } } }
        } } }
    };
    Section::new("tripod", "TRIPOD+AI checklist", body)
}

fn cells(answer: Answer, (evaluated, updated): (bool, bool), other: bool) -> Markup {
    let link = |id: &str| html! { a href={ "#" (id) } { "see " (id) } };
    match answer {
        Yes(id) => html! { td { "✓ " (link(id)) } td {} },
        Updated(id, _) if updated => html! { td { "✓ " (link(id)) } td {} },
        Evaluated(id) if evaluated => html! { td { "✓ " (link(id)) } td {} },
        Evaluated(_) if other => {
            html! { td { "–" } td { "the report on the model's own data answers it, with an evaluation" } }
        }
        Evaluated(_) => {
            html! { td { "–" } td { "evaluate the model: this page was given no evaluation" } }
        }
        Partly(id, rest) => html! { td { "in part, " (link(id)) } td { (rest) } },
        Updated(_, rest) | No(rest) => html! { td { "–" } td { (rest) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_there_once() {
        let numbers: std::collections::HashSet<&str> = ITEMS.iter().map(|item| item.0).collect();
        assert_eq!(numbers.len(), ITEMS.len());
        let whole: std::collections::HashSet<String> = ITEMS
            .iter()
            .map(|item| item.0.trim_end_matches(char::is_alphabetic).to_string())
            .collect();
        assert_eq!(whole, (1..=27).map(|n| n.to_string()).collect());
    }
}
