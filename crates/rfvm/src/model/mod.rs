//! A fitted model.
//!
//! ```text
//! predict.rs        what a model knows, and what it says of new samples
//! abstain.rs        how sure a probability is, and when to say neither class
//! explain.rs        what every feature adds to a sample's score
//! formula.rs        all that its predictions are computed from
//! points.rs         its score rounded to whole points
//! gaps.rs           the same of samples that lack values; filling.rs: what takes their place
//! file.rs           models as JSON files
//! check.rs          what must be true of a model, whoever wrote its file
//! covariate_base.rs what it keeps of its covariates; covariates.rs: their effects, and what they alone predict
//! extrapolation.rs  rows unlike any that it was trained on
//! packed.rs         a full model's many numbers in few bytes
//! ```

mod abstain;
mod check;
mod covariate_base;
mod covariates;
mod explain;
mod extrapolation;
mod file;
mod filling;
mod formula;
mod gaps;
mod packed;
mod points;
mod predict;

pub use covariate_base::CovariateBase;
pub use covariates::CovariateEffect;
pub use explain::{Contribution, Explanation, ScorePart};
pub use extrapolation::{Extrapolation, FarValue};
pub use file::{draft_beside, is_device, write_atomically};
pub use formula::{Formula, SignatureFormula};
pub use gaps::{FilledFeature, FilledPredictions, Gaps};
pub use points::{PointBand, PointFeature, PointScore, PointTotal};
pub use predict::{LogOdds, Model, Prediction};
