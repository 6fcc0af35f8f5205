//! A model without its signatures: what it is, what it was made from and what it should cost.

use serde::{Deserialize, Serialize};

use crate::data::{Task, Training};
use crate::model::{CovariateEffect, Model, MulticlassModel};
use crate::params::Parameters;
use crate::posterior::correction::Correction;
use crate::posterior::recalibration::Recalibration;
use crate::posterior::trace::StopReason;
use crate::projection::{Expected, Judgement, PathSize};

/// A model without its signatures. Each field is what the method of its name of [`Model`] says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Overview {
    pub task: Task,
    pub classes: Vec<String>,
    pub training: Training,
    pub parameters: Parameters,
    pub correction: Correction,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalibrations: Vec<Recalibration>,
    pub expected: Option<Expected>,
    pub share: Option<f64>,
    pub full: Option<Expected>,
    pub judgement: Option<Judgement>,
    pub sizes: Vec<PathSize>,
    /// What covariates do to the score; empty where the model allows for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covariates: Vec<CovariateEffect>,
    pub stop_reason: StopReason,
    pub feature_count: usize,
    pub vector_count: usize,
    pub is_full: bool,
    /// What its features cost, each panel once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl MulticlassModel {
    /// The model without its signatures; of its correction the slope alone.
    pub fn overview(&self) -> Overview {
        Overview {
            vector_count: self.vector_count(),
            ..self.as_one().overview()
        }
    }
}

impl Model {
    /// The model without its signatures.
    pub fn overview(&self) -> Overview {
        Overview {
            task: self.task(),
            classes: self.classes().to_vec(),
            training: self.training().clone(),
            parameters: self.parameters().clone(),
            correction: self.correction(),
            recalibrations: self.recalibrations().to_vec(),
            expected: self.expected(),
            share: self.share(),
            full: self.full(),
            judgement: self.judgement(),
            sizes: self.sizes().to_vec(),
            covariates: self.covariate_effects(),
            stop_reason: self.stop_reason(),
            feature_count: self.feature_count(),
            vector_count: self.vector_count(),
            is_full: self.is_full(),
            cost: self.cost(),
        }
    }
}
