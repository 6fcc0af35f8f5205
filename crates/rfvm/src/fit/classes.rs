//! Several classes: the path of models of one panel for all of them, and the model of one size.

use std::ops::ControlFlow;

use super::path::{Path, PathPoint, Run, chosen, judged};
use crate::data::{Dataset, Target};
use crate::error::{Error, require};
use crate::inference::prepare::{Prepared, prepare, prepare_classes};
use crate::model::{Model, MulticlassModel};
use crate::numerics::stats::by_size;
use crate::params::{CheckedParams, Params, Projected, Size};
use crate::posterior::class_correction::ClassCorrection;
use crate::posterior::correction::Correction;
use crate::posterior::moments::Moments;
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Iteration, StopReason};
use crate::projection::classes::MOST_SCORES;
use crate::projection::classes::distilled::{ClassScores, log_shares};
use crate::projection::cross_fit::{CrossFitted, sizes, values};
use crate::projection::held_back::{HeldBack, Plan, difference};
use crate::projection::small::Small;
use crate::projection::{Expected, Judgement, PathSize};

/// The path of models of several classes, smallest first.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassPath(Path);

impl MulticlassPath {
    /// Whether there is anything to find; `None` where the rows were too few to tell.
    pub fn judgement(&self) -> Option<Judgement> {
        self.0.judgement()
    }

    /// What the full model should cost on new samples; `None` where the rows were too few to tell.
    pub fn full(&self) -> Option<Expected> {
        self.0.full()
    }

    /// What every point should cost, smallest first.
    pub fn sizes(&self) -> Vec<PathSize> {
        self.0.sizes()
    }

    /// The models of all points, smallest first.
    pub fn models(&self) -> impl Iterator<Item = MulticlassModel> {
        let points = self.0.points().iter();
        points.map(|point| MulticlassModel::of(point.model.clone()))
    }

    /// As [`Path::into_model`], and the path is there for another size.
    pub fn model(&self, size: Size) -> Result<MulticlassModel, Error> {
        self.0.clone().into_model(size).map(MulticlassModel::of)
    }
}

impl CheckedParams {
    /// Fits a model of more than two classes: one panel of features for all of them. By the method [`crate::Projected`]; any
    /// other is refused.
    pub fn fit_classes(&self, data: Dataset) -> Result<MulticlassModel, Error> {
        self.fit_classes_with(data, |_| ControlFlow::Continue(()))
    }

