//! The subject map: where each sample stands, how sure the model is of it, and who defines the model.

use maud::html;
use rfvm::summary::SampleSummary;
use rfvm::{Summary, Task};

use super::view::{look, other_data, side};
use super::words::{count, listed};
use crate::page::{Section, fitted_figure};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

pub(super) fn section(summary: &Summary) -> Section {
    let (full, regression) = (
        summary.model.is_full,
        summary.model.task == Task::Regression,
    );
    let mut right: [Vec<Mark>; 2] = [Vec::new(), Vec::new()];
    let (mut wrong, mut rings) = (Vec::new(), Vec::new());
    for sample in &summary.samples {
        let class = sample.class.unwrap_or(0);
        let (color, shape) = look(class);
        let mark = Mark {
            shape,
            size: 5.0,
            ..Mark::new(sample.score, sample.sd, color, tip(summary, sample))
        };
        // Where all samples define the model, rings would mark none of them.
        if sample.coefficient.is_some() && !full {
            rings.push(Mark {
                shape: Shape::Hidden,
                ring: true,
                tip: String::new(),
                ..mark.clone()
            });
        }
        match sample.misclassified {
            Some(true) => wrong.push(Mark {
                hollow: true,
                ..mark
            }),
            _ => right[class.min(1)].push(mark),
        }
    }
    let misses = wrong.len();
    let [negative, positive] = right;
    let (first, second) = match regression {
        true => ("sample".to_string(), String::new()),
        false => (side(summary, 0).to_string(), side(summary, 1).to_string()),
    };
    let evaluated = summary.evaluation.is_some();
    let other = other_data(summary);
    let kind = if !evaluated {
        "by the model itself"
    } else {
        "when unseen"
    };
    let vectors = &summary.vectors;
    let defining = listed(vectors.iter().map(|v| v.sample.as_str()), vectors.len(), 5);
    let defining = match (full, defining.is_empty()) {
        (true, _) => "all of which define the model".to_string(),
        (false, true) => count(0, "relevance vector"),
        (false, false) => format!("{} ({defining})", count(vectors.len(), "relevance vector")),
    };
    let samples = count(summary.samples.len(), "sample");
    let description = match regression {
        true => format!("{samples}, {defining}."),
        false => format!("{samples}: {misses} misclassified {kind}, {defining}."),
    };
    let axis = match regression {
        true => "predicted value".to_string(),
        false => format!(
            "latent score ({} left, {} right)",
            side(summary, 0),
            side(summary, 1)
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
    if !regression {
        let even = summary.boundary.iter().map(|point| (point.score, point.sd));
        chart = chart.line(Series {
            dashed: true,
            thin: true,
            ..Series::new("", Color::Grey, even.collect())
        });
    }
    let mut chart = chart.marks(first, negative);
    if !regression {
        chart = chart
            .marks(second, positive)
            .marks(format!("misclassified {kind}"), wrong);
    }
    let chart = chart.marks("relevance vector", rings);
    let caption = format!(
        "{} {}{}",
        match other {
            true =>
                "Scores are the model's own of the table's samples, which it was not fitted on.",
            false => "Scores are the model's own on the data that it was fitted on.",
        },
        match full {
            true if other => "All samples of its own data define the full model.",
            true => "All samples define the full model.",
            false if other => "Rings mark samples of the names of those that define the model.",
            false =>
                "Rings mark the samples that define the model; the others are redundant for it, which says nothing about their worth for a study.",
        },
        match (regression, evaluated) {
            (true, _) => "",
            (false, false) if other => " Misclassified is what the model gets wrong.",
            (false, false) =>
                " Misclassified is what the model itself gets wrong, which flatters it.",
            (false, true) =>
                " Misclassified is what most repeats of the evaluation got wrong without having seen the sample.",
        }
    );
    Section::new(
        "subjects",
        "Subject map",
        html! { (fitted_figure(&chart, &chart.narrow(), "Who is clear, who is not", &caption)) },
    )
}

fn tip(summary: &Summary, sample: &SampleSummary) -> String {
    let mut tip = sample.name.clone();
    if let Some(class) = sample.class {
        tip.push_str(&format!(", {}", side(summary, class)));
    }
    match sample.probability {
        Some(p) => tip.push_str(&format!("\nprobability of {} {p:.2}", side(summary, 1))),
        None => tip.push_str(&format!("\npredicted {:.3}", sample.score)),
    }
    if let Some(mean) = sample.unseen {
        tip.push_str(&format!("; unseen {mean:.2}"));
    }
    if let Some(coefficient) = sample.coefficient {
        tip.push_str(&format!("\nrelevance vector, coefficient {coefficient:.3}"));
    }
    tip
}
