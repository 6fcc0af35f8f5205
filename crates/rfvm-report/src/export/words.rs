//! What several formats say in the same way.

use rfvm::{Model, Transform};

/// What the model gives, and where it comes from.
pub(super) fn about(model: &Model) -> String {
    let training = model.training();
    let what = match model.classes() {
        [negative, positive] => format!("Probability of {positive} (against {negative})"),
        _ => "Predicted value".to_string(),
    };
    format!(
        "{what} by a model of {} features, fitted by rfvm {} on {} samples.",
        model.feature_count(),
        env!("CARGO_PKG_VERSION"),
        training.samples
    )
}

/// A value after the transform, in the units of the table.
pub(super) fn in_table_units(transform: Transform, value: f64) -> f64 {
    match transform {
        Transform::None => value,
        Transform::Log2 => (value * std::f64::consts::LN_2).exp_m1(),
    }
}

/// Whether tails of any feature are bent.
pub(super) fn bends(model: &Model) -> bool {
    let mut features = model.signatures().iter().flat_map(|s| s.features());
    features.any(|feature| feature.scale.bend.is_some())
}
