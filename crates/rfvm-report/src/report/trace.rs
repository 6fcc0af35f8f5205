//! How the fit went: its bound and its active features from iteration to iteration.

use maud::{Markup, html};
use rfvm::summary::SignatureSummary;
use rfvm::{Iteration, Method, Phase, StopReason, Summary};

use super::words::count;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

const ID: &str = "convergence";
const TITLE: &str = "Convergence";

pub(super) fn section(summary: &Summary) -> Section {
    let signatures = &summary.signatures;
    let trace = || signatures.iter().flat_map(|signature| &signature.trace);
    if trace().next().is_none() {
        return Section::new(ID, TITLE, missing("The model keeps no trace of its fit."));
    }
    let ending = match summary.model.parameters.method {
        Method::Projected(_) => projected(&signatures[0]),
        Method::Signatures(_) | Method::MeanField(_) => ending(signatures),
    };
    // A projected model is fitted to scores and not to labels; it has no bound on the evidence.
    let mut cards = Vec::new();
    if trace().any(|iteration| iteration.bound.is_some()) {
        cards.push(bound(signatures, &ending));
    }
    cards.push(active(signatures));
    let alone = cards.len() == 1;
    let body = html! {
        @if alone { p { (ending) } }
        (grid(&cards))
    };
    Section::new(ID, TITLE, body)
}

fn bound(signatures: &[SignatureSummary], ending: &str) -> Markup {
    let chart = Chart::new(
        "bound",
        "Bound of the fit",
        ending,
        Axis::new("iteration"),
        Axis::new("bound, nats"),
    );
    let chart = drawn(chart, signatures, "bound", |i| i.bound);
    figure(&chart, "Bound", ending)
}

fn active(signatures: &[SignatureSummary]) -> Markup {
    let chart = Chart::new(
        "active",
        "Active features",
        "How many features are still in play.",
        Axis::new("iteration"),
        Axis::new("active features").log(),
    );
    let chart = drawn(chart, signatures, "features", |i| {
        (i.features > 0).then_some(i.features as f64)
    });
    figure(&chart, "Active features", "")
}

fn drawn(
    mut chart: Chart,
    signatures: &[SignatureSummary],
    what: &str,
    value: impl Fn(&Iteration) -> Option<f64>,
) -> Chart {
    for (at, signature) in signatures.iter().enumerate() {
        let color = Color::SERIES[at % Color::SERIES.len()];
        let points: Vec<(f64, f64)> = signature
            .trace
            .iter()
            .filter_map(|i| Some((i.number as f64, value(i)?)))
            .collect();
        let step = points.len().div_ceil(40).max(1);
        let marks = points
            .iter()
            .step_by(step)
            .map(|&(x, y)| Mark {
                shape: if points.len() < 20 {
                    Shape::Circle
                } else {
                    Shape::Hidden
                },
                ..Mark::new(x, y, color, format!("iteration {x:.0}: {what} {y:.1}"))
            })
            .collect();
        let name = if signatures.len() > 1 {
            format!("signature {}", at + 1)
        } else {
            String::new()
        };
        chart = chart
            .line(Series::new(name, color, points))
            .marks("", marks);
    }
    chart
}

/// Sweeps over all features, then the iterations of the projection.
fn projected(signature: &SignatureSummary) -> String {
    let sweeps: Vec<&Iteration> = (signature.trace.iter())
        .filter(|i| i.phase == Phase::Wide)
        .collect();
    let swept = format!(
        "{} over {} give the full posterior; they end early by design.",
        count(sweeps.len(), "sweep"),
        count(sweeps.last().map_or(0, |i| i.features), "feature")
    );
    match signature.trace.last() {
        Some(last) if last.phase != Phase::Wide => {
            let how = match signature.stop_reason {
                StopReason::Converged => "until its weights had settled",
                _ => "which was their limit, before its weights had settled",
            };
            format!(
                "{swept} The projection onto {} took {} more, {how}; it has no bound, for it is fitted to scores and not to labels.",
                count(last.features, "feature"),
                count(last.number.saturating_sub(sweeps.len()), "iteration")
            )
        }
        _ => swept,
    }
}

fn ending(signatures: &[SignatureSummary]) -> String {
    let one = |(number, signature): (usize, &SignatureSummary)| {
        let iterations = signature.trace.last().map_or(0, |i| i.number);
        let how = match signature.stop_reason {
            StopReason::Converged => format!("converged after {iterations} iterations"),
            StopReason::IterationLimit => {
                format!("stopped at the limit of {iterations} iterations, before it converged")
            }
            StopReason::Interrupted => format!("was interrupted after {iterations} iterations"),
            StopReason::NoSignal => "found no signal".to_string(),
            StopReason::Breakdown => format!("broke down after {iterations} iterations"),
        };
        format!("Signature {number} {how}.")
    };
    (1..).zip(signatures).map(one).collect::<Vec<_>>().join(" ")
}
