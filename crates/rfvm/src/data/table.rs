//! Checked input without a target: numbers with names.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::covariates::{Covariate, Covariates};
use super::names::Names;
use crate::error::{Error, join_names};
use crate::numerics::stats::median;

/// Samples by features, feature-major (each feature's values are contiguous), names unique. Every value is finite,
/// unless the table was made [`Table::with_missing`] values.
#[derive(Debug, Clone)]
pub struct Table {
    samples: usize,
    values: Vec<f64>,
    missing: usize,
    feature_names: Names,
    sample_names: Vec<String>,
    made_up: MadeUpNames,
    covariates: Option<Covariates>,
}

/// Which names were made up (`f1`, `s1`) because the data had none: they say where a column or row stands, where a real name
/// of the same look (`f1` of a file) says nothing of the kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeUpNames {
    /// Those of the features.
    pub features: bool,
    /// Those of the samples.
    pub samples: bool,
}

impl Table {
    /// Checks shape, finiteness and names. `values[d * samples + n]` is feature `d` of sample `n`.
    pub fn new(
        values: Vec<f64>,
        feature_names: impl Into<Names>,
        sample_names: Vec<String>,
    ) -> Result<Self, Error> {
        Self::checked(values, feature_names.into(), sample_names, false)
    }

    /// As [`Table::new`], with NaN for a missing value; a fit then needs [`crate::Missing::Median`].
    pub fn with_missing(
        values: Vec<f64>,
        feature_names: impl Into<Names>,
        sample_names: Vec<String>,
    ) -> Result<Self, Error> {
        Self::checked(values, feature_names.into(), sample_names, true)
    }

    fn checked(
        values: Vec<f64>,
        feature_names: Names,
        sample_names: Vec<String>,
        allow_missing: bool,
    ) -> Result<Self, Error> {
        let (samples, features) = (sample_names.len(), feature_names.len());
        if samples == 0 || features == 0 {
            return Err(Error::Empty { samples, features });
        }
        if values.len() != samples * features {
            return Err(Error::Length {
                what: "values (samples times features)",
                expected: samples * features,
                got: values.len(),
            });
        }
        // Sorted numbers take less room than a map of a million names, which only a repeated name is worth.
        if feature_names.may_repeat() {
            check_unique("feature", feature_names.iter())?;
        }
        check_unique("sample", sample_names.iter().map(String::as_str))?;
        let wrong = |value: &f64| !(value.is_finite() || (allow_missing && value.is_nan()));
        if let Some(at) = values.iter().position(wrong) {
            return Err(Error::NotFinite {
                feature: feature_names[at / samples].to_owned(),
                sample: sample_names[at % samples].clone(),
                value: values[at],
            });
        }
        let missing = if allow_missing {
            values.iter().filter(|value| value.is_nan()).count()
        } else {
            0
        };
        Ok(Self {
            samples,
            values,
            missing,
            feature_names,
            sample_names,
            made_up: MadeUpNames::default(),
            covariates: None,
        })
    }

    /// The same table, its names known to be made up.
    pub fn with_made_up_names(self, made_up: MadeUpNames) -> Self {
        Self { made_up, ..self }
    }

    /// The same samples with covariates, which a fit allows for and never selects. None where none are given.
    pub fn with_covariates(self, covariates: Vec<Covariate>) -> Result<Self, Error> {
        let covariates = Covariates::checked(covariates, &self.sample_names)?;
        let none = covariates.iter().next().is_none();
        Ok(Self {
            covariates: (!none).then_some(covariates),
            ..self
        })
    }

    /// The same with rows of the covariates of another table.
    pub(crate) fn with_covariates_of(
        self,
        covariates: &Covariates,
        rows: &[usize],
    ) -> Result<Self, Error> {
        let covariates = covariates.rows(rows);
        self.with_covariates(covariates.iter().cloned().collect())
    }

    /// What is to be allowed for.
    pub fn covariates(&self) -> Option<&Covariates> {
        self.covariates.as_ref()
    }

    /// Which of its names are made up.
    pub fn made_up_names(&self) -> MadeUpNames {
        self.made_up
    }

