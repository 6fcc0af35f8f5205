//! How new rows differ from those that a model was trained on, feature by feature.

use serde::{Deserialize, Serialize};

use crate::data::transform::transformed;
use crate::data::{Scale, Table};
use crate::error::Error;
use crate::model::{Extrapolation, Model};
use crate::numerics::stats::{mean_and_sd, median};
use crate::posterior::signature::{Feature, Signature};

/// Features that are named at most: those of a full model can be a million.
const MOST: usize = 10_000;

/// How a feature of the model differs from its training. Shift and spread are on the model's own scale, on which the training
/// rows have mean 0 and standard deviation 1 (tails bent, where they were for the fit): what the model sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureShift {
    /// Name of the feature.
    pub name: String,
    /// Its weight in the model.
    pub weight: f64,
    /// Standardised mean difference: mean of the new rows, less that of the training rows, in the latter's deviations.
    pub shift: f64,
    /// Ratio of spreads: standard deviation of the new rows over that of the training rows; `None` of a single row.
    pub spread: Option<f64>,
    /// The share of rows outside the training rows' range; `None` where the model does not know that.
    pub outside: Option<f64>,
    /// The centre of the training rows: their median, or their mean where tails are not bent.
    pub training_centre: f64,
    /// Median of the new rows.
    pub median: f64,
    /// What the shift adds to the mean score.
    pub moves_score: f64,
    /// Values that are missing, which the model fills in and which count for nothing here.
    pub missing: usize,
}

/// How many rows are unlike all that the model was trained on ([`crate::Extrapolation`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnlikeRows {
    /// Rows that are so in any way.
    pub rows: usize,
    /// Rows with a value beyond an end of its training range by more than half the range's width.
    pub far: usize,
    /// Rows whose score is more uncertain than that of any training row.
    pub uncertain: usize,
}

impl UnlikeRows {
    pub(super) fn of(rows: &[Extrapolation]) -> Self {
        let count = |is: &dyn Fn(&Extrapolation) -> bool| rows.iter().filter(|row| is(row)).count();
        Self {
            rows: count(&|row| !row.is_none()),
            far: count(&|row| row.far > 0),
            uncertain: count(&|row| row.uncertain),
        }
    }
}

/// The features of a model, the most shifted first; of very many, the first 10,000.
pub(super) fn shifts(model: &Model, table: &Table) -> Result<Vec<FeatureShift>, Error> {
    let positions = table.find_features(&model.needed_features())?;
    let features = model.signatures().iter().flat_map(Signature::features);
    let transform = model.parameters().preprocessing.transform;
    let mut found = Vec::with_capacity(positions.len());
    for (feature, d) in features.zip(positions) {
        let values = transformed(table, d, transform)?;
        // The score of a committee is the mean of its signatures' scores.
        let share = 1.0 / model.signatures().len() as f64;
        found.extend(shift(feature, &values, share));
    }
    found.sort_by(|a, b| b.shift.abs().total_cmp(&a.shift.abs()));
    found.truncate(MOST);
    Ok(found)
}

/// `None` where no row has a value; the share is the feature's signature's in the score.
fn shift(feature: &Feature, values: &[f64], share: f64) -> Option<FeatureShift> {
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let scaled: Vec<f64> = known.iter().map(|&v| feature.scale.apply(v)).collect();
    let (mean, sd) = mean_and_sd(&scaled);
    let outside = feature.range.map(|[low, high]| {
        let beyond = known.iter().filter(|&&v| v < low || v > high).count();
        beyond as f64 / known.len() as f64
    });
    let Scale {
        bend, mean: own, ..
    } = feature.scale;
    Some(FeatureShift {
        name: feature.name.clone(),
        weight: feature.weight,
        shift: mean,
        spread: (known.len() > 1).then_some(sd),
        outside,
        training_centre: bend.map_or(own, |bend| bend.centre),
        missing: values.len() - known.len(),
        moves_score: share * feature.weight * mean,
        median: median(&mut known.clone())?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_in_units_of_the_training_and_gaps_count_for_nothing() {
        let feature = Feature {
            name: "g".to_string(),
            scale: Scale {
                mean: 10.0,
                sd: 2.0,
                bend: None,
            },
            median: Some(10.0),
            weight: -0.5,
            sd: 0.1,
            relevance: 0.5,
            range: Some([6.0, 14.0]),
        };
        let found = shift(&feature, &[12.0, f64::NAN, 14.0, 16.0], 1.0).unwrap();
        assert_eq!((found.shift, found.spread), (2.0, Some(1.0)));
        assert_eq!((found.outside, found.median), (Some(1.0 / 3.0), 14.0));
        assert_eq!((found.moves_score, found.missing), (-1.0, 1));
        assert_eq!(found.training_centre, 10.0);
        assert_eq!(shift(&feature, &[f64::NAN], 1.0), None);
        assert_eq!(shift(&feature, &[12.0], 1.0).unwrap().spread, None);
    }
}
