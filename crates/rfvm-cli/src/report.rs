//! A model as tables and as JSON: what `fit` and `inspect` print.

use std::io::{self, Write};

use rfvm::{Method, Model, Panel, Phase, Provenance, Signature, StopReason, Task, Training};
use rfvm_report::{cost_words, thousands, worth};
use serde_json::{Value, json};

use crate::known::{known_cells, known_columns, known_json};
use crate::printer::{Align, PrintedTable};

/// A table of more rows than this shows only the strongest.
pub(crate) const MANY: usize = 60;
/// How many features of such a table are shown, and how many relevance vectors.
pub(crate) const STRONGEST: (usize, usize) = (20, 10);

/// How many of a model's features and vectors an object names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The strongest where the full model has very many.
    Strongest,
    /// All.
    All,
}

/// The tables of a model: its signature or signatures and the relevance vectors; and what a projected one is worth.
pub(crate) fn write_model(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    let training = model.training();
    let classes = match model.task() {
        Task::Regression => "regression".to_string(),
        Task::Classification => {
            let counts = model.classes().iter().zip(&training.class_counts);
            let counts: Vec<String> = counts
                .map(|(name, count)| format!("{count} {name}"))
                .collect();
            counts.join(", ")
        }
    };
    write_training(out, training, &classes)?;
    for (number, signature) in (1..).zip(model.signatures()) {
        writeln!(out)?;
        write_signature(out, model, number, signature)?;
    }
    let features = model.needed_features();
    let features = features.iter().map(String::as_str);
    if let Some(words) = cost_words(&model.overview(), model.known(), features) {
        writeln!(out, "\n{words}")?;
    }
    write_covariates(out, model)?;
    if let Some(words) = worth(&model.overview()) {
        writeln!(out, "\n{words}")?;
    }
    for recalibration in model.recalibrations() {
        writeln!(out, "\n{}", recalibration.sentence())?;
    }
    Ok(())
}

/// What a model was fitted on, of which classes.
pub(crate) fn write_training(
    out: &mut dyn Write,
    training: &Training,
    classes: &str,
) -> io::Result<()> {
    writeln!(
        out,
        "Fitted on {} samples ({classes}) and {} features.",
        training.samples,
        thousands(training.features)
    )?;
    if training.constant_features > 0 {
        writeln!(
            out,
            "{} features were constant and set aside.",
            thousands(training.constant_features)
        )?;
    }
    write_provenance(out, &training.provenance)
}

/// What the covariates do to the score, beside the features and alone.
fn write_covariates(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    let effects = model.covariate_effects();
    if effects.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nCovariates, allowed for and not selected:")?;
    let mut table = PrintedTable::new([
        ("covariate", Align::Left),
        ("effect", Align::Right),
        ("95 % from", Align::Right),
        ("to", Align::Right),
        ("alone", Align::Right),
    ]);
    for effect in effects {
        let reach = 1.96 * effect.sd;
        table.row([
            effect.column.clone(),
            format!("{:.4}", effect.effect),
            format!("{:.4}", effect.effect - reach),
            format!("{:.4}", effect.effect + reach),
            format!("{:.4}", effect.alone),
        ]);
    }
    table.write(out)?;
    writeln!(
        out,
        "  Change of the {} per unit, or from the reference to the level; `alone`: without any feature.",
        match model.task() {
            Task::Classification => "log odds",
            Task::Regression => "target",
        }
    )
}

/// Columns that are not used, where a panel came from, and what is to be checked.
fn write_provenance(out: &mut dyn Write, provenance: &Provenance) -> io::Result<()> {
    let Provenance {
        warnings,
        unused,
        panel,
    } = provenance;
    if !unused.is_empty() {
        writeln!(out, "Not used as features:")?;
    }
    for columns in unused {
        writeln!(out, "  {}", columns.sentence())?;
    }
    if let Some(Panel {
        features,
        from: Some(from),
    }) = panel
    {
        writeln!(
            out,
            "The panel of {features} feature(s) was given; it came from: {from}."
        )?;
    }
    if !warnings.is_empty() {
        writeln!(out, "To be checked:")?;
    }
    for warning in warnings {
        writeln!(out, "  {}", warning.message)?;
    }
    Ok(())
}

