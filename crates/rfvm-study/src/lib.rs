//! Prospective studies: waves of subjects, fits and advice in one SQLite file that only grows.
//!
//! A [`Study`] is made with a [`Catalogue`] of tests and their prices and grows by waves ([`Study::add`]), fits
//! ([`Study::fit`]) and advice ([`Study::advise`]). Each is an event of the log with the hash of the data it saw, its
//! parameters, the program's version and the time. Nothing is ever changed or removed: a correction is a new row, and what
//! is current is the newest one ([`Study::state`]).
//!
//! | what | file |
//! |---|---|
//! | the file: schema, transactions, log | `schema.sql`, `store.rs` |
//! | tests and prices; waves; what is known now | `catalogue.rs`, `wave.rs`, `state.rs`, `cohort.rs` |
//! | fits | `fit.rs` |
//! | advice: resampling and intervals | `advise.rs`, `resample.rs`, `bootstrap.rs` |
//! | which tests to retire, and at what loss | `retire.rs`, `potential.rs`, `single.rs`, `frontier.rs` |
//! | what replaces what; which subjects define the model; whom to recruit | `replace.rs`, `subjects.rs`, `recruit.rs`, `curve.rs` |
//! | the page over all waves | `timeline.rs`, `page.rs` |
//! | a simulated study with known truth | `simulate.rs` |

mod advise;
mod bootstrap;
mod catalogue;
mod cohort;
mod curve;
mod error;
mod fit;
mod frontier;
mod linear;
mod page;
mod potential;
mod recruit;
mod replace;
mod resample;
mod retire;
mod simulate;
mod single;
mod state;
mod store;
mod subjects;
mod timeline;
mod wave;

pub use advise::{Advice, AdviceChoice, Standing, TestAdvice};
pub use bootstrap::{Performance, Uncertain};
pub use catalogue::{Catalogue, Price, Test, Verdict};
pub use cohort::Cohort;
pub use curve::{CurvePoint, Gain, LearningCurve};
pub use error::Error;
pub use fit::{FitChoice, FitSummary, Fitted, cost_factors, unwatched};
pub use frontier::{Frontier, PanelPoint};
pub use recruit::{Cell, Recruitment, Region};
pub use replace::{Replacement, StandIn};
pub use resample::Watch;
pub use retire::Retirement;
pub use simulate::{Kind, SimulatedStudy, Truth};
pub use state::{State, Subject};
pub use store::{Event, Study, Terms};
pub use subjects::{Defining, DefiningSubject, NearEquals};
pub use wave::{Added, Wave};
