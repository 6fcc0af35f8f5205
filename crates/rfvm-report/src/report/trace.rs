//! How the fit went: its bound from iteration to iteration, or from size to size.

use rfvm::{Iteration, Phase, Signature, StopReason};

use super::facts::Facts;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

const ID: &str = "convergence";
const TITLE: &str = "Convergence";

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let signatures = facts.model().signatures();
    let trace: Vec<&Iteration> = signatures.iter().flat_map(Signature::trace).collect();
    if trace.is_empty() {
        return Section::new(ID, TITLE, missing("The model keeps no trace of its fit."));
    }
    let by_size = trace.iter().all(|iteration| iteration.phase == Phase::Path);
    let place = |iteration: &Iteration| {
        if by_size {
            iteration.features as f64
        } else {
            iteration.number as f64
        }
    };
    let axis = || {
        if by_size {
            Axis::new("features").log()
        } else {
            Axis::new("iteration")
        }
    };
    let of = |value: &dyn Fn(&Iteration) -> Option<f64>, mut chart: Chart, what: &str| {
        for (at, signature) in signatures.iter().enumerate() {
            let color = Color::SERIES[at % Color::SERIES.len()];
            let points: Vec<(f64, f64)> = signature
                .trace()
                .iter()
                .filter_map(|i| Some((place(i), value(i)?)))
                .collect();
            let step = points.len().div_ceil(40).max(1);
            let unit = if by_size { "features" } else { "iteration" };
            let marks = points
                .iter()
                .step_by(step)
                .map(|&(x, y)| Mark {
                    shape: if points.len() < 20 {
                        Shape::Circle
                    } else {
                        Shape::Hidden
                    },
                    ..Mark::new(x, y, color, format!("{unit} {x:.0}: {what} {y:.1}"))
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
    };
    let ending = ending(facts);
    let bound = of(
        &|i| i.bound,
        Chart::new(
            "bound",
            "Bound of the fit",
            ending.clone(),
            axis(),
            Axis::new("bound, nats"),
        ),
        "bound",
    );
    let active = if by_size {
        of(
            &|i| Some(i.vectors as f64),
            Chart::new(
                "active",
                "Relevance vectors by size",
                "How many samples carry the weights of each size.",
                axis(),
                Axis::new("relevance vectors"),
            ),
            "vectors",
        )
    } else {
        of(
            &|i| (i.features > 0).then_some(i.features as f64),
            Chart::new(
                "active",
                "Active features",
                "How many features are still in play.",
                axis(),
                Axis::new("active features").log(),
            ),
            "features",
        )
    };
    let second = if by_size {
        "Relevance vectors"
    } else {
        "Active features"
    };
    let cards = [
        figure(&bound, "Bound", &ending),
        figure(&active, second, ""),
    ];
    Section::new(ID, TITLE, grid(&cards))
}

fn ending(facts: &Facts<'_>) -> String {
    let signatures = facts.model().signatures();
    if signatures
        .iter()
        .flat_map(Signature::trace)
        .all(|i| i.phase == Phase::Path)
    {
        return "Every size of the path is fitted to its optimum; the bound is that of each size, up to the model's own.".to_string();
    }
    let one = |(number, signature): (usize, &Signature)| {
        let iterations = signature.trace().last().map_or(0, |i| i.number);
        let how = match signature.stop_reason() {
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
