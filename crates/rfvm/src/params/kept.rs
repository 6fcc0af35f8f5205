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

/// What a model keeps of what was attached to its data ([`Dataset`]): no weights, groups or costs of their own.
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
}

impl DataParameters {
    pub(crate) fn of(data: &Dataset) -> Self {
        Self {
            class_weight: data.class_weight().clone(),
            sample_weights: data.sample_weight().is_some(),
            feature_costs: data.feature_cost().map_or(0, <[_]>::len),
            groups: data.groups().is_some(),
        }
    }
}
