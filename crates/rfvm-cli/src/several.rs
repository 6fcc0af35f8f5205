//! A model of several classes as tables and as JSON: what `fit` and `inspect` print.

use std::io::{self, Write};

use rfvm::{AnyModel, Dataset, MulticlassModel, StopReason, Target};
use rfvm_report::{cost_words, thousands, worth};
use serde_json::{Value, json};

use crate::known::{known_cells, known_columns, known_json};
use crate::output::tell_notes;
use crate::printer::{Align, PrintedTable};
use crate::report::{Extent, MANY, STRONGEST, model_json, shown, write_model, write_training};

/// Whether the data have more than two classes; then it says which, since a class that is there by mistake is one too.
pub(crate) fn has_several(data: &Dataset) -> bool {
    let Target::Classes { names, labels } = data.target() else {
        return false;
    };
    if names.len() <= 2 {
        return false;
    }
    let count = |at: usize| labels.iter().filter(|&&label| label == at).count();
    let counts = names.iter().enumerate();
    let counts: Vec<String> = counts
        .map(|(at, name)| format!("{} {name}", count(at)))
        .collect();
    tell_notes(&[format!(
        "{} classes ({}): one panel of features for all of them; --positive sets some against the rest",
        names.len(),
        counts.join(", ")
    )]);
    true
}

/// The tables of a model of any kind.
pub(crate) fn write_any_model(out: &mut dyn Write, model: &AnyModel) -> io::Result<()> {
    match model {
        AnyModel::Single(model) => write_model(out, model),
        AnyModel::Several(model) => write_classes(out, model),
    }
}

/// A model of any kind as JSON.
pub(crate) fn any_model_json(model: &AnyModel, extent: Extent) -> Value {
    match model {
        AnyModel::Single(model) => model_json(model, extent),
        AnyModel::Several(model) => classes_json(model, extent),
    }
}

/// Its panel with the weights of every class, the relevance vectors, and what it is worth.
fn write_classes(out: &mut dyn Write, model: &MulticlassModel) -> io::Result<()> {
    let training = model.training();
    let counts = model.classes().iter().zip(&training.class_counts);
    let counts: Vec<String> = counts
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    write_training(out, training, &counts.join(", "))?;
    writeln!(out)?;
    if model.feature_count() == 0 {
        writeln!(
            out,
            "No feature carries enough signal: the model predicts the classes' shares for every sample."
        )?;
    } else {
        write_panel(out, model)?;
        write_vectors(out, model)?;
    }
    let panel = model.needed_features();
    let panel = panel.iter().map(String::as_str);
    if let Some(words) = cost_words(&model.overview(), model.known(), panel) {
        writeln!(out, "\n{words}")?;
    }
    match worth(&model.overview()) {
        Some(words) => writeln!(out, "\n{words}"),
        None => Ok(()),
    }
}

fn write_panel(out: &mut dyn Write, model: &MulticlassModel) -> io::Result<()> {
    let panel = model.features();
    writeln!(
        out,
        "One panel for {} classes: {} feature(s), {} relevance vector(s); {}",
        model.classes().len(),
        thousands(panel.len()),
        thousands(model.vector_count()),
        match (model.stop_reason(), model.is_full()) {
            (StopReason::IterationLimit, _) => "projected from the full model, not settled",
            (_, true) => "the full model",
            (_, false) => "projected from the full model",
        }
    )?;
    let known = model.known();
    let names = model
        .classes()
        .iter()
        .map(|name| (name.clone(), Align::Right));
    let columns = [("weight for".to_string(), Align::Left)]
        .into_iter()
        .chain(names);
    let mut table = PrintedTable::new(columns.chain(known_columns(known)));
    let shown = shown(panel.len(), STRONGEST.0);
    for feature in &panel[..shown] {
        let weights = feature.weights.iter();
        let weights = weights.map(|(weight, sd)| format!("{weight:.3} ± {sd:.3}"));
        let row = [feature.name.to_string()].into_iter().chain(weights);
        table.row(row.chain(known_cells(known, feature.name)));
    }
    table.write(out)?;
    if shown < panel.len() {
        let more = thousands(panel.len() - shown);
        writeln!(
            out,
            "  and {more} more of smaller weights (rfvm inspect --json names all)"
        )?;
    }
    writeln!(
        out,
        "  Above 0, a high value speaks for the class against all others."
    )
}

fn write_vectors(out: &mut dyn Write, model: &MulticlassModel) -> io::Result<()> {
    if model.is_full() {
        return writeln!(out, "  All samples define the full model.");
    }
    let mut table = PrintedTable::new([
        ("class", Align::Left),
        ("relevance vectors (coefficient)", Align::Left),
    ]);
    for (class, signature) in model.classes().iter().zip(model.signatures()) {
        let vectors = signature.vectors();
        let shown = shown(vectors.len(), STRONGEST.1);
        let named = vectors[..shown].iter();
        let mut named: Vec<String> = named
            .map(|vector| format!("{} ({:.2})", vector.sample, vector.coefficient))
            .collect();
        if shown < vectors.len() {
            named.push(format!("and {} more", vectors.len() - shown));
        }
        table.row([class.clone(), named.join(", ")]);
    }
    table.write(out)
}

/// The model as JSON. Of the full model's features the strongest are named, unless all are asked for.
fn classes_json(model: &MulticlassModel, extent: Extent) -> Value {
    let panel = model.features();
    let most = match extent {
        Extent::Strongest if model.is_full() && panel.len() > MANY => STRONGEST.0,
        _ => panel.len(),
    };
    let features = panel[..most].iter().map(|feature| {
        let part = |of: fn(&(f64, f64)) -> f64| feature.weights.iter().map(of).collect::<Vec<_>>();
        let mut object = json!({
            "name": feature.name, "relevance": feature.relevance,
            "weights": part(|w| w.0), "sds": part(|w| w.1),
        });
        known_json(model.known(), feature.name, &mut object);
        object
    });
    let classes = model.classes().iter().zip(model.signatures());
    let classes = classes.map(|(class, signature)| {
        let vectors = signature.vectors().iter();
        let vectors = vectors.map(|v| json!({"sample": v.sample, "coefficient": v.coefficient}));
        json!({
            "class": class, "bias": signature.bias().0, "noise": signature.noise(),
            "vectors": vectors.collect::<Vec<_>>(),
        })
    });
    let found = model.judgement();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "task": "classification",
        "classes": model.classes(),
        "training": model.training(),
        "warnings": model.training().provenance.warnings,
        "parameters": model.parameters(),
        "feature_count": model.feature_count(),
        "vector_count": model.vector_count(),
        "features": features.collect::<Vec<_>>(),
        "per_class": classes.collect::<Vec<_>>(),
        "stop": model.stop_reason(),
        "expected": model.expected(),
        "full": model.full(),
        "share": model.share(),
        "cost": model.cost(),
        "correction": model.correction(),
        "verdict": found.map(|found| found.verdict),
        "detection": found.map(|found| found.detection),
        "chance": found.map(|found| found.chance),
    })
}
