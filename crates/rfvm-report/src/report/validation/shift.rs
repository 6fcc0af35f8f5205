//! How the features of a model differ from its training.

use maud::html;
use rfvm::{FeatureShift, Validation};

use crate::page::{Section, fitted_figure};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars};
use crate::table::{Cell, Column, DataTable};

/// Features in the chart; the table has all.
const DRAWN: usize = 25;

/// The largest shifts as bars.
pub(super) fn shift_chart(validation: &Validation) -> Option<Bars> {
    let bars = validation.shifts.iter().take(DRAWN).map(|shift| {
        let FeatureShift {
            name,
            shift: by,
            outside,
            ..
        } = shift;
        let color = if *by < 0.0 {
            Color::Blue
        } else {
            Color::Vermillion
        };
        let beyond = outside.map_or(String::new(), |share| {
            format!(
                "; {:.0} % of the samples outside the training range",
                100.0 * share
            )
        });
        Bar::new(
            name,
            *by,
            color,
            format!("{name}\nshift {by:+.2} sd{beyond}"),
        )
    });
    let bars: Vec<Bar> = bars.collect();
    let first = validation.shifts.first()?;
    let description = format!(
        "Mean of the new samples less that of the training samples, in standard deviations of the latter; the largest is {} with {:+.2}.",
        first.name, first.shift
    );
    Some(Bars::new(
        "shifts",
        "Shift of the features",
        description,
        Axis::new("shift, training standard deviations"),
        bars,
    ))
}

pub(super) fn shift(validation: &Validation) -> Option<Section> {
    let bars = shift_chart(validation)?.width(900.0);
    let row = |shift: &FeatureShift| -> Vec<Cell> {
        vec![
            shift.name.as_str().into(),
            shift.weight.into(),
            shift.shift.into(),
            shift.spread.into(),
            shift.outside.map(|share| 100.0 * share).into(),
            shift.training_centre.into(),
            shift.median.into(),
            shift.moves_score.into(),
            shift.missing.into(),
        ]
    };
    let columns = vec![
        Column::text("feature"),
        Column::number("weight", 3),
        Column::number("shift, sd", 2),
        Column::number("ratio of spreads", 2),
        Column::number("outside, %", 0),
        Column::number("centre of training", 3),
        Column::number("median now", 3),
        Column::number("moves the score by", 3),
        Column::number("missing", 0),
    ];
    let rows = validation.shifts.iter().map(row).collect();
    let table = DataTable::new(
        "shift-table",
        "Every feature of the model, the most shifted first; shift and spread on the scale that the model sees",
        columns,
        rows,
    );
    let body = html! {
        p { "A shift can come from other machines, units and scales, or from other subjects: where the classes have other shares, the features that tell them apart have other means." }
        (fitted_figure(&bars, &bars.narrow(), "Shift of the features", "The mean of the new samples against that of the training samples."))
        (table)
    };
    Some(Section::new("shift", "What has shifted", body))
}
