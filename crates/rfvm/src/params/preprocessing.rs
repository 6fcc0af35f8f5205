//! What is done to the raw values, in the fit and in every prediction.

use serde::{Deserialize, Serialize};

use crate::data::{Scaling, Transform};

/// What is done to the raw values, in this order: the transform, filling in what is missing, scaling.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `transform` | none | [`Transform`] | what is done to every raw value first |
/// | `scaling` | robust; plain for signatures and mean-field | [`Scaling`] | how features are brought to one scale |
/// | `missing` | refuse | [`Missing`] | what happens to missing values |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Preprocessing {
    pub transform: Transform,
    pub scaling: Scaling,
    pub missing: Missing,
}

impl Default for Preprocessing {
    fn default() -> Self {
        Self {
            transform: Transform::None,
            scaling: Scaling::Robust,
            missing: Missing::Refuse,
        }
    }
}

impl Preprocessing {
    /// The default with the scaling of the paper: nothing is bent.
    pub(super) fn plain() -> Self {
        Self {
            scaling: Scaling::Plain,
            ..Self::default()
        }
    }
}

/// What a fit does about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A missing value is an error.
    Refuse,
    /// Each feature's median over the training rows takes its place, in the fit and in every prediction.
    Median,
    /// Its conditional mean given the features most like it, by correlations of the training rows; what is not known of it
    /// takes from the feature's weight. New samples' gaps are integrated over ([`crate::Gaps::Integrate`]).
    Conditional,
}

impl Missing {
    /// How it is called in options; `None`: it has no name.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Refuse => None,
            Self::Median => Some("median"),
            Self::Conditional => Some("conditional"),
        }
    }
}
