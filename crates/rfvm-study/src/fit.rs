//! A fit on all waves: the model in use, alternative signatures, and what it is worth.

use std::ops::ControlFlow;

use rfvm::{Evaluation, Expected, Folds, Model, Projected, Signatures, Size, Start, Verdict};
use rusqlite::OptionalExtension;
use serde::Serialize;

use crate::basis::{Basis, Judged, JudgedOn};
use crate::catalogue::Price;
use crate::chain::seal;
use crate::cohort::Cohort;
use crate::error::Error;
use crate::performance::{HeldBackScores, Performance};
use crate::prospective::ProspectiveWave;
use crate::resample::{StageWatch, params};
use crate::state::StudyState;
use crate::store::{Record, Study, insert_event};

/// How to fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitChoice {
    /// The size of the model in use.
    pub size: Size,
    /// Disjoint alternative signatures to look for.
    pub signatures: usize,
    /// How strongly cost enters the prior of the features; `None`: not at all (see [`cost_factors`]).
    pub cost_prior: Option<f64>,
    /// The least share of subjects that a test must have a value of.
    pub coverage: f64,
    /// Folds and repeats of the cross-validation.
    pub folds: usize,
    /// Repeats of the cross-validation.
    pub repeats: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// Worker threads.
    #[serde(skip)]
    pub threads: Option<usize>,
}

impl Default for FitChoice {
    fn default() -> Self {
        Self {
            size: Size::Balanced,
            signatures: 3,
            cost_prior: None,
            coverage: 0.1,
            folds: 5,
            repeats: 2,
            seed: 1,
            threads: None,
        }
    }
}

/// What a fit gave, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitSummary {
    /// The last wave.
    pub wave: usize,
    /// Subjects with a known outcome.
    pub subjects: usize,
    /// The two classes, negative first.
    pub classes: [String; 2],
    /// Subjects of each class.
    pub class_counts: [usize; 2],
    /// Tests that the fit could use.
    pub tests: usize,
    /// What all tests in use cost for one subject.
    pub price: Price,
    /// Tests that the model uses, heaviest first.
    pub panel: Vec<String>,
    /// What these cost.
    pub panel_price: Price,
    /// Tests of each alternative signature.
    pub alternatives: Vec<Vec<String>>,
    /// Whether the signatures started from the last fit.
    pub warm: bool,
    /// Iterations that the signatures took.
    pub iterations: usize,
    /// How the cross-validation came about: whom it is measured on.
    pub basis: Basis,
    /// What the model should cost on new subjects, measured on the same ones.
    pub expected: Option<Expected>,
    /// One sentence where the model does not beat the base rate.
    pub caution: Option<String>,
    /// The last advice that retired tests, where nobody came after it to measure this fit on: what it expected of fits
    /// without the tests that it retired.
    pub last_known: Option<LastKnown>,
    /// How the last model before each wave did on the subjects of that wave.
    pub prospective: Vec<ProspectiveWave>,
}

/// What the last accepted advice expected of fits without the tests that it retired, the choice of these made anew in every
/// fold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LastKnown {
    /// Its number in the log.
    pub advice: i64,
    /// On the subjects that it could measure on.
    pub performance: Performance,
}

/// A fit.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// Its number in the log.
    pub event: i64,
    /// What it gave.
    pub summary: FitSummary,
    /// The model in use.
    pub model: Model,
    /// The alternative signatures.
    pub alternatives: Model,
    /// The cross-validation; `None` where nobody is left to measure it on ([`FitSummary::basis`]).
    pub evaluation: Option<Evaluation>,
}

/// κ = 1 + strength · cost / mean cost, for the tests of a cohort: free tests have the usual prior, one of mean cost has
/// 1 + strength times its precision. A panel's own price is shared equally by its tests.
pub fn cost_factors(state: &StudyState, cohort: &Cohort, strength: f64) -> Vec<(String, f64)> {
    let tests = &state.catalogue.tests;
    let sharers = |panel: &str| {
        let of_panel = |&&place: &&usize| tests[place].panel.as_deref() == Some(panel);
        cohort.places.iter().filter(of_panel).count().max(1) as f64
    };
    let cost = |&place: &usize| {
        let panel = tests[place].panel.as_deref();
        let shared =
            panel.and_then(|panel| Some(state.catalogue.panels.get(panel)?.cost / sharers(panel)));
        tests[place].price.cost + shared.unwrap_or(0.0)
    };
    let costs: Vec<f64> = cohort.places.iter().map(cost).collect();
    let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
    let unit = if mean > 0.0 { mean } else { 1.0 };
    cohort
        .tests
        .iter()
        .zip(costs)
        .map(|(name, cost)| (name.clone(), 1.0 + strength * cost / unit))
        .collect()
}

