//! What if a test is not available: what a prediction loses without each of the model's features.

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, Table};
use crate::error::Error;
use crate::evaluate::metrics::log_loss;
use crate::model::{Gaps, Model, Prediction};

/// A feature of the model, and what a prediction without it has to go by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unavailable {
    /// The feature.
    pub feature: String,
    /// Where it is integrated over given the model's other features.
    pub by_others: Told,
    /// The feature outside of the model that stands in for it, and where that is known too.
    pub by_stand_in: Option<(String, Told)>,
}

/// How well a feature is told by others, and what is lost by that on the rows of the data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The share of its variance that they tell, by the training rows' shrunk correlations.
    pub r2: f64,
    /// Mean increase of the standard deviation of a score (in a regression: of the value).
    pub sd_added: f64,
    /// Mean increase of the log loss; `None` in a regression. The rows are those of the fit, which know no loss of a new row,
    /// but the difference is less flattered than the loss.
    pub loss_added: Option<f64>,
}

/// Every feature of a model that keeps companions; empty for others.
pub(super) fn unavailable(model: &Model, data: &Dataset) -> Result<Vec<Unavailable>, Error> {
    let needed = model.needed_features();
    if model.told(0, Gaps::Integrate).is_none() {
        return Ok(Vec::new());
    }
    let own = model.with_gaps(data.table())?;
    let complete = model.predict_with(&own, Gaps::Integrate)?.predictions;
    let mut found = Vec::with_capacity(needed.len());
    for (at, feature) in needed.iter().enumerate() {
        let without = hidden(&own, feature)?;
        let told = |gaps: Gaps| -> Result<Option<Told>, Error> {
            let Some(r2) = model.told(at, gaps) else {
                return Ok(None);
            };
            let said = model.predict_with(&without, gaps)?.predictions;
            let loss = |of: &[Prediction]| mean_loss(data.labels(), of);
            Ok(Some(Told {
                r2,
                sd_added: mean_sd(&said) - mean_sd(&complete),
                loss_added: loss(&said).zip(loss(&complete)).map(|(with, of)| with - of),
            }))
        };
        if let Some(by_others) = told(Gaps::Integrate)? {
            let by = told(Gaps::Substitute)?;
            found.push(Unavailable {
                feature: feature.clone(),
                by_others,
                by_stand_in: model.stand_in(at).zip(by),
            });
        }
    }
    Ok(found)
}

/// The table with gaps in the place of one feature.
fn hidden(table: &Table, feature: &String) -> Result<Table, Error> {
    let mut values = table.values().to_vec();
    for d in table.find_features(std::slice::from_ref(feature))? {
        let column = d * table.samples()..(d + 1) * table.samples();
        values[column].fill(f64::NAN);
    }
    let names = table.feature_names().clone();
    Table::with_missing(values, names, table.sample_names().to_vec())
}

fn mean_sd(predictions: &[Prediction]) -> f64 {
    let sd = predictions.iter().map(|p| p.variance.sqrt());
    sd.sum::<f64>() / predictions.len() as f64
}

fn mean_loss(labels: &[usize], predictions: &[Prediction]) -> Option<f64> {
    let probability: Option<Vec<f64>> = predictions.iter().map(|p| p.probability).collect();
    Some(log_loss(labels, &probability?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::params::{Params, Size};
    use crate::simulate::Simulation;

    #[test]
    fn a_close_stand_in_tells_more_and_widens_less() {
        let simulation = Simulation {
            samples: 60,
            features: 80,
            informative: 3,
            effect: 2.0,
            correlation: 0.9,
            ..Simulation::default()
        };
        let data = simulation.draw().unwrap().data;
        let fit = |size| {
            let params = Params::projected(size).check().unwrap();
            params.fit(data.clone()).unwrap()
        };
        let model = fit(Size::Features(3));
        let found = unavailable(&model, &data).unwrap();
        let names: Vec<&String> = found.iter().map(|one| &one.feature).collect();
        assert_eq!(names, model.needed_features().iter().collect::<Vec<_>>());
        for one in &found {
            let (_, by) = one.by_stand_in.as_ref().unwrap();
            assert!(one.by_others.r2 < by.r2 && by.r2 > 0.5, "{one:?}");
            assert!(0.0 < by.sd_added && by.sd_added < one.by_others.sd_added);
            assert!(by.loss_added.is_some());
        }
        assert_eq!(unavailable(&fit(Size::Full), &data).unwrap(), []);
    }
}
