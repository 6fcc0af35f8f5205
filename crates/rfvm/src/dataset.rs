//! Checked input: a table of numbers with names, and a data set that adds the target.

use std::collections::HashMap;

use crate::error::{Error, join_names};

/// Samples by features, feature-major (each feature's values are contiguous), every value finite, names unique.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    samples: usize,
    values: Vec<f64>,
    feature_names: Vec<String>,
    sample_names: Vec<String>,
}

impl Table {
    /// Checks shape, finiteness and names. `values[d * samples + n]` is feature `d` of sample `n`.
    pub fn new(
        values: Vec<f64>,
        feature_names: Vec<String>,
        sample_names: Vec<String>,
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
        check_unique("feature", &feature_names)?;
        check_unique("sample", &sample_names)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite {
                feature: feature_names[at / samples].clone(),
                sample: sample_names[at % samples].clone(),
                value: values[at],
            });
        }
        Ok(Self {
            samples,
            values,
            feature_names,
            sample_names,
        })
    }

    /// A table with made-up names: features `f1`, `f2`, ... and samples `s1`, `s2`, ...
    pub fn unnamed(values: Vec<f64>, samples: usize) -> Result<Self, Error> {
        let features = values.len().checked_div(samples).unwrap_or(0);
        let numbered = |letter: char, count| (1..=count).map(|i| format!("{letter}{i}")).collect();
        Self::new(values, numbered('f', features), numbered('s', samples))
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

    /// Names of the columns, in order.
    pub fn feature_names(&self) -> &[String] {
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
        Self::new(values, self.feature_names.clone(), sample_names)
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
            if let Some(&at) = wanted.get(name.as_str()) {
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

    pub(crate) fn into_parts(self) -> (Vec<f64>, Vec<String>, Vec<String>) {
        (self.values, self.feature_names, self.sample_names)
    }
}

fn check_unique(what: &'static str, names: &[String]) -> Result<(), Error> {
    let mut seen = HashMap::with_capacity(names.len());
    for (at, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), at) {
            return Err(Error::Duplicate {
                what,
                name: name.clone(),
                first: first + 1,
                second: at + 1,
            });
        }
    }
    Ok(())
}

/// What is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// One class per sample, as positions in `names`. In a binary fit `names[1]` is the positive class.
    Classes {
        /// Names of the classes.
        names: Vec<String>,
        /// The class of each sample.
        labels: Vec<usize>,
    },
    /// One number per sample (regression).
    Values(Vec<f64>),
}

/// A table with a target that has been checked against it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    table: Table,
    target: Target,
}

impl Dataset {
    /// Checks the target: one entry per sample; at least two classes with at least two rows each, or finite
    /// numbers that vary.
    pub fn new(table: Table, target: Target) -> Result<Self, Error> {
        let count = |got| {
            (got == table.samples).then_some(()).ok_or(Error::Length {
                what: "target values, one per sample",
                expected: table.samples,
                got,
            })
        };
        match &target {
            Target::Classes { names, labels } => {
                count(labels.len())?;
                check_labels(&table, names, labels)?;
            }
            Target::Values(values) => {
                count(values.len())?;
                if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                    return Err(Error::TargetNotFinite {
                        sample: table.sample_names[at].clone(),
                        value: values[at],
                    });
                }
                if values.iter().all(|&value| value == values[0]) {
                    return Err(Error::TargetConstant { value: values[0] });
                }
            }
        }
        Ok(Self { table, target })
    }

    /// The numbers and names.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The class of every sample as a position in the class names; empty in a regression.
    pub fn labels(&self) -> &[usize] {
        match &self.target {
            Target::Classes { labels, .. } => labels,
            Target::Values(_) => &[],
        }
    }

    /// A copy that holds the given rows, in the given order, with its target checked again.
    pub fn rows(&self, rows: &[usize]) -> Result<Self, Error> {
        let table = self.table.rows(rows)?;
        let target = match &self.target {
            Target::Classes { names, labels } => Target::Classes {
                names: names.clone(),
                labels: rows.iter().map(|&n| labels[n]).collect(),
            },
            Target::Values(values) => Target::Values(rows.iter().map(|&n| values[n]).collect()),
        };
        Self::new(table, target)
    }

    /// The same rows with the listed classes as the positive one and all others together as the negative one.
    pub fn one_against_rest(self, positive: &[&str]) -> Result<Self, Error> {
        let Target::Classes { names, labels } = &self.target else {
            return Err(Error::Target("a regression target has no classes"));
        };
        if let Some(class) = positive.iter().find(|p| !names.iter().any(|n| n == *p)) {
            return Err(Error::UnknownClass {
                class: (*class).to_string(),
                known: join_names(names.iter().map(String::as_str)),
            });
        }
        let is_positive = |name: &String| positive.contains(&name.as_str());
        let rest: Vec<&str> = names
            .iter()
            .filter(|n| !is_positive(n))
            .map(String::as_str)
            .collect();
        let negative = match rest[..] {
            [only] => only.to_string(),
            _ => "rest".to_string(),
        };
        let labels = labels
            .iter()
            .map(|&label| usize::from(is_positive(&names[label])))
            .collect();
        let target = Target::Classes {
            names: vec![negative, positive.join("+")],
            labels,
        };
        Self::new(self.table, target)
    }

    pub(crate) fn into_parts(self) -> (Table, Target) {
        (self.table, self.target)
    }
}

