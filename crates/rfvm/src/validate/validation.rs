//! Everything about a model on labelled new samples, as plain data.

use serde::{Deserialize, Serialize};

use super::recalibrate::{Before, RecalibrationCheck};
use super::shift::{FeatureShift, UnlikeRows, shifts};
use crate::data::groups::members;
use crate::data::{LabelledRows, Target, Task};
use crate::error::{Error, require};
use crate::evaluate::performance::{PredictedRows, SeenTarget};
use crate::evaluate::{BaseRate, Estimate, PredictionMeasures};
use crate::model::{Extrapolation, FilledFeature, FilledPredictions, Gaps, Model, Prediction};
use crate::posterior::recalibration::Recalibrate;
use crate::projection::Expected;
use crate::summary::input::check_target;
use crate::summary::{Curves, Overview};

/// A model on labelled new samples: external validation. It owns what it says and goes through JSON unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Version of the engine that made it.
    pub version: String,
    /// What the new data are called.
    pub name: String,
    /// Number of new samples.
    pub n: usize,
    /// How many of them are of each class; empty in a regression.
    pub class_counts: Vec<usize>,
    /// How many groups they form, where there are groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// [`LabelledRows::fingerprint`] of the new data.
    pub data: String,
    /// Above which probability a sample is taken for the positive class.
    pub threshold: f64,
    /// What was done about values that the samples lack.
    #[serde(default, skip_serializing_if = "refused")]
    pub missing: Gaps,
    /// The model without its signatures.
    pub model: Overview,
    /// What its predictions are worth here.
    #[serde(flatten)]
    pub measures: PredictionMeasures,
    /// The same against what its training led to expect; only a projected model knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_expected: Option<AgainstExpected>,
    /// The base rate (the mean) of the training samples, said of every new one.
    pub training_base: BaseRate,
    /// The base rate (the mean) of the new samples themselves.
    pub own_base: BaseRate,
    /// ROC, precision and recall, calibration and decisions; none of a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
    /// How the model's features differ from its training, the most shifted first; of very many, the first 10,000.
    pub shifts: Vec<FeatureShift>,
    /// How many samples are unlike all that the model was trained on.
    pub unlike: UnlikeRows,
    /// Every new sample.
    pub samples: Vec<ValidatedSample>,
    /// A recalibration on these samples, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalibrated: Option<RecalibrationCheck>,
}

/// What a model costs on new samples against what it expected of itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AgainstExpected {
    /// What held-back training samples led to expect.
    pub expected: Expected,
    /// What was seen, in the same units.
    pub seen: Estimate,
}

/// A new sample and what the model says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidatedSample {
    /// Its name.
    pub name: String,
    /// Its true class, as a position in the model's classes, or its true value.
    pub truth: f64,
    /// Probability of the positive class, or predicted value.
    pub predicted: f64,
    /// Standard deviation of the latent score, or of the value.
    pub sd: f64,
    /// Values far out of the training samples' range.
    pub far: usize,
    /// Whether its score is more uncertain than that of any training sample.
    pub uncertain: bool,
    /// What it lacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filled: Vec<FilledFeature>,
}

impl AgainstExpected {
    /// Whether it is clearly more (`Some(true)`) or clearly less than expected: the 95 % interval of the difference, joined from
    /// those of the two (Zou and Donner's MOVER), leaves 0 out.
    pub fn is_more(&self) -> Option<bool> {
        let Expected { loss, se, .. } = self.expected;
        let gap = self.seen.mean - loss;
        let end = if gap > 0.0 {
            self.seen.low
        } else {
            self.seen.high
        };
        let reach = (self.seen.mean - end).hypot(1.96 * se);
        (gap.abs() > reach).then_some(gap > 0.0)
    }
}

impl Validation {
    /// Measures a model on new samples; they have its target, and `name` is what they are called. Samples with a probability
    /// above the threshold are taken for the positive class.
    pub fn of(
        model: &Model,
        data: &LabelledRows,
        name: &str,
        threshold: f64,
    ) -> Result<Self, Error> {
        Self::with_gaps(model, data, name, threshold, Gaps::Refuse)
    }

