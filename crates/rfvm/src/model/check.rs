//! What must be true of every model, whoever wrote its file: a checksum says that a file is whole, not that it is sane.
//!
//! Everything is finite and of a size that no sum or product of a prediction overflows, variances are variances, covariances
//! positive, names distinct, and counts agree. [`Model::from_json`] refuses a file of which this is not true, and no fit
//! gives a model that a file of it would be refused for.

use std::collections::HashSet;

use super::covariate_base::CovariateBase;
use super::predict::Model;
use crate::data::Task;
use crate::data::scale::Scale;
use crate::error::Error;
use crate::numerics::linalg::{Cholesky, Dense};
use crate::params::{CandidateCount, Method};
use crate::posterior::companions::{Companions, LEAST_SHRINKAGE};
use crate::posterior::effects::Effects;
use crate::posterior::moments::{Moments, Spread, Vectors};
use crate::posterior::recalibration::Recalibration;
use crate::posterior::signature::{Feature, Signature};
use crate::projection::Expected;

/// The largest number of a posterior: the variance of a score multiplies five of them, and has to stay a number.
const LARGEST: f64 = 1e45;
/// How far below zero rounding may leave the least eigenvalue of a covariance, in units of its largest variance.
const ROUNDING: f64 = 1e-9;

type Checked = Result<(), String>;

impl Model {
    /// What a fit gives back: itself, or why it is no use.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        self.check().map_err(Error::Unusable)?;
        Ok(self)
    }

    /// What is wrong with it, in a few words.
    pub(super) fn check(&self) -> Checked {
        self.check_target()?;
        self.check_training()?;
        self.check_claims()?;
        (self.parameters.method.check_kept()).map_err(|error| error.to_string())?;
        require(!self.signatures.is_empty(), "there is no signature")?;
        if let Some(base) = &self.covariates {
            base.check()?;
        }
        let columns = self
            .covariates
            .as_ref()
            .map(|base| base.coding.columns().len());
        for signature in &self.signatures {
            let effects = signature.moments.effects.as_ref();
            require(
                effects.map(|effects| effects.mean.len() - 1) == columns,
                "covariates and their effects do not agree",
            )?;
            signature.check(self.training.features)?;
            let vectors = signature.vectors.len();
            require(
                vectors <= self.candidates(),
                "more relevance vectors than candidates",
            )?;
        }
        let features = self.panels().iter().flat_map(Signature::features);
        distinct("features", features.map(|feature| feature.name.as_str()))?;
        require(
            self.feature_count() <= self.training.varying(),
            "more features than the training data had",
        )?;
        self.known.check()?;
        match &self.companions {
            Some(companions) => self.check_companions(companions),
            None => Ok(()),
        }
    }

    fn check_companions(&self, kept: &Companions) -> Checked {
        let needed = self.needed_features();
        let fits = kept.stand_ins.len() == needed.len()
            && (kept.stand_ins.iter().flatten()).all(|&at| at < kept.companions.len());
        require(fits, "its companions are not those of its features")?;
        let companions = kept.companions.iter().map(|one| one.name.as_str());
        let names = needed.iter().map(String::as_str).chain(companions);
        distinct("features and their companions", names)?;
        for companion in &kept.companions {
            check_scale(&companion.name, &companion.scale)?;
        }
        let share = (0.0..=1.0).contains(&kept.shrinkage);
        require(share, "the shrinkage of its correlations is no share")?;
        let what = "the correlation of its features";
        numbers(what, kept.correlation.values())?;
        let unit = kept.correlation.diagonal().all(|variance| variance == 1.0);
        // Not only positive but far enough from singular for any part of it.
        let mut less = kept.correlation.clone();
        less.add_diagonal(std::iter::repeat_n(-LEAST_SHRINKAGE / 2.0, less.rows()));
        let positive = Cholesky::new(less).is_ok();
        require(unit && positive, &format!("{what} is none"))
    }

    fn check_target(&self) -> Checked {
        check_scale("the target", &self.target_scale)?;
        let slope = self.correction.slope;
        number("the slope of its correction", slope)?;
        number("the intercept of its correction", self.correction.intercept)?;
        require(slope >= 0.0, "the slope of its correction is negative")?;
        match self.task {
            Task::Regression => require(self.classes.is_empty(), "a regression has no classes")?,
            Task::Classification => {
                require(self.classes.len() >= 2, "it needs two classes")?;
                distinct("classes", self.classes.iter().map(String::as_str))?;
            }
        }
        match self.classes.len() {
            0..=2 => require(
                self.class_intercepts.is_empty(),
                "two classes have no intercepts of their own",
            ),
            _ => self.check_classes(),
        }
    }

    /// Of several classes each has a signature and an intercept, and the features are the same for all.
    fn check_classes(&self) -> Checked {
        let classes = self.classes.len();
        let counts = [self.signatures.len(), self.class_intercepts.len()];
        require(
            counts == [classes; 2],
            "its classes, signatures and intercepts do not agree",
        )?;
        numbers("an intercept of a class", &self.class_intercepts)?;
        let none = self.covariates.is_none()
            && self.companions.is_none()
            && self.recalibrations.is_empty()
            && self.correction.intercept == 0.0
            && matches!(self.parameters.method, Method::Projected(_));
        require(none, "it has what several classes do not have")?;
        let (first, others) = (&self.signatures[0], &self.signatures[1..]);
        let (own, spread) = (&first.moments.v, &first.moments.v_spread);
        for other in others {
            let alike = |(one, two): (&Feature, &Feature)| {
                let of = |feature: &Feature| (feature.scale, feature.median, feature.range);
                one.name == two.name && of(one) == of(two)
            };
            let same = first.features.len() == other.features.len()
                && first.features.iter().zip(&other.features).all(alike)
                && *own == other.moments.v
                && shared(spread, &other.moments.v_spread);
            require(same, "its classes do not share one panel")?;
        }
        Ok(())
    }

    fn check_training(&self) -> Checked {
        let training = &self.training;
        require(training.samples > 0, "it was fitted on no sample")?;
        require(
            training.constant_features < training.features,
            "all features are constant",
        )?;
        let classes = match self.task {
            Task::Regression => training.class_counts.is_empty(),
            Task::Classification => {
                let counts = training.class_counts.iter();
                let total = counts.fold(0, |sum: usize, &rows| sum.saturating_add(rows));
                training.class_counts.len() == self.classes.len() && total == training.samples
            }
        };
        require(classes, "the classes' samples do not add up")
    }

    /// What it says of itself.
    fn check_claims(&self) -> Checked {
        for recalibration in &self.recalibrations {
            check_recalibration(recalibration)?;
        }
        for expected in self.expected.iter().chain(&self.full) {
            check_expected(expected)?;
        }
        if let Some(share) = self.share {
            check_share(share)?;
        }
        if let Some(judgement) = &self.judgement {
            number("its detection", judgement.detection)?;
            let chance = (0.0..=1.0).contains(&judgement.chance);
            require(chance, "its chance is no probability")?;
        }
        let mut before = 0;
        for size in &self.sizes {
            check_expected(&size.expected)?;
            check_share(size.share)?;
            number("a loss", size.behind.0)?;
            variance("a standard error", size.behind.1)?;
            require(before < size.features, "the sizes of its path do not grow")?;
            before = size.features;
        }
        Ok(())
    }

    /// How many relevance vectors there can be.
    fn candidates(&self) -> usize {
        let count = match &self.parameters.method {
            Method::Projected(_) => CandidateCount::All,
            Method::Signatures(own) => own.candidates,
            Method::MeanField(own) => own.candidates,
        };
        match count {
            CandidateCount::All => self.training.samples,
            CandidateCount::Rows(count) | CandidateCount::Points(count) => count,
        }
    }
}