fn check_labels(table: &Table, names: &[String], labels: &[usize]) -> Result<(), Error> {
    let mut rows = vec![0; names.len()];
    for (sample, &label) in labels.iter().enumerate() {
        *rows.get_mut(label).ok_or_else(|| Error::LabelOutOfRange {
            sample: table.sample_names[sample].clone(),
            label,
            classes: names.len(),
        })? += 1;
    }
    check_unique("class", names)?;
    if names.len() < 2 {
        return Err(Error::TooFewClasses(names.len()));
    }
    for (class, &rows) in names.iter().zip(&rows) {
        if rows < 2 {
            return Err(Error::ClassTooSmall {
                class: class.clone(),
                rows,
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

    fn classes(names: &[&str], labels: &[usize]) -> Target {
        Target::Classes {
            names: names.iter().map(|n| n.to_string()).collect(),
            labels: labels.to_vec(),
        }
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
    fn labels_are_checked() {
        let t = table(&[1.0, 2.0, 3.0, 4.0], 4);
        let fails = |target| Dataset::new(t.clone(), target).unwrap_err().to_string();
        assert_eq!(
            fails(classes(&["a", "b"], &[0, 1, 1])),
            "expected 4 target values, one per sample, got 3"
        );
        assert_eq!(
            fails(classes(&["a", "b"], &[0, 1, 1, 2])),
            "the label of sample 's4' is class number 2, but only 2 classes are named"
        );
        assert_eq!(
            fails(classes(&["a", "b"], &[0, 1, 1, 1])),
            "class 'a' has 1 row(s); every class needs at least two"
        );
        assert_eq!(
            fails(classes(&["a"], &[0, 0, 0, 0])),
            "the target needs at least two classes, found 1"
        );
        assert_eq!(
            fails(Target::Values(vec![1.0, 2.0, f64::INFINITY, 0.0])),
            "the target of sample 's3' is inf; it must be a finite number"
        );
        assert_eq!(
            fails(Target::Values(vec![2.0; 4])),
            "the target is 2 for every sample; there is nothing to predict"
        );
    }

    #[test]
    fn one_class_can_stand_against_the_rest() {
        let t = table(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 6);
        let data = Dataset::new(t, classes(&["a", "b", "c"], &[0, 1, 2, 0, 1, 2])).unwrap();
        let against = data.clone().one_against_rest(&["b"]).unwrap();
        assert_eq!(
            against.target(),
            &classes(&["rest", "b"], &[0, 1, 0, 0, 1, 0])
        );
        let error = data.one_against_rest(&["z"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no class 'z'; the classes are 'a', 'b', 'c'"
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
}
