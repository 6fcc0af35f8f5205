//! Standardising: mean 0 and standard deviation 1 per feature, learned on the training rows alone.

use serde::{Deserialize, Serialize};

use super::table::Table;
use crate::error::Error;
use crate::numerics::parallel::side_by_side;
use crate::numerics::stats::median;

/// The mean and standard deviation (divisor N) of one feature on the training rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Mean over the training rows (of the bent values, where they are bent).
    pub mean: f64,
    /// Standard deviation over the training rows (likewise).
    pub sd: f64,
    /// How the tails are bent before that; `None`: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<Bend>,
}

/// asinh((value - centre) / unit): a straight line near the centre, a logarithm far from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bend {
    /// Median over the training rows.
    pub centre: f64,
    /// Three times the median distance from the centre, which is two standard deviations of a normal feature.
    pub unit: f64,
}

impl Bend {
    /// `None` where all values are the same. Where more than half of them are (counts that are mostly zero), the
    /// mean distance from the centre stands in for the median one.
    fn of(values: &[f64]) -> Option<Self> {
        // In a unit of their own size, so that no sum or difference of them overflows.
        let size = power_of_two(largest(values));
        let mut sorted: Vec<f64> = values.iter().map(|value| value / size).collect();
        let centre = median(&mut sorted)?;
        // In the order of the rows again, so that their sum is too.
        sorted.clear();
        sorted.extend(values.iter().map(|value| (value / size - centre).abs()));
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        let least = 1e-12 * centre.abs();
        let distance = median(&mut sorted).filter(|&distance| distance > least);
        let unit = (3.0 * distance.unwrap_or(mean) * size).min(f64::MAX);
        let centre = centre * size;
        (unit > 0.0 && unit.is_finite()).then_some(Self { centre, unit })
    }

    fn apply(&self, value: f64) -> f64 {
        distance(value, self.centre, self.unit).asinh()
    }
}

/// So many units of rounding apart values are still taken for one: sums in another order, or a unit and back, differ by so much.
const ROUNDINGS: f64 = 16.0;

/// Whether all values are the same to within rounding: they differ by no more than double precision leaves of the largest.
/// Gaps count for nothing.
pub fn is_constant(values: &[f64]) -> bool {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let known = values.iter().filter(|value| !value.is_nan());
    let (low, high) = known.fold(ends, |(low, high), &value| {
        (low.min(value), high.max(value))
    });
    // Halves, because the distance of the two ends of the range is too large for a number.
    let least = f64::from_bits(1);
    let rounding = (f64::EPSILON * low.abs().max(high.abs())).max(least);
    low >= high || 0.5 * high - 0.5 * low <= 0.5 * ROUNDINGS * rounding
}

/// (value - origin) / unit, also where the difference alone is too large for a number.
fn distance(value: f64, origin: f64, unit: f64) -> f64 {
    let gap = value - origin;
    match gap.is_infinite() {
        true => value / unit - origin / unit,
        false => gap / unit,
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |max, value| value.abs().max(max))
}

/// The power of two at or below a positive number; 1 for what has none.
fn power_of_two(value: f64) -> f64 {
    let power = f64::from_bits(value.to_bits() & 0x7ff0_0000_0000_0000);
    // Of a number without an exponent of its own: the least that has one.
    if power > 0.0 {
        power
    } else {
        f64::MIN_POSITIVE
    }
}

/// How features are brought to a common scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// Mean 0 and standard deviation 1.
    Plain,
    /// The same after bending the tails, so that a few extreme values (counts, intensities) do not set the scale.
    Robust,
}

impl Scale {
    /// The scale of a feature, or `None` where it is constant to within rounding ([`is_constant`]).
    pub fn of(values: &[f64]) -> Option<Self> {
        if is_constant(values) {
            return None;
        }
        // In units of a power of two, which costs no digit, so that squares neither overflow nor vanish.
        let unit = power_of_two(largest(values));
        let n = values.len() as f64;
        // Around the first value rather than zero: a large common offset then costs no digits.
        let origin = *values.first()? / unit;
        let scaled = || values.iter().map(|value| value / unit);
        let mean = origin + scaled().map(|value| value - origin).sum::<f64>() / n;
        let variance = scaled().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        let sd = (unit * variance.sqrt()).min(f64::MAX);
        (sd > 0.0 && sd.is_finite()).then_some(Self {
            mean: unit * mean,
            sd,
            bend: None,
        })
    }