impl Signature {
    fn check(&self, all_features: usize) -> Checked {
        let weights = self.moments.check()?;
        for (feature, weight) in self.features.iter().zip(weights) {
            feature.check(weight)?;
        }
        let names = self.vectors.iter().map(|vector| vector.sample.as_str());
        distinct("relevance vectors", names)?;
        if let Some(widest) = self.widest {
            variance("the largest variance of a training row", widest)?;
        }
        if let Some(evidence) = self.evidence {
            number("its evidence", evidence)?;
        }
        let mut active = self.trace.iter().map(|iteration| iteration.features);
        require(
            active.all(|active| active <= all_features),
            "its trace has more features than the training data had",
        )
    }
}

impl Feature {
    fn check(&self, weight: f64) -> Checked {
        check_scale(&self.name, &self.scale)?;
        number("a weight", self.weight)?;
        variance("a standard deviation", self.sd)?;
        variance("a relevance", self.relevance)?;
        // Rounding may differ between machines, a weight of another model does not.
        let same = (self.weight - weight).abs() <= 1e-9 * weight.abs().max(1e-9);
        require(same, "a weight is not that of its posterior")?;
        if let Some(median) = self.median {
            finite("a median", median)?;
        }
        let ordered = self.range.is_none_or(|[low, high]| {
            let scaled = [low, high].map(|end| self.scale.apply(end));
            low <= high && scaled.iter().all(|end| end.abs() <= LARGEST)
        });
        require(ordered, "a range of a feature is none")
    }
}

impl CovariateBase {
    fn check(&self) -> Checked {
        let columns = self.coding.columns();
        require(!columns.is_empty(), "its covariates are none")?;
        for column in columns {
            check_scale(&column.covariate, &column.scale)?;
        }
        self.alone.check()?;
        require(
            self.alone.mean.len() == columns.len() + 1,
            "covariates and what they alone tell do not agree",
        )?;
        variance("the noise", self.noise)?;
        number(
            "the slope of the covariates' correction",
            self.correction.slope,
        )?;
        number(
            "the intercept of the covariates' correction",
            self.correction.intercept,
        )
    }
}

