//! All features: what the model makes of each, and how each runs with the target and with the model's.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::finite::finite;
use super::scan::FeatureScan;
use super::signatures::{Frequencies, LISTED};
use crate::data::{Dataset, Task};
use crate::model::Model;
use crate::posterior::signature::Signature;

/// One feature of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureSummary {
    /// Its name.
    pub name: String,
    /// Its weight in the model; `None` where the model does not use it.
    pub weight: Option<f64>,
    /// The weight's standard deviation.
    pub sd: Option<f64>,
    /// Share of the evaluation's fits that selected it; `None` without an evaluation and for the full model.
    pub selected: Option<f64>,
    /// Correlation with the target.
    pub correlation: f64,
    /// Mean over the samples of each class, or over all in a regression; `None` where all values are missing.
    pub means: Vec<Option<f64>>,
    /// The feature of the model that it is most like.
    pub nearest: Option<Nearest>,
    /// Missing values.
    pub missing: usize,
}

/// A feature of the model that another one is like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// Its name.
    pub name: String,
    /// Their correlation.
    pub correlation: f64,
}

/// Features of the model first, the heaviest before; then those that any fit selected; then by correlation with the target.
pub(super) fn features(
    model: &Model,
    data: &Dataset,
    scan: &FeatureScan,
    selected: &Frequencies<'_>,
) -> Vec<FeatureSummary> {
    let names = data.table().feature_names();
    let used = model.signatures().iter().flat_map(Signature::features);
    let weights: HashMap<&str, (f64, f64)> = used
        .map(|feature| (feature.name.as_str(), (feature.weight, feature.sd)))
        .collect();
    let strength = |d: usize| {
        let weight = weights.get(&names[d]);
        (
            weight.map_or(-1.0, |(weight, _)| weight.abs()),
            selected.of(&names[d]).is_some_and(|share| share > 0.0),
            scan.features[d].with_target.abs(),
        )
    };
    let mut order: Vec<_> = (0..names.len()).map(|d| (strength(d), d)).collect();
    order.sort_by(|(x, _), (y, _)| {
        let by_selection = y.1.cmp(&x.1).then(y.2.total_cmp(&x.2));
        y.0.total_cmp(&x.0).then(by_selection)
    });
    order.truncate(LISTED);
    let means = match model.task() {
        Task::Classification => 2,
        Task::Regression => 1,
    };
    let feature = |(_, d): (_, usize)| {
        let seen = &scan.features[d];
        let weight = weights.get(&names[d]);
        FeatureSummary {
            name: names[d].to_string(),
            weight: weight.map(|weight| weight.0),
            sd: weight.map(|weight| weight.1),
            selected: selected.of(&names[d]),
            correlation: seen.with_target,
            means: seen.means[..means]
                .iter()
                .map(|&mean| finite(mean))
                .collect(),
            nearest: seen.nearest.map(|(near, correlation)| Nearest {
                name: names[near].to_string(),
                correlation,
            }),
            missing: seen.missing,
        }
    };
    order.into_iter().map(feature).collect()
}