    /// A table with made-up names: features `f1`, `f2`, ... and samples `s1`, `s2`, ...
    pub fn unnamed(values: Vec<f64>, samples: usize) -> Result<Self, Error> {
        let features = values.len().checked_div(samples).unwrap_or(0);
        let numbered = Names::numbered;
        let table = Self::new(
            values,
            numbered('f', features),
            numbered('s', samples).to_vec(),
        )?;
        Ok(table.with_made_up_names(MadeUpNames {
            features: true,
            samples: true,
        }))
    }

    /// Number of rows.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Number of columns.
    pub fn features(&self) -> usize {
        self.feature_names.len()
    }

    /// The values of one feature over all samples.
    pub fn feature(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The features with missing values and how many each has, most first.
    pub fn missing_by_feature(&self) -> Vec<(&str, usize)> {
        let count = |d| {
            self.feature(d)
                .iter()
                .filter(|value| value.is_nan())
                .count()
        };
        let named = (0..self.features()).map(|d| (&self.feature_names[d], count(d)));
        let mut found: Vec<(&str, usize)> = named.filter(|(_, count)| *count > 0).collect();
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        found
    }

    /// Puts each feature's median in the place of its missing values; returns the medians. A feature without any
    /// value gets 0 and so is constant.
    pub(crate) fn fill_missing(&mut self) -> Vec<f64> {
        self.missing = 0;
        let medians = self.values.chunks_exact_mut(self.samples).map(|feature| {
            let median = median_of_known(feature);
            feature
                .iter_mut()
                .filter(|value| value.is_nan())
                .for_each(|value| *value = median);
            median
        });
        medians.collect()
    }

    /// Names of the columns, in order.
    pub fn feature_names(&self) -> &Names {
        &self.feature_names
    }

    /// Names of the rows, in order.
    pub fn sample_names(&self) -> &[String] {
        &self.sample_names
    }

    /// A copy that holds the given rows, in the given order.
    pub fn rows(&self, rows: &[usize]) -> Result<Self, Error> {
        if let Some(&row) = rows.iter().find(|&&row| row >= self.samples) {
            return Err(Error::RowOutOfRange {
                row,
                samples: self.samples,
            });
        }
        let mut values = Vec::with_capacity(rows.len() * self.features());
        for d in 0..self.features() {
            let feature = self.feature(d);
            values.extend(rows.iter().map(|&n| feature[n]));
        }
        let sample_names = rows.iter().map(|&n| self.sample_names[n].clone()).collect();
        let table = Self::checked(
            values,
            self.feature_names.clone(),
            sample_names,
            self.missing > 0,
        )?;
        Ok(Self {
            covariates: self.covariates.as_ref().map(|all| all.rows(rows)),
            ..table.with_made_up_names(self.made_up)
        })
    }

    /// A copy that holds the given features, in the given order.
    pub(crate) fn columns(&self, features: &[usize]) -> Result<Self, Error> {
        let values = features.iter().flat_map(|&d| self.feature(d)).copied();
        let table = Self::checked(
            values.collect(),
            features.iter().map(|&d| &self.feature_names[d]).collect(),
            self.sample_names.clone(),
            self.missing > 0,
        )?;
        Ok(Self {
            covariates: self.covariates.clone(),
            ..table.with_made_up_names(self.made_up)
        })
    }

    /// Positions of the named features, or an error that lists those that are not there.
    pub fn find_features(&self, names: &[String]) -> Result<Vec<usize>, Error> {
        let wanted: HashMap<&str, usize> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), at))
            .collect();
        let mut found = vec![usize::MAX; names.len()];
        for (d, name) in self.feature_names.iter().enumerate() {
            if let Some(&at) = wanted.get(name) {
                found[at] = d;
            }
        }
        let missing: Vec<&str> = names
            .iter()
            .zip(&found)
            .filter(|&(_, &d)| d == usize::MAX)
            .map(|(name, _)| name.as_str())
            .collect();
        if missing.is_empty() {
            return Ok(found);
        }
        Err(Error::MissingFeatures {
            count: missing.len(),
            names: join_names(missing.into_iter()),
        })
    }

    /// `values[d * samples + n]` is feature `d` of sample `n`.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values; missing ones must stay missing.
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub(crate) fn into_parts(self) -> (Vec<f64>, Names, Vec<String>) {
        (self.values, self.feature_names, self.sample_names)
    }
}