impl Cohort {
    /// The same with cost in the prior, if a strength is given.
    pub(crate) fn with_cost_prior(
        mut self,
        state: &StudyState,
        strength: Option<f64>,
    ) -> Result<Self, Error> {
        let Some(strength) = strength else {
            return Ok(self);
        };
        if !(strength.is_finite() && strength >= 0.0) {
            return Err(Error::asked(format!(
                "the strength of the cost prior is {strength}; it must be a number from 0"
            )));
        }
        self.cost_factors = Some(cost_factors(state, &self, strength));
        Ok(self)
    }
}

impl Study {
    /// Fits on all that is known and records it.
    pub fn fit(&mut self, choice: &FitChoice, watch: StageWatch) -> Result<Fitted, Error> {
        let state = self.state()?;
        let cohort = state.cohort(choice.coverage)?;
        let cohort = cohort.with_cost_prior(&state, choice.cost_prior)?;
        let data = cohort.dataset(&cohort.all_rows(), &cohort.all_tests())?;
        let sized = params(Projected::of(choice.size), choice.threads).check()?;
        let telling = |what: &'static str| {
            move |iteration: &rfvm::Iteration| watch(what, iteration.number, iteration.features)
        };
        let model = sized.fit_with(data.clone(), telling("model"))?;
        let last = self.last_alternatives()?;
        let start = last.filter(|weights| !weights.is_empty()).map(Start::Warm);
        let warm = start.is_some();
        let usual = Signatures::default();
        let signatures = Signatures {
            count: choice.signatures.max(1),
            start: start.unwrap_or(usual.start),
            ..usual
        };
        let alternatives = params(signatures, choice.threads)
            .check()?
            .fit_with(data.clone(), telling("alternative signatures"))?;
        let judged = cohort.judged(&state, choice.seed);
        let folds = Folds::stratified(
            &cohort.strata(&judged.rows),
            cohort.groups.as_deref(),
            choice.folds,
            choice.repeats,
            choice.seed,
        )?
        .testing_only(&judged.rows);
        let evaluation = match judged.basis.judged_on {
            JudgedOn::Nobody => None,
            _ => {
                let telling = |done, of| watch("cross-validation", done, of);
                let evaluation = sized.evaluate(&data, &folds, telling)?;
                Some(evaluation.ok_or(Error::Interrupted)?)
            }
        };
        // An interrupted fit still gives a model; it must not be recorded as a whole one.
        if watch("recording", 0, 1).is_break() {
            return Err(Error::Interrupted);
        }
        let measured = evaluation
            .as_ref()
            .and_then(|evaluation| expected(evaluation, &folds, &cohort, &judged));
        let (model, expected) = match judged.basis.judged_on {
            JudgedOn::AllSubjects => {
                let own = model.expected();
                (model, own)
            }
            _ => (model.judged_elsewhere(measured), measured),
        };
        let last_known = match judged.basis.judged_on {
            JudgedOn::Nobody => self.last_known()?,
            _ => None,
        };
        let panel = model.needed_features();
        let places = |names: &[String]| -> Vec<usize> {
            cohort
                .find(names)
                .into_iter()
                .map(|test| cohort.places[test])
                .collect()
        };
        let positive = cohort.labels.iter().sum();
        let of_signatures = alternatives.signatures().iter();
        let summary = FitSummary {
            wave: state.waves,
            subjects: cohort.len(),
            classes: cohort.classes.clone(),
            class_counts: [cohort.len() - positive, positive],
            tests: cohort.tests.len(),
            price: state.price(&state.active()),
            panel_price: state.price(&places(&panel)),
            panel,
            alternatives: of_signatures
                .clone()
                .map(|s| s.features().iter().map(|f| f.name.clone()).collect())
                .collect(),
            warm,
            iterations: of_signatures.map(|s| s.trace().len()).sum(),
            caution: caution(&model, measured),
            basis: judged.basis,
            expected,
            last_known,
            prospective: self.prospective()?,
        };
        let mut told = serde_json::json!(summary);
        told["auc"] = serde_json::json!(evaluation.as_ref().and_then(|found| found.auc));
        told["log_loss"] = serde_json::json!(evaluation.as_ref().and_then(|found| found.log_loss));
        let event = self.record(
            Record {
                kind: "fit",
                wave: state.waves,
                data_hash: &state.hash(),
                parameters: serde_json::json!(choice),
                summary: told,
            },
            |transaction, event| {
                transaction.execute(
                    "INSERT INTO fit VALUES (?1, ?2, ?3, ?4)",
                    (
                        event,
                        model.to_json(),
                        alternatives.to_json(),
                        serde_json::json!(evaluation).to_string(),
                    ),
                )?;
                Ok(())
            },
        )?;
        Ok(Fitted {
            event,
            summary,
            model,
            alternatives,
            evaluation,
        })
    }

    /// Writes an event and what belongs to it, both or neither.
    pub(crate) fn record(
        &mut self,
        record: Record,
        rest: impl FnOnce(&rusqlite::Connection, i64) -> rusqlite::Result<()>,
    ) -> Result<i64, Error> {
        let path = self.path().to_path_buf();
        let transaction = self.begin()?;
        let event = insert_event(&transaction, record).map_err(Error::store(&path))?;
        let rest = rest(&transaction, event).and_then(|()| seal(&transaction, event));
        rest.map_err(Error::store(&path))?;
        transaction.commit().map_err(Error::store(&path))?;
        Ok(event)
    }

    /// The weights of the last fit's signatures.
    fn last_alternatives(&self) -> Result<Option<Vec<(String, f64)>>, Error> {
        let text: Option<String> = self.reading(|connection| {
            let newest = "SELECT alternatives FROM fit ORDER BY event DESC LIMIT 1";
            connection
                .query_row(newest, [], |row| row.get(0))
                .optional()
                .map_err(Error::store(self.path()))
        })?;
        Ok(text
            .and_then(|text| Model::from_json(text.as_bytes()).ok())
            .map(|model| model.warm_start()))
    }

    /// What the last advice that retired tests expected of fits without them.
    fn last_known(&self) -> Result<Option<LastKnown>, Error> {
        let log = self.log()?;
        let advice = log.iter().rfind(|event| event.retires());
        let Some(event) = advice else {
            return Ok(None);
        };
        let performance = serde_json::from_value(event.summary["after"].clone());
        Ok(performance.ok().map(|performance| LastKnown {
            advice: event.id,
            performance,
        }))
    }

    /// The model of the last fit and its number in the log.
    pub fn last_model(&self) -> Result<Option<(i64, Model)>, Error> {
        let newest: Option<i64> = self.reading(|connection| {
            let newest = connection.query_row("SELECT max(event) FROM fit", [], |row| row.get(0));
            newest.map_err(Error::store(self.path()))
        })?;
        newest
            .map(|event| Ok((event, self.model(event)?)))
            .transpose()
    }

    /// The model of a fit.
    pub(crate) fn model(&self, event: i64) -> Result<Model, Error> {
        let text: String = self.reading(|connection| {
            let of_fit = "SELECT model FROM fit WHERE event = ?1";
            let text = connection.query_row(of_fit, [event], |row| row.get(0));
            text.map_err(Error::store(self.path()))
        })?;
        Model::from_json(text.as_bytes()).map_err(|error| Error::file(self.path(), error))
    }
}

