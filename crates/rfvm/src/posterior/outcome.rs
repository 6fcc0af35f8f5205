//! What a method hands back.

use super::moments::Moments;
use super::trace::StopReason;

/// What a method hands back: the moments, which features and candidates they are over, and how it ended.
pub(crate) struct Outcome {
    pub(crate) moments: Moments,
    pub(crate) features: Vec<usize>,
    pub(crate) candidates: Vec<usize>,
    /// Standard deviation of each feature's weight w.
    pub(crate) weight_sd: Vec<f64>,
    /// Log Bayes factor against the base rate; that of [`Signatures`] only.
    pub(crate) evidence: Option<f64>,
    pub(crate) stop: StopReason,
}

impl Outcome {
    /// No features and no vectors.
    pub(crate) fn empty(moments: Moments, stop: StopReason) -> Self {
        Self {
            moments,
            features: Vec::new(),
            candidates: Vec::new(),
            weight_sd: Vec::new(),
            evidence: None,
            stop,
        }
    }
}
