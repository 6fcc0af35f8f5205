//! A fitted model.
//!
//! ```text
//! predict.rs        what a model knows, and what it says of new samples
//! file.rs           models as JSON files
//! extrapolation.rs  rows unlike any that it was trained on
//! packed.rs         a full model's many numbers in few bytes
//! ```

mod extrapolation;
mod file;
mod packed;
mod predict;

pub use extrapolation::{Extrapolation, FarValue};
pub use file::write_atomically;
pub use predict::{Model, Prediction};