/// What fits without them cost the judged subjects, and what the base rate does.
fn expected(
    evaluation: &Evaluation,
    folds: &Folds,
    cohort: &Cohort,
    judged: &Judged,
) -> Option<Expected> {
    let mut scores = HeldBackScores::of_base_rate(folds, &cohort.labels);
    let base = scores.clone();
    for result in &evaluation.results {
        for (&row, &predicted) in result.rows.iter().zip(&result.predicted) {
            scores.0[result.repeat][row] = predicted;
        }
    }
    let loss = judged.performance(&scores).log_loss?;
    Some(Expected {
        loss: loss.value,
        se: loss.se,
        base: judged.performance(&base).log_loss?.value,
        gain_se: judged.difference(&base, &scores).log_loss?.se,
    })
}

/// What there is to say where the model does not beat the base rate on subjects that its fits have not seen.
fn caution(model: &Model, measured: Option<Expected>) -> Option<String> {
    let nothing = |found: rfvm::Judgement| found.verdict == Verdict::Nothing;
    let measured = measured?;
    if measured.is_clear() && !model.judgement().is_some_and(nothing) {
        return None;
    }
    Some(format!(
        "On subjects not seen the model does not clearly beat the base rate (log loss {:.3} ± {:.3} against {:.3}): as far as these tell, nothing has been learned about the outcome yet.",
        measured.loss, measured.se, measured.base
    ))
}

/// A watch that never stops anything.
pub fn unwatched(_: &str, _: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
