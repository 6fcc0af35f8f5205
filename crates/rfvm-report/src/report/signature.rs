//! The signature: weights with their uncertainty, and its values over the samples.

use maud::html;
use rfvm::summary::SignatureFeature;
use rfvm::{Method, Summary};

use super::view::{features, look, selects, side, weight_digits};
use super::words::count;
use crate::cost::cost_words;
use crate::known;
use crate::page::{Section, fitted_figure, missing, wide_figure};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars, HeatMap};
use crate::table::{Cell, Column, DataTable};

/// Bars that the picture shows at most.
const MOST: usize = 30;
/// Rows that the signature's table has at most: beyond lie the small weights of the full model, which the table of all
/// features has.
const ROWS: usize = 200;

const ID: &str = "signature";
const TITLE: &str = "Signature";
const NONE: &str = "The model uses no feature.";

pub(super) fn section(summary: &Summary) -> Section {
    let several = summary.signatures.len() > 1;
    let total = summary.model.feature_count;
    let features: Vec<(usize, &SignatureFeature)> = features(summary).take(ROWS).collect();
    let Some(bars) = weights(summary) else {
        return Section::new(ID, TITLE, missing(NONE));
    };
    let shown = total.min(MOST);
    let caption = format!(
        "{}The weight is what one standard deviation of the feature adds to the score; whiskers are 95 % intervals{}.",
        if shown < total {
            format!("The {shown} heaviest of {total}. ")
        } else {
            String::new()
        },
        match &summary.model.parameters.method {
            Method::Projected(_) if summary.model.is_full => "",
            Method::Projected(_) => {
                " given the full model's scores: how uncertain those are, they do not show"
            }
            Method::Signatures(_) | Method::MeanField(_) => {
                " given the selection, which they know nothing of"
            }
        }
    );
    let evaluated = selects(summary);
    let row = |(number, f): &(usize, &SignatureFeature)| -> Vec<Cell> {
        let mut row: Vec<Cell> = vec![
            f.name.as_str().into(),
            f.weight.into(),
            f.sd.into(),
            side(summary, f.class).into(),
            f.relevance.into(),
        ];
        if evaluated {
            row.push(f.selected.into());
        }
        if several {
            row.push((*number).into());
        }
        row.extend(known::cells(&summary.known, &f.name));
        row
    };
    let digits = weight_digits(summary);
    let mut columns = vec![
        Column::text("feature"),
        Column::number("weight", digits),
        Column::number("sd", digits),
        Column::text("speaks for"),
        Column::number("relevance", digits),
    ];
    if evaluated {
        columns.push(Column::number("selected in", 2));
    }
    if several {
        columns.push(Column::number("signature", 0));
    }
    columns.extend(known::columns(&summary.known));
    let listed = features.len();
    let mut words = match listed < total {
        true => format!("The {listed} heaviest of {total} features"),
        false => "The signature".to_string(),
    };
    words.push_str(": weights on standardised features");
    if evaluated {
        words.push_str("; share of the evaluation's fits that selected each");
    }
    let table = DataTable::new(
        "signature-table",
        words,
        columns,
        features.iter().map(row).collect(),
    );
    let unsure = features
        .iter()
        .filter(|(_, f)| f.weight.abs() < 1.96 * f.sd)
        .count();
    let unsure = match unsure {
        0 => String::new(),
        1 => "One weight has an interval that crosses zero".to_string(),
        _ => format!("{unsure} weights have intervals that cross zero"),
    };
    let body = html! {
        (fitted_figure(&bars, &bars.narrow(), "Weights", &caption))
        @if !unsure.is_empty() {
            p { (unsure) ": by the data alone even the sign is not sure. It stays because features were chosen for what they tell together: without it the others would have to say its part, and the model would lose what it adds to them." }
        }
        @if let Some(words) = cost_words(&summary.model, &summary.known, features.iter().map(|(_, f)| f.name.as_str())) { p { (words) } }
        (table)
    };
    Section::new(ID, TITLE, body)
}