impl Effects {
    fn check(&self) -> Checked {
        require(!self.mean.is_empty(), "there is no intercept")?;
        numbers("an effect", &self.mean)?;
        positive("the effects' covariance", &self.cov)
    }
}

impl Moments {
    /// The weights w, if all is as it should be.
    fn check(&self) -> Result<Vec<f64>, String> {
        number("the bias", self.b)?;
        variance("the variance of the bias", self.b_var)?;
        variance("the noise", self.noise)?;
        if let Some(effects) = &self.effects {
            effects.check()?;
        }
        numbers("a feature's v", &self.v)?;
        numbers("a relevance vector's coefficient", &self.a)?;
        match &self.v_spread {
            Spread::Independent(spread) | Spread::Weights(spread) => {
                for &spread in spread {
                    variance("a feature's variance", spread)?;
                }
            }
            Spread::Joint(covariance) => positive("the features' covariance", covariance)?,
        }
        positive("the relevance vectors' covariance", &self.a_cov)?;
        match &self.z {
            Vectors::Values(z) => numbers("a relevance vector's value", z.values())?,
            Vectors::Sums(g) => numbers("a sum over relevance vectors", g)?,
        }
        Ok(self.weights())
    }
}

fn require(fine: bool, wrong: &str) -> Checked {
    fine.then_some(()).ok_or_else(|| wrong.to_string())
}

fn finite(what: &str, value: f64) -> Checked {
    require(value.is_finite(), &format!("{what} is {value:?}"))
}

fn number(what: &str, value: f64) -> Checked {
    require(value.abs() <= LARGEST, &format!("{what} is {value:?}"))
}

fn numbers(what: &str, values: &[f64]) -> Checked {
    values.iter().try_for_each(|&value| number(what, value))
}

/// A variance, or whatever else may be zero but not below.
fn variance(what: &str, value: f64) -> Checked {
    let fine = (0.0..=LARGEST).contains(&value);
    require(fine, &format!("{what} is {value:?}"))
}

fn check_share(share: f64) -> Checked {
    number("an explained share", share)?;
    require(share <= 1.0, "an explained share is above 1")
}

fn check_expected(expected: &Expected) -> Checked {
    for (what, value) in [
        ("an expected loss", expected.loss),
        ("the loss of the base rate", expected.base),
        ("a standard error", expected.se),
        ("a standard error", expected.gain_se),
    ] {
        variance(what, value)?;
    }
    Ok(())
}

fn check_recalibration(found: &Recalibration) -> Checked {
    number("the slope of a recalibration", found.change.slope)?;
    number("the intercept of a recalibration", found.change.intercept)?;
    for loss in found.loss.into_iter().flatten() {
        variance("the loss of a recalibration", loss)?;
    }
    let counts = found.samples > 0 && found.positive.unwrap_or(0) <= found.samples;
    require(counts, "the samples of a recalibration do not add up")
}

fn check_scale(of: &str, scale: &Scale) -> Checked {
    let unit = |value: f64| value > 0.0 && value.is_finite();
    let bend = (scale.bend).is_none_or(|bend| unit(bend.unit) && bend.centre.is_finite());
    let fine = bend && scale.mean.is_finite() && unit(scale.sd);
    require(fine, &format!("the scale of '{of}' is none"))
}

fn distinct<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> Checked {
    let mut seen = HashSet::new();
    for name in names {
        require(!name.is_empty(), &format!("one of its {what} has no name"))?;
        let first = seen.insert(name);
        require(first, &format!("two of its {what} are called '{name}'"))?;
    }
    Ok(())
}

/// Whether two classes have one q(v); of the full posterior, which keeps the variances of weights, every class has its own.
fn shared(one: &Spread, two: &Spread) -> bool {
    match (one, two) {
        (Spread::Weights(one), Spread::Weights(two)) => one.len() == two.len(),
        _ => one == two,
    }
}

/// A covariance: no direction has a negative variance, but for rounding.
fn positive(what: &str, covariance: &Dense) -> Checked {
    numbers(what, covariance.values())?;
    let largest = covariance.diagonal().fold(0.0, f64::max);
    let off = covariance.values().iter().any(|&value| value != 0.0);
    if largest == 0.0 {
        return require(!off, &format!("{what} is not positive"));
    }
    // In units of the largest, so that none of its squares overflows.
    let unit = covariance.values().iter().map(|value| value / largest);
    let mut scaled = Dense::from_vec(covariance.rows(), covariance.cols(), unit.collect());
    scaled.add_diagonal(std::iter::repeat_n(ROUNDING, covariance.rows()));
    let factored = Cholesky::new(scaled).is_ok();
    require(factored, &format!("{what} is not positive"))
}
