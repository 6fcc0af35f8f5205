//! A fitted model: one signature, or a committee of disjoint ones, with everything prediction needs.

use serde::Serialize;

use super::covariate_base::CovariateBase;
use super::filling::Filling;
use crate::data::scale::Scale;
use crate::data::transform::transformed;
use crate::data::{KnownFeatures, Provenance, Table, Task, Training};
use crate::error::Error;
use crate::numerics::special::sigmoid;
use crate::params::{Method, Missing, Parameters, Size};
use crate::posterior::companions::Companions;
use crate::posterior::correction::Correction;
use crate::posterior::moments::moderation;
use crate::posterior::recalibration::Recalibration;
use crate::posterior::signature::Signature;
use crate::posterior::trace::StopReason;
use crate::projection::{Expected, Judgement, PathSize};

/// What a model says about one sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prediction {
    /// Mean of the latent score, or of the target in a regression.
    pub mean: f64,
    /// Its variance, the noise 1/τ included.
    pub variance: f64,
    /// Probability of the positive class, σ(intercept + slope · mean / sqrt(1 + π/8 variance)) with the model's correction;
    /// `None` in a regression.
    pub probability: Option<f64>,
    /// What σ is taken of, and how sure that is; `None` in a regression.
    pub log_odds: Option<LogOdds>,
}

/// The log odds of the positive class: the score, moderated by its variance and corrected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogOdds {
    /// intercept + slope · mean / sqrt(1 + π/8 variance), of which σ is the probability; a committee's is the mean.
    pub mean: f64,
    /// slope · sd / sqrt(1 + π/8 variance), with the same variance, the noise included; a committee's is the mean, since
    /// errors of signatures that see the same subjects are taken as fully dependent.
    pub sd: f64,
}

impl Prediction {
    /// The predicted class as a position in [`Model::classes`]; `None` in a regression.
    pub fn class(&self) -> Option<usize> {
        self.probability
            .map(|probability| usize::from(probability > 0.5))
    }
}

/// A fitted classifier or regression. It owns names, scales, moments, parameters and traces, and none of the
/// training data beyond the relevance vectors' values of the selected features.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) task: Task,
    pub(crate) classes: Vec<String>,
    /// Of the regression's target; mean 0 and sd 1 in a classification.
    pub(crate) target_scale: Scale,
    pub(crate) training: Training,
    pub(crate) parameters: Parameters,
    /// Of the moderated scores; in a regression of the predicted values, and none but for a recalibrated one.
    pub(crate) correction: Correction,
    /// What is added to the corrected scores of several classes; empty of two and in a regression.
    pub(crate) class_intercepts: Vec<f64>,
    /// How it was learned anew since the fit.
    pub(crate) recalibrations: Vec<Recalibration>,
    pub(crate) expected: Option<Expected>,
    /// The explained share.
    pub(crate) share: Option<f64>,
    /// What the full model should cost.
    pub(crate) full: Option<Expected>,
    /// Whether there was anything to find.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) sizes: Vec<PathSize>,
    /// What is allowed for beside the features.
    pub(crate) covariates: Option<CovariateBase>,
    pub(crate) signatures: Vec<Signature>,
    /// How its features hang together; `None` of a model of none or of more than 60, and in files of older versions.
    pub(crate) companions: Option<Companions>,
    /// Prices, panels, blocks and annotation of its features.
    pub(crate) known: KnownFeatures,
}

impl Model {
    /// Classification or regression.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Names of the negative and the positive class; empty in a regression.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// What the model was fitted on.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// The same model with how its data came about, which its file keeps.
    pub fn with_provenance(mut self, provenance: Provenance) -> Self {
        self.training.provenance = provenance;
        self
    }

    /// The parameters that it was fitted with.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Platt's correction of its moderated scores: none but for a projected model and a recalibrated one. That of a
    /// recalibrated regression is of the predicted values.
    pub fn correction(&self) -> Correction {
        self.correction
    }

    /// How it was recalibrated since its fit, first to last; empty where it never was.
    pub fn recalibrations(&self) -> &[Recalibration] {
        &self.recalibrations
    }

    /// The same model with a change of its correction, which its file keeps.
    pub(crate) fn recalibrated(&self, recalibration: Recalibration) -> Self {
        let mut model = self.clone();
        model.correction = self.correction.then(recalibration.change);
        model.recalibrations.push(recalibration);
        model
    }

