//! A model as tables and as JSON: what `fit` and `inspect` print.

use std::io::{self, Write};

use rfvm::{Expected, Model, Phase, Signature, StopReason, Task, Verdict};
use serde_json::{Value, json};

use crate::printer::{Align, Table};

/// The tables of a model: its signature or signatures and the relevance vectors.
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
    writeln!(
        out,
        "Fitted on {} samples ({classes}) and {} features.",
        training.samples, training.features
    )?;
    if training.constant_features > 0 {
        writeln!(
            out,
            "{} features were constant and set aside.",
            training.constant_features
        )?;
    }
    for (number, signature) in (1..).zip(model.signatures()) {
        writeln!(out)?;
        write_signature(out, model, number, signature)?;
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
            "No feature carries enough signal: the model predicts the base rate for every sample."
        );
    }
    let features = signature.features();
    writeln!(
        out,
        "Signature {number}: {} feature(s), {} relevance vector(s); {}",
        features.len(),
        signature.vectors().len(),
        ending(signature)
    )?;
    let mut table = Table::new([
        ("feature", Align::Left),
        ("weight", Align::Right),
        ("sd", Align::Right),
        ("relevance", Align::Right),
        ("speaks for", Align::Left),
    ]);
    for feature in features {
        table.row([
            feature.name.clone(),
            format!("{:.4}", feature.weight),
            format!("{:.4}", feature.sd),
            format!("{:.4}", feature.relevance),
            class_of(model, feature.class()),
        ]);
    }
    table.write(out)?;
    let mut table = Table::new([
        ("relevance vector", Align::Left),
        ("coefficient", Align::Right),
    ]);
    for vector in signature.vectors() {
        table.row([vector.sample.clone(), format!("{:.4}", vector.coefficient)]);
    }
    table.write(out)?;
    if let Some(expected) = model.expected() {
        return writeln!(out, "  {}", expectation(model.task(), &expected));
    }
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

/// What a model should cost on new samples, in words.
pub(crate) fn expectation(task: Task, expected: &Expected) -> String {
    let measure = match task {
        Task::Classification => "log loss",
        Task::Regression => "half the squared error, in units of the target's variance,",
    };
    let caution = match expected.verdict() {
        Verdict::Signal => "",
        Verdict::Weak => "; the difference may be chance",
        Verdict::Nothing => "; it is not expected to beat the base rate",
    };
    format!(
        "Expected {measure} on new samples {:.3} ± {:.3}, against {:.3} at the base rate{caution}",
        expected.loss, expected.se, expected.base
    )
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

fn ending(signature: &Signature) -> String {
    let iterations = signature
        .trace()
        .last()
        .map_or(0, |iteration| iteration.number);
    if signature
        .trace()
        .last()
        .is_some_and(|last| last.phase == Phase::Path)
    {
        return "a point of the signature path".to_string();
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
/// `signatures` has them apart.
pub(crate) fn model_json(model: &Model) -> Value {
    let signatures: Vec<Value> = model
        .signatures()
        .iter()
        .map(|signature| signature_json(model, signature))
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
        "parameters": model.parameters(),
        "features": all("features"),
        "vectors": all("vectors"),
        "stop": first["stop"],
        "iterations": signatures.iter().filter_map(|s| s["iterations"].as_u64()).sum::<u64>(),
        "bound": first["bound"],
        "evidence": first["evidence"],
        "expected": model.expected(),
        "signatures": signatures,
    })
}

fn signature_json(model: &Model, signature: &Signature) -> Value {
    let features: Vec<Value> = signature
        .features()
        .iter()
        .map(|f| {
            json!({
                "name": f.name, "weight": f.weight, "relevance": f.relevance, "sd": f.sd,
                "class": class_of(model, f.class()),
                "mean": f.scale.mean, "scale": f.scale.sd, "bend": f.scale.bend, "median": f.median,
            })
        })
        .collect();
    let vectors: Vec<Value> = signature
        .vectors()
        .iter()
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
