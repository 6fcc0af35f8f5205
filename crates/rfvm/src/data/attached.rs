//! What is known of a data set beside its values and its target: weights of rows and classes, groups of rows, costs of
//! features. It goes with the data, so that whoever takes some of the rows takes theirs along.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::facts::FeatureFacts;

/// Weights of the classes in the likelihood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeight {
    /// Every row counts once.
    None,
    /// Each class counts N / (2 N_class), so that both weigh the same.
    Balanced,
    /// Weight of the negative and of the positive class.
    PerClass(f64, f64),
}

/// What is attached to a data set; nothing by default.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attached {
    pub(crate) sample_weight: Option<Vec<f64>>,
    pub(crate) class_weight: ClassWeight,
    pub(crate) groups: Option<Vec<usize>>,
    pub(crate) feature_cost: Option<Vec<(String, f64)>>,
    /// Shared by all folds: there may be a million features.
    pub(crate) facts: Option<Arc<FeatureFacts>>,
}

impl Default for Attached {
    fn default() -> Self {
        Self {
            sample_weight: None,
            class_weight: ClassWeight::None,
            groups: None,
            feature_cost: None,
            facts: None,
        }
    }
}

impl Attached {
    /// The same for some of the rows.
    pub(crate) fn rows(&self, rows: &[usize]) -> Self {
        fn of<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&n| all[n]).collect()
        }
        Self {
            sample_weight: self.sample_weight.as_ref().map(|all| of(all, rows)),
            groups: self.groups.as_ref().map(|all| of(all, rows)),
            ..self.clone()
        }
    }
}
