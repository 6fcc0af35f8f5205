//! A score of whole points, to be added up.

use std::fmt::Write;

use rfvm::{Model, PointBand, PointLoss, PointScore};

use super::words::about;

pub(super) fn points(model: &Model, score: &PointScore, loss: Option<&PointLoss>) -> String {
    let mut out = format!("{}\nIts score, rounded to whole points.\n", about(model));
    for feature in &score.features {
        let _ = writeln!(out, "\n{}", one_line(&model.known().named(&feature.name)));
        let words: Vec<String> = feature.bands.iter().map(band).collect();
        let width = words
            .iter()
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0);
        for (text, band) in words.iter().zip(&feature.bands) {
            let _ = writeln!(out, "  {text:width$}  {:>3}", band.points);
        }
        if let Some(median) = feature.median {
            let _ = writeln!(out, "  not measured: the points of {median:.4}");
        }
    }
    if !score.left_out.is_empty() {
        let names: Vec<String> = score.left_out.iter().map(|name| one_line(name)).collect();
        let _ = writeln!(
            out,
            "\nWorth less than a point, and left out: {}",
            names.join(", ")
        );
    }
    let positive = model.classes().get(1);
    let what = positive.map_or("predicted".to_string(), |name| {
        format!("probability of {}", one_line(name))
    });
    let _ = writeln!(out, "\npoints  {what}");
    for total in shown(score, positive.is_some()) {
        let _ = writeln!(out, "{:>6}  {:.3}", total.points, total.predicted);
    }
    if positive.is_some() {
        out.push_str("Below and above, probabilities are nearer to 0 and 1. The model knows how sure it is of each sample; points do not, and have the uncertainty of a typical one.\n");
    }
    match loss {
        Some(loss) => out.push_str(&cost(loss)),
        None => out.push_str(
            "\nWhat rounding costs is told on samples: rfvm export MODEL --format points TABLE --target COL\n",
        ),
    }
    out
}

/// Those that tell something: of probabilities next to 0 and 1 one each.
fn shown(score: &PointScore, probability: bool) -> Vec<rfvm::PointTotal> {
    let all = score.totals.iter().copied();
    match probability {
        true => all
            .filter(|t| (0.005..=0.995).contains(&t.predicted))
            .collect(),
        false => all.collect(),
    }
}

fn band(band: &PointBand) -> String {
    match (band.from, band.to) {
        (None, Some(to)) => format!("below {to}"),
        (Some(from), Some(to)) => format!("{from} to below {to}"),
        (Some(from), None) => format!("{from} or more"),
        (None, None) => "any".to_string(),
    }
}

fn cost(loss: &PointLoss) -> String {
    let mut out = format!("\nWhat rounding costs, on {} samples\n", loss.n);
    if let Some(correlation) = loss.correlation {
        let _ = writeln!(out, "  correlation with the score      {correlation:.4}");
    }
    let _ = writeln!(
        out,
        "  mean distance of the predictions {:.4}",
        loss.distance
    );
    for (name, pair) in [("AUC     ", loss.auc), ("accuracy", loss.accuracy)] {
        if let Some([model, points]) = pair {
            let _ = writeln!(out, "  {name}: model {model:.4}, points {points:.4}");
        }
    }
    out
}

fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}
