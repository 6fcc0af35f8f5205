//! A fitted model.
//!
//! ```text
//! predict.rs        what a model knows, and what it says of new samples
//! gaps.rs           the same of samples that lack values
//! file.rs           models as JSON files
//! check.rs          what must be true of a model, whoever wrote its file
//! extrapolation.rs  rows unlike any that it was trained on
//! packed.rs         a full model's many numbers in few bytes
//! ```

mod check;
mod extrapolation;
mod file;
mod gaps;
mod packed;
mod predict;

pub use extrapolation::{Extrapolation, FarValue};
pub use file::{draft_beside, is_device, write_atomically};
pub use gaps::{FilledFeature, FilledPredictions, Gaps};
pub use predict::{Model, Prediction};
