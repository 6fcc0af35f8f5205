//! Relevance Feature and Vector Machine.

mod ard;
mod columns;
mod dataset;
mod error;
mod family;
mod fit;
mod latent;
mod linalg;
mod mean_field;
pub mod metrics;
mod model;
mod model_file;
#[cfg(test)]
mod naive;
mod narrow;
#[cfg(test)]
mod oracle;
mod params;
mod passes;
mod scale;
mod signature;
mod simulate;
pub mod special;
mod start;
mod state;
mod structured;
mod sweep;
mod wide;

pub use dataset::{Dataset, Table, Target};
pub use error::Error;
pub use family::Family;
pub use latent::Task;
pub use model::{Model, Parameters, Prediction, Training};
pub use params::{
    Candidates, CheckedParams, ClassWeight, Hyper, Params, Pruning, Scheme, Start, Stopping, Sweep,
    Tau,
};
pub use scale::{Scale, Standardizer};
pub use signature::{Feature, Iteration, Phase, RelevanceVector, Signature, StopReason};
pub use simulate::{Simulation, Study};
