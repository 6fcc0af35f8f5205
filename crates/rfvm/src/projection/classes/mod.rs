//! The same for several classes: one v and so one panel of features for all of them, a, ψ and b for each against the rest.
//!
//! ```text
//! y_c = X diag(v) Z'a_c + b_c + ε,   1[t_n = c] | y_cn ~ Bernoulli(σ(y_cn)),   the probabilities scaled to one
//! ```
//!
//! ```text
//! full.rs       the posterior over all features, v jointly from the scores of all classes
//! distilled.rs  what is left of it, and what small models are taught
//! held_back.rs  losses, explained shares and corrections of categorical predictions
//! detect.rs     whether held-back rows are ordered better than by chance
//! ```
//!
//! Selection, small models, the permutation test and the choice of a size are those of two classes, over several outputs.

mod detect;
pub(crate) mod distilled;
mod full;
pub(crate) mod held_back;
#[cfg(test)]
mod tests;

pub(crate) use full::MOST_SCORES;
