//! What a fit finds: posterior moments and their predictive distribution, with names and a trace.
//!
//! ```text
//! prior.rs          gamma hyperpriors on precisions
//! family.rs         families of q(v_d): folded, truncated and plain normal
//! moments.rs        the moments of q(v), q(a), q(b); mean and variance of a latent score
//! effects.rs        q(b, β): the intercept with the effects of covariates
//! companions.rs     how features hang together, for values that are missing
//! correction.rs     Platt's correction of a score
//! class_correction.rs  the same of the scores of several classes
//! recalibration.rs  how a correction was learned anew on other samples
//! signature.rs      features and relevance vectors by name
//! trace.rs          iterations, and why a fit ended
//! outcome.rs        what a method hands back
//! ```

pub(crate) mod class_correction;
pub(crate) mod companions;
pub(crate) mod correction;
pub(crate) mod effects;
pub(crate) mod family;
pub(crate) mod moments;
pub(crate) mod outcome;
pub(crate) mod prior;
pub(crate) mod recalibration;
pub(crate) mod signature;
pub(crate) mod trace;
