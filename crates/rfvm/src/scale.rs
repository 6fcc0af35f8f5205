//! Standardising: mean 0 and standard deviation 1 per feature, learned on the training rows alone.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::table::Table;

/// The mean and standard deviation (divisor N) of one feature on the training rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Mean over the training rows.
    pub mean: f64,
    /// Standard deviation over the training rows.
    pub sd: f64,
}

impl Scale {
    /// The scale of a feature, or `None` where it is constant to within rounding.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        // Around the first value rather than zero: a large common offset then costs no digits.
        let origin = *values.first()?;
        let mean = origin + values.iter().map(|value| value - origin).sum::<f64>() / n;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / n;
        let sd = variance.sqrt();
        let largest = values
            .iter()
            .fold(0.0, |max: f64, value| max.max(value.abs()));
        (sd > 1e-12 * largest && sd.is_normal()).then_some(Self { mean, sd })
    }

    /// (value - mean) / sd
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }
}

/// A scale for every feature that varies; the constant ones are set aside and can be reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Standardizer {
    kept: Vec<usize>,
    scales: Vec<Scale>,
    constant: Vec<usize>,
}

impl Standardizer {
    /// Learns the scales from a table of training rows.
    pub fn fit(table: &Table) -> Result<Self, Error> {
        let (mut kept, mut scales, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for d in 0..table.features() {
            match Scale::of(table.feature(d)) {
                Some(scale) => {
                    kept.push(d);
                    scales.push(scale);
                }
                None => constant.push(d),
            }
        }
        if kept.is_empty() {
            return Err(Error::AllConstant(table.features()));
        }
        Ok(Self {
            kept,
            scales,
            constant,
        })
    }

    /// Positions of the features that vary.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// Positions of the features that were constant on the training rows.
    pub fn constant(&self) -> &[usize] {
        &self.constant
    }

    /// The scales of the kept features, in order.
    pub fn scales(&self) -> &[Scale] {
        &self.scales
    }

    /// Standardises in place and moves the kept features together: no second copy of the data is made.
    pub(crate) fn apply_in_place(&self, values: &mut Vec<f64>, samples: usize) {
        for (to, (&from, scale)) in self.kept.iter().zip(&self.scales).enumerate() {
            values.copy_within(from * samples..(from + 1) * samples, to * samples);
            for value in &mut values[to * samples..(to + 1) * samples] {
                *value = scale.apply(*value);
            }
        }
        values.truncate(self.kept.len() * samples);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn constant_features_are_set_aside_and_the_rest_have_unit_variance() {
        let values = vec![1.0, 2.0, 6.0, 5.0, 5.0, 5.0, 1e9, 1e9 + 1.0, 1e9 + 5.0];
        let table = Table::unnamed(values.clone(), 3).unwrap();
        let standardizer = Standardizer::fit(&table).unwrap();
        assert_eq!(standardizer.kept(), [0, 2]);
        assert_eq!(standardizer.constant(), [1]);
        let mut scaled = values;
        standardizer.apply_in_place(&mut scaled, 3);
        assert_eq!(scaled.len(), 6);
        for feature in scaled.chunks(3) {
            assert!(feature.iter().sum::<f64>().abs() < 1e-14);
            assert!((feature.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-14);
        }
        // A shift by 1e9 leaves the standardised values what they were.
        for (a, b) in scaled[..3].iter().zip(&scaled[3..]) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }

    #[test]
    fn a_table_without_variation_is_refused() {
        let table = Table::unnamed(vec![0.1; 30], 10).unwrap();
        let error = Standardizer::fit(&table).unwrap_err();
        assert_eq!(
            error.to_string(),
            "all 3 features are constant on the training rows; nothing is left to fit"
        );
    }
}
