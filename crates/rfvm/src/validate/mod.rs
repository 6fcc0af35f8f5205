//! A model on labelled new samples: how good it is there, how these differ from its training, and its recalibration.
//!
//! ```text
//! shift.rs        how every feature of a model differs from its training
//! validation.rs   everything about a model on new samples, as plain data
//! points.rs       what rounding its score to points costs
//! recalibrate.rs  a correction learned on new samples, and what it is worth there
//! ```

mod points;
mod recalibrate;
mod shift;
mod validation;

pub use points::PointLoss;
pub use recalibrate::RecalibrationCheck;
pub use shift::{FeatureShift, UnlikeRows};
pub use validation::{AgainstExpected, ValidatedSample, Validation};
