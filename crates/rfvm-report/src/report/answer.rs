//! The answer in three sentences, and the numbers that matter as tiles.

use maud::{Markup, html};
use rfvm::{CandidateCount, Estimate, MeanField, Method, Parameters, Signatures, StopReason};

use super::facts::Facts;
use super::stability::measured;
use super::words::{count, listed};
use crate::page::{Tile, note, tiles};
use crate::worth::{percent, worth};

pub(super) fn lead(facts: &Facts<'_>) -> Markup {
    html! {
        div .answer {
            p { (how_well(facts)) }
            @if let Some(sentence) = worth(facts.model()) { p { (sentence) } }
            p { (with_which(facts)) }
            p { (on_whose(facts)) }
        }
        (cautions(facts))
        (tiles(&numbers(facts)))
    }
}

fn with_interval(estimate: Estimate, digits: usize) -> String {
    let Estimate {
        mean, low, high, ..
    } = estimate;
    format!("{mean:.digits$} (95 % interval {low:.digits$} to {high:.digits$})")
}

fn how_well(facts: &Facts<'_>) -> String {
    if facts.model().stop_reason() == StopReason::NoSignal {
        return "The fit found nothing that tells the samples apart: the model gives every sample the base rate.".to_string();
    }
    let Some(evaluation) = facts.input.evaluation else {
        return expected(facts).to_string();
    };
    let how = format!(
        "in cross-validation of the whole fit ({} folds, {})",
        evaluation.folds,
        count(evaluation.repeats, "repeat")
    );
    match (evaluation.auc, evaluation.accuracy, evaluation.r2) {
        (Some(auc), Some(accuracy), _) => format!(
            "On samples that it had not seen, this kind of model told {} from {} with an area under the ROC curve of {}, right for {:.0} % of them, {how}.",
            facts.side(1),
            facts.side(0),
            with_interval(auc, 2),
            100.0 * accuracy.mean
        ),
        (_, _, Some(r2)) => format!(
            "On samples that it had not seen, this kind of model explained a share of {} of the target's variance, {how}.",
            with_interval(r2, 2)
        ),
        _ => format!(
            "The evaluation could not tell how well the model does, {how}: its folds are too small."
        ),
    }
}

/// The sentences on the full model say the same and more; they follow.
fn expected(facts: &Facts<'_>) -> &'static str {
    match facts.model().expected() {
        Some(_) => {
            "What the model should cost on new samples comes from cross-validation within the fit; how often it is right needs an evaluation."
        }
        None => "How well the model does on new samples is not known: no evaluation was given.",
    }
}

fn with_which(facts: &Facts<'_>) -> String {
    let model = facts.model();
    let total = model.training().features;
    let names = model.needed_features();
    if names.is_empty() {
        return format!("It uses none of the {total} features.");
    }
    if facts.full() {
        let heaviest = listed(names.iter().take(3).map(String::as_str), 3);
        return format!(
            "It needs all of the {} features that vary; the heaviest are {heaviest}.",
            names.len()
        );
    }
    let heaviest = listed(names.iter().map(String::as_str), 3);
    let apart = match model.signatures().len() {
        1 => String::new(),
        several => format!(", in {several} signatures that share none"),
    };
    format!(
        "It needs {} of {total}{apart}: {heaviest}.",
        count(names.len(), "feature")
    )
}

fn on_whose(facts: &Facts<'_>) -> String {
    let training = facts.model().training();
    let classes: Vec<String> = (facts.model().classes().iter())
        .zip(&training.class_counts)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let of = if classes.is_empty() {
        String::new()
    } else {
        format!(" ({})", classes.join(", "))
    };
    let mut vectors: Vec<(&str, f64)> = facts.vectors().into_iter().collect();
    vectors.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(b.0)));
    let define = match vectors.len() {
        0 => "none of whom the model singles out".to_string(),
        _ if facts.full() => "all of whom define it".to_string(),
        1 => format!("of whom one defines it: {}", vectors[0].0),
        n => format!(
            "of whom {n} define it: {}",
            listed(vectors.iter().map(|v| v.0), 4)
        ),
    };
    format!(
        "It rests on {}{of}, {define}.",
        count(training.samples, "sample")
    )
}

