//! What a fit is worth on samples it has not seen.
//!
//! ```text
//! bootstrap.rs         draws of rows or whole groups, for standard errors
//! confounding.rs       batches that hang together with the target; whole batches held out
//! cross_validation.rs  fits without the rows of each fold, and what they say of them
//! delong.rs            the variance of an AUC and of the difference of two
//! leakage.rs           columns that tell the target too well
//! separation.rs        the chance that a column which knows nothing would do so
//! metrics.rs           accuracy, AUC, log loss, Brier score, calibration
//! stability.rs         how much the selections of several fits agree (Nogueira's measure)
//! permuted.rs          all of it with the target dealt out anew
//! ```

mod bootstrap;
pub mod confounding;
mod cross_validation;
pub mod delong;
pub mod leakage;
pub mod metrics;
mod permuted;
mod separation;
mod stability;

pub use bootstrap::Bootstrap;
pub use confounding::Association;
pub use cross_validation::{Estimate, Evaluation, FoldResult, Permuted, Selection};
pub use stability::{Stability, stability};
