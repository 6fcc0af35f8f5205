//! The default method: the full posterior first, then small models that say what it says.
//!
//! ```text
//! full.rs       the posterior over all features: a few wide sweeps, stopped early
//! select.rs     the order in which features enter: forward selection towards the full model's probabilities
//! small.rs      the RFVM of the first k features, fitted to the full model's scores (projection predictive)
//! held_back.rs  all of it again without the rows of each fold: losses, explained shares, Platt's correction
//! detect.rs     whether there is anything to find
//! choose.rs     which size, from the shares and the losses
//! path.rs       the models of all sizes, side by side
//! ```

mod choose;
mod detect;
mod full;
mod held_back;
mod order;
mod path;
mod products;
mod select;
mod size;
mod small;
#[cfg(test)]
mod tests;

pub use path::{Expected, Judgement, Path, PathPoint, PathSize, Verdict};
pub use size::Size;
