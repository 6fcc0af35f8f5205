//! How covariates become columns: numbers are standardised, words become one column for every level but the most frequent,
//! which is the reference. All columns are centred, so that the intercept stays that of the average sample. What a fit's own rows
//! show is what new samples are coded by.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::covariates::{Covariate, CovariateValues, Covariates};
use super::scale::{Scale, is_constant};
use crate::error::{Error, join_names};
use crate::numerics::linalg::{Cholesky, Dense};

/// The most levels of a column of words: beyond them it is a name, not a covariate.
const MOST_LEVELS: usize = 50;
/// A column of which the others leave less of its variance than this says nothing of its own.
const COLLINEAR: f64 = 1e-8;

/// One column of the design: a number, or one level of words against the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CovariateColumn {
    /// Name of the covariate.
    pub covariate: String,
    /// The level that it marks, and the one it is compared with; `None` of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<[String; 2]>,
    /// What is taken off, then what it is divided by: mean and standard deviation of a number, share and 1 of a level.
    pub scale: Scale,
}

impl CovariateColumn {
    /// `age`, or `site: Oslo against Bergen`.
    pub fn name(&self) -> String {
        match &self.level {
            None => self.covariate.clone(),
            Some([level, reference]) => {
                format!("{}: {level} against {reference}", self.covariate)
            }
        }
    }
}

/// How covariates become columns, learned on the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CovariateCoding {
    columns: Vec<CovariateColumn>,
}

impl CovariateCoding {
    /// The columns.
    pub fn columns(&self) -> &[CovariateColumn] {
        &self.columns
    }

    /// Names of the covariates that a new table must have.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.columns.iter().map(|c| c.covariate.clone()).collect();
        names.dedup();
        names
    }

    pub(crate) fn learn(covariates: &Covariates) -> Result<Self, Error> {
        let mut columns = Vec::new();
        for covariate in covariates.iter() {
            let constant = "it is the same for every sample; leave it out";
            match &covariate.values {
                CovariateValues::Numbers(values) => {
                    if is_constant(values) {
                        return Err(covariate.wrong(constant));
                    }
                    let scale = Scale::of(values).ok_or_else(|| covariate.wrong(constant))?;
                    columns.push(CovariateColumn {
                        covariate: covariate.name.clone(),
                        level: None,
                        scale,
                    });
                }
                CovariateValues::Levels(values) => {
                    let counts = counted(values);
                    if counts.len() < 2 {
                        return Err(covariate.wrong(constant));
                    }
                    if counts.len() > MOST_LEVELS || 2 * counts.len() > values.len() {
                        return Err(covariate.wrong(format!(
                            "it has {} levels in {} samples, too many for an effect each; join some, or leave it out",
                            counts.len(),
                            values.len()
                        )));
                    }
                    let reference = counts[0].0.to_owned();
                    let level = |(level, count): &(&str, usize)| CovariateColumn {
                        covariate: covariate.name.clone(),
                        level: Some([(*level).to_owned(), reference.clone()]),
                        scale: Scale {
                            mean: *count as f64 / values.len() as f64,
                            sd: 1.0,
                            bend: None,
                        },
                    };
                    columns.extend(counts[1..].iter().map(level));
                }
            }
        }
        let coding = Self { columns };
        coding.refuse_collinear(covariates)?;
        Ok(coding)
    }

    /// Every column must say something that those before it do not.
    fn refuse_collinear(&self, covariates: &Covariates) -> Result<(), Error> {
        let names: Vec<String> = Vec::new();
        let design = self.design(covariates, &names)?;
        let samples = design.rows() as f64;
        let gram = design.weighted_gram(&vec![1.0; design.rows()]);
        for j in 1..design.cols() {
            let before: Vec<usize> = (0..j).collect();
            let mut known = gram.select(&before, &before);
            known.add_diagonal(std::iter::repeat_n(1e-12 * samples, j));
            let with: Vec<f64> = (0..j).map(|i| gram.at(i, j)).collect();
            let left = match Cholesky::new(known) {
                Ok(factor) => {
                    let told: f64 = factor
                        .solve(&with)
                        .iter()
                        .zip(&with)
                        .map(|(a, b)| a * b)
                        .sum();
                    gram.at(j, j) - told
                }
                Err(_) => 0.0,
            };
            if left <= COLLINEAR * gram.at(j, j) {
                let column = &self.columns[j - 1];
                return Err(Error::Covariate {
                    name: column.covariate.clone(),
                    what: format!(
                        "its column '{}' follows exactly from the covariates before it; leave one of them out",
                        column.name()
                    ),
                });
            }
        }
        Ok(())
    }

    /// A column of ones and the coded columns, samples x (columns + 1). `samples` are the rows' names, for errors.
    pub(crate) fn design(
        &self,
        covariates: &Covariates,
        samples: &[String],
    ) -> Result<Dense, Error> {
        let rows = covariates.0.first().map_or(samples.len(), Covariate::len);
        let sample = |n: usize| samples.get(n).map_or("", String::as_str);
        let mut values = vec![1.0; rows];
        for (at, column) in self.columns.iter().enumerate() {
            let covariate = covariates.iter().find(|c| c.name == column.covariate);
            let covariate = covariate.ok_or_else(|| missing(&column.covariate))?;
            let first = at == 0 || self.columns[at - 1].covariate != column.covariate;
            match (&covariate.values, &column.level) {
                (CovariateValues::Numbers(numbers), None) => {
                    values.extend(numbers.iter().map(|&value| column.scale.apply(value)));
                }
                (CovariateValues::Levels(words), Some([level, reference])) => {
                    if first {
                        self.refuse_new_levels(covariate, words, reference, sample)?;
                    }
                    let is = |word: &String| f64::from(word == level);
                    values.extend(words.iter().map(|word| column.scale.apply(is(word))));
                }
                // Levels that look like numbers (a site 1, 2, 3 that was "A" once) are words here too.
                (CovariateValues::Numbers(numbers), Some([level, reference])) => {
                    let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
                    if first {
                        self.refuse_new_levels(covariate, &words, reference, sample)?;
                    }
                    let is = |word: &String| f64::from(word == level);
                    values.extend(words.iter().map(|word| column.scale.apply(is(word))));
                }
                (CovariateValues::Levels(words), None) => {
                    let not = words.iter().position(|word| word.parse::<f64>().is_err());
                    let n = not.unwrap_or_default();
                    return Err(covariate.wrong(format!(
                        "it is '{}' for sample '{}', and a number in the training samples",
                        words.get(n).map_or("", String::as_str),
                        sample(n)
                    )));
                }
            }
        }
        Ok(Dense::from_vec(rows, self.columns.len() + 1, values))
    }

    fn refuse_new_levels<'s>(
        &self,
        covariate: &Covariate,
        words: &[String],
        reference: &str,
        sample: impl Fn(usize) -> &'s str,
    ) -> Result<(), Error> {
        let own = self
            .columns
            .iter()
            .filter(|c| c.covariate == covariate.name);
        let levels = own.filter_map(|c| c.level.as_ref().map(|[level, _]| level.as_str()));
        let known: Vec<&str> = std::iter::once(reference).chain(levels).collect();
        match words.iter().position(|word| !known.contains(&word.as_str())) {
            None => Ok(()),
            Some(n) => Err(covariate.wrong(format!(
                "sample '{}' has the level '{}', which the training samples did not have (they had {}); code it as one of these, or leave the sample out",
                sample(n),
                words[n],
                join_names(known.into_iter())
            ))),
        }
    }

    /// The same of a table that has no covariates.
    pub(crate) fn refuse_none(&self) -> Error {
        missing(self.columns.first().map_or("", |c| &c.covariate))
    }
}