    /// As [`CheckedParams::fit_classes`], with a callback as that of [`CheckedParams::path`].
    pub fn fit_classes_with(
        &self,
        data: Dataset,
        callback: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<MulticlassModel, Error> {
        let path = self.path_classes(data, callback)?;
        let size = self.projected()?.size;
        path.0.into_model(size).map(MulticlassModel::of)
    }

    /// The path of models of more than two classes; see [`CheckedParams::path`].
    pub fn path_classes(
        &self,
        data: Dataset,
        mut callback: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<MulticlassPath, Error> {
        let params = self.get();
        if self.projected().is_err() {
            // Other methods name the classes that they do not take.
            prepare(params, data)?;
            return Err(Error::Target(SEVERAL));
        }
        let method = self.projected()?;
        let mut prepared = prepare_several(params, data)?;
        let Some(plan) = Plan::new(method, &prepared)? else {
            let path = prepared.base_of_classes(params, StopReason::NoSignal);
            return Ok(MulticlassPath(path));
        };
        let sizes = sizes(method.size, prepared.names.len(), prepared.classes.len());
        let run = Run::new(method, &sizes, &plan);
        let fitted = run.with(params, &mut callback, |cross_fit, watch| {
            cross_fit.run(&mut prepared, watch)
        })?;
        Ok(MulticlassPath(match fitted {
            Ok(fitted) => {
                let held_back =
                    HeldBack::of_classes(&prepared, plan, &fitted.said, method.firmness);
                prepared.path_of_classes(params, method, &sizes, fitted, &held_back)
            }
            Err(ended) => prepared.base_of_classes(params, ended.stop_reason()),
        }))
    }
}

const SEVERAL: &str = "a model of several classes needs more than two of them";

/// More than two classes, and not so many rows of them that v cannot be known jointly.
fn prepare_several(params: &Params, data: Dataset) -> Result<Prepared, Error> {
    let classes = match data.target() {
        Target::Classes { names, .. } => names.len(),
        Target::Values(_) => 0,
    };
    if classes <= 2 {
        return Err(Error::Target(SEVERAL));
    }
    let prepared = prepare_classes(params, data)?;
    let scores = prepared.samples * classes;
    require(
        scores <= MOST_SCORES,
        "samples times classes",
        scores,
        "at most 4000, for one panel of all classes; fit one class against the rest, or classes together that belong together",
    )?;
    Ok(prepared)
}

/// A model's outcome for every class, and what makes probabilities of their scores.
struct OfClasses {
    outcomes: Vec<Outcome>,
    traces: Vec<Vec<Iteration>>,
    correction: ClassCorrection,
}

impl Prepared {
    fn model_of_classes(&self, params: &Params, of: OfClasses) -> Model {
        let mut sizes = vec![0.0; of.outcomes[0].features.len()];
        for outcome in &of.outcomes {
            for (size, weight) in sizes.iter_mut().zip(outcome.moments.weights()) {
                *size += weight * weight;
            }
        }
        let order = by_size(&sizes);
        let signatures = of.outcomes.into_iter().zip(of.traces);
        let signatures =
            signatures.map(|(outcome, trace)| self.signature_in_order(outcome, trace, &order));
        let slope = Correction {
            slope: of.correction.slope,
            intercept: 0.0,
        };
        Model {
            class_intercepts: of.correction.intercepts,
            ..self.model(params, signatures.collect(), slope, std::iter::empty())
        }
    }

    /// What knows no features: the classes' shares.
    fn base_of_classes(&self, params: &Params, stop: StopReason) -> Path {
        let rows: Vec<usize> = (0..self.samples).collect();
        let shares = log_shares(self, &rows);
        let classes = shares.len();
        let base = OfClasses {
            outcomes: (shares.into_iter())
                .map(|share| Outcome::empty(Moments::constant(share, 0.0), stop))
                .collect(),
            traces: vec![Vec::new(); classes],
            correction: ClassCorrection::none(classes),
        };
        Path {
            points: Vec::new(),
            chosen: Vec::new(),
            full: None,
            full_model: None,
            judgement: None,
            base: self.model_of_classes(params, base),
        }
    }

    fn path_of_classes(
        &self,
        params: &Params,
        method: &Projected,
        sizes: &[usize],
        fitted: CrossFitted<ClassScores>,
        held_back: &HeldBack<ClassCorrection>,
    ) -> Path {
        let seen = held_back.all();
        let expected = |model: usize| Expected::of(&seen.loss[model], &seen.base);
        let points = fitted
            .small
            .into_iter()
            .enumerate()
            .map(|(i, (features, small))| {
                let of = self.small_of_classes(
                    method,
                    features,
                    &small,
                    held_back.correction[i + 1].clone(),
                );
                let (expected, share) = (expected(i + 1), seen.share[i]);
                PathPoint {
                    model: Model {
                        expected: Some(expected),
                        share: Some(share),
                        ..self.model_of_classes(params, of)
                    },
                    expected,
                    behind: difference(&seen.loss[i + 1], &seen.loss[0]),
                    share,
                }
            });
        let points = points.collect();
        let tests = (held_back.detection, fitted.chance);
        let judgement = judged(method, tests, expected(0));
        let full_model = (method.size == Size::Full).then(|| {
            let outcome = |moments: Moments| Outcome {
                weight_sd: moments.weight_sd(),
                features: (0..self.names.len()).collect(),
                candidates: (0..self.samples).collect(),
                evidence: None,
                stop: StopReason::Converged,
                moments,
            };
            let (own, correction) = (expected(0), &held_back.correction[0]);
            let (claimed, correction) = match self.share_of_full(judgement, own) {
                None => (own, correction.clone()),
                Some(share) => {
                    let rows: Vec<usize> = (0..self.samples).collect();
                    let drawn = correction.drawn_to(&log_shares(self, &rows), share);
                    (Expected::of(&seen.base, &seen.base), drawn)
                }
            };
            let of = OfClasses {
                traces: vec![self.sweeps(method, None); fitted.full.len()],
                outcomes: fitted
                    .full
                    .iter()
                    .map(|own| outcome(own.moments()))
                    .collect(),
                correction,
            };
            Model {
                expected: Some(claimed),
                share: Some(1.0),
                ..self.model_of_classes(params, of)
            }
        });
        let budgets = method.for_classes(self.classes.len());
        Path {
            chosen: chosen(&budgets, sizes, held_back, &seen),
            points,
            full: Some(expected(0)),
            full_model,
            judgement: Some(judgement),
            ..self.base_of_classes(params, StopReason::NoSignal)
        }
    }

    fn small_of_classes(
        &self,
        method: &Projected,
        features: Vec<usize>,
        small: &Small,
        correction: ClassCorrection,
    ) -> OfClasses {
        let rows: Vec<usize> = (0..self.samples).collect();
        let z = values(self, &features, &rows);
        let classes = 0..correction.intercepts.len();
        let outcome = |class: usize| {
            let moments = small.moments(&z, class);
            Outcome {
                weight_sd: moments.weight_sd(),
                features: features.clone(),
                candidates: small.vectors(class).to_vec(),
                evidence: None,
                stop: match small.settled {
                    true => StopReason::Converged,
                    false => StopReason::IterationLimit,
                },
                moments,
            }
        };
        let trace = |class| self.sweeps(method, Some((small, class)));
        OfClasses {
            outcomes: classes.clone().map(outcome).collect(),
            traces: classes.map(trace).collect(),
            correction,
        }
    }
}
