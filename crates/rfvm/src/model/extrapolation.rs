//! Extrapolation: rows unlike any that a model was trained on, of which its probabilities say little.

use serde::Serialize;

use super::multiclass::{ClassPrediction, MulticlassModel};
use super::predict::{Model, Prediction};
use crate::data::transform::transformed;
use crate::data::{Table, Task};
use crate::error::Error;
use crate::posterior::signature::Signature;

/// How many widths of the training rows' range a value must lie beyond its end to be far from them. One just beyond an end is
/// what one new row in N/2 has.
const FAR: f64 = 0.5;

/// A value far from all that the training rows had.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FarValue {
    /// Name of the feature.
    pub feature: String,
    /// The value, after the transform.
    pub value: f64,
    /// The smallest and largest value of the training rows.
    pub range: [f64; 2],
}

/// How a row compares with those that a model was trained on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Extrapolation {
    /// Number of features that lie beyond an end of their training range by more than half of its width.
    pub far: usize,
    /// The one that lies farthest, in widths of its range.
    pub farthest: Option<FarValue>,
    /// Whether its score is more uncertain than that of any training row (never known of a full model).
    pub uncertain: bool,
}

impl Extrapolation {
    /// Whether the row is like the training rows.
    pub fn is_none(&self) -> bool {
        self.far == 0 && !self.uncertain
    }
}

impl Model {
    /// How every row compares with the training rows. The predictions are those that [`Self::predict`] made of this table.
    pub fn extrapolation(
        &self,
        table: &Table,
        predictions: &[Prediction],
    ) -> Result<Vec<Extrapolation>, Error> {
        let mut rows = self.far_values(table)?;
        let widest: Option<Vec<f64>> = self.signatures.iter().map(|s| s.widest).collect();
        if let Some(widest) = widest {
            // As the variance of a committee is the mean of its signatures' ones. Beyond rounding.
            let widest = (1.0 + 1e-9) * widest.iter().sum::<f64>() / widest.len() as f64;
            let widest = match self.task() {
                Task::Classification => widest,
                Task::Regression => self.in_units_of_target(0.0, widest).1,
            };
            for (row, prediction) in rows.iter_mut().zip(predictions) {
                row.uncertain = prediction.variance > widest;
            }
        }
        Ok(rows)
    }

    /// The part of it that asks for no predictions.
    fn far_values(&self, table: &Table) -> Result<Vec<Extrapolation>, Error> {
        let positions = table.find_features(&self.needed_features())?;
        let mut rows = vec![Extrapolation::default(); table.samples()];
        let mut most = vec![FAR; table.samples()];
        let features = self.panels().iter().flat_map(Signature::features);
        for (feature, &d) in features.zip(&positions) {
            let Some([low, high]) = feature.range else {
                continue;
            };
            let values = transformed(table, d, self.parameters.preprocessing.transform)?;
            for ((row, most), &value) in rows.iter_mut().zip(&mut most).zip(&values) {
                let widths = (low - value).max(value - high) / (high - low);
                row.far += usize::from(widths > FAR);
                if widths > *most {
                    *most = widths;
                    row.farthest = Some(FarValue {
                        feature: feature.name.clone(),
                        value,
                        range: [low, high],
                    });
                }
            }
        }
        Ok(rows)
    }
}

impl MulticlassModel {
    /// How every row compares with the training rows; a row is uncertain where the score of some class is. The predictions are
    /// those that [`Self::predict`] made of this table.
    pub fn extrapolation(
        &self,
        table: &Table,
        predictions: &[ClassPrediction],
    ) -> Result<Vec<Extrapolation>, Error> {
        let mut rows = self.as_one().far_values(table)?;
        for (row, prediction) in rows.iter_mut().zip(predictions) {
            let scores = self.signatures().iter().zip(&prediction.scores);
            row.uncertain = scores
                .filter_map(|(signature, (_, variance))| Some((signature.widest?, variance)))
                .any(|(widest, variance)| *variance > (1.0 + 1e-9) * widest);
        }
        Ok(rows)
    }
}
