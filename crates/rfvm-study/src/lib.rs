//! Prospective studies: waves of subjects, fits and advice in one SQLite file that only grows.
//!
//! A [`Study`] is made with a [`Catalogue`] of tests and their prices and grows by waves ([`Study::add`]), fits
//! ([`Study::fit`]) and advice ([`Study::advise`]). Each is an event of the log with the hash of the data it saw, its
//! parameters, the program's version and the time. Nothing is ever changed or removed: a correction is a new row, and what
//! is current is the newest one ([`Study::state`]). `examples/advise_wave.rs` goes from a first wave to a first advice.
//!
//! | what | file |
//! |---|---|
//! | the file: schema, transactions, log | `schema.sql`, `store.rs` |
//! | tests and prices; waves; what is known now | `catalogue.rs`, `wave.rs`, `state.rs`, `cohort.rs` |
//! | resampling and intervals | `resample.rs`, `performance.rs` |
//! | fits | `fit.rs` |
//! | advice | `advice/` |
//! | the page over all waves | `timeline.rs`, `page/` |
//! | a simulated study with known truth | `simulate.rs` |

mod advice;
mod catalogue;
mod cohort;
mod error;
mod fit;
mod page;
mod performance;
mod resample;
mod simulate;
mod state;
mod store;
mod timeline;
mod wave;

pub use advice::{
    Advice, AdviceChoice, Defining, DefiningSubject, Frontier, Gain, LearningCurve, LearningPoint,
    NearEquals, PanelPoint, Recruitment, Region, Replacement, Retirement, Standing, Stratum,
    SubstituteTest, TestAdvice,
};
pub use catalogue::{Catalogue, Price, Ruling, Test};
pub use cohort::Cohort;
pub use error::Error;
pub use fit::{FitChoice, FitSummary, Fitted, cost_factors, unwatched};
pub use performance::{Performance, Uncertain};
pub use resample::StageWatch;
pub use simulate::{SimulatedStudy, TestKind, Truth};
pub use state::{StudyState, Subject};
pub use store::{Event, Study, Terms};
pub use wave::{Added, Wave};
