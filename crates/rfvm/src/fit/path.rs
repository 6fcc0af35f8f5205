//! The path: models of growing size beside the full one, each with an honest estimate of what it is worth.

use std::ops::ControlFlow;

use crate::data::{Dataset, Task};
use crate::error::Error;
use crate::inference::prepare::{Prepared, prepare};
use crate::model::Model;
use crate::numerics::parallel::{Workers, start_workers, threads};
use crate::numerics::progress::Progress;
use crate::params::{CheckedParams, Method, Params, Projected, Size};
use crate::posterior::correction::Correction;
use crate::posterior::outcome::Outcome;
use crate::posterior::trace::{Iteration, Phase, StopReason};
use crate::projection::choose::choose;
use crate::projection::cross_fit::{CrossFit, CrossFitted, sizes, values};
use crate::projection::held_back::{HeldBack, Plan, Seen, difference};
use crate::projection::single::SingleScore;
use crate::projection::small::Small;
use crate::projection::{Expected, Judgement, PathSize, Verdict};

/// A point of the path: a complete model.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The model.
    pub model: Model,
    /// What a model of this size should cost on new samples.
    pub expected: Expected,
    /// How much more it costs than the full model, and the standard error of that difference over the rows.
    pub behind: (f64, f64),
    /// The share of what the full model tells that it keeps on rows neither has seen.
    pub share: f64,
}

/// The path, smallest model first.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub(super) points: Vec<PathPoint>,
    /// The sizes by name, their positions, and what choosing by that rule should cost.
    pub(super) chosen: Vec<(Size, usize, Expected)>,
    pub(super) full: Option<Expected>,
    pub(super) full_model: Option<Model>,
    pub(super) judgement: Option<Judgement>,
    pub(super) base: Model,
}

impl Path {
    /// The points, smallest first.
    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }

    /// Whether there is anything to find; `None` where the rows were too few to tell.
    pub fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }

    /// What the full model should cost on new samples; `None` where the rows were too few to tell.
    pub fn full(&self) -> Option<Expected> {
        self.full
    }

    /// The position of the point for a size; `None` for the full model and on a path without points.
    pub fn position(&self, size: Size) -> Option<usize> {
        self.choice(size).map(|(_, position, _)| *position)
    }

    fn choice(&self, size: Size) -> Option<&(Size, usize, Expected)> {
        self.chosen.iter().find(|(chosen, ..)| *chosen == size)
    }

    /// The model for a size, as a fit with that size gives it: the base rate where there is nothing to find, unless a number
    /// of features was asked for, or the full model, which names none and is drawn to the base rate then (covariates are such
    /// a base that it stays with them). Sizes other than the named ones, and the full model, only of a path that was asked for
    /// them.
    pub fn into_model(mut self, size: Size) -> Result<Model, Error> {
        let has = match size {
            Size::Full => self.full_model.is_some(),
            _ => self.choice(size).is_some(),
        };
        if !has && !self.points.is_empty() {
            return Err(Error::Parameter {
                name: "size",
                value: size.to_string(),
                rule: "compact, balanced, accurate or the size that the path was asked for",
            });
        }
        let sizes = self.sizes();
        let asked = matches!(size, Size::Features(_));
        let found = (self.judgement).is_some_and(|found| found.verdict != Verdict::Nothing);
        let nothing = !found && !asked;
        let choice = self.choice(size).copied();
        let model = match (choice, self.full_model) {
            (Some((_, position, expected)), _) if !nothing && !self.points.is_empty() => {
                let share = Some(self.points[position].share);
                Model {
                    expected: Some(expected),
                    share,
                    ..self.points.swap_remove(position).model
                }
            }
            (None, Some(model)) if !nothing || model.covariates.is_none() => model,
            _ => self.base,
        };
        let mut parameters = model.parameters;
        if let Method::Projected(own) = &mut parameters.method {
            own.size = size;
        }
        let model = Model {
            sizes,
            full: self.full,
            judgement: self.judgement,
            parameters,
            ..model
        };
        model.checked()
    }

    /// Lets what covariates alone say be corrected as the folds have shown.
    fn correct_base(&mut self, correction: Correction, task: Task) {
        if task == Task::Regression {
            return;
        }
        self.base.correction = correction;
        let points = self.points.iter_mut().map(|point| &mut point.model);
        let models = points.chain(&mut self.full_model).chain([&mut self.base]);
        for base in models.filter_map(|model| model.covariates.as_mut()) {
            base.correction = correction;
        }
    }

    /// What every point should cost, smallest first.
    pub fn sizes(&self) -> Vec<PathSize> {
        let size = |(position, point): (usize, &PathPoint)| PathSize {
            features: point.model.feature_count(),
            expected: point.expected,
            behind: point.behind,
            share: point.share,
            cost: point.model.cost(),
            chosen_as: (self.chosen.iter())
                .filter(|(_, chosen, _)| *chosen == position)
                .map(|(size, ..)| *size)
                .collect(),
        };
        self.points.iter().enumerate().map(size).collect()
    }
}