fn write_signature(
    out: &mut dyn Write,
    model: &Model,
    number: usize,
    signature: &Signature,
) -> io::Result<()> {
    if signature.stop_reason() == StopReason::NoSignal {
        return writeln!(
            out,
            "{}",
            match model.covariates() {
                None =>
                    "No feature carries enough signal: the model predicts the base rate for every sample.",
                Some(_) =>
                    "No feature adds enough to the covariates: the model predicts by these alone.",
            }
        );
    }
    let (features, vectors) = (signature.features(), signature.vectors());
    writeln!(
        out,
        "{}: {} feature(s), {} relevance vector(s); {}",
        match model.is_full() {
            true => "Full model".to_string(),
            false => format!("Signature {number}"),
        },
        thousands(features.len()),
        thousands(vectors.len()),
        ending(model, signature)
    )?;
    let known = model.known();
    let own = [
        ("feature", Align::Left),
        ("weight", Align::Right),
        ("sd", Align::Right),
        ("relevance", Align::Right),
        ("speaks for", Align::Left),
    ];
    let own = own.map(|(title, align)| (title.to_string(), align));
    let mut table = PrintedTable::new(own.into_iter().chain(known_columns(known)));
    let shown = shown(features.len(), STRONGEST.0);
    for feature in &features[..shown] {
        let own = [
            feature.name.clone(),
            format!("{:.4}", feature.weight),
            format!("{:.4}", feature.sd),
            format!("{:.4}", feature.relevance),
            class_of(model, feature.class()),
        ];
        table.row(own.into_iter().chain(known_cells(known, &feature.name)));
    }
    table.write(out)?;
    if shown < features.len() {
        let more = thousands(features.len() - shown);
        writeln!(
            out,
            "  and {more} more of smaller weight (rfvm inspect --json names all)"
        )?;
    }
    write_vectors(out, model, signature)?;
    if let Some(evidence) = signature.evidence() {
        let by_chance = (model.training().features as f64).ln();
        let note = if evidence < by_chance {
            ": may be chance"
        } else {
            ""
        };
        writeln!(
            out,
            "  Evidence {evidence:.1} nats against the base rate; the best of {} features that know nothing reaches up to about {by_chance:.1}{note}",
            model.training().features
        )?;
    }
    Ok(())
}

/// How many of so many rows a table shows: all, or the strongest of very many.
pub(crate) fn shown(rows: usize, strongest: usize) -> usize {
    if rows > MANY { strongest } else { rows }
}

fn write_vectors(out: &mut dyn Write, model: &Model, signature: &Signature) -> io::Result<()> {
    let vectors = signature.vectors();
    if model.is_full() {
        return writeln!(
            out,
            "  All {} samples define the full model.",
            thousands(vectors.len())
        );
    }
    let mut table = PrintedTable::new([
        ("relevance vector", Align::Left),
        ("coefficient", Align::Right),
    ]);
    let shown = shown(vectors.len(), STRONGEST.1);
    for vector in &vectors[..shown] {
        table.row([vector.sample.clone(), format!("{:.4}", vector.coefficient)]);
    }
    table.write(out)?;
    match vectors.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "  and {} more of smaller coefficient", thousands(more)),
    }
}

/// The class a feature speaks for; a direction in a regression.
fn class_of(model: &Model, class: usize) -> String {
    let direction = ["lower", "higher"];
    model
        .classes()
        .get(class)
        .cloned()
        .unwrap_or_else(|| direction[class].to_string())
}

