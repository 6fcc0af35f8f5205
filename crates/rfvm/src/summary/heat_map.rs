//! The values of the model's features over the samples, as the model sees them.

use serde::{Deserialize, Serialize};

use super::finite::finite;
use super::samples::SampleSummary;
use crate::data::Dataset;
use crate::error::Error;
use crate::model::Model;
use crate::posterior::signature::{Feature, Signature};

/// Features at most.
const FEATURES: usize = 30;
/// Columns at most; more samples are put together.
const COLUMNS: usize = 240;

/// Values of the heaviest features over the samples, standardised by the model's scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeatMapSummary {
    /// The features, by falling weight.
    pub features: Vec<String>,
    /// The samples of each column, as positions in the summary's samples, from the lowest score to the highest. Where there
    /// are many, neighbours share a column.
    pub columns: Vec<Vec<usize>>,
    /// For each feature, the mean of each column; `None` where all values are missing.
    pub values: Vec<Vec<Option<f64>>>,
}

impl HeatMapSummary {
    pub(super) fn new(
        model: &Model,
        data: &Dataset,
        samples: &[SampleSummary],
    ) -> Result<Self, Error> {
        let all = model.signatures().iter().flat_map(Signature::features);
        let mut features: Vec<&Feature> = all.take(FEATURES).collect();
        // Those of the positive class on top, so that the picture has a diagonal.
        features.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by(|&a, &b| samples[a].score.total_cmp(&samples[b].score));
        let together = order.len().div_ceil(COLUMNS).max(1);
        let columns: Vec<Vec<usize>> = order.chunks(together).map(<[usize]>::to_vec).collect();
        let names: Vec<String> = features.iter().map(|f| f.name.clone()).collect();
        let positions = data.table().find_features(&names)?;
        let transform = model.parameters().preprocessing.transform;
        let row = |(d, feature): (usize, &&Feature)| {
            let raw = data.table().feature(d);
            let mean = |column: &Vec<usize>| {
                let known = column
                    .iter()
                    .map(|&n| feature.scale.apply(transform.apply(raw[n])))
                    .filter(|value| value.is_finite());
                let (sum, count) = known.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
                finite(sum / count)
            };
            columns.iter().map(mean).collect()
        };
        let values = positions.into_iter().zip(&features).map(row).collect();
        Ok(Self {
            features: names,
            columns,
            values,
        })
    }
}