impl CheckedParams {
    /// The path of the method [`crate::Projected`]; any other is refused. The callback hears how many steps are done
    /// ([`Phase::Path`]: `number` of `features`) several times a second; a break ends the work with a path that has no points.
    pub fn path(
        &self,
        data: Dataset,
        mut callback: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Path, Error> {
        let params = self.get();
        let method = self.projected()?;
        let mut prepared = prepare(params, data)?;
        let Some(plan) = Plan::new(method, &prepared)? else {
            return Ok(prepared.without_points(params, StopReason::NoSignal));
        };
        let sizes = sizes(method.size, prepared.names.len(), prepared.classes.len());
        let run = Run::new(method, &sizes, &plan);
        let fitted = run.with(params, &mut callback, |cross_fit, watch| {
            cross_fit.run(&mut prepared, watch)
        })?;
        Ok(match fitted {
            Ok(fitted) => {
                let held_back = HeldBack::new(&prepared, plan, &fitted.said, method.firmness);
                prepared.path(params, method, &sizes, fitted, &held_back)
            }
            Err(ended) => prepared.without_points(params, ended.stop_reason()),
        })
    }

    /// The parameters of the method that has a path.
    pub(super) fn projected(&self) -> Result<&Projected, Error> {
        match &self.get().method {
            Method::Projected(method) => Ok(method),
            other => Err(Error::Parameter {
                name: "method",
                value: other.name().to_string(),
                rule: "projected, for no other method has a path",
            }),
        }
    }
}

/// All the work on a path, with somebody watching.
pub(super) struct Run<'r> {
    method: &'r Projected,
    sizes: &'r [usize],
    plan: &'r Plan,
}

impl<'r> Run<'r> {
    pub(super) fn new(method: &'r Projected, sizes: &'r [usize], plan: &'r Plan) -> Self {
        Self {
            method,
            sizes,
            plan,
        }
    }

    /// Does the work of `fit`; the callback hears how many steps are done.
    pub(super) fn with<T>(
        &self,
        params: &Params,
        callback: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
        fit: impl FnOnce(&CrossFit, &mut Progress) -> T,
    ) -> Result<T, Error> {
        let fits = self.plan.len() + 1;
        let most = self.sizes.last().copied().unwrap_or(0);
        let of = fits * (self.method.sweeps + 1) + most;
        let mut tell = |done: usize| callback(&Iteration::step(done.min(of), of));
        let mut watch = Progress::new(threads(params.threads), &mut tell);
        // Either way the sums are the same: a fit a thread, or all threads for one fit.
        let workers = match watch.threads() <= fits {
            true => Workers(None),
            false => start_workers(params.threads)?,
        };
        let cross_fit = CrossFit {
            params: self.method,
            sizes: self.sizes,
            plan: self.plan,
            workers: &workers,
        };
        Ok(fit(&cross_fit, &mut watch))
    }
}

impl Prepared {
    fn without_points(&self, params: &Params, stop: StopReason) -> Path {
        let outcome = Outcome::empty(self.base_rate(), stop);
        Path {
            points: Vec::new(),
            chosen: Vec::new(),
            full: None,
            full_model: None,
            judgement: None,
            base: self.model(
                params,
                vec![self.signature(outcome, Vec::new())],
                Correction::NONE,
                std::iter::empty(),
            ),
        }
    }

    fn path(
        &self,
        params: &Params,
        method: &Projected,
        sizes: &[usize],
        fitted: CrossFitted<SingleScore>,
        held_back: &HeldBack,
    ) -> Path {
        let CrossFitted {
            full,
            small,
            chance,
            companions,
            ..
        } = fitted;
        let seen = held_back.all();
        let expected = |model: usize| Expected::of(&seen.loss[model], &seen.base);
        let mut points = Vec::with_capacity(small.len());
        for (i, (features, small)) in small.into_iter().enumerate() {
            let rows: Vec<usize> = (0..self.samples).collect();
            let moments = small.moments(&values(self, &features, &rows), 0);
            let outcome = Outcome {
                weight_sd: moments.weight_sd(),
                features,
                candidates: small.vectors(0).to_vec(),
                evidence: None,
                stop: match small.settled {
                    true => StopReason::Converged,
                    false => StopReason::IterationLimit,
                },
                moments,
            };
            let judged = (expected(i + 1), held_back.correction[i + 1]);
            let trace = self.sweeps(method, Some((&small, 0)));
            let model = self.judged_model(params, outcome, trace, judged, &companions);
            points.push(PathPoint {
                model: Model {
                    share: Some(seen.share[i]),
                    ..model
                },
                expected: judged.0,
                behind: difference(&seen.loss[i + 1], &seen.loss[0]),
                share: seen.share[i],
            });
        }
        let judgement = judged(method, (held_back.detection, chance), expected(0));
        let full_model = (method.size == Size::Full).then(|| {
            let moments = full.moments();
            let outcome = Outcome {
                weight_sd: moments.weight_sd(),
                features: (0..self.names.len()).collect(),
                candidates: (0..self.samples).collect(),
                evidence: None,
                stop: StopReason::Converged,
                moments,
            };
            let judged = match self.share_of_full(judgement, expected(0)) {
                None => (expected(0), held_back.correction[0]),
                Some(share) => {
                    let drawn = held_back.correction[0].drawn_to(self.base_rate().b, share);
                    (Expected::of(&seen.base, &seen.base), drawn)
                }
            };
            let model = self.judged_model(
                params,
                outcome,
                self.sweeps(method, None),
                judged,
                &companions,
            );
            Model {
                share: Some(1.0),
                ..model
            }
        });
        let mut path = Path {
            chosen: chosen(method, sizes, held_back, &seen),
            points,
            full: Some(expected(0)),
            full_model,
            judgement: Some(judgement),
            ..self.without_points(params, StopReason::NoSignal)
        };
        if self.has_covariates() {
            path.correct_base(held_back.base_correction, self.task);
        }
        path
    }

