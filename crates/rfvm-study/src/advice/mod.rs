//! Advice: which tests to retire, what could replace which, which subjects define the model, whom to recruit next.
//!
//! ```text
//! evidence.rs       fits on parts of the cohort, judged on subjects they have not seen
//! leave_one_out.rs  what dropping one test costs (leave one covariate out)
//! score_test.rs     what a test that the model does not use could still be worth (Rao's score test)
//! retire.rs         which tests can go together: a test of non-inferiority
//! frontier.rs       panels of growing price
//! replace.rs        what could stand in for a test
//! subjects.rs       which subjects define the model
//! curve.rs          the learning curve
//! recruit.rs        whom to recruit next
//! advise.rs         all of it, recorded
//! ```

mod advise;
mod curve;
mod evidence;
mod frontier;
mod leave_one_out;
mod recruit;
mod replace;
mod retire;
mod score_test;
mod subjects;

pub use advise::{Advice, Standing, TestAdvice};
pub use curve::{Gain, LearningCurve, LearningPoint};
pub use evidence::AdviceChoice;
pub use frontier::{Frontier, PanelPoint};
pub use recruit::{Recruitment, Region, Stratum};
pub use replace::{Replacement, SubstituteTest};
pub use retire::Retirement;
pub use subjects::{Defining, DefiningSubject, NearEquals};
