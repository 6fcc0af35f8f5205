//! Variational inference of one signature: the mean-field model of the paper, and the structured posterior.
//!
//! ```text
//! prepare.rs, copies.rs    the data in the engine's terms: standardised columns, equal rows made one
//! columns.rs, passes.rs    the active features, and parallel walks over them
//! start.rs                 where the feature weights start
//! latent.rs                updates of y, b, τ, ξ and their terms of the bound
//! state.rs, sweep.rs       updates of a, ψ, δ; the sweep over v
//! mean_field.rs            the loop of the mean-field model
//! factors.rs, few.rs       what it asks of the posterior's factors; they are kept another way where features are few
//! wide.rs, narrow.rs       the phases of the structured posterior
//! structured.rs            its loop
//! covariates.rs            the base that covariates alone give
//! penalised.rs             penalised regression on a few columns
//! ard.rs                   automatic relevance determination: fixed points, and what a weight is worth
//! tests/                   a slow twin and the numbers of an independent program
//! ```

pub(crate) mod ard;
pub(crate) mod columns;
mod copies;
pub(crate) mod covariates;
mod factors;
mod few;
mod impute;
pub(crate) mod latent;
pub(crate) mod mean_field;
pub(crate) mod narrow;
pub(crate) mod passes;
pub(crate) mod penalised;
pub(crate) mod prepare;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod structured;
mod sweep;
#[cfg(test)]
mod tests;
pub(crate) mod wide;
