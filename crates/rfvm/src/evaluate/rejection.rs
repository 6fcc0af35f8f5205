//! What abstaining is worth: how many unseen rows are left, and how many of them are right.

use super::calibration::logit;
use super::evaluation::{Evaluation, FoldResult};
use super::measures::Rejection;
use super::metrics;
use super::unseen_rows::UnseenRows;
use crate::error::{Error, require};
use crate::numerics::special::two_sided;

impl Rejection {
    /// `None` in a regression, and where the fits did not say how sure they were.
    pub(super) fn of(unseen: &UnseenRows<'_>, level: f64) -> Option<Self> {
        let z = two_sided(level);
        let abstain = |fold: &FoldResult| {
            (fold.log_odds_sd.len() == fold.rows.len()).then(|| {
                let said = fold.predicted.iter().zip(&fold.log_odds_sd);
                // What is no number is neither right nor counted.
                let kept = said.map(|(&p, sd)| match logit(p).abs() <= z * sd {
                    true => f64::NAN,
                    false => p,
                });
                FoldResult {
                    predicted: kept.collect(),
                    ..fold.clone()
                }
            })
        };
        let left: Option<Vec<FoldResult>> = unseen.results.iter().map(abstain).collect();
        let left = left.filter(|folds| !folds.is_empty())?;
        let left = unseen.with(&left);
        Some(Self {
            level,
            coverage: left.share(|_, _, p| (!p.is_nan(), true))?,
            accuracy: left.share(|_, label, p| (metrics::right(label, p), !p.is_nan())),
        })
    }
}

impl Evaluation {
    /// The same with what abstaining at another level than 0.95 leaves.
    pub fn with_rejection(mut self, level: f64) -> Result<Self, Error> {
        let fine = level > 0.0 && level < 1.0;
        require(fine, "level", level, "a number between 0 and 1")?;
        self.rejection = UnseenRows::of(&self).and_then(|unseen| Rejection::of(&unseen, level));
        Ok(self)
    }
}
