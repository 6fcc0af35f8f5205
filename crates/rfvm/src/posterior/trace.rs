//! What is known after each iteration of a fit, and why it ended.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

/// Why a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The weights (structured) or the bound (mean-field) settled to the tolerance.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// The callback stopped the fit; the model is the last iteration's.
    Interrupted,
    /// No feature carries signal: the model predicts the base rate.
    NoSignal,
    /// The arithmetic broke down; the model is the last sound iteration's, or the base rate.
    Breakdown,
}

/// Which part of a fit an iteration belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A mean-field iteration.
    MeanField,
    /// A wide iteration of [`crate::Signatures`].
    Wide,
    /// A narrow iteration of [`crate::Signatures`].
    Narrow,
    /// The projection of the full posterior onto few features; to a callback, a step of all the work on a path.
    Path,
}

/// What is known after one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Number of the signature being fitted, from 1.
    pub signature: usize,
    /// Number of the iteration, from 1.
    pub number: usize,
    /// The phase it belongs to.
    pub phase: Phase,
    /// The bound on the log evidence; `None` in the wide phase and for a projection, which have none.
    pub bound: Option<f64>,
    /// Active features.
    pub features: usize,
    /// Active candidates for relevance vectors.
    pub vectors: usize,
}

impl Iteration {
    /// How far work that is counted in steps is ([`Phase::Path`]): so many done, of how many.
    pub fn step(done: usize, of: usize) -> Self {
        Self {
            signature: 1,
            number: done,
            phase: Phase::Path,
            bound: None,
            features: of,
            vectors: 0,
        }
    }
}

/// Records every iteration and asks the callback whether to go on.
pub(crate) struct Watch<'w> {
    pub(crate) signature: usize,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) callback: &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>,
}

impl Watch<'_> {
    pub(crate) fn iterations(&self) -> usize {
        self.trace.len()
    }

    pub(crate) fn bound_before(&self, iterations: usize) -> Option<f64> {
        let at = self.trace.len().checked_sub(iterations + 1)?;
        self.trace[at].bound
    }

    pub(crate) fn record(
        &mut self,
        phase: Phase,
        bound: Option<f64>,
        features: usize,
        vectors: usize,
    ) -> ControlFlow<()> {
        let iteration = Iteration {
            signature: self.signature,
            number: self.trace.len() + 1,
            phase,
            bound,
            features,
            vectors,
        };
        self.trace.push(iteration);
        (self.callback)(&iteration)
    }
}
