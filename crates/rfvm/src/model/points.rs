//! A score of whole points: what can be added up at a bedside, at the cost of a little of the model.

use serde::Serialize;

use super::predict::Model;
use crate::data::{Scale, Table, Task, Transform};
use crate::error::Error;
use crate::numerics::special::sigmoid;
use crate::posterior::moments::moderation;

/// Features that a score to be added up has at most.
const MOST: usize = 200;
/// Points of one standard deviation of the heaviest feature.
const POINTS: f64 = 2.0;
/// Standard deviations to each side where the training range of a feature is not known, and the most in any case.
const REACH: f64 = 3.0;

/// Values of a feature that get the same points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointBand {
    /// From this value, in the units of the table; `None`: from below all.
    pub from: Option<f64>,
    /// To below this one; `None`: to above all.
    pub to: Option<f64>,
    /// What they get.
    pub points: i64,
}

/// The points of a feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointFeature {
    /// Its name.
    pub name: String,
    /// What takes the place of a missing value, in the units of the table; `None`: a missing value is an error.
    pub median: Option<f64>,
    /// Its values from the lowest to the highest.
    pub bands: Vec<PointBand>,
}

/// What a number of points means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PointTotal {
    /// The sum of the points.
    pub points: i64,
    /// Probability of the positive class, or the value of a regression.
    pub predicted: f64,
}

/// A score of whole points. One point is half a standard deviation of the heaviest feature, every other feature is rounded to
/// such points, and the lowest band of each has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointScore {
    /// What one point adds to the latent score, or to a regression's value.
    pub unit: f64,
    /// The features, heaviest first.
    pub features: Vec<PointFeature>,
    /// Features whose whole range is worth less than a point.
    pub left_out: Vec<String>,
    /// What every sum means. The uncertainty that moderates a probability is that of a typical sample here.
    pub totals: Vec<PointTotal>,
}

impl PointFeature {
    /// The points of a value.
    fn points(&self, value: f64) -> i64 {
        let value = self.median.filter(|_| value.is_nan()).unwrap_or(value);
        let band = self
            .bands
            .iter()
            .find(|band| band.to.is_none_or(|to| value < to));
        band.map_or(0, |band| band.points)
    }
}

impl PointScore {
    /// The points of every row.
    pub fn of(&self, table: &Table) -> Result<Vec<i64>, Error> {
        let names: Vec<String> = self.features.iter().map(|f| f.name.clone()).collect();
        let mut totals = vec![0; table.samples()];
        for (feature, d) in self.features.iter().zip(table.find_features(&names)?) {
            for (total, &value) in totals.iter_mut().zip(table.feature(d)) {
                *total += feature.points(value);
            }
        }
        Ok(totals)
    }

    /// What that many points mean.
    pub fn predicted(&self, points: i64) -> Option<f64> {
        let at = self.totals.iter().find(|total| total.points == points);
        at.map(|total| total.predicted)
    }
}

impl Model {
    /// Refuses a model that nobody can compute by hand: one of more than 200 features, or of none.
    pub fn check_by_hand(&self) -> Result<(), Error> {
        match self.feature_count() {
            1..=MOST => Ok(()),
            count => Err(Error::ByHand(count)),
        }
    }

    /// Its score rounded to whole points; a model of more than 200 features, or of none, has none.
    pub fn point_score(&self) -> Result<PointScore, Error> {
        self.check_by_hand()?;
        let transform = self.parameters.preprocessing.transform;
        let share = 1.0 / self.signatures.len() as f64;
        let (mut base, mut variance) = (0.0, 0.0);
        let mut weighed = Vec::new();
        for signature in &self.signatures {
            let moments = &signature.moments;
            base += share * moments.b;
            let spread: f64 = moments.weight_sd().iter().map(|sd| sd * sd).sum();
            variance += share * (spread + moments.b_var + moments.noise);
            let weights = moments.weights().into_iter().map(|weight| share * weight);
            weighed.extend(signature.features.iter().zip(weights));
        }
        weighed.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        let unit = weighed[0].1.abs() / POINTS;
        if !(unit > 0.0 && unit.is_finite()) {
            return Err(Error::ByHand(0));
        }
        let (mut features, mut left_out, mut most) = (Vec::new(), Vec::new(), 0);
        for (feature, weight) in weighed {
            let raw = |x: f64| in_table_units(&feature.scale, transform, x);
            let range = feature.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            let ends = range.map(|end| feature.scale.apply(end).clamp(-REACH, REACH));
            let steep = weight / unit;
            let ends = ends.map(|x| (steep * x).round() as i64);
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if low == high {
                left_out.push(feature.name.clone());
                // What it would have at its centre stays out of the sum.
                continue;
            }
            // Half way between two points, from the lowest value to the highest.
            let mut edges: Vec<f64> = (low..high).map(|j| (j as f64 + 0.5) / steep).collect();
            edges.sort_by(f64::total_cmp);
            let edges: Vec<f64> = edges
                .iter()
                .map(|&x| rounded(raw(x), raw(x + 0.02)))
                .collect();
            let count = edges.len();
            let bands = (0..=count).map(|at| PointBand {
                from: at.checked_sub(1).map(|before| edges[before]),
                to: edges.get(at).copied(),
                points: if steep > 0.0 { at } else { count - at } as i64,
            });
            base += unit * low as f64;
            most += high - low;
            features.push(PointFeature {
                name: feature.name.clone(),
                median: feature
                    .median
                    .map(|median| untransformed(transform, median)),
                bands: bands.collect(),
            });
        }
        let predicted = |points: i64| {
            let latent = base + unit * points as f64;
            match self.task {
                Task::Classification => {
                    sigmoid(self.correction.apply(latent / moderation(variance)))
                }
                Task::Regression => self.in_units_of_target(latent, variance).0,
            }
        };
        Ok(PointScore {
            unit: match self.task {
                Task::Classification => unit,
                Task::Regression => {
                    self.in_units_of_target(unit, 0.0).0 - self.in_units_of_target(0.0, 0.0).0
                }
            },
            features,
            left_out,
            totals: (0..=most)
                .map(|points| PointTotal {
                    points,
                    predicted: predicted(points),
                })
                .collect(),
        })
    }
}

/// The value in a table that is standardised to this.
fn in_table_units(scale: &Scale, transform: Transform, x: f64) -> f64 {
    untransformed(transform, scale.invert(x))
}

/// The value that [`Transform::apply`] makes this of.
fn untransformed(transform: Transform, value: f64) -> f64 {
    match transform {
        Transform::None => value,
        Transform::Log2 => (value * std::f64::consts::LN_2).exp_m1(),
    }
}

/// A cut-point with no more digits than matter: to a power of ten no larger than the way to the other value.
fn rounded(value: f64, other: f64) -> f64 {
    let grain = 10.0_f64.powf((other - value).abs().log10().floor());
    match grain > 0.0 && grain.is_finite() {
        // Divided by a whole number where it can be: 0.3 and not 0.30000000000000004.
        true if grain < 1.0 => (value * (1.0 / grain).round()).round() / (1.0 / grain).round(),
        true => (value / grain).round() * grain,
        false => value,
    }
}
