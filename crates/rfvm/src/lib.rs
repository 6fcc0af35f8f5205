//! The Relevance Feature and Vector Machine: a Bayesian classifier for *fat* data (few samples, very many
//! features) that learns in one fit which few features matter and which few samples define the model.
//!
//! # Model
//!
//! N samples x_n of D features; M candidates z_m for relevance vectors, by default the samples themselves:
//!
//! ```text
//! t_n ~ Bernoulli(σ(y_n)),   y = X diag(v) Z' a + b + ε,   ε ~ N(0, 1/τ)
//! a_m ~ N(0, 1/ψ_m)          ψ_m ~ Gamma                   sparsity over samples
//! v_d ~ half-normal(1/δ_d)   δ_d ~ Gamma                   sparsity over features
//! ```
//!
//! The weight of a feature is w_d = v_d (z_:d · a); its sign says which class the feature speaks for.
//!
//! # From data to a model
//!
//! ```
//! use rfvm::{Params, Simulation, metrics};
//!
//! // A simulated study with known truth: 100 subjects, 5000 features, five of them informative.
//! let study = Simulation::default().draw()?;
//! let model = Params::default().check()?.fit(study.data.clone())?;
//!
//! for feature in model.signatures()[0].features() {
//!     let class = &model.classes()[feature.class()];
//!     println!("{} speaks for {class}: {:.2} ± {:.2}", feature.name, feature.weight, feature.sd);
//! }
//! assert!(model.feature_count() <= 23);
//! let probability = model.predict_probability(study.data.table())?;
//! assert_eq!(probability.len(), 100);
//! # Ok::<(), rfvm::Error>(())
//! ```
//!
//! # Where things are
//!
//! | what | file |
//! |---|---|
//! | shared updates of y, b, τ, ξ and the bound's terms | `latent.rs` |
//! | mean-field: updates of a, ψ, δ; the sweep over v; the loop | `state.rs`, `sweep.rs`, `mean_field.rs` |
//! | families of q(v_d) and special functions | `family.rs`, `special.rs` |
//! | parameters of a fit: its method, preprocessing, hyperpriors | `params/` |
//! | signatures: wide phase, narrow phase, the loop | `wide.rs`, `narrow.rs`, `structured.rs` |
//! | fixed point of a precision and the price of a weight | `ard.rs` |
//! | the default: full posterior, order of entry, small models, held-back rows, choice of a size | `projection/` |
//! | a score's last correction | `calibrate.rs` |
//! | parallel walks over the features | `passes.rs`, `columns.rs` |
//! | the linear-algebra crate | `linalg.rs`, and nowhere else |

mod ard;
mod attached;
mod calibrate;
mod columns;
mod copies;
mod dataset;
mod error;
mod evaluate;
mod family;
mod fingerprint;
mod fit;
mod folds;
mod latent;
mod linalg;
mod mean_field;
pub mod metrics;
mod model;
mod model_file;
#[cfg(test)]
mod naive;
mod names;
mod narrow;
#[cfg(test)]
mod oracle;
mod packed;
mod params;
mod passes;
mod permuted;
mod prepare;
mod projection;
mod scale;
mod signature;
mod simulate;
pub mod special;
mod stability;
mod start;
mod state;
mod structured;
mod sweep;
mod table;
mod watched;
mod wide;

pub use attached::ClassWeight;
pub use calibrate::Correction;
pub use dataset::{Dataset, Target};
pub use error::Error;
pub use evaluate::{Estimate, Evaluation, FoldResult, Selection};
pub use family::Family;
pub use fit::threads;
pub use folds::Folds;
pub use latent::Task;
pub use model::{DataParameters, Model, Parameters, Prediction, Training};
pub use model_file::write_atomically;
pub use names::Names;
pub use params::{
    Budget, CandidateCount, Candidates, CheckedParams, Hyper, MeanField, Method, Missing, Params,
    Preprocessing, Projected, Pruning, Signatures, Start, Stopping, Sweep, Tau, Transform,
};
pub use permuted::Permuted;
pub use projection::{Expected, Judgement, Path, PathPoint, PathSize, Size, Verdict};
pub use scale::{Bend, Scale, Scaling, Standardizer};
pub use signature::{Feature, Iteration, Phase, RelevanceVector, Signature, StopReason};
pub use simulate::{Simulation, Study, standard_normal};
pub use stability::{Stability, stability};
pub use table::Table;
