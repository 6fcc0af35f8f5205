//! The default method: the full posterior first, then small models that say what it says.
//!
//! ```text
//! full.rs       the posterior over all features: a few wide sweeps, stopped early
//! select.rs     the order in which features enter: forward selection towards the full model's probabilities
//! nearest.rs    features outside that run with those that entered
//! small.rs      the RFVM of the first k features, fitted to the full model's scores (projection predictive)
//! output.rs     relevance vectors and bias of one of its outputs
//! cross_fit.rs  all of it with all rows, and again without the rows of each fold
//! single.rs     what it keeps of a full posterior with one score a row, and what small models are taught
//! held_back.rs  what that shows: losses, explained shares, Platt's correction
//! detect.rs     whether there is anything to find
//! classes/      the same for several classes
//! choose.rs     which size, from the shares and the losses
//! expected.rs   what a size should cost on new samples
//! ```

pub(crate) mod choose;
pub(crate) mod classes;
pub(crate) mod cross_fit;
mod detect;
mod expected;
mod full;
pub(crate) mod held_back;
mod nearest;
mod order;
mod output;
mod products;
mod select;
pub(crate) mod single;
pub(crate) mod small;
#[cfg(test)]
mod tests;

pub use expected::{Expected, Judgement, PathSize, Verdict};