fn missing(name: &str) -> Error {
    Error::Covariate {
        name: name.to_owned(),
        what: "the model allows for it, and the table does not have it".to_owned(),
    }
}

/// Levels with their counts, the most frequent first, equal ones by name.
fn counted(values: &[String]) -> Vec<(&str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    counts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn covariate(name: &str, texts: &[&str]) -> Covariate {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_string()).collect();
        Covariate::from_texts(name, &texts)
    }

    fn all(covariates: Vec<Covariate>) -> Covariates {
        let samples: Vec<String> = (0..covariates[0].len()).map(|n| format!("s{n}")).collect();
        Covariates::checked(covariates, &samples).unwrap()
    }

    fn refused(covariates: Vec<Covariate>) -> String {
        let samples: Vec<String> = (0..covariates[0].len()).map(|n| format!("s{n}")).collect();
        let learned = Covariates::checked(covariates, &samples)
            .and_then(|covariates| CovariateCoding::learn(&covariates));
        learned.unwrap_err().to_string()
    }

    #[test]
    fn numbers_are_standardised_and_words_compared_with_the_most_frequent() {
        let given = all(vec![
            covariate("age", &["1", "2", "3", "6"]),
            covariate("sex", &["f", "m", "f", "f"]),
        ]);
        let coding = CovariateCoding::learn(&given).unwrap();
        let names: Vec<String> = coding.columns().iter().map(CovariateColumn::name).collect();
        assert_eq!(names, ["age", "sex: m against f"]);
        let design = coding.design(&given, &[]).unwrap();
        assert_eq!(design.col(0), [1.0; 4]);
        assert!(design.col(1).iter().sum::<f64>().abs() < 1e-12);
        assert_eq!(design.col(2), [-0.25, 0.75, -0.25, -0.25]);
        let other = covariate("sex", &["x"]);
        let new = Covariates(vec![covariate("age", &["5"]), other]);
        let error = coding.design(&new, &["p9".to_string()]).unwrap_err();
        assert!(error.to_string().contains("sample 'p9' has the level 'x'"));
        assert!(error.to_string().contains("'f', 'm'"));
    }

    #[test]
    fn what_cannot_be_allowed_for_is_named() {
        let constant = refused(vec![covariate("age", &["4", "4", "4"])]);
        assert!(constant.contains("'age': it is the same for every sample"));
        let gap = refused(vec![covariate("sex", &["f", "NA", "m"])]);
        assert!(gap.contains("'sex': sample 's1' has no value"), "{gap}");
        let ids = refused(vec![covariate("id", &["a", "b", "c", "d"])]);
        assert!(ids.contains("4 levels in 4 samples"));
        let twice = refused(vec![
            covariate("age", &["1", "2", "3", "6"]),
            covariate("months", &["12", "24", "36", "72"]),
        ]);
        assert!(
            twice.contains("'months'") && twice.contains("follows exactly"),
            "{twice}"
        );
    }
}
