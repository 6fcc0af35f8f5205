//! How often each feature is selected, and how alike the selections are.

use maud::html;
use rfvm::summary::SelectedFeature;
use rfvm::{Stability, Summary};

use super::view::other_data;
use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars};

const ID: &str = "stability";
const TITLE: &str = "Stability of the selection";
const MOST: usize = 20;

pub(super) fn section(summary: &Summary) -> Section {
    let Some(evaluation) = &summary.evaluation else {
        let what = format!(
            "How often features are selected again needs fits on parts of the data. {}",
            super::words::how_to_evaluate(summary)
        );
        return Section::new(ID, TITLE, missing(&what));
    };
    if evaluation.selection.is_empty() {
        let what = match summary.model.is_full {
            true if other_data(summary) => {
                "The full model uses every feature in every fit: it selects nothing."
            }
            true => {
                "The full model uses every feature in every fit: it selects nothing. How stable a selection is, the report of a smaller model tells (rfvm fit and rfvm evaluate with --size balanced)."
            }
            false => "No fit of the evaluation selected a feature.",
        };
        return Section::new(ID, TITLE, missing(what));
    }
    let fits = evaluation.fits;
    let bar = |selected: &SelectedFeature| {
        let (color, place) = match selected.in_model {
            true => (Color::Blue, "in the signature"),
            false => (Color::Grey, "not in the signature"),
        };
        let tip = format!(
            "{}\nselected in {:.0} % of {fits} fits\n{place}",
            selected.name,
            100.0 * selected.frequency
        );
        Bar::new(&selected.name, selected.frequency, color, tip)
    };
    let shown = evaluation.selection.len().min(MOST);
    let again = evaluation
        .selection
        .iter()
        .filter(|s| s.in_model && s.frequency >= 0.5)
        .count();
    let description = format!(
        "Of the {} features of the signature {again} are selected in at least half of {fits} fits.",
        summary.model.feature_count
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
    if let Some(stability) = &evaluation.stability {
        cards.push(figure(&scale(stability), "Stability", "Nogueira's measure over all fits with its 95 % interval. Fits share rows, so the interval is a little narrow. Below 0.40 is poor, from 0.75 on excellent, by the usual words for agreement beyond chance."));
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
