//! How good chance looks here: the same with shuffled targets.

use maud::{Markup, html};
use rfvm::Summary;
use rfvm::summary::{Measure, Permutation};

use super::view::other_data;
use super::words::how_to_evaluate;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Series, Shape};

pub(super) fn section(summary: &Summary) -> Section {
    let body = html! {
        p { "With many features, some look good by chance. The same is done here with the target dealt out anew, so that there is nothing to find." }
        (grid(&[whole_fit(summary), strongest(summary)]))
    };
    Section::new("chance", "Permuted labels: how good is chance here", body)
}

/// Heights that keep dots of near-equal values apart: each column of dots, so wide, is stacked.
fn stacked(values: &[f64], width: f64) -> Vec<(f64, f64)> {
    let mut heights = std::collections::HashMap::new();
    let place = |&value: &f64| {
        let column = (value / width).round();
        let height: &mut f64 = heights.entry(column as i64).or_insert(0.0);
        *height += 1.0;
        (column * width, *height)
    };
    values.iter().map(place).collect()
}

struct ChanceWords<'w> {
    id: &'w str,
    heading: &'w str,
    axis: &'w str,
    digits: usize,
    caption: String,
}

/// Dots of what chance gave, and a line where the true target is.
fn dots(words: &ChanceWords<'_>, found: &Permutation) -> Markup {
    let digits = words.digits;
    let (real, chance) = (found.real, &found.shuffled);
    let ends = |ends: (f64, f64), v: &f64| (ends.0.min(*v), ends.1.max(*v));
    let (low, high) = chance.iter().fold((real, real), ends);
    // About as many columns as dots of this size fit beside each other.
    let places = stacked(chance, ((high - low) / 42.0).max(1e-9));
    let top = places.iter().map(|p| p.1).fold(4.0, f64::max) + 1.0;
    let marks = places.iter().zip(chance).map(|(&(x, y), v)| Mark {
        size: 3.5,
        ..Mark::new(x, y, Color::Grey, format!("shuffled target: {v:.digits$}"))
    });
    let verdict = format!(
        "{} of {} shuffled targets are as good; p = {:.3}.",
        found.as_good,
        chance.len(),
        found.p
    );
    let chart = Chart::new(
        words.id,
        words.heading,
        format!("True target {real:.digits$}. {verdict}"),
        Axis::new(words.axis),
        Axis::new("shuffled targets").range(0.0, top),
    )
    .marks("shuffled target", marks.collect())
    .line(Series::new(
        "true target",
        Color::Vermillion,
        vec![(real, 0.0), (real, top)],
    ))
    .marks(
        "",
        vec![Mark {
            shape: Shape::Hidden,
            ..Mark::new(
                real,
                0.5 * top,
                Color::Vermillion,
                format!("true target: {real:.digits$}"),
            )
        }],
    );
    figure(
        &chart,
        words.heading,
        &format!("{verdict} {}", words.caption),
    )
}

fn whole_fit(summary: &Summary) -> Markup {
    const HEADING: &str = "The whole fit";
    let Some(found) = &summary.chance.whole_fit else {
        if other_data(summary) {
            return html! { div .card { h3 { (HEADING) } (missing(how_to_evaluate(summary))) } };
        }
        return html! { div .card { h3 { (HEADING) } (missing("Whether the whole fit does better than on shuffled labels needs such fits: rfvm evaluate --permuted 20 --json adds them to the evaluation.")) } };
    };
    let words = ChanceWords {
        id: "chance-fit",
        heading: HEADING,
        axis: match found.measure {
            Measure::Auc => "AUC in cross-validation",
            Measure::Rmse => "RMSE in cross-validation",
            Measure::Correlation => "correlation in cross-validation",
        },
        digits: 3,
        caption: "Each dot is a cross-validation of the same fit with shuffled labels.".to_string(),
    };
    dots(&words, found)
}

fn strongest(summary: &Summary) -> Markup {
    let found = &summary.chance.strongest;
    let words = ChanceWords {
        id: "chance-feature",
        heading: "The strongest single feature",
        axis: "largest correlation of any feature with the target",
        digits: 2,
        caption: format!(
            "The strongest of {} features against the strongest for each of {} shuffled targets.",
            summary.data.features,
            found.shuffled.len()
        ),
    };
    dots(&words, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_stacked_and_none_is_lost() {
        let places = stacked(&[0.5, 0.51, 0.9], 0.1);
        assert_eq!(places.len(), 3);
        assert_eq!(places[1], (places[0].0, 2.0));
        assert_eq!(places[2].1, 1.0);
    }
}
