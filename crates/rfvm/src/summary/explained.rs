//! Why a few typical samples have their scores.

use serde::{Deserialize, Serialize};

use super::samples::SampleSummary;
use crate::data::Dataset;
use crate::error::Error;
use crate::model::{Explanation, Model};

/// A sample and why it has its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSample {
    /// Its place in [`super::Summary::samples`].
    pub sample: usize,
    /// What it is an example of, in a few words.
    pub typical: String,
    /// What its score is the sum of.
    pub explanation: Explanation,
}

/// The samples of each class that the model is surest of, and the one it is least sure of; of a regression the lowest, the
/// middle and the highest prediction. None where the model has no feature to explain by.
pub(super) fn explained(
    model: &Model,
    data: &Dataset,
    samples: &[SampleSummary],
) -> Result<Vec<ExplainedSample>, Error> {
    if model.feature_count() == 0 {
        return Ok(Vec::new());
    }
    let least = |of: &dyn Fn(&SampleSummary) -> Option<f64>| {
        let known = samples.iter().enumerate();
        let known = known.filter_map(|(n, sample)| Some((n, of(sample)?)));
        known
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(n, _)| n)
    };
    let mut typical: Vec<(usize, String)> = Vec::new();
    let mut add = |found: Option<usize>, words: String| {
        if let Some(n) = found.filter(|n| typical.iter().all(|(other, _)| other != n)) {
            typical.push((n, words));
        }
    };
    match model.classes() {
        [negative, positive] => {
            let of = |class: usize, sign: f64| {
                least(&move |sample| {
                    Some(sign * sample.probability?).filter(|_| sample.class == Some(class))
                })
            };
            add(of(0, 1.0), format!("the surest of {negative}"));
            let open = least(&|sample| Some((sample.probability? - 0.5).abs()));
            add(open, "the least sure".to_string());
            add(of(1, -1.0), format!("the surest of {positive}"));
        }
        _ => {
            let mean = samples.iter().map(|s| s.score).sum::<f64>() / samples.len() as f64;
            add(
                least(&|s| Some(s.score)),
                "the lowest prediction".to_string(),
            );
            let middle = least(&move |s| Some((s.score - mean).abs()));
            add(middle, "the prediction nearest to the mean".to_string());
            add(
                least(&|s| Some(-s.score)),
                "the highest prediction".to_string(),
            );
        }
    }
    let rows: Vec<usize> = typical.iter().map(|(n, _)| *n).collect();
    let found = model.explain(&data.table().rows(&rows)?)?;
    let sample = |((sample, typical), explanation)| ExplainedSample {
        sample,
        typical,
        explanation,
    };
    Ok(typical.into_iter().zip(found).map(sample).collect())
}