    /// The scale of a feature after bending its tails; `None` where it is constant.
    pub fn robust(values: &[f64]) -> Option<Self> {
        // A feature constant to within rounding would be blown up by its own rounding.
        Self::of(values)?;
        let bend = Bend::of(values)?;
        let bent: Vec<f64> = values.iter().map(|&value| bend.apply(value)).collect();
        let scale = Self::of(&bent)?;
        Some(Self {
            bend: Some(bend),
            ..scale
        })
    }

    /// (value - mean) / sd, bent before where that was learned.
    pub fn apply(&self, value: f64) -> f64 {
        let value = self.bend.map_or(value, |bend| bend.apply(value));
        distance(value, self.mean, self.sd)
    }

    /// The value that [`Self::apply`] makes this of.
    pub(crate) fn invert(&self, scaled: f64) -> f64 {
        let value = self.mean + self.sd * scaled;
        self.bend
            .map_or(value, |bend| bend.centre + bend.unit * value.sinh())
    }
}

/// The scales of many features, in no more room than they need: a million of them weigh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scales {
    mean_and_sd: Vec<[f64; 2]>,
    /// Of every feature, or of none.
    bends: Vec<Bend>,
}

impl Scales {
    fn with_capacity(features: usize, scaling: Scaling) -> Self {
        let bends = match scaling {
            Scaling::Plain => 0,
            Scaling::Robust => features,
        };
        Self {
            mean_and_sd: Vec::with_capacity(features),
            bends: Vec::with_capacity(bends),
        }
    }

    fn push(&mut self, scale: Scale) {
        self.mean_and_sd.push([scale.mean, scale.sd]);
        self.bends.extend(scale.bend);
    }

    /// The d-th feature standardised once more: what is scaled now is (it - mean) / sd.
    pub(crate) fn refine(&mut self, d: usize, mean: f64, sd: f64) {
        let [own_mean, own_sd] = &mut self.mean_and_sd[d];
        *own_mean += *own_sd * mean;
        *own_sd *= sd;
    }

    /// Drops all but these.
    pub(crate) fn keep(&mut self, features: &[usize]) {
        self.mean_and_sd = features.iter().map(|&d| self.mean_and_sd[d]).collect();
        if !self.bends.is_empty() {
            self.bends = features.iter().map(|&d| self.bends[d]).collect();
        }
    }

    /// The scale of the d-th feature.
    pub(crate) fn get(&self, d: usize) -> Scale {
        let [mean, sd] = self.mean_and_sd[d];
        Scale {
            mean,
            sd,
            bend: self.bends.get(d).copied(),
        }
    }
}

/// A scale for every feature that varies; the constant ones are set aside and can be reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Standardizer {
    kept: Vec<usize>,
    scales: Scales,
    constant: Vec<usize>,
}

impl Standardizer {
    /// Learns the scales from a table of training rows.
    pub fn fit(table: &Table, scaling: Scaling) -> Result<Self, Error> {
        Self::fit_on(1, table, scaling)
    }

