//! What a fit is worth on samples it has not seen.
//!
//! ```text
//! bootstrap.rs         draws of rows or whole groups, for standard errors
//! confounding.rs       batches that hang together with the target; whole batches held out
//! leakage.rs           columns that tell the target too well
//! separation.rs        the chance that a column which knows nothing would do so
//! clusters.rs          shares and means over rows that hang together in groups, with intervals
//! delong.rs            the variance of an AUC and of the difference of two, by folds and groups
//! metrics.rs           accuracy, AUC, log loss, Brier score of given probabilities
//! calibration.rs       labels regressed on predicted logits
//! measures.rs          what is measured, as plain data
//! added_value.rs       what features add to covariates, as plain data
//! evaluation.rs        what a cross-validation gives, as plain data
//! performance.rs       predictions of a model that is there already, measured
//! unseen_rows.rs       predictions of unseen rows, measured
//! threshold.rs         what a threshold finds and misses, and how to choose one
//! summarise.rs         from the folds' results to an evaluation
//! cross_validation.rs  fits without the rows of each fold, and what they say of them
//! beside_covariates.rs from the same results to what features add to covariates
//! compare.rs           two evaluations on the same folds
//! rejection.rs         what abstaining leaves, and how much of that is right
//! stability.rs         how much the selections of several fits agree (Nogueira's measure)
//! permuted.rs          all of it with the target dealt out anew
//! ```

mod added_value;
mod beside_covariates;
mod bootstrap;
pub(crate) mod calibration;
mod clusters;
mod compare;
pub mod confounding;
mod cross_validation;
pub mod delong;
mod evaluation;
pub mod leakage;
mod measures;
pub mod metrics;
pub(crate) mod performance;
mod permuted;
mod rejection;
mod separation;
mod stability;
mod summarise;
mod threshold;
mod unseen_rows;

pub use added_value::{AddedMeasure, AddedValue, AddedVerdict};
pub use bootstrap::Bootstrap;
pub use compare::{ComparedBy, ComparedMeasure, Comparison};
pub use confounding::Association;
pub use evaluation::{Evaluation, FoldResult, Permuted, Selection};
pub use measures::{AtThreshold, CalibrationMeasures, Estimate, NetBenefit, Rejection, Wanted};
pub use performance::{BaseRate, PredictionMeasures};
pub use stability::{Stability, stability};