fn ending(model: &Model, signature: &Signature) -> String {
    let trace = signature.trace();
    let iterations = trace.last().map_or(0, |iteration| iteration.number);
    if let Method::Projected(_) = model.parameters().method {
        let sweeps = trace.iter().filter(|i| i.phase == Phase::Wide).count();
        return match (model.is_full(), signature.stop_reason()) {
            (_, StopReason::Interrupted) => "interrupted".to_string(),
            (_, StopReason::Breakdown) => "the arithmetic broke down".to_string(),
            (true, _) => format!("{sweeps} sweeps"),
            (false, StopReason::IterationLimit) => {
                "projected from the full model, not settled".to_string()
            }
            (false, _) => "projected from the full model".to_string(),
        };
    }
    match signature.stop_reason() {
        StopReason::Converged => format!("converged after {iterations} iterations"),
        StopReason::IterationLimit => format!("stopped at the limit of {iterations} iterations"),
        StopReason::Interrupted => format!("interrupted after {iterations} iterations"),
        StopReason::NoSignal => "no signal".to_string(),
        StopReason::Breakdown => format!("the arithmetic broke down after {iterations} iterations"),
    }
}

/// The model as JSON. `features`, `vectors`, `stop`, `iterations` and `bound` are those of all signatures together;
/// `signatures` has them apart. Of the full model's features and vectors the strongest are named, unless all are asked for.
pub(crate) fn model_json(model: &Model, extent: Extent) -> Value {
    let most = match extent {
        Extent::Strongest if model.is_full() => STRONGEST,
        _ => (usize::MAX, usize::MAX),
    };
    let signatures: Vec<Value> = model
        .signatures()
        .iter()
        .map(|signature| signature_json(model, signature, most))
        .collect();
    let all = |key: &str| -> Vec<Value> {
        signatures
            .iter()
            .filter_map(|s| s[key].as_array())
            .flatten()
            .cloned()
            .collect()
    };
    let first = &signatures[0];
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "task": model.task(),
        "classes": model.classes(),
        "training": model.training(),
        "warnings": model.training().provenance.warnings,
        "parameters": model.parameters(),
        "feature_count": model.feature_count(),
        "vector_count": model.vector_count(),
        "cost": model.cost(),
        "features": all("features"),
        "vectors": all("vectors"),
        "stop": first["stop"],
        "iterations": signatures.iter().filter_map(|s| s["iterations"].as_u64()).sum::<u64>(),
        "bound": first["bound"],
        "evidence": first["evidence"],
        "expected": model.expected(),
        "full": model.full(),
        "share": model.share(),
        "correction": model.correction(),
        "recalibrations": model.recalibrations(),
        "verdict": model.judgement().map(|found| found.verdict),
        "detection": model.judgement().map(|found| found.detection),
        "chance": model.judgement().map(|found| found.chance),
        "covariates": model.covariate_effects(),
        "signatures": signatures,
    })
}

fn signature_json(model: &Model, signature: &Signature, most: (usize, usize)) -> Value {
    // A table of few rows is never cut.
    let rows = |count: usize, most: usize| if count > MANY { most } else { count };
    let features: Vec<Value> = signature
        .features()
        .iter()
        .take(rows(signature.features().len(), most.0))
        .map(|f| {
            let mut feature = json!({
                "name": f.name, "weight": f.weight, "relevance": f.relevance, "sd": f.sd,
                "class": class_of(model, f.class()),
                "mean": f.scale.mean, "scale": f.scale.sd, "bend": f.scale.bend, "median": f.median,
            });
            known_json(model.known(), &f.name, &mut feature);
            feature
        })
        .collect();
    let vectors: Vec<Value> = signature
        .vectors()
        .iter()
        .take(rows(signature.vectors().len(), most.1))
        .map(|v| json!({"sample": v.sample, "coefficient": v.coefficient}))
        .collect();
    json!({
        "features": features,
        "vectors": vectors,
        "bias": signature.bias().0,
        "noise": signature.noise(),
        "stop": signature.stop_reason(),
        "iterations": signature.trace().last().map_or(0, |iteration| iteration.number),
        "bound": signature.bound(),
        "evidence": signature.evidence(),
    })
}
