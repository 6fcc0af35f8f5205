//! On whom a performance may be measured: subjects whose outcomes had no part in choosing the tests.
//!
//! Tests are retired with outcomes in view, and what stays is what looked good on those subjects. A cross-validation over the
//! same subjects takes that look for worth, however often the fit itself is made anew (Ambroise and McLachlan's selection
//! bias). To make the retirements anew in every fold does not mend it: what was really retired was no longer measured, so
//! that the gaps in later waves tell each fold what the outcomes it holds back have decided. Subjects whose outcomes were
//! learned later had no part in it, and so performance is measured on them alone, by fits that may train on everyone else.

use std::collections::HashSet;

use rfvm::Bootstrap;
use serde::Serialize;

use crate::cohort::Cohort;
use crate::performance::{DRAWS, HeldBackScores, Performance};
use crate::state::StudyState;

/// Subjects of each class that performance is measured on, at least.
const LEAST: usize = 10;

/// Whom performance is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedOn {
    /// All subjects: no test was retired with an outcome in view.
    AllSubjects,
    /// Those whose outcomes were learned after the last retirement.
    LaterSubjects,
    /// Nobody yet: too few outcomes were learned after the last retirement.
    Nobody,
}

/// How the performances of a fit or an advice came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Whom they are measured on.
    pub judged_on: JudgedOn,
    /// How many these are.
    pub subjects: usize,
    /// The last wave whose outcomes were known when tests were retired.
    pub retired_after: Option<usize>,
    /// Waves with which tests were put on or taken off the lists by hand, outcomes being known.
    pub listed_with: Vec<usize>,
    /// All of this in words.
    pub words: String,
}

/// The subjects that performance is measured on.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) basis: Basis,
    /// Their positions in the cohort.
    pub(crate) rows: Vec<usize>,
    /// Their classes.
    pub(crate) labels: Vec<usize>,
    /// Draws of them.
    pub(crate) bootstrap: Bootstrap,
}

impl Cohort {
    /// Classes, those of the judged apart from those of the others: folds that are even over these have judged subjects
    /// of both classes in each.
    pub(crate) fn strata(&self, judged: &[usize]) -> Vec<usize> {
        let mut strata = self.labels.clone();
        if judged.len() < self.len() {
            judged.iter().for_each(|&n| strata[n] += 2);
        }
        strata
    }

    /// Positions of the subjects whose outcomes, and those of their groups, were learned after a wave.
    fn learned_after(&self, state: &StudyState, wave: usize) -> Vec<usize> {
        let seen = |n: &usize| state.outcome_wave[self.rows[*n]].is_some_and(|own| own <= wave);
        let group = |n: usize| self.groups.as_ref().map_or(n, |groups| groups[n]);
        let all = self.all_rows();
        let seen: HashSet<usize> = all.iter().copied().filter(seen).map(group).collect();
        let later = all.into_iter().filter(|&n| !seen.contains(&group(n)));
        later.collect()
    }

    /// Whom performance may be measured on.
    pub(crate) fn judged(&self, state: &StudyState, seed: u64) -> Judged {
        let (judged_on, rows) = match state.retired_after {
            None => (JudgedOn::AllSubjects, self.all_rows()),
            Some(wave) => {
                let later = self.learned_after(state, wave);
                let positive = later.iter().filter(|&&n| self.labels[n] == 1).count();
                match positive.min(later.len() - positive) < LEAST {
                    true => (JudgedOn::Nobody, later),
                    false => (JudgedOn::LaterSubjects, later),
                }
            }
        };
        let words = words(judged_on, rows.len(), state);
        let basis = Basis {
            judged_on,
            subjects: rows.len(),
            retired_after: state.retired_after,
            listed_with: state.listed_with.clone(),
            words,
        };
        match judged_on {
            JudgedOn::Nobody => Judged::new(self, basis, Vec::new(), seed),
            _ => Judged::new(self, basis, rows, seed),
        }
    }
}

fn words(judged_on: JudgedOn, subjects: usize, state: &StudyState) -> String {
    let retired = state.retired_after.map_or(String::new(), |wave| {
        format!("the last retirement, which had seen the outcomes up to wave {wave}")
    });
    let mut words = match judged_on {
        JudgedOn::AllSubjects => format!(
            "Measured on all {subjects} subjects, each by fits without it: no test was retired with an outcome in view."
        ),
        JudgedOn::LaterSubjects => format!(
            "Measured on the {subjects} subjects whose outcomes came after {retired}, each by fits on all others: the choice of tests owes nothing to them."
        ),
        JudgedOn::Nobody => format!(
            "There is no unbiased estimate yet: only {subjects} outcomes came after {retired}, and {LEAST} of each class are needed; the next wave will tell."
        ),
    };
    if let (Some(first), Some(last)) = (state.listed_with.first(), state.listed_with.last()) {
        let with = match first == last {
            true => format!("wave {first}"),
            false => format!("waves {first} to {last}"),
        };
        words.push_str(&format!(
            " Tests were put on or taken off the lists by hand with {with}, when outcomes were known; that choice is taken as given."
        ));
    }
    words
}

impl Judged {
    fn new(cohort: &Cohort, basis: Basis, rows: Vec<usize>, seed: u64) -> Self {
        let groups = cohort.groups.as_ref();
        let groups: Option<Vec<usize>> =
            groups.map(|groups| rows.iter().map(|&n| groups[n]).collect());
        Self {
            labels: rows.iter().map(|&n| cohort.labels[n]).collect(),
            bootstrap: Bootstrap::new(rows.len(), groups.as_deref(), DRAWS, seed),
            basis,
            rows,
        }
    }

    /// How good scores of the whole cohort are on these subjects.
    pub(crate) fn performance(&self, scores: &HeldBackScores) -> Performance {
        match self.rows.is_empty() {
            true => Performance::UNKNOWN,
            false => Performance::of(&self.bootstrap, &scores.of_rows(&self.rows), &self.labels),
        }
    }

    /// How much one differs from the other on these subjects ([`Performance::difference`]).
    pub(crate) fn difference(&self, of: &HeldBackScores, from: &HeldBackScores) -> Performance {
        let (of, from) = (of.of_rows(&self.rows), from.of_rows(&self.rows));
        match self.rows.is_empty() {
            true => Performance::UNKNOWN,
            false => Performance::difference(&self.bootstrap, &of, &from, &self.labels),
        }
    }
}