    /// How much of the full model is left where nothing was found; of the rest is the base rate, whose loss is all that it
    /// claims. `None` where something was found.
    pub(super) fn share_of_full(&self, judgement: Judgement, full: Expected) -> Option<f64> {
        (judgement.verdict == Verdict::Nothing)
            .then(|| full.share_beside_base(self.task, self.independent()))
    }

    /// The sweeps of the full model, and an output of a small one that ended them.
    pub(super) fn sweeps(
        &self,
        method: &Projected,
        last: Option<(&Small, usize)>,
    ) -> Vec<Iteration> {
        let sweep = |number: usize| Iteration {
            number,
            phase: Phase::Wide,
            vectors: self.samples,
            ..Iteration::step(
                number,
                self.training.features - self.training.constant_features,
            )
        };
        let projection = last.map(|(small, output)| Iteration {
            vectors: small.vectors(output).len(),
            ..Iteration::step(method.sweeps + 1, small.weights(output).len())
        });
        (1..=method.sweeps).map(sweep).chain(projection).collect()
    }

    fn judged_model(
        &self,
        params: &Params,
        mut outcome: Outcome,
        trace: Vec<Iteration>,
        (expected, mut correction): (Expected, Correction),
        companions: &[usize],
    ) -> Model {
        if self.task == Task::Regression {
            // A regression's correction is part of its moments, and its noise is what the folds have shown.
            outcome.moments.stretch(correction, 2.0 * expected.loss);
            outcome
                .weight_sd
                .iter_mut()
                .for_each(|sd| *sd *= correction.slope.abs());
            correction = Correction::NONE;
        }
        Model {
            expected: Some(expected),
            ..self.model(
                params,
                vec![self.signature(outcome, trace)],
                correction,
                companions.iter().copied(),
            )
        }
    }
}

/// What the two tests and the full model's expected loss say of whether there is anything to find.
pub(super) fn judged(
    method: &Projected,
    (detection, chance): (f64, f64),
    full: Expected,
) -> Judgement {
    let mut judgement = Judgement {
        verdict: Verdict::Nothing,
        detection,
        chance,
    };
    if judgement.evidence() <= method.evidence {
        judgement.verdict = match full.is_clear() {
            true => Verdict::Signal,
            false => Verdict::Weak,
        };
    }
    judgement
}

/// The sizes by name (and the one that was asked for) with what each rule should cost: it is judged on rows that had no
/// part in its choice.
pub(super) fn chosen<C>(
    method: &Projected,
    sizes: &[usize],
    held_back: &HeldBack<C>,
    seen: &Seen,
) -> Vec<(Size, usize, Expected)> {
    let mut named = vec![Size::Compact, Size::Balanced, Size::Accurate];
    if !named.contains(&method.size) {
        named.push(method.size);
    }
    let mut chosen: Vec<(Size, usize, Expected)> = Vec::new();
    for size in named {
        let Some(position) = choose(size, sizes, method, seen) else {
            continue;
        };
        let pick = |seen: &Seen| choose(size, sizes, method, seen).map_or(0, |i| i + 1);
        let cost = held_back.cost_of_choice(pick);
        let expected = Expected::of(&cost, &seen.base);
        // What `accurate` is expected to cost is never more than what `balanced` is, whose size it takes then.
        let balanced = chosen.iter().find(|(other, ..)| *other == Size::Balanced);
        let (position, expected) = match balanced {
            Some(&(_, smaller, cheaper))
                if size == Size::Accurate && cheaper.loss < expected.loss =>
            {
                (smaller, cheaper)
            }
            _ => (position, expected),
        };
        chosen.push((size, position, expected));
    }
    chosen
}
