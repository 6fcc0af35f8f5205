//! Rows with a target to judge a model on.

use super::dataset::Target;
use super::fingerprint::fingerprint;
use super::table::Table;
use crate::error::Error;

/// Rows with a target that a model is judged on. Unlike a [`crate::Dataset`] they need not suffice for a fit: a class may
/// have one row or none, and numbers need not vary.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledRows {
    table: Table,
    target: Target,
    groups: Option<Vec<usize>>,
}

impl LabelledRows {
    /// Checks that there is one entry per sample, of a named class or a finite number. Samples of one group hang together.
    pub fn new(table: Table, target: Target, groups: Option<Vec<usize>>) -> Result<Self, Error> {
        target.check(&table)?;
        match groups.as_ref().map(Vec::len) {
            Some(got) if got != table.samples() => Err(Error::Length {
                what: "groups, one per sample",
                expected: table.samples(),
                got,
            }),
            _ => Ok(Self {
                table,
                target,
                groups,
            }),
        }
    }

    /// The numbers and names.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The group of each row, where there are groups.
    pub fn groups(&self) -> Option<&[usize]> {
        self.groups.as_deref()
    }

    /// As [`crate::Dataset::fingerprint`].
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.table, &self.target)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Dataset;

    #[test]
    fn one_class_is_enough_and_what_is_no_target_is_not() {
        let table = Table::unnamed(vec![1.0, 2.0, 3.0, 4.0], 4).unwrap();
        let classes = |labels: &[usize]| Target::Classes {
            names: vec!["a".to_string(), "b".to_string()],
            labels: labels.to_vec(),
        };
        let of = |target, groups| LabelledRows::new(table.clone(), target, groups);
        assert!(of(classes(&[1; 4]), None).is_ok());
        assert!(of(Target::Values(vec![2.0; 4]), None).is_ok());
        for (target, groups) in [
            (classes(&[1; 3]), None),
            (classes(&[0, 1, 2, 0]), None),
            (Target::Values(vec![f64::NAN; 4]), None),
            (classes(&[0; 4]), Some(vec![0; 3])),
        ] {
            assert!(of(target, groups).is_err());
        }
        let enough = classes(&[0, 1, 1, 0]);
        let data = Dataset::new(table.clone(), enough.clone()).unwrap();
        assert_eq!(of(enough, None).unwrap().fingerprint(), data.fingerprint());
    }
}
