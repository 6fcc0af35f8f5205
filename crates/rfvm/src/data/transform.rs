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
        if let Some(at) = self.values().iter().position(|&value| value <= -1.0) {
            return Err(Error::NoLogarithm {
                feature: self.feature_names()[at / self.samples()].to_owned(),
                sample: self.sample_names()[at % self.samples()].clone(),
                value: self.values()[at],
            });
        }
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
    let column = table.feature(d);
    match transform {
        Transform::None => Ok(column.to_vec()),
        Transform::Log2 => match column.iter().position(|&value| value <= -1.0) {
            Some(n) => Err(Error::NoLogarithm {
                feature: table.feature_names()[d].to_owned(),
                sample: table.sample_names()[n].clone(),
                value: column[n],
            }),
            None => Ok(column.iter().map(|&value| transform.apply(value)).collect()),
        },
    }
}
