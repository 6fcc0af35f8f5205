//! All that R shows of a model, as JSON.

use extendr_api::prelude::*;
use rfvm::{AnyModel, Judgement, Model, MulticlassModel, Signature, Training};
use rfvm_report::worth;
use serde_json::{Value, json};

use crate::given::Outcome;

extendr_module! {
    mod describe;
    fn describe_model;
}

/// What there is to say of a model.
#[extendr]
fn describe_model(model: &str) -> Outcome<String> {
    let described = match AnyModel::from_json(model.as_bytes())? {
        AnyModel::Single(model) => of_one(&model),
        AnyModel::Several(model) => of_several(&model),
    };
    Ok(described.to_string())
}

fn of_one(model: &Model) -> Value {
    let signatures = model.signatures().iter();
    let mut described = common(model.training(), model.judgement());
    merge(
        &mut described,
        json!({
            "task": model.task(),
            "classes": model.classes(),
            "is_full": model.is_full(),
            "feature_count": model.feature_count(),
            "vector_count": model.vector_count(),
            "stop": model.stop_reason(),
            "share": model.share(),
            "expected": model.expected(),
            "full": model.full(),
            "sizes": model.sizes(),
            "correction": model.correction(),
            "signatures": signatures.map(signature).collect::<Vec<_>>(),
            "covariates": model.covariate_effects(),
            "needed": model.needed_features(),
            "stand_ins": model.stand_ins(),
            "covariate_names": model.covariate_names(),
            "worth": worth(&model.overview()),
        }),
    );
    described
}

fn of_several(model: &MulticlassModel) -> Value {
    let signatures = model.signatures().iter();
    let mut described = common(model.training(), model.judgement());
    merge(
        &mut described,
        json!({
            "task": "classification",
            "classes": model.classes(),
            "is_full": model.is_full(),
            "feature_count": model.feature_count(),
            "vector_count": model.vector_count(),
            "stop": model.stop_reason(),
            "share": model.share(),
            "expected": model.expected(),
            "full": model.full(),
            "sizes": model.sizes(),
            "signatures": signatures.map(signature).collect::<Vec<_>>(),
            "needed": model.needed_features(),
            "worth": worth(&model.overview()),
        }),
    );
    described
}

fn common(training: &Training, judgement: Option<Judgement>) -> Value {
    let warnings = training.provenance.warnings.iter();
    let made_up = training.made_up_names;
    json!({
        "samples": training.samples,
        "features_in": training.features,
        "constant_features": training.constant_features,
        "class_counts": training.class_counts,
        "made_up_features": made_up.is_some_and(|names| names.features),
        "version": training.version,
        "warnings": warnings.map(|warning| &warning.message).collect::<Vec<_>>(),
        "verdict": judgement.map(|found| found.verdict.name()),
    })
}

fn signature(signature: &Signature) -> Value {
    let features = signature.features().iter().map(|feature| {
        json!({
            "feature": feature.name, "weight": feature.weight, "sd": feature.sd,
            "relevance": feature.relevance, "class": feature.class(),
        })
    });
    let vectors = signature.vectors().iter();
    let vectors =
        vectors.map(|vector| json!({"sample": vector.sample, "coefficient": vector.coefficient}));
    json!({
        "features": features.collect::<Vec<_>>(),
        "vectors": vectors.collect::<Vec<_>>(),
        "bias": signature.bias().0,
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