/// The median of the values that are there; 0 where none is.
fn median_of_known(values: &[f64]) -> f64 {
    let mut known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    median(&mut known).unwrap_or(0.0)
}

/// Equal where the missing values are the same too.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        self.sample_names == other.sample_names
            && self.feature_names == other.feature_names
            && self.covariates == other.covariates
            && self.values.iter().zip(&other.values).all(same)
    }
}

pub(crate) fn check_unique<'n>(
    what: &'static str,
    names: impl ExactSizeIterator<Item = &'n str>,
) -> Result<(), Error> {
    let mut seen = HashMap::with_capacity(names.len());
    for (at, name) in names.enumerate() {
        if let Some(first) = seen.insert(name, at) {
            return Err(Error::Duplicate {
                what,
                name: name.to_owned(),
                first: first + 1,
                second: at + 1,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table(values: &[f64], samples: usize) -> Table {
        Table::unnamed(values.to_vec(), samples).unwrap()
    }

    #[test]
    fn a_value_that_is_not_finite_is_named() {
        let error = Table::unnamed(vec![1.0, 2.0, 3.0, f64::NAN], 2).unwrap_err();
        assert_eq!(
            error.to_string(),
            "feature 'f2' of sample 's2' is NaN; impute or drop missing values first"
        );
    }

    #[test]
    fn shapes_and_names_are_checked() {
        assert!(matches!(
            Table::unnamed(vec![], 0),
            Err(Error::Empty { .. })
        ));
        let names = |n: &[&str]| n.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let short = Table::new(vec![1.0], names(&["a", "b"]), names(&["x"])).unwrap_err();
        assert_eq!(
            short.to_string(),
            "expected 2 values (samples times features), got 1"
        );
        let twice = Table::new(vec![1.0, 2.0], names(&["a", "a"]), names(&["x"])).unwrap_err();
        assert_eq!(
            twice.to_string(),
            "feature 'a' appears twice (positions 1 and 2); names must be unique"
        );
    }

    #[test]
    fn rows_and_features_are_picked_by_position_and_name() {
        let t = table(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3);
        let picked = t.rows(&[2, 0]).unwrap();
        assert_eq!(picked.feature(0), [3.0, 1.0]);
        assert_eq!(picked.sample_names(), ["s3", "s1"]);
        let found = t.find_features(&["f2".into(), "f1".into()]).unwrap();
        assert_eq!(found, [1, 0]);
        let error = t.find_features(&["f2".into(), "g".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the table lacks 1 feature(s) that the model needs: 'g'"
        );
    }

    #[test]
    fn medians_take_the_place_of_missing_values() {
        let names =
            |letter: char, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
        let values = vec![
            1.0,
            f64::NAN,
            3.0,
            7.0,
            f64::NAN,
            5.0,
            f64::NAN,
            6.0,
            f64::NAN,
            f64::NAN,
            f64::NAN,
            f64::NAN,
        ];
        let mut table = Table::with_missing(values, names('f', 3), names('s', 4)).unwrap();
        assert_eq!(table.missing(), 7);
        assert_eq!(
            table.missing_by_feature(),
            [("f2", 4), ("f1", 2), ("f0", 1)]
        );
        assert_eq!(table.rows(&[0, 2]).unwrap().missing(), 4);
        assert_eq!(table.fill_missing(), [3.0, 5.5, 0.0]);
        assert_eq!(table.feature(1), [5.5, 5.0, 5.5, 6.0]);
        assert_eq!(table.missing(), 0);
        let infinite = Table::with_missing(vec![f64::INFINITY], names('f', 1), names('s', 1));
        assert!(infinite.is_err(), "an infinite value is not a missing one");
    }
}
