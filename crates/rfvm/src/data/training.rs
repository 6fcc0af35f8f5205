//! What a model keeps of the data that it was fitted on.

use serde::{Deserialize, Serialize};

use super::provenance::Provenance;
use super::table::MadeUpNames;

/// What the model was fitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Number of training rows.
    pub samples: usize,
    /// Number of features, constant ones included.
    pub features: usize,
    /// Number of features that were constant on the training rows and set aside.
    pub constant_features: usize,
    /// Training rows of each class; empty in a regression.
    pub class_counts: Vec<usize>,
    /// Fingerprint of the data ([`crate::Dataset::fingerprint`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Which names were made up; `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_up_names: Option<MadeUpNames>,
    /// Version of the engine that fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How the data came about, where whoever read them has said so ([`crate::Model::with_provenance`]).
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Training {
    /// Features that the fit could use: those that are not constant.
    pub fn varying(&self) -> usize {
        self.features.saturating_sub(self.constant_features)
    }
}
