//! The parameters of a fit as its model keeps them.

use serde::{Deserialize, Serialize};

use super::method::Method;
use super::preprocessing::Preprocessing;
use super::rounds::CandidateCount;
use crate::data::{ClassWeight, Dataset};

/// The parameters of a fit as its model keeps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// What was done to the raw values.
    pub preprocessing: Preprocessing,
    /// The method with its own parameters; hyperpriors as they were used, candidates only counted.
    pub method: Method<CandidateCount>,
    /// What was attached to the data.
    pub data: DataParameters,
}

/// What a model keeps of what was attached to its data ([`Dataset`]): no weights or groups of their own, and costs only where
/// they are known as prices ([`crate::Model::known`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataParameters {
    /// The weights of the classes.
    pub class_weight: ClassWeight,
    /// Whether rows had weights.
    pub sample_weights: bool,
    /// How many features had a cost factor.
    pub feature_costs: usize,
    /// Whether rows belonged to groups.
    pub groups: bool,
    /// How strongly prices counted ([`crate::FeatureFacts`]); `None` where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_prior: Option<f64>,
    /// How many panels were bought whole.
    #[serde(default, skip_serializing_if = "is_none")]
    pub panels: usize,
    /// How many blocks were weighted apart.
    #[serde(default, skip_serializing_if = "is_none")]
    pub blocks: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl DataParameters {
    pub(crate) fn of(data: &Dataset) -> Self {
        let facts = data.facts();
        let priced = facts.filter(|facts| !(facts.prices.is_empty() && facts.panels.is_empty()));
        Self {
            class_weight: data.class_weight().clone(),
            sample_weights: data.sample_weight().is_some(),
            feature_costs: match facts {
                Some(facts) if !facts.prices.is_empty() => facts.prices.len(),
                _ => data.feature_cost().map_or(0, <[_]>::len),
            },
            groups: data.groups().is_some(),
            cost_prior: priced.map(|facts| facts.cost_prior),
            panels: facts.map_or(0, |facts| facts.panels.len()),
            blocks: facts.map_or(0, |facts| facts.blocks.len()),
        }
    }
}
