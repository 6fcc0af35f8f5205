//! Prospective studies: waves of subjects, fits and advice in one SQLite file that only grows.
//!
//! A [`Study`] is made with a [`Catalogue`] of tests and their prices and grows by waves ([`Study::add`]), fits
//! ([`Study::fit`]) and advice ([`Study::advise`]). Each is an event of the log with the hash of the data it saw, its
//! parameters, the program's version and the time. Nothing is ever changed or removed: a correction is a new row, and what
//! is current is the newest one ([`Study::state`]). `examples/advise_wave.rs` goes from a first wave to a first advice.
//!
//! | what | file |
//! |---|---|
//! | the file: schema, transactions, log; its chain of hashes | `schema.sql`, `store.rs`, `chain.rs` |
//! | tests and prices; waves; what is known now | `catalogue.rs`, `wave.rs`, `state.rs`, `cohort.rs` |
//! | resampling and intervals; whom performance may be measured on | `resample.rs`, `performance.rs`, `basis.rs` |
//! | fits, and how each did on those who came after it | `fit.rs`, `prospective.rs` |
//! | advice | `advice/` |
//! | the page over all waves | `timeline.rs`, `page/` |
//! | a simulated study with known truth, and one of noise | `simulate.rs`, `noise.rs` |

mod advice;
mod basis;
mod catalogue;
mod chain;
mod cohort;
mod error;
mod fit;
mod noise;
mod page;
mod performance;
mod prospective;
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
pub use basis::{Basis, JudgedOn};
pub use catalogue::{Catalogue, Price, Ruling, Test};
pub use cohort::Cohort;
pub use error::Error;
pub use fit::{FitChoice, FitSummary, Fitted, LastKnown, cost_factors, unwatched};
pub use noise::NoiseStudy;
pub use performance::{Performance, Uncertain};
pub use prospective::ProspectiveWave;
pub use resample::StageWatch;
pub use simulate::{SimulatedStudy, TestKind, Truth};
pub use state::{StudyState, Subject};
pub use store::{Event, Study, Terms};
pub use wave::{Added, Wave};
