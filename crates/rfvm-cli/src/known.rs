//! What is known of features beside their values, as columns of printed tables and as fields of JSON.

use rfvm::{KnownCell, KnownFeatures};
use serde_json::{Value, json};

use crate::printer::Align;

/// A cell of annotation is cut beyond so many characters: a description may be a paragraph.
const WIDEST: usize = 40;

/// The columns of a printed table that tell something.
pub(crate) fn known_columns(known: &KnownFeatures) -> impl Iterator<Item = (String, Align)> {
    let columns = known.table_columns().into_iter();
    columns.map(|(title, number)| {
        let align = if number { Align::Right } else { Align::Left };
        (title.to_string(), align)
    })
}

/// A feature's cells in these columns.
pub(crate) fn known_cells(known: &KnownFeatures, feature: &str) -> impl Iterator<Item = String> {
    known
        .table_cells(feature)
        .into_iter()
        .map(|cell| match cell {
            KnownCell::Price(price) => format!("{price:.2}"),
            KnownCell::Text(text) => short(&text),
            KnownCell::Empty => String::new(),
        })
}

fn short(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

/// Adds what is known of a feature to the object about it; nothing where nothing is.
pub(crate) fn known_json(known: &KnownFeatures, name: &str, object: &mut Value) {
    let Some(found) = known.get(name) else {
        return;
    };
    if let Some(price) = known.price(name) {
        object["price"] = json!(price);
    }
    for (key, of) in [("panel", &found.panel), ("block", &found.block)] {
        if let Some(of) = of {
            object[key] = json!(of);
        }
    }
    if !found.annotation.is_empty() {
        let texts = known.columns.iter().zip(&found.annotation);
        let texts = texts.map(|(column, text)| (column.clone(), json!(text)));
        object["annotation"] = Value::Object(texts.collect());
    }
}
