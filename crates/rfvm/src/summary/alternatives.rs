//! What could replace what: features that run with those of the model, and models of them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::scan::{FeatureScan, HEAVIEST};
use crate::data::Dataset;
use crate::error::Error;
use crate::model::Model;
use crate::params::{Params, Size};
use crate::posterior::trace::StopReason;
use crate::projection::Expected;

/// Stand-ins that are built from substitutes.
const BUILT: usize = 2;

/// What could replace what. The full model leaves no feature over, so that both lists are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternatives {
    /// The model's own features, then their first and their second substitutes, each fitted alone and in the same way.
    /// Empty for several signatures, which stand in for each other, and for a model of no feature or of more than 60.
    pub stand_ins: Vec<StandIn>,
    /// For each of the model's features, of many the 60 heaviest, those outside the model that are most like it.
    pub substitutes: Vec<Substitutes>,
}

/// A model of features that could stand in for the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandIn {
    /// In the order of the model's features; `None` where no further feature is like it.
    pub features: Vec<Option<StandInFeature>>,
    /// What it should cost on new samples.
    pub expected: Option<Expected>,
    /// Why that is not known, in a sentence.
    pub failure: Option<String>,
}

/// A feature that stands in for one of the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandInFeature {
    /// Its name.
    pub name: String,
    /// Its correlation with the one that it stands in for.
    pub correlation: f64,
    /// Its weight; `None` where the fit failed or does not use it.
    pub weight: Option<f64>,
    /// The weight's standard deviation.
    pub sd: Option<f64>,
}

/// The features that are most like one of the model's, the closest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Substitutes {
    /// The feature of the model.
    pub feature: String,
    /// Those outside the model that are most like it.
    pub by: Vec<Substitute>,
}

/// A feature that is like one of the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Substitute {
    /// Its name.
    pub name: String,
    /// Its correlation with the feature of the model.
    pub correlation: f64,
    /// Its correlation with the target.
    pub with_target: f64,
}

/// The position of a feature, and its correlation with the one that it stands in for.
type Choice = Vec<Option<(usize, f64)>>;

impl Alternatives {
    pub(super) fn new(model: &Model, data: &Dataset, scan: &FeatureScan) -> Self {
        if model.is_full() {
            return Self {
                stand_ins: Vec::new(),
                substitutes: Vec::new(),
            };
        }
        let buildable = (1..=HEAVIEST).contains(&model.feature_count());
        let choices = match model.signatures().len() == 1 && buildable {
            true => choices(scan),
            false => Vec::new(),
        };
        let stand_in = |choice: &Choice| StandIn::new(model, data, choice);
        Self {
            stand_ins: choices.iter().map(stand_in).collect(),
            substitutes: substitutes(data, scan),
        }
    }
}

/// The model's own features, then the substitutes of each rank.
fn choices(scan: &FeatureScan) -> Vec<Choice> {
    let mut used: HashSet<usize> = scan.needed.iter().copied().collect();
    let mut choices: Vec<Choice> = vec![scan.needed.iter().map(|&d| Some((d, 1.0))).collect()];
    for _ in 0..BUILT {
        let mut free = |found: &Vec<(usize, f64)>| {
            // A feature can replace only one other.
            let next = found.iter().copied().find(|(d, _)| !used.contains(d));
            next.inspect(|(d, _)| {
                used.insert(*d);
            })
        };
        choices.push(scan.substitutes.iter().map(&mut free).collect());
    }
    choices
}

impl StandIn {
    fn new(model: &Model, data: &Dataset, choice: &Choice) -> Self {
        let fitted = alone(model, data, choice);
        let (expected, failure) = match &fitted {
            Ok(fitted) => match fitted.expected() {
                Some(expected) => (Some(expected), None),
                None => (None, Some(unjudged(fitted.stop_reason()).to_string())),
            },
            Err(reason) => (None, Some(reason.clone())),
        };
        let used = fitted
            .as_ref()
            .map_or(&[][..], |fitted| fitted.signatures()[0].features());
        let feature = |&(d, correlation): &(usize, f64)| {
            let name = &data.table().feature_names()[d];
            let used = used.iter().find(|feature| feature.name == *name);
            StandInFeature {
                name: name.to_string(),
                correlation,
                weight: used.map(|feature| feature.weight),
                sd: used.map(|feature| feature.sd),
            }
        };
        Self {
            features: choice.iter().map(|one| one.as_ref().map(feature)).collect(),
            expected,
            failure,
        }
    }
}

/// Why a fit without an error says nothing of what its model should cost.
fn unjudged(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Breakdown => "the arithmetic of the fit broke down",
        _ => "too few samples to hold some back, so its loss cannot be told",
    }
}

/// A model of the given features and no others, prepared as the model's own were; or why there is none.
fn alone(model: &Model, data: &Dataset, choice: &Choice) -> Result<Model, String> {
    let positions: Vec<usize> = choice.iter().flatten().map(|(d, _)| *d).collect();
    if positions.is_empty() {
        return Err("no feature outside the model is left to stand in".to_string());
    }
    fit_alone(model, data, &positions).map_err(|error| error.to_string())
}

fn fit_alone(model: &Model, data: &Dataset, positions: &[usize]) -> Result<Model, Error> {
    let parameters = model.parameters();
    let params = Params {
        preprocessing: parameters.preprocessing,
        ..Params::projected(Size::Features(positions.len()))
    };
    let table = data.table().columns(positions)?;
    let mut alone = Dataset::new(table, data.target().clone())?
        .with_class_weight(parameters.data.class_weight.clone())?;
    if let Some(groups) = data.groups() {
        alone = alone.with_groups(groups.to_vec())?;
    }
    params.check()?.fit(alone)
}

fn substitutes(data: &Dataset, scan: &FeatureScan) -> Vec<Substitutes> {
    let names = data.table().feature_names();
    let substitute = |&(d, correlation): &(usize, f64)| Substitute {
        name: names[d].to_string(),
        correlation,
        with_target: scan.features[d].with_target,
    };
    let of_feature = |(&d, found): (&usize, &Vec<(usize, f64)>)| Substitutes {
        feature: names[d].to_string(),
        by: found.iter().map(substitute).collect(),
    };
    scan.needed
        .iter()
        .zip(&scan.substitutes)
        .map(of_feature)
        .collect()
}
