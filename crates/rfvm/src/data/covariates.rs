//! Covariates: what is known of every sample and is to be allowed for, not selected (age, sex, site).
//!
//! They are columns of numbers or of words; `covariate_coding.rs` makes a design of them.

use std::collections::HashMap;

use crate::error::Error;

/// One covariate, a value a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariate {
    /// Name of the column.
    pub name: String,
    /// Its values.
    pub values: CovariateValues,
}

/// The values of a covariate.
#[derive(Debug, Clone, PartialEq)]
pub enum CovariateValues {
    /// Numbers: one effect per unit.
    Numbers(Vec<f64>),
    /// Words: one effect for every level but the reference.
    Levels(Vec<String>),
}

impl Covariate {
    /// Numbers where every text is one, levels otherwise; blanks around them count for nothing.
    pub fn from_texts(name: impl Into<String>, texts: &[String]) -> Self {
        let numbers = texts.iter().map(|text| text.trim().parse::<f64>());
        let values = match numbers.collect::<Result<Vec<f64>, _>>() {
            Ok(numbers) => CovariateValues::Numbers(numbers),
            Err(_) => {
                CovariateValues::Levels(texts.iter().map(|text| text.trim().to_owned()).collect())
            }
        };
        Self {
            name: name.into(),
            values,
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.values {
            CovariateValues::Numbers(values) => values.len(),
            CovariateValues::Levels(values) => values.len(),
        }
    }

    fn rows(&self, rows: &[usize]) -> Self {
        let values = match &self.values {
            CovariateValues::Numbers(all) => {
                CovariateValues::Numbers(rows.iter().map(|&n| all[n]).collect())
            }
            CovariateValues::Levels(all) => {
                CovariateValues::Levels(rows.iter().map(|&n| all[n].clone()).collect())
            }
        };
        Self {
            name: self.name.clone(),
            values,
        }
    }

    /// The value of a row as a text.
    fn text(&self, n: usize) -> String {
        match &self.values {
            CovariateValues::Numbers(values) => values[n].to_string(),
            CovariateValues::Levels(values) => values[n].clone(),
        }
    }

    pub(super) fn wrong(&self, what: impl Into<String>) -> Error {
        Error::Covariate {
            name: self.name.clone(),
            what: what.into(),
        }
    }
}

/// The covariates of a table, in its rows' order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Covariates(pub(super) Vec<Covariate>);

impl Covariates {
    /// Checks lengths, names and that no value is missing.
    pub(super) fn checked(covariates: Vec<Covariate>, samples: &[String]) -> Result<Self, Error> {
        for (at, covariate) in covariates.iter().enumerate() {
            if covariates[..at].iter().any(|c| c.name == covariate.name) {
                return Err(covariate.wrong("it is named twice; name it once"));
            }
            if covariate.len() != samples.len() {
                return Err(Error::Length {
                    what: "values of a covariate, one per sample",
                    expected: samples.len(),
                    got: covariate.len(),
                });
            }
            let gap = |n: &usize| match &covariate.values {
                CovariateValues::Numbers(values) => !values[*n].is_finite(),
                CovariateValues::Levels(values) => is_gap(&values[*n]),
            };
            if let Some(n) = (0..samples.len()).find(gap) {
                return Err(covariate.wrong(format!(
                    "sample '{}' has no value; fill it in, leave the sample out, or give such samples a word of their own",
                    samples[n]
                )));
            }
        }
        Ok(Self(covariates))
    }

    /// The covariates, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Covariate> {
        self.0.iter()
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|c| c.name.clone()).collect()
    }

    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        Self(self.0.iter().map(|c| c.rows(rows)).collect())
    }

    /// A number for every row, the same where all covariates are.
    pub(crate) fn patterns(&self) -> Vec<usize> {
        let samples = self.0.first().map_or(0, Covariate::len);
        let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
        (0..samples)
            .map(|n| {
                let row: Vec<String> = self.0.iter().map(|c| c.text(n)).collect();
                let next = seen.len();
                *seen.entry(row).or_insert(next)
            })
            .collect()
    }

    /// Every value as a text, covariate by covariate.
    pub(super) fn texts(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.0
            .iter()
            .map(|c| (0..c.len()).map(|n| c.text(n)).collect())
    }
}

/// What files write where there is nothing.
fn is_gap(text: &str) -> bool {
    matches!(
        text,
        "" | "NA" | "N/A" | "NaN" | "nan" | "?" | "." | "null" | "NULL"
    )
}
