//! What is done to every raw value first.

use serde::{Deserialize, Serialize};

use super::table::Table;
use crate::error::Error;

/// What is done to every raw value before anything else, in the fit and in every prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Nothing.
    None,
    /// log2(1 + x), for counts and raw intensities; x must be above -1.
    Log2,
}

impl Transform {
    /// Of one raw value; a missing one stays missing.
    pub fn apply(self, value: f64) -> f64 {
        match self {
            Self::None => value,
            // log2(1 + x)
            Self::Log2 => value.ln_1p() * std::f64::consts::LOG2_E,
        }
    }
}

impl Table {
    /// Takes log2(1 + x) of every value; missing ones stay missing.
    pub(crate) fn take_log2(&mut self) -> Result<(), Error> {
        (0..self.features()).try_for_each(|d| check_log2(self, d))?;
        self.values_mut()
            .iter_mut()
            .for_each(|value| *value = Transform::Log2.apply(*value));
        Ok(())
    }
}

/// One feature's values as the model sees them.
pub(crate) fn transformed(
    table: &Table,
    d: usize,
    transform: Transform,
) -> Result<Vec<f64>, Error> {
    if transform == Transform::Log2 {
        check_log2(table, d)?;
    }
    let column = table.feature(d).iter();
    Ok(column.map(|&value| transform.apply(value)).collect())
}

/// Names a value of the feature that has no logarithm.
fn check_log2(table: &Table, d: usize) -> Result<(), Error> {
    let column = table.feature(d);
    match column.iter().position(|&value| value <= -1.0) {
        Some(n) => Err(Error::NoLogarithm {
            feature: table.feature_names()[d].to_owned(),
            sample: table.sample_names()[n].clone(),
            value: column[n],
        }),
        None => Ok(()),
    }
}