/// The weights as bars; `None` where the model has none.
pub(super) fn weights(summary: &Summary) -> Option<Bars> {
    let several = summary.signatures.len() > 1;
    let features: Vec<(usize, &SignatureFeature)> = features(summary).take(MOST).collect();
    let (_, heaviest) = features.first()?;
    let bar = |(number, f): &(usize, &SignatureFeature)| {
        let side = side(summary, f.class);
        let of = if several {
            format!(" (signature {number})")
        } else {
            String::new()
        };
        let tip = format!(
            "{}{of}\nweight {:.3} ± {:.3}\nspeaks for {side}",
            f.name, f.weight, f.sd
        );
        Bar::new(&f.name, f.weight, look(f.class).0, tip)
            .between(f.weight - 1.96 * f.sd, f.weight + 1.96 * f.sd)
    };
    let bars = Bars::new(
        "weights",
        "Weights of the signature's features",
        describe(summary, heaviest),
        Axis::new("weight of one standard deviation"),
        features.iter().map(bar).collect(),
    )
    .width(940.0)
    .key(format!("speaks for {}", side(summary, 0)), Color::Blue)
    .key(
        format!("speaks for {}", side(summary, 1)),
        Color::Vermillion,
    );
    Some(bars)
}

fn describe(summary: &Summary, heaviest: &SignatureFeature) -> String {
    let total = summary.model.feature_count;
    let positive: usize = summary.signatures.iter().map(|s| s.positive).sum();
    format!(
        "{}: {positive} for {}, {} for {}; the heaviest is {} with {:.2}.",
        count(total, "feature"),
        side(summary, 1),
        total - positive,
        side(summary, 0),
        heaviest.name,
        heaviest.weight
    )
}

pub(super) fn heat_section(summary: &Summary) -> Section {
    const ID: &str = "heat-map";
    const TITLE: &str = "Signature over the samples";
    let heat = &summary.heat_map;
    if heat.features.is_empty() {
        return Section::new(ID, TITLE, missing("The model uses no feature."));
    }
    let value = |value: &Option<f64>| value.unwrap_or(f64::NAN);
    let rows = (heat.features.iter().zip(&heat.values))
        .map(|(name, values)| (name.clone(), values.iter().map(value).collect()))
        .collect();
    let columns = heat.columns.iter();
    let description = format!(
        "{} by {}, samples from the lowest predicted score on the left to the highest on the right.",
        count(heat.features.len(), "feature"),
        count(summary.samples.len(), "sample")
    );
    let mut map = HeatMap::new(
        "signature-heat",
        "Values of the signature's features over the samples",
        description,
        columns
            .clone()
            .map(|column| column_words(summary, column))
            .collect(),
        rows,
    )
    .axis("samples, lowest predicted score to highest");
    if !summary.model.classes.is_empty() {
        let class = |column: &Vec<usize>| {
            let positive = |&&n: &&usize| summary.samples[n].class == Some(1);
            let positive = column.iter().filter(positive).count();
            Some(look(usize::from(2 * positive > column.len())).0)
        };
        map = map.band("true class", columns.clone().map(class).collect());
        let wrong = |column: &Vec<usize>| {
            let wrong = |&n: &usize| summary.samples[n].misclassified == Some(true);
            column.iter().any(wrong).then_some(Color::Grey)
        };
        map = map.band("misclassified", columns.map(wrong).collect());
    }
    let mut caption = String::from("Standardised as the model sees them: ");
    caption.push_str(&match summary.model.classes.as_slice() {
        [negative, positive] => format!("blue is low, orange is high; in the band of classes blue is {negative}, orange is {positive}."),
        _ => "blue is low, orange is high.".to_string(),
    });
    let together = heat.columns.first().map_or(1, Vec::len);
    if together > 1 {
        caption.push_str(&format!(
            " Each column is the mean of {together} neighbours in this order."
        ));
    }
    let all = summary.model.feature_count;
    if all > heat.features.len() {
        caption.push_str(&format!(
            " The {} heaviest of {all} features.",
            heat.features.len()
        ));
    }
    Section::new(ID, TITLE, wide_figure(&map, "Heat map", &caption))
}

fn column_words(summary: &Summary, column: &[usize]) -> String {
    let one = |&n: &usize| {
        let sample = &summary.samples[n];
        let class = sample
            .class
            .map_or(String::new(), |class| format!(", {}", side(summary, class)));
        let score = match sample.probability {
            Some(p) => format!("probability {p:.2}"),
            None => format!("predicted {:.3}", sample.score),
        };
        format!("{}{class}, {score}", sample.name)
    };
    match column {
        [only] => one(only),
        [first, .., last] => format!("{} samples: {} to {}", column.len(), one(first), one(last)),
        [] => String::new(),
    }
}