    /// How much of what the full model tells it keeps, on rows neither has seen; only a projected model knows.
    pub fn share(&self) -> Option<f64> {
        self.share
    }

    /// What the full model should cost on new samples; only a projected model knows.
    pub fn full(&self) -> Option<Expected> {
        self.full
    }

    /// Whether there was anything to find; only a projected model knows. A model of a number of features that was asked for
    /// is there even where there was not.
    pub fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }

    /// What the model should cost on new samples, the choice of its size included; only a projected model knows.
    pub fn expected(&self) -> Option<Expected> {
        self.expected
    }

    /// The same with what others have measured in place of what it expects of itself. A fit judges itself on its own
    /// training rows; where their outcomes have chosen the features that it was offered, it cannot know how much of its
    /// worth is that choice's.
    pub fn judged_elsewhere(self, expected: Option<Expected>) -> Self {
        Self {
            expected,
            full: None,
            share: None,
            judgement: None,
            sizes: Vec::new(),
            ..self
        }
    }

    /// What every size of the path should cost, this model's among them, smallest first; empty for signatures.
    pub fn sizes(&self) -> &[PathSize] {
        &self.sizes
    }

    /// The signatures, best first; never empty. The first alone is the most compact model.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The signatures whose features are distinct: of several classes they are those of the first, as of every other.
    pub(super) fn panels(&self) -> &[Signature] {
        match self.classes.len() {
            0..=2 => &self.signatures,
            _ => &self.signatures[..1],
        }
    }

    /// Number of distinct features over all signatures (they are disjoint).
    pub fn feature_count(&self) -> usize {
        self.panels().iter().map(|s| s.features().len()).sum()
    }

    /// Number of relevance vectors over all signatures.
    pub fn vector_count(&self) -> usize {
        self.signatures.iter().map(|s| s.vectors().len()).sum()
    }

    /// Whether it is the full posterior: all features, and all samples define it.
    pub fn is_full(&self) -> bool {
        let full =
            matches!(&self.parameters.method, Method::Projected(own) if own.size == Size::Full);
        full && self.feature_count() > 0
    }

    /// What is known of its features beside the data: prices, panels, blocks, annotation.
    pub fn known(&self) -> &KnownFeatures {
        &self.known
    }

    /// What its features cost, each panel once; `None` where nothing has a price.
    pub fn cost(&self) -> Option<f64> {
        let features = self.panels().iter().flat_map(Signature::features);
        self.known
            .cost(features.map(|feature| feature.name.as_str()))
    }

    /// Why the first signature's fit ended.
    pub fn stop_reason(&self) -> StopReason {
        self.signatures[0].stop_reason()
    }

    /// The weights that [`crate::Start::Warm`] takes, to start another fit from this model.
    pub fn warm_start(&self) -> Vec<(String, f64)> {
        let features = self.panels().iter().flat_map(Signature::features);
        features.map(|f| (f.name.clone(), f.relevance)).collect()
    }

    /// Names of all features that prediction needs.
    pub fn needed_features(&self) -> Vec<String> {
        self.warm_start()
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    /// Predicts every row; features are matched by name, in any order, and extra ones are ignored. A model that was fitted with
    /// [`Missing::Conditional`] integrates over gaps.
    ///
    /// A committee averages its signatures' logits (moderated by their variance). Its latent mean is the mean
    /// of theirs, and so is its variance: the signatures see the same subjects, so their errors are taken as
    /// fully dependent.
    pub fn predict(&self, table: &Table) -> Result<Vec<Prediction>, Error> {
        let positions = table.find_features(&self.needed_features())?;
        let gaps = |&d: &usize| table.feature(d).iter().any(|value| value.is_nan());
        let conditional = self.parameters.preprocessing.missing == Missing::Conditional;
        if conditional && positions.iter().any(gaps) {
            return self.integrated(table);
        }
        self.check_missing(table, &positions)?;
        self.predict_columns(table, &positions, None)
    }

    /// The same from the table's columns at these positions, with what takes the place of gaps.
    pub(super) fn predict_columns(
        &self,
        table: &Table,
        positions: &[usize],
        filling: Option<&Filling>,
    ) -> Result<Vec<Prediction>, Error> {
        let design = self.design(table)?;
        let samples = table.samples();
        let count = self.signatures.len() as f64;
        let mut totals = vec![[0.0; 4]; samples];
        let mut first = 0;
        for (signature, columns) in (self.signatures.iter()).zip(self.columns_at(table, positions))
        {
            let columns = columns?;
            let mut latent = signature.latent(&columns, design.as_ref(), samples);
            if let Some(filling) = filling {
                filling.widen((signature, first), &columns, design.as_ref(), &mut latent);
            }
            first += columns.len();
            let finite = |(mean, variance): &(f64, f64)| (mean + variance).is_finite();
            if let Some(n) = latent.iter().position(|latent| !finite(latent)) {
                return Err(signature.out_of_proportion(&columns, n, &table.sample_names()[n]));
            }
            for (total, (mean, variance)) in totals.iter_mut().zip(latent) {
                let moderation = moderation(variance);
                total[0] += mean / count;
                total[1] += variance / count;
                total[2] += mean / moderation / count;
                total[3] += variance.sqrt() / moderation / count;
            }
        }
        let predictions = totals
            .into_iter()
            .map(|[mean, variance, logit, sd]| match self.task {
                Task::Classification => {
                    let log_odds = LogOdds {
                        mean: self.correction.apply(logit),
                        sd: self.correction.slope * sd,
                    };
                    Prediction {
                        mean,
                        variance,
                        probability: Some(sigmoid(log_odds.mean)),
                        log_odds: Some(log_odds),
                    }
                }
                Task::Regression => {
                    let (mean, variance) = self.in_units_of_target(mean, variance);
                    Prediction {
                        mean,
                        variance,
                        probability: None,
                        log_odds: None,
                    }
                }
            });
        Ok(predictions.collect())
    }

    /// What the rows of a table have of each signature's features, after the transform: one signature after another, for a
    /// full model's are as many numbers as the table has.
    pub(super) fn seen_in<'t>(
        &'t self,
        table: &'t Table,
    ) -> Result<impl Iterator<Item = Result<Vec<Vec<f64>>, Error>> + 't, Error> {
        let positions = table.find_features(&self.needed_features())?;
        self.check_missing(table, &positions)?;
        Ok(self.columns_at(table, positions))
    }

    /// The same from the table's columns at these positions.
    fn columns_at<'t>(
        &'t self,
        table: &'t Table,
        positions: impl AsRef<[usize]> + 't,
    ) -> impl Iterator<Item = Result<Vec<Vec<f64>>, Error>> + 't {
        let mut from = 0;
        self.signatures.iter().map(move |signature| {
            let own = &positions.as_ref()[from..from + signature.features().len()];
            from += own.len();
            own.iter()
                .map(|&d| transformed(table, d, self.parameters.preprocessing.transform))
                .collect()
        })
    }

    /// What the rows of a table have of the first signature's features, after the transform.
    pub(super) fn columns_of(
        &self,
        positions: &[usize],
        table: &Table,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut signatures = self.columns_at(table, positions);
        signatures.next().unwrap_or_else(|| Ok(Vec::new()))
    }

    /// What a regression predicts for a latent mean and variance; what has been learned since the fit is applied last.
    pub(super) fn in_units_of_target(&self, mean: f64, variance: f64) -> (f64, f64) {
        debug_assert_eq!(self.task, Task::Regression);
        let sd = self.target_scale.sd;
        let mean = self.correction.apply(self.target_scale.mean + sd * mean);
        (mean, (self.correction.slope * sd).powi(2) * variance)
    }

    /// A value that the model needs and the table lacks, where the model was not fitted to fill it in.
    pub(super) fn check_missing(&self, table: &Table, positions: &[usize]) -> Result<(), Error> {
        let features = self.panels().iter().flat_map(Signature::features);
        for (feature, &d) in features
            .zip(positions)
            .filter(|(feature, _)| feature.median.is_none())
        {
            if let Some(n) = table.feature(d).iter().position(|value| value.is_nan()) {
                return Err(Error::NotFinite {
                    feature: feature.name.clone(),
                    sample: table.sample_names()[n].clone(),
                    value: f64::NAN,
                });
            }
        }
        Ok(())
    }

    /// Probability of the positive class for every row.
    pub fn predict_probability(&self, table: &Table) -> Result<Vec<f64>, Error> {
        if self.task == Task::Regression {
            return Err(Error::Target("a regression has no class probabilities"));
        }
        let predictions = self.predict(table)?;
        Ok(predictions.iter().filter_map(|p| p.probability).collect())
    }
}
