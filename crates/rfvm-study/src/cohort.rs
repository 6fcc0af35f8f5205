//! The subjects whose outcome is known, with the tests a fit may use.

use std::collections::HashMap;

use rfvm::{Dataset, Names, Table, Target};

use crate::error::Error;
use crate::state::StudyState;

/// What fits and advice are made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Cohort {
    /// Names of the subjects.
    pub subjects: Vec<String>,
    /// Positions of the subjects in the state.
    pub rows: Vec<usize>,
    /// The negative and the positive class.
    pub classes: [String; 2],
    /// The class of every subject.
    pub labels: Vec<usize>,
    /// The group of every subject, where the study has groups.
    pub groups: Option<Vec<usize>>,
    /// Names of the tests.
    pub tests: Vec<String>,
    /// Positions of the tests in the catalogue.
    pub places: Vec<usize>,
    /// `columns[test][subject]`; NaN where nothing is known.
    pub columns: Vec<Vec<f64>>,
    /// Cost factors of the tests, where cost enters the prior.
    pub cost_factors: Option<Vec<(String, f64)>>,
}

impl StudyState {
    /// Subjects with a known outcome, and the tests in use that at least this share of them has a value of.
    pub fn cohort(&self, coverage: f64) -> Result<Cohort, Error> {
        self.cohort_of(self.active(), coverage)
    }

    /// The same with others than the tests in use.
    pub(crate) fn cohort_of(&self, tests: Vec<usize>, coverage: f64) -> Result<Cohort, Error> {
        let outcome = self.attribute(&self.terms.outcome);
        let rows: Vec<usize> = (0..outcome.len())
            .filter(|&n| !outcome[n].is_empty())
            .collect();
        if rows.is_empty() {
            let what = "no subject has a known outcome yet; add a wave that tells it";
            return Err(Error::asked(what));
        }
        let mut classes: Vec<&String> = rows.iter().map(|&n| &outcome[n]).collect();
        classes.sort();
        classes.dedup();
        let classes = match (&classes[..], &self.terms.positive) {
            ([a, b], None) => match rfvm_io::positive_class([a, b]) {
                Some(0) => [b.to_string(), a.to_string()],
                _ => [a.to_string(), b.to_string()],
            },
            ([a, b], Some(positive)) if *a == positive => [b.to_string(), a.to_string()],
            ([a, b], Some(positive)) if *b == positive => [a.to_string(), b.to_string()],
            ([_, _, ..], Some(positive)) if classes.contains(&positive) => {
                [format!("not {positive}"), positive.clone()]
            }
            (found, _) => {
                let names: Vec<&str> = found.iter().map(|name| name.as_str()).collect();
                return Err(Error::asked(format!(
                    "the outcome '{}' of {} subjects has {} classes ({}); a fit needs two, or --positive at init to set one against the rest",
                    self.terms.outcome,
                    rows.len(),
                    found.len(),
                    crate::error::quoted(names)
                )));
            }
        };
        let labels: Vec<usize> = rows
            .iter()
            .map(|&n| usize::from(outcome[n] == classes[1]))
            .collect();
        let covered = |&test: &usize| {
            let known = rows
                .iter()
                .filter(|&&n| !self.values[test][n].is_nan())
                .count();
            known > 1 && known as f64 >= coverage * rows.len() as f64
        };
        let places: Vec<usize> = tests.into_iter().filter(covered).collect();
        if places.is_empty() {
            return Err(Error::asked(
                "no test in use has enough values to be fitted; add a wave first",
            ));
        }
        let words = self.terms.group.as_ref().map(|name| self.attribute(name));
        Ok(Cohort {
            subjects: rows
                .iter()
                .map(|&n| self.subjects[n].name.clone())
                .collect(),
            groups: words.map(|words| numbers(rows.iter().map(|&n| words[n].as_str()))),
            tests: places
                .iter()
                .map(|&test| self.catalogue.tests[test].name.clone())
                .collect(),
            columns: places
                .iter()
                .map(|&test| rows.iter().map(|&n| self.values[test][n]).collect())
                .collect(),
            cost_factors: None,
            places,
            classes,
            labels,
            rows,
        })
    }
}

/// Groups numbered in order of appearance; whoever has none stands alone.
fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut next = 0;
    words
        .map(|word| {
            let fresh = next;
            let group = if word.is_empty() {
                fresh
            } else {
                *known.entry(word).or_insert(fresh)
            };
            next += usize::from(group == fresh);
            group
        })
        .collect()
}

impl Cohort {
    /// Number of subjects.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Some rows and some tests as the engine's table.
    pub fn table(&self, rows: &[usize], tests: &[usize]) -> Result<Table, Error> {
        let values = tests
            .iter()
            .flat_map(|&test| rows.iter().map(move |&n| self.columns[test][n]));
        let names: Names = tests.iter().map(|&test| &self.tests[test]).collect();
        let subjects = rows.iter().map(|&n| self.subjects[n].clone()).collect();
        Ok(Table::with_missing(values.collect(), names, subjects)?)
    }

    /// The same with the outcome, and with groups and cost factors where there are some.
    pub fn dataset(&self, rows: &[usize], tests: &[usize]) -> Result<Dataset, Error> {
        let target = Target::Classes {
            names: self.classes.to_vec(),
            labels: rows.iter().map(|&n| self.labels[n]).collect(),
        };
        let mut data = Dataset::new(self.table(rows, tests)?, target)?;
        if let Some(groups) = &self.groups {
            data = data.with_groups(rows.iter().map(|&n| groups[n]).collect())?;
        }
        if let Some(factors) = &self.cost_factors {
            data = data.with_feature_cost(factors.clone())?;
        }
        Ok(data)
    }

    /// All rows.
    pub fn all_rows(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }

    /// All tests.
    pub fn all_tests(&self) -> Vec<usize> {
        (0..self.tests.len()).collect()
    }

    /// Positions of named tests.
    pub fn find(&self, names: &[String]) -> Vec<usize> {
        let place: HashMap<&str, usize> = self
            .tests
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), at))
            .collect();
        names
            .iter()
            .filter_map(|name| place.get(name.as_str()).copied())
            .collect()
    }
}