    /// The same of samples that may lack features or values.
    pub fn with_gaps(
        model: &Model,
        data: &LabelledRows,
        name: &str,
        threshold: f64,
        missing: Gaps,
    ) -> Result<Self, Error> {
        let fine = threshold > 0.0 && threshold < 1.0;
        require(fine, "threshold", threshold, "a number between 0 and 1")?;
        check_target(model, data.target())?;
        let widened = match missing {
            Gaps::Refuse => None,
            Gaps::Integrate | Gaps::Substitute => Some(model.with_gaps(data.table())?),
        };
        let table = widened.as_ref().unwrap_or(data.table());
        let filled = model.predict_with(table, missing)?;
        let predictions = &filled.predictions;
        let unlike = model.extrapolation(table, predictions)?;
        let repeats = [predictions.iter().map(predicted).collect::<Vec<f64>>()];
        let rows = PredictedRows {
            truth: truth(data),
            groups: data.groups(),
            repeats: &repeats,
        };
        let (training, own) = base_rates(model, data);
        let measures = rows.measures(threshold);
        let seen = rows.loss(model.target_scale.sd.powi(2));
        let expected = model.expected().zip(seen);
        let labels = data.target().labels();
        let count = |class: usize| labels.iter().filter(|&&label| label == class).count();
        let mut validation = Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            name: name.to_string(),
            n: table.samples(),
            class_counts: (0..model.classes().len()).map(count).collect(),
            groups: (data.groups()).map(|groups| members(groups.len(), Some(groups)).len()),
            data: data.fingerprint(),
            threshold,
            missing,
            model: model.overview(),
            measures,
            against_expected: expected.map(|(expected, seen)| AgainstExpected { expected, seen }),
            training_base: rows.base_rate(training),
            own_base: rows.base_rate(own),
            curves: (!labels.is_empty()).then(|| Curves::new(labels, &repeats, data.groups())),
            shifts: shifts(model, table)?,
            unlike: UnlikeRows::of(&unlike),
            samples: samples(data, &filled, &unlike),
            recalibrated: None,
        };
        if validation.fitted_on() {
            let note = "These are the samples that the model was fitted on: it looks better here than it is.";
            validation.measures.notes.insert(0, note.to_string());
        }
        Ok(validation)
    }

    /// Whether these are the very data that the model was fitted on, which is no validation.
    pub fn fitted_on(&self) -> bool {
        self.model.training.data.as_ref() == Some(&self.data)
    }

    /// Recalibrates the model on these samples, and puts into the validation what that is worth on samples it was not learned
    /// from. Model and data are those of the validation.
    pub fn recalibrate(
        &mut self,
        model: &Model,
        data: &LabelledRows,
        how: Recalibrate,
    ) -> Result<Model, Error> {
        let filled = model.predict_with(data.table(), self.missing)?;
        let predicted: Vec<f64> = filled.predictions.iter().map(predicted).collect();
        let before = Before {
            model,
            data,
            predicted: &predicted,
            measures: &self.measures,
            threshold: self.threshold,
        };
        let (model, check) = before.recalibrated(how)?;
        self.recalibrated = Some(check);
        Ok(model)
    }
}

fn refused(missing: &Gaps) -> bool {
    *missing == Gaps::Refuse
}

/// What is judged: a probability, or a value.
fn predicted(prediction: &Prediction) -> f64 {
    prediction.probability.unwrap_or(prediction.mean)
}

fn truth(data: &LabelledRows) -> SeenTarget<'_> {
    match data.target() {
        Target::Classes { labels, .. } => SeenTarget::Labels(labels),
        Target::Values(values) => SeenTarget::Values(values),
    }
}

/// The base rate, or the mean, of the training samples and of the new ones.
fn base_rates(model: &Model, data: &LabelledRows) -> (f64, f64) {
    let training = match (model.task(), model.training().class_counts.as_slice()) {
        (Task::Classification, [negative, positive]) => {
            *positive as f64 / (negative + positive) as f64
        }
        _ => model.target_scale.mean,
    };
    let own: Vec<f64> = match data.target() {
        Target::Classes { labels, .. } => labels.iter().map(|&label| label as f64).collect(),
        Target::Values(values) => values.clone(),
    };
    (training, own.iter().sum::<f64>() / own.len() as f64)
}

fn samples(
    data: &LabelledRows,
    filled: &FilledPredictions,
    unlike: &[Extrapolation],
) -> Vec<ValidatedSample> {
    let names = data.table().sample_names();
    let rows = names
        .iter()
        .zip(&filled.predictions)
        .zip(unlike)
        .enumerate();
    rows.map(|(at, ((name, prediction), unlike))| ValidatedSample {
        name: name.clone(),
        truth: match data.target() {
            Target::Classes { labels, .. } => labels[at] as f64,
            Target::Values(values) => values[at],
        },
        predicted: predicted(prediction),
        sd: prediction.variance.sqrt(),
        far: unlike.far,
        uncertain: unlike.uncertain,
        filled: filled.filled(at).to_vec(),
    })
    .collect()
}
