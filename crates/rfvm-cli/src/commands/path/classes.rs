//! The path of models of several classes.

use std::io::{self, Write};

use rfvm::{MulticlassPath, Size};
use serde_json::{Value, json};

use super::sizes::{size_json, sizes_table, whole_json};
use super::words::{not_kept, verdict};

pub(super) fn write(
    out: &mut dyn Write,
    path: &MulticlassPath,
    data: (usize, usize),
    size: Size,
) -> io::Result<()> {
    let sizes = path.sizes();
    let Some(full) = path.full() else {
        return writeln!(
            out,
            "Too few samples to hold some back: nothing can be said of any size."
        );
    };
    let vectors = path.models().map(|model| model.vector_count());
    sizes_table(&sizes, vectors, "expected log loss", (full, data)).write(out)?;
    writeln!(
        out,
        "\n  One panel for all classes. Their shares alone cost {:.4}. {}",
        full.base,
        path.judgement().map_or("", |found| verdict(found.verdict))
    )?;
    let chosen = sizes.iter().find(|own| own.chosen_as.contains(&size));
    match chosen.and_then(|own| not_kept(size, own.share, own.features)) {
        Some(words) => writeln!(out, "  {words}"),
        None => Ok(()),
    }
}

pub(super) fn json(path: &MulticlassPath, data: (usize, usize)) -> Value {
    let sizes = path.sizes();
    let points = sizes.iter().zip(path.models()).map(|(size, model)| {
        let features = model.needed_features();
        let mut object = size_json(size, features.iter().map(String::as_str).collect());
        object["vector_count"] = json!(model.vector_count());
        object
    });
    let size = |wanted: Size| {
        let own = sizes.iter().find(|own| own.chosen_as.contains(&wanted));
        own.map(|own| own.features)
    };
    let full = path.full().map(|full| (full, data));
    whole_json(path.judgement(), full, size, points.collect())
}
