//! The signature: weights with their uncertainty, and its values over the samples.

use maud::html;
use rfvm::{Feature, Method};

use super::facts::{Facts, look, scaled};
use super::words::count;
use crate::page::{Section, fitted_figure, missing, wide_figure};
use crate::palette::Color;
use crate::svg::{Axis, Bar, Bars, HeatMap};
use crate::table::{Cell, Column, DataTable};

/// Bars and rows that a picture shows at most.
const MOST: usize = 30;
/// Rows that the signature's table has at most: beyond lie the small weights of the full model, which the table of all
/// features has.
const ROWS: usize = 200;
/// Columns of the heat map at most; more samples are put together.
const COLUMNS: usize = 240;

pub(super) fn section(facts: &Facts<'_>) -> Section {
    let several = facts.model().signatures().len() > 1;
    let features: Vec<(usize, &Feature)> = facts.features().collect();
    if features.is_empty() {
        return Section::new(
            "signature",
            "Signature",
            missing("The model uses no feature."),
        );
    }
    let bar = |(number, f): &(usize, &Feature)| {
        let side = facts.side(f.class());
        let of = if several {
            format!(" (signature {number})")
        } else {
            String::new()
        };
        let tip = format!(
            "{}{of}\nweight {:.3} ± {:.3}\nspeaks for {side}",
            f.name, f.weight, f.sd
        );
        Bar::new(&f.name, f.weight, look(f.class()).0, tip)
            .between(f.weight - 1.96 * f.sd, f.weight + 1.96 * f.sd)
    };
    let shown = features.len().min(MOST);
    let bars = Bars::new(
        "weights",
        "Weights of the signature's features",
        describe(facts, &features),
        Axis::new("weight of one standard deviation"),
        features[..shown].iter().map(bar).collect(),
    )
    .width(940.0)
    .key(format!("speaks for {}", facts.side(0)), Color::Blue)
    .key(format!("speaks for {}", facts.side(1)), Color::Vermillion);
    let caption = format!(
        "{}The weight is what one standard deviation of the feature adds to the score; whiskers are 95 % intervals{}.",
        if shown < features.len() {
            format!("The {shown} heaviest of {}. ", features.len())
        } else {
            String::new()
        },
        match &facts.model().parameters().method {
            Method::Projected(_) if facts.full() => "",
            Method::Projected(_) => {
                " given the full model's scores: how uncertain those are, they do not show"
            }
            Method::Signatures(_) | Method::MeanField(_) => {
                " given the selection, which they know nothing of"
            }
        }
    );
    // The full model selects nothing.
    let evaluated = facts.input.evaluation.is_some() && !facts.full();
    let row = |(number, f): &(usize, &Feature)| -> Vec<Cell> {
        let mut row: Vec<Cell> = vec![
            f.name.as_str().into(),
            f.weight.into(),
            f.sd.into(),
            facts.side(f.class()).into(),
            f.relevance.into(),
        ];
        if evaluated {
            row.push(frequency(facts, &f.name).into());
        }
        if several {
            row.push((*number).into());
        }
        row
    };
    let digits = facts.weight_digits();
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
    let listed = features.len().min(ROWS);
    let mut words = match listed < features.len() {
        true => format!("The {listed} heaviest of {} features", features.len()),
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
        features[..listed].iter().map(row).collect(),
    );
    let body = html! { (fitted_figure(&bars, &bars.narrow(), "Weights", &caption)) (table) };
    Section::new("signature", "Signature", body)
}

fn describe(facts: &Facts<'_>, features: &[(usize, &Feature)]) -> String {
    let positive = features.iter().filter(|(_, f)| f.class() == 1).count();
    let (_, first) = features[0];
    format!(
        "{}: {positive} for {}, {} for {}; the heaviest is {} with {:.2}.",
        count(features.len(), "feature"),
        facts.side(1),
        features.len() - positive,
        facts.side(0),
        first.name,
        first.weight
    )
}

