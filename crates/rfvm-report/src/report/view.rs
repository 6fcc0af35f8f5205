//! What several sections read from a summary.

use rfvm::summary::SignatureFeature;
use rfvm::{DataWarning, Summary};

use crate::palette::Color;
use crate::svg::Shape;

/// What a feature or a sample speaks for: a class, or a direction in a regression.
pub(super) fn side(summary: &Summary, class: usize) -> &str {
    match summary.model.classes.get(class) {
        Some(name) => name,
        None => ["lower", "higher"][class.min(1)],
    }
}

/// Whether the table is known to be another one than the model was fitted on.
pub(super) fn other_data(summary: &Summary) -> bool {
    summary.data.fitted_on == Some(false)
}

/// What is to be checked in the data of the model, of the evaluation and of the page, once each.
pub(super) fn warnings(summary: &Summary) -> Vec<&DataWarning> {
    let mut told: Vec<&DataWarning> = Vec::new();
    let model = &summary.model.training.provenance.warnings;
    for warning in model.iter().chain(&summary.data.provenance.warnings) {
        if !told.iter().any(|other| other.message == warning.message) {
            told.push(warning);
        }
    }
    told
}

/// Digits of a weight: those of the full model are many and small.
pub(super) fn weight_digits(summary: &Summary) -> usize {
    if summary.model.is_full { 5 } else { 3 }
}

/// Whether there is something to say of what fits select: the full model selects nothing.
pub(super) fn selects(summary: &Summary) -> bool {
    summary.evaluation.is_some() && !summary.model.is_full
}

/// The features of all signatures, with the number of theirs.
pub(super) fn features(summary: &Summary) -> impl Iterator<Item = (usize, &SignatureFeature)> {
    (1..)
        .zip(&summary.signatures)
        .flat_map(|(number, s)| s.features.iter().map(move |f| (number, f)))
}

/// The colour and the shape of a class.
pub(super) fn look(class: usize) -> (Color, Shape) {
    match class {
        0 => (Color::Blue, Shape::Circle),
        _ => (Color::Vermillion, Shape::Triangle),
    }
}
