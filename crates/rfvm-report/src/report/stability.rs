//! How often each feature is selected, and how alike the selections are.

use maud::html;
use rfvm::Stability;

use super::facts::Facts;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars};

const ID: &str = "stability";
const TITLE: &str = "Stability of the selection";
const MOST: usize = 20;

/// Nogueira's measure over the evaluation's fits.
pub(super) fn measured(facts: &Facts<'_>) -> Option<Stability> {
    let evaluation = facts.input.evaluation.filter(|_| !facts.full())?;
    let selections: Vec<&[String]> = evaluation
        .results
        .iter()
        .map(|result| result.selected.as_slice())
        .collect();
    rfvm::stability(&selections, evaluation.d)
}

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let Some(evaluation) = facts.input.evaluation else {
        let what = format!(
            "How often features are selected again needs fits on parts of the data. {}",
            super::words::EVALUATE
        );
        return Section::new(ID, TITLE, missing(&what));
    };
    if facts.full() || evaluation.selection.is_empty() {
        let what = match facts.full() {
            true => {
                "The full model uses every feature in every fit: it selects nothing. How stable a selection is, the report of a smaller model tells (rfvm fit and rfvm evaluate with --size balanced)."
            }
            false => "No fit of the evaluation selected a feature.",
        };
        return Section::new(ID, TITLE, missing(what));
    }
    let needed = facts.model().needed_features();
    let fits = evaluation.results.len();
    let bar = |selection: &rfvm::Selection| {
        let inside = needed.contains(&selection.feature);
        let color = if inside { Color::Blue } else { Color::Grey };
        let place = if inside {
            "in the signature"
        } else {
            "not in the signature"
        };
        let tip = format!(
            "{}\nselected in {:.0} % of {fits} fits\n{place}",
            selection.feature,
            100.0 * selection.frequency
        );
        Bar::new(&selection.feature, selection.frequency, color, tip)
    };
    let shown = evaluation.selection.len().min(MOST);
    let again = evaluation
        .selection
        .iter()
        .filter(|s| needed.contains(&s.feature) && s.frequency >= 0.5)
        .count();
    let description = format!(
        "Of the {} features of the signature {again} are selected in at least half of {fits} fits.",
        needed.len()
    );
    let bars = Bars::new(
        "frequency",
        "How often features are selected",
        description,
        Axis::new("share of fits that selected it")
            .range(0.0, 1.0)
            .percent(),
        evaluation.selection[..shown].iter().map(bar).collect(),
    )
    .key("in the signature", Color::Blue)
    .key("selected by other fits only", Color::Grey);
    let caption = format!(
        "The {shown} most often selected of {} features that any of {fits} fits selected, each on the rows of its folds.",
        evaluation.selection.len()
    );
    let mut cards = vec![figure(&bars, "Selection frequency", &caption)];
    if let Some(stability) = measured(facts) {
        cards.push(figure(&scale(&stability), "Stability", "Nogueira's measure over all fits with its 95 % interval. Fits share rows, so the interval is a little narrow. Below 0.40 is poor, from 0.75 on excellent, by the usual words for agreement beyond chance."));
    }
    Section::new(ID, TITLE, html! { (grid(&cards)) })
}

fn scale(stability: &Stability) -> Bars {
    let Stability {
        value, low, high, ..
    } = *stability;
    let words = match value {
        v if v < 0.4 => "poor",
        v if v < 0.75 => "intermediate to good",
        _ => "excellent",
    };
    let tip = format!("{value:.3}, 95 % interval {low:.3} to {high:.3}: {words}");
    let ticks = [0.0, 0.4, 0.75, 1.0].map(|at: f64| (at, at.to_string()));
    let axis = Axis::new("0: as by chance, 1: the same every time")
        .range(low.min(0.0), 1.0)
        .ticks(ticks.to_vec());
    let bar = Bar::new(format!("{value:.2}"), value, Color::Blue, &tip).between(low, high);
    Bars::new(
        "stability-scale",
        "Stability of the selection",
        format!("{tip}."),
        axis,
        vec![bar],
    )
}