/// Share of the evaluation's fits that selected a feature.
pub(super) fn frequency(facts: &Facts<'_>, name: &str) -> Option<f64> {
    let evaluation = facts.input.evaluation?;
    let found = evaluation
        .selection
        .iter()
        .find(|selection| selection.feature == name);
    Some(found.map_or(0.0, |selection| selection.frequency))
}

pub(super) fn heat_section(facts: &Facts<'_>) -> Section {
    const ID: &str = "heat-map";
    const TITLE: &str = "Signature over the samples";
    let table = facts.input.data.table();
    let mut features: Vec<&Feature> = facts.features().map(|(_, f)| f).collect();
    if features.is_empty() {
        return Section::new(ID, TITLE, missing("The model uses no feature."));
    }
    let all = features.len();
    features.truncate(MOST);
    // Those of the positive class on top, so that the picture has a diagonal.
    features.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut order: Vec<usize> = (0..table.samples()).collect();
    order.sort_by(|&a, &b| {
        facts.predictions[a]
            .mean
            .total_cmp(&facts.predictions[b].mean)
    });
    let together = order.len().div_ceil(COLUMNS).max(1);
    let groups: Vec<&[usize]> = order.chunks(together).collect();
    let names: Vec<String> = features.iter().map(|f| f.name.clone()).collect();
    let rows = match table.find_features(&names) {
        Ok(positions) => positions
            .into_iter()
            .zip(&features)
            .map(|(d, feature)| {
                let mean = |group: &&[usize]| {
                    let known = group
                        .iter()
                        .map(|&n| scaled(facts.model(), feature, table.feature(d)[n]))
                        .filter(|v| v.is_finite());
                    let (sum, count) =
                        known.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
                    sum / count
                };
                (feature.name.clone(), groups.iter().map(mean).collect())
            })
            .collect(),
        Err(_) => Vec::new(),
    };
    let columns = groups
        .iter()
        .map(|group| column_words(facts, group))
        .collect();
    let description = format!(
        "{} by {}, samples from the lowest predicted score on the left to the highest on the right.",
        count(features.len(), "feature"),
        count(order.len(), "sample")
    );
    let mut map = HeatMap::new(
        "signature-heat",
        "Values of the signature's features over the samples",
        description,
        columns,
        rows,
    )
    .axis("samples, lowest predicted score to highest");
    if !facts.labels().is_empty() {
        let class = |group: &&[usize]| {
            let positive = group.iter().filter(|&&n| facts.labels()[n] == 1).count();
            Some(look(usize::from(2 * positive > group.len())).0)
        };
        map = map.band("true class", groups.iter().map(class).collect());
        let wrong = |group: &&[usize]| group.iter().any(|&n| facts.wrong(n)).then_some(Color::Grey);
        map = map.band("misclassified", groups.iter().map(wrong).collect());
    }
    let mut caption = String::from("Standardised as the model sees them: ");
    caption.push_str(&match facts.model().classes() {
        [negative, positive] => format!("blue is low, orange is high; in the band of classes blue is {negative}, orange is {positive}."),
        _ => "blue is low, orange is high.".to_string(),
    });
    if together > 1 {
        caption.push_str(&format!(
            " Each column is the mean of {together} neighbours in this order."
        ));
    }
    if all > features.len() {
        caption.push_str(&format!(
            " The {} heaviest of {all} features.",
            features.len()
        ));
    }
    Section::new(ID, TITLE, wide_figure(&map, "Heat map", &caption))
}

fn column_words(facts: &Facts<'_>, group: &[usize]) -> String {
    let one = |&n: &usize| {
        let class = facts
            .labels()
            .get(n)
            .map_or(String::new(), |&label| format!(", {}", facts.side(label)));
        let score = match facts.predictions[n].probability {
            Some(p) => format!("probability {p:.2}"),
            None => format!("predicted {:.3}", facts.predictions[n].mean),
        };
        format!("{}{class}, {score}", facts.samples()[n])
    };
    match group {
        [only] => one(only),
        [first, .., last] => format!("{} samples: {} to {}", group.len(), one(first), one(last)),
        [] => String::new(),
    }
}
