//! Numbers and threads, of no particular model.
//!
//! ```text
//! linalg.rs    dense matrices; the linear-algebra crate is used here and nowhere else
//! special.rs   special functions, accurate in the tails
//! stats.rs     moments, correlations, quantiles, intervals
//! student.rs   Student's t
//! random.rs    random numbers
//! parallel.rs  threads, with results that do not depend on their number
//! progress.rs  work on threads that can be watched and stopped
//! ```

pub(crate) mod linalg;
pub(crate) mod parallel;
pub(crate) mod progress;
pub(crate) mod random;
pub mod special;
pub mod stats;
pub(crate) mod student;
