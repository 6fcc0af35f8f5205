//! A fitted model.
//!
//! ```text
//! predict.rs        what a model knows, and what it says of new samples
//! file.rs           models as JSON files
//! check.rs          what must be true of a model, whoever wrote its file
//! covariate_base.rs what it keeps of its covariates, and what they alone tell
//! extrapolation.rs  rows unlike any that it was trained on
//! packed.rs         a full model's many numbers in few bytes
//! ```

mod check;
mod covariate_base;
mod extrapolation;
mod file;
mod packed;
mod predict;

pub use covariate_base::{CovariateBase, CovariateEffect};
pub use extrapolation::{Extrapolation, FarValue};
pub use file::{draft_beside, is_device, write_atomically};
pub use predict::{Model, Prediction};
