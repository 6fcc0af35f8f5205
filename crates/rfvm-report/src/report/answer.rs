//! The answer in three sentences, and the numbers that matter as tiles.

use maud::{Markup, html};
use rfvm::{Estimate, StopReason, Summary};

use super::view::{features, other_data, side, warnings};
use super::words::{count, listed};
use crate::page::{Tile, note, tiles};
use crate::worth::{percent, worth};

pub(super) fn lead(summary: &Summary) -> Markup {
    html! {
        div .answer {
            p { (how_well(summary)) }
            @if let Some(sentence) = worth(&summary.model) { p { (sentence) } }
            p { (with_which(summary)) }
            p { (on_whose(summary)) }
        }
        (cautions(summary))
        (tiles(&numbers(summary)))
    }
}

fn with_interval(estimate: Estimate, digits: usize) -> String {
    let Estimate {
        mean, low, high, ..
    } = estimate;
    format!("{mean:.digits$} (95 % interval {low:.digits$} to {high:.digits$})")
}

fn how_well(summary: &Summary) -> String {
    if summary.model.stop_reason == StopReason::NoSignal {
        return "The fit found nothing that tells the samples apart: the model gives every sample the base rate.".to_string();
    }
    let Some(evaluation) = &summary.evaluation else {
        return expected(summary).to_string();
    };
    let how = format!(
        "in cross-validation of the whole fit ({} folds, {})",
        evaluation.folds,
        count(evaluation.repeats, "repeat")
    );
    match (evaluation.auc, evaluation.accuracy, evaluation.r2) {
        (Some(auc), Some(accuracy), _) => format!(
            "On samples that it had not seen, this kind of model told {} from {} with an area under the ROC curve of {}, right for {:.0} % of them, {how}.",
            side(summary, 1),
            side(summary, 0),
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
fn expected(summary: &Summary) -> &'static str {
    match summary.model.expected {
        Some(_) if other_data(summary) => {
            "What the model should cost on new samples comes from cross-validation within the fit, on its own data."
        }
        None if other_data(summary) => {
            "How well the model does on new samples is not known: it was given no evaluation of its own data."
        }
        Some(_) => {
            "What the model should cost on new samples comes from cross-validation within the fit; how often it is right needs an evaluation."
        }
        None => "How well the model does on new samples is not known: no evaluation was given.",
    }
}

fn with_which(summary: &Summary) -> String {
    let (total, needed) = (summary.model.training.features, summary.model.feature_count);
    let names = || features(summary).map(|(_, feature)| feature.name.as_str());
    if needed == 0 {
        return format!("It uses none of the {total} features.");
    }
    if summary.model.is_full {
        let heaviest = listed(names().take(3), 3.min(needed), 3);
        return format!(
            "It needs all of the {needed} features that vary; the heaviest are {heaviest}."
        );
    }
    let heaviest = listed(names(), needed, 3);
    let apart = match summary.signatures.len() {
        1 => String::new(),
        several => format!(", in {several} signatures that share none"),
    };
    format!(
        "It needs {} of {total}{apart}: {heaviest}.",
        count(needed, "feature")
    )
}

fn on_whose(summary: &Summary) -> String {
    let training = &summary.model.training;
    let classes: Vec<String> = (summary.model.classes.iter())
        .zip(&training.class_counts)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let of = if classes.is_empty() {
        String::new()
    } else {
        format!(" ({})", classes.join(", "))
    };
    let define = match summary.vectors.as_slice() {
        [] => "none of whom the model singles out".to_string(),
        _ if summary.model.is_full => "all of whom define it".to_string(),
        vectors => {
            // Names of subjects stay in the tables.
            return format!(
                "It was learned from all {}{of}; its weights can be written as a sum over {} of them, the relevance vectors, which says how compact the model is and not that it depends on those alone.",
                count(training.samples, "sample"),
                vectors.len()
            );
        }
    };
    format!(
        "It rests on {}{of}, {define}.",
        count(training.samples, "sample")
    )
}

/// A message that begins with a capital and ends with a stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = (letters.next().into_iter())
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// What must not be overlooked.
fn cautions(summary: &Summary) -> Markup {
    let Summary { data, model, .. } = summary;
    let evaluation = summary.evaluation.as_ref();
    html! {
        @if data.fitted_on == Some(false) {
            (note(&html! { p { strong { "Other data. " }
                "The table is not the one that the model was fitted on (their fingerprints differ; the fit had "
                (count(model.training.samples, "sample")) ", the table has " (data.samples)
                "). What is shown of samples and features is that of the table; what is said of losses, sizes and the fit is that of the model's own data." } }))
        }
        @if evaluation.is_none() && !other_data(summary) {
            (note(&html! { p { strong { "No evaluation. " }
                "Pictures of the samples show the data that the model was fitted on and flatter it. " (super::words::how_to_evaluate(summary)) } }))
        }
        @for warning in warnings(summary) {
            (note(&html! { p { strong { "To be checked. " } (sentence(&warning.message)) } }))
        }
    }
}

fn numbers(summary: &Summary) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(evaluation) = &summary.evaluation {
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
        add("Log loss", evaluation.log_loss, &base(summary));
        add("R², unseen samples", evaluation.r2, "");
        add("RMSE", evaluation.rmse, "");
    } else if let Some(expected) = summary.model.expected {
        let value = format!("{:.3}", expected.loss);
        tiles.push(Tile::new(
            "Expected loss",
            value,
            format!("± {:.3}{}", expected.se, base(summary)),
        ));
    }
    let training = &summary.model.training;
    let share =
        |part: usize, of: usize| format!("{:.2} % of {of}", 100.0 * part as f64 / of as f64);
    let (features, vectors) = (summary.model.feature_count, summary.vectors.len());
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
    if let Some(cost) = summary.model.cost {
        let folds = summary.evaluation.as_ref().and_then(|e| e.cost);
        let folds =
            folds.map(|cost| format!("{:.2} in the evaluation's fits, on average", cost.mean));
        tiles.push(Tile::new(
            "Cost a sample",
            format!("{cost:.2}"),
            folds.unwrap_or_else(|| "each panel once".to_string()),
        ));
    }
    if let (Some(share), Some(full), false) = (
        summary.model.share,
        summary.model.full,
        summary.model.is_full,
    ) {
        tiles.push(Tile::new(
            "Of the full model",
            percent(share),
            format!("which should cost {:.3} ± {:.3}", full.loss, full.se),
        ));
    }
    if let Some(stability) = summary.evaluation.as_ref().and_then(|e| e.stability) {
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
fn base(summary: &Summary) -> String {
    match summary.model.expected {
        Some(expected) => format!("; base rate {:.3}", expected.base),
        None => String::new(),
    }
}