    /// The same on so many threads.
    pub(crate) fn fit_on(threads: usize, table: &Table, scaling: Scaling) -> Result<Self, Error> {
        let scale_of = match scaling {
            Scaling::Plain => Scale::of,
            Scaling::Robust => Scale::robust,
        };
        let mut scales = Scales::with_capacity(table.features(), scaling);
        let (mut kept, mut constant) = (Vec::with_capacity(table.features()), Vec::new());
        let features = table.features();
        let part = features.div_ceil(threads).max(1);
        let found = side_by_side((0..features).step_by(part), |from| {
            let part = from..(from + part).min(features);
            part.map(|d| scale_of(table.feature(d))).collect::<Vec<_>>()
        });
        for (d, scale) in found.into_iter().flatten().enumerate() {
            match scale {
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
    pub fn scales(&self) -> impl Iterator<Item = Scale> + '_ {
        (0..self.kept.len()).map(|d| self.scales.get(d))
    }

    pub(crate) fn into_scales(self) -> Scales {
        self.scales
    }

    /// Standardises in place and moves the kept features together: no second copy of the data is made.
    pub(crate) fn apply_in_place(&self, threads: usize, values: &mut Vec<f64>, samples: usize) {
        for (to, &from) in self.kept.iter().enumerate() {
            if to != from {
                values.copy_within(from * samples..(from + 1) * samples, to * samples);
            }
        }
        values.truncate(self.kept.len() * samples);
        let part = self.kept.len().div_ceil(threads).max(1);
        let parts = values.chunks_mut(part * samples).enumerate();
        side_by_side(parts, |(at, columns)| {
            for (d, column) in columns.chunks_exact_mut(samples).enumerate() {
                let scale = self.scales.get(at * part + d);
                for value in column {
                    *value = scale.apply(*value);
                }
            }
        });
    }
}

/// The scale as it comes back from a file.
pub(crate) fn in_single_precision(scale: Scale) -> Scale {
    let round = |value: f64| match value == 0.0 || (value as f32).is_normal() {
        true => f64::from(value as f32),
        // A unit that single precision does not reach is kept in double.
        false => value,
    };
    Scale {
        mean: scale.bend.map_or(scale.mean, |_| round(scale.mean)),
        sd: round(scale.sd),
        bend: scale.bend.map(|bend| Bend {
            unit: round(bend.unit),
            ..bend
        }),
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
        let standardizer = Standardizer::fit(&table, Scaling::Plain).unwrap();
        assert_eq!(standardizer.kept(), [0, 2]);
        assert_eq!(standardizer.constant(), [1]);
        let mut scaled = values;
        standardizer.apply_in_place(1, &mut scaled, 3);
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
    fn what_varies_is_told_from_rounding_at_any_size() {
        let around = |centre: f64, step: f64| -> Vec<f64> {
            (0..12).map(|i| centre + step * f64::from(i % 3)).collect()
        };
        let least = f64::from_bits(1);
        for (centre, step) in [
            (1e15, 7.0),
            (1e300, 1e299),
            (-8.9e307, 8.9e307),
            (0.0, 1e-310),
            (0.0, 300.0 * least),
            (1.0, 1e-14),
        ] {
            let values = around(centre, step);
            assert!(!is_constant(&values), "{centre} {step}");
            for scale in [Scale::of(&values), Scale::robust(&values)] {
                let scale = scale.unwrap();
                let scaled: Vec<f64> = values.iter().map(|&value| scale.apply(value)).collect();
                let square = scaled.iter().map(|v| v * v).sum::<f64>() / 12.0;
                assert!((square - 1.0).abs() < 0.05, "{centre} {step}: {square}");
            }
        }
        for (centre, step) in [
            (1e15, 0.0),
            (0.1, 1e-17),
            (1e300, 1e284),
            (0.0, 0.0),
            (3.0, 4e-16),
        ] {
            assert!(is_constant(&around(centre, step)), "{centre} {step}");
        }
        let ends: Vec<f64> = (0..12)
            .map(|i| if i % 2 == 0 { f64::MIN } else { f64::MAX })
            .collect();
        for scale in [Scale::of(&ends), Scale::robust(&ends)] {
            let scaled = ends.iter().map(|&end| scale.unwrap().apply(end).abs());
            assert!(scaled.into_iter().all(|end| (end - 1.0).abs() < 1e-9));
        }
        assert!(is_constant(&[f64::NAN, 2.0, f64::NAN, 2.0]) && is_constant(&[f64::NAN]));
        assert!(!is_constant(&[f64::NAN, 2.0, 3.0]));
    }

    #[test]
    fn a_table_without_variation_is_refused() {
        let table = Table::unnamed(vec![0.1; 30], 10).unwrap();
        let error = Standardizer::fit(&table, Scaling::Plain).unwrap_err();
        assert_eq!(
            error.to_string(),
            "all 3 features are constant on the training rows; nothing is left to fit"
        );
    }

    #[test]
    fn bent_tails_do_not_set_the_scale() {
        // Half zeros and one huge count: plainly scaled, all but the huge one would be next to equal.
        let counts = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 1e6];
        let spread = |scale: &Scale| scale.apply(3.0) - scale.apply(0.0);
        let (plain, robust) = (Scale::of(&counts).unwrap(), Scale::robust(&counts).unwrap());
        assert!(spread(&plain) < 1e-4 && spread(&robust) > 0.3, "{robust:?}");
        // Near the centre a feature keeps its shape.
        let even: Vec<f64> = (-50..=50).map(f64::from).collect();
        let scale = Scale::robust(&even).unwrap();
        let (one, ten) = (scale.apply(1.0), scale.apply(10.0));
        assert!((ten / one - 10.0).abs() < 0.1, "{one} {ten}");
        assert_eq!(Scale::robust(&[2.5; 9]), None);
    }
}