/// What must not be overlooked.
fn cautions(facts: &Facts<'_>) -> Markup {
    let model = facts.model();
    let known = model.training().data.as_deref();
    let other = known.is_some_and(|known| known != facts.fingerprint);
    let samples = facts.samples().len();
    html! {
        @if other {
            (note(&html! { p { strong { "Other data. " }
                "The table is not the one that the model was fitted on (their fingerprints differ; the fit had "
                (count(model.training().samples, "sample")) ", the table has " (samples)
                "). What is shown of samples and features is that of the table." } }))
        }
        @if other_fit(facts) {
            (note(&html! { p { strong { "Another fit. " }
                "The evaluation was made with other parameters than the model: it says how well those do." } }))
        }
        @if facts.input.evaluation.is_none() {
            (note(&html! { p { strong { "No evaluation. " }
                "Pictures of the samples show the data that the model was fitted on and flatter it. " (super::words::EVALUATE) } }))
        }
    }
}

/// Whether the evaluation is known to be of another fit. Hyperpriors follow the number of rows, so they may differ.
fn other_fit(facts: &Facts<'_>) -> bool {
    let own = facts.model().parameters();
    let evaluation = facts.input.evaluation;
    let evaluated = evaluation.and_then(|evaluation| evaluation.parameters.clone());
    evaluated.is_some_and(|parameters| {
        let comparable = Parameters {
            method: comparable(parameters.method, &own.method),
            ..parameters
        };
        comparable != *own
    })
}

/// The evaluated method with the hyperpriors of the model's own.
fn comparable(
    evaluated: Method<CandidateCount>,
    own: &Method<CandidateCount>,
) -> Method<CandidateCount> {
    match (evaluated, own) {
        (Method::Signatures(evaluated), Method::Signatures(own)) => {
            Method::Signatures(Signatures {
                hyper: own.hyper,
                ..evaluated
            })
        }
        (Method::MeanField(evaluated), Method::MeanField(own)) => Method::MeanField(MeanField {
            hyper: own.hyper,
            ..evaluated
        }),
        (evaluated, _) => evaluated,
    }
}

fn numbers(facts: &Facts<'_>) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(evaluation) = facts.input.evaluation {
        let mut add = |label: &str, estimate: Option<Estimate>, note: &str| {
            if let Some(Estimate {
                mean, low, high, ..
            }) = estimate
            {
                tiles.push(Tile::new(
                    label,
                    format!("{mean:.3}"),
                    format!("{low:.3} to {high:.3}{note}"),
                ));
            }
        };
        add("AUC, unseen samples", evaluation.auc, "");
        add("Accuracy", evaluation.accuracy, "");
        add("Log loss", evaluation.log_loss, &base(facts));
        add("R², unseen samples", evaluation.r2, "");
        add("RMSE", evaluation.rmse, "");
    } else if let Some(expected) = facts.model().expected() {
        let value = format!("{:.3}", expected.loss);
        tiles.push(Tile::new(
            "Expected loss",
            value,
            format!("± {:.3}{}", expected.se, base(facts)),
        ));
    }
    let training = facts.model().training();
    let share =
        |part: usize, of: usize| format!("{:.2} % of {of}", 100.0 * part as f64 / of as f64);
    let (features, vectors) = (facts.model().feature_count(), facts.vectors().len());
    tiles.push(Tile::new(
        "Features",
        features.to_string(),
        share(features, training.features),
    ));
    tiles.push(Tile::new(
        "Relevance vectors",
        vectors.to_string(),
        share(vectors, training.samples),
    ));
    if let (Some(share), Some(full), false) =
        (facts.model().share(), facts.model().full(), facts.full())
    {
        tiles.push(Tile::new(
            "Of the full model",
            percent(share),
            format!("which should cost {:.3} ± {:.3}", full.loss, full.se),
        ));
    }
    if let Some(stability) = measured(facts) {
        let value = format!("{:.2}", stability.value);
        tiles.push(Tile::new(
            "Stability",
            value,
            format!(
                "{:.2} to {:.2}; 1 is perfect",
                stability.low, stability.high
            ),
        ));
    }
    tiles
}

/// The loss of the base rate, for comparison.
fn base(facts: &Facts<'_>) -> String {
    match facts.model().expected() {
        Some(expected) => format!("; base rate {:.3}", expected.base),
        None => String::new(),
    }
}
