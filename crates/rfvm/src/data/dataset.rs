//! Checked input with a target: what a fit takes.

use super::attached::Attached;
use super::table::{Table, check_unique};
use crate::error::{Error, join_names};

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Classes: two, or more of them in a model of several (`MulticlassModel`).
    Classification,
    /// A number: y is observed.
    Regression,
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

/// A table with a target that has been checked against it, and what else is known of its rows and features: weights,
/// groups, costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    table: Table,
    target: Target,
    pub(crate) attached: Attached,
}

impl Dataset {
    /// Checks the target: one entry per sample; at least two classes with at least two rows each (of more than two classes,
    /// two such), or finite numbers that vary.
    pub fn new(table: Table, target: Target) -> Result<Self, Error> {
        target.check(&table)?;
        match &target {
            Target::Classes { names, labels } => check_enough(names, labels)?,
            Target::Values(values) => {
                if values.iter().all(|&value| value == values[0]) {
                    return Err(Error::TargetConstant { value: values[0] });
                }
            }
        }
        Ok(Self {
            table,
            target,
            attached: Attached::default(),
        })
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
        self.target.labels()
    }

    /// A copy that holds the given rows, in the given order, with their weights and groups, and with its target checked
    /// again.
    pub fn rows(&self, rows: &[usize]) -> Result<Self, Error> {
        let table = self.table.rows(rows)?;
        let target = match &self.target {
            Target::Classes { names, labels } => Target::Classes {
                names: names.clone(),
                labels: rows.iter().map(|&n| labels[n]).collect(),
            },
            Target::Values(values) => Target::Values(rows.iter().map(|&n| values[n]).collect()),
        };
        Ok(Self {
            attached: self.attached.rows(rows),
            ..Self::new(table, target)?
        })
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
        Ok(Self {
            attached: self.attached,
            ..Self::new(self.table, target)?
        })
    }

    pub(crate) fn into_parts(self) -> (Table, Target, Attached) {
        (self.table, self.target, self.attached)
    }
}

impl Target {
    /// The class of every sample as a position in the class names; empty in a regression.
    pub fn labels(&self) -> &[usize] {
        match self {
            Self::Classes { labels, .. } => labels,
            Self::Values(_) => &[],
        }
    }

    /// What must be true of any target of a table: one entry a sample, labels of named classes, finite numbers.
    pub(super) fn check(&self, table: &Table) -> Result<(), Error> {
        let got = match self {
            Self::Classes { labels, .. } => labels.len(),
            Self::Values(values) => values.len(),
        };
        if got != table.samples() {
            return Err(Error::Length {
                what: "target values, one per sample",
                expected: table.samples(),
                got,
            });
        }
        let sample = |at: usize| table.sample_names()[at].clone();
        match self {
            Self::Classes { names, labels } => {
                if let Some(at) = labels.iter().position(|&label| label >= names.len()) {
                    return Err(Error::LabelOutOfRange {
                        sample: sample(at),
                        label: labels[at],
                        classes: names.len(),
                    });
                }
                check_unique("class", names.iter().map(String::as_str))?;
                match names.len() {
                    count @ 0..2 => Err(Error::TooFewClasses(count)),
                    _ => Ok(()),
                }
            }
            Self::Values(values) => match values.iter().position(|value| !value.is_finite()) {
                Some(at) => Err(Error::TargetNotFinite {
                    sample: sample(at),
                    value: values[at],
                }),
                None => Ok(()),
            },
        }
    }
}

/// What a fit needs: two classes of two rows each. Of more than two classes some may be rarer: they share in what the
/// others teach, and a class that some of the rows happen to lack is only an unlikely one.
fn check_enough(names: &[String], labels: &[usize]) -> Result<(), Error> {
    let mut small = names.iter().enumerate().filter_map(|(at, class)| {
        let rows = labels.iter().filter(|&&label| label == at).count();
        (rows < 2).then_some((class, rows))
    });
    match small.nth(names.len().saturating_sub(2)) {
        None => Ok(()),
        Some((class, rows)) => Err(Error::ClassTooSmall {
            class: class.clone(),
            rows,
        }),
    }
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
    fn of_several_classes_two_need_two_rows() {
        let t = table(&[1.0, 2.0, 3.0, 4.0, 5.0], 5);
        let data = |labels| Dataset::new(t.clone(), classes(&["a", "b", "c"], labels));
        data(&[0, 1, 2, 0, 1]).unwrap();
        data(&[0, 1, 1, 0, 1]).unwrap();
        let refused = data(&[0, 1, 2, 0, 0]).unwrap_err().to_string();
        assert_eq!(
            refused,
            "class 'c' has 1 row(s); every class needs at least two"
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
}
