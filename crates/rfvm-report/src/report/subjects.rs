//! The subject map: where each sample stands, how sure the model is of it, and who defines the model.

use maud::html;
use rfvm::Correction;

use super::facts::{Facts, look};
use super::words::{count, listed};
use crate::page::{Section, fitted_figure};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let vectors = facts.vectors();
    let mut right: [Vec<Mark>; 2] = [Vec::new(), Vec::new()];
    let (mut wrong, mut rings) = (Vec::new(), Vec::new());
    for (n, prediction) in facts.predictions.iter().enumerate() {
        let class = facts.labels().get(n).copied().unwrap_or(0);
        let (color, shape) = look(class);
        let name = &facts.samples()[n];
        let vector = vectors.get(name.as_str());
        let mark = Mark {
            shape,
            size: 5.0,
            ..Mark::new(
                prediction.mean,
                prediction.variance.sqrt(),
                color,
                tip(facts, n, vector),
            )
        };
        // Where all samples define the model, rings would mark none of them.
        if vector.is_some() && !facts.full() {
            rings.push(Mark {
                shape: Shape::Hidden,
                ring: true,
                tip: String::new(),
                ..mark.clone()
            });
        }
        match facts.wrong(n) {
            true => wrong.push(Mark {
                hollow: true,
                ..mark
            }),
            false => right[class.min(1)].push(mark),
        }
    }
    let misses = wrong.len();
    let [negative, positive] = right;
    let (first, second) = match facts.regression() {
        true => ("sample".to_string(), String::new()),
        false => (facts.side(0).to_string(), facts.side(1).to_string()),
    };
    let kind = if facts.unseen.is_empty() {
        "by the model itself"
    } else {
        "when unseen"
    };
    let defining = listed(sorted(&vectors).into_iter(), 5);
    let defining = match (facts.full(), defining.is_empty()) {
        (true, _) => "all of which define the model".to_string(),
        (false, true) => count(0, "relevance vector"),
        (false, false) => format!("{} ({defining})", count(vectors.len(), "relevance vector")),
    };
    let description = format!(
        "{}: {misses} misclassified {kind}, {defining}.",
        count(facts.predictions.len(), "sample")
    );
    let axis = match facts.regression() {
        true => "predicted value".to_string(),
        false => format!(
            "latent score ({} left, {} right)",
            facts.side(0),
            facts.side(1)
        ),
    };
    let mut chart = Chart::new(
        "subject-map",
        "Samples by score and uncertainty",
        description,
        Axis::new(axis),
        Axis::new("uncertainty (sd of the score)"),
    )
    .size(940.0, 420.0);
    if !facts.regression() {
        chart = chart.line(Series {
            dashed: true,
            thin: true,
            ..Series::new("", Color::Grey, even(facts))
        });
    }
    let chart = chart
        .marks(first, negative)
        .marks(second, positive)
        .marks(format!("misclassified {kind}"), wrong)
        .marks("relevance vector", rings);
    let caption = format!(
        "Scores are the model's own on the data that it was fitted on. {} Misclassified {}",
        match facts.full() {
            true => "All samples define the full model.",
            false =>
                "Rings mark the samples that define the model; the others are redundant for it, which says nothing about their worth for a study.",
        },
        if facts.unseen.is_empty() {
            "is what the model itself gets wrong, which flatters it."
        } else {
            "is what most repeats of the evaluation got wrong without having seen the sample."
        }
    );
    Section::new(
        "subjects",
        "Subject map",
        html! { (fitted_figure(&chart, &chart.narrow(), "Who is clear, who is not", &caption)) },
    )
}

/// Where both classes are as likely: σ(intercept + slope · mean / sqrt(1 + π/8 sd²)) = 1/2, from the smallest uncertainty
/// to the largest.
fn even(facts: &Facts<'_>) -> Vec<(f64, f64)> {
    const STEPS: u32 = 20;
    let sds = facts.predictions.iter().map(|p| p.variance.sqrt());
    let (low, high) = sds.fold((f64::INFINITY, 0.0_f64), |(low, high), sd| {
        (low.min(sd), high.max(sd))
    });
    let Correction { slope, intercept } = facts.model().correction();
    let point = |step: u32| {
        let sd = low + (high - low) * f64::from(step) / f64::from(STEPS);
        let moderation = (1.0 + std::f64::consts::FRAC_PI_8 * sd * sd).sqrt();
        (-intercept / slope * moderation, sd)
    };
    (0..=STEPS).map(point).collect()
}

fn sorted<'a>(vectors: &std::collections::HashMap<&'a str, f64>) -> Vec<&'a str> {
    let mut names: Vec<(&str, f64)> = vectors.iter().map(|(name, a)| (*name, a.abs())).collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    names.into_iter().map(|(name, _)| name).collect()
}

fn tip(facts: &Facts<'_>, n: usize, vector: Option<&f64>) -> String {
    let prediction = &facts.predictions[n];
    let mut tip = facts.samples()[n].clone();
    if let Some(&label) = facts.labels().get(n) {
        tip.push_str(&format!(", {}", facts.side(label)));
    }
    match prediction.probability {
        Some(p) => tip.push_str(&format!("\nprobability of {} {p:.2}", facts.side(1))),
        None => tip.push_str(&format!("\npredicted {:.3}", prediction.mean)),
    }
    if let Some(mean) = facts.unseen_mean(n) {
        tip.push_str(&format!("; unseen {mean:.2}"));
    }
    if let Some(coefficient) = vector {
        tip.push_str(&format!("\nrelevance vector, coefficient {coefficient:.3}"));
    }
    tip
}
